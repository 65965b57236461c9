#include "core/rank_correlation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "core/random.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(RankCorrelation, AverageRanksShareTheMean) {
    EXPECT_THAT(average_ranks(std::vector<double>{0.3, 0.9, 0.5, 0.5, 0.1}),
                ElementsAre(4, 1, 2.5, 2.5, 5));
    EXPECT_THAT(average_ranks(std::vector<double>{7, 7, 7}), ElementsAre(2, 2, 2));
}

// A slow reference that compares every pair.
std::optional<double> plain_tau_b(const std::vector<double>& x, const std::vector<double>& y) {
    double concordant = 0, tied_x = 0, tied_y = 0, all = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            ++all;
            const double a = x[i] - x[j], b = y[i] - y[j];
            tied_x += a == 0;
            tied_y += b == 0;
            concordant += a * b > 0 ? 1 : a * b < 0 ? -1 : 0;
        }
    }
    if (tied_x == all || tied_y == all) return std::nullopt;
    return concordant / std::sqrt((all - tied_x) * (all - tied_y));
}

TEST(RankCorrelation, KendallByHand) {
    const std::vector<double> up{1, 2, 3, 4}, down{4, 3, 2, 1};
    EXPECT_DOUBLE_EQ(*kendall_tau_b(up, up), 1);
    EXPECT_DOUBLE_EQ(*kendall_tau_b(up, down), -1);
    // One of 6 pairs, (2, 3), is reversed: (5 - 1) / 6.
    EXPECT_DOUBLE_EQ(*kendall_tau_b(up, std::vector<double>{1, 3, 2, 4}), 4.0 / 6);
    EXPECT_FALSE(kendall_tau_b(up, std::vector<double>{5, 5, 5, 5}));
    EXPECT_FALSE(kendall_tau_b(std::vector<double>{1}, std::vector<double>{1}));
    EXPECT_FALSE(kendall_tau_b({}, {}));
}

TEST(RankCorrelation, KendallAgainstEveryPair) {
    RandomStream random(1, "orders");
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t n = 2 + static_cast<std::size_t>(random.below(30));
        const std::uint64_t kinds = 1 + random.below(12);  // with few values, there are many ties
        std::vector<double> x, y;
        for (std::size_t i = 0; i < n; ++i) {
            x.push_back(static_cast<double>(random.below(kinds)));
            y.push_back(static_cast<double>(random.below(kinds)));
        }
        const auto fast = kendall_tau_b(x, y), plain = plain_tau_b(x, y);
        ASSERT_EQ(fast.has_value(), plain.has_value());
        if (fast) {
            ASSERT_NEAR(*fast, *plain, 1e-12);
        }
    }
}

TEST(RankCorrelation, SpearmanByHand) {
    const std::vector<double> up{1, 2, 3, 4};
    EXPECT_DOUBLE_EQ(*spearman_rho(up, std::vector<double>{10, 20, 30, 40}), 1);
    EXPECT_DOUBLE_EQ(*spearman_rho(up, std::vector<double>{4, 3, 2, 1}), -1);
    // 1 - 6 sum d^2 / (n (n^2 - 1)) with d^2 = 0, 1, 1, 0: 1 - 12/60.
    EXPECT_DOUBLE_EQ(*spearman_rho(up, std::vector<double>{1, 3, 2, 4}), 0.8);
    EXPECT_FALSE(spearman_rho(up, std::vector<double>{5, 5, 5, 5}));
    EXPECT_FALSE(spearman_rho(std::vector<double>{1}, std::vector<double>{1}));
}

}  // namespace
}  // namespace assay
