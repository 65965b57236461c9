#include "assay/mad/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "../message_of.h"
#include "assay/mad/rank.h"
#include "mad/image_draws.h"
#include "mad/question_rows.h"
#include "mad/question_texts.h"
#include "small_competition.h"

namespace assay::mad {
namespace {

using questions_test::SmallCompetition;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The (image, label) pairs of the accepted places, without repetition.
std::set<QuestionKey> needed_questions(SmallCompetition& small) {
    std::set<QuestionKey> needed;
    for (const SelectedRow& row : read_selected(small.database())) {
        if (row.state != SelectedState::accepted) continue;
        needed.insert({row.image, row.first_label});
        needed.insert({row.image, row.second_label});
    }
    return needed;
}

std::set<std::string> tokens_of(const std::vector<OpenQuestion>& questions) {
    std::set<std::string> tokens;
    for (const OpenQuestion& question : questions) tokens.insert(question.token);
    return tokens;
}

TEST(MadQuestions, NothingIsSelected) {
    SmallCompetition small;
    EXPECT_THAT(message_of([&] { ask_questions(*small); }, ErrorCode::usage),
                HasSubstr("nothing is selected"));
    EXPECT_THAT(open_questions(*small), IsEmpty());
    // The pairs were searched, but have no images.
    small.select(0);
    EXPECT_THAT(message_of([&] { ask_questions(*small); }, ErrorCode::usage),
                HasSubstr("no image qualifies for any pair; to see why, run `assay mad select " +
                          small.file("mad").string() + "`"));
}

TEST(MadQuestions, EachIsAskedOnceHoweverManyPairsNeedIt) {
    SmallCompetition small;
    small.select(8);
    const std::set<QuestionKey> needed = needed_questions(small);
    const QuestionRound round = ask_questions(*small);
    EXPECT_EQ(round.added, needed.size());
    EXPECT_EQ(round.questions, needed.size());
    EXPECT_EQ(round.open, needed.size());
    EXPECT_EQ(round.asked_places, 24U);
    EXPECT_EQ(round.accepted_places, 24U);
    EXPECT_EQ(round.saved, 48 - needed.size());
    EXPECT_GT(round.saved, 0U);
    EXPECT_EQ(small.count("selected WHERE asked = 1"), 24);

    const std::vector<OpenQuestion> open = open_questions(*small);
    EXPECT_EQ(tokens_of(open).size(), needed.size());
    // The order is random, and not that of images or labels.
    EXPECT_FALSE(std::is_sorted(
        open.begin(), open.end(),
        [](const OpenQuestion& a, const OpenQuestion& b) { return a.image < b.image; }));
    for (const OpenQuestion& question : open) {
        EXPECT_EQ(question.answers, 0U);
        EXPECT_EQ(question.wanted, 5U);
        EXPECT_THAT(question.token, Not(HasSubstr("net")));
    }
    const QuestionRound again = ask_questions(*small);
    EXPECT_EQ(again.added, 0U);
    EXPECT_EQ(again.questions, needed.size());
    EXPECT_EQ(small.count("decision WHERE kind = 'asked'"), 1);
}

TEST(MadQuestions, NamesAndTurnsDependOnTheQuestionAlone) {
    using study::question_name;
    const study::QuestionName one = question_name(7, 12, 3);
    EXPECT_EQ(question_name(7, 12, 3).token, one.token);
    EXPECT_NE(question_name(8, 12, 3).token, one.token);
    EXPECT_NE(question_name(7, 12, 4).token, one.token);
    EXPECT_NE(question_name(7, -12, 3).token, one.token);
    EXPECT_EQ(one.token.size(), 17U);
}

TEST(MadQuestions, PlacesThatAreReplacedAndClassifiersThatAreRemovedAskNothing) {
    SmallCompetition small;
    small.select(8);
    ask_questions(*small);
    const std::size_t all = open_questions(*small).size();
    small.database().execute("UPDATE selected SET state = 'replaced' WHERE place = 0");
    const std::size_t fewer = open_questions(*small).size();
    EXPECT_LT(fewer, all);
    EXPECT_EQ(fewer, needed_questions(small).size());
    small->remove("net2", "");
    EXPECT_EQ(open_questions(*small).size(), needed_questions(small).size());
    EXPECT_LT(open_questions(*small).size(), fewer);
    EXPECT_EQ(small.count("question"), static_cast<std::int64_t>(all));
}

TEST(MadQuestions, TheControlSampleAsksWhatActiveClassifiersPredict) {
    SmallCompetition small;
    // On image 0, net0 says 1 and the others say 0. On image 5, net2 says 3 and the others 0. On
    // image 30, net0 says 1, the others 0.
    small.add_control({0, 5, 30});
    QuestionRound round = ask_questions(*small);
    EXPECT_EQ(round.added, 6U);
    EXPECT_EQ(round.asked_control, 3U);
    EXPECT_EQ(round.saved, 0U);
    small->remove("net0", "");
    EXPECT_EQ(open_questions(*small).size(), 4U);  // the sets {0}, {0, 3}, {0}
    // A budget is only spent on complete images.
    SmallCompetition other;
    other.add_control({0, 5, 30});
    round = ask_questions(*other, {.gold = {}, .budget = 5, .stop_at = {}, .reason = {}});
    EXPECT_EQ(round.added, 4U);
    EXPECT_EQ(round.asked_control, 2U);
}

TEST(MadQuestions, SettledOnesAreListedNoMore) {
    SmallCompetition small;
    small.select(4);
    ask_questions(*small);
    const std::size_t all = open_questions(*small).size();
    small.answer_truly({"anna", "ben"});
    EXPECT_EQ(open_questions(*small).size(), all);
    EXPECT_EQ(open_questions(*small).front().answers, 2U);
    EXPECT_EQ(open_questions(*small).front().wanted, 3U);
    small.answer_truly({"cleo"});
    // After three equal answers of five, the question cannot become unclear, because that needs
    // four of five.
    EXPECT_THAT(open_questions(*small), IsEmpty());
}

TEST(MadQuestions, AnImageThatNobodyCanJudgeIsAskedAboutNoMore) {
    SmallCompetition small(2);
    small.select(1);
    ask_questions(*small);
    const std::vector<OpenQuestion> open = open_questions(*small);
    ASSERT_EQ(open.size(), 2U);
    for (const char* name : {"anna", "ben", "cleo", "dan", "eve"}) {
        const auto file = small.write(
            "one.csv", small.answers({open[0]}, name, [](const auto&) { return "cannot say"; }));
        read_answers_into(*small, {.file = file, .annotator = {}});
    }
    // The question is settled as unclear, so the other open question of the place is no longer
    // needed.
    EXPECT_THAT(open_questions(*small), IsEmpty());
}

// Questions of another pair already show that the image is unclear, so it will be replaced.
TEST(MadQuestions, AnImageThatIsKnownToBeUnclearIsNotAskedAbout) {
    SmallCompetition small;
    small.select(6);
    ask_questions(*small);
    const std::vector<OpenQuestion> open = open_questions(*small);
    for (const char* name : {"anna", "ben", "cleo", "dan"}) {
        const auto file =
            small.write("all.csv", small.answers(open, name, [](const auto&) { return "?"; }));
        read_answers_into(*small, {.file = file, .annotator = {}});
    }
    small.database().execute("UPDATE selected SET asked = 0 WHERE pair = 2");
    ASSERT_EQ(small.count("selected WHERE asked = 0"), 6);
    for (const auto& budget : {std::optional<std::uint64_t>(20), std::optional<std::uint64_t>()}) {
        const QuestionRound round =
            ask_questions(*small, {.gold = {}, .budget = budget, .stop_at = {}, .reason = {}});
        EXPECT_EQ(round.added, 0U);
        EXPECT_EQ(small.count("selected WHERE asked = 0"), 6);
    }
}

TEST(MadVerify, AControlSampleThatContradictsItselfIsDamage) {
    SmallCompetition small;
    small.add_control({3, 9});
    EXPECT_THAT(verify_competition(small.file("mad")).problems, IsEmpty());
    small.database().execute("UPDATE control SET stratum_sample = 3");
    EXPECT_THAT(
        verify_competition(small.file("mad")).problems,
        ElementsAre(HasSubstr("stratum 0 of the control sample says 3 of 45 images, but has 2")));
}

TEST(MadQuestions, GoldIsAProportionOfAllAndStays) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .2;
    SmallCompetition small(3, 45, settings);
    small.select(8);
    // The gold questions are about the last images, which no pair needs.
    std::string gold = "image,label,answer\n";
    for (std::size_t i = 36; i < 45; ++i)
        for (std::size_t c = 0; c < 5; ++c)
            gold += fmt::format("{},n{},{}\n", small.id(i), c + 1, i % 5 == c ? "yes" : "no");
    const auto file = small.write("gold.csv", gold);
    const QuestionRound round =
        ask_questions(*small, {.gold = file, .budget = {}, .stop_at = {}, .reason = "first"});
    // g / (others + g) = .2, so g is a quarter of the others, rounded up.
    EXPECT_EQ(round.added_gold, (round.added + 3) / 4);
    EXPECT_EQ(round.gold, round.added_gold);
    EXPECT_EQ(round.open, round.added + round.added_gold);
    EXPECT_THAT(round.warnings, IsEmpty());
    std::set<std::int64_t> drawn;
    for (const QuestionRow& row : read_questions(small.database()))
        if (row.gold) drawn.insert(row.id);
    EXPECT_EQ(small.count("decision WHERE kind = 'gold' AND reason LIKE '%gold.csv line %'"),
              static_cast<std::int64_t>(round.gold));

