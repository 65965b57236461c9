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
    double raw_covariance = 0, covariance = 0;  ///< of slope and intercept
};

/// Influence values: the contributions of images to the adjusted accuracies. Cell-major, with
/// `classifiers` per cell.
struct CellEffects {
    std::vector<double> adjusted;   ///< the accuracies themselves, by classifier
    std::vector<double> first;      ///< for an image of set 1
    std::vector<double> miss, hit;  ///< for a misclassified image of set 2; the addition for a hit
    /// Further errors, each independent of all else and shared by the classifiers: what the
    /// smoothing of a density may hide. Each has one value per classifier.
    std::vector<std::vector<double>> prior;
    /// What the smoothing of each classifier's curve may hide. Means treat it as perfectly
    /// correlated. Empty if none.
    std::vector<double> curve_prior;
};

/// The assignment of a study's images to units.
struct UnitPlan {
    Units units = Units::classes;
    std::size_t count = 0;
    double factor = 1;  ///< for the sum over units: (count - 1) / count for classes, 1 for images
    /// (sum of sizes)^2 / sum of squared sizes: a few large classes reveal a spread no better than
    /// this many equal ones. Equals `count` for images and for classes of equal size.
    double effective = 0;
    std::vector<std::uint32_t> first_order, second_order;  ///< images by unit
    std::vector<std::uint32_t> first_begin, second_begin;  ///< start of each unit, and the end
    /// How much more a unit changes an estimate by being left out than by its influence. This
    /// depends on the unit's proportion of a set's images (`begin` is one of the two above). For a
    /// mean, leaving out each class in turn gives exactly that variance; without the factor, a few
    /// large classes make intervals too short. A proportion counts as at most one half.
    double without(const std::vector<std::uint32_t>& begin, std::size_t unit) const;
    /// For a sum over units without that factor: count / (count - 1) for classes, else 1.
    double plain_factor() const { return 1 / factor; }
};
/// Uses images instead of classes if there are fewer than two classes.
UnitPlan plan_units(const Study& study, Units wanted);

/// `effects` is nullptr for only the raw accuracies. Cost: images * classifiers.
StandardErrors standard_errors(const Study& study, const UnitPlan& plan, const CellCounts& first,
                               const CellCounts& second, const CellEffects* effects);

}  // namespace assay::replication
