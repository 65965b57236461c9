// Coverage of the 95 % intervals of ReaL and ASMA by votes, for the values by the true label sets.
// The simulations were defined before the estimator was tried (vote_worlds.h).
//
//     bench_vote_coverage [DRAWS [THREADS [EXPERTS [WORLD...]]]]
//
// The default is 100 draws per world. EXPERTS images are judged by experts (0: none). Biases and
// widths are in points. A coverage's standard error is about .02 at 100 draws of two models.
#include <fmt/core.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/statistics.h"
#include "vote_worlds.h"

namespace {

using namespace assay;
using namespace assay::true_sets;

struct Tally {
    double bias = 0, held = 0, width = 0, thresholded_bias = 0, held_by_experts = 0,
           expert_width = 0;
    int n = 0;
};
using Tallies = std::array<Tally, metric_count>;

Interval interval_of(double value, double variance) {
    const double inside = std::clamp(value, 1e-9, 1 - 1e-9);
    return wilson_of_size(inside, inside * (1 - inside) / std::max(variance, 1e-12),
                          normal_quantile(.975), .95, "votes");
}
bool holds(const Interval& interval, double truth) {
    return interval.low <= truth && truth <= interval.high;
}

/// The classes of posterior at least .5 for each image, in the order of the candidates.
ByMetric thresholded(const worlds::World& world, const worlds::Seen& seen,
                     const std::vector<double>& yes) {
    const std::size_t p = piece_count(world.subgroups);
    std::vector<double> sums(world.models.size() * p);
    for (std::size_t i = 0; i < seen.images.size(); ++i) {
        std::vector<std::int32_t> set;
        for (std::size_t c = 0; c < seen.images[i].candidates; ++c)
            if (yes[seen.asked.begin[i] + c] >= .5) set.push_back(static_cast<std::int32_t>(c));
        for (std::size_t m = 0; m < world.models.size(); ++m) {
            std::vector<std::int32_t> best(seen.images[i].candidates);
            for (std::size_t c = 0; c < best.size(); ++c)
                best[seen.images[i].rank[m][c]] = static_cast<std::int32_t>(c);
            add_pieces(set, best, world.subgroups, std::span(sums).subspan(m * p, p));
        }
    }
    ByMetric out;
    for (std::size_t m = 0; m < world.models.size(); ++m)
        out.push_back(values_of(std::span(sums).subspan(m * p, p)));
    return out;
}

Tallies one_draw(const worlds::World& world, const ByMetric& truth, std::uint64_t draw,
                 std::size_t experts) {
    const worlds::Seen seen = worlds::drawn(world, draw);
    const Layout layout(seen.asked);
    const SetFit fit = fit_sets(seen.asked, layout, 1);
    const SetValues values = set_values(seen.asked, layout, fit.parameters, world.subgroups, {}, 1);
    const std::vector<double> yes = plain_posteriors(seen.asked);
    const ByMetric plain = plain_values(seen.asked, layout, yes, world.subgroups, {});
    const ByMetric hard = thresholded(world, seen, yes);
    const std::size_t p = piece_count(world.subgroups), models = world.models.size();
    ExpertValues corrected;
    if (experts > 0) {
        ExpertPieces pieces;
        pieces.pieces.resize(experts * models * p);
        // images have no particular order, so the first ones are used
        for (std::size_t e = 0; e < experts; ++e) {
            pieces.image.push_back(e);
            for (std::size_t m = 0; m < models; ++m)
                worlds::add_true_pieces(world, seen.images[e], m,
                                        std::span(pieces.pieces).subspan((e * models + m) * p, p));
        }
        corrected = corrected_by_experts(seen.asked, layout, fit.parameters, world.subgroups, {},
                                         values, pieces);
    }
    Tallies out;
    for (std::size_t m = 0; m < models; ++m) {
        for (const Metric metric : {real_metric, asma_metric}) {
            Tally& tally = out[metric];
            const double value = values.values[m][metric], right = truth[m][metric];
            const double more =
                variance_of_one_more(std::span(values.sums).subspan(m * p, p), metric);
            const Interval interval = interval_of(
                value, variance_by_votes(values.of(m, metric), value - plain[m][metric]) + more);
            tally.bias += 100 * (value - right);
            tally.held += holds(interval, right) ? 1 : 0;
            tally.width += 100 * (interval.high - interval.low);
            tally.thresholded_bias += 100 * (hard[m][metric] - right);
            if (experts > 0) {
                const Interval by_experts =
                    interval_of(corrected.values[m][metric], corrected.variance[m][metric] + more);
                tally.held_by_experts += holds(by_experts, right) ? 1 : 0;
                tally.expert_width += 100 * (by_experts.high - by_experts.low);
            }
            ++tally.n;
        }
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int at, int otherwise) {
        return argc > at ? std::atoi(argv[at]) : otherwise;
    };
    const auto draws = static_cast<std::size_t>(number(1, 100));
    const auto experts = static_cast<std::size_t>(number(3, 0));
    const std::vector<std::string> wanted(argv + std::min(argc, 4), argv + argc);
    fmt::print("{:8} {:8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "world", "value", "truth",
               "sets .5", "bias", "covered", "width", "experts", "width");
    for (const worlds::World& world : worlds::all()) {
        if (!wanted.empty() && std::ranges::find(wanted, world.name) == wanted.end()) continue;
        const ByMetric truth = worlds::truth_of(world);
        std::vector<Tallies> all(draws);
        parallel_blocks(draws, number(2, 1), [&](std::size_t draw) {
            all[draw] = one_draw(world, truth, draw, experts);
        });
        for (const Metric metric : {real_metric, asma_metric}) {
            Tally sum;
            for (const Tallies& one : all) {
                sum.bias += one[metric].bias;
                sum.held += one[metric].held;
                sum.width += one[metric].width;
                sum.thresholded_bias += one[metric].thresholded_bias;
                sum.held_by_experts += one[metric].held_by_experts;
                sum.expert_width += one[metric].expert_width;
                sum.n += one[metric].n;
            }
            fmt::print("{:8} {:8} {:8.3f} {:8.1f} {:8.1f} {:8.3f} {:8.1f} {:8.3f} {:8.1f}\n",
                       world.name, metric == real_metric ? "ReaL" : "ASMA", truth[0][metric],
                       sum.thresholded_bias / sum.n, sum.bias / sum.n, sum.held / sum.n,
                       sum.width / sum.n, sum.held_by_experts / sum.n, sum.expert_width / sum.n);
        }
        std::fflush(stdout);
    }
    return 0;
}
