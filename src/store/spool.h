// An unnamed temporary file: bytes of unknown number are appended, then seen as one mapped array.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace assay::store {

class Spool {
public:
    /// In `folder`, so that a large one does not fill a small /tmp. The system removes it, however
    /// the process ends. Throws io.
    explicit Spool(const std::filesystem::path& folder);
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    void append(std::span<const std::byte> bytes);
    /// All that was appended; nothing can be appended any more. Valid as long as this lives.
    std::span<const std::byte> finish();

private:
    void flush();

    std::filesystem::path folder_;
    int descriptor_ = -1;
    std::vector<std::byte> buffer_;
    std::size_t size_ = 0;
    const std::byte* mapped_ = nullptr;
};

}  // namespace assay::store
