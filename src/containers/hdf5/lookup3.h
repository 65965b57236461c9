// The checksum of HDF5's newer structures: lookup3 of B. Jenkins, "hashlittle" with the initial
// value 0 (http://burtleburtle.net/bob/c/lookup3.c, in the public domain).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::hdf5 {

inline std::uint32_t lookup3(std::span<const std::byte> bytes) {
    std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
    const auto add = [&](std::size_t most) {  // up to twelve bytes, the lowest first
        std::uint32_t* const sums[] = {&a, &b, &c};
        for (std::size_t i = 0; i < most; ++i)
            *sums[i / 4] += std::to_integer<std::uint32_t>(bytes[i]) << (8 * (i % 4));
        bytes = bytes.subspan(most);
    };
    const auto step = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int turn) {
        x -= z;
        x ^= std::rotl(z, turn);
        z += y;
    };
    while (bytes.size() > 12) {
        add(12);
        step(a, b, c, 4);
        step(b, c, a, 6);
        step(c, a, b, 8);
        step(a, b, c, 16);
        step(b, c, a, 19);
        step(c, a, b, 4);
    }
    if (bytes.empty()) return c;
    add(bytes.size());
    const auto last = [](std::uint32_t& x, std::uint32_t y, int turn) {
        x ^= y;
        x -= std::rotl(y, turn);
    };
    last(c, b, 14);
    last(a, c, 11);
    last(b, a, 25);
    last(c, b, 16);
    last(a, c, 4);
    last(b, a, 14);
    last(c, b, 24);
    return c;
}

}  // namespace assay::hdf5
