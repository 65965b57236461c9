// Bootstrap of a study, which resamples classes or images for all classifiers and methods at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/progress.h"
#include "replication/estimator.h"
#include "replication/influence.h"

namespace assay::replication {

/// Each table is replicates x classifiers.
struct Replicates {
    std::size_t count = 0;
    std::vector<std::vector<double>> first, second;
    std::vector<std::vector<std::vector<double>>>
        adjusted;  ///< by method; an empty row means undefined in this replicate
};

/// Draws whole units with replacement (multinomial), with their images of both sets. The
/// result does not depend on the number of threads. Throws interrupted.
Replicates resample(const Study& study, const UnitPlan& plan, const CellGrid& first_grid,
                    const CellGrid& second_grid,
                    const std::vector<std::unique_ptr<Estimator>>& estimators,
                    std::uint32_t replicates, std::uint64_t seed, int threads,
                    const ProgressCallback& progress);

}  // namespace assay::replication
