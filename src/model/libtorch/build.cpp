// Compiles the plug-in with one call of the compiler, from one source that includes all others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <system_error>

#include "assay/error.h"
#include "assay/model/libtorch.h"
#include "core/elf.h"
#include "core/file.h"
#include "core/folder_aside.h"
#include "core/paths.h"
#include "core/plugin_folders.h"
#include "core/run_program.h"
#include "core/text.h"
#include "model/isolated/launcher.h"
#include "model/libtorch/build_in_tree.h"
#include "model/libtorch/libtorch_places.h"
#include "model/libtorch/plugin_record.h"
#include "model/plugin.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* source_file = "torch_plugin.cpp";
constexpr const char* library_file = ASSAY_LIBRARY_FILE;

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

/// The first folder, relative to this program or library, that has the file.
fs::path beside_us(std::string_view what, const char* file, const std::vector<fs::path>& ways,
                   const fs::path& installed) {
    std::vector<fs::path> folders;
    for (const fs::path& own : own_folders()) {
        for (const fs::path& way : ways) folders.push_back((own / way).lexically_normal());
    }
    folders.push_back(installed);
    std::string searched;
    if (const auto found = find_in_folders(folders, file, &searched)) return found->parent_path();
    throw Error(ErrorCode::usage, fmt::format("{} ({}) is in none of: {}", what, file, searched));
}

/// In a wheel, the sources are next to the program. In an installed prefix, they are in
/// share/assay, the program is in bin/ and the library is in lib/ or lib/TRIPLET/.
fs::path sources() {
    return beside_us(
        "the sources of the plug-in", source_file,
        {"torch-plugin", "../share/assay/torch-plugin", "../../share/assay/torch-plugin"},
        ASSAY_INSTALL_SOURCES_DIR);
}

/// The library whose functions the plug-in calls.
fs::path library_folder() {
    return beside_us("the library that the plug-in calls", library_file, {".", "../lib"},
                     ASSAY_INSTALL_LIBRARY_DIR);
}

/// The compiler in CXX, which may include options, else the first compiler found.
Words compiler() {
    const char* chosen = std::getenv("CXX");
    Words words;
    for_each_part(chosen != nullptr ? chosen : "", " \t",
                  [&](std::string_view word) { words.emplace_back(word); });
    std::vector<Words> all = {words};
    if (words.empty()) all = {{"c++"}, {"g++"}, {"clang++"}};
    for (const Words& one : all) {
        Words asked = one;
        asked.emplace_back("--version");
        if (run_program({.words = asked}).good()) return one;
    }
    throw Error(ErrorCode::usage, words.empty()
                                      ? "no C++ compiler was found: install g++ (12 or newer) or "
                                        "clang++, or name one with CXX"
                                      : fmt::format("CXX={}: there is no such compiler", chosen));
}

/// The reason why a plug-in for this LibTorch cannot run ONNX models, or "".
std::string why_without_onnx(const Words& compiler, const LibTorch& libtorch,
                             const fs::path& scratch) {
    const MappedFile file(libtorch.libraries / "libtorch_cpu.so");
    const std::string_view names = dynamic_names(file.text());
    if (names.find("_ZN6google8protobuf") != std::string_view::npos &&
        names.find("libprotobuf.so") == std::string_view::npos)
        return "this LibTorch exports its own copy of protobuf to other libraries";
    const fs::path probe = scratch / "onnx.cpp";
    write_file_atomically(probe,
                          "#if !__has_include(<onnx/onnx_pb.h>) || "
                          "!__has_include(<google/protobuf/message.h>)\n#error absent\n#endif\n");
    Words asked = compiler;
    append(asked, {"-shared", "-fPIC", probe.string(), "-o", (scratch / "onnx.so").string(),
                   "-Wl,--no-as-needed", "-lonnx_proto", "-lprotobuf"});
    if (!run_program({.words = asked}).good())
        return "the headers and libraries of ONNX and protobuf are not installed (libonnx-dev)";
    return {};
}

/// Compiles without linking, because compiler caches only handle that.
Words compile_words(const Words& compiler, const LibTorch& libtorch, bool onnx,
                    const fs::path& object) {
    const fs::path from = sources();
    Words words = compiler;
    append(words,
           {"-std=c++20", "-O2", "-fPIC", "-w", "-DNDEBUG", "-D_GLIBCXX_USE_CXX11_ABI=1",
            "-DFMT_HEADER_ONLY", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
            "-ffp-contract=off", "-I" + (from / "src").string(), "-I" + (from / "include").string(),
            "-isystem", (from / "third-party").string()});
    if (onnx) append(words, {"-DASSAY_HAS_ONNX=1", "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx"});
    for (const fs::path& folder : include_folders(libtorch))
        append(words, {"-isystem", folder.string()});
    append(words, {"-c", (from / source_file).string(), "-o", object.string()});
    return words;
}

