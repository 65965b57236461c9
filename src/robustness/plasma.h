// Plasma fractals, which are used as fog.
#pragma once

#include <vector>

#include "core/random.h"

namespace assay::robustness {

/// A diamond-square fractal on a torus of side x side (a power of two), scaled to [0, 1], in row
/// order. In each step the draws shrink by decay, and with the square of the wobble as published.
std::vector<float> plasma(int side, double decay, RandomStream& draws);

}  // namespace assay::robustness