    // With more gold questions in another order, the drawn ones do not change.
    const auto more = small.write("more.csv", "image,label,answer\n" + small.id(20) + ",n1,yes\n");
    const QuestionRound again =
        ask_questions(*small, {.gold = more, .budget = {}, .stop_at = {}, .reason = {}});
    EXPECT_EQ(again.added_gold, 0U);
    for (const QuestionRow& row : read_questions(small.database()))
        EXPECT_EQ(row.gold.has_value(), drawn.count(row.id) > 0);
}

TEST(MadQuestions, GoldOfAQuestionThatAPairNeedsMakesItKnown) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .01;
    SmallCompetition small(2, 45, settings);
    small.select(2);
    const QuestionKey key = *needed_questions(small).begin();
    const auto file = small.write(
        "gold.csv", fmt::format("image,label,answer\n{},{},no\n",
                                small.id(static_cast<std::size_t>(key.first)), key.second));
    const QuestionRound round =
        ask_questions(*small, {.gold = file, .budget = {}, .stop_at = {}, .reason = {}});
    EXPECT_EQ(round.added, 4U);
    EXPECT_EQ(round.added_gold, 0U);
    EXPECT_EQ(round.gold, 1U);
    EXPECT_EQ(round.open, 4U);  // the question is still asked
}

