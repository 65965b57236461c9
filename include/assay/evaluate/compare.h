// Comparing stores of the same items, pair by pair on those items; and gates, conditions that a
// release must meet.
//
// A difference is candidate minus baseline. Pairing matters: two classifiers err on much the same
// images, so their difference is known far better than either value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/collective/comm.h"
#include "assay/estimate.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct CompareOptions {
    ScoreOptions score;              ///< labels are by the baseline's items; `subgroup` is not used
    std::size_t disagreements = 50;  ///< items listed for each pair
};

struct PairedMetric {
    Measurement baseline, candidate;  ///< over the common items
    std::optional<double> difference;
    std::string undefined;
    std::optional<Interval> interval;
    std::optional<McNemar> counts;  ///< accuracies only: b = only the baseline is right
    std::optional<double> p;        ///< two-sided, of no difference
    std::optional<double> p_holm;   ///< adjusted over the candidates, metric by metric
    std::string test;  ///< "mcnemar.exact", "paired.t", "jackknife.t", "bootstrap.normal"
};

/// An item that the two answer differently.
struct Disagreement {
    std::string id;
    std::vector<std::int32_t> labels;
    std::int32_t baseline = -1, candidate = -1;
    float baseline_confidence = 0, candidate_confidence = 0;
    bool baseline_right = false, candidate_right = false;
};

struct PairReport {
    /// Of the models; where several stores hold models of one name, with as much of the folder as
    /// tells them apart.
    std::string baseline, candidate;
    std::string dataset, candidate_dataset;  ///< the baseline's, and the candidate's
    std::uint64_t items = 0;                 ///< common, scored in both
    std::uint64_t only_baseline = 0;         ///< items that the candidate's store does not list
    std::uint64_t only_candidate = 0;
    std::uint64_t not_scored = 0;  ///< common, but unreadable or missing in one of them
    std::vector<PairedMetric> metrics;
    std::uint64_t same_answer = 0;  ///< of `items`
    std::uint64_t both_right = 0, both_wrong = 0, only_baseline_right = 0,
                  only_candidate_right = 0;   ///< of those with valid labels
    std::vector<Disagreement> disagreements;  ///< the larger confidence of the two first
    std::vector<std::string> warnings;
    ClassList classes;
};

/// The baseline against each candidate, whose classes are matched by their ids where both lists are
/// known. Throws bad_input: nothing in common, other classes.
std::vector<PairReport> compare_stores(const PredictionStore& baseline,
                                       std::span<const PredictionStore* const> candidates,
                                       const CompareOptions& options, Comm& comm);

nlohmann::json to_json(const PairReport& report);

/// "top1 >= 0.75", "ece:bins=20 <= 5%", "low(top1) >= 0.7", "top1.delta >= -0.005",
/// "high(nll.delta) < 0".
struct Gate {
    enum class End { value, low, high };
    enum class Op { at_least, at_most, above, below, equal };
    std::string text;
    MetricRequest metric;
    bool delta = false;    ///< the difference to a baseline
    End end = End::value;  ///< an end of the interval
    Op op = Op::at_least;
    double bound = 0;
};
/// Throws usage: what is wrong, and what is allowed; an unknown metric with the nearest name.
Gate parse_gate(std::string_view text);

struct GateResult {
    Gate gate;
    std::optional<double> value;
    bool passed = false;
    std::string reason;          ///< why there is no value: an undefined value breaks its gate
    std::string model, dataset;  ///< whose value it is; of a pair: the candidate's
    std::string baseline;        ///< of a pair
};
/// Against all items' measurements, or a pair's. Throws usage: a delta without a pair; the metric
/// measured by another definition only.
GateResult check_gate(const Gate& gate, std::span<const Measurement> measurements);
GateResult check_gate(const Gate& gate, const PairReport& pair);

nlohmann::json to_json(const GateResult& result);

}  // namespace assay
