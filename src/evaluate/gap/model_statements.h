// Statements about all models of a gap together, with valid intervals (statements/). They are about
// mean |gap|, spread, orders, ranks, lines, the best, models within the margin, and differences of
// gaps.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "assay/evaluate/gap.h"
#include "evaluate/statements/noise.h"

namespace assay {

/// Errors of the models' values, [metric][data set], in the order of GapReport::models. The column
/// of a model without a value is not read.
using GapFactors = std::array<std::array<std::optional<statements::Factor>, 2>, 3>;

struct GapNoise {
    /// Intervals are the union over these factors.
    std::vector<GapFactors> bounds;
    /// Gives the values. Without it, the only bound gives them.
    std::optional<GapFactors> middle;
    /// The reason why a factor is not known; "" if it is known.
    std::array<std::array<std::string, 2>, 3> unknown;
    /// The rows of all metrics of a data set are the same groups of images.
    bool same_groups = false;
    /// True if only a bound on this metric's errors is known.
    std::array<bool, 3> upper_bound{};
    /// Sizes of the errors of a table, and known facts about their correlation.
    std::array<std::array<std::vector<double>, 2>, 3> sizes;
    std::vector<double> model_correlations, metric_correlations;
    /// The reason why the data sets' errors are not independent; "" if they are.
    std::string dependent;
};

/// Fills the statements about the models. The values, gaps and averages already exist, but the
/// orders and lines do not. Cost: for 315 models and 1,000 draws, about half a second of one core
/// per metric and factor.
void state_about_models(GapReport& report, const GapNoise& noise);

}  // namespace assay