TEST(MadQuestions, GoldThatIsWrongIsRefused) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .5;
    SmallCompetition small(2, 45, settings);
    small.select(2);
    const auto refused = [&](const std::string& rows) {
        const auto file = small.write("gold.csv", "image,label,answer\n" + rows);
        return message_of([&] {
            ask_questions(*small, {.gold = file, .budget = {}, .stop_at = {}, .reason = {}});
        });
    };
    EXPECT_THAT(refused("crawl/image 006.jpg,ant,yes\ncrawl/image 007.jpg,ant,no\n"
                        "crawl/image 006.jpg,n1,no\n"),
                AllOf(HasSubstr("gold.csv line 4: `no` for `ant`"),
                      HasSubstr("contradicts line 2, which says `yes`")));
    EXPECT_THAT(refused("crawl/image 06.jpg,ant,yes\n"),
                AllOf(HasSubstr("line 2: `crawl/image 06.jpg` is neither an image"),
                      HasSubstr("did you mean `crawl/image 006.jpg`?")));
    EXPECT_THAT(refused("crawl/image 006.jpg,ante,yes\n"), HasSubstr("did you mean `ant`?"));
    EXPECT_THAT(refused("crawl/image 006.jpg,crane,yes\n"),
                HasSubstr("`crane` is the name of 2 classes; use an id: n"));
    EXPECT_THAT(refused("crawl/image 006.jpg,ant,unsure\n"), HasSubstr("allowed: yes, no"));
    EXPECT_THAT(refused(",ant,yes\n"), HasSubstr("it names no image"));
    // After an error nothing was added, so the places have no questions, either.
    EXPECT_EQ(small.count("question"), 0);
    EXPECT_EQ(small.count("selected WHERE asked = 1"), 0);

    const auto first = small.write("first.csv", "image,label,answer\ncrawl/image 044.jpg,ant,no\n");
    ask_questions(*small, {.gold = first, .budget = {}, .stop_at = {}, .reason = {}});
    EXPECT_THAT(refused("crawl/image 044.jpg,ant,yes\n"),
                HasSubstr("gold.csv line 2: `yes` for question q"));
}

