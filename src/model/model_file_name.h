// Files of models, by their names alone.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/text.h"

namespace assay {

constexpr std::array<std::string_view, 6> model_extensions = {".pt",          ".pth", ".ts",
                                                              ".torchscript", ".pt2", ".onnx"};

/// Whether its ending, in any case, is one of these.
inline bool is_model_name(const std::filesystem::path& path) {
    return std::ranges::find(model_extensions, lower_extension(path.string())) !=
           model_extensions.end();
}

}  // namespace assay
