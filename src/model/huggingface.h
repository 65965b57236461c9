// Converts the files that Hugging Face's transformers puts next to a model to our settings.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// True for a `config.json` of transformers: it has "id2label", or "model_type" with
/// "architectures".
bool is_transformers_config(const nlohmann::json& file);
/// True for a `preprocessor_config.json` of an image classifier.
bool is_image_processor(const nlohmann::json& file);

/// The classes in a `config.json`: {"classes": {"names": [...]}}, or nothing if "id2label" has only
/// LABEL_0, LABEL_1, ... The other keys are added to `ignored`. Throws bad_input for numbers other
/// than 0..N-1.
nlohmann::json settings_of_transformers_config(const nlohmann::json& file,
                                               std::vector<std::string>& ignored);

/// The steps of an image processor, as input_size, crop_mode, resize_size, interpolation, scale,
/// mean, std and channel_order. `model_type` comes from the config.json, for processors that do not
/// name themselves; "" if unknown. Keys without effect are added to `ignored`. Throws bad_input for
/// settings that cannot be expressed. These are a plain resize to two different sides before a
/// crop, an offset, one channel, and an integer `size` of an unknown processor.
///
/// Source: transformers' src/transformers/models/*/image_processing_*.py and image_transforms.py
/// (versions 4.57 and 5). A type that ends in "Fast" computes with tensors: PyTorch's resize, and a
/// center crop at floor((side - crop) / 2). For other types, one difference remains. They also crop
/// there, while Assay rounds half a pixel, which is one pixel further for some odd sides.
nlohmann::json settings_of_image_processor(const nlohmann::json& file, std::string_view model_type,
                                           std::vector<std::string>& ignored);

}  // namespace assay
