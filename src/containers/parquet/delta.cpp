#include "containers/parquet/delta.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"

namespace assay::parquet {
namespace {

class DeltaReader {
public:
    explicit DeltaReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    Deltas read(std::size_t count) {
        const std::uint64_t block = varint(), miniblocks = varint(), claimed = varint();
        if (block == 0 || block > largest_block || miniblocks == 0 || block % miniblocks != 0 ||
            block / miniblocks % 8 != 0) {
            refuse(fmt::format("its deltas are damaged: blocks of {} values in {} parts", block,
                               miniblocks));
        }
        if (claimed != count)
            refuse(fmt::format("its deltas claim {} values, the page has {}", claimed, count));
        Deltas out;
        out.values.reserve(count);
        std::uint64_t value = zigzag();
        if (count > 0) out.values.push_back(value);
        while (out.values.size() < count) {
            const std::uint64_t least = zigzag();
            const auto widths = take(miniblocks);
            for (std::size_t m = 0; m < miniblocks && out.values.size() < count; ++m) {
                const auto width = std::to_integer<unsigned>(widths[m]);
                if (width > 64) refuse(fmt::format("its deltas are of {} bits; at most 64", width));
                const std::size_t own = block / miniblocks;
                const auto body = take(own / 8 * width);
                const std::size_t n = std::min(own, count - out.values.size());
                for (std::size_t i = 0; i < n; ++i) {
                    value += least + bits(body, i * width, width);
                    out.values.push_back(value);
                }
            }
        }
        out.size = at_;
        return out;
    }

private:
    static constexpr std::uint64_t largest_block = 1U << 20;

    [[noreturn]] static void refuse_cut() { refuse("its deltas are cut off"); }

    std::span<const std::byte> take(std::size_t size) {
        if (size > bytes_.size() - at_) refuse_cut();
        at_ += size;
        return bytes_.subspan(at_ - size, size);
    }

    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto next = std::to_integer<std::uint64_t>(take(1)[0]);
            value |= (next & 0x7fU) << shift;
            if (next < 0x80) return value;
        }
        refuse("its deltas are damaged: a number of more than 64 bits");
    }

    std::uint64_t zigzag() {
        const std::uint64_t value = varint();
        return (value >> 1) ^ (~(value & 1) + 1);
    }

    /// `width` bits from bit `at` on, the lowest first.
    static std::uint64_t bits(std::span<const std::byte> from, std::size_t at, unsigned width) {
        std::uint64_t value = 0;
        for (unsigned got = 0; got < width;) {
            const auto offset = static_cast<unsigned>((at + got) % 8);
            const unsigned n = std::min(8 - offset, width - got);
            const auto byte = std::to_integer<std::uint64_t>(from[(at + got) / 8]);
            value |= (byte >> offset & ((1U << n) - 1)) << got;
            got += n;
        }
        return value;
    }

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

}  // namespace

Deltas read_deltas(std::span<const std::byte> bytes, std::size_t count) {
    return DeltaReader(bytes).read(count);
}

}  // namespace assay::parquet
