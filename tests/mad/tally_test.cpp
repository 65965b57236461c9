#include "mad/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "assay/error.h"
#include "core/random.h"
#include "expected_mad.h"
#include "mad/annotator_check.h"
#include "rank_world.h"
#include "scratch.h"

namespace assay::mad {
namespace {

using rank_test::RankWorld;
using testing::HasSubstr;

TEST(MadTally, ReferenceImagesThroughTheFolder) {
    ASSAY_EXPECTED_MAD(expected);
    RankWorld world({"i", "j"}, 5);
    const std::int64_t pair = world.pair(0, 1);
    const nlohmann::json images = expected["voting"]["images"];
    for (std::size_t n = 0; n < images.size(); ++n) {
        const auto image = static_cast<std::int64_t>(n);
        world.place(pair, image, 3, 4);
        world.answer(world.question(image, 3), images[n]["li"].get<std::vector<int>>());
        world.answer(world.question(image, 4), images[n]["lj"].get<std::vector<int>>());
    }
    const Scratch scratch;
    const Competition competition = rank_test::write_world(scratch / "mad", world);
    const Tally tally = tally_of(competition);
    EXPECT_EQ(tally.settled(), 16U);
    EXPECT_EQ(tally.answers(), 80U);
    const Database& database = competition.impl().database;
    const std::vector<PairCounts> samples =
        counts_of_pairs(tally, read_pairs(database), read_selected(database), {0, 1});
    ASSERT_EQ(samples.size(), 1U);
    const PairCounts& counts = samples[0];
    const nlohmann::json& want = expected["voting"]["counts"];
    EXPECT_EQ(counts.both, want["I"]);
    EXPECT_EQ(counts.only_first + counts.only_second, want["II"]);
    EXPECT_EQ(counts.neither, want["III"]);
    EXPECT_EQ(counts.replaced, want["replaced"]);
    EXPECT_EQ(counts.first_correct(), want["correct_i"]);
    EXPECT_EQ(counts.second_correct(), want["correct_j"]);
}

TEST(MadTally, WhatCountsInAPair) {
    RankWorld world({"a", "b", "c"});
    const std::int64_t ab = world.pair(0, 1), bc = world.pair(1, 2);
    const auto said = [&](std::int64_t image, std::uint16_t label, std::vector<int> answers) {
        world.answer(world.question(image, label), answers);
    };
    world.place(ab, 10, 1, 2);
    said(10, 1, {1, 1, 1});
    said(10, 2, {0, 0, 0});
    world.place(ab, 11, 1, 2);  // open, because it has one answer of five
    said(11, 1, {1, 1, 1});
    said(11, 2, {0});
    world.place(ab, 12, 1, 2, false);  // open, because it has no question
    world.place(ab, 13, 1, 2).state = SelectedState::replaced;
    world.place(ab, 14, 1, 2).state = SelectedState::duplicate;
    world.place(bc, 10, 2, 5);  // it shares a question with the first pair
    said(10, 5, {1, 1, 1});
    const Tally tally = world.tally();
    EXPECT_EQ(tally.open(), 1U);
    const std::vector<PairCounts> samples =
        counts_of_pairs(tally, world.pairs, world.selected, {0, 1, 2});
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_EQ(samples[0].only_first, 1U);
    EXPECT_EQ(samples[0].n(), 1U);
    EXPECT_EQ(samples[0].replaced, 1U);
    EXPECT_EQ(answered_places(tally, world.pairs, world.selected, {0, 1, 2}, {}).pairs[0].list, 3U);
    EXPECT_EQ(samples[1].only_second, 1U);
    // Without the first classifier, the other pair remains, with other numbers of classifiers.
    const std::vector<PairCounts> less =
        counts_of_pairs(tally, world.pairs, world.selected, {1, 2});
    ASSERT_EQ(less.size(), 1U);
    EXPECT_EQ(less[0].first, 0U);
    EXPECT_EQ(less[0].second, 1U);
    EXPECT_EQ(less[0].only_second, 1U);
    const std::vector<PairCounts> first =
        counts_of_pairs(tally, world.pairs, world.selected, {0, 1, 2}, 1);
    EXPECT_EQ(first[0].n(), 1U);
    EXPECT_EQ(first[0].replaced, 0U);
}

TEST(MadTally, APlaceIsWhatThePairCountsIt) {
    RankWorld world({"a", "b"});
    const std::int64_t ab = world.pair(0, 1);
    const auto place = [&](std::int64_t image, std::vector<int> first, std::vector<int> second,
                           bool asked = true) -> SelectedRow& {
        world.answer(world.question(image, 1), first);
        world.answer(world.question(image, 2), second);
        return world.place(ab, image, 1, 2, asked);
    };
    place(0, {1, 1, 1}, {1, 1, 1});
    place(1, {1, 1, 1}, {0, 0, 0});
    place(2, {0, 0, 0}, {0, 0, 0});
    place(3, {2, 2, 2, 2, 2}, {1, 1, 1});
    place(4, {2, 2, 2, 2, 2}, {1});  // it is unclear, whatever the result of the open question
    place(5, {}, {2, 2, 2, 2, 2});
    place(6, {1, 1, 1}, {0});
    place(7, {1, 1, 1}, {1, 1, 1}, false);  // both questions belong to another pair
    place(8, {}, {}).state = SelectedState::replaced;
    place(9, {1, 1, 1}, {1, 1, 1}).state = SelectedState::duplicate;
    const Tally tally = world.tally();
    std::vector<std::optional<Case>> cases;
    for (const SelectedRow& row : world.selected) cases.push_back(case_of_place(tally, row));
    const std::optional<Case> open;
    EXPECT_THAT(cases, testing::ElementsAre(Case::both, Case::one, Case::neither, Case::replaced,
                                            Case::replaced, Case::replaced, open, open,
                                            Case::replaced, open));
    const PairCounts counts = counts_of_pairs(tally, world.pairs, world.selected, {0, 1}).at(0);
    EXPECT_EQ(counts.both, 1U);
    EXPECT_EQ(counts.only_first + counts.only_second, 1U);
    EXPECT_EQ(counts.neither, 1U);
    EXPECT_EQ(counts.replaced, 4U);
}

TEST(MadTally, GoldIsKnownWhateverPeopleSay) {
    RankWorld world({"a", "b"});
    world.answer(world.question(1, 1, true), {0, 0, 0});
    world.question(2, 1, false);
    const Tally tally = world.tally();
    EXPECT_TRUE(tally.of[0].outcome.yes && tally.of[0].settled && tally.of[0].known());
    EXPECT_TRUE(!tally.of[1].outcome.yes && !tally.of[1].settled && tally.of[1].known());
    EXPECT_EQ(tally.open(), 1U);
}

/// Annotators with these sensitivities and specificities answer the questions, five for each.
RankWorld crowd(std::size_t questions, const std::vector<double>& correct,
                std::vector<bool>& truth) {
    RankWorld world({"a", "b"}, correct.size());
    RandomStream random(7, "crowds of tests");
    for (std::size_t q = 0; q < questions; ++q) {
        truth.push_back(random.uniform() < .45);
        std::vector<int> said;
        for (const double p : correct) said.push_back((random.uniform() < p) == truth.back());
        world.answer(world.question(static_cast<std::int64_t>(q), 1), said);
    }
    return world;
}

TEST(MadTally, DawidAndSkeneHearGoodAnnotatorsMore) {
    std::vector<bool> truth;
    const RankWorld world = crowd(3300, {.95, .9, .8, .65, .6}, truth);
    const Tally majority = world.tally(), fitted = world.tally(VoteRule::dawid_skene);
    std::size_t wrong_majority = 0, wrong_fitted = 0;
    for (std::size_t q = 0; q < truth.size(); ++q) {
        wrong_majority += majority.of[q].outcome.yes != truth[q] ? 1 : 0;
        wrong_fitted += fitted.of[q].outcome.yes != truth[q] ? 1 : 0;
    }
    // The specification's simulation has .0593 and .0303. Each must agree within two standard
    // errors.
    EXPECT_NEAR(static_cast<double>(wrong_majority) / 3300, .0593, .009);
    EXPECT_NEAR(static_cast<double>(wrong_fitted) / 3300, .0303, .007);
    EXPECT_EQ(fitted.settled(), 3300U);
    // The rates that the bootstrap keeps give the same posterior.
    for (std::size_t q = 0; q < 50; ++q) {
        double log_odds = fitted.prior_log_odds;
        for (const AnswerRow& row : fitted.of[q].answers)
            log_odds += fitted.log_ratio.at(row.annotator)[static_cast<std::size_t>(row.answer)];
        EXPECT_NEAR(1 / (1 + std::exp(-log_odds)), fitted.of[q].yes, 1e-5);
    }
}

TEST(MadTally, ASurePosteriorSettlesOnceNothingCanMakeItUnclear) {
    std::vector<bool> truth;
    RankWorld world = crowd(300, {.99, .99, .99, .99, .99}, truth);
    const auto add = [&](std::int64_t image, const std::vector<int>& said) {
        const std::int64_t id = world.question(image, 1);
        world.answer(id, said);
        return static_cast<std::size_t>(id - 1);
    };
    const std::size_t one = add(1000, {0}), two = add(1001, {1, 1}), split = add(1002, {1, 0}),
                      cannot = add(1003, {2, 2, 2, 2, 2}), half = add(1004, {1, 1, 2});
    const Tally tally = world.tally(VoteRule::dawid_skene);
    EXPECT_LT(tally.of[one].yes, .02);
    EXPECT_FALSE(tally.of[one].settled);  // four "cannot say" would make it unclear
    EXPECT_TRUE(tally.of[two].settled && tally.of[two].outcome.yes);
    EXPECT_FALSE(tally.of[split].settled);
    EXPECT_TRUE(tally.of[cannot].settled && tally.of[cannot].outcome.unclear);
    EXPECT_TRUE(tally.of[half].settled);
    EXPECT_FALSE(world.tally().of[two].settled);
}

TEST(MadTally, WhatTheMajoritySettlesIsSettledByAnyRule) {
    // Questions are asked as in practice: until no further answer can change the majority.
    std::vector<bool> truth;
    RankWorld world = crowd(400, {.95, .9, .8, .65, .6}, truth);
    std::map<std::int64_t, std::vector<Answer>> given;
    std::erase_if(world.answers, [&](const AnswerRow& row) {
        std::vector<Answer>& before = given[row.question];
        if (is_settled(before, world.votes)) return true;
        before.push_back(row.answer);
        return false;
    });
    ASSERT_LT(world.answers.size(), 5 * 400U);
    EXPECT_EQ(world.tally().open(), 0U);
    EXPECT_EQ(world.tally(VoteRule::dawid_skene).open(), 0U);
}

TEST(MadTally, TheFirstAnswersDecide) {
    RankWorld world({"a", "b"}, 8);
    const std::size_t yes = 0, unclear = 1, tie = 2;
    world.answer(world.question(1, 1), {1, 1, 1, 0, 0, 0, 0, 0});
    world.answer(world.question(2, 1), {2, 2, 2, 2, 1, 1, 1, 1});
    world.answer(world.question(3, 1), {1, 1, 1, 0, 0, 0});
    for (const VoteRule rule : {VoteRule::majority, VoteRule::dawid_skene}) {
        const Tally tally = world.tally(rule);
        EXPECT_EQ(tally.open(), 0U);
        EXPECT_EQ(tally.of[yes].answers.size(), 8U);
        EXPECT_EQ(tally.of[yes].decisive, 5U);
        EXPECT_TRUE(tally.of[unclear].outcome.unclear);
    }
    EXPECT_TRUE(world.tally().of[yes].outcome.yes);
    EXPECT_DOUBLE_EQ(world.tally().of[yes].yes, .6);
    EXPECT_TRUE(world.tally().of[tie].outcome.yes);
}

TEST(MadTally, WhoCorrectsAnAnswerKeepsTheTurn) {
    RankWorld world({"a", "b"}, 6);
    world.answer(world.question(1, 1), {1, 1, 1, 0, 0, 1});
    const Scratch scratch;
    rank_test::write_world(scratch / "mad", world);
    Competition competition = Competition::open(scratch / "mad", Competition::Access::write);
    EXPECT_TRUE(tally_of(competition).of[0].outcome.yes);
    Database& database = competition.impl().database;
    database.execute("UPDATE answer SET counts = 0 WHERE annotator = 1");
    database.execute(
        "INSERT INTO answer (question, annotator, answer, at, source, key, counts) "
        "VALUES (1, 1, 0, '', '', NULL, 1)");
    const Tally tally = tally_of(competition);
    EXPECT_EQ(tally.of[0].answers.front().annotator, 1);
    EXPECT_FALSE(tally.of[0].outcome.yes);  // the answers 0 1 1 0 0, and the sixth comes too late
}

TEST(MadTally, RulesHaveNames) {
    EXPECT_EQ(vote_rule_named("dawid-skene"), VoteRule::dawid_skene);
    EXPECT_EQ(vote_rule_named("majority"), VoteRule::majority);
    EXPECT_THROW(vote_rule_named("mean"), Error);
}

std::vector<AnnotatorCheck> check_of(const RankWorld& world) {
    return check_annotators(world.questions, world.annotators, world.sorted_answers());
}

TEST(MadAnnotators, OneWhoSaysYesToEverything) {
    RankWorld world({"a", "b"}, 3);
    for (std::int64_t q = 0; q < 40; ++q)
        world.answer(world.question(q, 1), {q % 2 == 0, q % 2 == 0, 1});
    const std::vector<AnnotatorCheck> checks = check_of(world);
    EXPECT_TRUE(checks[0].findings.empty());
    ASSERT_EQ(checks[2].findings.size(), 1U);
    EXPECT_THAT(checks[2].findings[0],
                HasSubstr("`p3` says yes to everything (40 answers), even to the 20 questions"));
    // The others say no to 20 questions, on which p3 disagrees, and yes to the other 20.
    EXPECT_DOUBLE_EQ(checks[2].agreement.value.value(), .5);
    EXPECT_EQ(checks[2].yes, 40U);
}

TEST(MadAnnotators, FewAnswersAccuseNobody) {
    RankWorld world({"a", "b"}, 3);
    for (std::int64_t q = 0; q < 8; ++q)
        world.answer(world.question(q, 1), {q % 2 == 0, q % 2 == 0, 1});
    // A coin gives four equal answers in a row with probability 1/16.
    EXPECT_TRUE(findings_of(check_of(world)).empty());
    // All annotators correctly say yes.
    RankWorld easy({"a", "b"}, 3);
    for (std::int64_t q = 0; q < 100; ++q) easy.answer(easy.question(q, 1), {1, 1, 1});
    EXPECT_TRUE(findings_of(check_of(easy)).empty());
}

TEST(MadAnnotators, AloneAndAlwaysTheSame) {
    RankWorld world({"a", "b"}, 1);
    for (std::int64_t q = 0; q < 6; ++q) world.answer(world.question(q, 1), {0});
    EXPECT_TRUE(findings_of(check_of(world)).empty());
    for (std::int64_t q = 6; q < 20; ++q) world.answer(world.question(q, 1), {0});
    const std::vector<std::string> found = findings_of(check_of(world));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0], HasSubstr("says no to everything (20 answers), and there are neither"));
}

