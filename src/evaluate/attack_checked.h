// The controls of a model under attack: they run once and are stored with the attacks' stores.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/evaluate/attack.h"
#include "evaluate/attack_batch.h"
#include "store/outcomes.h"

namespace assay::attack {

struct CheckedModel {
    const LoadedModel& model;
    AttackedModel& pixels;
    const Dataset& dataset;
    const AttackRunOptions& options;
    std::span<const std::unique_ptr<AttackJob>> jobs;
    std::span<const RowOutcome> clean;
    std::span<const std::vector<RowOutcome>> attacked;  ///< by job
    /// an attack of the command follows gradients
    bool gradients = false;
};

/// The verdict of the stores that have it and were not changed by this run; otherwise it is
/// measured and written into each of them. A model that fails on a control image leaves the verdict
/// open. Throws as predict() does.
AttackControl checked_attacks(const CheckedModel& checked, const PredictResult& clean,
                              std::span<const PredictResult> attacked, const AttackedResult& result,
                              const ProgressCallback& callback);

}  // namespace assay::attack
