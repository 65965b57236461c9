#include "evaluate/gap/gap_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "assay/error.h"
#include "core/random.h"
#include "core/statistics.h"
#include "evaluate/gap/leave_outs.h"
#include "gap_images.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t classes = 10;

struct Two {
    GapScheme scheme{LabelStrata(5, {1, 2, 3}), classes, "recall"};
    GapStatistics statistics{scheme};
    std::vector<MadeImage> first, second;

    LeaveOuts lists() const {
        return leave_outs(statistics, state_of(scheme, first), state_of(scheme, second));
    }
    Maybe value(std::size_t k) const { return lists().whole[k]; }
    Maybe value(GapMetric metric, GapEnd end) const {
        return value(GapStatistics::at(GapStatistics::block(metric), end));
    }
};

TEST(LabelStrata, LargerSubgroupsAreApartFromTheRest) {
    const LabelStrata strata(3, {2, 5, 9});
    std::vector<std::size_t> of, pooled;
    for (const std::size_t g : {0, 1, 3, 4, 5, 6, 9, 10}) {
        of.push_back(strata.of(g));
        pooled.push_back(strata.pooled(of.back()));
    }
    EXPECT_THAT(of, ElementsAre(0, 1, 3, 6, 4, 6, 5, 6));
    EXPECT_THAT(pooled, ElementsAre(0, 1, 3, 4, 4, 4, 4, 4));
    EXPECT_EQ(strata.size(), 7U);
    EXPECT_EQ(strata.pooled_size(), 5U);
}

TEST(GapStatistics, MetricsByHand) {
    Two two;
    // First set: one label, 3 of 4; two labels, hits 2, 1, 0: (1 + 1/2 + 0)/3 = 1/2. With three,
    // one image has 1 hit.
    repeat(two.first, 3, {.labels = 1, .hits = 1, .top1 = true, .real = true});
    repeat(two.first, 1, {.labels = 1});
    repeat(two.first, 1, {.labels = 2, .hits = 2, .top1 = true, .real = true});
    repeat(two.first, 1, {.labels = 2, .hits = 1, .top1 = false, .real = true});
    repeat(two.first, 1, {.labels = 2});
    repeat(two.first, 1, {.labels = 3, .hits = 1});
    // this image has no valid label, so it only counts in top-1
    repeat(two.first, 2, {.labels = 0, .top1 = true});
    two.second = two.first;
    repeat(two.second, 10, {.labels = 1});
    EXPECT_DOUBLE_EQ(*two.value(GapMetric::top1, end_first), 6.0 / 10);
    EXPECT_DOUBLE_EQ(*two.value(GapMetric::real, end_first), 5.0 / 8);
    EXPECT_DOUBLE_EQ(*two.value(GapMetric::asma, end_first), (3.0 / 4 + 1.0 / 2 + 1.0 / 3) / 3);
    EXPECT_DOUBLE_EQ(*two.value(GapMetric::asma, end_second), (3.0 / 14 + 1.0 / 2 + 1.0 / 3) / 3);
    EXPECT_DOUBLE_EQ(*two.value(GapMetric::top1, end_gap), 6.0 / 10 - 6.0 / 20);
    EXPECT_DOUBLE_EQ(*two.value(GapMetric::asma, end_absolute), (3.0 / 4 - 3.0 / 14) / 3);
}

TEST(GapStatistics, AnEmptySubgroupLeavesAsmaUndefinedWithTheReason) {
    Two two;
    repeat(two.first, 5, {.labels = 1, .hits = 1});
    repeat(two.first, 5, {.labels = 2, .hits = 1});
    two.second = two.first;
    EXPECT_FALSE(two.value(GapMetric::asma, end_first));
    const std::size_t asma = GapStatistics::block(GapMetric::asma);
    const auto reason = [&] {
        const auto counts = two.scheme.total(state_of(two.scheme, two.first));
        Shape shape = two.scheme.shape();
        shape.full_rows = false;
        shape.kept = 2;
        return two.statistics.estimate(asma, counts, shape, 0.95, "V1").undefined;
    };
    EXPECT_THAT(reason(), HasSubstr("V1: no item has 3 labels"));
    // If a store keeps too few classes of one image, the value of that subgroup is unknown.
    repeat(two.first, 1, {.labels = 3, .known = false});
    EXPECT_EQ(reason(),
              "V1: the store keeps only the best 2 of each row, so the best 3 are unknown");
}

TEST(GapStatistics, OneLabelMakesAllThreeMetricsTheSame) {
    const GapScheme scheme(LabelStrata(5, {1}), classes, "recall");
    const GapStatistics statistics(scheme);
    std::vector<MadeImage> first, second;
    repeat(first, 7, {.labels = 1, .hits = 1, .top1 = true, .real = true});
    repeat(first, 3, {.labels = 1});
    repeat(second, 1, {.labels = 1, .hits = 1, .top1 = true, .real = true});
    repeat(second, 3, {.labels = 1});
    const auto list =
        leave_outs(statistics, state_of(scheme, first), state_of(scheme, second)).whole;
    for (const GapMetric m : gap_metrics)
        EXPECT_DOUBLE_EQ(*list[GapStatistics::at(GapStatistics::block(m), end_gap)], 0.7 - 0.25);
    EXPECT_DOUBLE_EQ(*list[statistics.composition()], 0);
    EXPECT_DOUBLE_EQ(*list[statistics.within()], 0.7 - 0.25);
}

