// Finds the LibTorch installations on this machine, and builds a plug-in for one of them.
//
// LibTorch comes with the distribution, as a zip, or inside Python's package torch. The plug-in is
// compiled against one. The rest of Assay does not depend on it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/model/classifier.h"
#include "assay/report.h"

namespace assay {

/// The places to search for LibTorch, in this order.
enum class LibTorchSource { torch_dir, python, distribution };

/// A possible LibTorch, judged by its files without opening them.
struct LibTorch {
    LibTorchSource source = LibTorchSource::distribution;
    std::string asked;                ///< the source: "Torch_DIR", "python3", "the distribution"
    std::filesystem::path root;       ///< contains include/ and lib/; "" if there is none
    std::filesystem::path libraries;  ///< the folder of libtorch_cpu.so
    std::string version;              ///< "2.6.0"; "" if it is not known
    bool cuda = false;                ///< true if libtorch_cuda.so exists
    /// The reason why no plug-in can be compiled for it, without a full stop; else "".
    std::string unusable;
};

struct LibTorchOptions {
    std::filesystem::path python;  ///< the Python to ask; "" means `python3` on the PATH
    std::filesystem::path folder;  ///< the folder for the plug-in; "" means the user's folder
};

/// Looks for LibTorch in Torch_DIR of the environment if it is set, in the Python's package torch,
/// and in the distribution. Torch_DIR is the folder of TorchConfig.cmake, or the root. Cost: starts
/// Python, which only locates its package. Of its output, only the existence of files is trusted.
std::vector<LibTorch> find_libtorch(const LibTorchOptions& options);
/// The first LibTorch for which a plug-in can be compiled. One that the user named (Torch_DIR,
/// options.python) is never skipped: then throws usage with the reason. Also throws usage if there
/// is none.
const LibTorch& chosen_libtorch(const std::vector<LibTorch>& all, const LibTorchOptions& options);

/// A compiled plug-in.
struct BuiltPlugin {
    std::filesystem::path file;
    LibTorch libtorch;
    std::string compiler;  ///< the command: "c++"
    double seconds = 0;
    std::string without_onnx;  ///< reason why ONNX models cannot be run, or ""
};

/// Compiles the plug-in against `libtorch` from the sources that are installed with the program.
/// Uses the compiler of CXX (else c++, g++, clang++). Opens the plug-in once in another process,
/// and installs it in its folder. If the program runs from its build folder, configures that build
/// for `libtorch` and compiles its plug-in instead (options.folder is refused). Throws usage: no
/// compiler, no sources, a compiler error (the message names the file with its output), a result
/// that cannot be opened; io.
BuiltPlugin build_torch_plugin(const LibTorch& libtorch, const LibTorchOptions& options);

/// Removes the plug-in that build_torch_plugin() installed in that folder. Returns false if there
/// is none. If the program runs from its build folder, that build chooses a LibTorch automatically
/// again, and compiles.
bool remove_torch_plugin(const LibTorchOptions& options);

/// The plug-ins found, in order of preference. The first is used.
struct TorchState {
    std::vector<FrameworkFile> plugins;
    std::vector<LibTorch> libtorch;
};
TorchState torch_state(const LibTorchOptions& options);
/// JSON: assay.torch/1.
Report report_of(const TorchState& state);

}  // namespace assay
