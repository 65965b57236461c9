// A measured value with its definition, its sample size and its uncertainty, or the reason why there is none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace assay {

/// Names a result. Results with different `definition` are never compared silently.
struct MeasurementKey {
    std::string metric;                             ///< "top1", "ece", ...
    std::string definition;                         ///< id of the exact definition: "ece.l1.left_closed"
    std::map<std::string, std::string> parameters;  ///< k = 5, bins = 15, ...
    std::string model;
    std::string dataset;
    std::string subgroup;  ///< "" for all items
    std::string cls;       ///< class id for per-class values, "" otherwise

    auto operator<=>(const MeasurementKey&) const = default;
};

struct Interval {
    double low = 0, high = 0;
    double level = 0.95;
    std::string method;  ///< "wilson", "bootstrap.percentile", ...
    bool operator==(const Interval&) const = default;
};

/// What a perfectly calibrated classifier with the same probabilities would show: labels drawn from the probabilities.
struct CalibratedNull {
    double mean = 0;
    double p = 1;  ///< (1 + draws that reach the value) / (1 + draws)
    std::uint32_t draws = 0;
    bool operator==(const CalibratedNull&) const = default;
};

/// Either `value` is set (finite), or `undefined` says why not. Never NaN, 0 or 999 as a stand-in.
struct Measurement {
    MeasurementKey key;
    std::optional<double> value;
    std::string undefined;
    std::uint64_t n = 0;         ///< items that entered; of an undefined value those that would have, where known
    std::uint64_t left_out = 0;  ///< items without a valid label, unreadable, ... (see note)
    std::optional<Interval> interval;
    std::optional<CalibratedNull> calibrated_null;  ///< calibration errors, on request
    std::string note;  ///< "", or what a reader must know (floor of ECE under perfect calibration, ...)
    bool higher_is_better = true;
};

nlohmann::json to_json(const Measurement&);

}  // namespace assay
