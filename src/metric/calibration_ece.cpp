// Expected calibration error over bins of equal width of the top confidence (Guo et al. 2017;
// Naeini et al. 2015).
//
// Edges of bins are 32-bit numbers as torch.linspace(0, 1, B + 1) gives them. For B = 15 they are
// equal to it. There, i/B in exact arithmetic differs by one unit in the last place at 7 of the 16
// edges. There are three rules for a confidence on an edge. `left_closed` is [e_i, e_i+1), and a
// confidence of exactly 1 has a bin of its own (torchmetrics 1.1, the published code).
// `left_closed_merged` is the same with 1 counted in the last bin. `right_closed` is (e_i, e_i+1]
// (Guo et al.).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/core.h>

#include "core/statistics.h"
#include "metric/families.h"
#include "metric/real_sum.h"
#include "metric/table_rows.h"

namespace assay::families {
namespace {

enum : std::size_t {
    bin_items,
    bin_hits,
    bin_confidence_sum,
    bin_slots = bin_confidence_sum + real_slots
};

int bins_of(const Parameters& parameters) {
    const std::string& text = parameters.at("bins");
    int bins = 15;
    std::from_chars(text.data(), text.data() + text.size(), bins);
    return bins;
}

/// The binned probability. For `top` it is the top confidence, and a hit is a correct prediction.
/// For `positive` it is the probability of class 1 of two, and a hit is an item of class 1.
enum class Binned { top, positive };

class Bins final : public Accumulator {
public:
    Bins(int bins, std::string rule, Binned what = Binned::top)
        : bins_(bins), rule_(std::move(rule)), what_(what), bounds_(bin_bounds(bins, rule_)) {}
    std::string key() const override {
        return fmt::format("{}bins {} {}", what_ == Binned::top ? "" : "positive ", bins_, rule_);
    }
    // There is one bin more than requested, for confidence 1.
    std::size_t slots() const override { return (static_cast<std::size_t>(bins_) + 1) * bin_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            const bool top = what_ == Binned::top;
            if (row.target < 0 || (!top && row.predicted < 0)) continue;
            const float p = top || row.predicted == 1 ? row.confidence : 1 - row.confidence;
            const bool hit = top ? row.predicted == row.target : row.target == 1;
            std::int64_t* const bin = state.data() + row.group * slots() + bin_of(p) * bin_slots;
            ++bin[bin_items];
            bin[bin_hits] += hit ? 1 : 0;
            add_real(bin + bin_confidence_sum, p);
        }
    }

private:
    std::size_t bin_of(float p) const {
        return static_cast<std::size_t>(std::upper_bound(bounds_.begin(), bounds_.end(), p) -
                                        bounds_.begin());
    }

    int bins_;
    std::string rule_;
    Binned what_;
    std::vector<float> bounds_;
};

// The number of items in all bins, or the reason for a missing value.
Estimate counted(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value;
    for (std::size_t b = 0; b < state.size(); b += bin_slots)
        value.n += static_cast<std::uint64_t>(state[b + bin_items]);
    if (!context.shape.probabilities) {
        value.undefined = no_probabilities;
    } else if (value.n == 0) {
        value.undefined = "no item has a single label";
    }
    return value;
}

}  // namespace

std::vector<float> equal_width_edges(int bins) {
    const float step = 1.0F / static_cast<float>(bins);
    std::vector<float> edges;
    for (int i = 0; i <= bins; ++i) {
        // Values are computed from both ends towards the middle, as in torch.
        const bool lower = i < (bins + 1) / 2;
        edges.push_back(lower ? step * static_cast<float>(i)
                              : 1.0F - step * static_cast<float>(bins - i));
    }
    return edges;
}

std::vector<float> bin_bounds(int bins, std::string_view rule) {
    std::vector<float> bounds = equal_width_edges(bins);
    bounds.erase(bounds.begin());
    if (rule == "left_closed") return bounds;
    bounds.back() = 2;  // no probability reaches it
    if (rule == "right_closed") {
        for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
            bounds[i] = std::nextafter(bounds[i], std::numeric_limits<float>::infinity());
    }
    return bounds;
}

double most_variance(double low, double p, double hits) {
    const double seen = p > 0 ? hits * (1 - std::min(1.0, hits * low / p)) : hits;
    return std::max(p * (1 - low), seen);
}

