// Gates: conditions that measurements must meet for a release.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "assay/metric/measurement.h"
#include "assay/metric/metric.h"
#include "assay/report.h"
#include "assay/robustness/derived_store.h"

namespace assay {

class PredictionStore;

/// Of two classes: the sensitivity (or specificity) at the threshold with at least this specificity
/// (or sensitivity). The threshold is chosen on one half of the images and tested on the other.
struct RateAt {
    bool sensitivity = true;  ///< which rate is measured; the other one is fixed
    double fixed = 0.95;
    std::string positive;  ///< id or name of the positive class; "": class 1
    /// "sensitivity@specificity=0.95".
    std::string name() const;
    bool operator==(const RateAt&) const = default;
};

/// Examples: "top1 >= 0.75", "ece:bins=20 <= 5%", "low(top1) >= 0.7", "top1.delta >= -0.005",
/// "high(nll.delta) < 0", "sensitivity@specificity=.95 >= .8". With groups of images
/// (ScoreRunsOptions::by): "worst(top1) >= 0.7", "low(worst(top1)) >= 0.6", "top1[sex=f] >= 0.7".
struct Gate {
    enum class End { value, low, high };
    enum class Op { at_least, at_most, above, below, equal };
    std::string text;
    MetricRequest metric;
    std::optional<RateAt> rate;  ///< in this case there is no metric
    bool delta = false;          ///< true for the difference to a baseline
    bool worst = false;          ///< the metric of the worst group
    std::string group;           ///< the metric of this group: "sex=f,camera=2"; "": of all items
    End end = End::value;        ///< an end of the interval
    Op op = Op::at_least;
    double bound = 0;
};
/// Throws usage with the problem and what is allowed; for an unknown metric, with the nearest name.
Gate parse_gate(std::string_view text);

/// Where a RateAt was measured.
struct GatePoint {
    std::string positive;                                       ///< id of the positive class
    std::optional<double> threshold, log_odds;                  ///< as in decisions::OperatingPoint
    std::uint64_t chosen_on = 0, positives = 0, negatives = 0;  ///< images; of the tested ones
    Estimate sensitivity, specificity;                          ///< on the tested ones
};
struct GateResult {
    Gate gate;
    std::optional<double> value;  ///< the number that was compared with the bound
    bool passed = false;
    Estimate measured;               ///< the estimate with that value or end of its interval
    std::string definition;          ///< definition of the measured metric
    std::string reason;              ///< reason for a missing value; its gate fails
    std::string model, dataset;      ///< the model and data set of the value; for a pair, the
                                     ///< candidate's
    std::string baseline;            ///< of a pair
    std::optional<GatePoint> point;  ///< with Gate::rate
};
/// Checks the gate against the measurements of all items or of groups. Throws usage for a gate
/// about a difference, or about groups if none are measured. Also throws usage for an unknown
/// group, with the nearest name, and if the metric was measured only by another definition.
GateResult check_gate(const Gate& gate, std::span<const Measurement> measurements);
/// Checks a gate with a rate at a threshold, in a pass over the store. Throws bad_input for another
/// number of classes than two, an unknown positive class, a store without all scores, and a half
/// without a positive or a negative image. The same bits for any number of threads.
GateResult check_rate_gate(const Gate& gate, const PredictionStore& store, double level,
                           int threads);
/// Makes a gate that passes on a store of an attack fail if the attack is in doubt. The number is
/// then no reliable bound.
void fail_in_doubt(GateResult& result, const DerivedStore& derived);
bool all_passed(std::span<const GateResult> results);

nlohmann::json to_json(const GateResult& result);
/// The outcome for a report.
GateOutcome outcome_of(const GateResult& result);

}  // namespace assay
