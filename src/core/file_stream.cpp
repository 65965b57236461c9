#include "core/file_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "assay/error.h"
#include "core/descriptor.h"

namespace assay {
namespace {

[[noreturn]] void fail_to(const char* verb, const std::filesystem::path& path) {
    throw Error(ErrorCode::io,
                fmt::format("cannot {} `{}`: {}", verb, path.string(), std::strerror(errno)));
}

void sync_folder(const std::filesystem::path& folder) {
    const Descriptor descriptor(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some network file systems refuse to sync folders; the rename itself is then all they offer.
    if (descriptor.get() >= 0 && ::fsync(descriptor.get()) != 0 && errno != EINVAL &&
        errno != EROFS) {
        fail_to("sync", folder);
    }
}

}  // namespace

FileStream::FileStream(const std::filesystem::path& path) : path_(path) {
    // The name is unique to this process and call; a leading dot keeps half-written files out of
    // listings.
    static std::atomic<unsigned> counter{0};
    temporary_ = path.parent_path() / fmt::format(".{}.{}.{}.tmp", path.filename().string(),
                                                  ::getpid(), counter.fetch_add(1));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_to("create", path_);
}

FileStream::~FileStream() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileStream::write(std::span<const std::byte> bytes) {
    write_fully(descriptor_, bytes, path_);
}

void FileStream::write(std::string_view text) {
    write(std::as_bytes(std::span(text.data(), text.size())));
}

void FileStream::commit(Sync sync) {
    if (sync == Sync::now && ::fsync(descriptor_) != 0) fail_to("sync", path_);
    // A network file system may only now say that the disk is full.
    if (::close(std::exchange(descriptor_, -1)) != 0) fail_to("close", path_);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_to("rename to", path_);
    temporary_.clear();
    if (sync == Sync::now) sync_folder(path_.parent_path());
}

void write_fully(int descriptor, std::span<const std::byte> bytes,
                 const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) fail_to("write", path);
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    }
}

}  // namespace assay
