// Means over the items with a single label: negative log-likelihood, Brier score,
// confidence.
#include <fmt/core.h>

#include "families.h"
#include "real_sum.h"

namespace assay::families {
namespace {

enum : std::size_t {
    loss_items,  // with a single label
    unknown,     // whose target's probability is not kept
    boundless,   // whose log-likelihood is not a number that can be added up
    loss_hits,
    log_sum,  // real sums from here
    brier_sum = log_sum + real_slots,
    confidence_sum = brier_sum + real_slots,
    loss_slots = confidence_sum + real_slots
};
// Nothing real is below: float logits would have to differ by this much. It keeps the integers of
// real_sum.h from overflowing.
constexpr double lowest_log = -2000;

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
            // sum_c (p_c - [c = y])^2 = sum_c p_c^2 - 2 p_y + 1
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