TEST(MadAnnotators, GoldIsAnExactTest) {
    // One annotator has four tests, which share 1 %. P(X <= r of 20 | .75) <= .0025 holds for r
    // <= 8 (it is .0039 for r = 9 and .00094 for r = 8).
    for (const int correct : {8, 9}) {
        RankWorld world({"a", "b"}, 1);
        for (int q = 0; q < 20; ++q) {
            const bool known = q % 2 == 0;
            world.answer(world.question(q, 1, known), {(q < correct) == known});
        }
        const std::vector<AnnotatorCheck> checks = check_of(world);
        EXPECT_DOUBLE_EQ(checks[0].gold.value.value(), correct / 20.0);
        EXPECT_EQ(checks[0].findings.size(), correct == 8 ? 1U : 0U);
    }
}

TEST(MadAnnotators, SwappedAnswersAndBlockedOnes) {
    RankWorld world({"a", "b"}, 4);
    for (std::int64_t q = 0; q < 30; ++q)
        world.answer(world.question(q, 1), {q % 3 == 0, q % 3 == 0, q % 3 != 0, q % 3 == 0});
    std::vector<AnnotatorCheck> checks = check_of(world);
    ASSERT_EQ(checks[2].findings.size(), 1U);
    EXPECT_THAT(checks[2].findings[0], HasSubstr("agrees with the majority of the others on 0 of "
                                                 "30 questions"));
    world.annotators[2].blocked = true;
    checks = check_of(world);
    EXPECT_TRUE(findings_of(checks).empty());
    EXPECT_EQ(checks[2].answers, 30U);
    // Blocked annotators are not used to judge other annotators.
    EXPECT_EQ(checks[0].agreement.n, 30U);
    EXPECT_DOUBLE_EQ(checks[0].agreement.value.value(), 1);
}

