// Selection rates without a model: the nonparametric maximum-likelihood mixture on a grid, and a
// logistic curve for the accuracy at each rate. It is a second opinion next to the moment
// estimator, and provides densities for figures (smoothed, because the maximum-likelihood mixture
// is a few spikes).
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
    std::vector<double> weight;  ///< of each grid point
    double log_likelihood = 0;   ///< with log C(n, k)
    double gap =
        0;  ///< the log-likelihood is within images * gap of the largest possible on this grid
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
    std::vector<double> g;  ///< at the grid's rates
    double log_likelihood = 0;
    int rounds = 0;
};
/// Rows are points, columns are functions: cubic B-splines with equal steps in s, or with
/// `linear_basis` 1 and s.
std::vector<double> spline_basis(const RateGrid& grid, int functions);
std::vector<double> linear_basis(const RateGrid& grid);
/// Adds `penalty` times the matrix of squared second differences to a functions x functions one.
void add_roughness(std::vector<double>& matrix, std::size_t functions, double penalty);
/// Levenberg-Fisher. Subtracts `penalty` times squared second differences of w / 2 from the
/// log-likelihood.
LogitCurve fit_logit_curve(const CellCounts& counts, std::span<const double> correct,
                           const RateGrid& grid, std::span<const double> density,
                           std::span<const double> basis, double penalty);

}  // namespace assay::replication
