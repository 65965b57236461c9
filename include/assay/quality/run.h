// Measures all nine dimensions of classifiers from their files and images. Computes missing
// predictions first.
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
    /// The preprocessing for data sets that do not use a model's own preprocessing, in the order of
    /// `models`.
    std::map<Role, std::vector<Preprocess>> preprocess;
    bool corrupt = true;
    CorruptionSettings corruptions = {{"paper"}, {1, 2, 3, 4, 5}, 0, {}, {}, {}, {}, {}};
    CorruptedTransform corrupted_transform = CorruptedTransform::own;  ///< as published
    /// Number of images of val, stratified by class; 0 means all. A sample is a separate data set,
    /// "val-corrupted-100".
    std::size_t corrupt_limit = 0;
    bool attack = true;            ///< run fgsm and pgd with measure.eps, measure.space
    std::size_t attack_limit = 0;  ///< number of images to attack: "val-attacked-200"
    bool check = true;             ///< true if check_model() runs on a sample of val
    std::size_t check_sample = 64;
    /// Confidence level, seed, eps, space, own_class_sketch; the other members follow from the
    /// options above.
    MeasureQualityOptions measure;
    /// Called once before anything is written, with the plan.
    std::function<void(const QualityPlan&)> announce = {};
};

/// Checks what can be checked before an image is read. Throws usage for no val, no model, models
/// with the same name or different class lists, a val to corrupt that is already corrupted. Also
/// throws usage: a data set in two roles or with the name that a sample would have, and as
/// check(CorruptionSettings) does. Throws bad_input if no image of val has a single label, or for
/// classes that fit neither a role nor the classifiers (question_of()).
void check(const QualityRunOptions& options);

/// One step of a run.
struct QualityStep {
    std::string name;          ///< "val", "sketch", "corruptions", "attacks", "check"
    std::string dataset;       ///< name of the data set: "v1-attacked-200"
    std::string model;         ///< "" means all models together
    std::uint64_t images = 0;  ///< images in the data set
    /// Passes through a network, for all images and models; one with a gradient counts as three.
    /// For attacks this is approximate: only images that are classified correctly are attacked.
    std::uint64_t passes = 0;
    double done = 0;     ///< proportion that earlier runs have done
    double seconds = 0;  ///< estimate for the rest, from the probe
};

struct QualityPlan {
    std::vector<QualityStep> steps;
    std::vector<MissingDimension> missing;  ///< dimensions that the run will not measure
    double seconds = 0;
    int threads = 1;
    std::vector<std::string> notes;
};
/// Returns the steps of run_quality() and their approximate duration on this machine. Uses all
/// threads. Reads some images of each data set, and corrupts some images in each way. Times every
/// model on one batch of val's images, forward and, if it is attacked, with a gradient. Nothing is
/// timed if everything is already done. Writes nothing. Throws as check() and the classifiers do;
/// bad_input if RUNS contains something else with a name that the run uses.
QualityPlan plan_quality(const QualityRunOptions& options, const ProgressCallback& progress = {});
/// Schema "assay.quality_plan/1".
Report report_of(const QualityPlan& plan);

struct QualityRunResult {
    MeasuredQuality measured;
    std::vector<CheckedPair> findings;  ///< findings of check_model()
    std::vector<std::string> notes;     ///< only from this run, for people: images that have moved
    /// Only from this run: batches that were halved. Rows without scores and faults found by
    /// check_model() are warnings of `measured`.
    std::vector<std::string> warnings;
    bool partial = false;         ///< something failed and is therefore missing or doubtful
    std::filesystem::path table;  ///< RUNS/quality.json
};
/// Checks each model, computes missing predictions, and measures. Every step resumes at the place
/// where it was killed. Writes RUNS/quality.json and RUNS/quality.csv, with the same bytes for any
/// number of interruptions. Dimensions for which the configuration has no data are missing, but the
/// result still counts as complete. The same applies to the adversarial robustness of a model
/// without gradients. Images without a score and faults found by the checks make it partial; a
/// fault is a note on all of the model's cells. Progress counts the predictions of each step, with
/// the step's name. Throws as plan_quality(), predict(), predict_corrupted(), attack_models() and
/// measure_quality() do.
QualityRunResult run_quality(const QualityRunOptions& options,
                             const ProgressCallback& progress = {});
/// The report of the measurements, with QUBA's scores if every dimension is available.
Report report_of(const QualityRunResult& result);

}  // namespace assay::quality
