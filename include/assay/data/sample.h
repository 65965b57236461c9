// A part of a data set that stands for the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/data/dataset.h"

namespace assay {

/// The items at these places, ascending, with their labels and attributes; name, root and classes
/// stay.
Dataset take_items(const Dataset& dataset, std::span<const std::uint32_t> items);

/// `n` items, stratified by class: each class gives its proportion of them, rounded so that the sum
/// is n (largest remainders; of equal ones, by a draw), and within a class every item has the same
/// chance. Items with several labels are a stratum of their own, those without another. Order as in
/// the data set. The same items for the same seed; all of them for n >= size. Throws usage for n =
/// 0. Cost: O(N log N).
Dataset stratified_sample(const Dataset& dataset, std::size_t n, std::uint64_t seed);

}  // namespace assay
