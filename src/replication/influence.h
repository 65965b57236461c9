// Analytic standard errors: sums of influence values over units that are independent of each other.
#pragma once

#include <vector>

#include "assay/replication/adjust.h"
#include "replication/estimator.h"

namespace assay::replication {

/// Standard errors by classifier, with the mean over classifiers at the end of each.
struct StandardErrors {
    std::vector<double> first, second, adjusted;
    std::vector<double> gap, remaining,
        bias;  ///< first - second, first - adjusted, adjusted - second
    double raw_slope = 0, raw_intercept = 0, slope = 0, intercept = 0;
    double raw_covariance = 0, covariance = 0;  ///< of slope and intercept
};

/// How a study's images fall into units.
struct UnitPlan {
    Units units = Units::classes;
    std::size_t count = 0;
    double factor = 1;  ///< count / (count - 1) for classes, 1 for images
    std::vector<std::uint32_t> first_order, second_order;  ///< images by unit
    std::vector<std::uint32_t> first_begin, second_begin;  ///< of each unit and the end
};
/// Classes become images where fewer than two classes are there.
UnitPlan plan_units(const Study& study, Units wanted);

/// `moments`: the projection of these very counts, nullptr for the raw accuracies alone. Cost:
/// images * classifiers.
StandardErrors standard_errors(const Study& study, const UnitPlan& plan, const CellCounts& first,
                               const CellCounts& second, const Correct& correct,
                               const MomentProjection* moments);

}  // namespace assay::replication
