#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "assay/error.h"
#include "core/descriptor.h"
#include "core/file_stream.h"
#include "core/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(ErrorCode code, const char* verb, const fs::path& path, int error) {
    throw Error(code, fmt::format("cannot {} `{}`: {}", verb, path.string(), std::strerror(error)));
}

}  // namespace

std::pair<int, std::uint64_t> open_regular(const fs::path& path) {
    Descriptor descriptor(
        retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
    if (descriptor.get() < 0) {
        // True if the cause is the system and not the file, so that a later try may succeed.
        const bool system = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO ||
                            errno == ESTALE;
        fail(system ? ErrorCode::io : ErrorCode::bad_input, "open", path, errno);
    }
    struct stat info {};
    if (::fstat(descriptor.get(), &info) != 0) fail(ErrorCode::io, "examine", path, errno);
    if (!S_ISREG(info.st_mode)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` is {}, not a file", path.string(),
                                S_ISDIR(info.st_mode) ? "a folder" : "special"));
    }
    return {descriptor.release(), static_cast<std::uint64_t>(info.st_size)};
}

namespace {

/// Reads `size` bytes, or fewer if the file ends. Returns the number read.
std::size_t read_fully(int descriptor, char* out, std::size_t size, const fs::path& path) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::read(descriptor, out + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(ErrorCode::io, "read", path, errno);
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

/// Reads a whole file of this size.
void read_all(int descriptor, char* out, std::size_t size, const fs::path& path) {
    if (read_fully(descriptor, out, size, path) == size) return;
    throw Error(ErrorCode::bad_input,
                fmt::format("`{}` was truncated while it was read", path.string()));
}

template <class Buffer>
Buffer read_whole(const fs::path& path, std::uint64_t limit) {
    const auto [fd, size] = open_regular(path);
    const Descriptor descriptor(fd);
    if (size > limit) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` has {} bytes; the limit is {}", path.string(), size, limit));
    }
    Buffer buffer;
    buffer.resize(size);
    read_all(descriptor.get(), reinterpret_cast<char*>(buffer.data()), size, path);
    return buffer;
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& path, std::uint64_t limit) {
    return read_whole<std::vector<std::byte>>(path, limit);
}

std::string read_text(const fs::path& path, std::uint64_t limit) {
    return read_whole<std::string>(path, limit);
}

std::string read_start(const fs::path& path, std::size_t bytes) {
    const auto [fd, size] = open_regular(path);
    const Descriptor descriptor(fd);
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(size, bytes)), '\0');
    text.resize(read_fully(descriptor.get(), text.data(), text.size(), path));
    return text;
}

MappedFile::MappedFile(const fs::path& path) {
    const auto [fd, size] = open_regular(path);
    const Descriptor descriptor(fd);
    if (size == 0) return;
    // If a file is truncated, the rest of its last mapped page reads as zeros, which may be all
    // of a small file. So small files are read into memory, and missing bytes are then an
    // error.
    constexpr std::uint64_t small = 1U << 16U;
    const bool copied = size <= small;
    void* address = ::mmap(nullptr, size, copied ? PROT_READ | PROT_WRITE : PROT_READ, MAP_PRIVATE,
                           descriptor.get(), 0);
    if (address == MAP_FAILED) fail(ErrorCode::io, "map", path, errno);
    data_ = static_cast<const std::byte*>(address);
    size_ = size;
    if (!copied) return;
    try {
        read_all(descriptor.get(), static_cast<char*>(address), size, path);
    } catch (...) {
        ::munmap(address, size);
        throw;
    }
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

FileIdentity identity_of_file(const fs::path& path) {
    return state_of_file(path).identity;
}

FileState state_of_file(const fs::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    return {{static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino)},
            static_cast<std::int64_t>(info.st_ctim.tv_sec) * ns_per_s + info.st_ctim.tv_nsec};
}

FileIdentity write_file_atomically(const fs::path& path,
                                   std::span<const std::span<const std::byte>> parts) {
    FileStream file(path);
    for (const auto part : parts) file.write(part);
    const FileIdentity identity = file.identity();
    file.commit();
    return identity;
}

FileIdentity write_file_atomically(const fs::path& path, std::string_view text) {
    const std::span<const std::byte> part = std::as_bytes(std::span(text.data(), text.size()));
    return write_file_atomically(path, std::span(&part, 1));
}

