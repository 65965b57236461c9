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
    std::size_t classifiers = 0;  ///< of the whole study, whose intervals hold together; 0: these
};

/// Fills all fields of `result` that depend on answers: strata, classifiers, pairs, groups, notes.
/// Cost: one pass over the pool.
void measure_sample(const SampledPool& sampled, const Judgements& said,
                    const EstimateOptions& options, Purpose purpose, PoolEstimate& result,
                    const ProgressCallback& progress = {});

/// Finds the best classifier and whether the wanted precision is reached, from the estimates of
/// `result`. `labels` is the number of labels that the widest of them uses, and `drawable` that of
/// all images outside the settled ones.
void compare_and_stop(PoolEstimate& result, const EstimateOptions& options, Purpose purpose,
                      double labels, double drawable);

}  // namespace assay::few_labels
