#include "containers/parquet/hybrid_write.h"

#include <algorithm>

#include "containers/parquet/thrift_writer.h"

namespace assay::parquet {
namespace {

std::size_t run_length(std::span<const std::uint32_t> values, std::size_t first) {
    std::size_t end = first + 1;
    while (end < values.size() && values[end] == values[first]) ++end;
    return end - first;
}

/// Packs eight values into `bit_width` bytes, and pads the last group with zeros.
void append_packed(std::string& out, std::span<const std::uint32_t> values, unsigned bit_width) {
    const std::size_t groups = (values.size() + 7) / 8;
    append_varint(out, groups << 1 | 1);
    std::uint64_t bits = 0;
    unsigned held = 0;
    for (std::size_t i = 0; i < groups * 8; ++i) {
        bits |= std::uint64_t{i < values.size() ? values[i] : 0} << held;
        for (held += bit_width; held >= 8; held -= 8, bits >>= 8)
            out += static_cast<char>(bits & 0xff);
    }
}

}  // namespace

unsigned bits_of(std::uint32_t value) {
    unsigned bits = 0;
    for (; value != 0; value >>= 1) ++bits;
    return bits;
}

std::string hybrid_bytes(std::span<const std::uint32_t> values, unsigned bit_width) {
    std::string out;
    for (std::size_t at = 0; at < values.size();) {
        const std::size_t run = run_length(values, at);
        if (run >= 8 || at + run == values.size()) {
            append_varint(out, run << 1);
            for (unsigned b = 0; b < bit_width; b += 8)
                out += static_cast<char>(values[at] >> b & 0xff);
            at += run;
            continue;
        }
        // Packed groups have eight values, so a run of eight can only begin at the end of a
        // group.
        std::size_t end = at;
        while (end < values.size() && run_length(values, end) < 8)
            end = std::min(end + 8, values.size());
        append_packed(out, values.subspan(at, end - at), bit_width);
        at = end;
    }
    return out;
}

}  // namespace assay::parquet
