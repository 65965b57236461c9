// The rows of a ScoreMatrix as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/memory_store.h"
#include "containers/npy.h"

namespace assay::store {

/// True if rows are contiguous and aligned for numbers of this type.
bool is_packed(const ScoreMatrix& matrix);
const std::byte* row_at(const ScoreMatrix& matrix, std::uint64_t row);
/// A row's numbers as a contiguous array, in place or in `buffer`.
NumberSpan numbers_of(const ScoreMatrix& matrix, std::uint64_t row, std::vector<std::byte>& buffer);
/// Reads rows [first, first + n) as floats, n x columns.
void read_rows(const ScoreMatrix& matrix, std::uint64_t first, std::uint32_t n,
               std::span<float> out);
/// The predicted classes of rows [first, first + n) of a matrix without columns. Throws bad_input
/// for a class outside `classes`.
std::vector<TopEntry> read_predicted(const ScoreMatrix& matrix, std::uint64_t first,
                                     std::uint32_t n, std::uint32_t classes);
/// Throws usage for no rows, a matrix of integers, or one fraction per row.
void check_numbers(const ScoreMatrix& matrix);

}  // namespace assay::store
