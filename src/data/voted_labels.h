// Exports of labelling tools in which one annotator labelled each image: labels, not votes.
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
    StringColumn items, labels;  ///< distinct, in the order in which they come
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< places in both
    std::vector<std::string> notes;                              ///< what was taken for what
};

/// Nothing where the file is no votes, or a plain table in which each image has one annotator
/// (which the readers of lists take). Throws bad_input: the votes of several annotators on one
/// image, or yes/no votes, with the command that combines them; damaged, as crowd::read_votes.
std::optional<VotedLabels> read_voted_labels(const std::filesystem::path& path);

}  // namespace assay
