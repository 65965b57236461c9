// Scoring: every metric of one store, from one pass over its rows (and a second for the class-wise
// bins).
//
// `score_runs` measures many stores as `assay score` does; `score_store` one, with options that are
// resolved for it.
//
// The same bits for any number of threads and ranks. Every rank must be able to read the store,
// calls with the same arguments and gets the whole report. Beside 32 bytes an item and the labels,
// memory does not grow with the number of items; metrics that rank items (AUROC, AURC, ...) take 24
// more an item for their log-odds, and those of the order of the confidences (AURC, ...) 16 more,
// and 16 for each thread.
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
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/ood.h"
#include "assay/metric/given_truth.h"
#include "assay/metric/measurement.h"
#include "assay/metric/metric.h"
#include "assay/progress.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct Report;

struct ScoreOptions {
    /// Valid classes of each item, for the metrics of label sets; none: the data set's own labels.
    /// The others stay with the data set's own; where it has no single labels, an item's only valid
    /// class stands in, and the ids of their definitions end in only_valid_ending.
    std::optional<LabelSets> labels;
    std::string left_out;       ///< DefaultMetrics::left_out, for the report
    std::uint64_t unnamed = 0;  ///< items that the file of `labels` does not name; for the report
    std::optional<ClassMap>
        map;  ///< asks another question of the scores: ImageNet-R's 200 classes, 16 classes, ...
    std::string subgroup;  ///< attribute of the data set: every metric again for each of its values
    std::vector<MetricRequest> metrics;  ///< empty: those of default_metrics_for()
    Resampling resampling;
    int threads = 0;  ///< 0: available cores
    std::uint64_t scratch_bytes = std::uint64_t{64}
                                  << 20;  ///< for the class-wise bins: columns at hand at a time
    std::uint32_t null_draws =
        0;  ///< label draws for the calibrated null of ece and ace; 200 is usual
    std::size_t confusions = 20;  ///< most frequent confusions kept
    /// A request of `ece` whose bins and edges the report's reliability has; none: no reliability.
    std::optional<MetricRequest> reliability;
    GivenTruth given;  ///< soft labels by the store's rows; tree and order over the map's classes
    std::vector<std::string> notes;  ///< of how that was read, for the report
};

/// One bin of a reliability diagram.
struct ReliabilityBin {
    double low = 0, high = 0;  ///< of the confidence; [1, 1]: those of exactly 1
    Estimate accuracy;         ///< with its Wilson interval; undefined without items
    std::uint64_t correct = 0;
    std::optional<double> confidence;  ///< mean of the bin's items
};

struct ClassResult {
    std::string id, name;
    std::uint64_t correct = 0;
    Estimate accuracy;                         ///< undefined without items
    std::optional<double> confidence;          ///< mean of the top probability
    std::optional<double> target_probability;  ///< mean probability of this class over its items
};

/// Items of one class for which another was predicted.
struct Confusion {
    std::int32_t truth = 0, predicted = 0;  ///< predicted -1: maps to no class
    std::uint64_t count = 0;
    bool operator==(const Confusion&) const = default;
};

/// Where every item went.
struct ScoreCounts {
    std::uint64_t items = 0;
    std::uint64_t missing = 0;  ///< in shards that are not there (yet)
    std::uint64_t unreadable = 0;
    std::uint64_t not_finite = 0;
    std::uint64_t scored = 0;
    std::uint64_t unlabelled =
        0;  ///< of the scored: without a valid label (or with none that the map knows)
    std::uint64_t multi_label = 0;  ///< of the scored
    std::uint64_t unnamed =
        0;  ///< of all: not named by the file of label sets, and so without a label
    /// Something that should have been scored was not.
    bool partial() const { return missing + unreadable + not_finite > 0; }
};

struct ScoreReport {
    std::string model, map;
    /// As the store says; of several stores, where data sets of one name are not the same, with as
    /// much of the folder as tells them apart.
    std::string dataset;
    DerivedStore derived;  ///< by an attack or a corruption
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
    ScoreCounts counts;
    std::vector<std::uint64_t>
        labels_per_image;  ///< [g]: items with g valid labels, scored or not; [0]: left out
    std::vector<Measurement>
        measurements;   ///< all items first, then the subgroups in order of their value
    ClassList classes;  ///< of the predictions: the map's targets when there is one
    std::vector<ClassResult> per_class;
    std::vector<Confusion> confusions;        ///< by count, then truth, then predicted
    std::vector<ReliabilityBin> reliability;  ///< ascending; empty: not asked for, or undefined
    std::vector<double> thresholds;           ///< of the classes with a sigmoid each; empty: none
    std::vector<std::string> notes;           ///< which metrics are left out, and why
    std::vector<std::string> warnings;
};

/// Whether the data set has the attributes `shape` and `texture`, each naming a class of the
/// predictions: what `shape_bias` is made of.
bool has_cues(const Dataset& dataset);

/// Progress counts the items of this rank, in the pass over all of them. Throws usage (unknown
/// attribute), bad_input (labels of another length or outside the classes,
/// damaged shards).
ScoreReport score_store(const PredictionStore& store, const ScoreOptions& options, Comm& comm,
                        const ProgressCallback& progress = {});

