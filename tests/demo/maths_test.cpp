#include "demo/world/maths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "demo/world/colour.h"

namespace assay::world {
namespace {

TEST(WorldMaths, FloorsBelowZero) {
    EXPECT_EQ(floor_int(-0.25F), -1);
    EXPECT_EQ(floor_int(-1.0F), -1);
    EXPECT_EQ(floor_int(0.0F), 0);
    EXPECT_EQ(floor_int(2.75F), 2);
    EXPECT_FLOAT_EQ(fraction(-0.25F), 0.75F);
}

TEST(WorldMaths, SineAgreesWithTheLibrarysEverywhere) {
    double worst = 0;
    for (int k = -3000; k <= 3000; ++k) {
        const float t = static_cast<float>(k) / 1000;
        const double angle = 2 * std::numbers::pi * static_cast<double>(t);
        worst = std::max(worst, std::fabs(static_cast<double>(sin_turns(t)) - std::sin(angle)));
        worst = std::max(worst, std::fabs(static_cast<double>(cos_turns(t)) - std::cos(angle)));
    }
    EXPECT_LT(worst, 1e-5);
}

TEST(WorldMaths, TurnOfAPointInAllQuadrants) {
    EXPECT_EQ(turn_of(0, 0), 0);
    EXPECT_NEAR(turn_of(1, 0), 0.25, 2e-4);
    EXPECT_NEAR(turn_of(-1, 0), 0.75, 2e-4);
    for (int k = 0; k < 1000; ++k) {
        const double turn = (k + 0.5) / 1000, angle = 2 * std::numbers::pi * turn;
        const double found = static_cast<double>(turn_of(static_cast<float>(3 * std::sin(angle)),
                                                         static_cast<float>(3 * std::cos(angle))));
        EXPECT_NEAR(found, turn, 2e-4);
    }
}

TEST(WorldMaths, RampRisesOrFallsAndStaysInRange) {
    EXPECT_EQ(ramp(1, 2, 0.5F), 0);
    EXPECT_EQ(ramp(1, 2, 2.5F), 1);
    EXPECT_FLOAT_EQ(ramp(1, 2, 1.5F), 0.5F);
    EXPECT_EQ(ramp(2, 1, 2.5F), 0);
    EXPECT_EQ(ramp(2, 1, 0.5F), 1);
}

TEST(WorldMaths, NoiseStaysInRangeHasNoJumpsAndDependsOnTheSeed) {
    float last = noise(-5, 0.3F, 7);
    double sum = 0;
    for (int k = 1; k <= 10000; ++k) {
        const float now = noise(-5 + 0.001F * static_cast<float>(k), 0.3F, 7);
        ASSERT_GE(now, 0);
        ASSERT_LE(now, 1);
        // the slope of the interpolation is at most 1.5 per cell
        ASSERT_LT(std::fabs(now - last), 0.01F);
        last = now;
        sum += static_cast<double>(now);
    }
    EXPECT_NE(noise(0.4F, 0.3F, 7), noise(0.4F, 0.3F, 8));
    EXPECT_NEAR(sum / 10000, 0.5, 0.25);  // standard deviation of about 0.09
}

TEST(WorldColour, AWholeTurnAndUnitFactorsChangeNothing) {
    const Colour c = rgb(0x3E78B2);
    const Colour same = turned(c, 1, 1, 1);
    // The matrices are published with three digits.
    EXPECT_NEAR(same.r, c.r, 4e-3);
    EXPECT_NEAR(same.g, c.g, 4e-3);
    EXPECT_NEAR(same.b, c.b, 4e-3);
    const Colour grey = turned(c, 0.3F, 0, 1);
    EXPECT_NEAR(grey.r, grey.g, 1e-6);
    EXPECT_NEAR(grey.g, grey.b, 1e-6);
}

}  // namespace
}  // namespace assay::world
