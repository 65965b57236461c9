// The drawn images whose answers count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "few_labels/answers.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"
#include "few_labels/target.h"

namespace assay::few_labels {

/// The images of the sample that count: for each stratum, the longest prefix without an open image.
struct UsedSample {
    std::vector<std::size_t> images;  ///< judged images of the sample
    std::vector<StratumSample> strata;
    std::vector<std::uint64_t> unjudged;
    std::uint64_t behind_gap = 0, all_unjudged = 0;
};

/// Cost: linear in the drawn images.
UsedSample used_sample(const Sample& sample, const Judgements& said, const Strata& strata);

}  // namespace assay::few_labels
