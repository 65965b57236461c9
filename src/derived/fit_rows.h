// Rows of a store as logits, and the rows for a fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/derived/calibrate.h"
#include "assay/store/row_reader.h"
#include "derived/scaling_fit.h"

namespace assay::derived {

/// The logit of a class with probability 0, relative to the highest logit of its row. It is the
/// logarithm of the smallest stored number.
inline constexpr double least_logit = -104;

/// Reads logits or log-probabilities as they are stored, and probabilities as their logarithms;
/// -inf becomes least_logit below the greatest. The row's status must be ok.
void read_logits(const RowReader& reader, std::uint64_t row, std::vector<float>& buffer,
                 std::span<double> out);
/// Returns true if the item with this id is used for the fit.
bool is_of_fit(std::string_view id, double proportion, std::uint64_t seed);
/// Rows with scores and a single label: all of them, or those that `options` selects for the fit.
std::vector<std::uint64_t> rows_of_fit(const RowReader& reader, bool all,
                                       const CalibrateOptions& options);
/// `rows` belong to the store; both must outlive the result. Throws bad_input if there are no rows,
/// a class has none although each class is scaled, or the stored probabilities of a row do
/// not sum to 1.
ScalingRows scaling_rows(const RowReader& reader, const std::vector<std::uint64_t>& rows,
                         Scaling method);

}  // namespace assay::derived
