// What the record of scores that code makes out of a model's own (LoadedModel::scored_by) says
// about the model.
#pragma once

#include <nlohmann/json.hpp>

#include "assay/model/model_spec.h"

namespace assay {

/// Adds the settings of a model that change its scores: the preprocessing and, if they are set, the
/// layout and type of its input and its output. Absent ones are not recorded, so that stores of
/// earlier versions have the same definition.
inline void add_scoring_settings(const ModelSpec& spec, nlohmann::json& made) {
    made["preprocess"] = to_json(spec.preprocess);
    const nlohmann::json all = to_json(spec);
    if (spec.layout) made["layout"] = all["layout"];
    if (spec.input_type) made["input_type"] = all["input_type"];
    if (!spec.output.empty()) made["output"] = spec.output;
}

}  // namespace assay
