#include "core/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "assay/error.h"

namespace assay {
namespace {

TEST(Wilson, NoHits) {
    // For p = 0, low is 0 and high is z^2 / (n + z^2) = 3.8415 / 13.8415 = 0.27753.
    const Interval i = wilson(0, 10);
    EXPECT_EQ(i.low, 0);
    EXPECT_NEAR(i.high, 0.2775328, 1e-7);
}

TEST(Wilson, AllHits) {
    const Interval i = wilson(10, 10);
    EXPECT_EQ(i.high, 1);
    EXPECT_NEAR(i.low, 1 - 0.2775328, 1e-7);
}

TEST(Wilson, TextbookCase) {
    // Newcombe 1998, table I, method 3: 81 of 263 -> 0.2553 to 0.3662; 15 of 148 -> 0.0624 to
    // 0.1605.
    EXPECT_NEAR(wilson(81, 263).low, 0.2553, 5e-5);
    EXPECT_NEAR(wilson(81, 263).high, 0.3662, 5e-5);
    EXPECT_NEAR(wilson(15, 148).low, 0.0624, 5e-5);
    EXPECT_NEAR(wilson(15, 148).high, 0.1605, 5e-5);
}

TEST(Wilson, RefusesNoTrialsAndTooManyHits) {
    EXPECT_THROW(wilson(0, 0), Error);
    EXPECT_THROW(wilson(3, 2), Error);
    EXPECT_THROW(wilson(1, 2, 1.0), Error);
}

TEST(Wilson, HugeCountsStayInside) {
    const std::uint64_t n = std::uint64_t{1} << 62;
    const Interval i = wilson(n / 2, n);
    EXPECT_LE(i.low, 0.5);
    EXPECT_GE(i.high, 0.5);
    EXPECT_LT(i.high - i.low, 1e-8);
}

TEST(ClopperPearson, TextbookCase) {
    // Newcombe 1998, table I, method 5: 15 of 148 -> 0.0578 to 0.1617; 0 of 20 -> 0 to 0.1684.
    EXPECT_NEAR(clopper_pearson(15, 148).low, 0.0578, 5e-5);
    EXPECT_NEAR(clopper_pearson(15, 148).high, 0.1617, 5e-5);
    EXPECT_EQ(clopper_pearson(0, 20).low, 0);
    EXPECT_NEAR(clopper_pearson(0, 20).high, 0.1684, 5e-5);
}

TEST(ZeroHits, IsThreeOverNForLargeN) {
    EXPECT_NEAR(zero_hits_bound(50000), 3.0 / 50000, 3e-7);
    EXPECT_DOUBLE_EQ(zero_hits_bound(1), 0.95);
}

TEST(McNemarTest, NoDiscordantPair) {
    EXPECT_EQ(mcnemar(0, 0).p, 1);
    EXPECT_EQ(mcnemar(0, 0).mid_p, 1);
}

TEST(McNemarTest, SmallCase) {
    // b = 1, c = 5: P(X <= 1 | 6, 1/2) = 7/64, and p = 14/64. The mid-p = 14/64 - 6/64.
    EXPECT_DOUBLE_EQ(mcnemar(1, 5).p, 14.0 / 64);
    EXPECT_DOUBLE_EQ(mcnemar(5, 1).p, 14.0 / 64);
    EXPECT_DOUBLE_EQ(mcnemar(1, 5).mid_p, 8.0 / 64);
}

TEST(McNemarTest, EqualCountsHaveNoEvidence) {
    EXPECT_EQ(mcnemar(7, 7).p, 1);
    // Half of the probability of the middle point is subtracted: 1 - C(4,2)/16/2 = 0.8125.
    EXPECT_DOUBLE_EQ(mcnemar(2, 2).mid_p, 0.8125);
}

TEST(PairedDifferenceTest, NewcombeTable) {
    // Newcombe's (1998, paired) method 10 for the cells 36, 12, 2, 0 of 50. Wilson: .96 (.8654,
    // .9890), .76 (.6259, .8570); phi = (36*0 - 12*2) / sqrt(48*2*38*12) = -.1148; low = .2 -
    // sqrt(.0946^2 + 2*.1148*.0946*.0970 + .0970^2) = .0569, and so on.
    const PairedDifference d = paired_difference(36, 12, 2, 50);
    EXPECT_DOUBLE_EQ(d.value, 0.2);
    EXPECT_NEAR(d.interval.low, 0.0569, 5e-5);
    EXPECT_NEAR(d.interval.high, 0.3404, 5e-5);
    // sqrt(14 - 100/50) / 50
    EXPECT_NEAR(d.standard_error, std::sqrt(12.0) / 50, 1e-15);
}

TEST(PairedDifferenceTest, IdenticalAnswersHaveAWidth) {
    const PairedDifference d = paired_difference(10, 0, 0, 20);
    EXPECT_EQ(d.value, 0);
    EXPECT_LT(d.interval.low, 0);
    EXPECT_GT(d.interval.high, 0);
    EXPECT_THROW(paired_difference(10, 6, 5, 20), Error);
}

TEST(Holm, StepsDown) {
    // Sorted .01 .02 .03 .04 with factors 4 3 2 1: .04 .06 .06 .06 (made monotone).
    const std::array<double, 4> p{0.03, 0.01, 0.04, 0.02};
    const auto adjusted = holm(p);
    EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
    EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
    EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
    EXPECT_DOUBLE_EQ(adjusted[3], 0.06);
    EXPECT_TRUE(holm({}).empty());
}

TEST(BenjaminiHochberg, StepsUp) {
    // Sorted .005 .01 .03 .8 with factors 4, 2, 4/3, 1: .02 .02 .04 .8 (made monotone).
    const std::array<double, 4> p{0.03, 0.005, 0.8, 0.01};
    const auto adjusted = benjamini_hochberg(p);
    EXPECT_DOUBLE_EQ(adjusted[0], 0.04);
    EXPECT_DOUBLE_EQ(adjusted[1], 0.02);
    EXPECT_DOUBLE_EQ(adjusted[2], 0.8);
    EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
    EXPECT_TRUE(benjamini_hochberg({}).empty());
}

TEST(Quantiles, InterpolateBetweenOrderStatistics) {
    const std::array<double, 4> x{0, 10, 20, 30};
    EXPECT_DOUBLE_EQ(quantile_sorted(x, 0.5), 15);
    EXPECT_DOUBLE_EQ(quantile_sorted(x, 0), 0);
    EXPECT_DOUBLE_EQ(quantile_sorted(x, 1), 30);
    EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
    EXPECT_NEAR(normal_cdf(1.959963984540054), 0.975, 1e-12);
    EXPECT_NEAR(student_t_quantile(0.975, 10), 2.228138851964939, 1e-9);
}

TEST(Bootstrap, WeightsArePoisson) {
    const BootstrapWeights weights(7, "test");
    std::map<std::uint32_t, int> counts;
    constexpr int draws = 200000;
    for (int i = 0; i < draws; ++i)
        ++counts[weights(static_cast<std::uint64_t>(i % 200), static_cast<std::uint64_t>(i / 200))];
    double factorial = 1;
    for (std::uint32_t k = 0; k <= 5; ++k) {
        if (k > 1) factorial *= k;
        const double expected = draws * std::exp(-1) / factorial;
        EXPECT_NEAR(counts[k], expected, 5 * std::sqrt(expected)) << k;
    }
}

TEST(Bootstrap, WeightsDependOnTheirKeyOnly) {
    const BootstrapWeights one(7, "test"), same(7, "test"), other_seed(8, "test"),
        other_purpose(7, "rest");
    int seed_differs = 0, purpose_differs = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        EXPECT_EQ(one(3, i), same(3, i));
        seed_differs += one(3, i) != other_seed(3, i) ? 1 : 0;
        purpose_differs += one(3, i) != other_purpose(3, i) ? 1 : 0;
    }
    EXPECT_GT(seed_differs, 20);
    EXPECT_GT(purpose_differs, 20);
}

TEST(Jackknife, OfAMeanIsItsStandardError) {
    // x = 1..5, mean without x_i = (15 - x_i)/4; the jackknife of a mean is exactly sd/sqrt(n) =
    // sqrt(2.5/5).
    std::array<double, 5> without{};
    for (int i = 0; i < 5; ++i) without[static_cast<std::size_t>(i)] = (15.0 - (i + 1)) / 4;
    EXPECT_NEAR(jackknife_standard_error(without), std::sqrt(0.5), 1e-14);
    EXPECT_THROW(jackknife_standard_error(std::span(without).first(1)), Error);
}

TEST(WilsonOfSize, SolvesItsEquation) {
    // The ends solve (mean - p)^2 = q^2 p (1 - p) / size.
    for (const double size : {.4, 7.5, 1e3}) {
        for (const double mean : {.01, .3, .999}) {
            const double q = 2.3;
            const Interval i = wilson_of_size(mean, size, q, .9, "name");
            for (const double p : {i.low, i.high})
                EXPECT_NEAR((mean - p) * (mean - p), q * q * p * (1 - p) / size, 1e-12);
            EXPECT_LT(i.low, mean);
            EXPECT_GT(i.high, mean);
            EXPECT_EQ(i.method, "name");
            EXPECT_EQ(i.level, .9);
        }
    }
    EXPECT_EQ(wilson_of_size(.25, 40, normal_quantile(.975), .95, "wilson"), wilson(10, 40));
    // With this many draws, the ends differ from the mean only by rounding.
    for (const double mean : {.1, 1.0 / 3, .7, .9}) {
        const Interval i = wilson_of_size(mean, 1e40, 2, .95, "");
        EXPECT_LE(i.low, mean);
        EXPECT_GE(i.high, mean);
    }
    EXPECT_EQ(wilson_of_size(0, 10, 2, .95, "").low, 0);
    EXPECT_EQ(wilson_of_size(1, 10, 2, .95, "").high, 1);
}

}  // namespace
}  // namespace assay
