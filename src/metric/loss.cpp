// Means over the items with a single label: negative log-likelihood, Brier score,
// confidence.
#include <fmt/core.h>

#include "metric/families.h"
#include "metric/real_sum.h"

namespace assay::families {
namespace {

enum : std::size_t {
    loss_items,  // items with a single label
    unknown,     // items whose target's probability is not stored
    boundless,   // items whose log-likelihood is not a number that can be added
    loss_hits,
    log_sum,  // the first real sum
    brier_sum = log_sum + real_slots,
    confidence_sum = brier_sum + real_slots,
    loss_slots = confidence_sum + real_slots
};

class Losses final : public Accumulator {
public:
    std::string key() const override { return "losses"; }
    std::size_t slots() const override { return loss_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            if (row.target < 0) continue;
            std::int64_t* const sums = state.data() + row.group * loss_slots;
            ++sums[loss_items];
            sums[loss_hits] += row.predicted == row.target ? 1 : 0;
            add_real(sums + confidence_sum, row.confidence);
            if (!row.target_known) {
                ++sums[unknown];
                continue;
            }
            // Uses sum_c (p_c - [c = y])^2 = sum_c p_c^2 - 2 p_y + 1.
            add_real(sums + brier_sum,
                     row.square_sum - 2 * static_cast<double>(row.target_probability) + 1);
            if (row.log_target >= lowest_log) {
                add_real(sums + log_sum, row.log_target);
            } else {
                ++sums[boundless];
            }
        }
    }
};

Estimate mean(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value;
    value.n = static_cast<std::uint64_t>(state[loss_items]);
    if (!context.shape.probabilities) {
        value.undefined = no_probabilities;
    } else if (value.n == 0) {
        value.undefined = "no item has a single label";
    }
    return value;
}

double per_item(std::span<const std::int64_t> state, double sum) {
    return sum / static_cast<double>(state[loss_items]);
}

std::string not_kept(std::span<const std::int64_t> state) {
    return fmt::format("the store does not keep the true class's probability of {} items",
                       state[unknown]);
}

}  // namespace

std::unique_ptr<Accumulator> accumulate_losses(const MetricContext&) {
    return std::make_unique<Losses>();
}

Estimate nll_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value = mean(context, state);
    if (!value.undefined.empty()) return value;
    if (state[unknown] > 0) {
        value.undefined = not_kept(state);
    } else if (state[boundless] > 0) {
        value.undefined = fmt::format(
            "the true class has probability 0 (or below e^{:.0f}) in {} items: the loss is "
            "infinite",
            lowest_log, state[boundless]);
    } else {
        value.value = -per_item(state, real_of(&state[log_sum]));
    }
    return value;
}

Estimate brier_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value = mean(context, state);
    if (!value.undefined.empty()) return value;
    if (!context.shape.full_rows) {
        value.undefined = "the store does not keep every class's probability";
    } else {
        value.value = per_item(state, real_of(&state[brier_sum]));
    }
    return value;
}

Estimate confidence_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value = mean(context, state);
    if (value.undefined.empty()) value.value = per_item(state, real_of(&state[confidence_sum]));
    return value;
}

Estimate overconfidence_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value = mean(context, state);
    if (value.undefined.empty()) {
        value.value = per_item(
            state, real_of(&state[confidence_sum]) - static_cast<double>(state[loss_hits]));
    }
    return value;
}

}  // namespace assay::families

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

void add_losses(MetricTable& table) {
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
                     .formula = "mean of max_c p_c minus top-1 accuracy; above 0: over-confident",
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
}

}  // namespace assay::rows
