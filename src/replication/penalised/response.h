// How a function of densities and a curve answers to the data they were fitted to.
#pragma once

#include <vector>

#include "replication/penalised/curve.h"
#include "replication/penalised/density.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication::penalised {

/// The fits to both sets, or to one stratum of them.
struct FittedSets {
    const UsedCells& first_cells;
    const UsedCells& second_cells;
    const Density& first;
    const Density& second;
    const Curve& curve;
};

/// Derivatives of a function by the masses of both densities and by the curve, at every point of
/// the grid. A constant added to those by a density changes nothing.
struct Gradient {
    std::vector<double> first = std::vector<double>(points, 0.0), second = first, curve = first;
};

/// Influence values by used cell, and the prior part of the variance.
struct Response {
    std::vector<double> first;      ///< of an image of set 1
    std::vector<double> miss, hit;  ///< of a misclassified image of set 2; what a hit adds
    /// Squares sum to the prior part of each density's variance.
    std::vector<double> first_prior, second_prior;
    double curve_prior = 0;  ///< its square root
};

/// The delta method (spec of the estimator in assay/replication/penalised_likelihood.h). Through
/// the curve, which was fitted given set 2's density, a function depends on that density too.
/// Cost: 180 times the cells of set 2, and two solutions of 58 equations.
Response response(const FittedSets& fit, const Gradient& gradient);

}  // namespace assay::replication::penalised
