// Layouts with a table or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/json_events.h"
#include "core/json_limits.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/layouts/layout.h"

namespace assay::layouts {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_json = std::uint64_t{64} << 20;

/// The split of each image is 0 (train), 1 (valid) or 2 (test).
std::unordered_map<std::string, std::uint64_t> celeba_parts(const fs::path& file) {
    std::unordered_map<std::string, std::uint64_t> parts;
    const std::string text = read_text(file);
    for_each_line(text, [&](std::string_view line, std::size_t at) {
        if (trimmed(line).empty()) return;
        const auto words = words_of_line(line, 2, "000001.jpg 0", file, at);
        std::uint64_t part = 0;
        if (!parse_number(words[1], part) || part > 2)
            refuse_line(
                file, at,
                fmt::format("`{}` is not 0 (train), 1 (valid) or 2 (test)", shortened(words[1])));
        if (!parts.emplace(words[0], part).second)
            refuse_line(file, at, fmt::format("`{}` appears twice", shortened(words[0])));
    });
    return parts;
}

/// The position of the attribute in the header.
std::size_t celeba_attribute(const Part& part, const std::vector<std::string>& names) {
    const auto found = std::ranges::find(names, part.label_column);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    if (part.label_column.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("CelebA has {} attributes and no classes: name the attribute to "
                                "predict, such as --label-column {}",
                                names.size(), names.back()));
    throw Error(ErrorCode::usage,
                fmt::format("--label-column {}: CelebA has no such attribute{}",
                            shortened(part.label_column), suggest(part.label_column, names)));
}

}  // namespace

Items read_celeba(const Part& part) {
    constexpr std::string_view splits[] = {"train", "valid", "test"};
    Items items;
    items.file = part.folder / "list_attr_celeba.txt";
    const auto parts = celeba_parts(part.file());
    const std::string text = read_text(items.file);
    std::vector<std::string> names;
    std::uint64_t said = 0, rows = 0;
    std::size_t attribute = 0;
    for_each_line(text, [&](std::string_view line, std::size_t at) {
        const auto words = words_in(line);
        if (at == 1) {
            if (words.size() != 1 || !parse_number(words[0], said))
                refuse_line(items.file, at,
                            fmt::format("`{}` is not the number of images", shortened(line)));
            return;
        }
        if (at == 2) {
            names.assign(words.begin(), words.end());
            if (names.empty()) refuse_line(items.file, at, "no names of attributes");
            attribute = celeba_attribute(part, names);
            if (std::ranges::count(names, names[attribute]) > 1)
                refuse_line(items.file, at, "the attribute " + names[attribute] + " appears twice");
            return;
        }
        if (words.empty()) return;
        if (words.size() != names.size() + 1)
            refuse_line(items.file, at,
                        fmt::format("{}, expected an image and {} attributes",
                                    how_many(words.size(), "word"), names.size()));
        ++rows;
        const std::string_view value = words[attribute + 1];
        if (value != "1" && value != "-1")
            refuse_line(items.file, at,
                        fmt::format("{} is `{}`, not -1 or 1", names[attribute], shortened(value)));
        const auto in = parts.find(std::string(words[0]));
        if (in == parts.end())
            refuse_line(items.file, at,
                        fmt::format("list_eval_partition.txt does not have the image `{}`",
                                    shortened(words[0])));
        if (part.split.name != "all" && splits[in->second] != part.split.name) return;
        items.add(fmt::format("img_align_celeba/{}", words[0]), value == "1" ? 1 : 0, at);
    });
    if (names.empty()) refuse(items.file.string() + ": no names of attributes in line 2");
    if (rows != said)
        refuse(fmt::format("{}: line 1 says {} images, but the file has {}: was it cut off?",
                           items.file.string(), said, rows));
    items.classes = {"not " + names[attribute], names[attribute]};
    items.more = "labels: attribute " + names[attribute];
    return items;
}

Items read_gtsrb(const Part& part) {
    constexpr std::size_t signs = 43;
    Items items;
    items.file = part.file();
    const std::string text = read_text(items.file);
    CsvReader rows(text, items.file.string(), {.delimiter = ';'});
    const std::size_t image = rows.column({"Filename"}), label = rows.column({"ClassId"});
    while (rows.next()) {
        items.add(fmt::format("GTSRB/Final_Test/Images/{}", trimmed(rows[image])),
                  class_of_number(trimmed(rows[label]), 0, signs, items.file, rows.line()),
                  rows.line());
    }
    items.classes = numbered_classes(signs).ids();
    return items;
}

Items read_food(const Part& part) {
    Items items;
    items.file = part.file();
    const std::string text = read_text(items.file, most_bytes_of_json);
    std::vector<std::pair<std::string, std::vector<std::string>>> classes;  // in the file's order
    const auto add_class = [&](const std::string& name, nlohmann::json&& images, std::uint64_t) {
        auto& own = classes.emplace_back(name, std::vector<std::string>()).second;
        const bool texts = images.is_array() && std::ranges::all_of(images, [](const auto& image) {
                               return image.is_string();
                           });
        if (name.empty() || !texts)
            refuse(
                fmt::format("{}: `{}` is not a class with a list of images (such as "
                            "\"apple_pie\": [\"apple_pie/1005649\"])",
                            items.file.string(), shortened(name)));
        for (const auto& image : images) own.push_back(image.get<std::string>());
    };
    with_note("reading " + items.file.string(),
              [&] { read_json_parts(text, "", 3, most_json_values, add_class); });
    for (const auto& [name, images] : classes) items.classes.push_back(name);
    std::ranges::sort(items.classes);
    for (const auto& [name, images] : classes) {
        const auto place = std::ranges::lower_bound(items.classes, name) - items.classes.begin();
        for (const std::string& image : images)
            items.add(fmt::format("images/{}.jpg", image), static_cast<std::size_t>(place), 0);
    }
    items.lines.clear();
    return items;
}

}  // namespace assay::layouts
