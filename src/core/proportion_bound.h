// One-sided bounds of a proportion whose counts need not be whole.
#pragma once

namespace assay {

/// Clopper and Pearson's (1934) upper bound: the proportion for which so few hits have the
/// probability `tail`. 0 <= hits <= trials, trials > 0, tail in (0, 1). Trials may be fractional,
/// such as an effective number of images. Returns 1 if every trial is a hit.
double upper_bound_of_proportion(double hits, double trials, double tail);

}  // namespace assay
