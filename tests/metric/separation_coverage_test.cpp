// Coverage of the intervals of out-of-distribution detection.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "core/random.h"
#include "metric/separation.h"

namespace assay {
namespace {

// Normal samples whose means differ by `shift`, in steps if `step` > 0. Defined before the
// intervals were tried.
struct TwoSamples {
    const char* name;
    std::size_t first, second;
    double shift, spread, step;
};

std::vector<double> sample_of(std::size_t n, double mean, double spread, double step,
                              RandomStream& random) {
    std::vector<double> list(n);
    for (double& x : list) {
        x = mean + spread * random.normal();
        if (step > 0) x = std::round(x / step) * step;
    }
    return list;
}

TEST(SeparationCoverage, SlowInWorldsWhereItIsKnown) {
    const TwoSamples worlds[] = {
        {"near", 300, 300, 0.5, 1, 0},    {"apart", 300, 300, 2, 1, 0},
        {"far apart", 300, 300, 4, 1, 0}, {"many others", 300, 3000, 1.5, 1, 0},
        {"few", 100, 300, 1.5, 1, 0},     {"wider others", 300, 300, 2, 3, 0},
        {"steps", 300, 300, 1.5, 1, 0.5}, {"nearly separated", 5000, 500, 4.37, 1, 0}};
    constexpr int draws = 1000;
    for (const TwoSamples& world : worlds) {
        RandomStream source(1, "separation truth");
        const Separation truth =
            separation(sample_of(400000, world.shift, 1, world.step, source),
                       sample_of(400000, 0, world.spread, world.step, source), 0.95);
        int auroc = 0, rate = 0;
        double width = 0, other_width = 0;
        for (int draw = 0; draw < draws; ++draw) {
            RandomStream random(2, "separation coverage", static_cast<std::uint64_t>(draw));
            const Separation s =
                separation(sample_of(world.first, world.shift, 1, world.step, random),
                           sample_of(world.second, 0, world.spread, world.step, random), 0.95);
            const auto holds = [](const Estimate& e, const Estimate& t) {
                return e.interval->low <= *t.value && *t.value <= e.interval->high;
            };
            auroc += holds(s.auroc, truth.auroc) ? 1 : 0;
            rate += holds(s.false_positives, truth.false_positives) ? 1 : 0;
            width += half_width(s.auroc) / draws;
            other_width += half_width(s.false_positives) / draws;
        }
        std::printf("| %s | %.1f | %.4f | %.1f | %.4f |\n", world.name, auroc / 10.0, width,
                    rate / 10.0, other_width);
        // The limit is 95 % minus 2 points and three standard errors.
        EXPECT_GT(auroc, draws * (0.93 - 3 * 0.0069)) << world.name;
        EXPECT_GT(rate, draws * (0.93 - 3 * 0.0069)) << world.name;
    }
}

}  // namespace
}  // namespace assay
