#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/mad/rank.h"
#include "rank_world.h"
#include "scratch.h"

namespace assay::mad {
namespace {

using rank_test::RankWorld;
using testing::HasSubstr;
using testing::Not;

CompetitionStatus status_in(const std::filesystem::path& folder, const RankWorld& world) {
    return status_of(rank_test::write_world(folder, world));
}

TEST(MadStatus, WhatComesNext) {
    const Scratch scratch;
    RankWorld world({"a", "b"});
    world.k = 2;
    // Nothing is selected yet.
    CompetitionStatus status = status_in(scratch / "1", world);
    EXPECT_EQ(status.pairs, 1U);
    EXPECT_EQ(status.pairs_selected, 0U);
    EXPECT_EQ(status.next, "assay mad select " + (scratch / "1").string());
    // There are two images without questions.
    const std::int64_t pair = world.pair(0, 1);
    world.place(pair, 5, 1, 2, false);
    world.place(pair, 6, 1, 3, false);
    status = status_in(scratch / "2", world);
    EXPECT_EQ(status.pairs_selected, 1U);
    EXPECT_EQ(status.accepted, 2U);
    EXPECT_EQ(status.unasked, 4U);
    EXPECT_EQ(status.unasked_places, 2U);
    EXPECT_EQ(status.next,
              "assay mad questions " + (scratch / "2").string() + " --out questions.csv");
    // All questions are asked, and one is still open.
    for (SelectedRow& row : world.selected) row.asked = true;
    world.answer(world.question(5, 1), {1, 1, 1});
    world.answer(world.question(5, 2), {0, 0, 0});
    world.answer(world.question(6, 1), {0, 0, 0});
    world.answer(world.question(6, 3), {0, 1});
    status = status_in(scratch / "3", world);
    EXPECT_EQ(status.unasked, 0U);
    EXPECT_EQ(status.questions, 4U);
    EXPECT_EQ(status.settled, 3U);
    EXPECT_EQ(status.open, 1U);
    EXPECT_EQ(status.next, "assay mad answers " + (scratch / "3").string() + " answers.csv");
    // Everything is settled.
    for (int n = 0; n < 3; ++n) world.answers.push_back({world.question(6, 3), 3 + n, Answer::yes});
    world.annotators.push_back({4, "p4"});
    world.annotators.push_back({5, "p5"});
    status = status_in(scratch / "4", world);
    EXPECT_EQ(status.open, 0U);
    EXPECT_EQ(status.next, "assay mad rank " + (scratch / "4").string());
    // An image is unclear, so it is replaced before anything else.
    world.place(pair, 7, 1, 2);
    world.votes = 3;
    world.answer(world.question(7, 1), {2, 2, 2});
    status = status_in(scratch / "5", world);
    EXPECT_EQ(status.to_replace, 1U);
    EXPECT_EQ(status.unclear, 1U);
    EXPECT_EQ(status.next, "assay mad select " + (scratch / "5").string());
}

TEST(MadStatus, WhereNoImageQualifiesThereIsNothingToRank) {
    const Scratch scratch;
    RankWorld world({"a", "b"});
    world.pair(0, 1);
    const CompetitionStatus status = status_in(scratch / "1", world);
    EXPECT_EQ(status.pairs_selected, 1U);
    EXPECT_EQ(status.next, "assay mad select " + (scratch / "1").string());
}

TEST(MadStatus, CommandsCanBeTyped) {
    const Scratch scratch;
    const std::filesystem::path folder = scratch / "of cats' tails";
    const CompetitionStatus status = status_in(folder, RankWorld({"a", "b"}));
    EXPECT_THAT(status.next, testing::StartsWith("assay mad select '"));
    EXPECT_THAT(status.next, HasSubstr("of cats'\\'' tails'"));
}

TEST(MadStatus, MorePerPairAndRemovedClassifiers) {
    const Scratch scratch;
    RankWorld world({"a", "b", "c"});
    world.k = 1;
    world.counts({.first = 0, .second = 1, .only_first = 1});
    world.counts({.first = 0, .second = 2, .only_first = 1});
    EXPECT_EQ(status_in(scratch / "1", world).pairs_selected, 2U);
    world.active = {true, true, false};
    CompetitionStatus status = status_in(scratch / "2", world);
    EXPECT_EQ(status.pairs, 1U);
    EXPECT_EQ(status.pairs_selected, 1U);
    EXPECT_EQ(status.accepted, 1U);
    EXPECT_THAT(status.next, HasSubstr("rank"));
    // Each pair now needs two images, but the pair was selected with one.
    world.k = 2;
    status = status_in(scratch / "3", world);
    EXPECT_EQ(status.pairs_selected, 0U);
    EXPECT_THAT(status.next, HasSubstr("select"));
    world.pairs[0].k = 2;
    status = status_in(scratch / "4", world);
    EXPECT_EQ(status.pairs_selected, 1U);
    EXPECT_EQ(status.short_pairs, 1U);
}

TEST(MadStatus, ControlQuestionsOfANewClassifier) {
    const Scratch scratch;
    RankWorld world({"a", "b"});
    world.images = 100;
    world.k = 1;
    world.counts({.first = 0, .second = 1, .only_first = 1});
    world.labels.assign(2, std::vector<std::uint16_t>(100, 1));
    world.labels[1][51] = 2;
    world.control = {{50, 0, 100, 2}, {51, 0, 100, 2}};
    for (const std::int64_t image : {50, 51}) world.answer(world.question(image, 1), {1, 1, 1});
    const CompetitionStatus status = status_in(scratch / "1", world);
    EXPECT_EQ(status.control, 2U);
    EXPECT_EQ(status.unasked, 1U);
    EXPECT_THAT(status.next, HasSubstr("questions"));
}

TEST(MadStatus, AQuestionOfAPlaceAndTheControlSampleIsOne) {
    const Scratch scratch;
    RankWorld world({"a", "b"});
    world.images = 100;
    world.k = 2;
    const std::int64_t pair = world.pair(0, 1);
    world.place(pair, 50, 1, 2, false);
    world.labels.assign(2, std::vector<std::uint16_t>(100, 1));
    world.labels[1][50] = 2;
    world.control = {{50, 1, 1, 1}, {51, 0, 99, 1}};
    // The place and the sample need (50, 1) and (50, 2), and the sample needs (51, 1) for
    // both classifiers.
    const CompetitionStatus status = status_in(scratch / "1", world);
    EXPECT_EQ(status.unasked, 3U);
    EXPECT_EQ(status.unasked_places, 1U);
}

TEST(MadStatus, QuestionsThatNobodyIsAskedAnyMore) {
    const Scratch scratch;
    RankWorld world({"a", "b", "c"});
    world.k = 1;
    world.counts({.first = 0, .second = 1, .only_first = 1});
    const std::int64_t pair = world.pair(0, 2);
    world.place(pair, 90, 1, 2);
    world.answer(world.question(90, 1), {1, 1, 1});
    world.answer(world.question(90, 2), {1, 0});
    CompetitionStatus status = status_in(scratch / "1", world);
    EXPECT_EQ(status.open, 1U);
    EXPECT_EQ(status.unwanted, 0U);
    EXPECT_THAT(render(report_of(status), ReportFormat::text), Not(HasSubstr("no longer")));
    world.active = {true, true, false};
    status = status_in(scratch / "2", world);
    EXPECT_EQ(status.questions, 4U);
    EXPECT_EQ(status.settled, 3U);
    EXPECT_EQ(status.open, 0U);
    EXPECT_EQ(status.unwanted, 1U);
    EXPECT_THAT(status.next, HasSubstr("rank"));
    EXPECT_THAT(render(report_of(status), ReportFormat::text), HasSubstr("1 no longer wanted"));
    EXPECT_EQ(report_of(status).result["unwanted"], 1);
}

TEST(MadStatus, AnnotatorsAndEqualClassifiers) {
    const Scratch scratch;
    RankWorld world({"a", "b"});
    world.images = 100;
    world.labels.assign(2, std::vector<std::uint16_t>(100, 1));
    world.k = 1;
    world.counts({.first = 0, .second = 1, .only_first = 1});
    for (std::int64_t q = 0; q < 40; ++q)
        world.answer(world.question(50 + q, 1), {q % 2 == 0, q % 2 == 0, 1});
    const CompetitionStatus status = status_in(scratch / "1", world);
    ASSERT_EQ(status.annotators.size(), 3U);
    EXPECT_EQ(status.annotators[2].answers, 42U);
    EXPECT_EQ(status.annotators[0].yes, 21U);
    EXPECT_THAT(status.warnings,
                testing::Contains(HasSubstr("a and b make the same prediction for every image")));
    const Report report = report_of(status);
    EXPECT_FALSE(report.partial);
    EXPECT_EQ(report.result["schema"], "assay.mad_status/1");
    EXPECT_THAT(render(report, ReportFormat::text), HasSubstr("Next: assay mad"));
    EXPECT_THAT(render(report, ReportFormat::csv), HasSubstr("pairs_selected"));
}

}  // namespace
}  // namespace assay::mad
