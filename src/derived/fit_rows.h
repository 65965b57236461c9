// Rows of a store as logits, and as what is fitted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/derived/calibrate.h"
#include "assay/store/row_reader.h"
#include "derived/scaling_fit.h"

namespace assay::derived {

/// So far below the greatest of its row is a class of probability 0: the logarithm of the smallest
/// number that is stored.
inline constexpr double least_logit = -104;

/// Throws bad_input: a store that keeps the best classes alone, or one that is not complete.
void require_full(const PredictionStore& store);
/// Logits or log-probabilities as they are stored, probabilities as their logarithms; -inf as
/// least_logit below the greatest. The row's status must be ok.
void read_logits(const RowReader& reader, std::uint64_t row, std::vector<float>& buffer,
                 std::span<double> out);
/// Whether an item is one that is fitted, by its id.
bool is_of_fit(std::string_view id, double proportion, std::uint64_t seed);
/// Rows that have scores and a single label: all of them, or those of the fit by `options`.
std::vector<std::uint64_t> rows_of_fit(const RowReader& reader, bool all,
                                       const CalibrateOptions& options);
/// `rows` of the store; both must outlive it. Throws bad_input: no row, or a class without one
/// where each class is scaled.
ScalingRows scaling_rows(const RowReader& reader, const std::vector<std::uint64_t>& rows,
                         Scaling method);

}  // namespace assay::derived
