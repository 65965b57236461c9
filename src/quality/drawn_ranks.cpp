#include "quality/drawn_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "core/statistics.h"
#include "core/text.h"

namespace assay::quality {
namespace {

constexpr std::uint32_t most_replicates = 1'000'000;
/// Ranks and places are kept until the end, with 4 bytes each.
constexpr std::size_t most_draws = 100'000'000;
/// Squares of larger scores could overflow.
constexpr double largest_score = 1e150;

}  // namespace

void check_score_options(const QubaOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("level is {}; it must be in (0, 1)", options.level));
    if (options.replicates < 100 || options.replicates > most_replicates) {
        throw Error(ErrorCode::usage, fmt::format("{} replicates; allowed: 100 to {}",
                                                  options.replicates, most_replicates));
    }
}

void check_draws(const QubaOptions& options, std::size_t models) {
    if (models * options.replicates > most_draws) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} replicates of {} exceed {}; use fewer", options.replicates,
                                how_many(models, "model"), most_draws));
    }
}

std::vector<std::uint32_t> ranks_of(const std::vector<double>& scores) {
    for (const double score : scores) {
        if (std::fabs(score) <= largest_score) continue;
        throw Error(ErrorCode::bad_input,
                    fmt::format("a score is {}, or was drawn so; it must be between -{} and {}: "
                                "correct the values and standard errors that are this large",
                                score, largest_score, largest_score));
    }
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    std::vector<std::uint32_t> ranks(scores.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        const bool tie = place > 0 && scores[order[place]] == scores[order[place - 1]];
        ranks[order[place]] = tie ? ranks[order[place - 1]] : static_cast<std::uint32_t>(place + 1);
    }
    return ranks;
}

Estimate rank_estimate(double value, const std::vector<std::uint32_t>& drawn, std::size_t among,
                       double level) {
    Estimate rank;
    rank.unit = Unit::rank;
    rank.value = value;
    rank.n = among;
    Interval interval =
        percentile_interval({drawn.begin(), drawn.end()}, level, "draws.percentile");
    // Places are whole numbers. The interval includes the observed place.
    interval.low = std::min(std::floor(interval.low), value);
    interval.high = std::max(std::ceil(interval.high), value);
    rank.interval = interval;
    return rank;
}

void DrawnModel::add(double score, std::uint32_t rank, std::uint32_t before) {
    const double last = mean;
    mean += (score - last) / (before + 1.0);
    squares += (score - last) * (score - mean);
    best += rank == 1 ? 1 : 0;
    top5 += rank <= 5 ? 1 : 0;
    ranks.push_back(rank);
}

}  // namespace assay::quality
