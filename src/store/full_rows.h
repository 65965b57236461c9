// Stores with the scores of every class, and their rows as probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/store/row_reader.h"

namespace assay::store {

/// Throws bad_input if a store has only the best classes, or is not complete.
void require_full(const PredictionStore& store);

/// The probabilities of a row in double precision: the softmax of its scores, or the stored
/// probabilities as they are. `out` has the store's number of classes. The row's status must be ok.
/// Throws bad_input for stored probabilities whose sum is not 1 (0.98 to 1.02). Cost: two passes
/// over the row.
void read_probabilities(const RowReader& reader, std::uint64_t row, std::vector<float>& buffer,
                        std::span<double> out);

}  // namespace assay::store