TEST(MadQuestions, GoldImagesMayLieBesideTheDataSet) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .5;
    SmallCompetition small(2, 45, settings);
    small.select(2);
    small.write("known bee.jpg", "not looked at");
    const auto file = small.write(
        "gold.csv", "image,label,answer\nknown bee.jpg,bee,yes\nknown bee.jpg,ant,no\n");
    const QuestionRound round =
        ask_questions(*small, {.gold = file, .budget = {}, .stop_at = {}, .reason = {}});
    EXPECT_EQ(round.added_gold, 2U);
    EXPECT_EQ(round.gold, 2U);
    ASSERT_EQ(round.warnings.size(), 1U);  // half of all questions: 4 are needed
    EXPECT_THAT(
        round.warnings[0],
        HasSubstr(
            "there are 2 questions with known answers, but the competition's settings ask for 4"));
    EXPECT_EQ(small.count("image WHERE number = -1"), 1);
    EXPECT_EQ(small.count("image WHERE number < -1"), 0);
    EXPECT_EQ(small.count("question WHERE image = -1 AND gold = 1"), 1);
    std::size_t beside = 0;
    for (const OpenQuestion& question : open_questions(*small))
        beside += question.path == small.file("known bee.jpg") ? 1 : 0;
    EXPECT_EQ(beside, 2U);
}

TEST(MadQuestions, AnImageOfTheDataSetIsTheSameByAnyOfItsPaths) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .5;
    SmallCompetition small(2, 45, settings);
    small.select(2);
    std::filesystem::create_directories(small.file("images/crawl"));
    std::filesystem::create_directories(small.file("gold"));
    for (const int image : {40, 41, 42})
        small.write("images/" + small.id(static_cast<std::size_t>(image)), "not looked at");
    small.write("images/crawl/more.jpg", "not looked at");
    const auto file = small.write(
        "gold/known.csv",
        fmt::format("image,label,answer\n{},ant,no\n../images/{},ant,no\n../gold/../images/{},bee,"
                    "no\n../images/crawl/more.jpg,ant,no\n",
                    small.file("images/" + small.id(40)).string(), small.id(41), small.id(41)));
    const QuestionRound round =
        ask_questions(*small, {.gold = file, .budget = {}, .stop_at = {}, .reason = {}});
    EXPECT_EQ(round.added_gold, 4U);
    EXPECT_EQ(small.count("image WHERE number = 40"), 1);
    EXPECT_EQ(small.count("question WHERE image = 41 AND gold = 0"), 2);
    // The only image that is not in the data set. It is in a subfolder of the data set anyway.
    EXPECT_EQ(small.count("image WHERE number < 0"), 1);
    EXPECT_EQ(small.count("image WHERE number = -1 AND path = 'crawl/more.jpg'"), 1);
    EXPECT_THAT(label_studio_tasks(open_questions(*small), "/d/"),
                HasSubstr("\"/d/crawl/more.jpg\""));
}

