// All nine dimensions of classifiers, from their files and images: what is not predicted yet is
// predicted, then all is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assay/evaluate/check.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/predict_corrupted.h"
#include "assay/progress.h"
#include "assay/quality/measure.h"
#include "assay/report.h"
#include "assay/robustness/corrupted_versions.h"

namespace assay::quality {

struct QualityPlan;

struct QualityRunOptions {
    PredictOptions predict;  ///< runs, threads, batch size, ...
    std::vector<LoadedModel> models;
    std::map<Role, Dataset> data;  ///< opened by open_role()
    /// Where models see a data set's images in another way than by their own preprocessing: as
    /// `models`.
    std::map<Role, std::vector<Preprocess>> preprocess;
    bool corrupt = true;
    CorruptionSettings corruptions = {{"paper"}, {1, 2, 3, 4, 5}, 0, {}, {}, {}, {}, {}};
    CorruptedTransform corrupted_transform = CorruptedTransform::own;  ///< as published
    /// Images of val, stratified by class; 0: all. A sample is a data set of its own,
    /// "val-corrupted-100".
    std::size_t corrupt_limit = 0;
    bool attack = true;            ///< fgsm and pgd, with measure.eps in measure.space
    std::size_t attack_limit = 0;  ///< likewise, "val-attacked-200"
    bool check = true;             ///< the guards: check_model() on a sample of val
    std::size_t check_sample = 64;
    /// Confidence level, seed, eps, space, own_class_sketch; the rest follows from the above.
    MeasureQualityOptions measure;
    /// Called once before anything is written, with what is about to be done.
    std::function<void(const QualityPlan&)> announce = {};
};

/// What can be known to be wrong before an image is read. Throws usage: no val, no model, models of
/// one name or of different class lists, a data set in two roles or of the name that a sample would
/// have, a val to be corrupted that is corrupted already, as check(CorruptionSettings); bad_input:
/// no image of val has a single label, classes that fit neither a role nor the classifiers
/// (question_of()).
void check(const QualityRunOptions& options);

/// One step of a run.
struct QualityStep {
    std::string name;          ///< "val", "sketch", "corruptions", "attacks", "check"
    std::string dataset;       ///< whose images; "v1-attacked-200"
    std::string model;         ///< "": all of them together
    std::uint64_t images = 0;  ///< of the data set
    /// Through a network, of all images and models; one with a gradient counts as three. Of attacks
    /// about: only images that are classified correctly are attacked.
    std::uint64_t passes = 0;
    double done = 0;     ///< by earlier runs, as a proportion
    double seconds = 0;  ///< of what is left, by the probe
};

struct QualityPlan {
    std::vector<QualityStep> steps;
    std::vector<MissingDimension> missing;  ///< what the run will not measure
    double seconds = 0;
    int threads = 1;
    std::vector<std::string> notes;
};
/// What run_quality() would do, and about how long it takes on this machine: with all threads at
/// work, some images of each data set are read, every model is timed on one batch of val's images,
/// forward and, where it is attacked, with a gradient, and some images are corrupted in each way.
/// Nothing is timed where everything is done already. Writes nothing. Throws as check(), bad_input
/// where RUNS holds something else of a name that the run uses, and as the classifiers.
QualityPlan plan_quality(const QualityRunOptions& options, const ProgressCallback& progress = {});
/// "assay.quality_plan/1".
Report report_of(const QualityPlan& plan);

struct QualityRunResult {
    MeasuredQuality measured;
    std::vector<CheckedPair> findings;  ///< of the guards
    std::vector<std::string> notes;     ///< of this run alone, for people: images that have moved
    /// Of this run alone: batches that were halved. Rows without scores, with the first error, and
    /// faults that the guards found are warnings of `measured`.
    std::vector<std::string> warnings;
    bool partial = false;         ///< something failed, and is missing or doubtful for that
    std::filesystem::path table;  ///< RUNS/quality.json
};
/// Guards each model, predicts what is not there yet (every step resumes where it was killed),
/// measures, and writes RUNS/quality.json and RUNS/quality.csv: the same bytes however often it was
/// interrupted. What the configuration has no data for is missing, and the result is whole; so is
/// the adversarial robustness of a model without gradients. Images without a score and faults that
/// the guards find make it partial; a fault is a note on all of the model's cells. Progress counts
/// predictions, anew in every step, with the step's name. Throws as plan_quality(), predict(),
/// predict_corrupted(), attack_models() and measure_quality().
QualityRunResult run_quality(const QualityRunOptions& options,
                             const ProgressCallback& progress = {});
/// The report of what was measured, with QUBA's scores where every dimension is there.
Report report_of(const QualityRunResult& result);

}  // namespace assay::quality
