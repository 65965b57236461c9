// Layouts with a line of text for each image.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "assay/error.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/cub_list.h"
#include "data/folder_scan.h"
#include "data/layouts/layout.h"

namespace assay::layouts {
namespace {

namespace fs = std::filesystem;

/// Calls visit(line, number) for each trimmed line that is not empty.
template <class Visit>
void for_each_filled_line(const fs::path& file, Visit&& visit) {
    const std::string text = read_text(file);
    for_each_line(text, [&](std::string_view line, std::size_t at) {
        line = trimmed(line);
        if (!line.empty()) visit(line, at);
    });
}

/// Class names in order, and the position of each name.
struct NamedClasses {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::size_t> place;

    void add(std::string_view name, const fs::path& file, std::size_t line) {
        if (!place.emplace(name, names.size()).second)
            refuse_line(file, line, fmt::format("the class `{}` appears twice", shortened(name)));
        names.emplace_back(name);
    }
    std::size_t find(const std::string& name, const fs::path& file, std::size_t line,
                     std::string_view from) const {
        const auto found = place.find(name);
        if (found == place.end())
            refuse_line(file, line,
                        fmt::format("`{}` is not one of the {} classes of {}{}", shortened(name),
                                    names.size(), from, suggest(name, names)));
        return found->second;
    }
};

/// "english_cocker" becomes "English Cocker", as with Python's str.title().
std::string title_of(std::string_view name) {
    std::string title;
    bool begins = true;
    for (const char letter : name) {
        const char small = lower(letter);
        const bool is_letter = small >= 'a' && small <= 'z';
        const bool raised = begins && is_letter;
        title += letter == '_' ? ' ' : raised ? static_cast<char>(small - 'a' + 'A') : small;
        begins = !is_letter;
    }
    return title;
}

struct PetLine {
    std::string_view image, number, name;
};
PetLine pet_line(std::string_view line, const fs::path& file, std::size_t at) {
    const auto words = words_of_line(line, 4, "Abyssinian_201 1 1 1", file, at);
    return {words[0], words[1], words[0].substr(0, words[0].rfind('_'))};
}

/// Adds the number and the name of each class that the file has.
void add_pet_classes(std::map<std::uint64_t, std::string>& classes, const fs::path& file) {
    for_each_filled_line(file, [&](std::string_view line, std::size_t at) {
        const PetLine pet = pet_line(line, file, at);
        std::uint64_t number = 0;
        if (!parse_number(pet.number, number) || number == 0)
            refuse_line(
                file, at,
                fmt::format("`{}` is not the number of a class, from 1", shortened(pet.number)));
        std::string name = title_of(pet.name);
        const auto [known, fresh] = classes.emplace(number, name);
        if (!fresh && known->second != name)
            refuse_line(file, at,
                        fmt::format("class {} is named `{}` here, but `{}` before", number,
                                    shortened(name), shortened(known->second)));
    });
}

}  // namespace

Items read_pets(const Part& part) {
    const fs::path file = part.file();
    std::map<std::uint64_t, std::string> classes;
    add_pet_classes(classes, file);
    for (const char* other : {"test.txt", "trainval.txt"}) {
        const fs::path beside = file.parent_path() / other;
        if (beside != file && is_there(beside)) add_pet_classes(classes, beside);
    }
    Items items;
    items.file = file;
    for (const auto& [number, name] : classes) {
        // The code below reports the first number beyond the available names, with its line.
        if (number == items.classes.size() + 1) items.classes.push_back(name);
    }
    for_each_filled_line(file, [&](std::string_view line, std::size_t at) {
        const PetLine pet = pet_line(line, file, at);
        items.add(fmt::format("images/{}.jpg", pet.image),
                  class_of_number(pet.number, 1, items.classes.size(), file, at), at);
    });
    return items;
}

Items read_aircraft(const Part& part) {
    constexpr std::pair<std::string_view, std::string_view> levels[] = {
        {"variant", "variants.txt"},
        {"family", "families.txt"},
        {"manufacturer", "manufacturers.txt"}};
    const std::string level = part.label_column.empty() ? "variant" : part.label_column;
    const auto* const found =
        std::ranges::find(levels, level, [](const auto& row) { return row.first; });
    if (found == std::end(levels))
        throw Error(ErrorCode::usage,
                    fmt::format("--label-column {}: FGVC Aircraft has the labels variant, family "
                                "and manufacturer",
                                shortened(level)));
    const fs::path names_file = part.folder / "data" / found->second;
    NamedClasses classes;
    for_each_filled_line(names_file, [&](std::string_view line, std::size_t at) {
        classes.add(line, names_file, at);
    });
    Items items;
    items.file = part.folder / fmt::format("data/images_{}_{}.txt", level, part.split.name);
    for_each_filled_line(items.file, [&](std::string_view line, std::size_t at) {
        const std::size_t blank = line.find(' ');
        if (blank == std::string_view::npos)
            refuse_line(items.file, at,
                        fmt::format("`{}` is not an image and its class (such as `1514522 "
                                    "707-320`)",
                                    shortened(line)));
        items.add(
            fmt::format("data/images/{}.jpg", line.substr(0, blank)),
            classes.find(std::string(trimmed(line.substr(blank))), items.file, at, found->second),
            at);
    });
    items.classes = std::move(classes.names);
    return items;
}

Items read_dtd(const Part& part) {
    Items items;
    items.file = part.file();
    std::map<std::string, std::size_t, std::less<>> classes;  // the classes in byte order
    const auto class_of = [&](std::string_view line, std::size_t at) {
        const std::size_t slash = line.find('/');
        if (slash == 0 || slash == std::string_view::npos || slash + 1 == line.size() ||
            line.rfind('/') != slash)
            refuse_line(items.file, at,
                        fmt::format("`{}` is not class/image (such as banded/banded_0002.jpg)",
                                    shortened(line)));
        return std::string(line.substr(0, slash));
    };
    for_each_filled_line(items.file, [&](std::string_view line, std::size_t at) {
        classes.emplace(class_of(line, at), 0);
    });
    for (auto& [name, place] : classes) {
        place = items.classes.size();
        items.classes.push_back(name);
    }
    for_each_filled_line(items.file, [&](std::string_view line, std::size_t at) {
        items.add(fmt::format("images/{}", line), classes.at(class_of(line, at)), at);
    });
    return items;
}

Items read_places(const Part& part) {
    Items items;
    const fs::path names_file = part.folder / "categories_places365.txt";
    std::map<std::uint64_t, std::string> names;
    for_each_filled_line(names_file, [&](std::string_view line, std::size_t at) {
        const auto words = words_of_line(line, 2, "/a/airfield 0", names_file, at);
        std::uint64_t number = 0;
        if (!parse_number(words[1], number))
            refuse_line(names_file, at,
                        fmt::format("`{}` is not the number of a class", shortened(words[1])));
        if (!names.emplace(number, words[0]).second)
            refuse_line(names_file, at, fmt::format("class {} appears twice", number));
    });
    for (const auto& [number, name] : names) {
        if (number != items.classes.size())
            refuse(fmt::format("{}: no line names class {}, but one names class {}",
                               names_file.string(), items.classes.size(), number));
        items.classes.push_back(name);
    }

    const std::string split(part.split.name);
    const bool train = split.starts_with("train");
    std::vector<std::string> folders;
    for (const char* size : {"large", "256"})  // torchvision's own order
        folders.push_back(train ? fmt::format("data_{}_{}", size, split.substr(6))
                                : fmt::format("{}_{}", split, size));
    const auto images = std::ranges::find_if(
        folders, [&](const std::string& folder) { return is_folder(part.folder / folder); });
    if (images == folders.end())
        refuse(fmt::format("{}: the images of the split {} are in none of the folders {}",
                           part.folder.string(), split, fmt::join(folders, ", ")));
    items.more = "images of " + *images;

    items.file = part.file();
    const bool labelled = split != "test";
    for_each_filled_line(items.file, [&](std::string_view line, std::size_t at) {
        const auto words = words_of_line(
            line, labelled ? 2 : 1,
            labelled ? "Places365_val_00000001.jpg 165" : "Places365_test_00000001.jpg", items.file,
            at);
        std::string_view image = words[0];
        image.remove_prefix(std::min(image.find_first_not_of('/'), image.size()));
        items.add(fmt::format("{}/{}", *images, image), 0, at);
        items.labels.back() = labelled ? static_cast<std::int32_t>(class_of_number(
                                             words[1], 0, items.classes.size(), items.file, at))
                                       : -1;
    });
    return items;
}

Items read_sun(const Part& part) {
    Items items;
    items.file = part.file();
    NamedClasses classes;
    for_each_filled_line(items.file, [&](std::string_view line, std::size_t at) {
        if (line.size() < 4 || line[0] != '/' || line[2] != '/')
            refuse_line(items.file, at,
                        fmt::format("`{}` is not a class (such as /a/abbey)", shortened(line)));
        classes.add(line.substr(3), items.file, at);
    });
    StringColumn images;
    ScanCounts counts;
    scan_images(part.folder, "", 0, images, counts);
    std::size_t others = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string_view path = images[i], name = base_name(path);
        if (!name.starts_with("sun_") || !name.ends_with(".jpg")) {
            ++others;
            continue;
        }
        const std::size_t begin = path.find('/') + 1, size = path.size() - name.size();
        const std::string folder(size > begin ? path.substr(begin, size - begin - 1) : "");
        const auto found = classes.place.find(folder);
        if (found == classes.place.end())
            refuse(
                fmt::format("{}: its folder `{}` is not one of the {} classes of ClassName.txt{}",
                            (part.folder / path).string(), shortened(folder), classes.names.size(),
                            suggest(folder, classes.names)));
        items.add(path, found->second, 0);
    }
    items.lines.clear();
    items.classes = std::move(classes.names);
    if (others > 0)
        items.more = fmt::format("without {} not named sun_*.jpg", how_many(others, "image"));
    return items;
}

