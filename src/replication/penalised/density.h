// The density of a set's selection rates: log-linear in a spline, its roughness penalised.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "replication/dense.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication::penalised {

/// Knots .42 apart in the logit: rates that sit on a few values are followed, too.
inline constexpr std::size_t spline_functions = 56;
/// log s, log(1 - s), and the spline's functions.
inline constexpr std::size_t features = 2 + spline_functions;
/// Second differences of the spline's coefficients: the rank of the penalty.
inline constexpr std::size_t differences = spline_functions - 2;

using FeatureRow = std::array<double, features>;

/// X at every point of the grid.
const std::array<FeatureRow, points>& feature_table();

struct Density {
    std::array<double, features> coefficients{};
    std::vector<double> mass;       ///< p_j
    std::vector<double> posterior;  ///< T_cj = P(s_j | cell c), points x used cells
    std::vector<FeatureRow> score;  ///< S_c = sum_j (T_cj - p_j) X_j, by used cell
    Cholesky information;           ///< H = sum N_c S_c S_c' + penalty P + ridge
    double penalty = 1;
    int rounds = 0;

    /// H^-1 l: how a linear functional l of the coefficients answers to the data.
    FeatureRow solve(const FeatureRow& lean) const;
    /// sqrt(penalty) D H^-1 l: its squares sum to the prior part of the variance.
    std::vector<double> prior(const FeatureRow& lean) const;
};

/// Penalised maximum likelihood, the penalty's weight by marginal likelihood, then a tenth of it.
/// Throws bad_input without images, and where every reading is 0 or every reading is n.
Density fit_density(const UsedCells& cells, const CellGrid& grid);

}  // namespace assay::replication::penalised
