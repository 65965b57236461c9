// The brightness of a pixel.
#pragma once

#include <cstdint>

namespace assay {

/// ITU-R BT.601 in integers, as in Pillow's convert("L").
inline std::uint8_t luma(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
    return static_cast<std::uint8_t>((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
}

}  // namespace assay
