#include "core/file_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "assay/error.h"

namespace assay {

FileStream::FileStream(const std::filesystem::path& path) : path_(path) {
    static std::atomic<unsigned> counter{0};
    temporary_ = path.parent_path() / fmt::format(".{}.{}.s{}.tmp", path.filename().string(),
                                                  ::getpid(), counter.fetch_add(1));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("create");
}

FileStream::~FileStream() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void FileStream::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t wrote = ::write(descriptor_, text.data(), text.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) fail("write");
        text.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

void FileStream::commit() {
    if (::fsync(descriptor_) != 0) fail("sync");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename to");
    ::close(descriptor_);
    descriptor_ = -1;
}

void FileStream::fail(const char* verb) const {
    throw Error(ErrorCode::io,
                fmt::format("cannot {} `{}`: {}", verb, path_.string(), std::strerror(errno)));
}

}  // namespace assay
