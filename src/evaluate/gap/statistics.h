// Every number of the gap as one list, computed from the counts of two data sets: for one model,
// with all images or without some of them. Averages over models are means of these lists, so both
// get their spread in the same way.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "state.h"

namespace assay {

/// strata x gap_slots.
using GapCounts = std::span<const std::int64_t>;

enum GapEnd : std::size_t { end_first, end_second, end_gap, end_absolute, gap_ends };

class GapStatistics {
public:
    GapStatistics(const LabelStrata& strata, std::uint32_t classes, SetAgreement agreement);

    /// Blocks: the three metrics, then top-1, ReaL and agreement within each subgroup. Each has
    /// four ends.
    std::size_t blocks() const noexcept { return 3 + 3 * strata_.subgroups().size(); }
    static std::size_t block(GapMetric metric) { return static_cast<std::size_t>(metric); }
    static std::size_t block(std::size_t subgroup, GapMetric metric) {
        return 3 + 3 * subgroup + static_cast<std::size_t>(metric);
    }
    static std::size_t at(std::size_t block, std::size_t end) { return block * gap_ends + end; }
    /// After the blocks: the parts of the decomposition.
    std::size_t composition() const noexcept { return blocks() * gap_ends; }
    std::size_t within() const noexcept { return composition() + 1; }
    std::size_t unmatched() const noexcept { return composition() + 2; }
    std::size_t share() const noexcept { return composition() + 3; }
    std::size_t size() const noexcept { return composition() + 4; }

    /// One value a block.
    std::vector<Maybe> one_side(GapCounts counts) const;
    /// The whole list from two sides and their counts.
    std::vector<Maybe> both(std::span<const Maybe> first, GapCounts first_counts,
                            std::span<const Maybe> second, GapCounts second_counts) const;

    /// Right answers and images of a block that is a plain proportion; none: it is no proportion,
    /// or undefined.
    struct Proportion {
        std::uint64_t hits = 0, n = 0;
    };
    std::optional<Proportion> proportion(std::size_t block, GapCounts counts) const;
    /// Images that enter a block.
    std::uint64_t images(std::size_t block, GapCounts counts) const;
    /// Why a block has no value on the data set named `set`.
    std::string reason(std::size_t block, GapCounts counts, const std::string& set) const;
    std::string decomposition_reason(GapCounts first, GapCounts second) const;

private:
    Maybe subgroup_agreement(std::size_t subgroup, GapCounts counts) const;
    std::int64_t sum(GapCounts counts, GapSlot slot, std::size_t first_stratum) const;
    void decompose(GapCounts first, GapCounts second, std::vector<Maybe>& list) const;

    const LabelStrata& strata_;
    std::uint32_t classes_;
    SetAgreement agreement_;
    std::vector<std::size_t> stratum_of_;  ///< of each subgroup
};

}  // namespace assay
