#include "data/image_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "assay/describe_result.h"
#include "containers/described_csv.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/attributes.h"
#include "data/label_texts.h"

namespace assay {

namespace fs = std::filesystem;

ImageNames image_names(const Dataset& dataset, std::string_view extension,
                       std::span<const std::string_view> fitting) {
    std::vector<std::string> names(dataset.size());
    std::vector<std::string> whole(dataset.size());
    std::unordered_set<std::string> taken;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::string id(dataset.ids[i]);
        const fs::path path(id);
        if (path.is_absolute() ||
            std::find(path.begin(), path.end(), fs::path("..")) != path.end()) {
            refuse(
                fmt::format("the image `{}` is outside the data set's folder, so its copy would be "
                            "outside the new folder",
                            shortened(id, 200)));
        }
        const bool fits = std::ranges::find(fitting, lower_extension(id)) != fitting.end();
        whole[i] = path.lexically_normal().string();
        if (fits && taken.insert(whole[i]).second) names[i] = whole[i];
    }
    ImageNames found;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        if (names[i].empty()) {
            names[i] = std::string(without_extension(whole[i])) + std::string(extension);
            if (!taken.insert(names[i]).second) {
                found.met = true;
                names[i] = whole[i];
                do {
                    names[i] += extension;
                } while (!taken.insert(names[i]).second);
            }
        }
        found.names.append(names[i]);
    }
    return found;
}

namespace {

/// A row of the list of labels.
struct NamedImage {
    std::string_view path;
    std::string labels;
    std::vector<AttributeValue> attributes;
};
ResultType result_type(ResultOf<NamedImage>) {
    static constexpr auto rows = describe_result<NamedImage>(
        {.name = "NamedImage", .columns = "path,labels,{name}=attributes.value"},
        {
            part<&NamedImage::path>({}),
            part<&NamedImage::labels>({}),
            part<&NamedImage::attributes>({}),
        });
    return rows;
}

}  // namespace

std::string image_labels(const Dataset& dataset, const ClassList& classes,
                         const StringColumn& names, const std::vector<std::uint8_t>& left_out) {
    const LabelCells cells(classes);
    std::string text;
    DescribedCsv<NamedImage> csv(text, {{}, {}, attribute_names(dataset)});
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        if (left_out[i] == 0)
            csv.add({names[i], cells.text(dataset.labels[i]), attributes_of(dataset, i)});
    }
    return text;
}

}  // namespace assay
