// A classifier's accuracy by selection rate, as a penalised cosine series with a logistic link.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "replication/dense.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication::penalised {

inline constexpr std::size_t cosines = 24;
/// g may slightly exceed [0, 1], so that a curve can reach 0 and 1 and be straight there. g is
/// -curve_margin + curve_span logistic(eta).
inline constexpr double curve_margin = .05, curve_span = 1 + 2 * curve_margin;
using CosineRow = std::array<double, cosines>;

/// The values cos(m 2 atan(exp(x_j / 2))) at every point of the grid, for m = 0..23.
const std::array<CosineRow, points>& cosine_table();

struct Curve {
    CosineRow coefficients{};
    std::vector<double> accuracy, slope;  ///< g_j and dg_j / d eta_j
    std::vector<double> hit_rate;         ///< pi_c, by used cell
    std::vector<CosineRow> design;        ///< d pi_c / d coefficients, by used cell
    Cholesky information;                 ///< H_g
    double penalty = .05;
    int rounds = 0;
    double prior(const CosineRow& answer) const;  ///< sqrt(penalty v' P v)
};

/// `posterior` is points x used cells. `hits` are the correct images by used cell.
Curve fit_curve(const UsedCells& cells, const std::vector<double>& posterior,
                std::span<const double> hits);

}  // namespace assay::replication::penalised
