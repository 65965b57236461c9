// Computes the Brier score of the positive class, which is class 1 of two.
#include <algorithm>

#include "metric/agreement.h"
#include "metric/families.h"
#include "metric/real_sum.h"

namespace assay::families {
namespace {

enum : std::size_t {
    scored_items,  // items with a single label
    square_sum,    // real sums of (p_1 - y)^2 and of its square
    fourth_sum = square_sum + real_slots,
    binary_brier_slots = fourth_sum + real_slots
};

class BinaryBrier final : public Accumulator {
public:
    std::string key() const override { return "binary brier"; }
    std::size_t slots() const override { return binary_brier_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            if (row.target < 0) continue;
            std::int64_t* const sums = state.data() + row.group * binary_brier_slots;
            ++sums[scored_items];
            // p_0 = 1 - p_1, so both classes have the same square: half of the `brier` term.
            const double square = std::max(
                0.0, (row.square_sum - 2 * static_cast<double>(row.target_probability) + 1) / 2);
            add_real(sums + square_sum, square);
            add_real(sums + fourth_sum, square * square);
        }
    }
};

std::unique_ptr<Accumulator> accumulate_binary_brier(const MetricContext&) {
    return std::make_unique<BinaryBrier>();
}

Estimate binary_brier_value(const MetricContext& context, std::span<const std::int64_t> state) {
    Estimate value;
    value.undefined = not_two_classes(context.shape);
    if (!value.undefined.empty()) return value;
    value.n = static_cast<std::uint64_t>(state[scored_items]);
    if (!context.shape.probabilities) {
        value.undefined = no_probabilities;
    } else if (!context.shape.full_rows) {
        value.undefined = "the store does not keep every class's probability";
    } else if (value.n == 0) {
        value.undefined = "no item has a single label";
    }
    if (!value.undefined.empty()) return value;
    const auto n = static_cast<double>(value.n);
    const double mean = std::min(1.0, real_of(&state[square_sum]) / n);
    value.value = mean;
    if (context.value_only || value.n < 2) return value;
    const double variance =
        std::max(0.0, real_of(&state[fourth_sum]) / n - mean * mean) * n / (n - 1);
    value.interval = mean_interval({value.n, mean, variance}, context.level);
    return value;
}

}  // namespace
}  // namespace assay::families

namespace assay::rows {
namespace {

std::string fixed_binary_brier(const Parameters&) {
    return "brier.binary";
}

}  // namespace

void add_binary_brier(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "binary_brier",
         .title = "Brier score of the positive class",
         .formula = "for two classes: mean of (p_1 - [label = 1])^2, half of brier",
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .origin = "Brier 1950, Verification of forecasts; scikit-learn's brier_score_loss",
         .definition = fixed_binary_brier,
         .accumulate = families::accumulate_binary_brier,
         .value = families::binary_brier_value,
         .by_default = false});
}

}  // namespace assay::rows
