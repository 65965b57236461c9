// Calibration errors with bins of equal counts, by class or of the top label: they read the rows
// again (class_wise.h).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "assay/collective/comm.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "evaluate/scored_rows.h"
#include "metric/class_wise.h"

namespace assay {

class AdaptiveBins {
public:
    /// After every row was scored on all ranks.
    AdaptiveBins(const ScoredRows& rows, StorageFormat storage, const ScoreOptions& options,
                 int threads, Comm& comm)
        : rows_(rows),
          shape_(rows.shape()),
          storage_(storage),
          options_(options),
          threads_(threads),
          comm_(comm) {}

    /// Estimate of `ace` with its values without each group. Collective.
    ResampledEstimate estimate(const MetricRequest& request,
                               std::span<const std::uint64_t> group_sizes);
    /// Computed once for each pair of arguments. Collective.
    const ClassWiseSums& sums(int bins, bool top_label);

private:
    const ScoredRows& rows_;
    const Shape shape_;
    const StorageFormat storage_;
    const ScoreOptions& options_;
    const int threads_;
    Comm& comm_;
    std::map<std::pair<int, bool>, ClassWiseSums> cache_;
};

}  // namespace assay
