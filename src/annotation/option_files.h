// Small files and names that options of the annotation pipelines hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/annotation/votes.h"
#include "assay/data/class_list.h"

namespace assay {

/// A class list file, or "imagenet"; "" gives an empty list.
ClassList classes_named(const std::string& text);

/// Column `annotator` of a csv. Throws bad_input: an empty name, one twice, none at all.
std::vector<std::string> read_annotator_names(const std::filesystem::path& path);
/// Columns `annotator` and `weight` (0 to 1e9) of a csv: the weights of votes.annotators. Throws
/// bad_input as above, and where one of the annotators has none.
std::vector<double> read_annotator_weights(const std::filesystem::path& path, const Votes& votes);

}  // namespace assay
