// How far two columns of numbers order the same things alike. Pure arithmetic; both columns have
// the same length.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace assay {

/// 1 for the largest; equal values share the mean of their places (1, 2.5, 2.5, 4).
std::vector<double> average_ranks(std::span<const double> values);

/// Kendall's tau-b (Kendall 1945; counted as Knight 1966 does, in n log n). None: fewer than two,
/// or a column in which all are equal.
std::optional<double> kendall_tau_b(std::span<const double> x, std::span<const double> y);
/// Pearson's correlation of the average ranks. None as above.
std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y);

}  // namespace assay
