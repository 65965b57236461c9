// What `score` and `compare` are asked to measure, in the form in which people say it (names,
// numbers, files), and the one place that turns it into the options for a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/evaluate/gate.h"
#include "assay/metric/metric.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct ScoreOptions;

struct MeasureOptions {
    /// "top1", or lists with parameters: "top1,ece:bins=20,asma.jaccard". Empty: the defaults.
    std::vector<std::string> metrics;
    std::vector<int> k;  ///< the k of top-k where a request says none; empty: 1 and 5
    int bins = 0;        ///< of the calibration errors that say none; 0: each metric's own
    std::string edges;   ///< edge rule of the bins; "": each metric's own
    /// Numbers of labels that ASMA averages over where a request says none ("2", "3-5"). "present":
    /// every number that occurs; beside others, those of them that occur, where else a number that
    /// no image has leaves it undefined. Empty: 1-5.
    std::vector<std::string> subgroups;
    /// Valid classes for the metrics of label sets, instead of the data set's own labels: "FILE",
    /// for every data set whose images it is about, or "NAME=FILE", for the data set NAME (* and ?
    /// stand for any letters) alone. FILE is what read_label_sets() takes, or an ImageFolder.
    /// Metrics of single labels stay with the data set's own; where it has none, an image's only
    /// valid class stands in, and ids say so.
    std::vector<std::string> labels;
    /// The same where they are in memory already, one set an item of the store; `labels` is empty
    /// then.
    std::optional<LabelSets> label_sets;
    std::uint64_t unnamed = 0;  ///< items that the file of `label_sets` does not name
    std::string class_map;      ///< a built-in map's name, or a file; "": the model's own classes
    std::vector<std::string> gates;  ///< "low(top1) >= 0.75"
    Resampling resampling;
    std::uint32_t null_draws = 0;  ///< as in ScoreOptions
    int threads = 0;               ///< 0: one per core
};

/// What can be known to be wrong without a store. `differences`: gates may be about differences to
/// a baseline. Throws usage and bad_input: metrics, gates and class maps that are unknown (with the
/// nearest name), labels that are not there.
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
/// `options`: k, bins and edges.
DefaultMetrics default_metrics_for(const LabelCoverage& coverage, bool cues,
                                   const MeasureOptions& options = {});
/// Those that the options name, else the default ones; then those of the gates. Throws usage: as
/// check(), and subgroups for ASMA where it is not measured.
DefaultMetrics metrics_of(const MeasureOptions& options, const LabelCoverage& coverage, bool cues);

}  // namespace assay
