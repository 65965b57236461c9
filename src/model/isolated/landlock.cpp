// Uses Landlock's interface by number, because the headers of older systems lack parts of it.
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/descriptor.h"
#include "model/isolated/sandbox.h"

namespace assay::isolated {
namespace {

namespace fs = std::filesystem;

constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;  // on every processor
constexpr std::uint32_t ask_version = 1;
constexpr int path_beneath = 1;

/// From linux/landlock.h, version 6. Older kernels accept the beginning of it.
struct Ruleset {
    std::uint64_t files;
    std::uint64_t network;
    std::uint64_t scopes;
};
struct [[gnu::packed]] PathBeneath {
    std::uint64_t allowed;
    std::int32_t folder;
};

constexpr std::uint64_t read_file = 1 << 2, read_folder = 1 << 3;

/// All rights that version `v` can restrict.
Ruleset everything(long v) {
    Ruleset all{};
    const int rights = v >= 5 ? 16 : v >= 3 ? 15 : v >= 2 ? 14 : 13;
    all.files = (std::uint64_t{1} << rights) - 1;
    if (v >= 4) all.network = 0b11;  // binding and connecting TCP
    if (v >= 6) all.scopes = 0b11;   // abstract sockets, signals
    return all;
}

std::size_t size_of_ruleset(long v) {
    return v >= 6 ? sizeof(Ruleset) : v >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

std::optional<std::string> refusal(std::string_view call) {
    return fmt::format("Landlock ({}): {}", call, std::strerror(errno));
}

}  // namespace

std::optional<std::string> limit_files(const std::vector<fs::path>& readable) {
    const long version = ::syscall(create_ruleset, nullptr, 0, ask_version);
    if (version < 1) return refusal("landlock_create_ruleset");
    const Ruleset all = everything(version);
    const Descriptor rules(
        static_cast<int>(::syscall(create_ruleset, &all, size_of_ruleset(version), 0)));
    if (rules.get() < 0) return refusal("landlock_create_ruleset");
    for (const fs::path& path : readable) {
        const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
        struct stat facts {};
        if (place.get() < 0 || ::fstat(place.get(), &facts) != 0) continue;
        const PathBeneath rule{S_ISDIR(facts.st_mode) ? read_file | read_folder : read_file,
                               place.get()};
        if (::syscall(add_rule, rules.get(), path_beneath, &rule, 0) != 0)
            return refusal("landlock_add_rule");
    }
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refusal("no_new_privs");
    if (::syscall(restrict_self, rules.get(), 0) != 0) return refusal("landlock_restrict_self");
    return std::nullopt;
}

std::vector<fs::path> files_of_the_framework() {
    std::vector<fs::path> paths = {"/lib",
                                   "/lib64",
                                   "/usr/lib",
                                   "/usr/lib64",
                                   "/usr/local/lib",
                                   "/etc/ld.so.cache",
                                   "/proc/cpuinfo",
                                   "/proc/meminfo",
                                   "/proc/stat",
                                   "/proc/self/maps",
                                   "/proc/self/status",
                                   "/proc/self/task",
                                   "/sys/devices/system/cpu",
                                   "/sys/devices/system/node",
                                   "/sys/kernel/mm/transparent_hugepage",
                                   "/sys/fs/cgroup",
                                   "/dev/null",
                                   "/dev/zero",
                                   "/dev/random",
                                   "/dev/urandom"};
    const auto add = [](dl_phdr_info* library, std::size_t, void* out) {
        auto& all = *static_cast<std::vector<fs::path>*>(out);
        const fs::path path = library->dlpi_name;
        if (!path.is_absolute()) return 0;
        if (std::ranges::find(all, path.parent_path()) == all.end())
            all.push_back(path.parent_path());
        return 0;
    };
    ::dl_iterate_phdr(add, &paths);
    return paths;
}

}  // namespace assay::isolated
