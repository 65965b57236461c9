// The size of a change of an image in each norm, and the nearest change of a given size.
#pragma once

#include <span>

#include "assay/robustness/attack.h"

namespace assay::attack {

/// The size of b - a, for images of the same length. Differences are exact, in double precision.
double size_of_change(Norm norm, std::span<const float> a, std::span<const float> b);

/// The size of a gradient in the dual norm: how fast the loss can grow per unit of change. For l0,
/// where a unit is one element, this is the largest element.
double dual_size(Norm norm, std::span<const float> gradient);

/// Moves x to the nearest point at a distance of at most `size` from the original, then into the
/// box [0, 1]. For l0, the changes of the floor(size) elements that changed most are kept; of equal
/// changes, the first. Cost: O(n); l1: O(n log n).
void limit_change(Norm norm, std::span<const float> original, std::span<float> x, double size);

/// Shortens the change from `original` to `x`: the proportion `kept` of it (of its elements for l0,
/// the largest ones) remains.
void shorten_change(Norm norm, std::span<const float> original, std::span<float> x, double kept);

}  // namespace assay::attack
