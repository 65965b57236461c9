#include "assay/metric/measurement.h"

#include <nlohmann/json.hpp>

namespace assay {

nlohmann::json to_json(const Measurement& m) {
    nlohmann::json json = to_json(static_cast<const Estimate&>(m));
    json["metric"] = m.key.metric;
    json["definition"] = m.key.definition;
    if (!m.key.parameters.empty()) json["parameters"] = m.key.parameters;
    if (!m.key.model.empty()) json["model"] = m.key.model;
    if (!m.key.dataset.empty()) json["dataset"] = m.key.dataset;
    if (!m.key.subgroup.empty()) json["subgroup"] = m.key.subgroup;
    if (!m.key.cls.empty()) json["class"] = m.key.cls;
    json["left_out"] = m.left_out;
    if (m.calibrated_null) {
        json["calibrated_null"] = {{"mean", m.calibrated_null->mean},
                                   {"p", m.calibrated_null->p},
                                   {"draws", m.calibrated_null->draws}};
    }
    json["higher_is_better"] = m.higher_is_better;
    return json;
}

}  // namespace assay
