// A measured value with its definition, its data set and its model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/estimate.h"

namespace assay {

/// Names a result. Results with different `definition` are never compared silently.
struct MeasurementKey {
    std::string metric;      ///< "top1", "ece", ...
    std::string definition;  ///< id of the exact definition: "ece.l1.left_closed"
    std::map<std::string, std::string> parameters;  ///< such as k = 5, bins = 15
    std::string model;
    std::string dataset;
    std::string subgroup;  ///< "" for all items
    std::string cls;       ///< class id for per-class values, "" otherwise

    auto operator<=>(const MeasurementKey&) const = default;
};

/// The value that a perfectly calibrated classifier with the same probabilities would give: labels
/// are drawn from the probabilities.
struct CalibratedNull {
    double mean = 0;
    double p = 1;  ///< (1 + draws that reach the value) / (1 + draws)
    std::uint32_t draws = 0;
    bool operator==(const CalibratedNull&) const = default;
};

/// An estimate with the name of the measured quantity.
struct Measurement : Estimate {
    MeasurementKey key;
    std::uint64_t left_out = 0;  ///< items without a valid label, unreadable items, ... (see note)
    std::optional<CalibratedNull> calibrated_null;  ///< for calibration errors, on request
    bool higher_is_better = true;
};

nlohmann::json to_json(const Measurement&);

}  // namespace assay
