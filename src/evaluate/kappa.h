// Cohen's kappa of being correct, which is the error consistency.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "assay/estimate.h"

namespace assay {

/// Counts of items: both correct, only one, only the other, both incorrect.
using AgreementCells = std::array<double, 4>;

/// The probability that two classifiers agree by chance: p q + (1 - p)(1 - q).
double agreement_by_chance(const AgreementCells& cells);
/// No value without items, or if chance always gives agreement.
std::optional<double> kappa_of(const AgreementCells& cells);

/// Replaces the interval of an error consistency by that of images in clusters. It uses a jackknife
/// over `groups`, which have one entry per image and consist of whole clusters. In `one` and `two`,
/// 1 means correct, 0 incorrect, 2 not counted.
void cluster_consistency(Estimate& value, std::span<const std::uint8_t> one,
                         std::span<const std::uint8_t> two, std::span<const std::uint8_t> groups,
                         double level);

}  // namespace assay
