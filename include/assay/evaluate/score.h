// Computes every metric of one store, from one pass over its rows (and a second pass for the
// class-wise bins).
//
// `score_runs` measures many stores as `assay score` does; `score_store` measures one, with options
// that are already resolved for it.
//
// The bits are the same for any number of threads and ranks. Every rank must be able to read the
// store, calls with the same arguments and gets the whole report. Except for 32 bytes per item and
// the labels, memory does not grow with the number of items. Metrics that rank items (AUROC, AURC,
// ...) need 24 more bytes per item for their log-odds. Those based on the order of the confidences
// (AURC, ...) need 16 more bytes per item, and as much again for each thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/collective/comm.h"
#include "assay/data/class_list.h"
#include "assay/data/label_sets.h"
#include "assay/describe.h"
#include "assay/evaluate/by_votes.h"
#include "assay/evaluate/gate.h"
#include "assay/evaluate/group_accuracy.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/ood.h"
#include "assay/evaluate/valid_labels.h"
#include "assay/metric/given_truth.h"
#include "assay/metric/measurement.h"
#include "assay/metric/metric.h"
#include "assay/progress.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct Report;

struct ScoreOptions {
    /// The valid classes of each item, for the metrics of label sets; without a value, the data
    /// set's own labels. The other metrics continue to use the data set's own labels. If it has no
    /// single labels, they use an item's only valid class, and the ids of their definitions end in
    /// only_valid_ending.
    std::optional<LabelSets> labels;
    std::string left_out;       ///< DefaultMetrics::left_out, for the report
    std::uint64_t unnamed = 0;  ///< items that are not named in the file of `labels`; for the
                                ///< report
    std::optional<ClassMap>
        map;  ///< evaluates the scores for other classes: ImageNet-R's 200 classes, 16 classes, ...
    std::string subgroup;  ///< attribute of the data set: every metric is also computed for each of
                           ///< its values
    /// Accuracy by the values of attributes of the data set, which commas separate. Needs 40 more
    /// bytes per item.
    std::vector<std::string> by;
    std::string cluster;  ///< attribute: items with one value are not independent; "": all are
    std::string weights;  ///< attribute: how much each item counts; "": all count the same
    std::vector<double> item_weights;    ///< the same as one number from 0 per item; empty: none
    std::vector<MetricRequest> metrics;  ///< empty means those of default_metrics_for()
    Resampling resampling;
    int threads = 0;                                        ///< 0 means the available cores
    std::uint64_t scratch_bytes = std::uint64_t{64} << 20;  ///< for the class-wise bins: bytes of
                                                            ///< the columns in memory at a time
    std::uint32_t null_draws =
        0;  ///< label draws for the calibrated null of ece and ace; 200 is usual
    std::size_t confusions = 20;  ///< number of most frequent confusions that are kept
    /// Also fills ScoreReport::valid_labels, if an image has several valid labels or `labels` are
    /// given. Reads the rows again, and takes about 120 bytes per valid label.
    bool by_valid_label = false;
    /// A request for `ece` whose bins and edges the report's reliability uses; without it, there is
    /// no reliability.
    std::optional<MetricRequest> reliability;
    GivenTruth given;  ///< soft labels by the store's rows; tree and order over the map's classes
    std::vector<std::string> notes;  ///< notes on how that was read, for the report
};

/// One bin of a reliability diagram.
struct ReliabilityBin {
    double low = 0, high = 0;  ///< range of the confidence; [1, 1] contains those of exactly 1
    Estimate accuracy;         ///< with its Wilson interval; undefined without items
    std::uint64_t correct = 0;
    std::optional<double> confidence;  ///< mean over the bin's items
};

struct ClassResult {
    std::string id, name;
    std::uint64_t correct = 0;
    Estimate accuracy;                         ///< undefined without items
    std::optional<double> confidence;          ///< mean of the top probability
    std::optional<double> target_probability;  ///< mean probability of this class over its items
};

/// The number of items in each category.
struct ScoreCounts {
    std::uint64_t items = 0;
    std::uint64_t missing = 0;  ///< rows in shards that do not exist (yet)
    std::uint64_t unreadable = 0;
    std::uint64_t not_finite = 0;
    std::uint64_t scored = 0;
    std::uint64_t unlabelled =
        0;  ///< scored items without a valid label (or with none that the map knows)
    std::uint64_t multi_label = 0;  ///< scored items with several labels
    std::uint64_t unnamed = 0;  ///< all items that the file of label sets does not name, and that
                                ///< therefore have no label
    /// Returns true if something that should have a score has none.
    bool partial() const { return missing + unreadable + not_finite > 0; }
};

