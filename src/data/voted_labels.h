// Exports of labeling tools in which one annotator labeled each image. They are labels and not
// votes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

struct VotedLabels {
    StringColumn items, labels;  ///< distinct texts, in the order of occurrence
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< pairs of indices into both
    std::vector<std::string> notes;                              ///< interpretation of the columns
};

/// Returns nothing if the file contains no votes, or is a plain table with one annotator per image,
/// which the readers of lists handle. Throws bad_input for votes of several annotators on one image
/// and for yes/no votes, with the command that combines them. Damage is reported as in
/// crowd::read_votes.
std::optional<VotedLabels> read_voted_labels(const std::filesystem::path& path);

}  // namespace assay