bool is_stale_temporary(std::string_view name) {
    return name.starts_with('.') && name.ends_with(".tmp");
}

void remove_stale_temporaries(const fs::path& folder) {
    remove_leftovers(folder);
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;  // a leftover file does no harm
        const std::string name = it->path().filename().string();
        if (is_stale_temporary(name) && !names_its_maker(name)) fs::remove(it->path(), ignored);
    }
}

void make_folders(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error)
        throw Error(ErrorCode::io,
                    fmt::format("cannot make the folder `{}`: {}", path.string(), error.message()));
}

namespace {

/// False if "process N" names no process of this system. Then a former holder was killed, or the
/// holder is on another machine.
bool runs_here(std::string_view who) {
    constexpr std::string_view before = "process ";
    if (!who.starts_with(before)) return false;
    int number = 0;
    const char* const end = who.data() + who.size();
    const auto [stop, problem] = std::from_chars(who.data() + before.size(), end, number);
    if (problem != std::errc() || stop != end || number <= 0) return false;
    return ::kill(number, 0) == 0 || errno != ESRCH;
}

/// The name that the lock's holder wrote into its file; "" if it is not that of a running process.
std::string holder_named_in(int descriptor) {
    char holder[32] = {};
    const ssize_t got = retried([&] { return ::pread(descriptor, holder, sizeof holder - 1, 0); });
    std::string who(holder, got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!who.empty() && (who.back() == '\n' || who.back() == '\0')) who.pop_back();
    return runs_here(who) ? who : std::string();
}

/// Tries to take the lock. Waits a moment, because another process may only be checking the lock.
bool lock_soon(int descriptor) {
    using namespace std::chrono_literals;
    for (int tries = 0;; ++tries) {
        if (retried([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) == 0) return true;
        if (errno != EWOULDBLOCK || tries == 20) return false;
        std::this_thread::sleep_for(5ms);
    }
}

}  // namespace

std::string lock_holder(const fs::path& path) {
    const Descriptor descriptor(
        retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
    if (descriptor.get() < 0) return {};
    if (retried([&] { return ::flock(descriptor.get(), LOCK_SH | LOCK_NB); }) == 0) return {};
    if (errno != EWOULDBLOCK) return {};
    // The holder writes its name right after it took the lock.
    std::string who = holder_named_in(descriptor.get());
    for (int tries = 0; who.empty() && tries < 5; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        who = holder_named_in(descriptor.get());
    }
    return who.empty() ? "another process" : who;
}

FileLock::FileLock(const fs::path& path) {
    if (const int error = take(path); error != 0) fail(ErrorCode::io, "lock", path, error);
}

std::optional<FileLock> FileLock::if_supported(const fs::path& path) {
    FileLock lock;
    if (lock.take(path) != 0) return std::nullopt;
    return lock;
}

int FileLock::take(const fs::path& path) {
    Descriptor descriptor(
        retried([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); }));
    if (descriptor.get() < 0) fail(ErrorCode::io, "open the lock", path, errno);
    if (!lock_soon(descriptor.get())) {
        if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP) return errno;
        if (errno != EWOULDBLOCK) fail(ErrorCode::io, "lock", path, errno);
        const std::string who = holder_named_in(descriptor.get());
        throw Error(ErrorCode::busy,
                    fmt::format("`{}` is in use by another process{}; wait for it or stop it",
                                path.parent_path().string(), who.empty() ? "" : " (" + who + ")"));
    }
    // The name is only for messages; the kernel holds the lock.
    const std::string me = fmt::format("process {}\n", ::getpid());
    if (retried([&] { return ::ftruncate(descriptor.get(), 0); }) != 0 ||
        retried([&] { return ::pwrite(descriptor.get(), me.data(), me.size(), 0); }) < 0) {
        fail(ErrorCode::io, "write the lock", path, errno);
    }
    descriptor_ = descriptor.release();
    return 0;
}

FileLock::~FileLock() {
    if (descriptor_ < 0) return;
    // Removes the name, so that the next holder does not have it until it writes its own. If this
    // fails, runs_here() still detects most old names.
    [[maybe_unused]] const int emptied = retried([&] { return ::ftruncate(descriptor_, 0); });
    ::close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace assay
