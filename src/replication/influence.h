// Analytic standard errors: sums of influence values over units that are independent of each other.
#pragma once

#include <vector>

#include "assay/replication/adjust.h"

namespace assay::replication {

/// Standard errors by classifier, each with that of the mean over classifiers at the end.
struct StandardErrors {
    std::vector<double> first, second, adjusted;
    std::vector<double> gap, remaining,
        bias;  ///< first - second, first - adjusted, adjusted - second
    double raw_slope = 0, raw_intercept = 0, slope = 0, intercept = 0;
    double raw_covariance = 0, covariance = 0;  ///< covariances of slope and intercept
};

/// Influence values: the contributions of images to the adjusted accuracies. Cell-major, with
/// `classifiers` per cell.
struct CellEffects {
    std::vector<double> adjusted;   ///< the accuracies themselves, by classifier
    std::vector<double> first;      ///< effects of an image of set 1
    std::vector<double> miss, hit;  ///< for a misclassified image of set 2; the addition for a hit
    /// Further errors that the smoothing of a density may hide. Each is independent of all other
    /// errors, shared by the classifiers, and has one value per classifier.
    std::vector<std::vector<double>> prior;
    /// Errors that the smoothing of each classifier's curve may hide. Means treat them as perfectly
    /// correlated. May be empty.
    std::vector<double> curve_prior;
};

/// The assignment of a study's images to units.
struct UnitPlan {
    Units units = Units::classes;
    std::size_t count = 0;
    double factor = 1;  ///< of the sum over units: (count - 1) / count for classes, 1 for images
    /// (sum of sizes)^2 / sum of squared sizes. A few large classes show a spread no better than
    /// this many equal classes. Equals `count` for images and for classes of equal size.
    double effective = 0;
    std::vector<std::uint32_t> first_order, second_order;  ///< images by unit
    std::vector<std::uint32_t> first_begin, second_begin;  ///< start of each unit, and the end
    /// The ratio of an estimate's change when a unit is left out to the unit's influence. This
    /// depends on the unit's proportion of a set's images (`begin` is one of the two above). For a
    /// mean, leaving out each class in turn gives exactly that variance; without the factor, a few
    /// large classes make intervals too short. A proportion counts as at most one half.
    double without(const std::vector<std::uint32_t>& begin, std::size_t unit) const;
    /// The factor of a sum that does not use without(): count / (count - 1) for classes, else 1.
    double plain_factor() const { return 1 / factor; }
};
/// Uses images instead of classes if there are fewer than two classes.
UnitPlan plan_units(const Study& study, Units wanted);

/// If `effects` is nullptr, only the raw accuracies are computed. Cost: images * classifiers.
StandardErrors standard_errors(const Study& study, const UnitPlan& plan, const CellCounts& first,
                               const CellCounts& second, const CellEffects* effects);

}  // namespace assay::replication
