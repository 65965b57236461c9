// Rows of the table: what follows from the order of confidences.
#include <fmt/core.h>

#include "assay/metric/metric.h"
#include "families.h"
#include "table_rows.h"

namespace assay::rows {
namespace {

using namespace families;

std::string fixed_aurc(const Parameters&) {
    return "aurc.mean_risk.log_odds";
}
std::string fixed_excess_aurc(const Parameters&) {
    return "excess_aurc.best_order.log_odds";
}
std::string fixed_covered_accuracy(const Parameters&) {
    return "accuracy_at_coverage.most_confident.log_odds";
}
std::string fixed_calibration_ks(const Parameters&) {
    return "calibration_ks.running_sums";
}

}  // namespace

void add_order(std::vector<MetricFacts>& table) {
    using enum Needs;
    constexpr std::string_view geifman =
        "Geifman and El-Yaniv 2017, Selective classification for deep neural networks; Geifman, "
        "Uziel "
        "and El-Yaniv 2019, Bias-reduced uncertainty estimation";
    table.push_back({.name = "aurc",
                     .title = "Area under the risk-coverage curve",
                     .formula =
                         "mean over k = 1 .. n of the error rate of the k most confident items, by "
                         "the log-odds of the predicted class; equal ones share their errors",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .origin = geifman,
                     .uncertainty = Uncertainty::jackknife_log,
                     .source = Source::ordered,
                     .definition = fixed_aurc,
                     .of_order = aurc_of,
                     .by_default = false});
    table.push_back({.name = "excess_aurc",
                     .title = "Excess area under the risk-coverage curve",
                     .formula = "aurc minus that of the same hits and errors in the best order",
                     .needs = labels | probabilities,
                     .higher_is_better = false,
                     .origin = geifman,
                     .uncertainty = Uncertainty::jackknife_log,
                     .source = Source::ordered,
                     .definition = fixed_excess_aurc,
                     .of_order = excess_aurc_of,
                     .by_default = false});
    table.push_back(
        {.name = "accuracy_at_coverage",
         .title = "Accuracy at coverage",
         .formula =
             "top-1 accuracy of the most confident `coverage` percent of the items (the number "
             "rounded up), by the log-odds of the predicted class; equal ones share their errors",
         .parameters = {{"coverage", "80", "percent of the items", {}, 1, 100}},
         .needs = labels | probabilities,
         .unit = Unit::proportion,
         .origin = geifman,
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ordered,
         .definition = fixed_covered_accuracy,
         .of_order = covered_accuracy_of,
         .numbered_by = "coverage",
         .by_default = false,
         .variants = {{{"coverage", "80"}}}});
    table.push_back(
        {.name = "calibration_ks",
         .title = "Kolmogorov-Smirnov calibration error",
         .formula = "greatest |sum of confidence - hit| over the items up to a confidence, over n",
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = "Gupta et al. 2021, Calibration of neural networks using splines, eq. 7",
         .uncertainty = Uncertainty::jackknife,
         .source = Source::ordered,
         .definition = fixed_calibration_ks,
         .of_order = calibration_ks_of,
         .by_default = false,
         .order = Order::confidence});
}

}  // namespace assay::rows