Words link_words(const Words& compiler, const LibTorch& libtorch, bool onnx, const fs::path& object,
                 const fs::path& out) {
    const fs::path library = library_folder();
    Words words = compiler;
    append(words,
           {"-shared", object.string(), "-o", out.string(), (library / library_file).string()});
    if (onnx) append(words, {"-lonnx_proto", "-lprotobuf"});
    // libtorch.so depends on libtorch_cuda.so, if it exists, which makes devices available.
    words.emplace_back("-Wl,--no-as-needed");
    for (const char* name : {"libtorch.so", "libtorch_cpu.so", "libc10.so"})
        words.push_back((libtorch.libraries / name).string());
    // Uses the older kind of path, which LD_LIBRARY_PATH cannot override, so that exactly this
    // LibTorch is used.
    words.emplace_back("-Wl,--disable-new-dtags");
    for (const fs::path& folder :
         {fs::canonical(libtorch.libraries / "libtorch_cpu.so").parent_path(), library}) {
        if (!is_system_folder(folder))
            append(words, {"-Xlinker", "-rpath", "-Xlinker", folder.string()});
    }
    return words;
}

void call(const Words& words, const fs::path& log) {
    const ProgramEnd end = run_program({.words = words, .errors = log});
    if (end.good()) return;
    throw Error(ErrorCode::usage,
                fmt::format("{} cannot compile the plug-in: {}; its output is in {}", words[0],
                            first_error(read_text(log)), log.string()));
}

fs::path target_folder(const LibTorchOptions& options) {
    if (!options.folder.empty()) return absolute_path(options.folder);
    fs::path users = user_plugin_folder();
    if (users.empty())
        throw Error(ErrorCode::usage, "there is no folder for the plug-in: HOME is not set");
    return users;
}

/// The record is written after the old plug-in is removed and before the new one is added, so that
/// it is always correct.
void install(const fs::path& made, const fs::path& plugin, const LibTorch& libtorch) {
    const fs::path real = libtorch.libraries / "libtorch_cpu.so";
    std::error_code error;
    fs::remove(plugin, error);
    write_file_atomically(record_file(plugin),
                          text_of(PluginRecord{real, file_bytes(real), libtorch.version}));
    fs::rename(made, plugin, error);
    if (error)
        throw Error(ErrorCode::io,
                    fmt::format("cannot write {}: {}", plugin.string(), error.message()));
}

/// Builds for a program that runs from its build folder.
BuiltPlugin built_in_tree(const LibTorch& libtorch, const LibTorchOptions& options) {
    const Words words = compiler();
    const FolderAside scratch(build_folder() / kPluginFile);  // for a trial compilation
    BuiltPlugin built{
        .file = {}, .libtorch = libtorch, .compiler = "cmake", .seconds = 0, .without_onnx = {}};
    built.without_onnx = why_without_onnx(words, libtorch, scratch.path());
    built.file = build_plugin_in_tree(libtorch, built.without_onnx.empty(), options);
    isolated::try_plugin(built.file);
    return built;
}

/// The build also uses the LibTorch that is first in this order.
bool removed_in_tree(const LibTorchOptions& options) {
    const std::vector<LibTorch> all = find_libtorch(options);
    const FolderAside scratch(build_folder() / kPluginFile);
    const bool onnx =
        why_without_onnx(compiler(), chosen_libtorch(all, options), scratch.path()).empty();
    return restore_plugin_in_tree(onnx, options);
}

/// Builds for an installed program.
BuiltPlugin built_from_sources(const LibTorch& libtorch, const LibTorchOptions& options) {
    // Checks this first, because the compiler takes a minute.
    sources();
    library_folder();
    const fs::path folder = target_folder(options);
    const Words words = compiler();
    make_folders(folder);
    const FolderAside scratch(folder / kPluginFile);  // never kept, so the whole folder is removed
                                                      // intermediate files
    BuiltPlugin built{.file = folder / kPluginFile,
                      .libtorch = libtorch,
                      .compiler = words[0],
                      .without_onnx = {}};
    built.without_onnx = why_without_onnx(words, libtorch, scratch.path());
    const fs::path made = scratch.path() / kPluginFile;
    const fs::path object = scratch.path() / "torch_plugin.o";
    const bool onnx = built.without_onnx.empty();
    call(compile_words(words, libtorch, onnx, object), folder / "compiler.log");
    call(link_words(words, libtorch, onnx, object, made), folder / "compiler.log");
    isolated::try_plugin(made);
    install(made, built.file, libtorch);
    std::error_code ignored;
    fs::remove(folder / "compiler.log", ignored);
    return built;
}

}  // namespace

BuiltPlugin build_torch_plugin(const LibTorch& libtorch, const LibTorchOptions& options) {
#ifndef ASSAY_HAS_TORCH
    throw Error(ErrorCode::usage, std::string(kWithoutTorch));
#endif
    const auto begin = std::chrono::steady_clock::now();
    BuiltPlugin built = runs_where_it_was_built() ? built_in_tree(libtorch, options)
                                                  : built_from_sources(libtorch, options);
    built.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return built;
}

bool remove_torch_plugin(const LibTorchOptions& options) {
    if (runs_where_it_was_built()) return removed_in_tree(options);
    const fs::path plugin = target_folder(options) / kPluginFile;
    std::error_code error;
    const bool removed = fs::remove(plugin, error);
    if (!error) fs::remove(record_file(plugin), error);
    if (error)
        throw Error(ErrorCode::io,
                    fmt::format("cannot remove {}: {}", plugin.string(), error.message()));
    fs::remove(plugin.parent_path(), error);  // fails if the folder has other files
    return removed;
}

}  // namespace assay
