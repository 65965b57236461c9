#include "data/image_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "core/csv.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/label_texts.h"

namespace assay {

namespace fs = std::filesystem;

StringColumn image_names(const Dataset& dataset, std::string_view extension,
                         std::span<const std::string_view> fitting) {
    StringColumn names;
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
        const std::string whole = path.lexically_normal().string();
        std::string name =
            fits ? whole : std::string(without_extension(whole)) + std::string(extension);
        if (!taken.insert(name).second) {
            name = whole;
            do {
                name += extension;
            } while (!taken.insert(name).second);
        }
        names.append(name);
    }
    return names;
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
