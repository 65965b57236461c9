// Implements the pass for metrics of the order of confidences (order.cpp), and its rows.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/core.h>

#include "core/parallel.h"
#include "metric/families.h"
#include "metric/metric_rows.h"
#include "metric/order.h"

namespace assay {
namespace {

struct OrderState final : PassState {
    std::map<Order, std::vector<ConfidentItem>> in_order;
};

// The items with a label, most confident first.
const std::vector<ConfidentItem>& items_in_order(Order order, PassRun& run) {
    std::vector<ConfidentItem>& list = run.state<OrderState>().in_order[order];
    const MetricRows& rows = run.again().rows;
    if (!list.empty() || rows.records().empty()) return list;
    const bool odds = order == Order::log_odds && !rows.odds().empty();
    for (std::uint64_t i = 0; i < rows.items(); ++i) {
        const std::int32_t target = rows.target(i);
        if (target < 0) continue;
        const auto item = static_cast<std::size_t>(i);
        const ItemRecord& record = rows.records()[item];
        list.push_back({odds ? rows.odds()[item].log_odds : static_cast<double>(record.confidence),
                        record.predicted == target, rows.group_of(i)});
    }
    std::sort(list.begin(), list.end(), [](const ConfidentItem& a, const ConfidentItem& b) {
        return a.confidence > b.confidence;
    });
    return list;
}

}  // namespace

ResampledEstimate OrderPass::estimate(const MetricRequest& request, PassRun& run) const {
    const std::vector<ConfidentItem>& items = items_in_order(order_, run);
    MetricContext context = run.context(request);
    ResampledEstimate result;
    static_cast<Estimate&>(result) = value_(context, items);
    if (!result.value) return result;
    const auto errors = static_cast<std::uint64_t>(std::count_if(
        items.begin(), items.end(), [](const ConfidentItem& item) { return !item.correct; }));
    if (request.facts->uncertainty == Uncertainty::jackknife_log && errors < fewest_errors) {
        result.no_interval = true;
        result.note =
            fmt::format("no interval: {} incorrect, but it needs {}", errors, fewest_errors);
    }
    context.value_only = true;
    const std::vector<std::uint64_t>& group_sizes = run.sums().group_sizes();
    std::vector<double> without(group_count);
    parallel_blocks(group_count, run.again().threads, [&](std::size_t group) {
        if (group_sizes[group] == 0) return;
        std::vector<ConfidentItem> rest;
        rest.reserve(items.size());
        for (const ConfidentItem& item : items) {
            if (item.group != group) rest.push_back(item);
        }
        without[group] = value_(context, rest).value.value_or(*result.value);
    });
    for (std::size_t group = 0; group < group_count; ++group) {
        if (group_sizes[group] > 0) result.without.push_back(without[group]);
    }
    return result;
}

std::string OrderPass::note(const MetricRequest&, const PassRun& run) const {
    if (order_ != Order::log_odds) return "";
    const MetricRows& rows = run.again().rows;
    return rows.reader().store().spec().storage == StorageFormat::label
               ? "ranked by 32-bit confidences, all that the store keeps: those that round to one "
                 "number are ties"
               : rows.rounding();
}

namespace rows {
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

std::shared_ptr<const MetricPass> in_order(OrderPass::Value value, Order order = Order::log_odds) {
    return std::make_shared<OrderPass>(value, order);
}

}  // namespace

void add_order(MetricTable& table) {
    using enum Needs;
    constexpr std::string_view geifman =
        "Geifman and El-Yaniv 2017, Selective classification for deep neural networks; Geifman, "
        "Uziel "
        "and El-Yaniv 2019, Bias-reduced uncertainty estimation";
    table.push_back(
        {.name = "aurc",
         .title = "Area under the risk-coverage curve",
         .formula = "mean error rate of the k most confident items over k = 1 .. n. Confidence is "
                    "the log-odds of the predicted class; ties share errors",
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = geifman,
         .uncertainty = Uncertainty::jackknife_log,
         .pass = in_order(aurc_of),
         .definition = fixed_aurc,
         .by_default = false});
    table.push_back(
        {.name = "excess_aurc",
         .title = "Excess area under the risk-coverage curve",
         .formula = "aurc minus the aurc of the best order, with all correct items first",
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = geifman,
         .uncertainty = Uncertainty::jackknife_log,
         .pass = in_order(excess_aurc_of),
         .definition = fixed_excess_aurc,
         .by_default = false});
    table.push_back(
        {.name = "accuracy_at_coverage",
         .title = "Accuracy at coverage",
         .formula = "top-1 accuracy of the most confident `coverage` percent of the items (rounded "
                    "up), by the log-odds of the predicted class; equal ones share their errors",
         .parameters = {{"coverage", "80", "percent of the items", {}, 1, 100}},
         .needs = labels | probabilities,
         .unit = Unit::proportion,
         .origin = geifman,
         .uncertainty = Uncertainty::jackknife,
         .pass = in_order(covered_accuracy_of),
         .definition = fixed_covered_accuracy,
         .numbered_by = "coverage",
         .by_default = false,
         .variants = {{{"coverage", "80"}}}});
    table.push_back(
        {.name = "calibration_ks",
         .title = "Kolmogorov-Smirnov calibration error",
         .formula = "items are sorted by confidence; the largest |sum over the first items of "
                    "(confidence - hit)|, divided by n",
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin = "Gupta et al. 2021, Calibration of neural networks using splines, eq. 7",
         .uncertainty = Uncertainty::jackknife,
         .pass = in_order(calibration_ks_of, Order::confidence),
         .definition = fixed_calibration_ks,
         .by_default = false});
}

}  // namespace rows
}  // namespace assay
