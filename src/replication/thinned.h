// Estimates as fewer annotators would have given them, in expectation over which of them were
// asked.
#pragma once

#include <memory>
#include <vector>

#include "replication/estimator.h"

namespace assay::replication {

/// Expected counts with m annotators per image.
CellCounts thinned(const CellCounts& counts, int m);
Correct thinned(const Correct& correct, const CellGrid& grid, int m);

/// The options as far as m annotators allow them: exponents that do not fit give way to the default
/// ones.
AdjustOptions options_at(const AdjustOptions& options, int m);

/// The estimators that the options ask for and m annotators allow, each on counts of the study
/// itself, which it thins to m. Images with fewer than `least` annotators are left out, least >= m.
/// Thinning is linear: what an image adds to an estimate is what the readings that it may be
/// thinned to add in the mean, so analytic errors stay exact to first order.
std::vector<std::unique_ptr<Estimator>> make_thinned_estimators(const AdjustOptions& options,
                                                                const CellCounts& first,
                                                                const CellCounts& second, int m,
                                                                int least);

}  // namespace assay::replication
