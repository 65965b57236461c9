// The change of an accuracy between two pools.
#pragma once

#include <cstdint>

#include "assay/estimate.h"

namespace assay::few_labels {

/// Second minus first. The intervals are of the pools; each pool is itself a sample of `images`
/// from what it stands for, which widens the change. Independent samples: distances of the ends are
/// added in squares (Zou and Donner's MOVER 2008). `quantile`: of the level, for the pools.
Estimate change_of(const Estimate& before, std::uint64_t images_before, const Estimate& now,
                   std::uint64_t images_now, double quantile, double level);

/// The level of one interval, so that `level` is that of `number` of them together (Bonferroni).
double shared_level(double level, double number);

}  // namespace assay::few_labels