TEST(MadAnnotators, WhoAgreesFarLessThanTheOthers) {
    // p1 to p4 are wrong once in 25 questions, each on different ones. p5 says yes to four of five
    // questions whose answer is no.
    const auto said = [](std::int64_t q, std::int64_t person) {
        const bool truth = q % 2 == 0;
        return q % 25 == person ? !truth : truth;
    };
    RankWorld world({"a", "b"}, 5);
    for (std::int64_t q = 0; q < 100; ++q)
        world.answer(world.question(q, 1),
                     {said(q, 1), said(q, 2), said(q, 3), said(q, 4), q % 2 == 0 || q % 10 != 1});
    const std::vector<AnnotatorCheck> checks = check_of(world);
    EXPECT_NEAR(checks[4].agreement.value.value(), .6, .03);
    ASSERT_EQ(checks[4].findings.size(), 1U);
    EXPECT_THAT(checks[4].findings[0],
                testing::AllOf(HasSubstr("`p5` agrees with the majority of the others on 6"),
                               HasSubstr("exact test against twice their disagreement")));
    EXPECT_EQ(findings_of(checks).size(), 1U);
    // An annotator with twice the errors of the others is not reported, for any number of answers.
    RankWorld honest({"a", "b"}, 5);
    for (std::int64_t q = 0; q < 2000; ++q)
        honest.answer(honest.question(q, 1),
                      {said(q, 1), said(q, 2), said(q, 3), said(q, 4),
                       said(q, 5) == said(q, 6) && (q % 2 == 0)
                           ? 1
                           : static_cast<int>(said(q, 5) != said(q, 6) && q % 2 != 0)});
    EXPECT_TRUE(findings_of(check_of(honest)).empty());
    EXPECT_LT(*check_of(honest)[4].agreement.value, *check_of(honest)[0].agreement.value);
}

TEST(MadAnnotators, HonestOnesAreHardlyEverAccused) {
    // 200 groups of five annotators who are correct in 80 % of 60 questions, ten of which are gold.
    // At a level of 1 %, two false reports are expected.
    int accused = 0;
    for (std::uint64_t crowd = 0; crowd < 200; ++crowd) {
        RandomStream random(crowd, "honest crowds of tests");
        RankWorld world({"a", "b"}, 5);
        for (std::int64_t q = 0; q < 60; ++q) {
            const bool truth = random.uniform() < .4;
            std::vector<int> said;
            for (int a = 0; a < 5; ++a) said.push_back((random.uniform() < .8) == truth);
            world.answer(world.question(q, 1, q < 10 ? std::optional(truth) : std::nullopt), said);
        }
        accused += findings_of(check_of(world)).empty() ? 0 : 1;
    }
    EXPECT_LE(accused, 4);
}

}  // namespace
}  // namespace assay::mad