TEST(MadQuestions, GoldBesideTheDataSetDoesNotGiveItselfAway) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .5;
    SmallCompetition small(2, 45, settings);
    small.select(2);
    for (const char* const folder : {"a", "b"}) {
        std::filesystem::create_directories(small.file(folder));
        small.write(fmt::format("{}/bee.jpg", folder), "not looked at");
    }
    small.write("=1+1.jpg", "an image of the data set has this id");
    const auto file =
        small.write("gold.csv", "image,label,answer\na/bee.jpg,bee,yes\nb/bee.jpg,bee,yes\n" +
                                    small.file("=1+1.jpg").string() + ",ant,no\n");
    ask_questions(*small, {.gold = file, .budget = {}, .stop_at = {}, .reason = {}});
    const std::vector<OpenQuestion> open = open_questions(*small);
    std::set<std::string> beside;
    for (const OpenQuestion& question : open)
        if (!question.below) beside.insert(question.image);
    EXPECT_THAT(beside, testing::ElementsAre("=1+1-2.jpg", "bee-2.jpg", "bee.jpg"));
    EXPECT_THAT(label_studio_tasks(open), HasSubstr(small.file("a/bee.jpg").string()));
    EXPECT_THAT(message_of([&] { label_studio_tasks(open, "/data/"); }, ErrorCode::usage),
                AllOf(HasSubstr("outside the folder of the images"), HasSubstr("--prefix")));
}

QuestionOptions of_budget(std::uint64_t budget) {
    return {.gold = {}, .budget = budget, .stop_at = {}, .reason = {}};
}

TEST(MadBudget, AsksAboutWholeImagesAndIsKeptButForTheLastOne) {
    for (const AskOrder order : {AskOrder::information, AskOrder::random, AskOrder::shared}) {
        SCOPED_TRACE(name_of(order));
        SmallCompetition small(4);
        small.select(10);
        const std::set<QuestionKey> needed = needed_questions(small);
        ASSERT_GT(needed.size(), 30U);
        QuestionOptions options = of_budget(0);
        options.ask = order;
        std::uint64_t asked = 0;
        for (int step = 0; step < 3; ++step) {
            options.budget = asked + 10;  // nobody has answered
            const QuestionRound round = ask_questions(*small, options);
            EXPECT_EQ(round.waiting, asked);
            EXPECT_GE(round.added, std::min<std::uint64_t>(10, needed.size() - asked));
            EXPECT_LT(round.added, 10U + 4);  // an image has up to four labels here
            EXPECT_GT(round.images_drawn, 0U);
            EXPECT_EQ(round.ask, order);
            asked += round.added;
            ASSERT_TRUE(round.list_tau.has_value());
            // Each image has all of its questions or none of them.
            std::map<std::int64_t, std::set<bool>> of_image;
            for (const SelectedRow& row : read_selected(small.database()))
                of_image[row.image].insert(row.asked);
            for (const auto& [image, states] : of_image) EXPECT_EQ(states.size(), 1U) << image;
        }
        options.budget = 1000;
        const QuestionRound rest = ask_questions(*small, options);
        EXPECT_EQ(rest.asked_places, 60U);
        EXPECT_EQ(asked + rest.added, needed.size());
        options.budget = 0;
        EXPECT_EQ(ask_questions(*small, options).added, 0U);
        // After all images were drawn, each only represents itself.
        const ImageDraws draws = read_draws(*small);
        const auto weights = image_weights(*small, read_selected(small.database()), draws);
        for (const auto& [image, weight] : weights) EXPECT_NEAR(weight, 1, 1e-12);
        for (const auto& [image, draw] : draws)
            EXPECT_EQ(draw.probability.has_value(), order != AskOrder::shared);
    }
}