struct ScoreReport {
    std::string model, map;
    /// The name in the store. If several data sets have the same name but differ, it includes as
    /// much of the folder as is needed to distinguish them.
    std::string dataset;
    DerivedStore derived;  ///< the attack or corruption that changed the images
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    ScoreCounts counts;
    std::vector<std::uint64_t> labels_per_image;  ///< [g]: items with g valid labels, scored or
                                                  ///< not; [0]: items that are excluded
    std::vector<Measurement>
        measurements;  ///< all items first, then the subgroups in order of their value
    std::vector<AccuracyByGroup> groups;  ///< accuracy by group, with `by`: top1, real, or both
    ClassList classes;  ///< classes of the predictions: the map's targets if there is one
    std::vector<ClassResult> per_class;
    std::vector<Confusion> confusions;        ///< sorted by count, then truth, then predicted
    std::optional<ValidLabels> valid_labels;  ///< with ScoreOptions::by_valid_label
    /// ascending; empty if it was not requested or is undefined
    std::vector<ReliabilityBin> reliability;
    std::vector<double> thresholds;  ///< for classes with a sigmoid each; otherwise empty
    std::vector<std::string> notes;  ///< skipped metrics, with reasons
    std::vector<std::string> warnings;
};

/// True if the data set has the attributes `shape` and `texture`, which name classes of the
/// predictions. `shape_bias` needs both.
bool has_cues(const Dataset& dataset);

/// Progress counts the items of this rank, in the pass over all of them. Throws usage (unknown
/// attribute), bad_input (labels of a different length or outside the classes, damaged shards).
ScoreReport score_store(const PredictionStore& store, const ScoreOptions& options, Comm& comm,
                        const ProgressCallback& progress = {});

nlohmann::json to_json(const ScoreReport& report);

/// One metric of one model over data sets that repeat one another, such as composites from five
/// seeds.
struct AcrossResult {
    /// key.dataset is the given name; n and left_out are sums. The interval treats the data sets as
    /// a sample of such sets (Student's t, with one degree of freedom fewer than sets). It is
    /// clipped to the metric's range. It includes the differences between sets, and not what they
    /// share, such as the source images. The mean is undefined if one of the sets has no value,
    /// or no predictions of the model.
    Measurement mean;
    std::vector<std::string> datasets;          ///< of all models, in the order of the reports
    std::vector<std::optional<double>> values;  ///< one per data set
    std::optional<double> standard_deviation;   ///< divisor m - 1: needs two
    double low = 0, high = 0;                   ///< smallest and largest value; only with a mean
};
/// Returns every metric of every model, in the order of the reports. Reports of one model must be
/// for different data sets (otherwise throws usage).
std::vector<AcrossResult> score_across(std::span<const ScoreReport> reports, std::string_view name,
                                       double level);

nlohmann::json to_json(const AcrossResult& result);

/// A measured value, and the value of the same model in a published table.
struct PublishedValue {
    std::string model, dataset, metric, setting, source;
    double published = 0;
    Estimate measured;
};

