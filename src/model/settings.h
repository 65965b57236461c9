// The settings of a model by key: the form of each value, and the field of ModelSpec that it fills.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "assay/model/model_spec.h"

namespace assay {

/// Keys of a layer that do not affect evaluation.
struct PassedOver {
    /// Includes unknown keys, because the file belongs to another program with more
    /// keys.
    bool any = false;
    std::vector<std::string> keys;
};

/// Checks one layer (a sidecar or the flags). Unknown keys, wrong types and values out of range
/// throw bad_input. Returns the layer without nulls and without timm's keys that do not affect
/// evaluation (added to `passed_over`). "label_names" and "label_descriptions" become "classes".
nlohmann::json checked_layer(const nlohmann::json& layer, PassedOver* passed_over = nullptr);

/// The schema that results of commands contain: "assay.scores/2"; "" for other files.
std::string result_schema(const nlohmann::json& file);
/// The reason why a table is not a model's settings ("none of its keys is a setting of a model").
/// Empty if it is or may be a settings table: it has settings, possibly misspelled ones, or no
/// keys.
std::string why_no_settings(const nlohmann::json& file);

/// Applies the values of a checked layer to `spec`. The caller handles "preset" and "classes".
void apply_layer(const nlohmann::json& layer, ModelSpec& spec);

}  // namespace assay
