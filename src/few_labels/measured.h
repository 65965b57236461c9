// From a sample and what people said of it to accuracies, differences and groups.
#pragma once

#include "assay/few_labels/estimate.h"
#include "few_labels/answers.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"

namespace assay::few_labels {

struct SampledPool {
    const Pool* pool;
    const Strata* strata;
    const Sample* sample;
};

/// Fills all of `result` that comes from answers: strata, classifiers, pairs, groups, notes. Cost:
/// one pass over the pool.
void measure_sample(const SampledPool& sampled, const Judgements& said,
                    const EstimateOptions& options, Purpose purpose, PoolEstimate& result,
                    const ProgressCallback& progress = {});

}  // namespace assay::few_labels
