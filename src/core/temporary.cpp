#include "core/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/hash.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 255;
constexpr std::string_view ending = ".tmp";

/// Eight hexadecimal digits that identify a text.
std::string short_mark(std::string_view text) {
    const std::string digest = hash_text(text);
    return digest.substr(digest.find(':') + 1, 8);
}

/// The running system, as named in temporary entries.
struct ThisSystem {
    std::string machine;  ///< derived from its host name
    std::string boot;     ///< equal in all containers of one running kernel
    bool boot_is_known = false;
    std::int64_t up_since = 0;  ///< seconds since 1970; 0 if not known
};

ThisSystem examine_system() {
    ThisSystem system;
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    system.machine = short_mark(host.data());
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    system.boot_is_known = !boot.empty();
    system.boot = short_mark(boot);
    std::ifstream statistics("/proc/stat");
    for (std::string line; std::getline(statistics, line);) {
        if (line.starts_with("btime ")) system.up_since = std::atoll(line.c_str() + 6);
    }
    return system;
}

const ThisSystem& this_system() {
    static const ThisSystem system = examine_system();
    return system;
}

std::uint64_t random_number() {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
    // The fallback before the kernel has gathered randomness, or if it has no such call. The name
    // only needs to differ from others.
    static std::uint64_t counter = 0;
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) +
           ++counter;
}

std::string new_name(const std::string& target) {
    const std::string tag = fmt::format("{}-{}-{}-{:016x}", this_system().machine,
                                        this_system().boot, ::getpid(), random_number());
    const std::string name = fmt::format(".{}.{}{}", target, tag, ending);
    if (name.size() <= longest_name) return name;
    return fmt::format(".{}.{}{}", short_mark(target), tag, ending);
}

struct Maker {
    std::string_view machine, boot;
};

bool all_of(std::string_view text, std::string_view allowed) {
    return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// The maker in an entry's name, or none if Assay did not make the entry.
std::optional<Maker> maker_of(std::string_view name) {
    if (!name.starts_with('.') || !name.ends_with(ending)) return std::nullopt;
    name.remove_suffix(ending.size());
    name.remove_prefix(name.rfind('.') + 1);
    std::array<std::string_view, 4> fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::size_t end = i + 1 < fields.size() ? name.find('-') : name.size();
        if (end == std::string_view::npos) return std::nullopt;
        fields[i] = name.substr(0, end);
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const bool ours = fields[0].size() == 8 && fields[1].size() == 8 && fields[3].size() == 16 &&
                      all_of(fields[0], digits) && all_of(fields[1], digits) &&
                      all_of(fields[2], digits.substr(0, 10)) && all_of(fields[3], digits);
    return ours ? std::optional(Maker{fields[0], fields[1]}) : std::nullopt;
}

/// True if no other process holds the lock. `descriptor` then keeps it.
bool take(int descriptor) {
    return retried([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) == 0;
}

/// True if the maker is certainly dead. Takes the lock if possible.
bool is_dead(const Maker& maker, int descriptor, const struct stat& info) {
    const ThisSystem& here = this_system();
    if (!here.boot_is_known) return false;
    // A free lock is the best evidence of death: each living maker on this kernel holds one.
    if (!take(descriptor)) return false;
    if (maker.boot == here.boot) return true;
    // Another machine may have the same host name, and its locks may be invisible here.
    return maker.machine == here.machine && here.up_since != 0 &&
           static_cast<std::int64_t>(info.st_mtime) < here.up_since;
}

void remove_if_dead(const fs::path& path) {
    const std::string name = path.filename().string();
    const std::optional<Maker> maker = maker_of(name);
    if (!maker) return;
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return;
    const bool folder = S_ISDIR(info.st_mode);
    if (!folder && !S_ISREG(info.st_mode)) return;
    // Some network file systems lock only files that are open for writing.
    const Descriptor held(retried([&] {
        return ::open(path.c_str(), (folder ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW |
                                        O_NONBLOCK | O_CLOEXEC);
    }));
    if (held.get() < 0 || !is_dead(*maker, held.get(), info)) return;
    std::error_code ignored;  // a leftover entry does no harm
    fs::remove_all(path, ignored);
}

/// True if this is the process's first call for the folder. Listing it for every file would take
/// time quadratic in the number of files.
bool is_first_time(const fs::path& folder) {
    constexpr std::size_t most = 4096;
    static std::mutex mutex;
    static std::set<std::string> met;
    const std::scoped_lock lock(mutex);
    if (met.size() >= most) met.clear();
    return met.insert(folder.string()).second;
}

[[noreturn]] void cannot_create(const fs::path& target, int error) {
    throw Error(ErrorCode::io,
                fmt::format("cannot create `{}`: {}", target.string(), std::strerror(error)));
}

/// True if `path` still is the file that `descriptor` has open. Another process may have removed it
/// as a leftover before it was locked. If the system gives no answer, removes the entry.
bool is_still_there(const fs::path& path, int descriptor, const fs::path& target) {
    struct stat open {
    }, named{};
    const bool opened = ::fstat(descriptor, &open) == 0;
    const bool known = opened && ::lstat(path.c_str(), &named) == 0;
    if (!known && (!opened || errno != ENOENT)) {
        const int error = errno;
        std::error_code ignored;
        fs::remove(path, ignored);
        cannot_create(target, error);
    }
    return known && open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

/// `make` creates and opens the entry.
template <class Make>
Temporary make_temporary(const fs::path& target, Make&& make) {
    const fs::path folder = target.parent_path();
    if (is_first_time(folder)) remove_leftovers(folder);
    constexpr int most_tries = 100;
    for (int tries = 0; tries < most_tries; ++tries) {
        const fs::path path = folder / new_name(target.filename().string());
        Descriptor held(make(path));
        if (held.get() < 0 && errno == EEXIST) continue;
        if (held.get() < 0) cannot_create(target, errno);
        // If the file system has no locks, no later writer removes the entry.
        const bool busy = !take(held.get()) && errno == EWOULDBLOCK;
        if (!busy && is_still_there(path, held.get(), target)) return {path, std::move(held)};
    }
    throw Error(ErrorCode::io, fmt::format("cannot create `{}`: its temporary file was removed {} "
                                           "times",
                                           target.string(), most_tries));
}

}  // namespace

Temporary make_temporary_file(const fs::path& target, mode_t mode) {
    return make_temporary(target, [&](const fs::path& path) {
        return retried(
            [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode); });
    });
}

Temporary make_temporary_folder(const fs::path& target) {
    return make_temporary(target, [&](const fs::path& path) {
        if (::mkdir(path.c_str(), 0777) != 0) return -1;
        return retried([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    });
}

bool names_its_maker(std::string_view name) {
    return maker_of(name).has_value();
}

void remove_leftovers(const fs::path& folder) noexcept {
    try {
        std::vector<fs::path> entries;
        std::error_code error;
        for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end;
             !error && it != end; it.increment(error)) {
            if (maker_of(it->path().filename().string())) entries.push_back(it->path());
        }
        for (const fs::path& path : entries) remove_if_dead(path);
    } catch (...) {  // NOLINT(bugprone-empty-catch): to clear up is a favour, no duty
    }
}

}  // namespace assay
