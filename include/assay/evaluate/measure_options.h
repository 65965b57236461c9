// What `score` and `compare` are asked to measure, in the form in which people say it (names,
// numbers, files), and the one place that turns it into the options for a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/data/soft_labels.h"
#include "assay/describe.h"
#include "assay/evaluate/gate.h"
#include "assay/metric/metric.h"
#include "assay/plugin_files.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct ScoreOptions;

struct MeasureOptions {
    /// As load_metrics() takes them: their metrics may be named, and are measured if none is named.
    PluginFiles plugins = {};
    std::vector<std::string> metrics;
    std::vector<int> k;
    int bins = 0;
    std::string edges;
    /// Numbers of labels that ASMA averages over where a request says none ("2", "3-5").
    std::vector<std::string> subgroups;
    /// "FILE", or "NAME=FILE" with * and ? in NAME for any letters. FILE is what read_label_sets()
    /// takes, or an ImageFolder. Metrics of single labels stay with the data set's own; where it
    /// has none, an image's only valid class stands in, and ids say so.
    std::vector<std::string> labels;
    /// The same where they are in memory already, one set an item of the store; `labels` is empty
    /// then.
    std::optional<LabelSets> label_sets;
    std::uint64_t unnamed = 0;  ///< items that the file of `label_sets` does not name
    /// Files of `labels` may be soft labels, rows of probabilities. Where they are in memory
    /// already, one row an item of the store:
    std::shared_ptr<const SoftLabels> soft_labels;
    /// Of the tables among `labels`; "": found out by the names of the columns.
    std::string label_column, image_column;
    bool label_votes = false;  ///< `labels` are rows of counts, which become soft labels
    std::string hierarchy;     ///< as hierarchy_named() takes it
    bool ordinal = false;      ///< the classes are in an order, by default that of the class list
    std::filesystem::path class_order;  ///< a class list in their order; means `ordinal`, too
    /// "NAME=VALUE", a probability each, for the metrics of sigmoids; the NAME * means all others.
    std::vector<std::string> thresholds;
    std::filesystem::path threshold_file;  ///< as read_thresholds() takes it
    std::string class_map;
    std::vector<std::string> gates;
    Resampling resampling;
    std::uint32_t null_draws = 0;
    int threads = 0;
};

/// Of the struct in assay/metric/metric.h, for whom measures.
template <>
inline constexpr auto description<Resampling> = describe<Resampling>({
    field<&Resampling::replicates>({.help = "Bootstrap replicates; 0: jackknife",
                                    .name = "bootstrap"}),
    field<&Resampling::seed>({.help = "Seed of the bootstrap and of --null"}),
    field<&Resampling::level>(
        {.help = "Confidence level of the intervals", .min = .5, .max = .9999}),
});

