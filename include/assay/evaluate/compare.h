// Compares stores of the same items, pair by pair on those items.
//
// A difference is candidate minus baseline. Pairing matters: two classifiers make errors on mostly
// the same images, so their difference is known far more precisely than either value.
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
#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/evaluate/gate.h"
#include "assay/evaluate/group_accuracy.h"
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/progress.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct Report;

struct CompareOptions {
    /// Labels are indexed by the baseline's items; `by` names attributes of the baseline's data
    /// set, and so does `weights`; `item_weights` are in the baseline's order. `subgroup` is not
    /// used, and `cluster` is not used by groups.
    ScoreOptions score;
    std::size_t disagreements = 50;  ///< items listed for each pair
    /// Pairs items by their ids although their images are known to differ: clean and corrupted
    /// images of one model.
    bool other_images = false;
};

/// The conclusion about the candidate if its test leaves no doubt about the sign of the difference.
enum class Verdict {
    none,           ///< there is no test, or neither direction is better (mean confidence)
    no_difference,  ///< p after Holm's correction is not below 1 - level
    better,
    worse,
};
/// Returns "", "no difference shown", "better" or "worse".
std::string_view name_of(Verdict);

struct PairedMetric {
    Measurement baseline, candidate;  ///< over the common items
    Estimate difference;              ///< candidate minus baseline, with the interval of the pairs
    std::optional<McNemar> counts;    ///< only for accuracies: b counts the items on which only the
                                      ///< baseline is correct
    std::optional<double> p;          ///< two-sided, for the hypothesis of no difference
    /// Adjusted per metric over the candidates; models and derived stores are adjusted separately.
    std::optional<double> p_holm;
    /// "mcnemar.exact", "paired.t", "jackknife.t", "bootstrap.normal", "jackknife.t.clusters",
    /// "influence.t" (images that do not count the same)
    std::string test;
    std::optional<std::uint64_t> clusters;  ///< of a group of images, with ScoreOptions::cluster
    Verdict verdict = Verdict::none;
};

/// Measures whether two classifiers (or a classifier and a person) make errors on the same items.
/// The value is Cohen's kappa of being correct, (observed - chance) / (1 - chance). Here chance is
/// the agreement that the two accuracies give if errors are independent. Source: Geirhos, Meding
/// and Wichmann 2020, "Beyond accuracy: quantifying trial-by-trial behaviour of CNNs and humans by
/// measuring error consistency". The value is 1 if they err on the same items and 0 if they agree
/// as often as by chance. It is below 0 if they err on different items. The interval uses the
/// delete-one jackknife over the items.
Estimate error_consistency(std::uint64_t both_correct, std::uint64_t only_baseline,
                           std::uint64_t only_candidate, std::uint64_t both_incorrect,
                           double level = 0.95);

/// An item for which the two models predict different classes.
struct Disagreement {
    std::string id;
    std::vector<std::int32_t> labels;
    std::int32_t baseline = -1, candidate = -1;
    float baseline_confidence = 0, candidate_confidence = 0;
    bool baseline_correct = false, candidate_correct = false;
};

/// One accuracy of two models, by groups of images.
struct ComparedByGroup {
    std::vector<std::string> by;  ///< the requested attributes: {"sex,camera", "hospital"}
    std::string metric;           ///< "top1", "real"
    /// The lowest true difference of any candidate group (candidate minus baseline). The value is
    /// the lowest observed one without the part that is due to choosing the lowest. `n` counts the
    /// images in any candidate group.
    Estimate worst;
    std::optional<double> observed;  ///< the lowest observed difference
    std::string observed_group;      ///< the group with the lowest observed difference
    std::uint64_t candidates = 0;    ///< groups that are large enough to compare
    std::uint64_t too_small = 0;     ///< groups with too few images to compare
    std::uint64_t without = 0;       ///< images that count but are in no group
    /// Images that count but lack a value, for each attribute that some images lack.
    std::vector<WithoutValue> without_value;
    /// In the order of `by`, then of the values. The measurements' key.subgroup is the name. The
    /// intervals are simultaneous over all differences. p_holm is adjusted over the groups of all
    /// candidates.
    std::vector<PairedMetric> groups;
};

