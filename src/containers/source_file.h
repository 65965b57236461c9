// Random access to a file, local or at a URL.
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

/// Several threads may call const functions. Nothing is mapped into memory, so a file that is
/// truncated meanwhile causes an error and no signal.
class SourceFile final : public ByteSource {
public:
    /// Throws bad_input (missing, no file), io, or unreachable.
    explicit SourceFile(const std::filesystem::path& path);

    std::uint64_t size() const noexcept override { return size_; }
    /// The file at a URL, or null for a local file.
    const remote::File* remote() const noexcept { return remote_.get(); }
    /// Fills `out` with the bytes from `offset` on. Throws bad_input if the file ends before that,
    /// io if the disk fails, unreachable if a server fails.
    void read(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    void read_here(std::uint64_t offset, std::span<std::byte> out) const;

    std::uint64_t size_ = 0;
    std::optional<Descriptor> here_;
    std::shared_ptr<const remote::File> remote_;
};

}  // namespace assay