void add_noisy_interval(ResampledEstimate& estimate, double noise, double level) {
    estimate.note = fmt::format(
        "noise alone adds about {:.2g} with this n, so the interval extends down by as much",
        noise);
    if (estimate.without.size() < 2) return;
    estimate.standard_error = jackknife_standard_error(estimate.without);
    Interval interval =
        symmetric_interval(*estimate.value, *estimate.standard_error, level, "jackknife.noise",
                           static_cast<double>(estimate.without.size() - 1));
    interval.low = std::max(0.0, interval.low - noise);
    interval.high = std::min(1.0, interval.high);
    if (interval.high - interval.low > 1e-12) {  // more than rounding
        estimate.interval = interval;
        return;
    }
    // A width of 0 would claim certainty, for example if all items are correct.
    estimate.no_interval = true;
    estimate.note = "no interval: the value is the same without any of the items";
}

std::unique_ptr<Accumulator> accumulate_bins(const MetricContext& context) {
    return std::make_unique<Bins>(bins_of(context.parameters), context.parameters.at("edges"));
}

std::vector<ConfidenceBin> confidence_bins(const MetricContext& context,
                                           std::span<const std::int64_t> state) {
    const int bins = bins_of(context.parameters);
    const std::vector<float> edges = equal_width_edges(bins);
    const std::size_t slots = (static_cast<std::size_t>(bins) + 1) * bin_slots;
    std::vector<ConfidenceBin> out(static_cast<std::size_t>(bins) + 1);
    for (std::size_t b = 0; b < out.size(); ++b) {
        ConfidenceBin& bin = out[b];
        bin.low = edges[b];
        bin.high = edges[std::min(b + 1, edges.size() - 1)];
        std::vector<std::int64_t> total(bin_slots, 0);
        for (std::size_t g = 0; g < group_count; ++g) {
            for (std::size_t k = 0; k < bin_slots; ++k)
                total[k] += state[g * slots + b * bin_slots + k];
        }
        bin.items = static_cast<std::uint64_t>(total[bin_items]);
        bin.hits = static_cast<std::uint64_t>(total[bin_hits]);
        bin.confidence = real_of(&total[bin_confidence_sum]);
    }
    // Only one of the edge rules has a bin for confidences of exactly 1.
    if (context.parameters.at("edges") != "left_closed") out.pop_back();
    return out;
}

std::string ece_definition(const Parameters& parameters) {
    return fmt::format("ece.{}.{}", parameters.at("norm"), parameters.at("edges"));
}

std::unique_ptr<Accumulator> accumulate_positive_bins(const MetricContext& context) {
    return std::make_unique<Bins>(bins_of(context.parameters), context.parameters.at("edges"),
                                  Binned::positive);
}

std::string binary_ece_definition(const Parameters& parameters) {
    return fmt::format("ece.binary.{}.{}", parameters.at("norm"), parameters.at("edges"));
}

std::string ece_debiased_definition(const Parameters& parameters) {
    return "ece_debiased." + parameters.at("edges");
}

Estimate ece_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value = counted(context, state);
    if (!value.undefined.empty()) return value;
    const auto total = static_cast<double>(value.n);
    double sum = 0, greatest = 0, floor = 0;
    const std::string& norm = context.parameters.at("norm");
    for (std::size_t b = 0; b < state.size(); b += bin_slots) {
        const auto n = static_cast<double>(state[b + bin_items]);
        if (n == 0) continue;
        const double confidence = real_of(&state[b + bin_confidence_sum]) / n;
        const double gap = std::abs(static_cast<double>(state[b + bin_hits]) / n - confidence);
        sum += n / total * (norm == "l2" ? gap * gap : gap);
        greatest = std::max(greatest, gap);
        // Returns E|accuracy - confidence| for a calibrated bin by the normal approximation.
        floor +=
            n / total * std::sqrt(2 * confidence * (1 - confidence) / (3.14159265358979323846 * n));
    }
    value.value = norm == "max" ? greatest : norm == "l2" ? std::sqrt(sum) : sum;
    if (norm == "l1" && !context.value_only)
        value.note =
            fmt::format("a perfectly calibrated model would score about {:.2g} with this n", floor);
    return value;
}

