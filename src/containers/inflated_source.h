// Random access to deflated bytes (RFC 1951) without unpacking them to memory or to disk: the
// arrays of a compressed .npz, a .gz file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

/// A part of another source.
class SourcePart final : public ByteSource {
public:
    /// Throws bad_input if the part exceeds the source.
    SourcePart(std::shared_ptr<const ByteSource> whole, std::uint64_t begin, std::uint64_t size);

    std::uint64_t size() const noexcept override { return size_; }
    void read(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    std::shared_ptr<const ByteSource> whole_;
    std::uint64_t begin_, size_;
};

/// The format around the packed bytes.
enum class DeflateWrap : std::uint8_t {
    none,  ///< raw deflate, as in zip files
    zlib,
    gzip,
};

/// Unpacks everything once to check it, and notes at most 256 positions (32 KiB each) at which
/// unpacking can start. After that, sequential reads cost one more pass, and a read elsewhere costs
/// at most 1/128 of a pass. Holds up to 32 pages of 1 MiB. Several threads may call const
/// functions; one at a time unpacks.
class InflatedSource final : public ByteSource {
public:
    /// Throws bad_input: damaged, truncated, more than `most` bytes, bytes after the end, a
    /// checksum of zlib or gzip that differs.
    InflatedSource(std::shared_ptr<const ByteSource> packed, DeflateWrap wrap, std::uint64_t most);
    ~InflatedSource() override;
    InflatedSource(const InflatedSource&) = delete;
    InflatedSource& operator=(const InflatedSource&) = delete;

    /// The first `most` unpacked bytes, or fewer if there are fewer. Throws bad_input.
    static std::vector<std::byte> beginning(const ByteSource& packed, DeflateWrap wrap,
                                            std::size_t most);

    std::uint64_t size() const noexcept override { return size_; }
    /// CRC-32 of all unpacked bytes.
    std::uint32_t crc() const noexcept { return crc_; }
    void read(std::uint64_t offset, std::span<std::byte> out) const override;
    /// Frees the pages. A later read makes them again.
    void forget() const;

private:
    class Inflater;
    struct Entrance;
    using Page = std::shared_ptr<const std::vector<std::byte>>;

    Page page(std::uint64_t number) const;
    void begin_before(std::uint64_t page) const;

    std::shared_ptr<const ByteSource> packed_;
    DeflateWrap wrap_;
    std::uint64_t size_ = 0;
    std::uint32_t crc_ = 0;
    std::vector<Entrance> entrances_;  ///< in order; the first is the beginning
    mutable std::mutex mutex_;
    mutable std::unique_ptr<Inflater> inflater_;  ///< positioned at the beginning of page next_
    mutable std::uint64_t next_ = 0;
    /// ordered by creation, the newest last
    mutable std::deque<std::pair<std::uint64_t, Page>> kept_;
};

}  // namespace assay
