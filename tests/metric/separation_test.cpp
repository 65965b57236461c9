#include "metric/separation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

TEST(Separation, ByHand) {
    // The pairs are 3 > 1, 3 > 2, 3 = 3; 1 = 1, 1 < 2, 1 < 3: (2.5 + .5) / 6.
    const Separation s = separation({3, 1}, {1, 2, 3}, 0.95);
    EXPECT_DOUBLE_EQ(*s.auroc.value, 0.5);
    // All numbers of the first sample must pass (95 % of two is two). So the threshold is 1, and
    // all of the second pass.
    EXPECT_DOUBLE_EQ(*s.false_positives.value, 1);
    EXPECT_EQ(s.auroc.n, 5U);
    EXPECT_EQ(s.auroc.unit, Unit::proportion);
    // 95 % of twenty numbers is nineteen, so the threshold is 2, which 2 and 9 of {1, 2, 9, 0}
    // reach.
    std::vector<double> twenty;
    for (int i = 1; i <= 20; ++i) twenty.push_back(i);
    EXPECT_DOUBLE_EQ(*separation(twenty, {1, 2, 9, 0}, 0.95).false_positives.value, 0.5);
    EXPECT_DOUBLE_EQ(*separation({1, 1}, {0, 0}, 0.95).auroc.value, 1);
    EXPECT_FALSE(separation({}, {1}, 0.95).auroc.value);
    EXPECT_FALSE(separation({1}, {}, 0.95).false_positives.undefined.empty());
    EXPECT_FALSE(separation({1}, {2}, 0.95).auroc.interval);
}

TEST(Separation, AgreesWithScikitLearn) {
    const auto fixture = nlohmann::json::parse(
        std::ifstream(ASSAY_SOURCE_DIR "/tests/metric/fixtures/separation.json"));
    for (const auto& one : fixture.at("cases")) {
        const auto first = one.at("first").get<std::vector<double>>(),
                   second = one.at("second").get<std::vector<double>>();
        const Separation s = separation(first, second, 0.95);
        EXPECT_NEAR(*s.auroc.value, one.at("auroc").get<double>(), 1e-12) << one.at("name");
        EXPECT_NEAR(*s.false_positives.value, one.at("fpr95").get<double>(), 1e-12)
            << one.at("name");
    }
}

}  // namespace
}  // namespace assay
