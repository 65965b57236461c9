// Ranks jump, so leaving out one group in 128 seldom moves them: groups of images are drawn anew
// instead.
#include <algorithm>
#include <cmath>

#include "assay/metric/metric.h"
#include "core/parallel.h"
#include "core/rank_correlation.h"
#include "core/statistics.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_statistics.h"
#include "evaluate/gap/ordering.h"

namespace assay {
namespace {

// The columns of the bootstrap: metric x data set.
constexpr std::size_t rank_columns = 6;
constexpr std::size_t column_of(std::size_t metric, std::size_t set) {
    return 2 * metric + set;
}

// Of each model and data set what the three metrics need and no more: the inner loop runs over it a
// thousand times. [group][predictions over all strata, label sets].
class Compact {
public:
    Compact(const GapInput& input, const GapScheme& scheme) : statistics_(scheme) {
        for (const auto& model : input.models) {
            for (const GapState& state : model.states) add(state, scheme);
        }
    }

    // Values of one replicate; none where there is no image.
    std::array<Maybe, 3> values(std::size_t model, std::size_t set,
                                const std::vector<std::int64_t>& weights,
                                std::vector<std::int64_t>& sum) const {
        sum.assign(width_, 0);
        const std::int64_t* from = counts_.data() + (2 * model + set) * group_count * width_;
        for (std::size_t g = 0; g < group_count; ++g, from += width_) {
            if (weights[g] == 0) continue;
            for (std::size_t k = 0; k < width_; ++k) sum[k] += weights[g] * from[k];
        }
        const GapCounts all(sum);
        return statistics_.metrics(all.first(predictions_), all.subspan(predictions_));
    }

private:
    void add(const GapState& state, const GapScheme& scheme) {
        for (std::size_t g = 0; g < group_count; ++g) {
            const GapCounts group = GapCounts(state).subspan(g * scheme.slots(), scheme.slots());
            const auto predictions = scheme.predictions(group);
            const GapCounts sets = scheme.label_sets(group);
            counts_.insert(counts_.end(), predictions.begin(), predictions.end());
            counts_.insert(counts_.end(), sets.begin(), sets.end());
            predictions_ = predictions.size();
            width_ = predictions.size() + sets.size();
        }
    }

    GapStatistics statistics_;
    std::size_t predictions_ = 0, width_ = 0;
    std::vector<std::int64_t> counts_;
};

struct Replicate {
    std::array<std::vector<std::uint32_t>, rank_columns> ranks;
    std::vector<std::array<Maybe, 2>> orders;  ///< Kendall, Spearman
};

std::size_t column_of(GapMetric metric, int set) {
    return column_of(static_cast<std::size_t>(metric), static_cast<std::size_t>(set));
}

Replicate replicate(const GapReport& report,
                    const std::array<std::vector<Maybe>, rank_columns>& values) {
    Replicate out;
    for (std::size_t c = 0; c < rank_columns; ++c) out.ranks[c] = competition_ranks(values[c]);
    std::vector<double> x, y;
    for (const GapOrder& order : report.orders) {
        const auto &one = values[column_of(order.a, order.a_set)],
                   &two = values[column_of(order.b, order.b_set)];
        x.clear();
        y.clear();
        for (std::size_t i = 0; i < one.size(); ++i) {
            if (!one[i] || !two[i]) continue;
            x.push_back(*one[i]);
            y.push_back(*two[i]);
        }
        out.orders.push_back({kendall_tau_b(x, y), spearman_rho(x, y)});
    }
    return out;
}

void set_interval(Estimate& v, const std::vector<double>& values, double level) {
    double mean = 0, squares = 0;
    for (const double x : values) mean += x / static_cast<double>(values.size());
    for (const double x : values) squares += (x - mean) * (x - mean);
    const double error = std::sqrt(squares / static_cast<double>(values.size() - 1));
    if (error < 1e-12) {
        v.note = "no interval: the order is the same in every replicate";
        return;
    }
    v.interval = symmetric_interval(*v.value, error, level, "bootstrap.normal");
    v.interval->low = std::max(-1.0, v.interval->low);
    v.interval->high = std::min(1.0, v.interval->high);
}

}  // namespace

void bootstrap_orders(GapReport& report, const GapInput& input, const GapScheme& scheme) {
    const std::uint32_t count = report.options.replicates;
    if (count < 2) {
        for (GapOrder& order : report.orders) {
            order.kendall.note = order.spearman.note =
                count == 0 ? "no interval: no replicates were asked for"
                           : "no interval: 1 replicate has no spread: 2 or more are needed";
        }
        return;
    }
    const Compact compact(input, scheme);
    const std::array<BootstrapWeights, 2> draw{BootstrapWeights(report.options.seed, "gap.first"),
                                               BootstrapWeights(report.options.seed, "gap.second")};
    std::vector<Replicate> replicates(count);
    parallel_blocks(count, resolve_threads(report.options.threads), [&](std::size_t r) {
        throw_if_stopped();
        std::array<std::vector<Maybe>, rank_columns> values;
        std::vector<std::int64_t> weights(group_count), sum;
        for (std::size_t set = 0; set < 2; ++set) {
            for (std::size_t g = 0; g < group_count; ++g) weights[g] = draw[set](r, g);
            for (std::size_t i = 0; i < report.models.size(); ++i) {
                const auto drawn = compact.values(i, set, weights, sum);
                for (std::size_t m = 0; m < drawn.size(); ++m) {
                    const GapPair& pair = report.models[i].metrics[m];
                    const Maybe& whole = (set == 0 ? pair.first : pair.second).value;
                    // Undefined with all images: never ranked. Undefined in this draw alone: it
                    // carries no spread.
                    values[column_of(m, set)].push_back(whole && drawn[m] ? drawn[m] : whole);
                }
            }
        }
        replicates[r] = replicate(report, values);
    });

    std::vector<double> drawn(count);
    for (std::size_t i = 0; i < report.models.size(); ++i) {
        for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
            for (std::size_t set = 0; set < 2; ++set) {
                GapRank& rank = report.models[i].ranks[m][set];
                if (rank.rank == 0) continue;
                for (std::uint32_t r = 0; r < count; ++r)
                    drawn[r] = replicates[r].ranks[column_of(m, set)][i];
                const Interval middle = percentile_interval(drawn, report.options.level, "");
                rank.low = std::min(rank.rank, static_cast<std::uint32_t>(std::floor(middle.low)));
                rank.high = std::max(rank.rank, static_cast<std::uint32_t>(std::ceil(middle.high)));
            }
        }
    }
    for (std::size_t o = 0; o < report.orders.size(); ++o) {
        for (std::size_t which = 0; which < 2; ++which) {
            Estimate& v = which == 0 ? report.orders[o].kendall : report.orders[o].spearman;
            if (!v.value) continue;
            for (std::uint32_t r = 0; r < count; ++r)
                drawn[r] = replicates[r].orders[o][which].value_or(*v.value);
            set_interval(v, drawn, report.options.level);
        }
    }
}

}  // namespace assay