struct ScoreRunsOptions {
    std::vector<std::filesystem::path> paths;  ///< RUNS folders, data sets in them, or stores
    MeasureOptions measure;
    std::string subgroup;
    std::vector<std::string> by;
    std::string weights;               ///< an attribute
    std::vector<double> item_weights;  ///< in its place: a number from 0 for each item of the store
    std::string across;                ///< a glob
    std::size_t confusions = 0;        ///< number of most frequent confusions that are kept
    bool by_valid_label = false;       ///< as in ScoreOptions
    bool reliability = false;          ///< with the bins and the edge rule of `measure`
    std::vector<std::string> ood;
    std::vector<std::string> published;  ///< inputs of read_published()
    /// "FILE" or "NAME=FILE": votes as read_votes() accepts them, and label sets from experts.
    std::vector<std::string> votes, expert_labels;
};
/// For open stores, the fields of the part "folders" are not used.
template <>
inline constexpr auto description<ScoreRunsOptions> = describe<ScoreRunsOptions>({
    field<&ScoreRunsOptions::subgroup>(
        {.help = "Also compute every metric for each value of this attribute of the data set",
         .empty = "none",
         .value = "ATTR"}),
    field<&ScoreRunsOptions::by>(
        {.help =
             "Show top1 and real for each group of images with one value of this attribute, and "
             "the accuracy of the worst group, worst(top1). Its interval is for the lowest true "
             "accuracy. The names sex,camera stand for each combination of values. If repeated, "
             "the worst group is chosen among all",
         .empty = "none",
         .value = "ATTR",
         .separator = ""}),
    field<&ScoreRunsOptions::weights>(
        {.help = "Let each image count as much as this attribute of the data set says, a number "
                 "from 0. For images that were drawn with unequal probabilities, it is one divided "
                 "by the probability. Metrics that count images one by one, such as aurc, are not "
                 "measured",
         .empty = "images count the same",
         .value = "ATTR"}),
    field<&ScoreRunsOptions::across>(
        {.help = "Show the mean and spread of each metric over the data sets whose name matches, "
                 "for each model; gates then apply to the means",
         .empty = "none",
         .value = "GLOB",
         .part = "folders"}),
    field<&ScoreRunsOptions::ood>(
        {.help = "Measure how well confidence, energy and the greatest logit separate data set IN "
                 "from data set OUT. Without --metrics, no other metric is computed",
         .value = "IN=OUT",
         .separator = "",
         .part = "folders"}),
    field<&ScoreRunsOptions::published>(
        {.help = "Published results of the same models to compare with: csv with the columns "
                 "model, top1, top5, like timm's results-imagenet.csv. METRIC=FILE: its column "
                 "top1 holds this metric (real); repeatable",
         .value = "RESULTS",
         .separator = "",
         .part = "folders"}),
    field<&ScoreRunsOptions::votes>(
        {.help = "Votes of annotators on label sets (as `labels aggregate` reads them): ReaL and "
                 "ASMA against the true sets, with an interval that covers errors of the votes. "
                 "NAME=FILE: of the data set NAME; repeatable",
         .value = "VOTES",
         .separator = "",
         .part = "folders"}),
    field<&ScoreRunsOptions::expert_labels>(
        {.help =
             "Label sets that experts gave images drawn at random "
             "(docs/multilabel.md). They correct the values of --votes if annotators make the same "
             "errors. "
             "NAME=FILE: of the data set NAME; repeatable",
         .value = "LABELS",
         .separator = "",
         .part = "folders"}),
});
struct ScoreResult {
    std::vector<ScoreReport> reports;  ///< by data set, then model
    std::string across;                ///< the glob
    std::vector<AcrossResult> means;   ///< with `across` only
    std::vector<GateResult> gates;
    std::vector<Measurement> ood;           ///< sorted by pair, then model
    std::vector<PublishedValue> published;  ///< sorted by table, then as the reports
    std::vector<ByVotes> by_votes;          ///< per data set, only with `votes`
    std::vector<std::string> warnings;      ///< about all stores, with the models' names
    std::vector<std::string> notes;  ///< the labels used for each data set, if some are given
    bool partial() const;            ///< true if a store is partial
};
/// Scores every store below the paths, one after the other. Progress counts items; `step` is the
/// data set and the model. Throws as score_store() and check() do; usage if no data set's name
/// matches, or if the means would use one data set twice.
ScoreResult score_runs(const ScoreRunsOptions& options, Comm& comm,
                       const ProgressCallback& progress = {});

/// The same for open stores, in this order; `paths`, `across` and `ood` are not used.
ScoreResult score_stores(std::span<const PredictionStore* const> stores,
                         const ScoreRunsOptions& options, Comm& comm,
                         const ProgressCallback& progress = {});

/// This number means all confusions. A table for people shows the first 20.
inline constexpr std::size_t all_confusions = SIZE_MAX;

struct ScoreShown {
    bool per_class = false;
    std::size_t confusions = 0;
    bool reliability = false;
};
template <>
inline constexpr auto description<ScoreShown> = describe<ScoreShown>({
    field<&ScoreShown::per_class>(
        {.help = "Show every class, the least accurate first (with --csv: instead of the metrics, "
                 "in class order). With several valid labels per image: also recall, precision and "
                 "AP of each class, and what is missed"}),
    field<&ScoreShown::confusions>(
        {.help = "Show the N most frequent confusions (with --csv: instead of the metrics; without "
                 "N: all, 20 of them shown in text output)",
         .empty = "none",
         .option = "confusion",
         .alone = "18446744073709551615"}),
    field<&ScoreShown::reliability>(
        {.help = "Show accuracy by confidence, in the bins of ece (--bins, --edges), with "
                 "intervals (with --csv: instead of the metrics)"}),
});
/// Checks what can be known to be wrong without a store: the measures, and options that do not go
/// together with means. Throws usage and bad_input.
void check(const ScoreRunsOptions& options, const ScoreShown& shown);

/// The report shows models with their metrics in a table per data set. If a data set has one store
/// or subgroups are requested, it has a table per store. Stores of attacks on the models and of
/// smoothed models are in separate tables. JSON: `assay.scores/2` in docs/formats.md. Classes are
/// sorted by accuracy, lowest first, and those without items are summarized in one line. Programs
/// get all classes in the order of the class list. The CSV has a line for each measurement or mean
/// over data sets. With `per_class` it has a line for each class, with `confusions` for each
/// confusion, with `reliability` for each bin. It has only one of the three.
Report report_of(const ScoreResult& result, const ScoreShown& shown = {});
/// `assay.scores/2`.
nlohmann::json to_json(const ScoreResult& result, const ScoreShown& shown = {});

}  // namespace assay
