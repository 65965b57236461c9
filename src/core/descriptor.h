// Open files that close themselves.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <utility>

namespace assay {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

/// Opens a regular file for reading and tells its size. Throws bad_input for all else, without
/// waiting for it.
std::pair<int, std::uint64_t> open_regular(const std::filesystem::path& path);

}  // namespace assay
