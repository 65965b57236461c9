// Comparing stores of the same items, pair by pair on those items.
//
// A difference is candidate minus baseline. Pairing matters: two classifiers err on much the same
// images, so their difference is known far better than either value.
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
#include "assay/evaluate/measure_options.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/progress.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct Report;

struct CompareOptions {
    ScoreOptions score;              ///< labels are by the baseline's items; `subgroup` is not used
    std::size_t disagreements = 50;  ///< items listed for each pair
    /// Items are paired by their ids although their images are known to be others: clean against
    /// corrupted ones of one model.
    bool other_images = false;
};

/// What a difference says of the candidate, where its test leaves no doubt about the sign.
enum class Verdict {
    none,  ///< without a test, or where neither direction is better by itself (mean confidence)
    no_difference,  ///< none is shown: p after Holm's correction is not below 1 - level
    better,
    worse,
};
/// "", "no difference shown", "better", "worse".
std::string_view name_of(Verdict);

struct PairedMetric {
    Measurement baseline, candidate;  ///< over the common items
    Estimate difference;              ///< candidate minus baseline, with the interval of the pairs
    std::optional<McNemar> counts;    ///< accuracies only: b = only the baseline is correct
    std::optional<double> p;          ///< two-sided, of no difference
    /// Adjusted metric by metric over the candidates: models and derived stores by themselves.
    std::optional<double> p_holm;
    std::string test;  ///< "mcnemar.exact", "paired.t", "jackknife.t", "bootstrap.normal"
    Verdict verdict = Verdict::none;
};

/// Whether two classifiers (or a classifier and a person) err on the same items: Cohen's kappa of
/// being correct, (observed - chance) / (1 - chance), where chance is what two accuracies give if
/// errors fall independently (Geirhos, Meding and Wichmann 2020, "Beyond accuracy: quantifying
/// trial-by-trial behaviour of CNNs and humans by measuring error consistency"). 1: on the same;
/// 0: as by chance; below 0: on different ones. Interval: delete-one jackknife over the items.
Estimate error_consistency(std::uint64_t both_correct, std::uint64_t only_baseline,
                           std::uint64_t only_candidate, std::uint64_t both_incorrect,
                           double level = 0.95);

/// An item for which the two predict different classes.
struct Disagreement {
    std::string id;
    std::vector<std::int32_t> labels;
    std::int32_t baseline = -1, candidate = -1;
    float baseline_confidence = 0, candidate_confidence = 0;
    bool baseline_correct = false, candidate_correct = false;
};

struct PairReport {
    /// Of the models; where several stores hold models of one name, with as much of the folder as
    /// tells them apart.
    std::string baseline, candidate;
    std::string dataset, candidate_dataset;  ///< the baseline's, and the candidate's
    DerivedStore candidate_derived;          ///< by an attack or a corruption
    std::uint64_t items = 0;                 ///< common, scored in both
    std::uint64_t only_baseline = 0;         ///< items that the candidate's store does not list
    std::uint64_t only_candidate = 0;
    std::uint64_t not_scored = 0;  ///< common, but unreadable or missing in one of them
    std::vector<PairedMetric> metrics;
    std::uint64_t same_prediction = 0;  ///< of `items`
    std::uint64_t both_correct = 0, both_incorrect = 0, only_baseline_correct = 0,
                  only_candidate_correct = 0;  ///< of those with valid labels
    Estimate error_consistency;                ///< of the two, over those with valid labels
    std::vector<Disagreement> disagreements;   ///< the larger confidence of the two first
    std::vector<std::string> notes;            ///< as in ScoreReport
    std::vector<std::string> warnings;
    ClassList classes;
};

/// The baseline against each candidate, whose classes are matched by their ids where both lists are
/// known. Throws bad_input: nothing in common, other classes; items whose images, by the records of
/// both stores, have other bytes, unless the options allow them.
std::vector<PairReport> compare_stores(const PredictionStore& baseline,
                                       std::span<const PredictionStore* const> candidates,
                                       const CompareOptions& options, Comm& comm,
                                       const ProgressCallback& progress = {});

nlohmann::json to_json(const PairReport& report);

/// Throws usage: the metric measured by another definition only.
GateResult check_gate(const Gate& gate, const PairReport& pair);

struct CompareRunsOptions {
    std::filesystem::path baseline;  ///< one store
    /// Stores, or folders of them; the baseline among them is left out, and stores of attacks in
    /// them come after the models.
    std::vector<std::filesystem::path> candidates;
    MeasureOptions measure;
    std::size_t disagreements = 10;
    bool other_images = false;
};
template <>
inline constexpr auto description<CompareRunsOptions> = describe<CompareRunsOptions>({
    field<&CompareRunsOptions::other_images>(
        {.help = "Pair items by id even if their images differ, as for clean and corrupted images "
                 "(otherwise an error)"}),
    field<&CompareRunsOptions::disagreements>({.help = "Items listed for each pair"}),
});
struct CompareResult {
    std::vector<PairReport> pairs;  ///< in the order of the candidates
    std::vector<GateResult> gates;
    std::vector<std::string> warnings;  ///< of all pairs
    std::vector<std::string> notes;     ///< which labels the baseline's data set gets
    bool partial() const;               ///< a common item is not scored in both
};
/// Progress counts the items of both sides, `step` is the candidate. Throws as compare_stores() and
/// check() do; usage: the baseline's path holds several stores, no candidate besides it.
CompareResult compare_runs(const CompareRunsOptions& options, Comm& comm,
                           const ProgressCallback& progress = {});
/// The same of stores that are open: the options' paths are not used.
CompareResult compare_opened(const PredictionStore& baseline,
                             std::span<const PredictionStore* const> candidates,
                             const CompareRunsOptions& options, Comm& comm,
                             const ProgressCallback& progress = {});
/// What can be known to be wrong without a store. Throws usage and bad_input.
void check(const CompareRunsOptions& options);

/// A table of metrics and one of disagreements for each pair; JSON: `assay.comparisons/2` of
/// docs/formats.md. CSV: a line for each metric of each pair.
Report report_of(const CompareResult& result);
/// `assay.comparisons/2`.
nlohmann::json to_json(const CompareResult& result);

}  // namespace assay
