// Intervals of values whose images do not count the same.
//
// A weight says how much an image counts, such as one divided by the probability with which it was
// drawn. Only ratios of weights matter. A metric is a function of the weighted distribution of the
// images. An image's influence on it is a number whose weighted mean is 0 (Deville 1999, Survey
// Methodology 25).
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/metric/metric.h"

namespace assay::evaluate {

/// The effect of few positives on the interval of an area under a curve (metric/class_curves.h).
struct FewPositives {
    double positives = 0;  ///< effective number of independent positives
    double degrees = 0;    ///< of freedom of the variance
    double bias = 0;       ///< of the area
};

/// Which interval fits a value with the standard error that follows from the influences.
enum class WeightedInterval {
    symmetric,   ///< the value and its standard error, within the metric's range
    proportion,  ///< Wilson's with the number of images that has the same variance
    /// On the scale of Fisher's z, the inverse hyperbolic tangent. The lower end has room for one
    /// more image like the worst.
    fisher,
};

/// A value, and how much each image moves it.
struct Influenced {
    double value = 0;
    std::vector<double> influence = {};  ///< one per image; the weighted mean is 0
    WeightedInterval interval = WeightedInterval::symmetric;
    /// The influence for the spread, corrected for classes with few images; empty: `influence`.
    std::vector<double> drawn = {};
    std::optional<FewPositives> few = std::nullopt;
    std::optional<Interval> own = std::nullopt;  ///< replaces that of `interval`
    double noise = 0;                            ///< what noise alone adds to the value
    std::string no_interval = {};                ///< the reason why there is none, or ""
};

/// With fewer effective images than this, there is no interval.
inline constexpr double fewest_effective_images = 50;
/// (sum w)^2 / sum w^2 (Kish 1965) for weights whose sum is 1: so many images with equal weights
/// have the same variance. 0 for no image.
double effective_images(std::span<const double> weights);

/// Why a value has no interval; "" if it has one.
std::string why_no_interval(const Influenced& found, std::span<const double> weights);

/// The spread of a value, or of a difference of two.
struct InfluenceSpread {
    double error = 0;    ///< standard error
    double degrees = 0;  ///< of freedom of its square
    double worst = 0;    ///< how much the value would rise without its worst image
};
/// `moved`: by how much the value changes without each item, w z / (1 - w) with weight w and
/// influence z. The variance is the jackknife's of a mean, with Satterthwaite's degrees of freedom.
InfluenceSpread influence_spread(std::span<const double> moved);
/// `moved` for each item: of the influences corrected for classes with few items, if there are any.
std::vector<double> moved_without(const Influenced& found, std::span<const double> weights);

/// The estimate of a metric with these facts. `weights` are above 0, their sum is 1, and there is
/// one per influence. Proportions have Wilson's interval with the number of images that have the
/// same variance (Korn and Graubard 1998). All intervals use Student's quantile with
/// Satterthwaite's degrees of freedom. Cost: one pass over the images. Same bits on any machine.
Estimate weighted_estimate(const MetricFacts& facts, const Influenced& found,
                           std::span<const double> weights, double level);

}  // namespace assay::evaluate
