#include "core/file_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "assay/error.h"
#include "core/descriptor.h"

namespace assay {
namespace {

[[noreturn]] void fail_to(const char* verb, const std::filesystem::path& path) {
    throw Error(ErrorCode::io,
                fmt::format("cannot {} `{}`: {}", verb, path.string(), std::strerror(errno)));
}

std::optional<struct stat> regular_file(const std::filesystem::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return info;
}

/// The system may not let this process set the owner or group. Then the members of the new file's
/// group get no more access than everybody.
void take_over(int descriptor, const struct stat& replaced, const std::filesystem::path& path) {
    struct stat own {};
    if (::fstat(descriptor, &own) != 0) fail_to("examine", path);
    mode_t mode = replaced.st_mode & 0777;
    if (own.st_uid != replaced.st_uid || own.st_gid != replaced.st_gid) {
        const bool same_group = ::fchown(descriptor, replaced.st_uid, replaced.st_gid) == 0 ||
                                own.st_gid == replaced.st_gid ||
                                ::fchown(descriptor, static_cast<uid_t>(-1), replaced.st_gid) == 0;
        if (!same_group) mode &= ~(mode_t{070} & ~((mode & 07) << 3));
    }
    // A failure is harmless on file systems without permissions.
    if (::fchmod(descriptor, mode) != 0 && errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
        fail_to("set the permissions of", path);
}

}  // namespace

void sync_folder(const std::filesystem::path& folder) {
    const Descriptor descriptor(retried([&] {
        return ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }));
    // Some network file systems refuse to sync folders. Then only the rename is
    // possible.
    if (descriptor.get() >= 0 && retried([&] { return ::fsync(descriptor.get()); }) != 0 &&
        errno != EINVAL && errno != EROFS) {
        fail_to("sync", folder);
    }
}

FileStream::FileStream(const std::filesystem::path& path)
    : path_(path),
      replaced_(regular_file(path)),
      // Keeps a private file private while it is written, before it gets its permissions.
      temporary_(make_temporary_file(path, replaced_ ? replaced_->st_mode & 0600 : 0666)) {}

FileStream::~FileStream() {
    if (!named_) ::unlink(temporary_.path.c_str());
}

void FileStream::write(std::span<const std::byte> bytes) {
    write_fully(temporary_.held.get(), bytes, path_);
}

void FileStream::write(std::string_view text) {
    write(std::as_bytes(std::span(text.data(), text.size())));
}

FileIdentity FileStream::identity() const {
    struct stat info {};
    if (::fstat(temporary_.held.get(), &info) != 0) fail_to("examine", path_);
    return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino)};
}

void FileStream::commit(Sync sync) {
    const int descriptor = temporary_.held.get();
    if (replaced_) take_over(descriptor, *replaced_, path_);
    if (sync == Sync::now && retried([&] { return ::fsync(descriptor); }) != 0)
        fail_to("sync", path_);
    // A network file system may report a full disk only at close. So a duplicate descriptor is
    // closed, because the file must keep its lock until it is renamed. Without a spare descriptor,
    // this check is skipped.
    const int second = ::dup(descriptor);
    if (second >= 0 && ::close(second) != 0 && errno != EINTR) fail_to("close", path_);
    if (retried([&] { return ::rename(temporary_.path.c_str(), path_.c_str()); }) != 0)
        fail_to("rename to", path_);
    named_ = true;
    const Descriptor closed(temporary_.held.release());
    if (sync == Sync::now) sync_folder(path_.parent_path());
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EAGAIN) {  // a full pipe that another process set to
                                             // non-blocking
            pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
            if (::poll(&ready, 1, -1) >= 0 || errno == EINTR) continue;
        }
        if (wrote < 0) return errno;
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
    return 0;
}

void write_fully(int descriptor, std::span<const std::byte> bytes,
                 const std::filesystem::path& path) {
    errno = write_all(descriptor, bytes);
    if (errno != 0) fail_to("write", path);
}

}  // namespace assay