Items read_cub(const Part& part) {
    const NumberedWords images = read_numbered(part.folder / "images.txt"),
                        names = read_numbered(part.folder / "classes.txt"),
                        labels = read_numbered(part.folder / "image_class_labels.txt"),
                        splits = read_numbered(part.folder / "train_test_split.txt");
    Items items;
    items.file = part.folder / "image_class_labels.txt";
    const fs::path split_file = part.folder / "train_test_split.txt";
    for (const auto& [number, name] : names) {
        if (number != items.classes.size() + 1)
            refuse_line(
                part.folder / "classes.txt", name.line,
                fmt::format("class {}, expected class {}", number, items.classes.size() + 1));
        items.classes.push_back(name.word);
    }
    for (const auto& [number, image] : images) {
        if (!labels.contains(number))
            refuse_line(part.folder / "images.txt", image.line,
                        fmt::format("image_class_labels.txt has no label of image {}", number));
    }
    for (const auto& [number, label] : labels) {
        const auto image = images.find(number);
        if (image == images.end())
            refuse_line(items.file, label.line, fmt::format("images.txt has no image {}", number));
        const auto training = splits.find(number);
        if (training == splits.end())
            refuse_line(items.file, label.line,
                        fmt::format("train_test_split.txt does not have image {}", number));
        const std::string& flag = training->second.word;
        if (flag != "0" && flag != "1")
            refuse_line(split_file, training->second.line,
                        fmt::format("`{}` is not 0 (test) or 1 (training)", shortened(flag)));
        const std::size_t cls =
            class_of_number(label.word, 1, items.classes.size(), items.file, label.line);
        if (part.split.name != "all" && (flag == "1") != (part.split.name == "train")) continue;
        items.add("images/" + image->second.word, cls, label.line);
    }
    return items;
}

}  // namespace assay::layouts