/// Batches of scores are measured without the fields of the parts "stores" and "gates".
template <>
inline constexpr auto description<MeasureOptions> = describe<MeasureOptions>({
    field<&MeasureOptions::metrics>(
        {.help = "Metrics, comma-separated, with parameters: top1,ece:bins=20,asma.jaccard; "
                 "repeatable",
         .empty = "all; those of label sets only if images have several labels",
         .value = "METRICS",
         .separator = ""}),
    field<&MeasureOptions::labels>(
        {.help = "Valid classes of each image, for ReaL, ASMA and similar metrics (ReaL's json, "
                 "csv, txt, "
                 "npy, or an ImageFolder). FILE goes to every data set whose images it names, "
                 "NAME=FILE to the data set NAME; repeatable. Single-label metrics still use the "
                 "data set's own labels. Rows of probabilities that sum to 1 are soft labels",
         .empty = "the data set's own",
         .value = "LABELS",
         .separator = "",
         .part = "stores"}),
    field<&MeasureOptions::label_column>(
        {.help = "The column of --labels FILE that holds the labels: its name, or its number from "
                 "1 if the table has no header",
         .empty = "found by its name",
         .value = "NAME",
         .part = "stores"}),
    field<&MeasureOptions::image_column>(
        {.help = "The column of --labels FILE that names the images: its name or number",
         .empty = "found by its name",
         .value = "NAME",
         .part = "stores"}),
    field<&MeasureOptions::label_votes>(
        {.help = "Rows of --labels are counts of votes, a column per class: each row divided by "
                 "its sum is a soft label",
         .part = "stores"}),
    field<&MeasureOptions::hierarchy>(
        {.help = "Hierarchy of the classes, for accuracy by level and severity of mistakes: "
                 "`imagenet`, or a file (csv with child and parent, wordnet.is_a.txt, data.noun, "
                 "JSON tree)",
         .empty = "none",
         .value = "HIERARCHY",
         .part = "stores"}),
    field<&MeasureOptions::ordinal>(
        {.help = "Treat the classes as grades, in the order of the class list: mean absolute "
                 "error, quadratic weighted kappa and accuracy within one grade",
         .part = "stores"}),
    field<&MeasureOptions::class_order>(
        {.help = "A list of the classes from the lowest to the highest grade; means --ordinal",
         .empty = "the class list",
         .value = "FILE",
         .part = "stores"}),
    field<&MeasureOptions::thresholds>(
        {.help = "The threshold of a class, between 0 and 1, for the metrics of sigmoids "
                 "(multilabel_f1, exact_match, ...); repeatable. `*=VALUE` sets all classes that "
                 "are not named",
         .empty = "the threshold of each metric",
         .value = "NAME=VALUE",
         .option = "threshold",
         .separator = "",
         .part = "stores"}),
    field<&MeasureOptions::threshold_file>(
        {.help = "The threshold of each class, between 0 and 1, for the metrics of sigmoids "
                 "(multilabel_f1, exact_match, ...): csv with class and threshold, or JSON. "
                 "--threshold takes precedence",
         .empty = "the threshold of each metric",
         .value = "FILE",
         .part = "stores"}),
    field<&MeasureOptions::class_map>(
        {.help = "Evaluate on another set of classes: a map of `assay list maps`, or a file: a "
                 "list of classes, or JSON",
         .empty = "the model's own",
         .value = "MAP",
         .also = "--classes-map",
         .part = "stores"}),
    field<&MeasureOptions::bins>(
        {.help = "Bins of the calibration errors", .min = 1, .max = 100, .empty = "15"}),
    field<&MeasureOptions::edges>({.help = "Edge rule of ece",
                                   .empty = "each metric's own",
                                   .value = "{left_closed,left_closed_merged,right_closed}"}),
    field<&MeasureOptions::k>({.help = "The k of top-k; several values are allowed",
                               .min = 1,
                               .max = 100,
                               .empty = "1 5"}),
    field<&MeasureOptions::subgroups>(
        {.help = "Numbers of labels per image that asma averages over: 2,3,4,6,9; `present`, every "
                 "number that occurs; `1-9,present`, skip those that do not occur. Otherwise a "
                 "number without images leaves asma undefined",
         .empty = "1-5",
         .value = "LIST"}),
    field<&MeasureOptions::null_draws>(
        {.help = "Draw labels N times from the probabilities (200 is usual) to show ece and ace of "
                 "a calibrated model",
         .min = 0,
         .max = 10'000,
         .empty = "none",
         .name = "null",
         .part = "stores"}),
    field<&MeasureOptions::threads>(
        {.help = "Threads", .min = 0, .empty = "one per core", .also = "-j"}),
    field<&MeasureOptions::gates>(
        {.help =
             "A condition to meet, e.g. \"top1 >= 0.75\", \"low(top1) >= 70%\"; repeatable. "
             "Exit status: 1 if the gate fails, 2 if its bound is outside the range of the metric",
         .value = "CONDITION",
         .option = "gate",
         .separator = "",
         .part = "gates"}),
});

/// What can be known to be wrong without a store. Opens the plug-ins. `differences`: gates may be
/// about differences to a baseline. Throws usage and bad_input: metrics, gates and class maps that
/// are unknown (with the nearest name), labels that are not there.
void check(const MeasureOptions& options, bool differences);

/// The bins of a report's reliability: those of `ece` with the options' number and edge rule.
MetricRequest reliability_of(const MeasureOptions& options);

/// In the order given. Throws as check().
std::vector<Gate> gates_of(const MeasureOptions& options);

/// For one store, for whose items and classes the labels and the class map are read. Throws usage
/// and bad_input: as check(), and subgroups for ASMA where it is not measured.
ScoreOptions resolve(const MeasureOptions& options, const PredictionStore& store);

/// What the labels of a data set can be used for.
struct LabelCoverage {
    std::uint64_t labelled = 0;  ///< items with a label, single or in a set
    std::uint64_t single = 0;    ///< of these: with a single label
    bool several = false;        ///< some item has several valid classes
    bool two_classes = false;    ///< of the scores: class 1 is the positive class

    /// One more item.
    void add(std::int32_t target, std::span<const std::int32_t> set) {
        single += target >= 0 ? 1 : 0;
        labelled += target >= 0 || !set.empty() ? 1 : 0;
        several = several || set.size() > 1;
    }
};
/// `targets`: the single label of each item, -1: none; `sets`: its valid classes.
LabelCoverage coverage_of(std::span<const std::int32_t> targets, const LabelSets& sets);

struct DefaultMetrics {
    std::vector<MetricRequest> metrics;
    /// Names what is left out because too few items have a single label (is_sliver()); "": nothing.
    std::string left_out;
};
/// The metrics that are measured where none is named: all that are shown by default, those of label
/// sets only where some set has several members, those of single labels only where more than a
/// sliver of the items has one (or no set has several), shape bias only where `cues` (has_cues()).
/// Of two classes: AUROC and F1 of the positive class, too, and no top-k with k > 1, which would
/// always be 1.
/// `options`: k, bins and edges; then all of the plug-ins.
/// `given`: Needs that are given beside labels, of which the metrics follow.
DefaultMetrics default_metrics_for(const LabelCoverage& coverage, bool cues, unsigned given = 0,
                                   const MeasureOptions& options = {});
/// Those that the options name, else the default ones; then those of the gates. Throws usage: as
/// check(), and subgroups for ASMA where it is not measured.
DefaultMetrics metrics_of(const MeasureOptions& options, const LabelCoverage& coverage, bool cues,
                          unsigned given = 0);

}  // namespace assay
