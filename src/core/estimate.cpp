#include "assay/estimate.h"

#include <nlohmann/json.hpp>

namespace assay {

std::string_view name_of(Unit unit) {
    switch (unit) {
        case Unit::number:
            return "number";
        case Unit::proportion:
            return "proportion";
        case Unit::nats:
            return "nats";
        case Unit::rank:
            return "rank";
    }
    return "number";
}

double half_width(const Estimate& estimate) {
    return estimate.interval ? (estimate.interval->high - estimate.interval->low) / 2 : 0;
}

nlohmann::json to_json(const Interval& interval) {
    return {{"low", interval.low},
            {"high", interval.high},
            {"level", interval.level},
            {"method", interval.method}};
}

nlohmann::json to_json(const Estimate& estimate) {
    nlohmann::json out = nlohmann::json::object();
    if (estimate.value) {
        out["value"] = *estimate.value;
    } else {
        out["value"] = nullptr;
        out["undefined"] = estimate.undefined;
    }
    if (estimate.unit != Unit::number) out["unit"] = name_of(estimate.unit);
    out["n"] = estimate.n;
    if (estimate.interval) out["interval"] = to_json(*estimate.interval);
    if (estimate.standard_error) out["standard_error"] = *estimate.standard_error;
    if (!estimate.note.empty()) out["note"] = estimate.note;
    return out;
}

}  // namespace assay
