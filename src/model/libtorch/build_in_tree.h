// Builds the plug-in of a program that runs from its build folder: that build compiles it for
// another LibTorch.
#pragma once

#include <string>
#include <string_view>

#include "assay/model/libtorch.h"

namespace assay {

/// The first line with an error in the output of a compiler, a linker, ninja or CMake. A command
/// with -Werror does not count.
std::string first_error(std::string_view said);

/// Configures this program's build folder for `libtorch` and builds its plug-in, without ONNX if
/// `onnx` is false. Returns the plug-in's file. Throws usage if options.folder is set, or cmake is
/// missing or fails (the message names the file with its output).
std::filesystem::path build_plugin_in_tree(const LibTorch& libtorch, bool onnx,
                                           const LibTorchOptions& options);

/// Makes the build choose its LibTorch automatically again, with or without ONNX. Returns false if
/// the build already chooses automatically.
bool restore_plugin_in_tree(bool onnx, const LibTorchOptions& options);

}  // namespace assay
