// Computes accuracies, differences and groups from a sample and people's answers.
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

/// Fills all fields of `result` that depend on answers: strata, classifiers, pairs, groups, notes.
/// Cost: one pass over the pool.
void measure_sample(const SampledPool& sampled, const Judgements& said,
                    const EstimateOptions& options, Purpose purpose, PoolEstimate& result,
                    const ProgressCallback& progress = {});

}  // namespace assay::few_labels
