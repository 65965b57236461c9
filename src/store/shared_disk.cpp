#include "store/shared_disk.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/paths.h"

namespace assay::store {
namespace {

namespace fs = std::filesystem;

struct Mount {
    std::string folder, kind, options;
};

/// The kernel writes a blank as "\040".
std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int code = 0;
        const char* const digits = text.data() + i + 1;
        const bool octal = text[i] == '\\' && i + 3 < text.size() &&
                           std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3;
        out += octal ? static_cast<char>(code) : text[i];
        if (octal) i += 3;
    }
    return out;
}

/// Each line has the form "36 35 98:0 /root /folder options ... - kind source options".
std::vector<Mount> parse_mounts(std::string_view text) {
    std::vector<Mount> mounts;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const auto dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
        std::string number, parent, device, root, source, own;
        Mount mount;
        before >> number >> parent >> device >> root >> mount.folder >> own;
        after >> mount.kind >> source >> mount.options;
        mount.folder = unescaped(mount.folder);
        mount.options = fmt::format(",{},{},", own, mount.options);
        mounts.push_back(std::move(mount));
    }
    return mounts;
}

bool lies_below(const std::string& path, const std::string& folder) {
    if (folder == "/") return path.starts_with('/');
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

std::string why_locks_are_local(std::string_view mounts, const fs::path& folder) {
    const std::string path = folder.lexically_normal().string();
    Mount nearest;
    for (Mount& mount : parse_mounts(mounts)) {
        // The last mount at a folder hides earlier mounts.
        if (lies_below(path, mount.folder) && mount.folder.size() >= nearest.folder.size())
            nearest = std::move(mount);
    }
    struct Local {
        std::string_view kind, option;
    };
    constexpr std::array<Local, 5> known = {{{"nfs", "local_lock=all"},
                                             {"nfs", "local_lock=flock"},
                                             {"nfs", "nolock"},
                                             {"lustre", "localflock"},
                                             {"ceph", "nolock"}}};
    for (const Local& local : known) {
        if (nearest.kind.starts_with(local.kind) &&
            nearest.options.find(fmt::format(",{},", local.option)) != std::string::npos)
            return fmt::format("{} is mounted as {} with {}", nearest.folder, nearest.kind,
                               local.option);
    }
    return {};
}

std::string lock_warning(const fs::path& folder, bool locked) {
    if (!locked) {
        return "its file system has no locks (Lustre without -o flock, a mounted object store), so "
               "Assay cannot prevent a second process from writing there";
    }
    std::ifstream file("/proc/self/mountinfo");
    std::stringstream mounts;
    mounts << file.rdbuf();
    const std::string why = why_locks_are_local(mounts.str(), absolute_path(folder));
    if (why.empty()) return {};
    return fmt::format("writers on other machines do not see its lock: {}", why);
}

}  // namespace assay::store
