// The change of an accuracy between two pools.
#pragma once

#include <cstdint>

#include "assay/estimate.h"

namespace assay::few_labels {

/// The second minus the first accuracy. The given intervals are for the pools. Each pool is a
/// sample of `images` from its population, which widens the interval of the change. The samples are
/// independent, so squared distances of the ends are added (Zou and Donner's MOVER 2008).
/// `quantile` belongs to the level.
Estimate change_of(const Estimate& before, std::uint64_t images_before, const Estimate& now,
                   std::uint64_t images_now, double quantile, double level);

/// The level of each of `number` intervals that together have `level` (Bonferroni).
double shared_level(double level, double number);

}  // namespace assay::few_labels
