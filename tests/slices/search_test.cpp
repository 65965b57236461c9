// Facets, Fisher's test and the statistics of an image, by hand.
#include "slices/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/random.h"
#include "slices/facets.h"
#include "slices/image_statistics.h"

namespace assay::slices {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<Facet> facets_of(const std::vector<std::string>& texts,
                             std::vector<std::string>* notes = nullptr) {
    std::vector<Facet> out;
    std::vector<std::string> unsaid;
    add_attribute(
        "a", texts.size(), [&](std::size_t i) -> std::string_view { return texts[i]; }, 2, out,
        notes != nullptr ? *notes : unsaid);
    return out;
}

// 5 of 8 are hits, 4 are drawn. P(1) = C(5,1) C(3,3) / C(8,4) = 5/70, P(2) = C(5,2) C(3,2) / 70.
TEST(LowerTest, IsTheSumOfHypergeometricChances) {
    const LowerTest lower(1000);
    EXPECT_NEAR(lower({1, 4}, {5, 8}), 5 / 70.0, 1e-14);
    EXPECT_NEAR(lower({2, 4}, {5, 8}), 35 / 70.0, 1e-14);
    EXPECT_NEAR(lower({0, 3}, {5, 8}), 1 / 56.0, 1e-14);
    // The same sum in integers of any size.
    EXPECT_NEAR(lower({40, 80}, {800, 1000}) / 2.8596614087814416e-10, 1, 1e-10);
}

TEST(LowerTest, IsOneUnlessTheSliceIsLower) {
    const LowerTest lower(100);
    EXPECT_EQ(lower({8, 10}, {80, 100}), 1);
    EXPECT_EQ(lower({9, 10}, {80, 100}), 1);
    EXPECT_EQ(lower({0, 10}, {0, 100}), 1);
    EXPECT_EQ(lower({10, 10}, {100, 100}), 1);
    EXPECT_LT(lower({7, 10}, {80, 100}), 1);
}

TEST(Facets, TextsAreInTheirOrderAndMissingOnesInNone) {
    const std::vector<Facet> facets = facets_of({"night", "", "day", "night"});
    ASSERT_EQ(facets.size(), 1U);
    EXPECT_THAT(facets[0].values, ElementsAre("day", "night"));
    EXPECT_THAT(facets[0].of, ElementsAre(1, Facet::none, 0, 1));
}

TEST(Facets, NumbersAreInTheirOrderAndManyMakeQuartiles) {
    std::vector<std::string> texts = {"10", "9", "9", "100"};
    std::vector<Facet> facets = facets_of(texts);
    ASSERT_EQ(facets.size(), 1U);
    EXPECT_THAT(facets[0].values, ElementsAre("9", "10", "100"));

    texts.clear();
    for (int i = 0; i < 20; ++i) texts.push_back(std::to_string(i));
    facets = facets_of(texts);
    ASSERT_EQ(facets.size(), 2U);
    EXPECT_EQ(facets[0].source, facets[1].source);
    EXPECT_THAT(facets[1].values, ElementsAre("0 to 4", "5 to 9", "10 to 14", "15 to 19"));

    texts.resize(101, "0");
    for (int i = 0; i < 101; ++i) texts[static_cast<std::size_t>(i)] = std::to_string(i);
    facets = facets_of(texts);
    ASSERT_EQ(facets.size(), 1U);
    EXPECT_EQ(facets[0].kind, "quartiles");
}

TEST(Facets, TooManyTextsAndOneValueMakeNone) {
    std::vector<std::string> texts;
    for (int i = 0; i < 101; ++i) texts.push_back("patient" + std::to_string(i));
    std::vector<std::string> notes;
    EXPECT_TRUE(facets_of(texts, &notes).empty());
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0], HasSubstr("`a` has 101 different texts"));
    texts.pop_back();
    EXPECT_EQ(facets_of(texts)[0].values.size(), 100U);
    EXPECT_TRUE(facets_of({"x", "x", ""}).empty());
}

