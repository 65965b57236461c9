// Finds on which of 64 images two classifiers disagree.
#pragma once

#include <cstdint>

namespace assay::mad::detail {

/// Bit i: a[i] != b[i], for 64 labels each.
std::uint64_t different_plain(const std::uint16_t* a, const std::uint16_t* b);
/// The same with AVX2; call it only if cpu_has_avx2().
std::uint64_t different_avx2(const std::uint16_t* a, const std::uint16_t* b);
/// Bit i says whether confidences[i] >= threshold.
std::uint64_t confident_plain(const std::uint8_t* confidences, std::uint8_t threshold);
std::uint64_t confident_avx2(const std::uint8_t* confidences, std::uint8_t threshold);

}  // namespace assay::mad::detail
