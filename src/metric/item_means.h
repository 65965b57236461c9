// Means of one value per item, by group of items: the sums are integers, so that threads and ranks
// add in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/metric/metric.h"

namespace assay {

class ItemMeanSums {
public:
    ItemMeanSums();

    /// Requires |value| < 2^20 (real_sum.h).
    void add(std::uint16_t group, double value);
    /// Counts items without a value, which make the mean undefined; the caller must check for them.
    void add_boundless(std::uint16_t group);
    std::uint64_t items() const;
    std::uint64_t boundless() const;
    /// Counts that are added over ranks.
    std::vector<std::int64_t>& counts() { return counts_; }

    /// The mean and the means without each group. Requires at least one item.
    ResampledEstimate mean() const;
    /// For values in [0, 1] whose mean is multiplied by `top`: with the interval of agreement.h
    /// (Wilson's with an effective number of items).
    ResampledEstimate mean_of_parts(double top, bool yes_or_no, double level) const;

private:
    std::int64_t sum_of(std::size_t slot) const;
    ResampledEstimate scaled_mean(double top) const;

    std::vector<std::int64_t> counts_;
};

}  // namespace assay