TEST(Facets, EqualNumbersAreOneValueWithTheShortestText) {
    const std::vector<Facet> facets = facets_of({"1.0", "2", "1", "02", "1.00", "", "1e1", "10"});
    ASSERT_EQ(facets.size(), 1U);
    EXPECT_THAT(facets[0].values, ElementsAre("1", "2", "10"));
    EXPECT_THAT(facets[0].of, ElementsAre(0, 1, 0, 1, 0, Facet::none, 2, 2));
    EXPECT_TRUE(facets_of({"0", "0.0", "-0"}).empty());
    // In a column that also has other texts, each text is a value.
    EXPECT_EQ(facets_of({"1", "1.0", "old"}).at(0).values.size(), 3U);

    // 60 numbers in two spellings are 120 texts, but 60 values.
    std::vector<std::string> texts;
    for (int i = 0; i < 60; ++i) {
        texts.push_back(std::to_string(i));
        texts.push_back(std::to_string(i) + ".0");
    }
    const std::vector<Facet> both = facets_of(texts);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].values.size(), 60U);
    EXPECT_THAT(both[1].values, ElementsAre("0 to 14", "15 to 29", "30 to 44", "45 to 59"));
    EXPECT_EQ(both[1].of[3], 0);
}

TEST(Facets, EqualNumbersAreInOneQuartile) {
    const std::vector<double> numbers = {1, 1, 1, 1, 1, 2, nan, 3};
    const Facet facet = quartiles_of("size", "image", 2, numbers);
    // The quartiles of 1 1 1 1 1 2 3 are 1, 1 and 1.5.
    EXPECT_THAT(facet.values, ElementsAre("1", "2 to 3"));
    EXPECT_THAT(facet.of, ElementsAre(0, 0, 0, 0, 0, 1, Facet::none, 1));
    EXPECT_TRUE(quartiles_of("size", "image", 2, std::vector<double>{nan, nan}).values.empty());
}

// With four digits, neither these quartiles nor their ends are distinct.
TEST(Facets, QuartilesHaveNamesOfTheirOwn) {
    std::vector<double> numbers;
    for (int i = 0; i < 8; ++i) numbers.push_back(1700000000.0 + i);
    EXPECT_THAT(quartiles_of("time", "quartiles", 2, numbers).values,
                ElementsAre("1700000000 to 1700000001", "1700000002 to 1700000003",
                            "1700000004 to 1700000005", "1700000006 to 1700000007"));
    for (double& x : numbers) x = 0.5 + (x - 1700000000 + 1) * 1e-6;
    EXPECT_THAT(quartiles_of("time", "quartiles", 2, numbers).values,
                ElementsAre("0.500001 to 0.500002", "0.500003 to 0.500004", "0.500005 to 0.500006",
                            "0.500007 to 0.500008"));
}

TEST(Facets, TheLabelDecidesASuperclassButNoCamera) {
    Facet label{.by = "label", .kind = "class", .values = {"cat", "dog", "car"}};
    label.of = {0, 1, 2, 0, 1, Facet::none};
    Facet other{.by = "kind", .kind = "attribute", .values = {"animal", "vehicle"}};
    other.of = {0, 0, 1, Facet::none, 0, 1};
    EXPECT_TRUE(is_of_label(other, label));
    other.of[3] = 1;
    EXPECT_FALSE(is_of_label(other, label));
    other.of.assign(6, Facet::none);
    EXPECT_FALSE(is_of_label(other, label));
}

Image grey_image(int width, int height, const std::vector<int>& levels) {
    Image image{.width = width, .height = height, .pixels = {}};
    for (const int level : levels) {
        const auto value = static_cast<std::uint8_t>(level);
        image.pixels.insert(image.pixels.end(), {value, value, value, 255});
    }
    return image;
}

// Inner pixels 10, 40 have Laplacians 40 - 40 = 0 and 10 + 0 + 0 + 0 - 160 = -150, with variance
// (0 + 22500) / 2 - 75^2 = 5625.
TEST(ImageStatistics, AreThoseOfThePixels) {
    const auto found =
        statistics_of(grey_image(4, 3, {0, 0, 0, 0, /**/ 0, 10, 40, 0, /**/ 0, 0, 0, 0}));
    EXPECT_NEAR(found[0], 50.0 / 12 / 255, 1e-12);
    EXPECT_NEAR(found[1], 5625, 1e-9);
    EXPECT_NEAR(found[2], 12e-6, 1e-15);
    EXPECT_NEAR(found[3], 4.0 / 3, 1e-12);
    EXPECT_TRUE(std::isnan(statistics_of(grey_image(2, 1, {255, 255}))[1]));
    EXPECT_EQ(statistics_of(grey_image(2, 1, {255, 255}))[0], 1);
}

