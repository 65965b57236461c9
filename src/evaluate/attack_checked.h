// The controls of a model under attack: they run once and are stored with the attacks' stores.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/evaluate/attack.h"
#include "assay/store/prediction_store.h"
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
    /// whether an attack of the command follows gradients
    bool gradients = false;
};

/// The verdict from the stores, if they have it and this run did not change them. Otherwise
/// measures it and writes it into each store. Without a verdict if the model fails on a control
/// image. Throws as predict() does.
AttackControl checked_attacks(const CheckedModel& checked, const PredictResult& clean,
                              std::span<const PredictResult> attacked, const AttackedResult& result,
                              const ProgressCallback& callback);

/// True if an attack has at least the usual number of steps, of the usual size. A step of another
/// size may be too small or too large for the number of steps.
bool has_usual_strength(const AttackJob& job);
/// Adds a sign to the verdict of a model, and writes it into the stores that have the verdict.
/// Without effect if no controls ran.
void add_sign(AttackControl& control, MaskingSign sign, std::span<const PredictResult> attacked);
/// Writes the verdict on the attack of another model into the store of its images. The record has
/// the definition of the attack's own store.
void copy_verdict(const PredictionStore& from, const PredictionStore& to);

}  // namespace assay::attack
