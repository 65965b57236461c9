#include "containers/arrow/lz4_frame.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>

#include "containers/little_endian.h"
#include "containers/parquet/lz4.h"
#include "core/refuse.h"

namespace assay::arrow {
namespace {

/// The checksum of all parts of a frame, whose seed is 0.
std::uint32_t checksum_of(std::span<const std::byte> bytes) {
    return XXH32(bytes.data(), bytes.size(), 0);
}

class Lz4Frame {
public:
    Lz4Frame(std::span<const std::byte> packed, std::span<std::byte> out, std::uint64_t place)
        : rest_(packed), end_(place + packed.size()), out_(out) {}

    void unpack() {
        constexpr std::uint64_t signature = 0x184D2204;
        if (number(4) != signature) refuse("its lz4 data are damaged: no frame begins there");
        take_descriptor();
        while (take_block()) {
        }
        if (has_checksum_) expect_checksum(out_.first(made_));
        if (made_ != out_.size())
            refuse(fmt::format("its lz4 data decompress to {} bytes, not to the {} that it claims",
                               made_, out_.size()));
        if (!rest_.empty())
            refuse(
                fmt::format("the lz4 frame of a column ends at byte {} of the file, and {} more "
                            "bytes follow; allowed: one frame per column. Write the file again, "
                            "for example with pyarrow.feather.write_feather(table, NAME)",
                            end_ - rest_.size(), rest_.size()));
    }

private:
    std::span<const std::byte> bytes(std::size_t size) {
        if (size > rest_.size()) refuse("its lz4 data are cut off");
        const auto taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }

    std::uint64_t number(std::size_t size) { return little_endian(bytes(size)); }

    void expect_checksum(std::span<const std::byte> of) {
        if (number(4) != checksum_of(of)) refuse("its lz4 data are damaged: a checksum differs");
    }

    void take_descriptor() {
        const auto begin = rest_;
        const std::uint64_t flags = number(1);
        constexpr unsigned version = 0xC0, version_1 = 0x40, of_blocks = 0x10, has_size = 0x08,
                           of_content = 0x04, has_dictionary = 0x01;
        if ((flags & version) != version_1 || (flags & has_dictionary) != 0)
            refuse("its lz4 data have a frame that is not supported");
        number(1);
        if ((flags & has_size) != 0 && number(8) != out_.size())
            refuse("its lz4 data have another size than it claims");
        const auto descriptor = begin.first(begin.size() - rest_.size());
        if (number(1) != (checksum_of(descriptor) >> 8U & 0xFFU))
            refuse("its lz4 data are damaged: a checksum differs");
        blocks_have_checksums_ = (flags & of_blocks) != 0;
        has_checksum_ = (flags & of_content) != 0;
    }

    /// Returns false at the end of the frame. A block may repeat bytes of those before it.
    bool take_block() {
        constexpr std::uint64_t is_plain = std::uint64_t{1} << 31;
        const std::uint64_t size = number(4);
        if (size == 0) return false;
        const auto block = bytes(static_cast<std::size_t>(size & ~is_plain));
        if (blocks_have_checksums_) expect_checksum(block);
        if ((size & is_plain) == 0) {
            made_ = parquet::unpack_lz4(block, out_, made_);
            return true;
        }
        if (block.size() > out_.size() - made_) refuse("its lz4 data are longer than it claims");
        std::ranges::copy(block, out_.begin() + static_cast<std::ptrdiff_t>(made_));
        made_ += block.size();
        return true;
    }

    std::span<const std::byte> rest_;
    std::uint64_t end_;  ///< of all bytes, in the file
    std::span<std::byte> out_;
    std::size_t made_ = 0;
    bool blocks_have_checksums_ = false, has_checksum_ = false;
};

}  // namespace

void unpack_lz4_frame(std::span<const std::byte> packed, std::span<std::byte> out,
                      std::uint64_t place) {
    Lz4Frame(packed, out, place).unpack();
}

}  // namespace assay::arrow
