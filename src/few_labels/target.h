// The estimate of a mean over images of a pool from a stratified sample of them: one routine for
// accuracies, differences and groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::few_labels {

/// Numbers that are known of every image of the pool, and say something of its value.
inline constexpr std::size_t most_covariates = 2;
using Covariates = std::array<double, most_covariates>;

/// One labelled image of a target's domain.
struct LabelledValue {
    std::uint32_t stratum = 0;
    double value = 0;  ///< in [0, 1]
    Covariates x = {};
};

/// A mean to estimate, over the images of the pool that belong to its domain.
struct Target {
    std::size_t covariates = 0;           ///< how many of them count
    std::vector<double> images;           ///< of the domain, by stratum
    std::vector<Covariates> means;        ///< of these images, by stratum
    std::vector<LabelledValue> labelled;  ///< a simple random sample in each stratum
};

/// What is known of a stratum's sample.
struct StratumSample {
    double images = 0;  ///< N_h: those of the pool that can be judged
    double labels = 0;  ///< n_h: of the sample, those that were judged
    double judged = 1;  ///< r_h: proportion of the sample that could be judged
};

struct TargetEstimate {
    std::optional<double> value;  ///< nothing: fewer than two labels
    double low = 0, high = 1;
    double factor = 1;  ///< of the variance, after the regression
    std::size_t labels = 0;
};

/// Cells of at least five labels, a regression on the covariates where there are enough labels, and
/// a score interval. `quantile`: 1.96 for 95 %. `partly_judged`: 2 % of the sample or more could
/// not be judged; then there is no regression, and intervals grow by what the judged proportion of
/// each stratum is uncertain. Cost: linear in the labels, 2.5 us a cell.
TargetEstimate estimate_target(const Target& target, std::span<const StratumSample> strata,
                               double quantile, bool partly_judged = false);

/// Stands in place of the normal quantile where somebody looks at results while labels come in, and
/// stops as soon as an interval leaves 0 out (normal mixture boundary, narrowest at `planned`).
double anytime_quantile(double labels, double planned, double alpha);

}  // namespace assay::few_labels
