// The k best scores of a row, highest first. Equal scores are ordered by index, so results never
// depend on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// The indices of the min(k, row.size()) best scores. `row` must not contain NaN. `order` is
/// overwritten and its memory reused.
void top_k(std::span<const float> row, std::size_t k, std::vector<std::int32_t>& order);

/// The number of `wanted` (distinct indices into `row`) among the wanted.size() best scores. This
/// is the size of the intersection of P and Y in variable top-k (Anzaku et al.). `row` must not
/// contain NaN. Cost: 1 + log2(wanted.size()) passes over the row, which is in the cache; no
/// allocation once a thread has seen its largest set.
std::uint32_t variable_top_k_hits(std::span<const float> row, std::span<const std::int32_t> wanted);

}  // namespace assay
