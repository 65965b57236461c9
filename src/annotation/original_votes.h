// The original labels as one more annotator.
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
    std::uint64_t votes = 0;       ///< that the original labels gave
    std::uint64_t images = 0;      ///< with such a vote
    std::uint64_t unlabelled = 0;  ///< images of the votes without a single original label: no vote
    std::uint64_t not_asked = 0;   ///< images whose original label votes and nobody was asked about
};

/// `votes` and those of one more annotator, named original_annotator: to every question about one
/// of the classes `voting` (numbers, ascending; empty: any) it answers yes where that is the
/// image's original label, and no elsewhere. So were ReaL's labels made, for classes 0 to 397:
/// questions that the 85 raters answered alike have the same published score if this one's answer
/// is the same, all 184,962 of them. Throws bad_input: an annotator has that name already, or no
/// image gets a vote.
Votes with_original_labels(const Votes& votes, const Dataset& dataset, const ClassList& classes,
                           const LabelSets& original, std::span<const int> voting,
                           OriginalVotes& given);

}  // namespace assay
