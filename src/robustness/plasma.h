// Plasma fractals, which are used as fog.
#pragma once

#include <vector>

#include "core/random.h"

namespace assay::robustness {

/// Diamond-square on a torus of side x side (a power of two), scaled to [0, 1], row after row. From
/// step to step the draws shrink by decay, and with the published wobble squared.
std::vector<float> plasma(int side, double decay, RandomStream& draws);

}  // namespace assay::robustness
