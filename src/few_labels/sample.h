// The drawn images, with their predictions.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "few_labels/pool.h"
#include "few_labels/strata.h"

namespace assay::few_labels {

struct SampledImage {
    std::uint64_t row = 0;
    std::uint32_t stratum = 0;
    ImagePredictions predictions;
};

struct Sample {
    std::vector<SampledImage> images;   ///< sorted by stratum, and in the random order within each
    std::vector<std::uint64_t> drawn;   ///< of each stratum
    std::vector<SampledImage> settled;  ///< images whose answers were known; they have no stratum
};

/// Reads the settled images, and draws the first `labels[h]` images of each stratum in its random
/// order. Cost: one pass over the pool; memory grows with the number of labels.
Sample draw(const Pool& pool, const Strata& strata, const std::vector<std::uint64_t>& labels,
            std::uint64_t seed, int threads, const ProgressCallback& progress);

/// Fills what `result` says about the pool, its strata and the sample.
void describe_sample(const Pool& pool, const Strata& strata, const Sample& sample,
                     DrawnSample& result);

}  // namespace assay::few_labels
