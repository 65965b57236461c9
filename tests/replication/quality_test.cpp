// Checks the documented bias and coverage on few studies. The bounds are wider because of noise.
// The full measurement (100 studies for each simulation) is the program bench_replicate_quality.
#include "quality.h"

#include <gtest/gtest.h>

namespace assay::replication {
namespace {

TEST(Quality, BetaWorld) {
    AdjustOptions options;
    options.likelihood = false;
    options.jackknife = {1, 10, 20};
    constexpr int studies = 8;
    auto q = measure(World::beta, studies, 1000, options, 2);
    // The mean over classifiers has a standard deviation of .65 points in one study, and .23 over
    // eight. Two of these are added to the tolerances. Differences between methods on the same
    // studies vary far less.
    const double noise = 2 * .65 / std::sqrt(studies);
    EXPECT_NEAR(q["none"].mean_bias(), -8.2, .25 + noise);
    EXPECT_NEAR(q["naive"].mean_bias(), -2.13, .25 + noise);
    EXPECT_NEAR(q["jackknife1"].mean_bias(), -1.03, .35 + noise);
    EXPECT_NEAR(q["jackknife10"].mean_bias(), -1.14, .3 + noise);
    EXPECT_LT(q["naive"].mean_bias(), q["jackknife20"].mean_bias());
    EXPECT_LT(q["jackknife20"].mean_bias(), q["jackknife10"].mean_bias());
    EXPECT_LE(std::abs(q["moments"].mean_bias()), .25 + noise);
    EXPECT_LE(q["moments"].rmse(), 1.10 + .25);
    EXPECT_GE(q["moments"].coverage(), .85);
    EXPECT_NEAR(q["moments"].mean_interval(), 2.5, .3);
    EXPECT_LE(std::abs(q["moments.0_1_3_8"].mean_bias()), .30 + noise);
    EXPECT_LE(q["moments.0_1_3_8"].rmse(), .90 + .25);
}

TEST(Quality, ProbitWorldNeedsClasses) {
    AdjustOptions options;
    options.likelihood = options.naive = false;
    options.jackknife.clear();
    auto by_class = measure(World::probit, 3, 50, options, 2);
    options.units = Units::images;
    auto by_image = measure(World::probit, 3, 50, options, 2);
    EXPECT_LE(std::abs(by_class["moments"].mean_bias()), .20 + 2 * .55 / std::sqrt(3.0));
    // Class effects make the variance of classes larger than that of independent images.
    EXPECT_GT(by_class["moments"].mean_interval(), 1.1 * by_image["moments"].mean_interval());
}

/// Curves that rise steeply, for which the moments fail. Bounds are three binomial standard errors
/// below the measured coverage over 100 studies (bench_replicate_coverage).
TEST(Quality, ThePenalisedLikelihoodCoversSteepCurves) {
    AdjustOptions options;
    options.naive = false;
    options.jackknife.clear();
    auto q = measure(World::steep, 4, 7000, options, 2);
    EXPECT_LE(std::abs(q["pl"].mean_bias()), .6);
    EXPECT_GE(q["pl"].coverage(), .85);
}

}  // namespace
}  // namespace assay::replication
