// The response of a function of densities and a curve to the fitted data.
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
/// the grid. Adding a constant to the derivatives by a density has no effect.
struct Gradient {
    std::vector<double> first = std::vector<double>(points, 0.0), second = first, curve = first;
};

/// The influence values by used cell, and the prior part of the variance.
struct Response {
    std::vector<double> first;  ///< influence of an image of set 1
    std::vector<double> miss,
        hit;  ///< influence of a misclassified image of set 2; added if it is a hit
    /// The squares sum to the prior part of each density's variance.
    std::vector<double> first_prior, second_prior;
    double curve_prior = 0;  ///< square root of the curve's prior part
};

/// The delta method (spec of the estimator in assay/replication/penalised_likelihood.h). Through
/// the curve, which was fitted given set 2's density, a function depends on that density too.
/// Cost: 180 times the cells of set 2, plus two solutions of 58 equations.
Response response(const FittedSets& fit, const Gradient& gradient);

}  // namespace assay::replication::penalised
