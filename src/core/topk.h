// The k best scores of a row, highest first. Equal scores are ordered by index, so results never
// depend on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Indices of the min(k, row.size()) best scores. `row` must not contain NaN. `order` is
/// overwritten (its memory is reused).
void top_k(std::span<const float> row, std::size_t k, std::vector<std::int32_t>& order);

/// How many of `wanted` (distinct indices into `row`) are among the wanted.size() best of the row.
/// This is |P n Y| of the variable top-k prediction set (Anzaku et al.). `row` must not contain
/// NaN. Cost: 1 + log2(wanted.size()) passes over the row, which is in the cache; no allocation
/// once a thread has seen its largest set.
std::uint32_t variable_top_k_hits(std::span<const float> row, std::span<const std::int32_t> wanted);

}  // namespace assay
