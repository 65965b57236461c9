// Leniency and noise of annotators: computed by hand, with equal annotators, with one excluded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "assay/error.h"
#include "core/random.h"
#include "replication/annotator_ratings.h"

namespace assay::replication {
namespace {

void answer(Selections& set, std::uint32_t annotator, std::uint32_t image, bool selected) {
    Selection row;
    row.annotator = annotator;
    row.image = image;
    row.selected = selected;
    set.rows.push_back(row);
}

Selections with_images(std::uint32_t images) {
    Selections set;
    for (std::uint32_t i = 0; i < images; ++i) {
        set.images.append("i" + std::to_string(i));
        set.image_class.push_back(0);
    }
    return set;
}

TEST(AnnotatorRatings, ByHand) {
    Selections set = with_images(3);
    // a selects both images, b selects the first, c selects none. Only a judged the third image.
    const std::array<std::array<bool, 2>, 3> answers = {
        {{true, true}, {true, false}, {false, false}}};
    for (std::uint32_t w = 0; w < 3; ++w)
        for (std::uint32_t i = 0; i < 2; ++i) answer(set, w, i, answers[w][i]);
    answer(set, 0, 2, false);
    const auto ratings = rate_annotators({&set, 1});
    ASSERT_EQ(ratings.size(), 3U);
    EXPECT_EQ(ratings[0].annotations, 3U);
    EXPECT_DOUBLE_EQ(ratings[0].selected, 2.0 / 3);
    // 1 is compared with 1/2, and with 0.
    EXPECT_DOUBLE_EQ(*ratings[0].leniency.value, .75);
    EXPECT_DOUBLE_EQ(*ratings[0].noise.value, .75);
    EXPECT_EQ(ratings[0].leniency.n, 2U);
    EXPECT_DOUBLE_EQ(*ratings[0].leniency.standard_error, .25);
    EXPECT_DOUBLE_EQ(*ratings[1].leniency.value, 0);
    EXPECT_DOUBLE_EQ(*ratings[1].noise.value, .5);
    EXPECT_FALSE(ratings[1].noise.interval.has_value());  // .5 twice, so width 0
    EXPECT_DOUBLE_EQ(*ratings[2].leniency.value, -.75);
    EXPECT_LE(ratings[0].noise.interval->high, 1);
    // Controls do not count. An annotator without others on the same images has no rating.
    set.rows.clear();
    answer(set, 0, 0, true);
    answer(set, 1, 1, true);
    answer(set, 2, 1, true);
    set.rows.back().control = true;
    const auto alone = rate_annotators({&set, 1});
    ASSERT_EQ(alone.size(), 2U);
    EXPECT_EQ(alone[1].leniency.undefined, "nobody else judged these images");
}

TEST(AnnotatorRatings, HoldZeroWhereNobodyDiffers) {
    constexpr std::uint32_t images = 400, annotators = 100;
    Selections set = with_images(images);
    RandomStream random(3, "ratings test");
    for (std::uint32_t i = 0; i < images; ++i) {
        const double s = random.uniform();
        for (std::uint32_t w = 0; w < annotators; ++w) {
            // The last annotator selects images that others would not select.
            const double rate = w + 1 == annotators ? s + (1 - s) * .2 : s;
            answer(set, w, i, random.uniform() < rate);
        }
    }
    const auto ratings = rate_annotators({&set, 1});
    int without_zero = 0;
    for (std::uint32_t w = 0; w + 1 < annotators; ++w) {
        const Interval& interval = *ratings[w].leniency.interval;
        without_zero += interval.low > 0 || interval.high < 0 ? 1 : 0;
    }
    EXPECT_LE(without_zero, 5 + 9);  // 5 of 99 is usual
    // The annotator selects 1 in 5 of the images that others do not: .2 E[1 - s] = .1.
    EXPECT_NEAR(*ratings.back().leniency.value, .1, 4 * *ratings.back().leniency.standard_error);
    EXPECT_GT(ratings.back().leniency.interval->low, 0);
    // Random answers differ with probability E[2 s (1 - s)] = 1/3.
    EXPECT_NEAR(*ratings[0].noise.value, 1.0 / 3, .06);
}

TEST(AnnotatorRatings, LeavesOutByName) {
    Names names;
    names.number("ann");
    names.number("bob");
    Selections set = with_images(1);
    answer(set, 0, 0, true);
    answer(set, 1, 0, false);
    try {
        leave_out_annotators({&set, 1}, names, {"bobb"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), testing::HasSubstr("no annotator `bobb`"));
        EXPECT_THAT(error.message(), testing::HasSubstr("`bob`"));
    }
    leave_out_annotators({&set, 1}, names, {"bob"});
    ASSERT_EQ(set.rows.size(), 1U);
    EXPECT_EQ(set.rows[0].annotator, 0U);
}

}  // namespace
}  // namespace assay::replication
