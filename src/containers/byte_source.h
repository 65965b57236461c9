// Random access to bytes that do not change while they are read: memory, a file, a URL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/refuse.h"

namespace assay {

/// Several threads may call const functions at once.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    virtual std::uint64_t size() const noexcept = 0;
    /// Fills `out` with the bytes from `offset` on. Throws bad_input if there are fewer bytes.
    virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;

protected:
    ByteSource() = default;
    ByteSource(const ByteSource&) = default;
    ByteSource(ByteSource&&) = default;
    ByteSource& operator=(const ByteSource&) = default;
    ByteSource& operator=(ByteSource&&) = default;
};

/// Bytes in memory that another object owns, which must outlive this one.
class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::uint64_t size() const noexcept override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
            refuse("it ends at byte " + std::to_string(bytes_.size()) + "; bytes up to " +
                   std::to_string(offset + out.size()) + " are needed");
        if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
    }

private:
    std::span<const std::byte> bytes_;
};

}  // namespace assay
