// The change of an accuracy between two pools.
#pragma once

#include <cstdint>

#include "assay/estimate.h"

namespace assay::few_labels {

/// Second minus first. The given intervals are for the pools; each pool is itself a sample of
/// `images` from the population that it represents, which widens the change. The samples are
/// independent: squared distances of the ends are added (Zou and Donner's MOVER 2008). `quantile`
/// is that of the level, for the pools.
Estimate change_of(const Estimate& before, std::uint64_t images_before, const Estimate& now,
                   std::uint64_t images_now, double quantile, double level);

/// The level of one interval for which `number` of them together have `level` (Bonferroni).
double shared_level(double level, double number);

}  // namespace assay::few_labels
