// Selection rates without a parametric model: the maximum-likelihood mixture on a grid, and a
// logistic curve for the accuracy at each rate. It is a second opinion next to the moment
// estimator. It also provides densities for figures, smoothed because the mixture consists of a few
// spikes.
#pragma once

#include <span>
#include <vector>

#include "assay/replication/cells.h"

namespace assay::replication {

/// Rates s_j = sin^2(pi (j + 1/2) / (2 G)), dense at both ends. 1 - s_j is stored separately, to be
/// accurate near s = 1.
struct RateGrid {
    explicit RateGrid(int points);
    std::vector<double> s, rest;
    /// B(k|s_j) for every cell: cells x points, row-major.
    std::vector<double> likelihood(const CellGrid& cells) const;
};

struct RateDistribution {
    std::vector<double> weight;  ///< weight of each grid point
    double log_likelihood = 0;   ///< includes log C(n, k)
    double gap =
        0;  ///< the log-likelihood is within images * gap of the highest possible on this grid
    int rounds = 0;
};
/// Constrained Newton method: Wang, "On fast computation of the non-parametric maximum likelihood
/// estimate of a mixing distribution", JRSS B 2007. Stops when gap < tolerance. Throws bad_input
/// without images.
RateDistribution fit_rates(const CellCounts& counts, const RateGrid& grid, double tolerance = 1e-7,
                           int max_rounds = 200);

/// logit g(s) = sum_i w_i phi_i(s), fitted by the likelihood of hits given the readings.
struct LogitCurve {
    std::vector<double> w;
    std::vector<double> g;  ///< accuracies at the grid's rates
    double log_likelihood = 0;
    int rounds = 0;
};
/// Rows are points and columns are functions: cubic B-splines with equal steps in s, or 1 and s
/// with `linear_basis`.
std::vector<double> spline_basis(const RateGrid& grid, int functions);
std::vector<double> linear_basis(const RateGrid& grid);
/// Adds `penalty` times the squared second differences' matrix to one of functions x functions.
void add_roughness(std::vector<double>& matrix, std::size_t functions, double penalty);
/// Fits by Levenberg's and Fisher's steps. Subtracts `penalty` times squared second differences of
/// w / 2 from the log-likelihood.
LogitCurve fit_logit_curve(const CellCounts& counts, std::span<const double> correct,
                           const RateGrid& grid, std::span<const double> density,
                           std::span<const double> basis, double penalty);

}  // namespace assay::replication
