// Reads at any place of a file, here or at a URL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "containers/byte_source.h"
#include "core/descriptor.h"

namespace assay {

namespace remote {
class File;
}

/// Const functions may be called from many threads. Nothing is mapped into memory: a file that
/// becomes shorter meanwhile is an error and no signal.
class SourceFile final : public ByteSource {
public:
    /// Throws bad_input (missing, no file), io, or unreachable.
    explicit SourceFile(const std::filesystem::path& path);

    std::uint64_t size() const noexcept override { return size_; }
    /// Of a file at a URL; else null.
    const remote::File* remote() const noexcept { return remote_.get(); }
    /// Fills `out` with the bytes from `offset` on. Throws bad_input where the file ends before, io
    /// where the disk fails, unreachable where a server does.
    void read(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    void read_here(std::uint64_t offset, std::span<std::byte> out) const;

    std::uint64_t size_ = 0;
    std::optional<Descriptor> here_;
    std::shared_ptr<const remote::File> remote_;
};

}  // namespace assay
