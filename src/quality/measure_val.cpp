// The dimensions that need only the clean images: accuracy, calibration, class balance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "metric/item_groups.h"
#include "quality/measured_dimension.h"

namespace assay::quality {
namespace {

enum class Request : std::size_t { calibration, ece, ace, balance, between, class_accuracies };

/// Value, interval and error for one of val_requests().
Estimate estimate_in(const ScoredSet& set, Request request) {
    const auto at = static_cast<std::size_t>(request);
    Estimate value = set.report.measurements.at(at);
    const std::vector<double>& without = set.estimates.at(at).without;
    if (value.value && without.size() > 1) {
        // The value is from the reweighted groups if the interval uses them (ECE).
        value.standard_error =
            value.interval && value.interval->method == "bootstrap.normal"
                ? half_width(value) / normal_quantile(.5 + value.interval->level / 2)
                : jackknife_standard_error(without);
    }
    return value;
}

std::vector<std::uint64_t> group_sizes_of(const ScoredSet& set) {
    std::vector<std::uint64_t> sizes(group_count, 0);
    const std::vector<std::uint8_t> groups = groups_of_items(set.targets.size());
    for (std::size_t i = 0; i < groups.size(); ++i) sizes[groups[i]] += set.targets[i] >= 0 ? 1 : 0;
    return sizes;
}

MeasuredDimension of_metric(const MeasuredInputs& in, Request request) {
    MeasuredDimension out;
    out.value = estimate_in(*in.scored, request);
    out.value.unit = Unit::number;
    if (!out.value.value) return out;
    note_unscored(out.value, in.val->unscored);
    out.differs = differences_of(in, Role::val, *in.val);
    const std::vector<double>& without =
        in.scored->estimates.at(static_cast<std::size_t>(request)).without;
    if (without.size() > 1) {
        out.sources = {source_of_groups(in.val->data, without, group_sizes_of(*in.scored),
                                        *out.value.standard_error)};
    }
    return out;
}

QualityPart part_of(const MeasuredInputs& in, Request request, std::string name) {
    const Measurement& m = in.scored->report.measurements.at(static_cast<std::size_t>(request));
    QualityPart part;
    part.name = std::move(name);
    part.definition = m.key.definition;
    part.dataset = m.key.dataset;
    part.value = estimate_in(*in.scored, request);
    return part;
}

/// The class balance without the noise of the classes' accuracies in their spread.
Estimate without_noise(const MeasuredInputs& in) {
    Estimate out;
    const Estimate whole = estimate_in(*in.scored, Request::balance);
    const Estimate accuracies = estimate_in(*in.scored, Request::class_accuracies);
    out.n = whole.n;
    double sum = 0, squares = 0, noise = 0, classes = 0;
    for (const ClassResult& c : in.scored->report.per_class) {
        if (!c.accuracy.value) continue;
        const double p = *c.accuracy.value;
        if (c.accuracy.n < 2) {
            out.undefined = "a class with a single item gives no variance";
            return out;
        }
        sum += p;
        squares += p * p;
        noise += p * (1 - p) / static_cast<double>(c.accuracy.n - 1);
        classes += 1;
    }
    if (!whole.value || !accuracies.value || !(*accuracies.value > 0)) {
        out.undefined = whole.value ? "the balance of the accuracies is 0" : whole.undefined;
        return out;
    }
    const double spread = (squares - sum * sum / classes) / (classes - 1);
    const double even = 1 - std::sqrt(std::max(0.0, spread - noise / classes));
    // The second factor of F = sqrt(F_acc F_conf) is unchanged.
    out.value = std::sqrt(even * *whole.value * *whole.value / *accuracies.value);
    return out;
}

}  // namespace

std::vector<MetricRequest> val_requests() {
    std::vector<MetricRequest> requests;
    for (const char* text : {"calibration_error", "ece", "ace", "class_balance",
                             "class_balance:spread=between", "class_accuracy_balance:std=sample"})
        requests.push_back(parse_metric(text));
    return requests;
}

MeasuredDimension measured_accuracy(const MeasuredInputs& in) {
    const Answers& val = *in.val;
    MeasuredDimension out;
    out.value = wilson_proportion(val.hits, val.n, in.options.level,
                                  "no image has a single label and a score");
    out.value.unit = Unit::number;
    if (!out.value.value) return out;
    const double p = *out.value.value,
                 variance = proportion_variance(val.of_all(), in.options.level);
    std::vector<double> influence(val.predicted.size(), 0);
    for (std::size_t i = 0; i < influence.size(); ++i) {
        if (val.counts(i)) influence[i] = (val.correct(i) ? 1 : 0) - p;
    }
    out.sources = {source_of_items(val.data, influence, variance)};
    note_unscored(out.value, val.unscored);
    out.differs = differences_of(in, Role::val, val);
    return out;
}

MeasuredDimension measured_calibration(const MeasuredInputs& in) {
    MeasuredDimension out = of_metric(in, Request::calibration);
    if (!out.value.value) return out;
    out.parts = {part_of(in, Request::ece, "ece"), part_of(in, Request::ace, "ace")};
    const Measurement& m =
        in.scored->report.measurements.at(static_cast<std::size_t>(Request::calibration));
    if (m.calibrated_null) {
        QualityPart part{.dimension = Dimension::calibration_error,
                         .name = "calibrated",
                         .definition = "mean over labels drawn from the probabilities",
                         .dataset = m.key.dataset,
                         .value = {}};
        part.value.value = m.calibrated_null->mean;
        part.value.n = m.n;
        part.value.note = fmt::format("p = {:.2g} for a calibrated classifier to reach the value",
                                      m.calibrated_null->p);
        out.parts.push_back(std::move(part));
    }
    return out;
}

MeasuredDimension measured_balance(const MeasuredInputs& in) {
    MeasuredDimension out = of_metric(in, Request::balance);
    if (!out.value.value) return out;
    out.parts = {part_of(in, Request::between, "between"),
                 part_of(in, Request::class_accuracies, "accuracy_balance")};
    QualityPart part;
    part.name = "without_noise";
    part.definition = "sampling noise of the class accuracies removed";
    part.dataset = in.val->store.spec().dataset_name;
    part.value = without_noise(in);
    out.parts.push_back(std::move(part));
    return out;
}

}  // namespace assay::quality
