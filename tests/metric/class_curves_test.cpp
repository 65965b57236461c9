#include "metric/class_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "curve_tables.h"

namespace assay {
namespace {

using nlohmann::json;

TEST(Curves, AgreeWithScikitLearn) {
    const json fixture =
        json::parse(std::ifstream(ASSAY_SOURCE_DIR "/tests/metric/fixtures/curves.json"));
    int seen = 0;
    for (const auto& one : fixture.at("cases")) {
        SetTable t;
        t.classes = one.at("classes").get<std::size_t>();
        t.sets = one.at("sets").get<std::vector<std::vector<std::int32_t>>>();
        for (const auto& x : one.at("scores")) t.scores.push_back(x.get<float>() / 64);
        for (const bool roc : {true, false}) {
            const json& values = one.at("values").at(roc ? "roc" : "precision_recall");
            for (const bool weighted : {false, true}) {
                const CurveFound found =
                    curve_of(t, {roc ? Curve::roc : Curve::precision_recall, weighted, 0.95});
                EXPECT_NEAR(*found.estimate.value,
                            values.at(weighted ? "weighted" : "macro").get<double>(), 1e-12)
                    << one.at("name") << (roc ? " roc" : " precision");
                EXPECT_EQ(found.classes, values.at("classes").get<std::uint32_t>())
                    << one.at("name");
                ++seen;
            }
        }
    }
    EXPECT_EQ(seen, 4 * 11);
}

// Scores are of many kinds: arbitrary numbers, coarse steps (ties), zeros and negative numbers.
// Some items are excluded.
SetTable curve_table(std::uint64_t seed, std::size_t rows, std::size_t most) {
    RandomStream random(seed, "curves");
    SetTable t;
    t.classes = 1 + random.below(8);
    const std::uint64_t style = random.below(4);
    for (std::size_t i = 0; i < rows; ++i) {
        t.sets.emplace_back();
        for (std::size_t c = 0; c < t.classes && random.below(9) > 0; ++c) {
            if (t.sets.back().size() < most && random.below(3) == 0)
                t.sets.back().push_back(static_cast<std::int32_t>(c));
        }
        for (std::size_t c = 0; c < t.classes; ++c) {
            const double u = random.uniform();
            t.scores.push_back(style == 0   ? static_cast<float>(u)
                               : style == 1 ? static_cast<float>(random.below(4)) / 4
                               : style == 2 ? static_cast<float>(u < 0.6 ? 0 : u)
                                            : static_cast<float>(random.normal()));
        }
    }
    return t;
}

TEST(Curves, AgreeWithTheWordingOnTables) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const SetTable t = curve_table(seed, seed % 5 == 0 ? seed % 9 : 10 + seed, 1 + seed % 4);
        for (const Curve curve : {Curve::roc, Curve::precision_recall}) {
            for (const bool weighted : {false, true}) {
                const CurveFound found = curve_of(t, {curve, weighted, 0.95});
                const auto expected = curve_by_wording(t, curve, weighted);
                ASSERT_EQ(found.estimate.value.has_value(), expected.has_value()) << seed;
                if (expected) {
                    ASSERT_NEAR(*found.estimate.value, *expected, 1e-12) << "seed " << seed;
                }
            }
        }
    }
}

TEST(Curves, ManyPositivesAndManyStretches) {
    // There are more distinct scores than the short counters can hold, and items in three blocks.
    RandomStream random(3, "many");
    SetTable t;
    t.classes = 2;
    for (std::size_t i = 0; i < 5000; ++i) {
        const auto label = static_cast<std::int32_t>(random.below(2));
        t.sets.push_back({label});
        const auto p = static_cast<float>(std::min(1.0, 0.3 * label + 0.7 * random.uniform()));
        t.scores.push_back(1 - p);
        t.scores.push_back(p);
    }
    for (const Curve curve : {Curve::roc, Curve::precision_recall}) {
        EXPECT_NEAR(*curve_of(t, {curve, false, 0.95}).estimate.value,
                    *curve_by_wording(t, curve, false), 1e-11);
    }
}

TEST(Curves, SameBitsForAnyThreadsAndShares) {
    const SetTable t = curve_table(12, 5000, 3);
    const TableRows rows(t);
    const ClassPositives positives = positives_of_table(t);
    const auto scores = positive_keys(rows, positives, 1, 0, 100);
    const ClassRanks ranks(positives, scores);
    ASSERT_GT(ranks.classes(), 2U);
    std::vector<std::int64_t> numbers(ranks.slots());
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::int64_t>(k * k);
    const std::uint32_t all = ranks.classes();
    const auto count = ranks.count(rows, 1, 0, all), sum = ranks.sum(rows, numbers, 1, 0, all);
    EXPECT_EQ(ranks.count(rows, 3, 0, all), count);
    EXPECT_EQ(ranks.sum(rows, numbers, 3, 0, all), sum);
    auto counts = ranks.count(rows, 1, 0, 2), sums = ranks.sum(rows, numbers, 1, 0, 2);
    const auto more = ranks.count(rows, 2, 2, all), rest = ranks.sum(rows, numbers, 2, 2, all);
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += more[k];
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += rest[k];
    EXPECT_EQ(counts, count);
    EXPECT_EQ(sums, sum);
}

