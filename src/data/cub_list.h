// CUB-200's lists: images.txt, image_class_labels.txt, classes.txt and train_test_split.txt belong
// together, and have a number and a word per line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "data/label_list.h"

namespace assay {

/// From lines such as "1 001.Black_footed_Albatross": the word for each number, and its line.
struct NumberedWord {
    std::string word;
    std::size_t line;
};
using NumberedWords = std::map<std::uint64_t, NumberedWord>;
/// Throws bad_input for a line in another form, a repeated number.
NumberedWords read_numbered(const std::filesystem::path& path);

/// Reads the list that `path` belongs to: image_class_labels.txt, or images.txt next to it. Labels
/// are the names in classes.txt, or else numbers from 1. Whether an image is for training becomes
/// an attribute. Returns nothing if the path is no such list. Throws bad_input for a damaged file,
/// a number without an image.
std::optional<LabelList> read_cub_list(const std::filesystem::path& path,
                                       const LabelListOptions& options);

}  // namespace assay
