// The settings of a model, key by key: what each must look like and which field of the ModelSpec it
// fills.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "assay/model/model_spec.h"

namespace assay {

/// The keys of a layer that say nothing about evaluation.
struct PassedOver {
    /// Unknown keys, too: the file is another program's, and not every key of it can be known.
    bool any = false;
    std::vector<std::string> keys;
};

/// One layer (a sidecar or the flags) checked: unknown keys, wrong types and values out of range
/// throw bad_input. Returned without nulls and without the keys of timm that say nothing about
/// evaluation (they go to `passed_over`); "label_names" and "label_descriptions" become "classes".
nlohmann::json checked_layer(const nlohmann::json& layer, PassedOver* passed_over = nullptr);

/// What the results of commands say they are: "assay.scores/2"; "" for other files.
std::string result_schema(const nlohmann::json& file);
/// Why a table is no model's settings, for people ("none of its keys is a setting of a model"); "":
/// it is one, or may be meant as one: an empty table, or one with a setting, misspelt or not.
std::string why_no_settings(const nlohmann::json& file);

/// Writes a checked layer's values over those of `spec`. "preset" and "classes" are left to the
/// caller.
void apply_layer(const nlohmann::json& layer, ModelSpec& spec);

}  // namespace assay
