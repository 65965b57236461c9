// Exact sums of real numbers: two integers, one for whole 2^-20ths and one for the rest in units of
// 2^-52.
#pragma once

#include <cmath>
#include <cstdint>

namespace assay {

inline constexpr int real_slots = 2;

/// Adds `weightless` value to state[0..1]. Requires |value| < 2^20; 2^31 such values fit. The error
/// is 2^-53 per value.
inline void add_real(std::int64_t* state, double value) {
    const double scaled = value * 0x1p20;
    const double whole = std::floor(scaled);
    state[0] += static_cast<std::int64_t>(whole);
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): it is not negative, and lround is a call
    state[1] += static_cast<std::int64_t>((scaled - whole) * 0x1p32 + 0.5);
}

inline double real_of(const std::int64_t* state) {
    return static_cast<double>(state[0]) * 0x1p-20 + static_cast<double>(state[1]) * 0x1p-52;
}

}  // namespace assay
