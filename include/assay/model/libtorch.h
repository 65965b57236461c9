// The LibTorch that models run by: which there are on this machine, and a plug-in for one of them.
//
// LibTorch comes with the distribution, as a zip, or inside Python's package torch. The plug-in is
// compiled against one; the rest of Assay does not depend on it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/model/classifier.h"
#include "assay/report.h"

namespace assay {

/// Who says where it is, in the order in which they are asked.
enum class LibTorchSource { torch_dir, python, distribution };

/// A place where a LibTorch may be, and what its files tell. Nothing of it is opened.
struct LibTorch {
    LibTorchSource source = LibTorchSource::distribution;
    std::string asked;                ///< "Torch_DIR", "python3", "the distribution"
    std::filesystem::path root;       ///< holds include/ and lib/; "" where there is none
    std::filesystem::path libraries;  ///< the folder of libtorch_cpu.so
    std::string version;              ///< "2.6.0"; "": not known
    bool cuda = false;                ///< it has libtorch_cuda.so
    /// Why no plug-in can be compiled for it, as a whole sentence without a full stop; "": it can.
    std::string unusable;
};

struct LibTorchOptions {
    std::filesystem::path python;  ///< the Python that is asked; "": `python3` on the PATH
    std::filesystem::path folder;  ///< where a plug-in is put; "": the user's folder
};

/// Torch_DIR of the environment, where it is set (the folder of TorchConfig.cmake, or the root);
/// the Python's package torch; the distribution's. Cost: a start of Python, which only looks where
/// its package is; what it prints is believed no further than that files are there.
std::vector<LibTorch> find_libtorch(const LibTorchOptions& options);
/// The first that a plug-in can be compiled for. One that was named (Torch_DIR, options.python) is
/// never passed over: throws usage with its reason, or where there is none at all.
const LibTorch& chosen_libtorch(const std::vector<LibTorch>& all, const LibTorchOptions& options);

/// A compiled plug-in.
struct BuiltPlugin {
    std::filesystem::path file;
    LibTorch libtorch;
    std::string compiler;  ///< the word it was called by: "c++"
    double seconds = 0;
    std::string without_onnx;  ///< why ONNX models cannot be run; "": they can
};

/// Compiles the plug-in against `libtorch` from the sources that are installed with the program,
/// with the compiler of CXX (else c++, g++, clang++), opens it once in another process, and puts it
/// into its folder. Where this program was built, its build folder is configured for `libtorch` and
/// compiles its own plug-in in place of that (options.folder is refused). Throws usage: no
/// compiler, no sources here, the compiler refuses (the message names the file of what it said),
/// the result cannot be opened; io.
BuiltPlugin build_torch_plugin(const LibTorch& libtorch, const LibTorchOptions& options);

/// Removes the plug-in that build_torch_plugin() put into that folder. False where there is none.
/// Where this program was built, its build chooses a LibTorch by itself again, and compiles.
bool remove_torch_plugin(const LibTorchOptions& options);

/// The plug-ins that are found, in the order in which they are looked for: the first is used.
struct TorchState {
    std::vector<FrameworkFile> plugins;
    std::vector<LibTorch> libtorch;
};
TorchState torch_state(const LibTorchOptions& options);
/// JSON: assay.torch/1.
Report report_of(const TorchState& state);

}  // namespace assay
