// Rows of the table: losses, confidence and calibration.
#include <fmt/core.h>

#include "assay/metric/metric.h"
#include "families.h"
#include "table_rows.h"

namespace assay::rows {
namespace {

using namespace families;

std::string fixed_nll(const Parameters&) {
    return "nll.natural";
}
std::string fixed_brier(const Parameters&) {
    return "brier.sum";
}
std::string fixed_confidence(const Parameters&) {
    return "confidence.mean_top";
}
std::string fixed_overconfidence(const Parameters&) {
    return "overconfidence.top";
}

}  // namespace

ParameterFacts bins_parameter() {
    return {"bins", "15", "number of bins", {}, 1, 100};
}

ParameterFacts edges_parameter() {
    return {"edges",
            "left_closed",
            "who owns an edge; left_closed gives confidence 1 a bin of its own (torchmetrics 1.1). "
            "Confidences are 32-bit, as there: one above 1 - 2^-25 is 1",
            {"left_closed", "left_closed_merged", "right_closed"}};
}

void add_calibration(MetricTable& table) {
    using enum Needs;
    table.push_back({.name = "nll",
                     .title = "Negative log-likelihood",
                     .formula = "mean of -ln p(label), natural logarithm",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .low = 0,
                     .high = 2000,
                     .unit = Unit::nats,
                     .origin = "Good 1952, Rational decisions",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_nll,
                     .accumulate = accumulate_losses,
                     .value = nll_value});
    table.push_back(
        {.name = "brier",
         .title = "Brier score",
         .formula = "mean of sum_c (p_c - [c = label])^2: the sum over classes, in [0, 2]",
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .low = 0,
         .high = 2,
         .origin = "Brier 1950, Verification of forecasts",
         .uncertainty = Uncertainty::jackknife,
         .definition = fixed_brier,
         .accumulate = accumulate_losses,
         .value = brier_value});
    table.push_back({.name = "confidence",
                     .title = "Mean confidence",
                     .formula = "mean of max_c p_c",
                     .needs = labels | probabilities,
                     .judges = false,
                     .unit = Unit::proportion,
                     .origin = "Guo et al. 2017, On calibration of modern neural networks",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_confidence,
                     .accumulate = accumulate_losses,
                     .value = confidence_value});
    table.push_back({.name = "overconfidence",
                     .title = "Confidence minus accuracy",
                     .formula = "mean of max_c p_c minus top-1 accuracy; above 0: too sure",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .judges = false,
                     .low = -1,
                     .high = 1,
                     .unit = Unit::proportion,
                     .origin = "Guo et al. 2017, On calibration of modern neural networks",
                     .uncertainty = Uncertainty::jackknife,
                     .definition = fixed_overconfidence,
                     .accumulate = accumulate_losses,
                     .value = overconfidence_value});
    table.push_back(
        {.name = "ece",
         .title = "Expected calibration error",
         .formula =
             "sum over equal-width bins of the top confidence of n_b/n |accuracy_b - confidence_b|",
         .parameters = {bins_parameter(),
                        {"norm",
                         "l1",
                         "l1: as in the formula; l2: root of the mean square; max: greatest gap",
                         {"l1", "l2", "max"}},
                        edges_parameter()},
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = "Naeini et al. 2015; Guo et al. 2017, eq. 3; edges: torchmetrics 1.1.2",
         .uncertainty = Uncertainty::bootstrap,
         .definition = ece_definition,
         .accumulate = accumulate_bins,
         .value = ece_value,
         .calibrated_null = true,
         .null_replaces_note = true});
    table.push_back(
        {.name = "ece_debiased",
         .title = "Debiased squared calibration error",
         .formula = "sum over the bins of ece of n_b/n ((accuracy_b - confidence_b)^2 - accuracy_b "
                    "(1 - accuracy_b) / "
                    "(n_b - 1)); about 0 on average under perfect calibration, so that it may fall "
                    "below; a bin of one "
                    "item adds 0",
         .parameters = {bins_parameter(), edges_parameter()},
         .needs = labels | probabilities,
         .higher_is_better = false,
         .low = -1,
         .origin = "Kumar, Liang and Ma 2019, Verified uncertainty calibration, section 4",
         .uncertainty = Uncertainty::jackknife,
         .definition = ece_debiased_definition,
         .accumulate = accumulate_bins,
         .value = ece_debiased_value,
         .calibrated_null = true,
         .by_default = false});
}

}  // namespace assay::rows
