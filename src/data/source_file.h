// Reads at any place of an open file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "core/descriptor.h"

namespace assay {

/// Const functions may be called from many threads. Nothing is mapped into memory: a file that
/// becomes shorter meanwhile is an error and no signal.
class SourceFile {
public:
    /// Throws bad_input (missing, no file) or io.
    explicit SourceFile(const std::filesystem::path& path);

    std::uint64_t size() const noexcept { return size_; }
    /// Fills `out` with the bytes from `offset` on. Throws bad_input where the file ends before, io
    /// where the disk fails.
    void read(std::uint64_t offset, std::span<std::byte> out) const;

private:
    explicit SourceFile(const std::pair<int, std::uint64_t>& opened);

    Descriptor descriptor_;
    std::uint64_t size_;
};

}  // namespace assay
