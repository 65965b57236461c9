// Coverage of the interval of the calibration error after temperature scaling, for the error
// without noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "core/random.h"
#include "metric/families.h"
#include "metric/temperature.h"

namespace assay {
namespace {

// Labels are drawn from softmax(logits), or with probability `random_labels` uniformly from all
// classes. The model returns `sharpness` times the logits, in steps if `step` > 0.
struct HeatWorld {
    const char* name;
    std::size_t classes, items;
    double spread, sharpness, random_labels = 0, step = 0;
};

// The simulations, which were defined before the interval was tried.
constexpr HeatWorld heat_worlds[] = {{"over-confident", 5, 300, 1.5, 3},
                                     {"too sure, more items", 5, 2000, 1.5, 3},
                                     {"labels at random", 10, 300, 3, 1, 0.15},
                                     {"labels at random, more items", 10, 2000, 3, 1, 0.15},
                                     {"near-perfect", 10, 1000, 8, 2},
                                     {"steps", 5, 600, 2, 2, 0.05, 0.5}};

struct HeatItem {
    std::vector<float> logits;
    std::vector<double> truth;
    std::int32_t label = 0, predicted = 0;
};

HeatItem heat_draw(const HeatWorld& world, RandomStream& random) {
    HeatItem item;
    double sum = 0;
    for (std::size_t c = 0; c < world.classes; ++c) {
        double z = world.spread * random.normal();
        if (world.step > 0) z = std::round(z / world.step) * world.step;
        item.logits.push_back(static_cast<float>(world.sharpness * z));
        item.truth.push_back(std::exp(z));
        sum += item.truth.back();
    }
    double u = random.uniform();
    for (double& q : item.truth)
        q = (1 - world.random_labels) * q / sum +
            world.random_labels / static_cast<double>(world.classes);
    std::size_t c = 0;
    while (c + 1 < world.classes && u >= item.truth[c]) u -= item.truth[c++];
    item.label = static_cast<std::int32_t>(c);
    item.predicted = static_cast<std::int32_t>(
        std::max_element(item.logits.begin(), item.logits.end()) - item.logits.begin());
    return item;
}

double fit(const std::vector<HeatItem>& items, std::size_t from, std::size_t step, LossSums& sums) {
    TemperatureFit fit;
    while (!fit.done()) {
        sums = LossSums();
        for (std::size_t i = from; i < items.size(); i += step)
            sums.add(i % group_count, loss_slope(items[i].logits, items[i].label, fit.beta()));
        fit.step(sums);
    }
    return fit.beta();
}

double heat_truth(const HeatWorld& world) {
    std::vector<HeatItem> items;
    RandomStream random(1, "heat truth");
    for (int i = 0; i < 60000; ++i) items.push_back(heat_draw(world, random));
    LossSums sums;
    const double beta = fit(items, 0, 1, sums);
    const std::vector<float> edges = families::equal_width_edges(15);
    std::vector<double> gaps(16);
    for (const HeatItem& item : items) {
        const float p = scaled_confidence(item.logits, beta).confidence;
        const auto bin = std::upper_bound(edges.begin(), edges.end(), p) - edges.begin() - 1;
        gaps[static_cast<std::size_t>(bin)] +=
            static_cast<double>(p) - item.truth[static_cast<std::size_t>(item.predicted)];
    }
    double sum = 0;
    for (const double gap : gaps) sum += std::abs(gap) / static_cast<double>(items.size());
    return sum;
}

TEST(TemperatureCoverage, SlowInWorldsWhereItIsKnown) {
    constexpr int draws = 300;
    for (const HeatWorld& world : heat_worlds) {
        const double truth = heat_truth(world);
        int covered = 0;
        double value = 0, width = 0;
        for (int draw = 0; draw < draws; ++draw) {
            RandomStream random(2, "heat coverage", static_cast<std::uint64_t>(draw));
            std::vector<HeatItem> items;
            for (std::size_t i = 0; i < world.items; ++i) items.push_back(heat_draw(world, random));
            std::array<LossSums, 2> sums;
            const std::array<double, 2> beta{fit(items, 0, 2, sums[0]), fit(items, 1, 2, sums[1])};
            std::vector<ScaledItem> scaled;
            for (std::size_t i = 0; i < items.size(); ++i) {
                scaled.push_back({scaled_confidence(items[i].logits, beta[(i + 1) % 2]),
                                  items[i].predicted == items[i].label,
                                  static_cast<std::uint8_t>(i % 2),
                                  static_cast<std::uint16_t>(i % group_count)});
            }
            const auto e =
                scaled_ece(scaled, sums, {{"bins", "15"}, {"edges", "left_closed"}}, 0.95);
            covered += e.interval->low <= truth && truth <= e.interval->high ? 1 : 0;
            value += *e.value / draws;
            width += (e.interval->high - e.interval->low) / draws;
        }
        const double part = covered / static_cast<double>(draws);
        std::printf("| %s | %zu | %.4f | %.4f | %.1f | %.4f |\n", world.name, world.items, truth,
                    value, 100 * part, width);
        std::fflush(stdout);
        // The coverage must be at least 93 %, within three standard errors of 300 draws. It may be
        // 100 %.
        EXPECT_GT(part, 0.93 - 3 * 0.0147) << world.name;
    }
}

}  // namespace
}  // namespace assay
