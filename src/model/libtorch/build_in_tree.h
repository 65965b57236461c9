// The plug-in of a program that runs where it was built: its own build compiles it, for another
// LibTorch.
#pragma once

#include <string>
#include <string_view>

#include "assay/model/libtorch.h"

namespace assay {

/// The first line of what a compiler, a linker, ninja or CMake said that is an error. A command
/// with -Werror is none.
std::string first_error(std::string_view said);

/// Has the build folder of this program configured for `libtorch` and its plug-in built; with
/// `onnx` false without ONNX. Gives the plug-in's file. Throws usage: options.folder is set, there
/// is no cmake, or it fails (the message names the file of what it said).
std::filesystem::path build_plugin_in_tree(const LibTorch& libtorch, bool onnx,
                                           const LibTorchOptions& options);

/// Has the build choose its LibTorch by itself again, with or without ONNX. False where none was
/// chosen for it.
bool restore_plugin_in_tree(bool onnx, const LibTorchOptions& options);

}  // namespace assay
