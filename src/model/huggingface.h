// The files that Hugging Face's transformers puts beside a model, as settings of ours.
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

/// The classes of a `config.json`: {"classes": {"names": [...]}}, or nothing where "id2label" has
/// only LABEL_0, LABEL_1, ... The other keys go to `ignored`. Throws bad_input: numbers that are
/// not 0..N-1.
nlohmann::json settings_of_transformers_config(const nlohmann::json& file,
                                               std::vector<std::string>& ignored);

/// What an image processor does, as input_size, crop_mode, resize_size, interpolation, scale, mean,
/// std and channel_order. `model_type` is the config.json's, for processors that do not say what
/// they are; "" when unknown. Keys without effect go to `ignored`. Throws bad_input with what
/// cannot be expressed (a plain resize to two different sides before a crop, an offset, one
/// channel, a whole number as `size` of an unknown processor).
///
/// Source: transformers' src/transformers/models/*/image_processing_*.py and image_transforms.py
/// (versions 4.57 and 5). A type that ends in "Fast" computes with tensors: PyTorch's resize, and
/// the centre cut at floor((side - crop) / 2). For others one difference stays: they cut the centre
/// there, too, and Assay at the rounded half, which is one pixel further for some odd sides.
nlohmann::json settings_of_image_processor(const nlohmann::json& file, std::string_view model_type,
                                           std::vector<std::string>& ignored);

}  // namespace assay
