#include "containers/mat/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "containers/little_endian.h"
#include "core/refuse.h"

namespace assay::mat {
namespace {

std::uint32_t little_endian_32(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(little_endian(bytes));
}

}  // namespace

void check_header(const ByteSource& file) {
    std::array<std::byte, header_bytes> header{};
    const auto there = static_cast<std::size_t>(std::min(file.size(), header_bytes));
    file.read(0, std::span(header).first(there));
    const std::string_view start(reinterpret_cast<const char*>(header.data()), there);
    if (start.starts_with("MATLAB 7.3") || start.starts_with("\x89HDF"))
        refuse("it is a MAT-file of version 7.3 (HDF5); save it with -v7 or scipy.io.savemat");
    if (there < header_bytes) refuse("it is too short for a MAT-file");
    if (start.substr(126) == "MI") refuse("it is a big-endian MAT-file, which is not supported");
    constexpr std::uint32_t level_5 = 0x0100;
    if (start.substr(126) != "IM" || little_endian_32(std::span(header).subspan(124, 2)) != level_5)
        refuse("it is not a MAT-file of level 5");
}

Tag tag_at(const ByteSource& source, std::uint64_t at) {
    std::array<std::byte, 8> raw{};
    const auto cut_off = [&] {
        refuse(fmt::format("an element begins at byte {} of {} and is cut off", at, source.size()));
    };
    if (at > source.size() || source.size() - at < raw.size()) cut_off();
    source.read(at, raw);
    const std::uint32_t first = little_endian_32(std::span(raw).first(4));
    if (const std::uint32_t small = first >> 16; small > 0) {  // the data are in the tag itself
        constexpr std::uint32_t most = 4;
        if (small > most)
            refuse(fmt::format("an element at byte {} has {} bytes in its tag", at, small));
        return {.type = first & 0xFFFF, .begin = at + 4, .size = small, .next = at + raw.size()};
    }
    Tag tag{.type = first,
            .begin = at + raw.size(),
            .size = little_endian_32(std::span(raw).subspan(4)),
            .next = 0};
    if (tag.size > source.size() - tag.begin) cut_off();
    // Packed elements are not padded to eight bytes.
    tag.next = tag.begin + (tag.type == packed_type ? tag.size : (tag.size + 7) / 8 * 8);
    return tag;
}

}  // namespace assay::mat
