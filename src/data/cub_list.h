// CUB-200's lists, which belong together: images.txt, image_class_labels.txt, classes.txt and
// train_test_split.txt have a number and a word per line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "data/label_list.h"

namespace assay {

/// "1 001.Black_footed_Albatross" in each line: the word of each number, and its line.
struct NumberedWord {
    std::string word;
    std::size_t line;
};
using NumberedWords = std::map<std::uint64_t, NumberedWord>;
/// Throws bad_input: a line of another form, a number twice.
NumberedWords read_numbered(const std::filesystem::path& path);

/// The list of which `path` is one: image_class_labels.txt, or images.txt beside it. Labels are the
/// names of classes.txt, or else numbers from 1; whether an image is for training is an attribute.
/// Nothing where the path is no such list. Throws bad_input: a damaged file, a number without
/// image.
std::optional<LabelList> read_cub_list(const std::filesystem::path& path,
                                       const LabelListOptions& options);

}  // namespace assay
