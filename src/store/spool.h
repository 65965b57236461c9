// An unnamed temporary file. Bytes are appended without a known total, and then read as one mapped
// array.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace assay::store {

class Spool {
public:
    /// The file is created in `folder`, so that a large file does not fill a small /tmp. The system
    /// removes it at the end of the process. Throws io.
    explicit Spool(const std::filesystem::path& folder);
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    void append(std::span<const std::byte> bytes);
    /// All appended bytes. Nothing can be appended afterwards. Valid as long as this object lives.
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
