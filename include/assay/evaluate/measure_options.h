// The options of `score` and `compare` as users write them: names, numbers, files. Only this
// component converts them into the options for a store.
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
    /// Plug-ins as load_metrics() accepts them. Their metrics may be named, and are measured if no
    /// metric is named.
    PluginFiles plugins = {};
    std::vector<std::string> metrics;
    std::vector<int> k;
    int bins = 0;
    std::string edges;
    /// Numbers of labels that ASMA averages over if a request names none ("2", "3-5").
    std::vector<std::string> subgroups;
    /// "FILE", or "NAME=FILE" where * and ? in NAME match any letters. FILE is an input of
    /// read_label_sets(), or an ImageFolder. Metrics of single labels continue to use the data
    /// set's own labels. If it has none, they use an image's only valid class, and their ids say
    /// so.
    std::vector<std::string> labels;
    /// The label sets if they are already in memory, one set per item of the store; `labels` is
    /// then empty.
    std::optional<LabelSets> label_sets;
    std::uint64_t unnamed = 0;  ///< items that are not named in the file of `label_sets`
    /// Files of `labels` may contain soft labels, which are rows of probabilities. If they are
    /// already in memory, they are here, one row per item of the store.
    std::shared_ptr<const SoftLabels> soft_labels;
    /// Columns of the tables among `labels`; if "", they are determined from the column names.
    std::string label_column, image_column;
    bool label_votes = false;  ///< `labels` are rows of counts, which become soft labels
    std::string hierarchy;     ///< an input of hierarchy_named()
    bool ordinal = false;      ///< the classes are in an order, by default that of the class list
    std::filesystem::path class_order;  ///< a class list in their order; it implies `ordinal`
    /// "NAME=VALUE", one probability per class, for the metrics of sigmoids; the NAME * means all
    /// others.
    std::vector<std::string> thresholds;
    std::filesystem::path threshold_file;  ///< an input of read_thresholds()
    std::string class_map;
    std::string cluster;  ///< attribute; "": images are independent
    std::vector<std::string> gates;
    Resampling resampling;
    std::uint32_t null_draws = 0;
    int threads = 0;
};

/// Descriptions for the struct in assay/metric/metric.h, for code that measures.
template <>
inline constexpr auto description<Resampling> = describe<Resampling>({
    field<&Resampling::replicates>({.help = "Bootstrap replicates; 0: jackknife",
                                    .name = "bootstrap"}),
    field<&Resampling::seed>({.help = "Seed of the bootstrap and of --null"}),
    field<&Resampling::level>(
        {.help = "Confidence level of the intervals", .min = .5, .max = .9999}),
});

/// For batches of scores, the fields of the parts "stores" and "gates" are not used.
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
    field<&MeasureOptions::cluster>(
        {.help = "Images with one value of this attribute of the data set (one patient, one scene) "
                 "are not independent: intervals and tests count each value once",
         .empty = "images are independent",
         .value = "ATTR",
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

/// Checks what can be known to be wrong without a store. Opens the plug-ins. `differences` allows
/// gates about differences to a baseline. Throws usage and bad_input: unknown metrics, gates and
/// class maps (with the nearest name), and missing labels.
void check(const MeasureOptions& options, bool differences);

/// The bins of a report's reliability: those of `ece` with the options' number and edge rule.
MetricRequest reliability_of(const MeasureOptions& options);

/// Returns the gates in the given order. Throws as check() does.
std::vector<Gate> gates_of(const MeasureOptions& options);

/// Resolves the options for one store, whose items and classes determine how the labels and the
/// class map are read. Throws usage and bad_input as check() does, and if subgroups for ASMA are
/// given but ASMA is not measured.
ScoreOptions resolve(const MeasureOptions& options, const PredictionStore& store);

/// The measurements that the labels of a data set allow.
struct LabelCoverage {
    std::uint64_t labelled = 0;  ///< items with a label, either single or in a set
    std::uint64_t single = 0;    ///< items among these with a single label
    bool several = false;        ///< some item has several valid classes
    bool two_classes = false;    ///< the scores have two classes: class 1 is the positive class

    /// One more item.
    void add(std::int32_t target, std::span<const std::int32_t> set) {
        single += target >= 0 ? 1 : 0;
        labelled += target >= 0 || !set.empty() ? 1 : 0;
        several = several || set.size() > 1;
    }
};
/// `targets` is the single label of each item, or -1 for none; `sets` are its valid classes.
LabelCoverage coverage_of(std::span<const std::int32_t> targets, const LabelSets& sets);

struct DefaultMetrics {
    std::vector<MetricRequest> metrics;
    /// Names the metrics that are skipped because too few items have a single label (is_sliver());
    /// "" if none.
    std::string left_out;
};
/// Returns the metrics that are measured if none is named: all default metrics, with three
/// conditions. Metrics of label sets need a set with several members. Metrics of single labels need
/// a single label for more than a sliver of the items, unless no set has several members. Shape
/// bias needs `cues` (has_cues()). With two classes, also AUROC and F1 of the positive class, and
/// no top-k with k > 1, which would always be 1. `options` gives k, bins and edges, and then all
/// metrics of the plug-ins. `given` are Needs that are available in addition to labels, and that
/// enable further metrics.
DefaultMetrics default_metrics_for(const LabelCoverage& coverage, bool cues, unsigned given = 0,
                                   const MeasureOptions& options = {});
/// Returns the metrics that the options name, otherwise the default ones, followed by those of the
/// gates. Throws usage as check() does, and if subgroups for ASMA are given but ASMA is not
/// measured.
DefaultMetrics metrics_of(const MeasureOptions& options, const LabelCoverage& coverage, bool cues,
                          unsigned given = 0);

}  // namespace assay