TEST(Decomposition, OnlyCompositionOnlyWithinAndBoth) {
    // The accuracy is 1 with one label and 0 with two on both data sets, so the whole gap is
    // composition.
    Two two;
    repeat(two.first, 8, {.labels = 1, .top1 = true});
    repeat(two.first, 2, {.labels = 2});
    repeat(two.second, 3, {.labels = 1, .top1 = true});
    repeat(two.second, 3, {.labels = 2});
    EXPECT_NEAR(*two.value(two.statistics.composition()), 0.8 - 0.5, 1e-15);
    EXPECT_NEAR(*two.value(two.statistics.within()), 0, 1e-15);
    EXPECT_NEAR(*two.value(two.statistics.explained()), 1, 1e-15);
    // Both have the same numbers of labels, so the whole gap is within subgroups. The accuracy with
    // one label falls from 1 to 1/2.
    two.second.clear();
    repeat(two.second, 4, {.labels = 1, .top1 = true});
    repeat(two.second, 4, {.labels = 1});
    repeat(two.second, 2, {.labels = 2});
    EXPECT_NEAR(*two.value(two.statistics.composition()), 0, 1e-15);
    EXPECT_NEAR(*two.value(two.statistics.within()), 0.8 * 0.5, 1e-15);
}

TEST(Decomposition, WhatOnlyOneHasIsUnmatchedComposition) {
    Two two;
    // The first has 6 images with one label (5 correct) and 4 with six labels (pooled above 5; 1
    // correct). The second only has images with one label, 2 of 4 correct.
    repeat(two.first, 5, {.labels = 1, .top1 = true});
    repeat(two.first, 1, {.labels = 1});
    repeat(two.first, 1, {.labels = 6, .top1 = true});
    repeat(two.first, 3, {.labels = 7});
    repeat(two.second, 2, {.labels = 1, .top1 = true});
    repeat(two.second, 2, {.labels = 1});
    // A1 = 6/10, M1 = 5/6, A2 = M2 = 1/2. Within: 5/6 - 1/2; composition and unmatched: 6/10 - 5/6.
    EXPECT_NEAR(*two.value(two.statistics.within()), 5.0 / 6 - 0.5, 1e-15);
    EXPECT_NEAR(*two.value(two.statistics.composition()), 0.6 - 5.0 / 6, 1e-15);
    EXPECT_NEAR(*two.value(two.statistics.unmatched()), 0.6 - 5.0 / 6, 1e-15);
    // If both data sets are exchanged, all signs change. The standard population still has one
    // label.
    std::swap(two.first, two.second);
    EXPECT_NEAR(*two.value(two.statistics.unmatched()), 5.0 / 6 - 0.6, 1e-15);
    // The data sets have no subgroup in common, so the value is undefined, with a reason.
    two.first.clear();
    repeat(two.first, 3, {.labels = 2, .top1 = true});
    two.second.clear();
    repeat(two.second, 3, {.labels = 1, .top1 = true});
    EXPECT_FALSE(two.value(two.statistics.within()));
    const auto one = two.scheme.total(state_of(two.scheme, two.first));
    const auto other = two.scheme.total(state_of(two.scheme, two.second));
    EXPECT_EQ(two.statistics.decomposition_reason(one, other),
              "the two data sets have no number of labels in common");
}

// An independent computation, image by image.
struct Plain {
    double within = 0, composition = 0, gap = 0;
};
Plain plain_decomposition(const std::vector<MadeImage>& first,
                          const std::vector<MadeImage>& second) {
    std::map<std::uint32_t, std::array<double, 4>> by;  // columns: n1, correct1, n2, correct2
    double n1 = 0, n2 = 0, r1 = 0, r2 = 0;
    for (const auto& p : first) {
        if (!p.single) continue;
        auto& cell = by[std::min(p.labels, 6U)];
        cell[0] += 1, cell[1] += p.top1, n1 += 1, r1 += p.top1;
    }
    for (const auto& p : second) {
        if (!p.single) continue;
        auto& cell = by[std::min(p.labels, 6U)];
        cell[2] += 1, cell[3] += p.top1, n2 += 1, r2 += p.top1;
    }
    Plain plain;
    double matched = 0;
    for (const auto& [g, cell] : by) {
        if (cell[0] == 0 || cell[2] == 0) continue;
        matched += cell[0];
        plain.within += cell[0] * (cell[1] / cell[0] - cell[3] / cell[2]);
    }
    plain.within /= matched;
    plain.gap = r1 / n1 - r2 / n2;
    plain.composition = plain.gap - plain.within;
    return plain;
}

