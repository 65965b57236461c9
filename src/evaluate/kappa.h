// Cohen's kappa of being correct, which is the error consistency.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "assay/estimate.h"

namespace assay {

/// Both correct, only one, only the other, both incorrect.
using AgreementCells = std::array<double, 4>;

/// The probability that two agree by chance: p q + (1 - p)(1 - q).
double agreement_by_chance(const AgreementCells& cells);
/// No value if chance alone always gives agreement, or if there is no item.
std::optional<double> kappa_of(const AgreementCells& cells);

/// Replaces the interval of an error consistency by that of images in clusters. It comes from a
/// jackknife over `groups`, one per image, which hold whole clusters. In `one` and `two`, 1 means
/// correct, 0 incorrect, and 2 not counted.
void cluster_consistency(Estimate& value, std::span<const std::uint8_t> one,
                         std::span<const std::uint8_t> two, std::span<const std::uint8_t> groups,
                         double level);

}  // namespace assay
