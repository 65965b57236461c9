// Finds and opens the plug-in with all code that uses LibTorch. Loading LibTorch costs half a
// second, which only commands that run a model should pay.
#include "model/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>
#include <mutex>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/plugin_folders.h"
#include "core/text.h"
#include "model/libtorch/plugin_record.h"

namespace assay {
namespace fs = std::filesystem;

namespace {

/// Eight hexadecimal digits that identify everything that must agree.
std::string build_mark() {
    const std::string digest = hash_text(fmt::format("{}/{}", kPluginInterface, plugin_build()));
    return digest.substr(digest.find(':') + 1, 8);
}

}  // namespace

fs::path user_plugin_folder() {
    fs::path data;
    if (const char* chosen = std::getenv("XDG_DATA_HOME"); chosen != nullptr) data = chosen;
    if (!data.is_absolute()) {  // the specification says to ignore relative paths
        const char* home = std::getenv("HOME");
        if (home == nullptr || !fs::path(home).is_absolute()) return {};
        data = fs::path(home) / ".local/share";
    }
    return data / "assay/plugins" / fmt::format("{}-{}", version, build_mark());
}

std::vector<fs::path> torch_plugin_folders() {
    const fs::path users = runs_where_it_was_built() ? fs::path() : user_plugin_folder();
    return plugin_folders(users.empty() ? std::vector<fs::path>{} : std::vector{users});
}

fs::path find_plugin() {
    std::string searched;
    if (const auto found = find_in_folders(torch_plugin_folders(), kPluginFile, &searched))
        return *found;
#ifdef ASSAY_HAS_TORCH
    throw Error(
        ErrorCode::usage,
        fmt::format("models need the plug-in {}, which is in none of: {}. To compile it for a "
                    "LibTorch of this machine, such as that of `pip install torch`, type `assay "
                    "torch --build`. To search another folder, set ASSAY_PLUGIN_DIR",
                    kPluginFile, searched));
#else
    throw Error(ErrorCode::usage, kWithoutTorch);
#endif
}

namespace {

/// With limited address space (ulimit -v), libraries that get no memory while loading end the
/// program. So this tests the memory first.
void check_address_space() {
    constexpr std::size_t libraries = std::size_t{640} << 20;  // size for LibTorch 1.13 in Debian
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    void* room = ::mmap(nullptr, libraries, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        throw Error(ErrorCode::out_of_memory,
                    fmt::format("LibTorch and its libraries need {} MiB of address space, but the "
                                "limit of {} MiB (`ulimit -v`) leaves less",
                                libraries >> 20, limit.rlim_cur >> 20));
    }
    ::munmap(room, libraries);
}

}  // namespace

const TorchPlugin& plugin_at(const fs::path& path) {
    check_address_space();
    if (const std::string problem = problem_of_plugin(path); !problem.empty())
        throw Error(ErrorCode::usage, problem);
    // OpenBLAS starts a thread per core when loaded. With limited address space these request
    // memory endlessly. One thread is enough, because it computes on the calling thread.
    constexpr const char* blas_threads = "OPENBLAS_NUM_THREADS";
    const bool chosen = std::getenv(blas_threads) != nullptr;
    if (!chosen) ::setenv(blas_threads, "1", 0);
    // RTLD_LOCAL, because the rest of the program must not resolve symbols to LibTorch's 288
    // libraries. The library is never closed, because its objects may outlive any owner.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!chosen) ::unsetenv(blas_threads);
    if (library == nullptr) {
        const char* reason = dlerror();
        throw Error(
            ErrorCode::usage,
            fmt::format("the plug-in {} cannot be opened: {} (`assay torch` shows its LibTorch)",
                        path.string(), reason != nullptr ? reason : "no reason given"));
    }
    const auto entry = reinterpret_cast<const TorchPlugin* (*)()>(dlsym(library, kPluginEntry));
    if (entry == nullptr) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} is not a plug-in of this version of assay (it has no {})",
                                path.string(), kPluginEntry));
    }
    const TorchPlugin* plugin = entry();
    if (plugin->interface_version != kPluginInterface || plugin->build != plugin_build()) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "the plug-in {} was built for \"{}\" (interface {}), this program is \"{}\" "
                "(interface {}); install both from one build, or compile it: `assay torch --build`",
                path.string(), plugin->build, plugin->interface_version, plugin_build(),
                kPluginInterface));
    }
    return *plugin;
}

/// A failed attempt is repeated on the next call, so that every call reports the reason.
const TorchPlugin& opened_plugin() {
    static std::mutex mutex;
    static const TorchPlugin* opened = nullptr;
    const std::scoped_lock lock(mutex);
    if (opened == nullptr) opened = &plugin_at(find_plugin());
    return *opened;
}

std::string model_framework() {
    return opened_plugin().framework;
}

FrameworkFile framework_file() {
    return framework_file_at(find_plugin());
}

FrameworkFile framework_file_at(const fs::path& plugin) {
    constexpr std::string_view mark = ASSAY_FRAMEWORK_MARK;
    FrameworkFile found{.file = plugin, .framework = "?", .libtorch = {}, .problem = {}};
    if (const auto record = record_of_plugin(plugin)) {
        found.libtorch = record->libtorch;
        found.problem = problem_of_plugin(plugin, *record);
    }
    const std::string bytes = read_text(plugin);
    const std::size_t begin = bytes.find(mark);
    if (begin == std::string::npos) return found;
    const std::size_t end = bytes.find('\n', begin);
    if (end != std::string::npos)
        found.framework = shortened(
            std::string_view(bytes).substr(begin + mark.size(), end - begin - mark.size()));
    return found;
}

CudaFacts cuda_of_framework() {
    return opened_plugin().cuda();
}

}  // namespace assay
