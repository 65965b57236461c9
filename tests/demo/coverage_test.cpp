#include "demo/world/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "assay/error.h"
#include "core/random.h"
#include "demo/world/canvas.h"
#include "demo/world/classes.h"
#include "demo/world/shapes.h"

namespace assay::world {
namespace {

Mask covered(int width, int height, const std::vector<Contour>& contours) {
    Coverage coverage;
    coverage.begin(width, height);
    for (const Contour& c : contours) coverage.add(c);
    Mask mask;
    mask.reset(width, height);
    coverage.finish(mask);
    return mask;
}

double sum(const Mask& mask) {
    return std::accumulate(mask.value.begin(), mask.value.end(), 0.0);
}

TEST(Coverage, NothingAddedCoversNothing) {
    Coverage coverage;
    coverage.begin(4, 3);
    EXPECT_TRUE(coverage.touched().empty());
    EXPECT_EQ(sum(covered(4, 3, {})), 0);
    EXPECT_EQ(sum(covered(4, 3, {{{-5, -5}, {-3, -5}, {-3, -3}}})), 0);  // outside of the canvas
}

TEST(Coverage, ARectangleCoversPartsOfPixels) {
    // [0.5, 2.25] x [1, 2.5]covers 1/2, 1 and 1/4 of the columns, and 1 and 1/2 of the rows.
    const Mask mask = covered(4, 4, {{{0.5F, 1}, {2.25F, 1}, {2.25F, 2.5F}, {0.5F, 2.5F}}});
    const float columns[] = {0.5F, 1, 0.25F, 0}, rows[] = {0, 1, 0.5F, 0};
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x)
            EXPECT_FLOAT_EQ(mask.at(x, y), columns[x] * rows[y]) << x << ' ' << y;
    }
}

TEST(Coverage, BothDirectionsCoverAndAHoleDoesNot) {
    const Contour outer = {{0, 0}, {6, 0}, {6, 6}, {0, 6}};
    Contour inner = {{2, 2}, {4, 2}, {4, 4}, {2, 4}};
    EXPECT_DOUBLE_EQ(sum(covered(6, 6, {outer, inner})), 36);  // same orientation, so a union
    std::reverse(inner.begin(), inner.end());
    EXPECT_DOUBLE_EQ(sum(covered(6, 6, {outer, inner})), 32);
    EXPECT_DOUBLE_EQ(sum(covered(6, 6, {inner})), 4);
}

TEST(Coverage, WhatHangsOutOfTheImageIsCutOff) {
    const Mask mask = covered(4, 4, {{{-10, -10}, {2, -10}, {2, 30}, {-10, 30}}});
    EXPECT_DOUBLE_EQ(sum(mask), 8);
    EXPECT_EQ(mask.at(1, 3), 1);
    EXPECT_EQ(mask.at(2, 3), 0);
}

// The sum over all pixels is the polygon's area, and each pixel agrees with counting 32 x 32 points
// in it.
TEST(Coverage, TheBorderChangesNothingWithinTheImage) {
    // The same triangles on a larger canvas.
    constexpr int side = 16, component = 24;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomStream draw(seed, "test", 0);
        Contour near;
        for (int i = 0; i < 3; ++i) {
            const auto x = static_cast<float>(40 * draw.uniform() - 12),
                       y = static_cast<float>(40 * draw.uniform() - 12);
            near.push_back({x, y});
        }
        Contour moved = near;
        for (Vec2& p : moved) p = p + Vec2{component, component};
        const Mask cut = covered(side, side, {near}),
                   whole = covered(side + 2 * component, side + 2 * component, {moved});
        for (int y = 0; y < side; ++y) {
            // Sums over a row are in single precision. Values below 1e-4 also count as 0.
            for (int x = 0; x < side; ++x)
                EXPECT_NEAR(cut.at(x, y), whole.at(x + component, y + component), 2e-4) << seed;
        }
    }
}

