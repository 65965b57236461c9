#include "model/libtorch/build_in_tree.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/file.h"
#include "core/plugin_folders.h"
#include "core/run_program.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "model/plugin.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// The CMake folder of this build, if cmake can be called there.
fs::path usable_build(const LibTorchOptions& options) {
    const fs::path build = build_folder();
    if (!options.folder.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("--folder has no effect where the program was built, because its "
                        "build keeps the plug-in in {}/lib; install the program to keep "
                        "several: `cmake --build {} && cmake --install {} --prefix ~/.local`",
                        build.string(), shell_word(build.string()), shell_word(build.string())));
    std::error_code error;
    if (!fs::exists(build / "CMakeCache.txt", error))
        throw Error(ErrorCode::usage,
                    fmt::format("{} is no longer a build folder: it has no CMakeCache.txt; "
                                "build again: `tools/build program`",
                                build.string()));
    for (const char* tool : {"cmake", "ninja"}) {
        if (!run_program({.words = {tool, "--version"}}).good())
            throw Error(ErrorCode::usage,
                        fmt::format("{}, which compiles the plug-in in a build tree, is not "
                                    "installed; type `tools/install-dependencies --program`",
                                    tool));
    }
    return build;
}

void call_cmake(const fs::path& build, std::vector<std::string> words) {
    const fs::path log = build / "torch-plugin.log";
    words.insert(words.begin(), "cmake");
    const ProgramEnd end =
        run_program({.words = words, .errors = log, .most = std::size_t{1} << 26});
    std::error_code ignored;
    if (end.good()) {
        fs::remove(log, ignored);
        return;
    }
    // Compiler errors are in ninja's output, and CMake's own on stderr.
    const std::string said = read_text(log) + end.out;
    write_file_atomically(log, said);
    throw Error(ErrorCode::usage, fmt::format("cmake cannot build the plug-in: {}; its output is "
                                              "in {}; to go back: `assay torch --remove`",
                                              first_error(said), log.string()));
}

void configure_and_build(const fs::path& build, std::vector<std::string> settings) {
    settings.push_back(build.string());
    call_cmake(build, std::move(settings));
    call_cmake(build, {"--build", build.string(), "--target", "assay_torch"});
}

}  // namespace

std::string first_error(std::string_view said) {
    std::string found;
    for_each_line(said, [&](std::string_view line, std::size_t) {
        const bool tells = line.find("error:") != std::string_view::npos ||
                           line.find("CMake Error") != std::string_view::npos;
        if (tells && found.empty()) found = shortened(line, 300);
    });
    return found.empty() ? "without an error message" : found;
}

fs::path build_plugin_in_tree(const LibTorch& libtorch, bool onnx, const LibTorchOptions& options) {
    const fs::path build = usable_build(options);
    configure_and_build(build, {"-DASSAY_TORCH=ON", "-DTorch_DIR=" + libtorch.root.string(),
                                onnx ? "-DASSAY_ONNX=ON" : "-DASSAY_ONNX=OFF"});
    return build / "lib" / kPluginFile;
}

bool restore_plugin_in_tree(bool onnx, const LibTorchOptions& options) {
    const fs::path build = usable_build(options);
    if (read_text(build / "CMakeCache.txt").find("\nTorch_DIR:") == std::string::npos) return false;
    configure_and_build(build, {"-UTorch_DIR", onnx ? "-DASSAY_ONNX=ON" : "-DASSAY_ONNX=OFF"});
    return true;
}

}  // namespace assay
