#include "evaluate/gap/ordering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<std::optional<double>>;

TEST(Ordering, CompetitionRanksShareTheSmallerOne) {
    EXPECT_THAT(competition_ranks(Values{0.3, 0.9, 0.5, 0.5, 0.1}), ElementsAre(4, 1, 2, 2, 5));
    EXPECT_THAT(competition_ranks(Values{0.5, std::nullopt, 0.7}), ElementsAre(2, 0, 1));
    EXPECT_THAT(competition_ranks(Values{0.5, 0.5, 0.5}), ElementsAre(1, 1, 1));
    EXPECT_TRUE(competition_ranks(Values{}).empty());
}

TEST(Ordering, BoxNumbers) {
    // The numbers are 1..8 and 100. The quartiles at places 2, 4 and 6 of 0..8 are 3, 5, 7, so the
    // fences are at 3 - 6 and 7 + 6.
    const Values points{1.0, 2.0, 3.0, 4.0, std::nullopt, 5.0, 6.0, 7.0, 8.0, 100.0};
    const auto box = box_numbers(points);
    ASSERT_TRUE(box);
    EXPECT_DOUBLE_EQ(box->lower_quartile, 3);
    EXPECT_DOUBLE_EQ(box->median, 5);
    EXPECT_DOUBLE_EQ(box->upper_quartile, 7);
    EXPECT_DOUBLE_EQ(box->low_whisker, 1);
    EXPECT_DOUBLE_EQ(box->high_whisker, 8);
    EXPECT_THAT(box->outliers, ElementsAre(9));
    EXPECT_FALSE(box_numbers(Values{std::nullopt}));
    const auto one = box_numbers(Values{0.4});
    EXPECT_DOUBLE_EQ(one->low_whisker, 0.4);
    EXPECT_DOUBLE_EQ(one->high_whisker, 0.4);
    EXPECT_TRUE(one->outliers.empty());
    // For 0, 0, 0, 10, the upper quartile 2.5 and the fence 6.25 are between the points. So the
    // whisker ends at the box.
    const auto skew = box_numbers(Values{0.0, 0.0, 0.0, 10.0});
    EXPECT_DOUBLE_EQ(skew->upper_quartile, 2.5);
    EXPECT_DOUBLE_EQ(skew->high_whisker, 2.5);
    EXPECT_THAT(skew->outliers, ElementsAre(3));
}

TEST(Ordering, BetweenModels) {
    const auto spread =
        between_models(Values{2.0, 4.0, std::nullopt, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0});
    EXPECT_EQ(spread->models, 8U);
    EXPECT_DOUBLE_EQ(*spread->sd,
                     std::sqrt(32.0 / 7));  // squared distances from the mean 5: 9+1+1+1+0+0+4+16
    EXPECT_DOUBLE_EQ(spread->min, 2);
    EXPECT_DOUBLE_EQ(spread->max, 9);
    EXPECT_FALSE(between_models(Values{1.0})->sd);
    EXPECT_FALSE(between_models(Values{}));
}

}  // namespace
}  // namespace assay
