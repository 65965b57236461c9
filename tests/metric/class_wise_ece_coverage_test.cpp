// Coverage of the interval of the class-wise calibration error, for the error without noise.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/random.h"
#include "metric/class_wise_ece.h"
#include "metric/families.h"
#include "metric/real_sum.h"
#include "plain_definitions.h"

namespace assay {
namespace {

// Items whose labels are drawn from softmax(logits). The model predicts softmax(sharpness *
// logits), rounded to steps if `atoms`.
struct EceWorld {
    std::string name;
    std::size_t classes, items;
    double spread;     // standard deviation of the logits
    double sharpness;  // 1 for a calibrated model
    bool rare = false;
    bool atoms = false;
};

// The simulations, which were defined before the interval was chosen.
std::vector<EceWorld> ece_worlds() {
    return {{"calibrated", 10, 300, 2, 1},
            {"over-confident", 10, 300, 1.5, 2},
            {"too sure, more items", 10, 5000, 1.5, 2},
            {"too careful", 10, 1000, 3, 0.5},
            {"rare classes", 50, 300, 2, 1.3, true},
            {"steps of a tenth", 5, 1000, 2, 1.5, false, true},
            {"near-perfect", 10, 1000, 8, 1.5}};
}

void draw_item(const EceWorld& world, RandomStream& random, std::vector<double>& truth,
               std::vector<float>& said) {
    double sum = 0, other = 0;
    truth.resize(world.classes);
    said.resize(world.classes);
    std::vector<double> sharp(world.classes);
    for (std::size_t c = 0; c < world.classes; ++c) {
        const double prior = world.rare ? -0.1 * static_cast<double>(c) : 0;
        const double z = world.spread * random.normal() + prior;
        truth[c] = std::exp(z);
        sharp[c] = std::exp(world.sharpness * z);
        sum += truth[c];
        other += sharp[c];
    }
    for (std::size_t c = 0; c < world.classes; ++c) {
        truth[c] /= sum;
        const double p = sharp[c] / other;
        said[c] = static_cast<float>(world.atoms ? std::round(10 * p) / 10 : p);
    }
}

double ece_truth(const EceWorld& world) {
    constexpr int draws = 300000;
    const std::vector<float> edges = families::equal_width_edges(15);
    std::vector<double> gaps(world.classes * 16);
    std::vector<double> truth;
    std::vector<float> said;
    RandomStream random(1, "ece truth");
    for (int i = 0; i < draws; ++i) {
        draw_item(world, random, truth, said);
        for (std::size_t c = 0; c < world.classes; ++c) {
            const auto bin = std::upper_bound(edges.begin(), edges.end(), said[c]) - edges.begin();
            gaps[c * 16 + static_cast<std::size_t>(bin) - 1] +=
                truth[c] - static_cast<double>(said[c]);
        }
    }
    double sum = 0;
    for (const double gap : gaps) sum += std::abs(gap) / draws;
    return sum / static_cast<double>(world.classes);
}

TEST(ClassWiseEceCoverage, SlowInWorldsWhereItIsKnown) {
    constexpr int draws = 400;
    for (const EceWorld& world : ece_worlds()) {
        const double target = ece_truth(world);
        int covered = 0, above = 0;
        double value = 0, width = 0;
        for (int draw = 0; draw < draws; ++draw) {
            RandomStream random(2, "ece coverage", static_cast<std::uint64_t>(draw));
            plain::Table t;
            t.classes = world.classes;
            std::vector<double> truth;
            std::vector<float> said;
            std::vector<std::uint64_t> sizes(group_count);
            for (std::size_t i = 0; i < world.items; ++i) {
                draw_item(world, random, truth, said);
                t.p.insert(t.p.end(), said.begin(), said.end());
                double u = random.uniform();
                std::size_t c = 0;
                while (c + 1 < world.classes && u >= truth[c]) u -= truth[c++];
                t.labels.push_back(static_cast<std::int32_t>(c));
            }
            for (std::size_t i = 0; i < world.items; i += group_stretch) {
                const auto stretch = group_places(i / group_stretch, world.items);
                for (std::size_t j = 0; j < group_stretch && i + j < world.items; ++j)
                    ++sizes[stretch[j] % group_count];
            }
            const auto e =
                class_wise_ece_estimate(class_wise_ece_sums(plain::MemoryRows(t), {}),
                                        static_cast<std::uint32_t>(world.classes), sizes, 0.95);
            covered += e.interval->low <= target && target <= e.interval->high ? 1 : 0;
            above += target > e.interval->high ? 1 : 0;
            value += *e.value / draws;
            width += (e.interval->high - e.interval->low) / draws;
        }
        const double part = covered / static_cast<double>(draws);
        std::printf("| %s | %d | %zu | %.4f | %.4f | %.1f | %.4f | above %d\n", world.name.c_str(),
                    static_cast<int>(world.items), world.classes, target, value, 100 * part, width,
                    above);
        // The coverage must be at least 93 %, within three standard errors of 400 draws. The
        // interval extends down by all that noise can add, so it may cover in all draws.
        EXPECT_GT(part, 0.93 - 3 * 0.0128) << world.name;
    }
}

}  // namespace
}  // namespace assay
