// Gates: conditions on measurements that a release must meet.
#pragma once

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
    std::optional<double> value;  ///< what was held against the bound
    bool passed = false;
    Estimate measured;           ///< whose value, or end of the interval, that is
    std::string definition;      ///< of what was measured
    std::string reason;          ///< why there is no value: an undefined value breaks its gate
    std::string model, dataset;  ///< whose value it is; of a pair: the candidate's
    std::string baseline;        ///< of a pair
};
/// Against all items' measurements. Throws usage: a gate about a difference; the metric measured by
/// another definition only.
GateResult check_gate(const Gate& gate, std::span<const Measurement> measurements);
/// A gate that passes on a store of an attack fails where the attack is in doubt: the number is an
/// upper bound of nothing that is known.
void fail_in_doubt(GateResult& result, const DerivedStore& derived);
bool all_passed(std::span<const GateResult> results);

nlohmann::json to_json(const GateResult& result);
/// What a report says of it.
GateOutcome outcome_of(const GateResult& result);

}  // namespace assay
