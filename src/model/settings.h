// The settings of a model, key by key: what each must look like and which field of the ModelSpec it
// fills.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "assay/model/model_spec.h"

namespace assay {

/// One layer (a sidecar or the flags) checked: unknown keys, wrong types and values out of range
/// throw bad_input. Returned without nulls and without the keys of timm that say nothing about
/// evaluation; "label_names" and "label_descriptions" become "classes".
nlohmann::json checked_layer(const nlohmann::json& layer);

/// Writes a checked layer's values over those of `spec`. "preset" and "classes" are left to the
/// caller.
void apply_layer(const nlohmann::json& layer, ModelSpec& spec);

}  // namespace assay
