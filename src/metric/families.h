// The functions for the rows of the table (builtin.cpp), one family per file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/metric/metric.h"

namespace assay::families {

/// The reason why metrics that need probabilities are undefined without them.
inline constexpr const char* no_probabilities =
    "only predicted classes are known, not probabilities: a class map decided, or labels were "
    "imported";

/// Lower bound for the natural logarithm of a probability: float logits would have to differ by
/// this much. It keeps the integers of real_sum.h from overflowing.
inline constexpr double lowest_log = -2000;

/// Why a metric of the positive class, class 1, has no value (the number of classes is not two), or
/// "".
std::string not_two_classes(const Shape& shape);

std::unique_ptr<Accumulator> accumulate_label_sets(const MetricContext&);
Estimate asma_value(const MetricContext&, std::span<const std::int64_t>);

/// The edges 0 .. 1 of this number of bins, as 32-bit numbers (calibration_ece.cpp).
std::vector<float> equal_width_edges(int bins);
/// The bin of p is the number of these bounds <= p, for a rule of `ece`. There is one bin more than
/// requested: the bin of p = 1.
std::vector<float> bin_bounds(int bins, std::string_view rule);
/// An upper bound on the variance of sum(p) - sum(y) in a bin that begins at `low`, given sum(p)
/// and sum(y). It holds if the bin's hits have probabilities in the bin or as large as observed.
/// The bin contains at most sum(p) / low items.
double most_variance(double low, double p, double hits);
/// Jackknife interval from `without`, with its lower end decreased by `noise`. Noise makes errors
/// of 0 look like errors, by at most this amount. The mean of |x| exceeds |mean of x| by at most
/// the mean of |x - mean|. Adds a note and the standard error.
void add_noisy_interval(ResampledEstimate& estimate, double noise, double level);
std::unique_ptr<Accumulator> accumulate_bins(const MetricContext&);
/// One bin of equal width from `accumulate_bins`. The bin of confidence 1 is [1, 1].
struct ConfidenceBin {
    float low = 0, high = 0;
    std::uint64_t items = 0, hits = 0;
    double confidence = 0;  ///< sum
};
/// The ascending bins from the grouped state of that accumulator.
std::vector<ConfidenceBin> confidence_bins(const MetricContext&,
                                           std::span<const std::int64_t> state);

std::unique_ptr<Accumulator> accumulate_classes(const MetricContext&);

}  // namespace assay::families
