#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "assay/replication/cells.h"
#include "assay/replication/estimators.h"

namespace assay::replication {
namespace {

CellCounts counts(std::vector<double> images) {
    return {CellGrid({static_cast<int>(images.size()) - 1}), std::move(images)};
}

TEST(CellGrid, RefusesWhatIsNoList) {
    EXPECT_THROW(CellGrid({0}), Error);
    EXPECT_THROW(CellGrid({3, 3}), Error);
    EXPECT_THROW(CellGrid({4, 2}), Error);
    EXPECT_THROW(CellGrid({max_annotators + 1}), Error);
    EXPECT_EQ(CellGrid().size(), 0U);
    const CellGrid grid({2, 5});
    EXPECT_EQ(grid.size(), 3U + 6U);
    for (std::size_t c = 0; c < grid.size(); ++c) EXPECT_EQ(grid.cell(grid.n(c), grid.k(c)), c);
    EXPECT_TRUE(grid.has(5));
    EXPECT_FALSE(grid.has(3));
}

TEST(Thinning, OneOfTwoAndAllOfThem) {
    // One of the two annotators of (2, 1) selected, so the probability is 1/2.
    const Thinning one(CellGrid({2}), 1);
    EXPECT_EQ(one.apply(std::vector<double>{4, 6, 10}), (std::vector<double>{7, 13}));
    const Thinning all(CellGrid({2}), 2);
    EXPECT_EQ(all.apply(std::vector<double>{4, 6, 10}), (std::vector<double>{4, 6, 10}));
    EXPECT_THROW(Thinning(CellGrid({2, 5}), 3), Error);
    EXPECT_THROW(Thinning(CellGrid({2}), 0), Error);
    EXPECT_THROW(Thinning(CellGrid(), 1), Error);
}

TEST(Thinning, InTwoStepsIsTheSameAsInOne) {
    const CellGrid grid({9});
    std::vector<double> start(10);
    for (std::size_t k = 0; k < start.size(); ++k) start[k] = static_cast<double>(k * k + 1);
    const auto direct = Thinning(grid, 3).apply(start);
    const auto twice = Thinning(CellGrid({6}), 3).apply(Thinning(grid, 6).apply(start));
    for (std::size_t j = 0; j < direct.size(); ++j) EXPECT_NEAR(direct[j], twice[j], 1e-10);
}

TEST(Thinning, LargestGridStaysFinite) {
    const Thinning thin(CellGrid({max_annotators}), max_annotators - 1);
    double sum = 0;
    for (const double p : thin.row(100)) sum += p;
    EXPECT_NEAR(sum, 1, 1e-12);
    // the annotator who is omitted did not select
    EXPECT_NEAR(thin.row(100)[100], 412.0 / 512, 1e-12);
}

TEST(Naive, EqualReadingsLeaveTheRawAccuracy) {
    // Both sets have the same readings, so every weight is 1 / 10.
    const auto one = counts({2, 3, 5});
    const auto w = naive_weights(one, one, 2);
    for (const double x : w.weight) EXPECT_NEAR(x, 0.1, 1e-15);
    EXPECT_NEAR(w.of(std::vector<double>{1, 1, 4}), 0.6, 1e-15);
    EXPECT_EQ(w.covered, 1);
}

TEST(Naive, NothingInCommonIsAnError) {
    EXPECT_THROW(naive_weights(counts({1, 0, 0}), counts({0, 1, 1}), 2), Error);
    EXPECT_THROW(naive_weights(counts({0, 0, 0}), counts({0, 1, 1}), 2), Error);
    EXPECT_THROW(jackknife_weights(counts({1, 1, 1}), counts({1, 1, 1}), 2), Error);
    EXPECT_THROW(jackknife_weights(counts({1, 1, 1}), counts({1, 1, 1}), 0), Error);
}

TEST(Moments, TwoReadingsByHand) {
    // For n = 2 and exponents {0,1}, set 2 has 1, 2, 1 images with k = 0, 1, 2. E[u1] = 1/2 and
    // E[u2] = 1/4, so G = [1 1/2; 1/2 1/4] is singular. The readings fit equal rates of all images.
    EXPECT_THROW(MomentProjection(counts({1, 1, 1}), counts({1, 2, 1}), {0, 1}), Error);
    // Set 2 has 2, 0, 2 images, so the rates are 0 and 1. G = [1 1/2; 1/2 1/2], and set 1 has m1 =
    // (1, 3/4), so x = G^-1 m1 = (1/2, 1). None of k = 0 and both of k = 2 are correct, so b =
    // (1/2, 1/2) and A = 1/2 * 1/2 + 1 * 1/2 = 3/4.
    const MomentProjection p(counts({1, 0, 3}), counts({2, 0, 2}), {0, 1});
    EXPECT_NEAR(p.ratio()[0], 0.5, 1e-12);
    EXPECT_NEAR(p.ratio()[1], 1.0, 1e-12);
    const std::vector<double> correct{0, 0, 2};
    const auto fit = p.fit(correct);
    EXPECT_NEAR(fit.accuracy, 0.75, 1e-12);
    EXPECT_NEAR(p.weights().of(correct), 0.75, 1e-12);
    // With g = s, psi1 = s - 3/4 is -3/4 once and 1/4 three times, and psi2 = f W(k) - x' G(k) w =
    // 0 and (1.5) - (1.5) = 0. Variance = (9/16 + 3/16) / 16 = 3/64.
    EXPECT_NEAR(p.standard_error(fit, correct), std::sqrt(3.0 / 64), 1e-12);
}

TEST(Moments, RefusesTooFewAnnotatorsAndDropsWhatIsSingular) {
    EXPECT_THROW(MomentProjection(counts({1, 1, 1}), counts({1, 1, 1}), {0, 2}), Error);
    EXPECT_THROW(MomentProjection(counts({1, 1, 1}), counts({1, 1, 1}), {1, 2}), Error);
    EXPECT_THROW(MomentProjection(counts({1, 1, 1}), counts({1, 1, 1}), {0}), Error);
    // With only the rates 0 and 1, s and s^2 are equal, so one of them is removed.
    const MomentProjection p(counts({1, 0, 0, 0, 3}), counts({2, 0, 0, 0, 2}), {0, 1, 2});
    EXPECT_EQ(p.exponents(), (std::vector<int>{0, 1}));
    EXPECT_EQ(p.dropped(), (std::vector<int>{2}));
    EXPECT_THROW(MomentProjection(counts({0, 0, 3}), counts({0, 0, 4}), {0, 1}),
                 Error);  // everybody selects everything
    EXPECT_THROW(MomentProjection(counts({1, 0, 3}), counts({4, 0, 0}), {0, 1}),
                 Error);  // nobody selects anything
}

TEST(Moments, DefaultsAscendAndFit) {
    for (int n = 2; n <= 60; ++n) {
        const auto e = default_exponents(n);
        ASSERT_GE(e.size(), 2U) << n;
        EXPECT_LE(2 * e.back(), n);
        for (const auto& c : companion_exponents(n)) EXPECT_LE(2 * c.back(), n) << n;
    }
    EXPECT_TRUE(default_exponents(1).empty());
}

}  // namespace
}  // namespace assay::replication
