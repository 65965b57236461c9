#include "data/image_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "containers/csv.h"
#include "core/refuse.h"
#include "core/text.h"
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
                fmt::format("the image `{}` is not below the data set's folder: its changed copies "
                            "would leave the new one",
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

std::string image_labels(const Dataset& dataset, const ClassList& classes,
                         const StringColumn& names, const std::vector<std::uint8_t>& left_out) {
    const LabelCells cells(classes);
    std::string text;
    CsvWriter writer(text);
    writer.field("path");
    writer.field("labels");
    for (const auto& attribute : dataset.attributes) writer.field(attribute.name);
    writer.end_row();
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        if (left_out[i] != 0) continue;
        writer.field(std::string(names[i]));
        writer.field(cells.text(dataset.labels[i]));
        for (const auto& attribute : dataset.attributes)
            writer.field(std::string(attribute.values[i]));
        writer.end_row();
    }
    return text;
}

}  // namespace assay