nlohmann::json to_json(const ScoreReport& report);

/// One metric of one model over data sets that repeat one another, such as composites from five
/// seeds.
struct AcrossResult {
    /// key.dataset: the name given; n and left_out: sums. The interval takes the data sets as a
    /// sample of such sets (Student's t, one degree fewer than sets), cut to the metric's range: it
    /// holds what differs from set to set, and not what they share, such as the images that they
    /// are cut from. Undefined where one of the sets has no value.
    Measurement mean;
    std::vector<std::string> datasets;          ///< in the order of the reports
    std::vector<std::optional<double>> values;  ///< one a data set
    std::optional<double> standard_deviation;   ///< divisor m - 1: needs two
    double low = 0, high = 0;                   ///< minimum and maximum; with `mean.value` only
};
/// Every metric of every model, in the order of the reports. Reports of one model must be of
/// different data sets (throws usage).
std::vector<AcrossResult> score_across(std::span<const ScoreReport> reports, std::string_view name,
                                       double level);

nlohmann::json to_json(const AcrossResult& result);

/// A value that was measured here, and what a table says of the same model.
struct PublishedValue {
    std::string model, dataset, metric, setting, source;
    double published = 0;
    Estimate measured;
};

struct ScoreRunsOptions {
    std::vector<std::filesystem::path> paths;  ///< RUNS folders, data sets in them, or stores
    MeasureOptions measure;
    std::string subgroup;
    std::string across;          ///< a glob
    std::size_t confusions = 0;  ///< most frequent confusions kept
    bool reliability = false;    ///< with the bins and the edge rule of `measure`
    std::vector<std::string> ood;
    std::vector<std::string> published;  ///< as read_published() takes them
    /// "FILE" or "NAME=FILE": votes as read_votes() takes them, and label sets of experts.
    std::vector<std::string> votes, expert_labels;
};
/// Stores that are open are scored without the fields of the part "folders".
template <>
inline constexpr auto description<ScoreRunsOptions> = describe<ScoreRunsOptions>({
    field<&ScoreRunsOptions::subgroup>(
        {.help = "Also compute every metric for each value of this attribute of the data set",
         .empty = "none",
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
                 "ASMA against the true sets, with an interval for what the votes leave open. "
                 "NAME=FILE: of the data set NAME; repeatable",
         .value = "VOTES",
         .separator = "",
         .part = "folders"}),
    field<&ScoreRunsOptions::expert_labels>(
        {.help = "Label sets that experts gave images drawn at random "
                 "(docs/multilabel.md). They correct the values of --votes where annotators err "
                 "together. "
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
    std::vector<Measurement> ood;           ///< by pair, then model
    std::vector<PublishedValue> published;  ///< by table, then as the reports
    std::vector<ByVotes> by_votes;          ///< by data set, with `votes` only
    std::vector<std::string> warnings;      ///< of all stores, with the models' names
    std::vector<std::string> notes;  ///< which labels each data set gets, where some are given
    bool partial() const;            ///< some store is
};
/// Scores every store below the paths, one after the other. Progress counts items, `step` is the
/// data set and the model. Throws as score_store() and check() do; usage where no data set's name
/// matches, or the means would take one data set twice.
ScoreResult score_runs(const ScoreRunsOptions& options, Comm& comm,
                       const ProgressCallback& progress = {});

/// The same of stores that are open, in this order; `paths`, `across` and `ood` are not used.
ScoreResult score_stores(std::span<const PredictionStore* const> stores,
                         const ScoreRunsOptions& options, Comm& comm,
                         const ProgressCallback& progress = {});

/// So many confusions: all of them. A table for people shows the first 20.
inline constexpr std::size_t all_confusions = SIZE_MAX;

struct ScoreShown {
    bool per_class = false;
    std::size_t confusions = 0;
    bool reliability = false;
};
template <>
inline constexpr auto description<ScoreShown> = describe<ScoreShown>({
    field<&ScoreShown::per_class>({.help = "Show every class, the least accurate first (with "
                                           "--csv: instead of the metrics, in class order)"}),
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
/// What can be known to be wrong without a store: the measures, and what does not go with means.
/// Throws usage and bad_input.
void check(const ScoreRunsOptions& options, const ScoreShown& shown);

/// Models with their metrics, a table for each data set (or for each store, where a data set has
/// one or subgroups are asked for); stores of attacks on them, in a table of their own; JSON:
/// `assay.scores/2` of docs/formats.md. Classes are in the order of their accuracy, the lowest
/// first, and those without items are one line; programs get all in the order of the class list.
/// CSV: a line for each measurement or mean over data sets; with `per_class`, each class; with
/// `confusions`, each confusion; with `reliability`, each bin (one of the three).
Report report_of(const ScoreResult& result, const ScoreShown& shown = {});
/// `assay.scores/2`.
nlohmann::json to_json(const ScoreResult& result, const ScoreShown& shown = {});

}  // namespace assay
