// The rows of a ScoreMatrix as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/memory_store.h"
#include "containers/npy.h"

namespace assay::store {

/// Rows follow one another without a gap, at addresses where numbers of this type may lie.
bool is_packed(const ScoreMatrix& matrix);
const std::byte* row_at(const ScoreMatrix& matrix, std::uint64_t row);
/// A row's numbers, one behind the other: where they are, or in `buffer`.
NumberSpan numbers_of(const ScoreMatrix& matrix, std::uint64_t row, std::vector<std::byte>& buffer);
/// Rows [first, first + n) as floats, n x columns.
void read_rows(const ScoreMatrix& matrix, std::uint64_t first, std::uint32_t n,
               std::span<float> out);
/// The predicted classes of rows [first, first + n) of a matrix without columns. Throws bad_input:
/// one outside `classes`.
std::vector<TopEntry> read_predicted(const ScoreMatrix& matrix, std::uint64_t first,
                                     std::uint32_t n, std::uint32_t classes);
/// Throws usage: no rows, a matrix of whole numbers, one fraction a row.
void check_numbers(const ScoreMatrix& matrix);

}  // namespace assay::store
