// Adds the original labels as one more annotator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "assay/annotation/votes.h"
#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"

namespace assay {

inline constexpr std::string_view original_annotator = "original label";

struct OriginalVotes {
    std::uint64_t votes = 0;       ///< votes from the original labels
    std::uint64_t images = 0;      ///< images with such a vote
    std::uint64_t unlabelled = 0;  ///< images of the votes without a single original label, which
                                   ///< give no vote
    std::uint64_t not_asked = 0;   ///< images whose original label votes although nobody was asked
                                   ///< about it
};

/// `votes` plus those of one more annotator, named original_annotator. For every question about a
/// class in `voting` (numbers, ascending; empty means any), it answers yes if that is the image's
/// original label, and no otherwise. ReaL's labels were made this way for classes 0 to 397: among
/// questions with equal answers by the 85 raters, the published score depends only on this
/// annotator's answer. This is true for all 184,962 of them. Throws bad_input if an annotator has
/// that name already, or if no image gets a vote.
Votes with_original_labels(const Votes& votes, const Dataset& dataset, const ClassList& classes,
                           const LabelSets& original, std::span<const int> voting,
                           OriginalVotes& given);

}  // namespace assay
