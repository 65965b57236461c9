#include "store/spool.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "assay/error.h"
#include "core/file.h"
#include "core/temporary.h"

namespace assay::store {
namespace {

constexpr std::size_t buffer_bytes = 1U << 20;

[[noreturn]] void fail(const char* verb, const std::filesystem::path& folder) {
    throw Error(ErrorCode::io, fmt::format("cannot {} a temporary file in `{}`: {}", verb,
                                           folder.string(), std::strerror(errno)));
}

}  // namespace

Spool::Spool(const std::filesystem::path& folder) : folder_(folder) {
    make_folders(folder);
    Temporary file = make_temporary_file(folder / "import", 0600);
    if (::unlink(file.path.c_str()) != 0) fail("unlink", folder_);
    descriptor_ = file.held.release();
    buffer_.reserve(buffer_bytes);
}

Spool::~Spool() {
    if (mapped_ != nullptr) ::munmap(const_cast<std::byte*>(mapped_), size_);
    if (descriptor_ >= 0) ::close(descriptor_);
}

void Spool::append(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= buffer_bytes) flush();
}

void Spool::flush() {
    for (std::size_t done = 0; done < buffer_.size();) {
        const ssize_t wrote = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) fail("write", folder_);
        done += static_cast<std::size_t>(wrote);
    }
    size_ += buffer_.size();
    buffer_.clear();
}

std::span<const std::byte> Spool::finish() {
    flush();
    if (mapped_ == nullptr && size_ != 0) {
        void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
        if (address == MAP_FAILED) fail("map", folder_);
        mapped_ = static_cast<const std::byte*>(address);
    }
    return {mapped_, size_};
}

}  // namespace assay::store
