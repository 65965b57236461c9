#include "core/plugin_folders.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace assay {

namespace fs = std::filesystem;

namespace {

/// The folder of the shared library that contains this code. Returns "" in a program, because
/// dladdr then only knows the name of its call.
fs::path folder_of_library() {
    static const char here = 0;
    Dl_info object{};
    if (dladdr(&here, &object) == 0 || !fs::path(object.dli_fname).is_absolute()) return {};
    return fs::path(object.dli_fname).parent_path();
}

fs::path folder_of_program() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::vector<fs::path> own_folders() {
    std::vector<fs::path> folders;
    for (const fs::path& folder : {folder_of_library(), folder_of_program()}) {
        if (!folder.empty() && std::ranges::find(folders, folder) == folders.end())
            folders.push_back(folder);
    }
    return folders;
}

fs::path build_folder() {
    const fs::path libraries = ASSAY_BUILD_LIB_DIR;
    if (libraries.empty()) return {};
    const fs::path build = libraries.parent_path();
    const bool here = std::ranges::any_of(own_folders(), [&](const fs::path& folder) {
        return folder == libraries || folder == build / "bin";
    });
    return here ? build : fs::path();
}

bool runs_where_it_was_built() {
    return !build_folder().empty();
}

std::vector<fs::path> usual_plugin_folders() {
    std::vector<fs::path> folders;
    if (const fs::path own = folder_of_library(); !own.empty())
        folders.insert(folders.end(), {own, own / "assay"});
    if (const fs::path own = folder_of_program(); !own.empty())
        folders.insert(folders.end(), {own, own / "../lib", own / "../lib/assay"});
    for (const fs::path& built : {fs::path(ASSAY_BUILD_LIB_DIR), fs::path(ASSAY_INSTALL_LIB_DIR)}) {
        if (!built.empty()) folders.push_back(built);
    }
    return folders;
}

std::vector<fs::path> plugin_folders(const std::vector<fs::path>& before) {
    const char* chosen = std::getenv("ASSAY_PLUGIN_DIR");
    if (chosen != nullptr && *chosen != '\0') return {chosen};
    std::vector<fs::path> folders = before;
    for (fs::path& folder : usual_plugin_folders()) folders.push_back(std::move(folder));
    return folders;
}

std::optional<fs::path> find_in_folders(const std::vector<fs::path>& folders, std::string_view file,
                                        std::string* searched) {
    std::vector<std::string> looked;
    for (const fs::path& folder : folders) {
        fs::path candidate = (folder / file).lexically_normal();
        std::error_code ignored;
        if (fs::exists(candidate, ignored)) return candidate;
        std::string in = candidate.parent_path().string();
        if (std::ranges::find(looked, in) == looked.end()) looked.push_back(std::move(in));
    }
    if (searched != nullptr) *searched = fmt::format("{}", fmt::join(looked, ", "));
    return std::nullopt;
}

}  // namespace assay