struct PairReport {
    /// Names of the models. If several stores have models with the same name, each name includes as
    /// much of the folder as is needed to distinguish them.
    std::string baseline, candidate;
    std::string dataset, candidate_dataset;  ///< the baseline's data set, and the candidate's
    DerivedStore candidate_derived;          ///< attack or corruption of the candidate's images
    std::uint64_t items = 0;                 ///< common items that are scored in both stores
    std::uint64_t only_baseline = 0;         ///< items that the candidate's store does not list
    std::uint64_t only_candidate = 0;
    std::uint64_t not_scored = 0;  ///< common items that are unreadable or missing in one of the
                                   ///< stores
    std::vector<PairedMetric> metrics;
    std::vector<ComparedByGroup> groups;  ///< accuracy by group (`by`): top1, real, or both
    std::uint64_t same_prediction = 0;    ///< number of such `items`
    std::uint64_t both_correct = 0, both_incorrect = 0, only_baseline_correct = 0,
                  only_candidate_correct = 0;  ///< over the items with valid labels
    /// between the two models, over the items with valid labels
    Estimate error_consistency;
    /// sorted by the larger confidence of the two, highest first
    std::vector<Disagreement> disagreements;
    std::vector<std::string> notes;  ///< as in ScoreReport
    std::vector<std::string> warnings;
    ClassList classes;
};

/// Compares the baseline with each candidate. Classes are matched by their ids if both lists are
/// known. Throws bad_input if the stores have no item in common or have different classes. Also
/// throws bad_input if items have different image bytes in the records of the two stores and the
/// options do not allow this.
std::vector<PairReport> compare_stores(const PredictionStore& baseline,
                                       std::span<const PredictionStore* const> candidates,
                                       const CompareOptions& options, Comm& comm,
                                       const ProgressCallback& progress = {});

nlohmann::json to_json(const PairReport& report);

/// A gate on a group is `top1[sex=f].delta >= -0.01`. One on the lowest difference of all groups is
/// `worst(top1).delta >= -0.01`. Throws usage if the metric was measured only by another
/// definition, or not by group.
GateResult check_gate(const Gate& gate, const PairReport& pair);

struct CompareRunsOptions {
    std::filesystem::path baseline;  ///< one store
    /// Stores, or folders of stores. The baseline is skipped if it is among them, and stores of
    /// attacks come after the models.
    std::vector<std::filesystem::path> candidates;
    MeasureOptions measure;
    std::size_t disagreements = 10;
    bool other_images = false;
    std::vector<std::string> by;
    std::string weights;  ///< an attribute of the baseline's data set
    /// In its place: a number from 0 for each item of the baseline.
    std::vector<double> item_weights;
};
template <>
inline constexpr auto description<CompareRunsOptions> = describe<CompareRunsOptions>({
    field<&CompareRunsOptions::other_images>(
        {.help = "Pair items by id even if their images differ, as for clean and corrupted images "
                 "(otherwise an error)"}),
    field<&CompareRunsOptions::disagreements>({.help = "Items listed for each pair"}),
    field<&CompareRunsOptions::by>(
        {.help = "Also compare top1 and real in each group of images with one value of this "
                 "attribute, and show the lowest difference. The names sex,camera stand for each "
                 "combination of values; repeatable",
         .empty = "none",
         .value = "ATTR",
         .separator = ""}),
    field<&CompareRunsOptions::weights>(
        {.help = "Let each image count as much as this attribute of the baseline's data set says, "
                 "a number from 0, as `score --weights` does",
         .empty = "images count the same",
         .value = "ATTR"}),
});
struct CompareResult {
    std::vector<PairReport> pairs;  ///< in the order of the candidates
    std::vector<GateResult> gates;
    std::vector<std::string> warnings;  ///< warnings of all pairs
    std::vector<std::string> notes;     ///< the labels used for the baseline's data set
    bool partial() const;               ///< true if a common item is not scored in both stores
};
/// Progress counts the items of both sides; `step` is the candidate. Throws as compare_stores() and
/// check() do; usage if the baseline's path contains several stores or no candidate remains.
CompareResult compare_runs(const CompareRunsOptions& options, Comm& comm,
                           const ProgressCallback& progress = {});
/// The same for open stores; the paths in the options are not used.
CompareResult compare_opened(const PredictionStore& baseline,
                             std::span<const PredictionStore* const> candidates,
                             const CompareRunsOptions& options, Comm& comm,
                             const ProgressCallback& progress = {});
/// Checks the options as far as this is possible without a store. Throws usage and bad_input.
void check(const CompareRunsOptions& options);

/// The report has a table of metrics and a table of disagreements per pair. JSON:
/// `assay.comparisons/2` in docs/formats.md. The CSV has a line for each metric of each pair.
Report report_of(const CompareResult& result);
/// `assay.comparisons/2`.
nlohmann::json to_json(const CompareResult& result);

}  // namespace assay