std::vector<MadeImage> random_images(std::uint64_t seed, std::size_t n, double skill,
                                     std::uint32_t most) {
    RandomStream random(seed, "images");
    std::vector<MadeImage> list;
    for (std::size_t i = 0; i < n; ++i) {
        MadeImage p;
        p.labels = static_cast<std::uint32_t>(random.below(most));
        p.top1 = random.uniform() < skill / (1 + p.labels);
        p.real = p.labels > 0 && (p.top1 || random.uniform() < 0.3);
        p.single = random.uniform() < 0.9;
        for (std::uint32_t k = 0; k < p.labels; ++k) p.hits += random.uniform() < skill ? 1 : 0;
        list.push_back(p);
    }
    return list;
}

TEST(Decomposition, AddsUpToTheGapAgainstImageByImage) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Two two;
        two.first = random_images(seed, 300, 0.9, 9);
        two.second = random_images(seed + 100, 200, 0.7, seed % 2 == 0 ? 9 : 4);
        const Plain plain = plain_decomposition(two.first, two.second);
        const double within = *two.value(two.statistics.within()),
                     composition = *two.value(two.statistics.composition());
        EXPECT_NEAR(within, plain.within, 1e-12);
        EXPECT_NEAR(composition, plain.composition, 1e-12);
        EXPECT_NEAR(composition + within, *two.value(GapMetric::top1, end_gap), 1e-15);
    }
}

TEST(Jackknife, OfAMeanIsTheTextbookStandardError) {
    // With one image per group, the jackknife error of a mean is exactly s / sqrt(n), and the
    // two variances add up.
    Two two;
    repeat(two.first, 30, {.labels = 1, .top1 = true});
    repeat(two.first, 20, {.labels = 1});
    repeat(two.second, 10, {.labels = 1, .top1 = true});
    repeat(two.second, 30, {.labels = 1});
    const double v1 = 0.6 * 0.4 / 49, v2 = 0.25 * 0.75 / 39;  // each p (1 - p) n / (n - 1) / n
    std::string reason;
    const std::size_t gap = GapStatistics::at(GapStatistics::block(GapMetric::top1), end_gap);
    const auto interval = jackknife_interval(two.lists(), gap, 0.95, reason);
    ASSERT_TRUE(interval) << reason;
    const double degrees = (v1 + v2) * (v1 + v2) / (v1 * v1 / 49 + v2 * v2 / 39);
    EXPECT_NEAR(interval->high - 0.35, student_t_quantile(0.975, degrees) * std::sqrt(v1 + v2),
                1e-12);
}

TEST(Jackknife, SaysWhyThereIsNone) {
    Two two;
    two.first = {{.labels = 1, .top1 = true}};
    repeat(two.second, 4, {.labels = 1, .top1 = true});
    const std::size_t gap = GapStatistics::at(GapStatistics::block(GapMetric::top1), end_gap);
    std::string reason;
    EXPECT_FALSE(jackknife_interval(two.lists(), gap, 0.95, reason));
    EXPECT_EQ(reason, "the value depends on one group of images");
    repeat(two.first, 5, {.labels = 1, .top1 = true});
    EXPECT_FALSE(jackknife_interval(two.lists(), gap, 0.95, reason));
    EXPECT_EQ(reason, "the images do not vary");
    // Only one image has two labels, so the subgroup and ASMA are undefined without its group.
    repeat(two.first, 1, {.labels = 2, .hits = 1});
    const std::size_t agreement =
        GapStatistics::at(GapStatistics::block(std::size_t{1}, GapMetric::asma), end_first);
    EXPECT_FALSE(jackknife_interval(two.lists(), agreement, 0.95, reason));
    EXPECT_EQ(reason, "the value depends on one group of images");
}

Estimate counted(std::uint64_t hits, std::uint64_t n) {
    Estimate v;
    v.value = static_cast<double>(hits) / static_cast<double>(n);
    v.interval = wilson(hits, n, 0.95);
    return v;
}

TEST(UnpairedDifference, NewcombesExample) {
    // Newcombe (1998), Statistics in Medicine 17:873, table II (a), 56/70 and 48/80, method 10:
    // 0.0524 to 0.3339.
    const Interval i = unpaired_difference(counted(56, 70), counted(48, 80));
    EXPECT_NEAR(i.low, 0.0524, 5e-5);
    EXPECT_NEAR(i.high, 0.3339, 5e-5);
    EXPECT_EQ(i.method, "newcombe.unpaired");
    // Case (g), 10/10 and 0/10: 0.6075 to 1.
    const Interval extreme = unpaired_difference(counted(10, 10), counted(0, 10));
    EXPECT_NEAR(extreme.low, 0.6075, 5e-5);
    EXPECT_NEAR(extreme.high, 1, 1e-12);
}

TEST(AbsoluteInterval, FoldsAtZero) {
    EXPECT_EQ(absolute_interval({-0.2, 0.1, 0.95, "x"}).low, 0);
    EXPECT_EQ(absolute_interval({-0.2, 0.1, 0.95, "x"}).high, 0.2);
    EXPECT_EQ(absolute_interval({-0.3, -0.1, 0.95, "x"}).low, 0.1);
    EXPECT_EQ(absolute_interval({-0.3, -0.1, 0.95, "x"}).high, 0.3);
}

}  // namespace
}  // namespace assay
