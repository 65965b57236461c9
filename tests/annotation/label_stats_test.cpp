#include "assay/annotation/label_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "assay/store/open_labelled.h"
#include "made_votes.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

LabelSets sets_from(const std::vector<std::vector<std::int32_t>>& rows) {
    LabelSets out;
    for (const auto& row : rows) out.append(row);
    return out;
}

TEST(LabelStats, CountsAndPairs) {
    // 8 images, 7 labelled. Class 0: 4, class 1: 3, class 2: 2; 0 and 1 together twice, 1 and 2
    // once.
    const auto stats = label_stats(sets_from({{0, 1}, {0, 1}, {0}, {0}, {1, 2}, {2}, {}, {3}}), 5,
                                   {.minimum_together = 1, .level = 0.95});
    EXPECT_EQ(stats.items, 8U);
    EXPECT_EQ(stats.labelled, 7U);
    EXPECT_EQ(stats.labels, 10U);
    EXPECT_THAT(stats.histogram, ElementsAre(Pair(0U, 1U), Pair(1U, 4U), Pair(2U, 3U)));
    EXPECT_THAT(stats.class_count, ElementsAre(4U, 3U, 2U, 1U, 0U));
    EXPECT_THAT(stats.class_alone, ElementsAre(2U, 0U, 1U, 1U, 0U));
    EXPECT_EQ(stats.unused_classes, 1U);
    EXPECT_NEAR(*stats.mean_labels.value, 10.0 / 7, 1e-12);
    ASSERT_EQ(stats.together.size(), 2U);
    for (const ClassPair& pair : stats.together) {
        if (pair.a != 0) continue;
        EXPECT_EQ(pair.together, 2U);
        EXPECT_NEAR(pair.expected, 4.0 * 3 / 7, 1e-12);
        EXPECT_NEAR(*pair.lift.value, 2 / (12.0 / 7), 1e-12);
        EXPECT_NEAR(pair.pmi, std::log2(7.0 / 6), 1e-12);
        EXPECT_NEAR(pair.npmi, std::log2(7.0 / 6) / std::log2(3.5), 1e-12);
        EXPECT_LT(pair.lift.interval->low, *pair.lift.value);
        EXPECT_GT(pair.lift.interval->high, *pair.lift.value);
    }
}

TEST(LabelStats, RarePairsDoNotLead) {
    // 0 and 1 occur only once, and together: the largest possible lift. 2 and 3 occur together 40
    // of 50 times.
    std::vector<std::vector<std::int32_t>> rows = {{0, 1}};
    for (int i = 0; i < 40; ++i) rows.push_back({2, 3});
    for (int i = 0; i < 10; ++i) rows.push_back({2});
    for (int i = 0; i < 949; ++i) rows.push_back({4});
    const auto all = label_stats(sets_from(rows), 5, {.minimum_together = 1, .level = 0.95});
    ASSERT_EQ(all.together.size(), 2U);
    const ClassPair &rare = all.together[0].a == 0 ? all.together[0] : all.together[1],
                    &often = all.together[0].a == 0 ? all.together[1] : all.together[0];
    EXPECT_NEAR(*rare.lift.value, 1000, 1e-9);
    EXPECT_NEAR(*often.lift.value, 20, 1e-9);
    // The pair was seen once, so the interval begins far below the lift.
    EXPECT_LT(rare.lift.interval->low, *rare.lift.value / 20);
    EXPECT_GT(often.lift.interval->low, *often.lift.value / 2);
    const auto usual = label_stats(sets_from(rows), 5);
    ASSERT_EQ(usual.together.size(), 1U);
    EXPECT_EQ(usual.together[0].a, 2);
    EXPECT_EQ(usual.rare_pairs, 1U);
    EXPECT_EQ(usual.pairs, 2U);
}

TEST(LabelStats, CornerCases) {
    EXPECT_FALSE(label_stats(sets_from({}), 3).mean_labels.value);
    const auto none = label_stats(sets_from({{}, {}}), 3);
    EXPECT_EQ(none.mean_labels.undefined, "no image has a label");
    EXPECT_EQ(none.unused_classes, 3U);
    EXPECT_THROW(label_stats(sets_from({{3}}), 3), Error);
    std::vector<std::int32_t> crowd(300);
    for (std::size_t i = 0; i < crowd.size(); ++i) crowd[i] = static_cast<std::int32_t>(i);
    const auto crowded =
        label_stats(sets_from({crowd, {0, 1}}), 300, {.minimum_together = 1, .level = 0.95});
    EXPECT_EQ(crowded.crowded, 1U);
    EXPECT_EQ(crowded.pairs, 1U);
    // Both are in every image, so the lift is 1, and nothing is divided by log 1 = 0.
    EXPECT_EQ(label_stats(sets_from({{0, 1}, {0, 1}}), 2, {.minimum_together = 1, .level = 0.95})
                  .together[0]
                  .npmi,
              1);
}

TEST(OpenLabelled, FilesOfEveryForm) {
    Scratch folder;
    const Dataset list = open_labelled(write(folder / "a.json", "[[1, 0], [], [4]]"), {});
    EXPECT_EQ(list.size(), 3U);
    EXPECT_EQ(list.classes, numbered_classes(5));
    EXPECT_EQ(list.labels[0].size(), 2U);
    const Dataset object =
        open_labelled(write(folder / "b.json", R"({"x.png": [1], "y.png": 0})"), {});
    EXPECT_EQ(object.ids[1], "y.png");
    const Dataset csv = open_labelled(
        write(folder / "c.csv", "image,label\nx.png,dog\nx.png,cat\ny.png,dog\n"), {});
    EXPECT_EQ(csv.size(), 2U);
    EXPECT_EQ(csv.labels[0].size(), 2U);
    EXPECT_EQ(csv.classes.ids(), (std::vector<std::string>{"cat", "dog"}));
    const Dataset table = open_labelled(
        write(folder / "d.npy",
              npy("|u1", {2, 3}, bytes_of(std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0}))),
        {});
    EXPECT_EQ(table.size(), 2U);
    EXPECT_EQ(table.labels[0].size(), 2U);
    EXPECT_THROW(open_labelled(write(folder / "e.json", "[]"), {}), Error);
    EXPECT_THROW(open_labelled(write(folder / "f.json", "[[0], 5, {}]"), {}), Error);
    EXPECT_THROW(open_labelled(folder / "absent.csv", {}), Error);
}

TEST(OpenLabelled, PublishedLabels) {
    const auto data = shared_data();
    if (data.empty()) GTEST_SKIP() << "the shared data are absent";
    const Dataset real = open_labelled(data / "real/real.json", {});
    EXPECT_EQ(real.classes, imagenet_classes());
    const auto stats = label_stats(real.labels, real.classes.size());
    EXPECT_EQ(stats.histogram.at(0), 3163U);
    EXPECT_EQ(stats.histogram.at(1), 39394U);
    EXPECT_GT(stats.together.size(), 100U);
}

}  // namespace
}  // namespace assay