/// Images with five random facets, each correct with probability .8 minus that of `lower`.
template <class Lower>
Confirmed searched(std::size_t images, std::uint64_t seed, const Lower& lower) {
    RandomStream random(seed, "worlds of slices");
    std::vector<Facet> facets;
    for (std::size_t f = 0; f < 5; ++f) {
        Facet facet{.by = "facet", .kind = "attribute", .source = first_free_source + f};
        facet.values.resize(f + 2);
        for (std::size_t i = 0; i < images; ++i)
            facet.of.push_back(static_cast<std::int32_t>(random.below(f + 2)));
        facets.push_back(std::move(facet));
    }
    JudgedRows judged;
    for (std::size_t i = 0; i < images; ++i) {
        const unsigned hit = random.uniform() < 0.8 - lower(facets, i) ? 1 : 0;
        judged.rows.push_back(i);
        judged.code.push_back(static_cast<std::uint8_t>(2 * random.below(2) + hit));
    }
    std::vector<const Facet*> all;
    for (const Facet& facet : facets) all.push_back(&facet);
    return search_slices(all, judged, 0.95, 1);
}

TEST(SearchSlices, FindsNothingWhereNothingIs) {
    int found = 0;
    for (std::uint64_t draw = 0; draw < 100; ++draw) {
        const Confirmed one = searched(1000, draw, [](const auto&, std::size_t) { return 0.0; });
        EXPECT_GT(one.tested, 80U);
        found += one.slices.empty() ? 0 : 1;
    }
    EXPECT_LE(found, 5);
}

// Value 1 of the third facet is 30 points lower, or only its images with value 0 of the first one.
TEST(SearchSlices, FindsWhatWasPlantedAndLittleElse) {
    using Conditions = std::vector<std::pair<std::size_t, std::int32_t>>;
    for (const bool pair : {false, true}) {
        const Conditions planted = pair ? Conditions{{0, 0}, {2, 1}} : Conditions{{2, 1}};
        int recall = 0, others = 0;
        for (std::uint64_t draw = 0; draw < 20; ++draw) {
            const Confirmed one =
                searched(2000, draw, [&](const std::vector<Facet>& facets, std::size_t i) {
                    const bool inside = facets[2].of[i] == 1 && (!pair || facets[0].of[i] == 0);
                    return inside ? 0.3 : 0.0;
                });
            for (const ConfirmedSlice& slice : one.slices)
                (slice.conditions == planted ? recall : others) += 1;
        }
        EXPECT_GE(recall, 18) << pair;
        EXPECT_LE(others, 2) << pair;
    }
}

TEST(SearchSlices, TwoViewsOfOneSourceAndThePredictedLabelMakeNoPairs) {
    Facet facet{.by = "a", .kind = "attribute", .values = {"0", "1"}, .of = {}, .source = 5};
    Facet other = facet;
    JudgedRows judged;
    for (std::size_t i = 0; i < 800; ++i) {
        facet.of.push_back(static_cast<std::int32_t>(i % 2));
        other.of.push_back(static_cast<std::int32_t>(i / 2 % 2));
        judged.rows.push_back(i);
        judged.code.push_back(static_cast<std::uint8_t>(2 * (i / 4 % 2) + (i % 8 < 5 ? 1 : 0)));
    }
    const std::vector<const Facet*> both = {&facet, &other};
    EXPECT_EQ(search_slices(both, judged, 0.95, 1).tested, 4U);
    facet.source = label_source;
    EXPECT_EQ(search_slices(both, judged, 0.95, 1).tested, 8U);
    other.source = predicted_source;
    EXPECT_EQ(search_slices(both, judged, 0.95, 1).tested, 8U);
    facet.of_label = true;
    EXPECT_EQ(search_slices(both, judged, 0.95, 1).tested, 4U);
}

}  // namespace
}  // namespace assay::slices
