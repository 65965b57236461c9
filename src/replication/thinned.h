// Estimates with fewer annotators, as an expectation over the random choice of annotators.
#pragma once

#include <memory>
#include <vector>

#include "replication/estimator.h"

namespace assay::replication {

/// The expected counts with m annotators per image.
CellCounts thinned(const CellCounts& counts, int m);
Correct thinned(const Correct& correct, const CellGrid& grid, int m);

/// The options that m annotators allow. Exponents that are too large are replaced by the default
/// exponents.
AdjustOptions options_at(const AdjustOptions& options, int m);

/// The requested estimators that m annotators allow. Each takes the study's own counts and thins
/// them to m. Images with fewer than `least` annotators are excluded, and `least` must be at least
/// m. Thinning is linear, so an image's influence is the mean influence of the readings to which it
/// may be thinned. Analytic errors therefore stay exact to first order.
std::vector<std::unique_ptr<Estimator>> make_thinned_estimators(const AdjustOptions& options,
                                                                const CellCounts& first,
                                                                const CellCounts& second, int m,
                                                                int least);

}  // namespace assay::replication
