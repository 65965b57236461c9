// Recognizes model files by their names.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/text.h"

namespace assay {

constexpr std::array<std::string_view, 6> model_extensions = {".pt",          ".pth", ".ts",
                                                              ".torchscript", ".pt2", ".onnx"};

/// True if a name has one of these extensions, in any case.
inline bool is_model_name(const std::filesystem::path& path) {
    return std::ranges::find(model_extensions, lower_extension(path.string())) !=
           model_extensions.end();
}

}  // namespace assay
