#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "assay/error.h"
#include "assay/patchml/composites.h"
#include "core/random.h"
#include "made_images.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Body>
std::string refused(Body&& body, ErrorCode code = ErrorCode::usage) {
    try {
        body();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    return "no error";
}

std::string grids_refused(std::vector<Grid> grids, int canvas = 512) {
    CompositeOptions options;
    options.grids = std::move(grids);
    options.canvas = canvas;
    return refused([&] { check_grids(options); });
}

std::vector<std::int32_t> random_classes(std::size_t n, std::uint64_t classes) {
    RandomStream random(5, "classes of a test");
    std::vector<std::int32_t> out;
    for (std::size_t i = 0; i < n; ++i)
        out.push_back(static_cast<std::int32_t>(random.below(classes)));
    return out;
}

TEST(Grids, ThePapersPass) {
    EXPECT_EQ(grids_refused(CompositeOptions().grids), "no error");
    std::vector<int> sides;
    for (const int k : {2, 3, 4, 6, 9}) sides.push_back(default_patch_side(k, 512));
    EXPECT_THAT(sides, ElementsAre(256, 256, 256, 170, 128));
    // 1 patch needs 1 column, 5 need 3, 10 need 4, 16 need 4, and 17 need 5. Each fits.
    for (const auto& [k, p] :
         std::map<int, int>{{1, 512}, {5, 170}, {10, 128}, {16, 128}, {17, 102}}) {
        EXPECT_EQ(default_patch_side(k, 512), p);
        EXPECT_EQ(grids_refused({{k, p}}), "no error");
    }
}

TEST(Grids, WhatDoesNotFitIsRefused) {
    // 5 * 256^2 = 327,680 is more than 512^2 = 262,144.
    EXPECT_THAT(grids_refused({{5, 256}}),
                HasSubstr("k = 5, p = 256: k p^2 = 327680 is more than canvas^2 = 262144"));
    // 6 * 171^2 = 175,446 would fit, but floor(512 / 171) = 2 columns and rows hold 4.
    EXPECT_THAT(grids_refused({{6, 171}}),
                HasSubstr("k = 6, p = 171: the canvas has only 2 x 2 cells of 171 pixels"));
    EXPECT_THAT(grids_refused({{1, 513}}), HasSubstr("does not fit the canvas of 512 pixels"));
    EXPECT_THAT(grids_refused({{2, 256}, {0, 9}, {5, 256}}),
                testing::AllOf(HasSubstr("k = 0, p = 9: both must be 1 or more; k = 5"),
                               testing::Not(HasSubstr("k = 2"))));
    EXPECT_THAT(grids_refused({{2, 256}, {2, 256}}), HasSubstr("given twice"));
    EXPECT_THAT(grids_refused({{2, 0}}), HasSubstr("1 or more"));
    EXPECT_THAT(grids_refused({{INT32_MAX, INT32_MAX}}), HasSubstr("does not fit"));
    EXPECT_THAT(grids_refused({}), HasSubstr("no k is given"));
    EXPECT_THAT(grids_refused({{1, 1}}, 0), HasSubstr("a canvas of 0 pixels"));
    EXPECT_THAT(grids_refused({{1, 1}}, 100'000), HasSubstr("1 to 8192"));
}

TEST(Grids, ThePoolMustDo) {
    CompositeOptions options;
    options.grids = {{3, 4}};
    EXPECT_THAT(refused([&] {
                    check_composites(paper_pool({0, 1}, 2), options);
                }),
                HasSubstr("the pool holds 2 patches"));
    EXPECT_NO_THROW(check_composites(paper_pool({0, 1, 1}, 2), options));
    options.distinct = true;
    EXPECT_THAT(refused([&] {
                    check_composites(paper_pool({0, 1, 1}, 2), options);
                }),
                HasSubstr("the pool has only 2 classes, but the labels must be distinct"));
    PatchPool pool = paper_pool({0, 1, 2}, 3);
    pool.classes = ClassList({"a", "b;c", "d"});
    EXPECT_THAT(refused([&] { check_composites(pool, options); }, ErrorCode::bad_input),
                HasSubstr("class `b;c` cannot be in a list of labels"));
}

// Follows the definition in the header, which draws an element of a vector and removes it.
TEST(Draws, AreThoseOfTheStream) {
    const PatchPool pool = paper_pool(std::vector<std::int32_t>(17, 0), 1);
    CompositeOptions options;
    options.seed = 42;
    const CompositePlan plan = plan_composites(pool, {3, 5}, options);
    RandomStream random(42, "patchml.draw", (std::uint64_t{3} << 32) + 5);
    std::vector<std::uint32_t> left(17), expected;
    for (std::uint32_t i = 0; i < 17; ++i) left[i] = i;
    while (left.size() >= 3) {
        for (int j = 0; j < 3; ++j) {
            const auto at = static_cast<std::size_t>(random.below(left.size()));
            expected.push_back(left[at]);
            left[at] = left.back();  // the order of the others has no effect but must be fixed
            left.pop_back();
        }
    }
    EXPECT_EQ(plan.patches, expected);
    EXPECT_EQ(plan.size(), 5U);  // 17 = 5 * 3 + 2
    EXPECT_EQ(count_labels(pool, plan).patches_left, 2U);
}

TEST(Draws, EveryGridStartsFromTheFullPoolAndUsesAPatchOnce) {
    const PatchPool pool = paper_pool(random_classes(100, 7), 7);
    for (const bool distinct : {false, true}) {
        std::set<std::vector<std::uint32_t>> plans;
        for (const Grid grid : {Grid{2, 256}, {2, 128}, {4, 256}, {7, 100}}) {
            for (const std::uint64_t seed : {1, 2}) {
                CompositeOptions options;
                options.seed = seed;
                options.distinct = distinct;
                const CompositePlan plan = plan_composites(pool, grid, options);
                EXPECT_EQ(plan.patches, plan_composites(pool, grid, options).patches);
                const std::set<std::uint32_t> used(plan.patches.begin(), plan.patches.end());
                EXPECT_EQ(used.size(), plan.patches.size());
                EXPECT_EQ(plan.patches.size() % static_cast<std::size_t>(grid.k), 0U);
                if (!distinct) {
                    EXPECT_EQ(plan.size(), 100U / static_cast<std::size_t>(grid.k));
                }
                plans.insert(plan.patches);
            }
        }
        EXPECT_EQ(plans.size(), 8U);  // all are different
    }
    CompositeOptions options;
    options.limit = 3;
    const auto first = plan_composites(pool, {4, 256}, options);
    EXPECT_EQ(first.size(), 3U);
    options.limit = 0;
    const auto all = plan_composites(pool, {4, 256}, options);
    EXPECT_TRUE(std::equal(first.patches.begin(), first.patches.end(), all.patches.begin()));
}

// Each of the 5 * 4 ordered pairs is equally likely: 200 of 4000 draws are expected, with a
// standard deviation of 13.8.
TEST(Draws, AreUniform) {
    const PatchPool pool = paper_pool({0, 1, 2, 3, 4}, 5);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> seen;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        CompositeOptions options;
        options.seed = seed;
        const auto plan = plan_composites(pool, {2, 256}, options);
        ++seen[{plan.patches[0], plan.patches[1]}];
    }
    ASSERT_EQ(seen.size(), 20U);
    double chi_square = 0;
    for (const auto& [pair, n] : seen) chi_square += (n - 200.0) * (n - 200.0) / 200.0;
    EXPECT_LT(chi_square, 43.8);  // with 19 degrees of freedom, exceeded once in a thousand
}

TEST(Distinct, RepeatsAreDrawnAgainAndComeBack) {
    CompositeOptions options;
    options.distinct = true;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        options.seed = seed;
        // With four patches of each class, the result is always four composites.
        const PatchPool even = paper_pool({0, 0, 0, 0, 1, 1, 1, 1}, 2);
        EXPECT_EQ(plan_composites(even, {2, 4}, options).size(), 4U);
        // One patch of the second class gives one composite, and three of the first class are left.
        const PatchPool odd = paper_pool({0, 0, 0, 0, 1}, 2);
        const auto plan = plan_composites(odd, {2, 4}, options);
        EXPECT_EQ(plan.size(), 1U);
        EXPECT_EQ(count_labels(odd, plan).patches_left, 3U);
        const PatchPool many = paper_pool(random_classes(300, 12), 12);
        const auto counts = count_labels(many, plan_composites(many, {9, 4}, options));
        EXPECT_EQ(counts.repeats(), 0U);
        EXPECT_EQ(counts.by_labels[9], counts.composites);
        EXPECT_GE(counts.composites, 25U);  // number of labels of at most 33
    }
}

TEST(Labels, Counted) {
    const PatchPool pool = paper_pool({0, 0, 1, 2, 2, 2, 0, 1, 2}, 3);
    const CompositePlan plan{.grid = {3, 4}, .patches = {0, 1, 2, 3, 4, 5, 6, 7, 8}};
    const GridCounts counts = count_labels(pool, plan);  // the composites are {0,1}, {2}, {0,1,2}
    EXPECT_THAT(counts.by_labels, ElementsAre(0, 1, 1, 1));
    EXPECT_EQ(counts.repeats(), 2U);
    EXPECT_EQ(counts.composites, 3U);
    EXPECT_EQ(counts.patches_left, 0U);
}

TEST(RepeatShare, ClosedForms) {
    // The probability is 1 - (1 - 1/1000) ... (1 - 8/1000).
    for (const auto& [k, percent] :
         std::map<int, double>{{1, 0}, {2, 0.1}, {3, 0.3}, {4, 0.6}, {6, 1.5}, {9, 3.5}}) {
        EXPECT_NEAR(100 * repeat_proportion(k, 1000), percent, 0.06) << k;
    }
    EXPECT_DOUBLE_EQ(repeat_proportion(2, 4), 0.25);
    EXPECT_DOUBLE_EQ(repeat_proportion(5, 4), 1);  // there are more patches than classes
    // Three classes have two patches each. 3 of 15 pairs are of one class. 2^3 of 20 triples are
    // of three classes.
    const std::vector<std::uint64_t> pairs{2, 2, 2};
    EXPECT_NEAR(repeat_proportion(2, pairs), 3.0 / 15, 1e-14);
    EXPECT_NEAR(repeat_proportion(3, pairs), 1 - 8.0 / 20, 1e-14);
    EXPECT_NEAR(repeat_proportion(4, pairs), 1, 1e-14);
    // With one patch for each class, no class repeats. With many patches, the draws are nearly with
    // replacement.
    EXPECT_NEAR(repeat_proportion(9, std::vector<std::uint64_t>(700, 1)), 0, 1e-12);
    EXPECT_NEAR(repeat_proportion(9, std::vector<std::uint64_t>(1000, 1'000'000)),
                repeat_proportion(9, 1000), 1e-6);
    EXPECT_THAT(refused([&] { repeat_proportion(7, pairs); }), HasSubstr("1 <= k <= 6"));
}

// Every subset of a small pool is counted one by one.
TEST(RepeatShare, EqualsCounting) {
    const std::vector<std::int32_t> classes = {0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 5};
    const std::vector<std::uint64_t> counts = {3, 1, 2, 4, 0, 1};
    for (int k = 1; k <= 5; ++k) {
        int all = 0, repeats = 0;
        for (unsigned subset = 0; subset < 1U << classes.size(); ++subset) {
            std::multiset<std::int32_t> met;
            for (std::size_t i = 0; i < classes.size(); ++i) {
                if ((subset >> i & 1) != 0) met.insert(classes[i]);
            }
            if (met.size() != static_cast<std::size_t>(k)) continue;
            ++all;
            repeats += std::set<std::int32_t>(met.begin(), met.end()).size() < met.size();
        }
        EXPECT_NEAR(repeat_proportion(k, counts), static_cast<double>(repeats) / all, 1e-13) << k;
    }
}

// The drawn composites repeat classes as often as expected, within four standard deviations.
TEST(RepeatShare, IsWhatTheDrawsShow) {
    const PatchPool pool = paper_pool(random_classes(20'000, 50), 50);
    for (const int k : {2, 3, 4, 6, 9}) {
        const GridCounts counts = count_labels(pool, plan_composites(pool, {k, 4}, {}));
        const double expected = repeat_proportion(k, pool.class_counts());
        const auto n = static_cast<double>(counts.composites);
        EXPECT_NEAR(static_cast<double>(counts.repeats()) / n, expected,
                    4 * std::sqrt(expected * (1 - expected) / n))
            << k;
        EXPECT_NEAR(expected, repeat_proportion(k, 50), 0.005) << k;
    }
}

// The published numbers of composites with exactly k labels, seed 1, come from some 53,600 patches
// of 1000 classes.
TEST(RepeatShare, FitsThePublishedCounts) {
    const PatchPool pool = paper_pool(random_classes(53'600, 1000), 1000);
    const std::map<int, double> published{
        {2, 26'778}, {3, 17'870}, {4, 13'281}, {6, 8'766}, {9, 5'736}};
    for (const Grid& grid : CompositeOptions().grids) {
        const GridCounts counts = count_labels(pool, plan_composites(pool, grid, {}));
        const auto exact = static_cast<double>(counts.by_labels.back());
        EXPECT_NEAR(exact / published.at(grid.k), 1, 0.005) << grid.k;
    }
}

TEST(Places, CellsInRowsAndLongerSides) {
    // 10 x 4 becomes 256 x round(102.4), 3 x 7 round(109.7) x 256, and 1000 x 1 256 x 1.
    for (const auto& [from, to] :
         std::map<std::pair<int, int>, std::pair<int, int>>{{{10, 4}, {256, 102}},
                                                            {{3, 7}, {110, 256}},
                                                            {{1000, 1}, {256, 1}},
                                                            {{5, 5}, {256, 256}},
                                                            {{2, 1}, {256, 128}}}) {
        const PatchPool pool = paper_pool({0, 0, 0, 0}, 1, from.first, from.second);
        const auto plan = plan_composites(pool, {4, 256}, {});
        const auto places = place_patches(pool, plan, 0, {});
        for (int j = 0; j < 4; ++j) {
            const Placement& at = places[static_cast<std::size_t>(j)];
            EXPECT_EQ(std::pair(at.width, at.height), to);
            EXPECT_EQ(std::pair(at.row, at.column), std::pair(j / 2, j % 2));
            EXPECT_GE(at.x, at.column * 256);
            EXPECT_LE(at.x + at.width, (at.column + 1) * 256);
            EXPECT_GE(at.y, at.row * 256);
            EXPECT_LE(at.y + at.height, (at.row + 1) * 256);
        }
    }
    // Halves are rounded up: 4 * 5 / 8 = 2.5.
    const PatchPool half = paper_pool({0}, 1, 8, 5);
    EXPECT_EQ(place_patches(half, plan_composites(half, {1, 4}, {}), 0, {}).front().height, 3);
}

// For 4 x 1 pixels and longer side 4, only y in {0, 1, 2, 3} is free, and 800 of each are expected.
TEST(Places, OffsetsAreUniformAndTheirOwn) {
    const PatchPool pool = paper_pool(std::vector<std::int32_t>(3200, 0), 1, 4, 1);
    CompositeOptions options;
    options.canvas = 12;
    const auto plan = plan_composites(pool, {1, 4}, options);
    std::array<int, 4> seen{};
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const auto places = place_patches(pool, plan, i, options);
        EXPECT_EQ(places[0].x, 0);
        ++seen.at(static_cast<std::size_t>(places[0].y));
    }
    double chi_square = 0;
    for (const int n : seen) chi_square += (n - 800.0) * (n - 800.0) / 800.0;
    EXPECT_LT(chi_square, 16.3);  // with 3 degrees of freedom, exceeded once in a thousand
    // The stream is that of the header: item ((k 2^16 + p) 2^32 + i), with x before y.
    RandomStream random(1, "patchml.offset", (((std::uint64_t{1} << 16) + 4) << 32) + 77);
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_EQ(place_patches(pool, plan, 77, options)[0].y, static_cast<int>(random.below(4)));
}

}  // namespace
}  // namespace assay
