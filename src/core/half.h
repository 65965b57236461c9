// Converts between half and single floats (IEEE 754). Rounds to nearest, ties to even. Overflow
// gives infinity. NaNs become quiet and keep their sign and the upper bits of their payload. The
// processor's instructions (F16C) and the plain path give the same bits.
#pragma once

#include <cstdint>
#include <span>

namespace assay {

std::uint16_t half_from_float(float value);
float float_from_half(std::uint16_t half);

/// Requires out.size() == in.size(). The arrays need only the alignment of their element types.
void halves_from_floats(std::span<const float> in, std::span<std::uint16_t> out);
void floats_from_halves(std::span<const std::uint16_t> in, std::span<float> out);

}  // namespace assay
