// Every number of the gap as one list, computed from the counts of two data sets. The list is for
// one model, with all images or without some of them. Averages over models are means of these
// lists, so both get their spread in the same way.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/gap/state.h"

namespace assay {

enum GapEnd : std::size_t { end_first, end_second, end_gap, end_absolute, gap_ends };

class GapStatistics {
public:
    /// `scheme` must outlive this object.
    explicit GapStatistics(const GapScheme& scheme);
    const GapScheme& scheme() const noexcept { return scheme_; }

    /// Blocks: the three metrics, then top-1, ReaL and agreement within each subgroup. Each block
    /// has four ends.
    std::size_t blocks() const noexcept { return 3 + 3 * subgroups(); }
    static std::size_t block(GapMetric metric) { return static_cast<std::size_t>(metric); }
    static std::size_t block(std::size_t subgroup, GapMetric metric) {
        return 3 + 3 * subgroup + static_cast<std::size_t>(metric);
    }
    static std::size_t at(std::size_t block, std::size_t end) { return block * gap_ends + end; }
    /// After the blocks: the parts of the decomposition.
    std::size_t composition() const noexcept { return blocks() * gap_ends; }
    std::size_t within() const noexcept { return composition() + 1; }
    std::size_t unmatched() const noexcept { return composition() + 2; }
    std::size_t explained() const noexcept { return composition() + 3; }
    std::size_t size() const noexcept { return composition() + 4; }

    /// There is one value per block.
    std::vector<Maybe> one_side(GapCounts counts) const;
    /// The whole list from two sides and their counts.
    std::vector<Maybe> both(std::span<const Maybe> first, GapCounts first_counts,
                            std::span<const Maybe> second, GapCounts second_counts) const;

    /// A block's value and its number of images, without an interval.
    Estimate value(std::size_t block, GapCounts counts) const;
    /// A block's value as the metric gives it, with its interval, for a store with rows of `shape`.
    /// An undefined value includes the reason for the data set named `set`.
    Estimate estimate(std::size_t block, GapCounts counts, const Shape& shape, double level,
                      const std::string& set) const;
    std::string decomposition_reason(GapCounts first, GapCounts second) const;

private:
    struct Measure {
        const MetricRequest* request;
        MetricContext context;  ///< used only for the value
        Estimate of(GapCounts state) const { return request->facts->value(context, state); }
    };
    std::size_t subgroups() const noexcept { return scheme_.strata().subgroups().size(); }
    /// Returns nullptr for ASMA without subgroups, and for top-1 if it is skipped.
    const Measure* measure(std::size_t block) const;
    /// `all` has the predictions over all strata.
    GapCounts state_of(std::size_t block, GapCounts counts, GapCounts all) const;
    void decompose(GapCounts first, GapCounts second, std::vector<Maybe>& list) const;

    const GapScheme& scheme_;
    Measure top1_, real_;
    std::optional<Measure> asma_;
    std::vector<Measure> agreements_;      ///< in each subgroup
    std::vector<std::size_t> stratum_of_;  ///< stratum of each subgroup
};

}  // namespace assay
