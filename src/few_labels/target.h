// Estimates a mean over images of a pool from a stratified sample: the same code for accuracies,
// differences and groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::few_labels {

/// The largest number of covariates, which are numbers that are known for every image of the pool
/// and related to its value.
inline constexpr std::size_t most_covariates = 2;
using Covariates = std::array<double, most_covariates>;

/// One labelled image of a target's domain.
struct LabelledValue {
    std::uint32_t stratum = 0;
    double value = 0;  ///< in [0, 1]
    Covariates x = {};
};

/// A mean to estimate over the images of the pool that belong to its domain.
struct Target {
    std::size_t covariates = 0;           ///< how many of them are used
    std::vector<double> images;           ///< number of images of the domain, per stratum
    std::vector<Covariates> means;        ///< means over these images, per stratum
    std::vector<LabelledValue> labelled;  ///< a simple random sample in each stratum
    /// Images of the domain outside the strata, whose values are known, and the sum of the values.
    double known_images = 0, known_sum = 0;
    Covariates known_x = {};  ///< sums over all settled images of the domain
};

/// The known facts about a stratum's sample.
struct StratumSample {
    double images = 0;  ///< N_h: images of the stratum that can be judged
    double labels = 0;  ///< n_h: images of the sample that were judged
    double judged = 1;  ///< r_h: proportion of the sample that could be judged
};

struct TargetEstimate {
    std::optional<double> value;  ///< no value with fewer than two labels
    double low = 0, high = 1;     ///< also without a value
    double factor = 1;            ///< factor of the variance, after the regression
    std::size_t labels = 0;       ///< including images whose values are known
};

/// Images with known values count themselves, and have no error. For the others, it uses cells of
/// at least five labels, a regression on the covariates if there are enough labels, and a score
/// interval. `quantile` is 1.96 for 95 %. `partly_judged` means that at least 2 % of the sample
/// could not be judged. Then there is no regression, and intervals include the uncertainty of the
/// judged proportion of each stratum. Cost: linear in the labels, 2.5 us per cell.
TargetEstimate estimate_target(const Target& target, std::span<const StratumSample> strata,
                               double quantile, bool partly_judged = false);

/// Replaces the normal quantile if a study may stop as soon as an interval excludes 0. It is the
/// boundary of a normal mixture, which is narrowest at `planned` labels.
double anytime_quantile(double labels, double planned, double alpha);

}  // namespace assay::few_labels
