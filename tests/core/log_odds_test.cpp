#include "core/log_odds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/cpu.h"
#include "core/log_odds_kernel.h"
#include "core/random.h"

namespace assay {
namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

std::vector<float> logits(std::size_t n, std::uint64_t item, double spread) {
    RandomStream random(4, "log odds", item);
    std::vector<float> row(n);
    for (float& z : row) z = static_cast<float>(spread * random.normal());
    return row;
}

// A reference in 80-bit arithmetic.
long double plain_log_odds(const std::vector<float>& row, std::size_t cls) {
    long double second = none, sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
        if (j != cls) second = std::max(second, static_cast<long double>(row[j]));
    }
    for (std::size_t j = 0; j < row.size(); ++j)
        sum += j == cls ? 0 : std::exp(static_cast<long double>(row[j]) - second);
    return static_cast<long double>(row[cls]) - second - std::log(sum);
}

TEST(LogOdds, AgreeWithEightyBits) {
    double worst = 0;
    for (std::uint64_t item = 0; item < 600; ++item) {
        const auto row = logits(2 + item * 7 % 1200, item, item % 3 == 0 ? 1 : 12);
        const TopLogOdds top = top_log_odds(row);
        const auto cls = static_cast<std::size_t>(top.cls);
        EXPECT_EQ(row[cls], *std::max_element(row.begin(), row.end()));
        worst =
            std::max(worst, std::abs(top.log_odds - static_cast<double>(plain_log_odds(row, cls))));
        const TopLogOdds wide =
            top_log_odds(std::span<const double>(std::vector<double>(row.begin(), row.end())));
        EXPECT_EQ(wide.log_odds, top.log_odds);
        EXPECT_EQ(wide.cls, top.cls);
    }
    EXPECT_LT(worst, 4e-14);  // the error bound in log_odds.h
    RecordProperty("worst", std::to_string(worst));
}

TEST(LogOdds, RowsOfTheSameNumbersAreEqual) {
    for (std::uint64_t item = 0; item < 200; ++item) {
        auto row = logits(3 + item % 90, item, 9);
        const double first = top_log_odds(row).log_odds;
        std::reverse(row.begin(), row.end());
        std::rotate(row.begin(), row.begin() + 1, row.end());
        EXPECT_EQ(top_log_odds(row).log_odds, first) << item;
    }
}

TEST(LogOdds, Ends) {
    const auto of = [](std::vector<float> row) { return top_log_odds(row).log_odds; };
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(of({4}), infinite);
    EXPECT_EQ(of({none, 4, none}), infinite);
    EXPECT_EQ(of({none, none}), -infinite);
    EXPECT_EQ(of({7, 7}), 0);
    EXPECT_DOUBLE_EQ(of({7, 7, 7}), -std::log(2.0));
    EXPECT_EQ(of({30000, -30000}), 60000);  // for these, exp() is 0 and infinite
    EXPECT_EQ(of(std::vector<float>(9000, 1.0F)), -std::log(8999.0));
}

TEST(LogOdds, SumsWithoutAnyOrder) {
    EXPECT_EQ(sum_without(std::vector<double>{1, 1e-10, 0}, 0), 1e-10);
    EXPECT_EQ(sum_without(std::vector<double>{1, 0, 0}, 0), 0);
    EXPECT_DOUBLE_EQ(sum_without(std::vector<double>{0.25, 0.5, 0.125}, 3), 0.875);
    EXPECT_EQ(sum_without(std::vector<double>{0.1, 0.2, 0.3, 0.7}, 3),
              sum_without(std::vector<double>{0.3, 0.1, 0.7, 0.2}, 2));
}

TEST(LogOdds, ThePlainPathGivesTheSameBits) {
    if (!cpu_has_avx2()) GTEST_SKIP() << "no AVX2 here";
    for (std::uint64_t item = 0; item < 300; ++item) {
        const auto row = logits(8 * (1 + item % 60), item, item % 2 == 0 ? 2 : 60);
        std::vector<double> x(row.begin(), row.end());
        if (item % 5 == 0) x[0] = none;
        const double largest = detail::max_of_plain(x.data(), x.size());
        EXPECT_EQ(detail::max_of_avx2(x.data(), x.size()), largest);
        EXPECT_EQ(detail::exp_units_avx2(x.data(), x.size(), largest, 6.0),
                  detail::exp_units_plain(x.data(), x.size(), largest, 6.0))
            << item;
    }
}

}  // namespace
}  // namespace assay
