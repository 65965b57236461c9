// Keys of timm's pretrained_cfg and config.json that are not settings of a model.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/json_reader.h"

namespace assay {

/// These keys do not affect the evaluation. Every sidecar may have them, and they are
/// ignored.
bool is_harmless(std::string_view key);
/// timm's label_names (ids) with label_descriptions (id -> text), as one "classes" value.
nlohmann::json classes_from_labels(const JsonReader& layer);

}  // namespace assay
