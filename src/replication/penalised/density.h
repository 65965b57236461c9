// The density of a set's selection rates, log-linear in a spline with a roughness penalty.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "replication/dense.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication::penalised {

/// Knots are .42 apart in the logit, so that rates concentrated on a few values can be fitted.
inline constexpr std::size_t spline_functions = 56;
/// The features log s, log(1 - s), and the spline's functions.
inline constexpr std::size_t features = 2 + spline_functions;
/// The number of second differences of the spline's coefficients, which is the rank of the penalty.
inline constexpr std::size_t differences = spline_functions - 2;

using FeatureRow = std::array<double, features>;

/// The features X at every point of the grid.
const std::array<FeatureRow, points>& feature_table();

struct Density {
    std::array<double, features> coefficients{};
    std::vector<double> mass;       ///< p_j
    std::vector<double> posterior;  ///< T_cj = P(s_j | cell c), points x used cells
    std::vector<FeatureRow> score;  ///< S_c = sum_j (T_cj - p_j) X_j, by used cell
    Cholesky information;           ///< H = sum N_c S_c S_c' + penalty P + ridge
    double penalty = 1;
    int rounds = 0;

    /// Returns H^-1 l, the response of a linear functional l of the coefficients to the data.
    FeatureRow solve(const FeatureRow& lean) const;
    /// Returns sqrt(penalty) D H^-1 l, whose squares sum to the prior part of the variance.
    std::vector<double> prior(const FeatureRow& lean) const;
};

/// Penalised maximum likelihood, with a tenth of the penalty weight that marginal likelihood gives.
/// Throws bad_input if there are no images, or if every reading is 0 or every reading is n.
Density fit_density(const UsedCells& cells, const CellGrid& grid);

}  // namespace assay::replication::penalised
