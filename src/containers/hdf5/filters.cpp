#include "containers/hdf5/filters.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "containers/hdf5/objects.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

constexpr std::size_t checksum_bytes = 4;

std::string_view name_of_filter(std::uint64_t id) {
    switch (id) {
        case 4:
            return "szip";
        case 5:
            return "nbit";
        case 6:
            return "scale and offset";
        case 32001:
            return "blosc";
        case 32004:
            return "lz4";
        case 32008:
            return "bitshuffle";
        case 32015:
            return "zstd";
        case 32026:
            return "blosc2";
        default:
            return "unknown";
    }
}

std::vector<std::byte> inflated(std::span<const std::byte> packed, std::size_t most) {
    constexpr std::size_t most_ratio = 1032;  // deflate's limit, which also limits allocations
    std::vector<std::byte> out(std::min(most, packed.size() * most_ratio));
    auto length = static_cast<uLongf>(out.size());
    const int status = uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                                  reinterpret_cast<const Bytef*>(packed.data()),
                                  static_cast<uLong>(packed.size()));
    if (status != Z_OK) refuse("it is damaged: a chunk cannot be decompressed (deflate)");
    out.resize(length);
    return out;
}

/// LZF, which h5py uses for packing. A byte below 32 begins a run of that many bytes plus one. Any
/// other byte has the length of a repetition in its upper three bits (7: the next byte is added).
/// Its other bits and a further byte hold the distance.
std::vector<std::byte> without_lzf(std::span<const std::byte> packed, std::size_t most) {
    constexpr std::size_t longest_run = 32, long_repetition = 7;
    std::vector<std::byte> out;
    std::size_t at = 0;
    const auto take = [&] {
        if (at == packed.size()) refuse("it is damaged: a chunk that lzf packed is cut off");
        return std::to_integer<std::size_t>(packed[at++]);
    };
    while (at < packed.size()) {
        const std::size_t control = take();
        if (control < longest_run) {
            for (std::size_t i = 0; i <= control; ++i)
                out.push_back(static_cast<std::byte>(take()));
        } else {
            std::size_t length = control >> 5U;
            if (length == long_repetition) length += take();
            const std::size_t distance = ((control & 31U) << 8U) + take() + 1;
            if (distance > out.size())
                refuse("it is damaged: a chunk that lzf packed repeats bytes that do not exist");
            for (std::size_t i = 0; i < length + 2; ++i) out.push_back(out[out.size() - distance]);
        }
        if (out.size() > most) refuse("it is damaged: a chunk that lzf packed is too long");
    }
    return out;
}

/// Undoes shuffling, which stores all first bytes, then all second bytes, and so on. The bytes
/// after the last whole element stay in place.
std::vector<std::byte> unshuffled(std::span<const std::byte> bytes, std::size_t element) {
    std::vector<std::byte> out(bytes.begin(), bytes.end());
    const std::size_t elements = bytes.size() / element;
    for (std::size_t b = 0; b < element; ++b)
        for (std::size_t i = 0; i < elements; ++i) out[i * element + b] = bytes[b * elements + i];
    return out;
}

/// The checksum as HDF5 computes it: over words of 16 bits, with the first byte as the upper half.
std::uint32_t fletcher32_of(std::span<const std::byte> bytes) {
    std::uint32_t low = 0, high = 0;
    constexpr std::size_t words_without_overflow = 360;
    const auto fold = [](std::uint32_t sum) { return (sum & 0xFFFFU) + (sum >> 16U); };
    std::size_t at = 0;
    const std::size_t even = bytes.size() / 2 * 2;
    while (at < even) {
        const std::size_t end = std::min(even, at + 2 * words_without_overflow);
        for (; at < end; at += 2) {
            low += std::to_integer<std::uint32_t>(bytes[at]) << 8U |
                   std::to_integer<std::uint32_t>(bytes[at + 1]);
            high += low;
        }
        low = fold(low);
        high = fold(high);
    }
    if (even < bytes.size()) {
        low += std::to_integer<std::uint32_t>(bytes[even]) << 8U;
        high += low;
        low = fold(low);
        high = fold(high);
    }
    return fold(high) << 16U | fold(low);
}

/// Removes the checksum at the end.
std::vector<std::byte> checked(std::vector<std::byte> chunk) {
    if (chunk.size() < checksum_bytes) refuse("it is damaged: a chunk is too short");
    const std::span<const std::byte> bytes = std::span(chunk).first(chunk.size() - checksum_bytes);
    const std::uint64_t said =
        Fields(std::span(chunk).last(checksum_bytes), "a checksum").number(checksum_bytes);
    if (said != fletcher32_of(bytes)) refuse("it is damaged: a chunk's checksum differs");
    chunk.resize(bytes.size());
    return chunk;
}

}  // namespace

Filters::Filters(std::span<const std::byte> message) {
    Fields fields(message, "a list of filters");
    const std::uint64_t version = fields.number(1), count = fields.number(1);
    if (version != 1 && version != 2)
        refuse(fmt::format("a list of filters of version {} is not supported", version));
    constexpr std::uint64_t most_filters = 32;  // a chunk has a bit for each filter
    if (count > most_filters) refuse(fmt::format("it is damaged: a list of {} filters", count));
    if (version == 1) fields.skip(6);
    constexpr std::uint64_t first_without_name = 256;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t id = fields.number(2);
        const bool named = version == 1 || id >= first_without_name;
        const std::uint64_t name = named ? fields.number(2) : 0;
        fields.skip(2);
        const std::uint64_t values = fields.number(2);
        fields.skip(static_cast<std::size_t>(name));
        fields.skip(static_cast<std::size_t>(4 * values));
        if (version == 1 && values % 2 == 1) fields.skip(4);
        if ((id < 1 || id > 3) && id != static_cast<std::uint64_t>(Filter::lzf))
            refuse(
                fmt::format("its chunks are packed by the filter {} ({}); deflate (gzip), lzf, "
                            "shuffle and fletcher32 are read",
                            name_of_filter(id), id));
        filters_.push_back(static_cast<Filter>(id));
    }
}

std::vector<std::byte> Filters::undo(std::vector<std::byte> chunk, std::uint32_t left_out,
                                     std::size_t size, std::size_t element_bytes) const {
    const std::size_t most = size + checksum_bytes * filters_.size();
    for (std::size_t i = filters_.size(); i-- > 0;) {
        if ((left_out >> i & 1U) != 0) continue;
        switch (filters_[i]) {
            case Filter::deflate:
                chunk = inflated(chunk, most);
                break;
            case Filter::lzf:
                chunk = without_lzf(chunk, most);
                break;
            case Filter::shuffle:
                chunk = unshuffled(chunk, element_bytes);
                break;
            case Filter::fletcher32:
                chunk = checked(std::move(chunk));
                break;
        }
    }
    if (chunk.size() != size)
        refuse(fmt::format("it is damaged: a chunk has {} bytes of {}", chunk.size(), size));
    return chunk;
}

}  // namespace assay::hdf5
