// File descriptors that close themselves.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace assay {

/// Repeats a system call that a signal interrupted (-1 with EINTR). A stop request takes effect
/// between calls, not during a call.
template <class Call>
auto retried(Call&& call) {
    auto result = call();
    while (result == -1 && errno == EINTR) result = call();
    return result;
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    int release() noexcept { return std::exchange(fd_, -1); }

private:
    int fd_;
};

/// Opens a regular file for reading and returns its size. Throws bad_input for any other kind of
/// file, and never blocks on it.
std::pair<int, std::uint64_t> open_regular(const std::filesystem::path& path);

}  // namespace assay
