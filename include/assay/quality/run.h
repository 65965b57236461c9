// All nine dimensions of classifiers, from their files and images: what is not predicted yet is
// predicted, then all is measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/evaluate/attack.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/predict_corrupted.h"
#include "assay/progress.h"
#include "assay/quality/measure.h"
#include "assay/report.h"
#include "assay/robustness/corrupted_versions.h"

namespace assay::quality {

struct QualityRunOptions {
    PredictOptions predict;  ///< runs, threads, batch size, ...
    std::vector<ModelSpec> models;
    ClassifierOptions opening;
    std::map<Role, Dataset> data;  ///< opened by open_role()
    /// Models on one data set may see images in another way than on others (settings of [[data]]).
    std::map<Role, std::vector<ModelSpec>> models_on;
    bool corrupt = true;
    CorruptionSettings corruptions;  ///< {"paper"} is what the dimension takes
    CorruptedTransform corrupted_transform = CorruptedTransform::own;
    std::size_t corrupt_limit = 0;  ///< images of val, stratified by class; 0: all
    bool attack = true;
    AttackRunOptions attacks;  ///< fgsm and pgd; `predict` of it is not looked at
    std::size_t attack_limit = 0;
    bool check = true;  ///< the guards: check_model() on a sample of val
    std::size_t check_sample = 64;
    MeasureQualityOptions measure;  ///< what is not settled by the above
};

/// One step of a run.
struct QualityStep {
    std::string name;                    ///< "sketch", "attack pgd 8/255", "corruptions"
    std::string model;                   ///< "": all of them together
    std::uint64_t images = 0, done = 0;  ///< done: by earlier runs
    double passes = 1;                   ///< forward passes of an image, backward ones as two
    double seconds = 0;                  ///< of what is left, by the probe
};
struct QualityPlan {
    std::vector<QualityStep> steps;
    std::vector<std::string> missing;  ///< dimensions that cannot be measured, and why
    double seconds = 0;
    std::vector<std::string> notes, warnings;
};
/// What run_quality() would do, and about how long it takes on this machine: every model is timed
/// on one batch of val's images. Writes nothing.
QualityPlan plan_quality(const QualityRunOptions& options, const ProgressCallback& progress = {});
/// "assay.quality_plan/1".
Report report_of(const QualityPlan& plan);

struct QualityRunResult {
    MeasuredQuality measured;
    std::vector<CheckedPair> findings;  ///< of the guards
};
/// Predicts what is not there yet (every step resumes where it was killed), then measures, then
/// writes RUNS/quality.json and RUNS/quality.csv; the same bytes however often it was interrupted.
/// A fault that the guards find is a note on the model's cells and makes the result partial.
/// Throws as predict(), predict_corrupted(), attack_models(), cost_of_models(), measure_quality().
QualityRunResult run_quality(const QualityRunOptions& options,
                             const ProgressCallback& progress = {});
Report report_of(const QualityRunResult& result);

}  // namespace assay::quality
