// Computes a metric's uncertainty from the states of its groups of items.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/metric/metric.h"
#include "core/statistics.h"

namespace assay {
namespace {

// The state of all groups, each counted `weight` times.
template <class Weight>
void reweigh(std::span<const std::int64_t> state, std::size_t slots, Weight&& weight,
             std::vector<std::int64_t>& out) {
    out.assign(slots, 0);
    for (std::uint32_t g = 0; g < group_count; ++g) {
        const std::int64_t w = weight(g);
        if (w == 0) continue;
        const std::int64_t* const from = state.data() + g * slots;
        for (std::size_t k = 0; k < slots; ++k) out[k] += w * from[k];
    }
}

}  // namespace

std::optional<Interval> log_interval(double value, std::span<const double> without, double level) {
    if (without.size() < 2 || !(value > 0)) return std::nullopt;
    std::vector<double> logs;
    for (const double x : without) {
        if (!(x > 0)) return std::nullopt;
        logs.push_back(std::log(x));
    }
    const double t = student_t_quantile(0.5 + level / 2, static_cast<double>(without.size() - 1));
    const double factor = std::exp(t * jackknife_standard_error(logs));
    return Interval{value / factor, value * factor, level, "jackknife.log"};
}

ResampledEstimate estimate(const MetricRequest& request, const Shape& shape,
                           const Accumulator& accumulator, std::span<const std::int64_t> state,
                           std::span<const std::uint64_t> group_sizes,
                           const Resampling& resampling) {
    const MetricFacts& facts = *request.facts;
    MetricContext context{shape, request.parameters, resampling.level};
    context.labels_per_image = request.labels_per_image().value_or(std::vector<int>());
    MetricContext value_only = context;
    value_only.value_only = true;
    const std::size_t slots = accumulator.slots();
    ResampledEstimate result;
    const auto whole = [&](std::span<const std::int64_t> sum) {
        static_cast<Estimate&>(result) = facts.value(context, sum);
        result.unit = facts.unit;
    };
    if (!accumulator.grouped()) {
        whole(state);
        return result;
    }
    std::vector<std::int64_t> work;
    reweigh(
        state, slots, [](std::uint32_t) { return 1; }, work);
    const std::vector<std::int64_t> total = work;
    whole(total);
    if (!result.value) return result;

    const bool bootstrap = facts.uncertainty == Uncertainty::bootstrap && resampling.replicates > 1;
    if (bootstrap) {
        const BootstrapWeights weights(resampling.seed, "bootstrap");
        for (std::uint32_t r = 0; r < resampling.replicates; ++r) {
            reweigh(
                state, slots, [&](std::uint32_t g) { return std::int64_t{weights(r, g)}; }, work);
            const Estimate value = facts.value(value_only, work);
            // A replicate without any usable item has no value; this happens with few items, and
            // such a replicate adds no spread.
            result.replicates.push_back(value.value.value_or(*result.value));
        }
    }
    for (std::uint32_t g = 0; g < group_count; ++g) {
        const std::int64_t* const from = state.data() + g * slots;
        // Groups of items with several labels only have no size, but count for label sets.
        const bool empty = std::all_of(from, from + slots, [](std::int64_t x) { return x == 0; });
        if (group_sizes[g] == 0 && empty) continue;
        for (std::size_t k = 0; k < slots; ++k) work[k] = total[k] - from[k];
        result.without.push_back(facts.value(value_only, work).value.value_or(*result.value));
    }
    return result;
}

}  // namespace assay
