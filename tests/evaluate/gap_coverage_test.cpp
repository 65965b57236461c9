// Coverage of the 95 % intervals of `assay gap`, in repeated simulations with a known truth.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/random.h"
#include "evaluate/gap/gap_statistics.h"
#include "evaluate/gap/leave_outs.h"
#include "gap_images.h"

namespace assay {
namespace {

constexpr std::size_t models = 5, labels = 3;
constexpr int draws = 600;
// The proportion of images with 1, 2 and 3 labels, and the probability of each model to be correct
// on an easy and on a hard image. Half of the images are hard for all models, which makes the
// predictions of the models correlated.
constexpr std::array<std::array<double, labels>, 2> proportions{{{0.7, 0.2, 0.1}, {0.5, 0.3, 0.2}}};
constexpr double spread = 0.25;
double centre(std::size_t model, std::size_t set, std::size_t g) {
    return 0.68 - 0.04 * static_cast<double>(model) - 0.08 * static_cast<double>(set) -
           0.07 * static_cast<double>(g);
}

struct Truth {
    double top1 = 0, asma = 0, composition = 0, within = 0;
};
Truth truth() {
    Truth t;
    for (std::size_t m = 0; m < models; ++m) {
        for (std::size_t g = 0; g < labels; ++g) {
            t.top1 += (proportions[0][g] * centre(m, 0, g) - proportions[1][g] * centre(m, 1, g)) /
                      models;
            t.asma += (centre(m, 0, g) - centre(m, 1, g)) / models / labels;
            t.within += proportions[0][g] * (centre(m, 0, g) - centre(m, 1, g)) / models;
            t.composition += (proportions[0][g] - proportions[1][g]) * centre(m, 1, g) / models;
        }
    }
    return t;
}

// The predictions of all models for the same images of one data set.
std::array<std::vector<MadeImage>, models> drawn(int draw, std::size_t set, std::size_t n) {
    RandomStream random(static_cast<std::uint64_t>(draw), "coverage", set);
    std::array<std::vector<MadeImage>, models> list;
    for (std::size_t i = 0; i < n; ++i) {
        const double kind = random.uniform();
        const std::size_t g = kind < proportions[set][0]                         ? 0
                              : kind < proportions[set][0] + proportions[set][1] ? 1
                                                                                 : 2;
        const double offset = random.uniform() < 0.5 ? spread : -spread;
        for (std::size_t m = 0; m < models; ++m) {
            const double chance = centre(m, set, g) + offset;
            MadeImage p;
            p.labels = static_cast<std::uint32_t>(g + 1);
            p.top1 = p.real = random.uniform() < chance;
            for (std::uint32_t k = 0; k < p.labels; ++k)
                p.hits += random.uniform() < chance ? 1 : 0;
            list[m].push_back(p);
        }
    }
    return list;
}

TEST(GapCoverage, AveragesOverModelsThatShareTheirImages) {
    const GapScheme scheme(LabelStrata(5, {1, 2, 3}), 10, "recall");
    const GapStatistics statistics(scheme);
    const Truth t = truth();
    const std::map<std::size_t, double> wanted{
        {GapStatistics::at(GapStatistics::block(GapMetric::top1), end_gap), t.top1},
        {GapStatistics::at(GapStatistics::block(GapMetric::asma), end_gap), t.asma},
        {statistics.composition(), t.composition},
        {statistics.within(), t.within},
        {statistics.explained(), t.composition / (t.composition + t.within)}};
    EXPECT_NEAR(t.top1, t.composition + t.within, 1e-12);
    std::map<std::size_t, int> held;
    for (int draw = 0; draw < draws; ++draw) {
        const auto first = drawn(draw, 0, 500), second = drawn(draw, 1, 400);
        MeanLeaveOuts sums;
        for (std::size_t m = 0; m < models; ++m)
            sums.add(
                leave_outs(statistics, state_of(scheme, first[m]), state_of(scheme, second[m])));
        const LeaveOuts mean = sums.mean(statistics);
        for (const auto& [k, value] : wanted) {
            std::string reason;
            const auto interval = jackknife_interval(mean, k, 0.95, reason);
            ASSERT_TRUE(interval) << reason;
            held[k] += interval->low <= value && value <= interval->high ? 1 : 0;
        }
    }
    for (const auto& [k, count] : held) {
        // 600 draws of 95 % give 0.95 +- 3 * 0.0089.
        EXPECT_GT(count / static_cast<double>(draws), 0.923) << k;
        EXPECT_LT(count / static_cast<double>(draws), 0.977) << k;
    }
}

TEST(GapCoverage, OneModelsGap) {
    const GapScheme scheme(LabelStrata(5, {1, 2, 3}), 10, "recall");
    const GapStatistics statistics(scheme);
    const std::size_t top1 = GapStatistics::block(GapMetric::top1);
    double gap = 0;
    for (std::size_t g = 0; g < labels; ++g)
        gap += proportions[0][g] * centre(0, 0, g) - proportions[1][g] * centre(0, 1, g);
    int held = 0;
    for (int draw = 0; draw < 2000; ++draw) {
        std::array<Estimate, 2> parts;
        for (std::size_t set = 0; set < 2; ++set) {
            const auto counts = scheme.total(state_of(scheme, drawn(draw, set, 60)[0]));
            parts[set] = statistics.estimate(top1, counts, scheme.shape(), 0.95, "V");
        }
        const Interval i = unpaired_difference(parts[0], parts[1]);
        held += i.low <= gap && gap <= i.high ? 1 : 0;
    }
    EXPECT_GT(held, 2000 * 0.935);
    EXPECT_LT(held, 2000 * 0.972);
}

// The proportion of a model's gap that is explained by label counts, with enough images for the
// interval to be valid. As in the report, it is only computed if the gap is clear.
TEST(GapCoverage, OneModelsProportionExplained) {
    const GapScheme scheme(LabelStrata(5, {1, 2, 3}), 10, "recall");
    const GapStatistics statistics(scheme);
    double gap = 0, composition = 0;
    for (std::size_t g = 0; g < labels; ++g) {
        gap += proportions[0][g] * centre(0, 0, g) - proportions[1][g] * centre(0, 1, g);
        composition += (proportions[0][g] - proportions[1][g]) * centre(0, 1, g);
    }
    for (const std::size_t n : {std::size_t{300}}) {
        int held = 0, below = 0, above = 0, asked = 0;
        for (int draw = 0; draw < draws; ++draw) {
            const auto first = state_of(scheme, drawn(draw, 0, n)[0]),
                       second = state_of(scheme, drawn(draw, 1, n)[0]);
            const LeaveOuts lists = leave_outs(statistics, first, second);
            std::string reason;
            const std::size_t top1 =
                GapStatistics::at(GapStatistics::block(GapMetric::top1), end_gap);
            const auto clear = jackknife_interval(lists, top1, 0.95, reason);
            if (!clear || (clear->low <= 0 && clear->high >= 0)) continue;
            const auto i = ratio_interval(lists, statistics.composition(), top1, 0.95, reason);
            const double share = composition / gap;
            if (!i) continue;
            ++asked;
            held += i->low <= share && share <= i->high ? 1 : 0;
            below += share < i->low ? 1 : 0;
            above += share > i->high ? 1 : 0;
        }
        const double part = held / static_cast<double>(asked);
        std::printf("%zu images: %d of %d draws asked; %.1f %% held, %d below, %d above\n", n,
                    asked, draws, 100 * part, below, above);
        EXPECT_GT(part, 0.923) << n;
        EXPECT_LT(part, 0.977) << n;
    }
}

// ASMA and its gap for one model. ASMA has the score interval of its subgroups, and the gap
// combines two of them by MOVER.
TEST(GapCoverage, OneModelsAsma) {
    const GapScheme scheme(LabelStrata(5, {1, 2, 3}), 10, "recall");
    const GapStatistics statistics(scheme);
    const std::size_t asma = GapStatistics::block(GapMetric::asma);
    std::array<double, 2> truth{};
    for (std::size_t g = 0; g < labels; ++g) {
        for (std::size_t set = 0; set < 2; ++set) truth[set] += centre(0, set, g) / labels;
    }
    int held = 0, gap_held = 0;
    for (int draw = 0; draw < 2000; ++draw) {
        std::array<Estimate, 2> parts;
        for (std::size_t set = 0; set < 2; ++set) {
            const auto counts = scheme.total(state_of(scheme, drawn(draw, set, 200)[0]));
            parts[set] = statistics.estimate(asma, counts, scheme.shape(), 0.95, "V");
        }
        ASSERT_TRUE(parts[0].interval && parts[1].interval);
        held += parts[0].interval->low <= truth[0] && truth[0] <= parts[0].interval->high ? 1 : 0;
        const Interval i = unpaired_difference(parts[0], parts[1]);
        const double gap = truth[0] - truth[1];
        gap_held += i.low <= gap && gap <= i.high ? 1 : 0;
    }
    for (const int count : {held, gap_held}) {
        EXPECT_GT(count, 2000 * 0.935);
        EXPECT_LT(count, 2000 * 0.972);
    }
}

}  // namespace
}  // namespace assay
