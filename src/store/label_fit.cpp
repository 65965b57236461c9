#include "store/label_fit.h"

#include <fmt/format.h>

#include "assay/report.h"
#include "core/paths.h"
#include "data/label_list.h"
#include "data/label_rows.h"
#include "data/soft_labels_read.h"

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

/// Compares labels with the images' own labels, if each image has one.
void compare_with_own(LabelFit& fit, const std::filesystem::path& labels, const Dataset& images) {
    std::uint64_t both = 0, likeliest = 0;
    for (std::size_t i = 0; i < images.labels.size(); ++i) {
        if ((*fit.soft)[i].empty() || images.labels[i].size() != 1) continue;
        ++both;
        likeliest += fit.soft->probability(i, images.labels[i][0]) == fit.soft->greatest(i) ? 1 : 0;
    }
    if (both == 0) return;
    const std::string text =
        fmt::format("{}: the likeliest class is the image's own label in {} of {} images",
                    labels.string(), count_text(likeliest), count_text(both));
    if (2 * likeliest >= both) {
        fit.notes.push_back(text);
    } else {
        fit.doubt = text + "; check that columns and rows are in the order of this data set";
    }
}

/// True if the file contains soft labels.
bool fit_soft(LabelFit& fit, const std::filesystem::path& labels, const Dataset& images, bool votes,
              const std::string& image_column) {
    std::optional<SoftLabels> soft =
        read_soft_labels(labels, images, images.classes, votes, fit.match, fit.notes, image_column);
    if (!soft) return false;
    fit.soft = std::make_shared<const SoftLabels>(std::move(*soft));
    fit.labelled = fit.soft->labelled();
    compare_with_own(fit, labels, images);
    return true;
}

}  // namespace

LabelFit label_fit(const std::filesystem::path& labels, const Dataset& images, SoftFiles soft,
                   const LabelTableColumns& columns) {
    LabelFit fit;
    try {
        const bool folder = is_folder(labels);
        if (folder && columns.named()) refuse_columns_of(labels.filename().string());
        const bool may_be_soft = soft != SoftFiles::refused && !folder && columns.label.empty();
        if (may_be_soft && fit_soft(fit, labels, images, soft == SoftFiles::votes, columns.image))
            return fit;
        fit.sets = folder ? sets_of_folder(labels, images, fit.match)
                          : read_label_sets(labels, images, images.classes, fit.match, fit.notes,
                                            {.image_column = columns.image,
                                             .label_column = columns.label,
                                             .options = columns.options});
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
    const std::size_t images = fit.soft ? fit.soft->size() : fit.sets.size();
    const std::string left_out = describe(fit.match, images, labels);
    return fmt::format("{}labels of {}: {} of {} images have {}{}{}", fit.soft ? "soft " : "",
                       labels.string(), count_text(fit.labelled), count_text(images),
                       fit.soft ? "one" : "some", left_out.empty() ? "" : "; ", left_out);
}

}  // namespace assay::store