TEST(MadBudget, DrawsAreKnownAndNewClassifiersComeToDrawnImagesFirst) {
    SmallCompetition small(4);
    small.select(10, 3);
    ask_questions(*small, of_budget(12));
    const ImageDraws before = read_draws(*small);
    std::int64_t drawn = 0;
    double left = 1;
    for (const auto& [image, draw] : before) {
        EXPECT_EQ(draw.stratum, 0);
        if (!draw.number) continue;
        ++drawn;
        EXPECT_GT(*draw.probability, 0);
        EXPECT_LE(*draw.probability, 1);
        left = std::min(left, *draw.probability);
    }
    ASSERT_GT(drawn, 2);
    // A tenth of each draw is uniform.
    EXPECT_GE(left, .1 / static_cast<double>(before.size()));
    // In the mean over many draws, the drawn images represent all images. Here the sum of weights
    // is above their number.
    const auto weights = image_weights(*small, read_selected(small.database()), before);
    EXPECT_EQ(weights.size(), static_cast<std::size_t>(drawn));
    double sum = 0;
    for (const auto& [image, weight] : weights) sum += weight;
    EXPECT_GT(sum, static_cast<double>(drawn));
    // A fourth classifier gives new places to images that were drawn. These are completed first.
    small.select(10);
    const QuestionRound next = ask_questions(*small, of_budget(10'000));
    EXPECT_GT(next.added, 0U);
    const ImageDraws after = read_draws(*small);
    for (const auto& [image, draw] : before) {
        if (!draw.number) continue;
        EXPECT_EQ(after.at(image).number, draw.number);
        EXPECT_EQ(after.at(image).probability, draw.probability);
    }
    std::set<std::int64_t> strata;
    for (const auto& [image, draw] : after) strata.insert(draw.stratum);
    EXPECT_EQ(strata.size(), 2U);
}

TEST(MadBudget, ImagesOfRemovedClassifiersAloneWeighNothing) {
    SmallCompetition small(4);
    small.select(10);
    ask_questions(*small, of_budget(40));
    const ImageDraws draws = read_draws(*small);
    small->remove("net0", "");
    const std::vector<SelectedRow> selected = read_selected(small.database());
    std::set<std::int64_t> there, drawn;
    for (const SelectedRow& row : selected) there.insert(row.image);
    std::size_t gone = 0;
    for (const auto& [image, draw] : draws) {
        if (!draw.number) continue;
        drawn.insert(image);
        gone += there.contains(image) ? 0 : 1;
    }
    ASSERT_GT(gone, 0U);
    const auto weights = image_weights(*small, selected, draws);
    EXPECT_EQ(weights.size(), drawn.size() - gone);
    for (const auto& [image, weight] : weights) {
        EXPECT_TRUE(drawn.contains(image) && there.contains(image)) << image;
        EXPECT_GT(weight, 0);
    }
}

TEST(MadBudget, MostSharedFirstIsNoSampleAndTheRankingSaysSo) {
    SmallCompetition small(4);
    small.select(12);
    QuestionOptions options = of_budget(16);
    options.ask = AskOrder::shared;
    ask_questions(*small, options);
    small.answer_truly({"anna", "ben", "cleo"});
    EXPECT_THAT(rank_classifiers(*small).warnings,
                testing::Contains(HasSubstr("images were asked first")));
    EXPECT_THAT(message_of([] { ask_order_named("most"); }, ErrorCode::usage),
                HasSubstr("--ask is `most`; allowed: information, random, shared"));
}

TEST(MadBudget, WhatNobodyHasAnsweredCounts) {
    SmallCompetition small(4);
    small.select(10);
    small.add_control({30, 31, 32});
    const QuestionRound first = ask_questions(*small, of_budget(20));
    ASSERT_GE(first.added, 20U);
    EXPECT_EQ(first.waiting, 0U);
    // Asks again, as after a file that could not be written.
    const QuestionRound again = ask_questions(*small, of_budget(20));
    EXPECT_EQ(again.waiting, first.added);
    EXPECT_EQ(again.added, 0U);
    // After one answer to each question, the budget is available again.
    small.answer_truly({"anna"});
    const QuestionRound next = ask_questions(*small, of_budget(20));
    EXPECT_EQ(next.waiting, 0U);
    EXPECT_GE(next.added, 19U);
}

TEST(MadBudget, NoneChangesNothingAndEveryPlaceHasADecision) {
    SmallCompetition small(3);
    small.select(6);
    // All questions exist, but no place uses them, so they cost nothing.
    ask_questions(*small);
    small.database().execute("UPDATE selected SET asked = 0");
    const std::int64_t decisions = small.count("decision");
    const QuestionRound none = ask_questions(*small, of_budget(0));
    EXPECT_EQ(none.added, 0U);
    EXPECT_EQ(small.count("selected WHERE asked = 1"), 0);
    EXPECT_EQ(small.count("decision"), decisions);
    const QuestionRound free = ask_questions(*small, of_budget(5));
    EXPECT_EQ(free.added, 0U);
    EXPECT_EQ(small.count("selected WHERE asked = 1"), 18);
    EXPECT_EQ(small.count("decision"), decisions + 1);
}

TEST(MadBudget, KnownAnswersAreTakenWhereNothingMoreIsAsked) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .2;
    SmallCompetition small(3, 45, settings);
    small.select(10);
    ask_questions(*small, of_budget(20));
    small.answer_truly({"anna", "ben", "cleo"});
    const QuestionRow asked = read_questions(small.database()).at(0);
    const auto gold = small.write(
        "gold.csv", fmt::format("image,label,answer\n{},n{},no\n",
                                small.id(static_cast<std::size_t>(asked.image)), asked.label + 1));
    const QuestionRound round =
        ask_questions(*small, {.gold = gold, .budget = {}, .stop_at = 1e-6, .reason = {}});
    EXPECT_TRUE(round.stopped);
    EXPECT_EQ(round.added, 0U);
    EXPECT_EQ(round.gold, 1U);
    EXPECT_EQ(read_questions(small.database()).at(0).gold, false);
    const auto damaged = small.write("gold.csv", "image,label,answer\nnone.jpg,n1,no\n");
    EXPECT_THAT(message_of([&] {
                    ask_questions(*small,
                                  {.gold = damaged, .budget = {}, .stop_at = 1e-6, .reason = {}});
                }),
                HasSubstr("line 2"));
}

TEST(MadBudget, StopsWhereTheRankingIsKnown) {
    SmallCompetition small(3);
    small.select(10);
    QuestionOptions options;
    for (const double out_of_range : {0.0, 1.0, -1.0}) {
        options.stop_at = out_of_range;
        EXPECT_THAT(message_of([&] { ask_questions(*small, options); }, ErrorCode::usage),
                    HasSubstr("between 0 and 1"));
    }
    options.stop_at = .999;
    options.budget = 20;
    QuestionRound round = ask_questions(*small, options);
    EXPECT_FALSE(round.stopped);  // nothing is known yet
    EXPECT_NEAR(*round.list_tau, 0, 1e-9);
    EXPECT_GT(round.added, 0U);
    small.answer_truly({"anna", "ben", "cleo"});
    options.stop_at = 1e-6;
    round = ask_questions(*small, options);
    EXPECT_TRUE(round.stopped);
    EXPECT_EQ(round.added, 0U);
    EXPECT_THAT(render(report_of(round), ReportFormat::text), HasSubstr("no questions are added"));
}

TEST(MadBudget, TheCorrelationIsThatOfTheRanking) {
    SmallCompetition small(4);
    small.select(12);
    ask_questions(*small, of_budget(24));
    small.answer_truly({"anna", "ben", "cleo"});
    const QuestionRound round = ask_questions(*small, of_budget(0));
    const double of_ranking = rank_classifiers(*small).list_tau;
    EXPECT_EQ(round.list_tau.value(), of_ranking);
    EXPECT_GT(of_ranking, 0);
    EXPECT_LT(of_ranking, 1);
    EXPECT_EQ(report_of(round).result["list_tau"], of_ranking);
    EXPECT_THAT(render(report_of(round), ReportFormat::text),
                HasSubstr("with the ranking from all selected images"));
}

TEST(MadQuestions, TheCsvHasNoFormulasAndSurvivesHostileNames) {
    SmallCompetition small(3);
    small.select(8);
    ask_questions(*small);
    const std::string text = questions_csv(open_questions(*small));
    CsvReader row(text, "questions.csv");
    bool quoted = false, formula = false;
    while (row.next()) {
        for (std::size_t c = 0; c < row.fields(); ++c) {
            ASSERT_FALSE(row[c].empty());
            EXPECT_EQ(std::string_view("=+-@").find(row[c].front()), std::string_view::npos);
        }
        quoted |= row[1] == R"(a,b "quoted".jpg)";
        formula |= row[1] == "'=1+1.jpg";
    }
    EXPECT_TRUE(quoted);
    EXPECT_TRUE(formula);
    for (const char* name : {"=1", "+a", "-", "@x", "'", "''=1", "\tx", "plain", "", "'plain"})
        EXPECT_EQ(from_spreadsheet(for_spreadsheet(name)), name);
}

TEST(MadQuestions, AnswersThatPeopleWroteIntoTheCsvAreKept) {
    SmallCompetition small;
    small.select(2);
    ask_questions(*small);
    const std::string questions = questions_csv(open_questions(*small));
    check_holds_no_answers(small.file("none.csv"));
    check_holds_no_answers(small.write("questions.csv", questions));
    check_holds_no_answers(small.write("empty.csv", ""));
    check_holds_no_answers(small.write("tasks.json", label_studio_tasks(open_questions(*small))));
    for (const char* const column : {"answer", "Answer ", "choice"}) {
        const auto filled =
            small.write("filled.csv", fmt::format("question,{},note\nq1,yes,\"a\nb\"\n", column));
        EXPECT_THAT(message_of([&] { check_holds_no_answers(filled); }, ErrorCode::usage),
                    AllOf(HasSubstr("filled.csv has a column of answers"),
                          HasSubstr("`assay mad answers`")));
    }
}

TEST(MadQuestions, ClassesOfOneNameAreToldApart) {
    SmallCompetition small;
    EXPECT_THAT(names_for_people(*small),
                testing::ElementsAre("ant", "bee", "crane (n3)", "crane (n4)", "=eel"));
}

TEST(MadQuestions, TasksForLabelStudio) {
    SmallCompetition small(3);
    small.select(8);
    ask_questions(*small);
    const std::vector<OpenQuestion> open = open_questions(*small);
    const auto tasks =
        nlohmann::json::parse(label_studio_tasks(open, "/data/local-files/?d=crawl/"));
    ASSERT_EQ(tasks.size(), open.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
        const nlohmann::json& data = tasks[i].at("data");
        EXPECT_EQ(data.at("question_id"), open[i].token);
        EXPECT_EQ(data.at("question"),
                  fmt::format("Does this image show \"{}\"?", open[i].label_name));
        if (open[i].image == R"(a,b "quoted".jpg)") {
            EXPECT_EQ(data.at("image"), "/data/local-files/?d=crawl/a%2Cb%20%22quoted%22.jpg");
        }
        EXPECT_FALSE(tasks[i].dump().find("net") != std::string::npos) << tasks[i];
    }
    EXPECT_EQ(nlohmann::json::parse(label_studio_tasks(open))[0]["data"]["image"],
              open[0].relative_path);
    EXPECT_EQ(nlohmann::json::parse(label_studio_tasks({})), nlohmann::json::array());
    EXPECT_THAT(label_studio_config(),
                AllOf(HasSubstr("value=\"$question\""), HasSubstr("<Choices name=\"answer\"")));
}

}  // namespace
}  // namespace assay::mad
