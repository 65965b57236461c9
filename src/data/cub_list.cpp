#include "data/cub_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "assay/error.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "data/label_texts.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

}  // namespace

NumberedWords read_numbered(const fs::path& path) {
    const std::string text = read_text(path), source = path.filename().string();
    NumberedWords words;
    for_each_line(text, [&](std::string_view line, std::size_t at) {
        line = trimmed(line);
        if (line.empty()) return;
        const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
        const std::string_view word = trimmed(line.substr(blank));
        std::uint64_t number = 0;
        if (!parse_number(line.substr(0, blank), number) || word.empty()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} line {}: `{}` is not a number followed by its meaning",
                                    source, at, shortened(line)));
        }
        if (!words.emplace(number, NumberedWord{std::string(word), at}).second) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} line {}: number {} appears twice", source, at, number));
        }
    });
    return words;
}

std::optional<LabelList> read_cub_list(const fs::path& path, const LabelListOptions& options) {
    const std::string name = path.filename().string();
    const fs::path folder = path.parent_path(), labels_file = folder / "image_class_labels.txt",
                   images_file = folder / "images.txt", names_file = folder / "classes.txt",
                   split_file = folder / "train_test_split.txt";
    if ((name != "image_class_labels.txt" && name != "images.txt") || !is_there(labels_file) ||
        !is_there(images_file))
        return std::nullopt;
    const NumberedWords images = read_numbered(images_file), labels = read_numbered(labels_file);
    const NumberedWords names = is_there(names_file) ? read_numbered(names_file) : NumberedWords();
    const NumberedWords split =
        options.attributes && is_there(split_file) ? read_numbered(split_file) : NumberedWords();
    LabelList list;
    list.source = labels_file.filename().string();
    list.has_labels = true;
    list.taken = fmt::format("labels: column 2{}; images: images.txt, by the number in column 1{}",
                             names.empty() ? "" : ", named by classes.txt",
                             split.empty() ? "" : "; attributes: train_test_split.txt");
    if (!split.empty()) list.attributes.push_back({"is_training_image", {}});
    LabelTexts texts(list, options.classes);
    std::vector<std::int32_t> set(1);
    for (const auto& [number, label] : labels) {
        if (options.limit != 0 && list.rows == options.limit) break;
        const auto image = images.find(number);
        if (image == images.end()) {
            throw Error(ErrorCode::bad_input, fmt::format("{} line {}: images.txt has no image {}",
                                                          list.source, label.line, number));
        }
        std::uint64_t cls = 0;
        if (!parse_number(label.word, cls)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} line {}: `{}` is not the number of a class", list.source,
                                    label.line, shortened(label.word)));
        }
        const auto named = names.find(cls);
        ++list.rows;
        list.lines.push_back(static_cast<std::uint32_t>(label.line));
        list.files.append(image->second.word);
        set[0] = texts.number(named == names.end() ? label.word : named->second.word, label.line);
        list.labels.append(set);
        if (!split.empty()) {
            const auto part = split.find(number);
            list.attributes[0].values.append(part == split.end() ? "" : part->second.word);
        }
    }
    return list;
}

}  // namespace assay
