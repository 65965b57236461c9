// Little-endian numbers in the bytes of a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "containers/byte_source.h"

namespace assay {

/// The unsigned number in all of the bytes, at most 8.
inline std::uint64_t little_endian(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
}

/// The same for `size` bytes from `at` on. Throws bad_input if there are fewer.
inline std::uint64_t little_endian(const ByteSource& file, std::uint64_t at, std::size_t size) {
    std::array<std::byte, 8> raw{};
    const auto bytes = std::span(raw).first(size);
    file.read(at, bytes);
    return little_endian(bytes);
}

}  // namespace assay