Estimate binary_ece_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value;
    value.undefined = not_two_classes(context.shape);
    if (!value.undefined.empty()) return value;
    value = ece_value(context, state);
    if (!value.value || context.value_only) return value;
    // If each bin contains only one class, drawing items anew shows no spread of the labels. The
    // error is then the mean of |label - p|, in [0, 1].
    bool pure = true;
    for (std::size_t b = 0; b < state.size(); b += bin_slots) {
        const std::int64_t hits = state[b + bin_hits];
        pure = pure && (hits == 0 || hits == state[b + bin_items]);
    }
    if (pure) value.interval = wilson_of_mean(*value.value, value.n, context.level);
    return value;
}

// The square of a bin's gap exceeds that of its true gap by the accuracy's variance, which is
// estimated and subtracted. If items in a bin have unequal confidences, the subtracted value is
// slightly too large. The excess is the variance of their confidences over n_b - 1, at most 1 / (4
// bins^2 (n_b - 1)). One item does not determine the variance: such a bin adds nothing, as in the
// authors' program.
Estimate ece_debiased_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value = counted(context, state);
    if (!value.undefined.empty()) return value;
    const auto total = static_cast<double>(value.n);
    double sum = 0;
    std::uint64_t alone = 0;
    for (std::size_t b = 0; b < state.size(); b += bin_slots) {
        const auto n = static_cast<double>(state[b + bin_items]);
        if (n < 2) {
            alone += static_cast<std::uint64_t>(n);
            continue;
        }
        const double accuracy = static_cast<double>(state[b + bin_hits]) / n;
        const double gap = accuracy - real_of(&state[b + bin_confidence_sum]) / n;
        sum += n / total * (gap * gap - accuracy * (1 - accuracy) / (n - 1));
    }
    if (alone == value.n) {
        value.undefined = "no bin holds two items, so the variance of a bin's accuracy is unknown";
        return value;
    }
    value.value = sum;
    if (context.value_only) return value;
    value.note = sum > 0 ? fmt::format("its root is {:.4g}", std::sqrt(sum))
                         : "not above 0: no miscalibration is visible with these bins and this n";
    if (alone > 0) value.note += fmt::format("; bins of a single item: {}", alone);
    return value;
}

}  // namespace assay::families

namespace assay::rows {
namespace {

using namespace families;

}  // namespace

ParameterFacts bins_parameter() {
    return {"bins", "15", "number of bins", {}, 1, 100};
}

ParameterFacts edges_parameter() {
    return {
        "edges",
        "left_closed",
        "which bin an edge belongs to; left_closed gives confidence 1 its own bin (torchmetrics "
        "1.1). Confidences are 32-bit, as in torchmetrics: a confidence above 1 - 2^-25 is 1",
        {"left_closed", "left_closed_merged", "right_closed"}};
}

void add_ece(MetricTable& table) {
    using enum Needs;
    const ParameterFacts norm{
        "norm",
        "l1",
        "l1: as in the formula; l2: root of the mean square; max: greatest gap",
        {"l1", "l2", "max"}};
    table.push_back(
        {.name = "ece",
         .title = "Expected calibration error",
         .formula = "sum of n_b/n |accuracy_b - confidence_b| over bins of the top confidence with "
                    "equal width",
         .parameters = {bins_parameter(), norm, edges_parameter()},
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
        {.name = "binary_ece",
         .title = "Expected calibration error of the positive class",
         .formula = "for two classes: sum of n_b/n |proportion of class 1_b - mean p_1_b| over "
                    "bins of p_1 with equal width",
         .parameters = {bins_parameter(), norm, edges_parameter()},
         .needs = labels | probabilities,
         .higher_is_better = false,
         .origin =
             "Naeini et al. 2015; with right_closed the bins of scikit-learn's calibration_curve",
         .uncertainty = Uncertainty::bootstrap,
         .definition = binary_ece_definition,
         .accumulate = accumulate_positive_bins,
         .value = binary_ece_value,
         .calibrated_null = true,
         .null_replaces_note = true,
         .by_default = false});
    table.push_back(
        {.name = "ece_debiased",
         .title = "Debiased squared calibration error",
         .formula = "`sum over the bins of ece of n_b/n ((accuracy_b - confidence_b)^2 - "
                    "accuracy_b (1 - accuracy_b) / (n_b - 1))`; about 0 on average under perfect "
                    "calibration, so it may be negative; a bin of one item adds 0",
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
