// The k best of a row. Highest score first; equal scores in order of the lower index, so results never depend on
// threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Indices of the min(k, row.size()) best scores. `row` without NaN. `order` is overwritten (its memory is reused).
void top_k(std::span<const float> row, std::size_t k, std::vector<std::int32_t>& order);

}  // namespace assay
