// Computes the kernel of a defocus blur.
#pragma once

#include "robustness/planes.h"

namespace assay::robustness {

/// A disk on a grid of 17 x 17 (of 2 * radius + 1 above radius 8), normalised. It is then smoothed
/// by a Gaussian of 3 x 3 (5 x 5 above radius 8) and `sigma`.
Kernel disk_kernel(double radius, double sigma);

}  // namespace assay::robustness
