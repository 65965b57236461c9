// CUB-200's lists, which belong together: images.txt, image_class_labels.txt, classes.txt and
// train_test_split.txt have a number and a word per line.
#pragma once

#include <filesystem>
#include <optional>

#include "data/label_list.h"

namespace assay {

/// The list of which `path` is one: image_class_labels.txt, or images.txt beside it. Labels are the
/// names of classes.txt, or else numbers from 1; whether an image is for training is an attribute.
/// Nothing where the path is no such list. Throws bad_input: a damaged file, a number without
/// image.
std::optional<LabelList> read_cub_list(const std::filesystem::path& path,
                                       const LabelListOptions& options);

}  // namespace assay
