#include "core/plugin_folders.h"

#include <dlfcn.h>

#include <cstdlib>
#include <system_error>

namespace assay {

namespace fs = std::filesystem;

std::vector<fs::path> usual_plugin_folders() {
    std::vector<fs::path> folders;
    // Beside the shared library that holds this code. Of a program that holds it, dladdr knows only
    // the name that it was called by.
    static const char here = 0;
    Dl_info object{};
    if (dladdr(&here, &object) != 0 && fs::path(object.dli_fname).is_absolute()) {
        const fs::path own = fs::path(object.dli_fname).parent_path();
        folders.insert(folders.end(), {own, own / "assay"});
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        const fs::path own = program.parent_path();
        folders.insert(folders.end(), {own, own / "../lib", own / "../lib/assay"});
    }
    folders.insert(folders.end(), {ASSAY_BUILD_LIB_DIR, ASSAY_INSTALL_LIB_DIR});
    return folders;
}

std::optional<fs::path> find_in_plugin_folders(std::string_view file, std::string* searched) {
    const char* chosen = std::getenv("ASSAY_PLUGIN_DIR");
    const std::vector<fs::path> folders = chosen != nullptr && *chosen != '\0'
                                              ? std::vector<fs::path>{chosen}
                                              : usual_plugin_folders();
    std::string all;
    for (const fs::path& folder : folders) {
        fs::path candidate = (folder / file).lexically_normal();
        std::error_code ignored;
        if (fs::exists(candidate, ignored)) return candidate;
        all += (all.empty() ? "" : ", ") + candidate.parent_path().string();
    }
    if (searched != nullptr) *searched = all;
    return std::nullopt;
}

}  // namespace assay
