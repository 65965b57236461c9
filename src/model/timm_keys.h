// Keys of timm's pretrained_cfg and config.json that are no settings of a model.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/json_reader.h"

namespace assay {

/// They do not change how a given file is evaluated: they are passed over in every sidecar.
bool is_harmless(std::string_view key);
/// timm's label_names (ids) with label_descriptions (id -> text), as one "classes" value.
nlohmann::json classes_from_labels(const JsonReader& layer);

}  // namespace assay
