#include "evaluate/gap/store_errors.h"

#include <cmath>

#include "core/statistics.h"

namespace assay {
namespace {

GapCounts group_of(const GapScheme& scheme, const GapState& state, std::size_t group) {
    return GapCounts(state).subspan(group * scheme.slots(), scheme.slots());
}

/// Adds the groups' effects on a block's mean, multiplied by `weight`, to a model's column.
void add_moves(const GapStatistics& statistics, const GapState& state, std::size_t block,
               double weight, std::size_t model, statements::Matrix& rows) {
    const GapScheme& scheme = statistics.scheme();
    const Estimate whole = statistics.value(block, scheme.total(state));
    if (!whole.value || whole.n == 0) return;
    for (std::size_t g = 0; g < group_count; ++g) {
        const Estimate part = statistics.value(block, group_of(scheme, state, g));
        if (!part.value) continue;
        rows.row(g)[model] += weight * static_cast<double>(part.n) * (*part.value - *whole.value) /
                              static_cast<double>(whole.n);
    }
}

void fill_column(const GapStatistics& statistics, const GapState& state, GapMetric metric,
                 std::size_t model, statements::Matrix& rows) {
    if (metric != GapMetric::asma) {
        add_moves(statistics, state, GapStatistics::block(metric), 1, model, rows);
        return;
    }
    const GapScheme& scheme = statistics.scheme();
    const std::size_t subgroups = scheme.strata().subgroups().size();
    for (std::size_t k = 0; k < subgroups; ++k) {
        const std::size_t block = GapStatistics::block(k, GapMetric::asma);
        const auto n = static_cast<double>(statistics.value(block, scheme.total(state)).n);
        const double small = n > 1 ? std::sqrt(n / (n - 1)) : 1;
        add_moves(statistics, state, block, small / static_cast<double>(subgroups), model, rows);
    }
}

}  // namespace

GapNoise noise_of_stores(const GapReport& report, const GapInput& input,
                         const GapStatistics& statistics) {
    GapNoise noise;
    noise.same_groups = true;
    noise.dependent = input.dependent;
    noise.bounds.resize(1);
    const double z = normal_quantile(.5 + report.options.level / 2);
    for (const GapMetric metric : gap_metrics) {
        const auto m = static_cast<std::size_t>(metric);
        for (std::size_t set = 0; set < 2; ++set) {
            statements::Matrix rows(group_count, input.models.size());
            std::vector<double> own(input.models.size(), 0);
            std::string why;
            for (std::size_t i = 0; i < input.models.size(); ++i) {
                const Estimate& value = side(report.models[i].metrics[m], set);
                if (!value.value) continue;
                if (!value.interval) {
                    why = value.note.empty() ? "a model's value has no interval" : value.note;
                    continue;
                }
                own[i] = half_width(value) / z;
                fill_column(statistics, input.models[i].states[set], metric, i, rows);
            }
            noise.unknown[m][set] = why;
            if (why.empty())
                noise.bounds[0][m][set] =
                    statements::rescaled(statements::Factor(std::move(rows)), own);
        }
    }
    return noise;
}

}  // namespace assay
