#include "assay/measurement.h"

#include <nlohmann/json.hpp>

namespace assay {

nlohmann::json to_json(const Measurement& m) {
    nlohmann::json json = {{"metric", m.key.metric}, {"definition", m.key.definition}};
    if (!m.key.parameters.empty()) json["parameters"] = m.key.parameters;
    if (!m.key.model.empty()) json["model"] = m.key.model;
    if (!m.key.dataset.empty()) json["dataset"] = m.key.dataset;
    if (!m.key.subgroup.empty()) json["subgroup"] = m.key.subgroup;
    if (!m.key.cls.empty()) json["class"] = m.key.cls;
    if (m.value) {
        json["value"] = *m.value;
    } else {
        json["value"] = nullptr;
        json["undefined"] = m.undefined;
    }
    json["n"] = m.n;
    json["left_out"] = m.left_out;
    if (m.interval) {
        json["interval"] = {{"low", m.interval->low},
                            {"high", m.interval->high},
                            {"level", m.interval->level},
                            {"method", m.interval->method}};
    }
    if (m.calibrated_null) {
        json["calibrated_null"] = {
            {"mean", m.calibrated_null->mean}, {"p", m.calibrated_null->p}, {"draws", m.calibrated_null->draws}};
    }
    if (!m.note.empty()) json["note"] = m.note;
    json["higher_is_better"] = m.higher_is_better;
    return json;
}

}  // namespace assay
