#include "assay/evaluate/until.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "core/statistics.h"

namespace assay {
namespace {

TEST(Until, Parsed) {
    EXPECT_EQ(parse_until("half_width(top1) <= 0.01").half_width, 0.01);
    EXPECT_EQ(parse_until("half_width(top1)<=2%").half_width, 0.02);
    for (const char* text : {"", "half_width(top1) <= 0", "half_width(top1) <= 0.5", "top1 <= 0.1",
                             "half_width(top1) < 0.1", "half_width(top1) <= nan",
                             "half_width(top1) <= 0.1x", "half_width(top5) <= 0.1"})
        EXPECT_THROW(parse_until(text), Error) << text;
}

double half_width_of(std::uint64_t correct, std::uint64_t n) {
    const Interval interval = wilson(correct, n, 0.95);
    return (interval.high - interval.low) / 2;
}

TEST(Until, EnoughAndNotMore) {
    // 200 of 400 are correct, so the least favorable accuracy is 1/2. 1.96^2 / (4 * 0.02^2) = 2401,
    // minus the z^2 = 3.84 that Wilson's interval adds.
    EXPECT_EQ(images_needed({0.02}, 200, 400), 2398U);
    EXPECT_LE(half_width_of(1199, 2398), 0.02);
    EXPECT_GT(half_width_of(1198, 2396), 0.02);
    // All are correct, so the accuracy is at least 1 - 0.016.
    EXPECT_LT(images_needed({0.02}, 400, 400), 500U);
    EXPECT_EQ(images_needed({0.4}, 200, 400), 400U);  // the pilot is large enough
    EXPECT_LT(images_needed({0.01}, 360, 400), images_needed({0.01}, 300, 400));
    // 1.96^2 / (4 w^2) is 9.6e11 for a width of a millionth. A width that no sample reaches must
    // not give 0.
    EXPECT_NEAR(static_cast<double>(images_needed({1e-6}, 200, 400)), 9.60365e11, 1e7);
    for (const double width : {2e-10, 1e-12, 1e-300})
        EXPECT_GE(images_needed({width}, 200, 400), most_needed) << width;
}

/// The logarithm of the binomial probability.
double log_binomial(std::uint64_t k, std::uint64_t n, double p) {
    const auto x = static_cast<double>(k), m = static_cast<double>(n);
    return std::lgamma(m + 1) - std::lgamma(x + 1) - std::lgamma(m - x + 1) + x * std::log(p) +
           (m - x) * std::log1p(-p);
}

// Sums over every outcome of the pilot and of the images after it, with its probability, so there
// is no simulation error. The final interval has its nominal coverage and the requested width.
TEST(Until, KeepsItsCoverage) {
    for (const double width : {0.03, 0.04}) {
        for (const double p : {0.03, 0.1, 0.3, 0.5, 0.76, 0.9, 0.97}) {
            double covered = 0, narrow = 0, total = 0;
            for (std::uint64_t first = 0; first <= pilot_images; ++first) {
                const double pilot = std::exp(log_binomial(first, pilot_images, p));
                if (pilot < 1e-9) continue;
                const std::uint64_t n = images_needed({width}, first, pilot_images);
                const std::uint64_t rest = n - pilot_images;
                for (std::uint64_t more = 0; more <= rest; ++more) {
                    const double probability =
                        pilot * (rest == 0 ? 1 : std::exp(log_binomial(more, rest, p)));
                    if (probability < 1e-13) continue;
                    const Interval interval = wilson(first + more, n, 0.95);
                    total += probability;
                    if (interval.low <= p && p <= interval.high) covered += probability;
                    if (interval.high - interval.low <= 2 * width + 1e-12) narrow += probability;
                }
            }
            EXPECT_NEAR(total, 1, 1e-6);
            EXPECT_GT(covered, 0.94) << "accuracy " << p << ", half width " << width;
            EXPECT_LT(covered, 0.97) << "accuracy " << p << ", half width " << width;
            EXPECT_GT(narrow, 0.98) << "accuracy " << p << ", half width " << width;
        }
    }
}

}  // namespace
}  // namespace assay
