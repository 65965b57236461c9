// Weighted means of one value per item, for metrics of label sets, soft labels, hierarchies and
// grades.
//
// The value of an item is the metric of a data set of this item alone. The metric's own code
// computes it, so no metric is written twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/metric/metric.h"
#include "assay/store/row_reader.h"
#include "evaluate/truth.h"
#include "evaluate/weighted_interval.h"

namespace assay::evaluate {

/// Whether the metric is a mean over items, or is computed from such means (`asma`,
/// `quadratic_kappa`).
bool is_of_items(const MetricRequest& request);

/// A value with its items: the weights sum to 1, and `rows` are those of the store.
struct WeightedItems {
    Influenced found;
    std::vector<double> weights;
    std::vector<std::uint64_t> rows = {};
};

/// Nothing if no item counts, or the metric is undefined without those that do not. `request`
/// is_of_items() and has a value for the same store without weights; `weights` has one number per
/// row. Collective; all ranks do the same. Cost: that of the metric, and a state for each 128 rows.
/// If a block of rows has some that do not count for the metric, it is halved until it has none.
/// Memory: 24 bytes per item. Same bits for any number of threads.
std::optional<WeightedItems> weighted_items(const MetricRequest& request, const RowReader& reader,
                                            const Truth& truth, std::span<const double> weights,
                                            const Resampling& resampling, Comm& comm);

}  // namespace assay::evaluate
