#include "store/label_fit.h"

#include <fmt/format.h>

#include "assay/report.h"
#include "core/paths.h"
#include "data/label_rows.h"

namespace assay::store {
namespace {

LabelSets sets_of_folder(const std::filesystem::path& folder, const Dataset& images,
                         LabelMatch& match) {
    return with_note("reading the labels of the folder " + folder.string(), [&] {
        DatasetOptions options;
        options.classes = images.classes;
        const Dataset labelled = open_dataset(folder, options);
        NamedRows rows;
        rows.keys = labelled.ids;
        rows.rows = labelled.labels;
        return rows_by_key(rows, images, labelled.name, &match);
    });
}

}  // namespace

LabelFit label_fit(const std::filesystem::path& labels, const Dataset& images) {
    LabelFit fit;
    try {
        fit.sets = is_folder(labels)
                       ? sets_of_folder(labels, images, fit.match)
                       : read_label_sets(labels, images, images.classes, fit.match, fit.notes);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        fit.error = error;
        fit.names_no_item = dynamic_cast<const NoItemNamed*>(&error) != nullptr;
        return fit;
    }
    for (std::size_t i = 0; i < fit.sets.size(); ++i) fit.labelled += fit.sets[i].empty() ? 0 : 1;
    return fit;
}

std::string describe(const LabelFit& fit, const std::filesystem::path& labels) {
    const std::string left_out = describe(fit.match, fit.sets.size(), labels);
    return fmt::format("labels of {}: {} of {} images have some{}{}", labels.string(),
                       count_text(fit.labelled), count_text(fit.sets.size()),
                       left_out.empty() ? "" : "; ", left_out);
}

}  // namespace assay::store
