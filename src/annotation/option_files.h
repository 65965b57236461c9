// Small files and names in options of the annotation pipelines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/annotation/votes.h"
#include "assay/data/class_list.h"

namespace assay {

/// A class list file, or "imagenet"; "" gives an empty list.
ClassList classes_named(const std::string& text);

/// Reads the column `annotator` of a csv. Throws bad_input: an empty or repeated name, or no name.
std::vector<std::string> read_annotator_names(const std::filesystem::path& path);
/// Reads the columns `annotator` and `weight` (0 to 1e9) of a csv: the weights of votes.annotators.
/// Throws bad_input as above, and if an annotator has no weight.
std::vector<double> read_annotator_weights(const std::filesystem::path& path, const Votes& votes);

}  // namespace assay
