#include "containers/parquet/hybrid.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"

namespace assay::parquet {
namespace {

class HybridReader {
public:
    HybridReader(std::span<const std::byte> bytes, unsigned bit_width)
        : bytes_(bytes), bit_width_(bit_width) {}

    /// Appends the values of the next run. `out` never grows beyond `count`.
    void run(std::vector<std::uint32_t>& out, std::size_t count) {
        const std::uint32_t header = varint();
        if ((header & 1U) == 0) {
            repeated(out, std::min<std::size_t>(header >> 1, count - out.size()));
        } else {
            packed(out, std::size_t{header >> 1} * 8, count - out.size());
        }
    }

private:
    std::uint32_t byte() {
        if (at_ == bytes_.size()) refuse("its levels or indices are cut off");
        return static_cast<std::uint32_t>(bytes_[at_++]);
    }

    std::uint32_t varint() {
        std::uint32_t value = 0;
        for (unsigned shift = 0; shift < 32; shift += 7) {
            const std::uint32_t next = byte();
            if (shift == 28 && next > 0x0f) break;
            value |= (next & 0x7fU) << shift;
            if (next < 0x80) return value;
        }
        refuse("its levels or indices are damaged: a run of more than 2^32 values");
    }

    void repeated(std::vector<std::uint32_t>& out, std::size_t n) {
        std::uint32_t value = 0;
        for (unsigned bits = 0; bits < bit_width_; bits += 8) value |= byte() << bits;
        out.insert(out.end(), n, value);
    }

    /// The lowest bits come first. Some writers cut the last group off after its last value.
    void packed(std::vector<std::uint32_t>& out, std::size_t claimed, std::size_t wanted) {
        const std::size_t n = std::min(claimed, wanted);
        const std::uint64_t mask = (std::uint64_t{1} << bit_width_) - 1;
        std::uint64_t held = 0;
        unsigned held_bits = 0;
        const std::size_t first = at_;
        for (std::size_t i = 0; i < n; ++i) {
            for (; held_bits < bit_width_; held_bits += 8)
                held |= std::uint64_t{byte()} << held_bits;
            out.push_back(static_cast<std::uint32_t>(held & mask));
            held >>= bit_width_;
            held_bits -= bit_width_;
        }
        at_ = first + std::min<std::size_t>(claimed / 8 * bit_width_, bytes_.size() - first);
    }

    std::span<const std::byte> bytes_;
    unsigned bit_width_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<std::uint32_t> read_hybrid(std::span<const std::byte> bytes, unsigned bit_width,
                                       std::size_t count) {
    if (bit_width > 32) refuse(fmt::format("its indices are of {} bits; at most 32", bit_width));
    std::vector<std::uint32_t> values;
    values.reserve(count);
    HybridReader reader(bytes, bit_width);
    while (values.size() < count) reader.run(values, count);
    return values;
}

}  // namespace assay::parquet