TEST(Coverage, RandomTrianglesAgreeWithCountedPoints) {
    RandomStream random(1, "test/triangles");
    const auto draw = [&] { return static_cast<float>(1 + 10 * random.uniform()); };
    for (int round = 0; round < 60; ++round) {
        const Contour t = {{draw(), draw()}, {draw(), draw()}, {draw(), draw()}};
        const Mask mask = covered(12, 12, {t});
        const float area = 0.5F * std::fabs(doubled_area(t));
        EXPECT_NEAR(sum(mask), static_cast<double>(area), 1e-3);
        const auto side = [](Vec2 a, Vec2 b, Vec2 p) {
            return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
        };
        for (int y = 0; y < 12; ++y) {
            for (int x = 0; x < 12; ++x) {
                int hits = 0;
                for (int k = 0; k < 32 * 32; ++k) {
                    const Vec2 p{static_cast<float>(x) + (static_cast<float>(k % 32) + 0.5F) / 32,
                                 static_cast<float>(y) + (static_cast<float>(k / 32) + 0.5F) / 32};
                    const float a = side(t[0], t[1], p), b = side(t[1], t[2], p),
                                c = side(t[2], t[0], p);
                    hits += (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0) ? 1 : 0;
                }
                // Points near an edge are miscounted, at most about one row of 32 for each of
                // three edges.
                ASSERT_NEAR(mask.at(x, y), static_cast<float>(hits) / 1024, 0.06)
                    << round << ": " << x << ' ' << y;
            }
        }
    }
}

TEST(Coverage, AStrokeIsACapsule) {
    std::vector<Contour> pieces;
    const std::vector<Vec2> line = {{4, 5}, {10, 5}};
    stroke(line, 4, pieces);
    // 6 x 4, and at both ends a half of a ten-sided figure of radius 2: 5 x 4 x sin(36
    // degrees).
    EXPECT_NEAR(sum(covered(14, 10, pieces)), 24 + 20 * 0.587785, 0.01);
}

TEST(Blur, KeepsTheSumWhereThereIsRoom) {
    Mask mask;
    mask.reset(21, 21);
    mask.at(10, 10) = 1;
    std::vector<float> scratch;
    blur(mask, {0, 0, 21, 21}, 2, scratch);
    EXPECT_NEAR(sum(mask), 1, 1e-5);
    // Two box filters of width 5 in each direction: the middle is (5 / 25)^2.
    EXPECT_NEAR(mask.at(10, 10), 0.04, 1e-6);
    EXPECT_NEAR(mask.at(14, 10), 0.2 / 25, 1e-6);
    EXPECT_NEAR(mask.at(15, 10), 0, 1e-7);
}

TEST(Shapes, EveryClassHasATexturedLayerThatFillsItsSquare) {
    for (int cls = 0; cls < class_count; ++cls) {
        SCOPED_TRACE(classes()[static_cast<std::size_t>(cls)].id);
        const Shape& shape = shape_of(cls);
        std::vector<Contour> all, textured;
        Vec2 low{9, 9}, high{-9, -9};
        for (const Layer& layer : shape.layers) {
            for (Contour contour : layer.contours) {
                for (Vec2& p : contour) {
                    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
                    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
                    p = {50 + 50 * p.x, 50 + 50 * p.y};
                }
                if (layer.fill == Fill::body) textured.push_back(contour);
                all.push_back(std::move(contour));
            }
        }
        EXPECT_GE(low.x, -1.08F);
        EXPECT_GE(low.y, -1.08F);
        EXPECT_LE(high.x, 1.08F);
        EXPECT_LE(high.y, 1.08F);
        EXPECT_GT(std::max(high.x - low.x, high.y - low.y), 1.7F);
        EXPECT_GT(sum(covered(100, 100, textured)),
                  800);  // at least 8 % of the square shows the texture
    }
}

TEST(Shapes, DamagedPathsAreRefused) {
    for (const char* path : {"W 1 2", "L 1 2", "M 1", "E 1 2 3", "Q 1 2 3 4", "R 1 2 3"}) {
        EXPECT_THROW(parse_path(path), Error) << path;
    }
    EXPECT_TRUE(parse_path("").empty());
    const auto mirrored = parse_path("M 10 10 L 20 10 L 20 20 Z X");
    ASSERT_EQ(mirrored.size(), 2U);
    EXPECT_GT(doubled_area(mirrored[0]), 0);
    EXPECT_GT(doubled_area(mirrored[1]), 0);  // both run clockwise, so they are a union
}

}  // namespace
}  // namespace assay::world
