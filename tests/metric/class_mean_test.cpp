// The interval of balanced accuracy.
#include "metric/class_mean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "core/statistics.h"

namespace assay {
namespace {

Interval balanced_interval(const std::vector<ClassHits>& classes, double level = .95) {
    return cell_interval(joined_cells(classes), level);
}

TEST(ClassMean, ClassesAreJoinedUntilACellHoldsFiveImages) {
    const std::vector<ClassHits> classes = {{2, 1}, {1, 1}, {3, 3}, {7, 0}, {1, 0}};
    const std::vector<ClassCell> cells = joined_cells(classes);
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_DOUBLE_EQ(cells[0].weight, .6);
    // Kish's number is 3^2 / (1/2 + 1/1 + 1/3), and the value is the mean of 1/2, 1 and 1.
    EXPECT_DOUBLE_EQ(cells[0].images, 9 / (11 / 6.0));
    EXPECT_DOUBLE_EQ(cells[0].hits, 2.5 / 3 * cells[0].images);
    // The remaining image joins the last cell, which gives 2^2 / (1/7 + 1).
    EXPECT_DOUBLE_EQ(cells[1].weight, .4);
    EXPECT_DOUBLE_EQ(cells[1].images, 4 / (8 / 7.0));
    EXPECT_DOUBLE_EQ(cells[1].hits, 0);
    EXPECT_EQ(joined_cells(std::vector<ClassHits>{{1, 1}, {1, 0}}).size(), 1U);
}

// The limits solve (p - t)^2 = z^2 t (1 - t) / (n - 1).
TEST(ClassMean, OneClassHasWilsonsIntervalWithOneImageFewer) {
    const double z = normal_quantile(.975), z2 = z * z, n = 19, p = 13 / 20.0;
    const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    const Interval found = balanced_interval({{20, 13}});
    EXPECT_NEAR(found.low, middle - half, 1e-9);
    EXPECT_NEAR(found.high, middle + half, 1e-9);
    EXPECT_EQ(found.method, "score.classes");
}

// All thirty images are correct, ten of each class: (1 - t)^2 = z^2 t (1 - t) / (3 * 9), with equal
// classes.
TEST(ClassMean, AllCorrectLeavesAWidth) {
    const double z2 = std::pow(normal_quantile(.975), 2);
    const Interval found = balanced_interval({{10, 10}, {10, 10}, {10, 10}});
    EXPECT_EQ(found.high, 1);
    EXPECT_NEAR(found.low, 1 / (1 + z2 / 27), 1e-9);
    const Interval none = balanced_interval({{10, 0}, {10, 0}, {10, 0}});
    EXPECT_EQ(none.low, 0);
    EXPECT_NEAR(none.high, 1 - found.low, 1e-9);
    EXPECT_LT(balanced_interval({{1, 1}}).low, .5);
}

// The classifier always predicts the first class. This holds for any rounding.
TEST(ClassMean, AConstantClassifierHasAWidthOnBothSides) {
    for (std::size_t count = 3; count <= 10; ++count) {
        for (const double images : {5., 30., 50., 100.}) {
            std::vector<ClassHits> classes(count, {images, 0});
            classes[0].hits = images;
            const Interval found = balanced_interval(classes);
            const double value = 1 / static_cast<double>(count);
            EXPECT_LT(found.low, value - 1e-6) << count << " " << images;
            EXPECT_GT(found.high, value + 1e-6) << count << " " << images;
        }
    }
}

// Misses instead of hits mirror the interval. The search tries a pull of 10 times the weight first,
// which is as large as the number of images of some of these cells.
TEST(ClassMean, MissesMirrorTheInterval) {
    const std::vector<double> sizes = {1, 2, 5, 10, 15, 20, 40};
    for (const double first : sizes) {
        for (const double second : sizes) {
            for (const double hits : {0., 1., second / 2, second}) {
                const Interval found = balanced_interval({{first, first}, {second, hits}});
                const Interval mirrored = balanced_interval({{first, 0}, {second, second - hits}});
                const double value = (1 + hits / second) / 2;
                EXPECT_LT(found.low, value) << first << " " << second << " " << hits;
                if (value < 1) {
                    EXPECT_GT(found.high, value) << first << " " << second << " " << hits;
                }
                EXPECT_NEAR(found.low, 1 - mirrored.high, 1e-9) << first << " " << second;
                EXPECT_NEAR(found.high, 1 - mirrored.low, 1e-9) << first << " " << second;
            }
        }
    }
}

// The values are from another implementation of the definition, with scipy 1.17.1 and NumPy 2.4.6.
TEST(ClassMean, AgreesWithAnotherImplementation) {
    struct Known {
        std::vector<ClassHits> classes;
        double low, high;
    };
    const std::vector<Known> all = {
        {{{10, 10}, {10, 10}, {10, 10}}, 0.875444970, 1.000000000},
        {{{150, 149}, {3, 2}}, 0.531921876, 0.954496430},
        {{{20, 18}, {20, 12}, {20, 20}, {20, 5}, {20, 19}}, 0.668511830, 0.805422100},
        {{{1, 1}, {2, 1}, {3, 3}, {4, 0}, {5, 4}, {40, 33}}, 0.423262482, 0.837611611},
        {{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
          {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
          {1, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}},
         0.567557960,
         0.810766321},
        {{{100, 0}, {1, 0}, {50, 0}, {2, 0}}, 0.000000000, 0.328797757},
        {{{32, 28}, {4, 4},   {7, 6},   {10, 7},  {8, 8},   {32, 27}, {34, 30}, {23, 19}, {2, 2},
          {4, 4},   {13, 10}, {17, 14}, {25, 20}, {19, 15}, {11, 10}, {7, 5},   {27, 21}, {29, 27},
          {2, 1},   {5, 5},   {18, 15}, {16, 15}, {35, 29}, {21, 19}, {17, 13}, {17, 15}, {26, 22},
          {23, 20}, {7, 6},   {29, 26}, {30, 27}, {38, 31}, {31, 25}, {12, 10}, {13, 9},  {26, 24},
          {26, 20}, {28, 26}, {34, 25}, {12, 10}, {37, 31}, {1, 0},   {3, 2},   {38, 31}, {37, 35},
          {12, 11}, {6, 6},   {13, 12}, {2, 2},   {35, 27}, {26, 24}, {23, 21}, {10, 9},  {19, 15},
          {8, 5},   {31, 25}, {19, 17}, {2, 2},   {10, 8},  {28, 27}},
         0.803434236,
         0.869509707},
    };
    for (const Known& known : all) {
        const Interval found = balanced_interval(known.classes);
        EXPECT_NEAR(found.low, known.low, 1e-6) << known.classes.size();
        EXPECT_NEAR(found.high, known.high, 1e-6) << known.classes.size();
    }
}

struct ClassWorld {
    std::size_t classes, images;
    double accuracy, imbalance;
};

/// The coverage of the interval for the mean accuracy of the classes that have images.
double balanced_coverage(const ClassWorld& world, int draws) {
    std::vector<double> upto, accuracy;
    double sum = 0;
    for (std::size_t c = 0; c < world.classes; ++c) {
        const double at = static_cast<double>(c) / static_cast<double>(world.classes - 1);
        sum += std::pow(world.imbalance, -at);
        upto.push_back(sum);
        // The accuracy does not depend on the size of the class.
        const double spread = 2 * static_cast<double>((c * 7919) % world.classes) /
                                  static_cast<double>(world.classes - 1) -
                              1;
        accuracy.push_back(std::min(1.0, world.accuracy + (1 - world.accuracy) * .6 * spread));
    }
    int held = 0;
    for (int d = 0; d < draws; ++d) {
        RandomStream random(17, "balanced accuracy", static_cast<std::uint64_t>(d));
        std::vector<ClassHits> all(world.classes);
        for (std::size_t i = 0; i < world.images; ++i) {
            const auto at = std::ranges::upper_bound(upto, random.uniform() * sum);
            const auto c = std::min<std::size_t>(static_cast<std::size_t>(at - upto.begin()),
                                                 world.classes - 1);
            ++all[c].images;
            all[c].hits += random.uniform() < accuracy[c] ? 1 : 0;
        }
        std::vector<ClassHits> present;
        double truth = 0;
        for (std::size_t c = 0; c < world.classes; ++c) {
            if (all[c].images == 0) continue;
            present.push_back(all[c]);
            truth += accuracy[c];
        }
        truth /= static_cast<double>(present.size());
        const Interval found = balanced_interval(present);
        held += found.low <= truth && truth <= found.high ? 1 : 0;
        EXPECT_LT(found.low, found.high);
    }
    return held / static_cast<double>(draws);
}

// A normal approximation covered the truth in 24 to 84 % of these draws, and had no interval if a
// class has one image.
TEST(ClassMean, HoldsTheTruth) {
    for (const ClassWorld& world : std::vector<ClassWorld>{{10, 30, .9, 1},
                                                           {10, 200, .9, 20},
                                                           {2, 200, .99, 50},
                                                           {100, 200, .8, 1},
                                                           {100, 100, .8, 1},
                                                           {100, 200, .95, 20},
                                                           {5, 1000, .9, 1}}) {
        const double held = balanced_coverage(world, 400);
        EXPECT_GE(held, .925) << world.classes << " classes, " << world.images << " images";
    }
    EXPECT_EQ(balanced_coverage({2, 30, 1, 1}, 20), 1);
}

}  // namespace
}  // namespace assay
