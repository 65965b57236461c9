// Coverage of ASMA's 95 % interval.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "asma_worlds.h"
#include "assay/metric/metric.h"
#include "metric/agreement.h"
#include "metric/families.h"

namespace assay {
namespace {

struct Covered {
    double part = 0, width = 0;
    int draws = 0;
};

std::optional<Estimate> asma_of(const AsmaCounts& counts, const MetricContext& context,
                                const Accumulator& accumulator) {
    std::vector<std::int64_t> state(accumulator.slots() * group_count, 0);
    for (std::size_t g = 0; g < asma_subgroups; ++g) {
        std::int64_t images = 0;
        for (std::size_t h = 0; h <= g + 1; ++h) {
            RowFacts row;
            row.valid = static_cast<std::uint32_t>(g + 1);
            row.hits = static_cast<std::int32_t>(h);
            const std::vector<RowFacts> rows(static_cast<std::size_t>(counts[g][h]), row);
            accumulator.update(state, rows);
            images += counts[g][h];
        }
        if (images == 0) return std::nullopt;
    }
    return families::asma_value(context, std::span(state).first(accumulator.slots()));
}

Covered coverage(const AsmaWorld& world, std::uint64_t images, int draws) {
    const MetricRequest request = parse_metric("asma");
    MetricContext context;
    context.shape.classes = 1000;
    context.shape.most_labels = asma_subgroups;
    context.parameters = request.parameters;
    const auto accumulator = families::accumulate_label_sets(context);
    const double truth = world.truth();
    Covered covered;
    for (int draw = 0; draw < draws; ++draw) {
        RandomStream random(images, "asma coverage", static_cast<std::uint64_t>(draw));
        const auto value = asma_of(asma_draw(world, images, random), context, *accumulator);
        if (!value) continue;
        const Interval& i = value->interval.value();
        ++covered.draws;
        covered.part += i.low <= truth && truth <= i.high ? 1 : 0;
        covered.width += i.high - i.low;
    }
    covered.part /= covered.draws;
    covered.width /= covered.draws;
    return covered;
}

TEST(AsmaCoverage, SlowInWorldsWhereItIsKnown) {
    // The tables in docs/intervals.md use 2,000 draws.
    constexpr int draws = 1000;
    for (const AsmaWorld& world : asma_worlds()) {
        std::vector<std::uint64_t> sizes{300, 1000};
        if (!world.sizes.empty()) sizes = {0};
        for (const std::uint64_t images : sizes) {
            const Covered covered = coverage(world, images, draws);
            const double error = std::sqrt(covered.part * (1 - covered.part) / covered.draws);
            std::printf("| %s | %d | %.1f ± %.1f | %.2f |\n", world.name.c_str(),
                        images > 0 ? static_cast<int>(images) : 1140, 100 * covered.part,
                        100 * error, 100 * covered.width);
            // The coverage is 93 to 97 %, within three standard errors.
            EXPECT_GT(covered.part, 0.93 - 3 * 0.0081) << world.name << ' ' << images;
            EXPECT_LT(covered.part, 0.97 + 3 * 0.0054) << world.name << ' ' << images;
        }
    }
}

// The sums over the images of a subgroup, as in `compare`.
PairedAgreement pair_of(const std::array<std::array<std::int64_t, 6>, 6>& counts, std::size_t g) {
    PairedAgreement pair;
    double first = 0, second = 0, squares = 0, firsts = 0, seconds = 0;
    for (std::size_t a = 0; a <= g + 1; ++a) {
        for (std::size_t b = 0; b <= g + 1; ++b) {
            const auto n = static_cast<double>(counts[a][b]), most = static_cast<double>(g + 1);
            const double x = static_cast<double>(a) / most, y = static_cast<double>(b) / most;
            pair.n += static_cast<std::uint64_t>(counts[a][b]);
            first += n * x;
            second += n * y;
            squares += n * (y - x) * (y - x);
            firsts += n * x * x;
            seconds += n * y * y;
        }
    }
    const auto n = static_cast<double>(pair.n);
    if (n == 0) return pair;
    pair.first = first / n;
    pair.second = second / n;
    const double mean = pair.second - pair.first;
    if (n < 2) return pair;
    const auto spread = [n](double sum, double of) {
        return std::max(0.0, (sum - n * of * of) / (n - 1));
    };
    pair.variance = spread(squares, mean);
    pair.first_variance = spread(firsts, pair.first);
    pair.second_variance = spread(seconds, pair.second);
    return pair;
}

TEST(AsmaCoverage, SlowPairedDifferencesToo) {
    constexpr int draws = 1000;
    const std::vector<double> weights(asma_subgroups, 1.0 / asma_subgroups);
    for (const AsmaPair& world : asma_pairs()) {
        std::vector<std::uint64_t> sizes{300, 1000};
        if (!world.first.sizes.empty()) sizes = {0};
        const double truth = world.truth();
        for (const std::uint64_t images : sizes) {
            Covered covered;
            for (int draw = 0; draw < draws; ++draw) {
                RandomStream random(images, "paired asma", static_cast<std::uint64_t>(draw));
                const AsmaPairCounts counts = asma_draw(world, images, random);
                std::vector<PairedAgreement> pairs;
                for (std::size_t g = 0; g < asma_subgroups; ++g) {
                    const PairedAgreement pair = pair_of(counts[g], g);
                    if (pair.n > 0) pairs.push_back(pair);
                }
                if (pairs.size() < asma_subgroups) continue;
                const Interval i = paired_sum_interval(pairs, weights, 0.95);
                ++covered.draws;
                covered.part += i.low <= truth && truth <= i.high ? 1 : 0;
                covered.width += i.high - i.low;
            }
            covered.part /= covered.draws;
            covered.width /= covered.draws;
            std::printf("| %s | %d | %.1f | %.2f |\n", world.name.c_str(),
                        images > 0 ? static_cast<int>(images) : 1140, 100 * covered.part,
                        100 * covered.width);
            EXPECT_GT(covered.part, 0.93 - 3 * 0.0081) << world.name << ' ' << images;
            // The coverage is slightly higher if a subgroup has a dozen images, because the
            // additional image of the interval then has much weight.
            EXPECT_LT(covered.part, 0.985 + 3 * 0.0038) << world.name << ' ' << images;
        }
    }
}

}  // namespace
}  // namespace assay
