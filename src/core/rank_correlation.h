// Rank correlations: how similarly two columns of numbers order the same things. Both columns must
// have the same length.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace assay {

/// The largest value has rank 1. Equal values share the mean of their ranks (1, 2.5, 2.5, 4).
std::vector<double> average_ranks(std::span<const double> values);

/// Kendall's tau-b (Kendall 1945; counted as in Knight 1966, in n log n). No value for fewer than
/// two values, or if all values of a column are equal.
std::optional<double> kendall_tau_b(std::span<const double> x, std::span<const double> y);
/// Pearson's correlation of the average ranks. No value in the same cases.
std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y);

}  // namespace assay
