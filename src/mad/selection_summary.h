// The summary of a round of selection for its caller, from the database after the round.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "assay/mad/selection_round.h"

namespace assay::mad {

/// Results of the round that are not in the database.
struct SelectionFacts {
    std::uint64_t scanned = 0;
    std::uint64_t scored = 0;
    bool no_parents = false;  ///< the data set lacks the attribute `parent` that the rule needs
    /// The searched pairs, by the numbers of their classifiers.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> added;
};
SelectionRound summary_of(const Competition& competition, const SelectionFacts& facts);

/// The summary as bytes for other ranks.
std::string packed_round(const SelectionRound& round);
SelectionRound unpacked_round(std::string_view text);

}  // namespace assay::mad
