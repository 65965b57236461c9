// Analytic standard errors: sums of influence values over units that are independent of each other.
#pragma once

#include <vector>

#include "assay/replication/adjust.h"

namespace assay::replication {

/// Standard errors by classifier, with the mean over classifiers at the end of each.
struct StandardErrors {
    std::vector<double> first, second, adjusted;
    std::vector<double> gap, remaining,
        bias;  ///< first - second, first - adjusted, adjusted - second
    double raw_slope = 0, raw_intercept = 0, slope = 0, intercept = 0;
    double raw_covariance = 0, covariance = 0;  ///< of slope and intercept
};

/// What images add to the adjusted accuracies: influence values. Cell-major, classifiers a cell.
struct CellEffects {
    std::vector<double> adjusted;   ///< the accuracies themselves, by classifier
    std::vector<double> first;      ///< an image of set 1
    std::vector<double> miss, hit;  ///< an image of set 2 when misclassified; what a hit adds
    /// Errors beside those of the images, each independent of all else and common to the
    /// classifiers: what the smoothing of a density may hide. Classifiers long each.
    std::vector<std::vector<double>> prior;
    /// What the smoothing of each classifier's curve may hide: taken as perfectly correlated in
    /// means; empty for none.
    std::vector<double> curve_prior;
};

/// How a study's images fall into units.
struct UnitPlan {
    Units units = Units::classes;
    std::size_t count = 0;
    double factor = 1;  ///< of the sum over units: (count - 1) / count for classes, 1 for images
    /// (sum of sizes)^2 / sum of squared sizes: a few large classes tell a spread no better than
    /// that many equal ones. `count` for images and for classes of one size.
    double effective = 0;
    std::vector<std::uint32_t> first_order, second_order;  ///< images by unit
    std::vector<std::uint32_t> first_begin, second_begin;  ///< of each unit and the end
    /// How much more a unit moves an estimate when it is left out than by its influence, by the
    /// share of a set's images that it holds (`begin`: one of the two above). A mean's variance by
    /// leaving out each class in turn is exactly that; without it a few large classes make
    /// intervals too short. A share counts as one half at most.
    double without(const std::vector<std::uint32_t>& begin, std::size_t unit) const;
    /// Of a sum over units that are not made larger so: count / (count - 1) for classes, else 1.
    double plain_factor() const { return 1 / factor; }
};
/// Classes become images where fewer than two classes are there.
UnitPlan plan_units(const Study& study, Units wanted);

/// `effects`: nullptr for the raw accuracies alone. Cost: images * classifiers.
StandardErrors standard_errors(const Study& study, const UnitPlan& plan, const CellCounts& first,
                               const CellCounts& second, const CellEffects* effects);

}  // namespace assay::replication