TEST(Curves, InfluencesAreWhatLeavingAnItemOutChanges) {
    for (const Curve curve : {Curve::roc, Curve::precision_recall}) {
        for (const bool weighted : {false, true}) {
            SetTable t = curve_table(40, 400, 2);
            const CurveFound all = curve_of(t, {curve, weighted, 0.95});
            // Groups have the size that is used for intervals: three of 400 items.
            for (const std::size_t g : {0U, 17U, 100U}) {
                SetTable rest = t;
                for (std::size_t i = 0; i < t.sets.size(); ++i) {
                    if (all.groups[i] == g) rest.sets[i].clear();
                }
                const double exact = *curve_by_wording(rest, curve, weighted);
                const double change = exact - *all.estimate.value;
                // Only groups with items have a value.
                std::size_t place = 0;
                for (std::size_t before = 0; before < g; ++before)
                    place += std::count(all.groups.begin(), all.groups.end(), before) > 0 ? 1 : 0;
                EXPECT_NEAR(all.estimate.without[place], exact, 2e-4 + 0.1 * std::abs(change))
                    << g << (curve == Curve::roc ? " roc" : " precision") << weighted;
            }
        }
    }
}

TEST(Curves, OneClassIsDeLong) {
    // The positives are .9 .6 .5, and the negatives .7 .4 .3 .5. Of the 12 pairs, .9 wins 4, .6
    // wins 3, .5 wins 2 and ties 1. So the area is 9.5 / 12.
    SetTable t;
    t.classes = 1;
    t.scores = {.9F, .6F, .5F, .7F, .4F, .3F, .5F};
    t.sets = {{0}, {0}, {0}, {}, {}, {}, {}};
    t.whole = true;
    const CurveFound found = curve_of(t, {Curve::roc, false, 0.95});
    EXPECT_DOUBLE_EQ(*found.estimate.value, 9.5 / 12);
    // The variance of V10 = 1, 3/4, 5/8 is divided by 3, and that of V01 = 1/3, 1, 1, 5/6 by 4.
    const double v10[] = {1, 0.75, 0.625}, v01[] = {1.0 / 3, 1, 1, 2.5 / 3};
    double s10 = 0, s01 = 0;
    for (const double x : v10) s10 += (x - 9.5 / 12) * (x - 9.5 / 12) / 2;
    for (const double x : v01) s01 += (x - 9.5 / 12) * (x - 9.5 / 12) / 3;
    EXPECT_NEAR(*found.estimate.standard_error, std::sqrt(s10 / 3 + s01 / 4), 1e-6);
}

// The interval of one class needs no pass over the items: the slots' counts hold all of it.
TEST(Curves, AClassByItselfIsWhatOnlyThisClassGives) {
    int compared = 0, alone = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const SetTable t = curve_table(seed, 3 + 5 * seed, 3);
        const TableRows rows(t);
        const auto classes = static_cast<std::uint32_t>(t.classes);
        const ClassPositives positives = positives_of_table(t);
        const ClassRanks ranks(positives, positive_keys(rows, positives, 1, 0, classes));
        const auto counts = ranks.count(rows, 1, 0, classes);
        const auto items = static_cast<std::uint64_t>(
            std::ranges::count_if(t.sets, [](const auto& set) { return !set.empty(); }));
        for (const Curve curve : {Curve::roc, Curve::precision_recall}) {
            const ClassCurves all(positives, ranks, counts, items, {curve, false, 0.95});
            for (std::uint32_t c = 0; c < classes; ++c) {
                const CurveFound only = curve_of(t, {curve, false, 0.95, c});
                const Estimate one = all.class_estimate(c);
                EXPECT_EQ(one.value.has_value(), only.estimate.value.has_value());
                if (!one.value) {
                    EXPECT_FALSE(one.undefined.empty());
                    continue;
                }
                EXPECT_EQ(one.n, items);
                EXPECT_NEAR(*one.value, *only.estimate.value, 1e-12);
                EXPECT_EQ(one.interval.has_value(), only.estimate.interval.has_value());
                if (!one.interval) {
                    EXPECT_EQ(one.note, "no interval: one image of this class");
                    ++alone;
                    continue;
                }
                // Sums over items are in units of 2^-32.
                EXPECT_NEAR(one.interval->low, only.estimate.interval->low, 1e-7);
                EXPECT_NEAR(one.interval->high, only.estimate.interval->high, 1e-7);
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 150);
    EXPECT_GT(alone, 0);
}

TEST(Curves, UndefinedWithoutClasses) {
    SetTable t;
    t.classes = 2;
    EXPECT_FALSE(curve_of(t, {Curve::roc, false, 0.95}).estimate.value);
    t.scores = {.5F, .5F, .4F, .6F};
    t.sets = {{1}, {1}};  // every item has the class
    EXPECT_FALSE(curve_of(t, {Curve::roc, false, 0.95}).estimate.value);
    EXPECT_EQ(curve_of(t, {Curve::precision_recall, false, 0.95}).estimate.value, 1.0);
}

}  // namespace
}  // namespace assay
