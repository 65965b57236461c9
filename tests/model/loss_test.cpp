#include "assay/model/loss.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/random.h"

namespace assay {
namespace {

constexpr std::array all_losses = {Loss::cross_entropy, Loss::margin, Loss::difference, Loss::dlr,
                                   Loss::targeted_dlr};

TEST(Loss, ValuesByHand) {
    const std::array<float, 5> z = {3, 1, 2.5F, 0, -1};
    std::array<float, 5> d{};
    EXPECT_NEAR(loss_of(Loss::cross_entropy, z, 2, 0, d),
                std::log(std::exp(3.0) + std::exp(1.0) + std::exp(2.5) + 1 + std::exp(-1.0)) - 2.5,
                1e-12);
    EXPECT_DOUBLE_EQ(loss_of(Loss::margin, z, 0, 0, d), -.5);
    EXPECT_DOUBLE_EQ(loss_of(Loss::margin, z, 2, 0, d), .5);
    EXPECT_DOUBLE_EQ(loss_of(Loss::difference, z, 0, 3, d), -3);
    // the loss is -(3 - 2.5) / (3 - 1)
    EXPECT_NEAR(loss_of(Loss::dlr, z, 0, 0, d), -.25, 1e-12);
    // the loss is -(1 - 3) / (3 - 1)
    EXPECT_NEAR(loss_of(Loss::dlr, z, 1, 0, d), 1, 1e-12);
    // the loss is -(3 - 0) / (3 - (1 + 0) / 2)
    EXPECT_NEAR(loss_of(Loss::targeted_dlr, z, 0, 3, d), -3 / 2.5, 1e-12);
}

TEST(Loss, DerivativesEqualDifferences) {
    for (std::uint64_t draw = 0; draw < 200; ++draw) {
        RandomStream random(7, "loss test", draw);
        std::vector<float> z(4 + draw % 5);
        for (float& v : z) v = static_cast<float>(2 * random.normal());
        const auto label = static_cast<std::uint32_t>(random.below(z.size()));
        const auto target =
            static_cast<std::uint32_t>((label + 1 + random.below(z.size() - 1)) % z.size());
        for (const Loss loss : all_losses) {
            std::vector<float> d(z.size());
            std::vector<float> unused(z.size());
            loss_of(loss, z, label, target, d);
            for (std::size_t i = 0; i < z.size(); ++i) {
                std::vector<float> up = z;
                std::vector<float> down = z;
                up[i] += 1e-3F;
                down[i] -= 1e-3F;
                // The steps are the actual ones, in floats.
                const double width = static_cast<double>(up[i]) - static_cast<double>(down[i]);
                const double want = (loss_of(loss, up, label, target, unused) -
                                     loss_of(loss, down, label, target, unused)) /
                                    width;
                double nearest = 1;
                for (std::size_t j = 0; j < z.size(); ++j) {
                    if (j != i)
                        nearest = std::min(nearest, std::abs(static_cast<double>(z[i] - z[j])));
                }
                if (nearest < 3e-3) continue;  // on the way, the order of the scores changes
                EXPECT_NEAR(static_cast<double>(d[i]), want, 1e-3 * (1 + std::abs(want)))
                    << name_of(loss) << " " << draw << " " << i;
            }
        }
    }
}

TEST(Loss, TheFirstOfEqualScoresIsTheLarger) {
    const std::array<float, 4> z = {1, 1, 1, 1};
    std::array<float, 4> d{};
    loss_of(Loss::margin, z, 0, 0, d);
    EXPECT_EQ(d, (std::array<float, 4>{-1, 1, 0, 0}));
    loss_of(Loss::margin, z, 2, 0, d);
    EXPECT_EQ(d, (std::array<float, 4>{1, 0, -1, 0}));
    for (const Loss loss : all_losses) {
        EXPECT_TRUE(std::isfinite(loss_of(loss, z, 1, 2, d))) << name_of(loss);
        for (const float v : d) EXPECT_TRUE(std::isfinite(v)) << name_of(loss);
    }
}

TEST(Loss, CrossEntropyOfACertainModelStillHasADerivative) {
    // In single precision, 1 - p is 0 for differences of 17 or more.
    const std::array<float, 2> z = {40, 0};
    std::array<float, 2> d{};
    EXPECT_NEAR(loss_of(Loss::cross_entropy, z, 0, 0, d) / std::exp(-40.0), 1, .1);
    EXPECT_NEAR(static_cast<double>(d[0]) / -std::exp(-40.0), 1, 1e-6);
    EXPECT_NEAR(static_cast<double>(d[1]) / std::exp(-40.0), 1, 1e-6);
}

}  // namespace
}  // namespace assay
