#include "assay/labelling/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "../message_of.h"
#include "assay/mad/rank.h"
#include "core/random.h"
#include "labelling/board.h"
#include "small_study.h"

namespace assay::labelling {
namespace {

using State = TakenScreen::State;

/// A reference that tries all possible answers.
std::uint32_t fewest_by_trying(const std::vector<Answer>& said, std::uint32_t votes) {
    std::vector<std::vector<Answer>> all = {said};
    for (std::uint32_t more = 0;; ++more) {
        std::vector<std::vector<Answer>> longer;
        for (const auto& one : all) {
            if (mad::is_settled(one, votes)) return more;
            for (const Answer next : {Answer::no, Answer::yes, Answer::cannot_say}) {
                longer.push_back(one);
                longer.back().push_back(next);
            }
        }
        all = std::move(longer);
    }
}

TEST(AnswersNeeded, AreTheFewestThatCanSettle) {
    for (const std::uint32_t votes : {1U, 3U, 5U, 7U}) {
        std::vector<std::vector<Answer>> said = {{}};
        for (std::size_t i = 0; i < said.size() && said.size() < 400; ++i) {
            EXPECT_EQ(answers_needed(said[i], votes), fewest_by_trying(said[i], votes));
            if (said[i].size() == votes) continue;
            for (const Answer next : {Answer::no, Answer::yes, Answer::cannot_say}) {
                said.push_back(said[i]);
                said.back().push_back(next);
            }
        }
    }
    EXPECT_EQ(answers_needed({}, 5), 3U);  // three of five answers are equal
    // two more answers of either kind are possible
    EXPECT_EQ(answers_needed({Answer::yes, Answer::no}, 5), 2U);
}

TEST(Service, OnePersonIsAskedEverythingOnce) {
    SmallStudy study;
    Service service = study.open();
    const std::uint64_t questions = service.status().questions;
    ASSERT_GT(questions, 10U);
    Page anna(service, "anna");
    Work work = anna.fetch();
    EXPECT_EQ(work.state, Work::State::work);
    EXPECT_EQ(work.screens.size(), 4U);
    EXPECT_EQ(work.left, questions);
    std::set<std::string> seen;
    service.begin();
    while (!anna.screens().empty()) {
        EXPECT_TRUE(seen.insert(anna.screens().front().token).second);
        work = anna.answer(Answer::yes);
        ASSERT_EQ(work.taken.size(), 1U);
        EXPECT_EQ(work.taken[0].state, State::recorded);
        EXPECT_EQ(work.answered, seen.size());
    }
    service.commit();
    EXPECT_EQ(seen.size(), questions);
    EXPECT_EQ(work.state, Work::State::nothing);
    EXPECT_EQ(work.left, 0U);
    EXPECT_EQ(study.answers(), static_cast<std::int64_t>(questions));
}

TEST(Service, NothingIsAskedMoreOftenThanWanted) {
    // Seven people come and go at random. A question never has more answers and holders than may be
    // needed, and all questions are settled at the end.
    SmallStudy study;
    Service service = study.open();
    std::vector<Page> pages;
    for (int p = 0; p < 7; ++p) pages.emplace_back(service, fmt::format("person {}", p));
    RandomStream draws(5, "people who come and go");
    std::map<std::string, std::uint32_t> given;
    std::uint32_t turns = 0;
    service.begin();
    for (bool open = true; open; ++turns) {
        ASSERT_LT(turns, 20000U);
        Page& page = pages[draws.below(pages.size())];
        const double what = draws.uniform();
        if (page.screens().empty() || what < .1) {
            page.fetch();
        } else if (what < .15) {
            page.forget();
            page.fetch();
        } else {
            const std::string token = page.screens().front().token;
            const Work work = page.answer(draws.uniform() < .6 ? Answer::yes : Answer::no);
            ASSERT_EQ(work.taken[0].state, State::recorded);
            ++given[token];
        }
        std::map<std::string, std::uint32_t> held;
        for (const Page& each : pages)
            for (const Screen& screen : each.screens()) ++held[screen.token];
        for (const auto& [token, holders] : held) {
            const auto before = given.find(token);
            EXPECT_LE(holders + (before == given.end() ? 0 : before->second), 5U);
        }
        study.now += 2;
        open = service.status().open > 0;
    }
    service.commit();
    for (const auto& [token, answers] : given) {
        EXPECT_GE(answers, 3U);
        EXPECT_LE(answers, 5U);
    }
    EXPECT_EQ(given.size(), service.status().questions);
    EXPECT_EQ(service.status().answers_left, 0U);
}

TEST(Service, WhenPeopleAgreeNobodyIsAskedInVain) {
    SmallStudy study;
    Service service = study.open();
    std::vector<Page> pages;
    for (int p = 0; p < 5; ++p) pages.emplace_back(service, fmt::format("person {}", p));
    service.begin();
    for (bool any = true; any;) {
        any = false;
        for (Page& page : pages) {
            if (page.screens().empty()) page.fetch();
            if (page.screens().empty()) continue;
            page.answer(Answer::yes);
            any = true;
        }
    }
    service.commit();
    // Three equal answers of five settle a question.
    EXPECT_EQ(study.answers(), 3 * static_cast<std::int64_t>(service.status().questions));
}

TEST(Service, ARepeatedDeliveryCountsOnce) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    const Screen first = anna.screens().front();
    GivenScreen given = anna.say(first, Answer::yes);
    EXPECT_EQ(anna.fetch({given, given}).taken[1].state, State::repeated);
    EXPECT_EQ(anna.fetch({given}).taken[0].state, State::repeated);
    EXPECT_EQ(study.answers(), 1);
    EXPECT_EQ(study.competition().count("answer"), 1);
    // The page never sends another answer with the same key.
    given.answers[0].second = Answer::no;
    const TakenScreen other = anna.fetch({given}).taken[0];
    EXPECT_EQ(other.state, State::refused);
    EXPECT_THAT(other.message, testing::HasSubstr("another answer"));
    EXPECT_EQ(study.competition().count("answer WHERE answer = 1 AND counts = 1"), 1);
}

TEST(Service, AChangedAnswerTakesTheFormersPlace) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    const Screen first = anna.screens().front();
    EXPECT_FALSE(service.answered(anna.person(), first.token));
    anna.answer(Answer::yes);
    const std::optional<Screen> again = service.answered(anna.person(), first.token);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->said, std::vector<Answer>{Answer::yes});
    EXPECT_EQ(anna.fetch({anna.say(first, Answer::no)}).taken[0].state, State::recorded);
    EXPECT_EQ(study.competition().count("answer"), 2);
    EXPECT_EQ(study.competition().count("answer WHERE counts = 1 AND answer = 0"), 1);
    EXPECT_EQ(service.answered(anna.person(), first.token)->said, std::vector<Answer>{Answer::no});
    // This person did not answer the question, so they must not see it.
    Page ben(service, "ben");
    EXPECT_FALSE(service.answered(ben.person(), first.token));
}

TEST(Service, WhatIsNoAnswerIsRefusedAndNothingIsKept) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    const Screen screen = anna.screens()[0], other = anna.screens()[1];
    const auto refused = [&](const GivenScreen& given) {
        const TakenScreen taken = anna.fetch({given}).taken[0];
        EXPECT_EQ(taken.state, State::refused);
        return taken.message;
    };
    const std::string key = "12345678";
    const auto said = [](const Screen& of) {
        return std::vector<std::pair<std::string, Answer>>{{of.cells[0].question, Answer::yes}};
    };
    using testing::HasSubstr;
    EXPECT_THAT(refused({screen.token, "short", said(screen)}), HasSubstr("key"));
    EXPECT_THAT(refused({screen.token, "blank 12345", said(screen)}), HasSubstr("key"));
    EXPECT_THAT(refused({"q0000", key, said(screen)}), HasSubstr("no such screen"));
    EXPECT_THAT(refused({screen.token, key, {}}), HasSubstr("nothing"));
    EXPECT_THAT(refused({screen.token, key, said(other)}), HasSubstr("no question of the screen"));
    auto twice = said(screen);
    twice.push_back(twice[0]);
    EXPECT_THAT(refused({screen.token, key, twice}), HasSubstr("twice"));
    EXPECT_EQ(study.competition().count("answer"), 0);
}

TEST(Service, AnswersAreThereForOthersOnceCommitReturns) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    service.begin();
    anna.answer(Answer::yes);
    EXPECT_EQ(study.answers(), 0);
    service.commit();
    EXPECT_EQ(study.answers(), 1);
    service.begin();
    anna.answer(Answer::yes);
    service.abandon();
    EXPECT_EQ(study.answers(), 1);
    // The same holds in memory. The page sends the answer again, and it counts as new.
    EXPECT_EQ(anna.fetch().answered, 1U);
    // In this case, the first answer of a new person fails.
    Page ben(service, "ben");
    service.begin();
    ben.fetch();
    ben.answer(Answer::no);
    service.abandon();
    ben.forget();
    ben.fetch();
    service.begin();
    EXPECT_EQ(ben.answer(Answer::no).taken[0].state, State::recorded);
    service.commit();
    EXPECT_EQ(study.answers(), 2);
}

TEST(Service, LinksChangeWithTheirTransactionOrNotAtAll) {
    SmallStudy study;
    Service service = study.open();
    const Person anna = service.add_person("anna");
    service.begin();
    service.new_link(anna.id);
    service.add_person("ben");
    service.pause(true);
    service.abandon();
    EXPECT_EQ(service.person_of(anna.token), anna.id);
    EXPECT_EQ(service.people().size(), 1U);
    EXPECT_FALSE(service.status().paused);
    service.begin();
    const Person anew = service.new_link(anna.id);
    service.add_person("ben");
    EXPECT_FALSE(service.commit()) << "no annotator named";
    EXPECT_EQ(service.person_of(anew.token), anna.id);
    EXPECT_EQ(service.people().size(), 2U);
}

TEST(Service, GoesOnWhereAnotherOneStopped) {
    SmallStudy study;
    std::optional<Service> service(study.open());
    Page anna(*service, "anna"), ben(*service, "ben");
    anna.fetch();
    ben.fetch();
    const Screen done = anna.screens().front();
    const GivenScreen given = anna.say(done, Answer::yes);
    anna.fetch({given});
    const std::string link = service->people()[0].token;
    const std::string held = ben.screens()[2].token;

    EXPECT_THAT(message_of([&] { study.open(); }, ErrorCode::busy),
                testing::HasSubstr("in use by another process"));
    service.reset();
    service.emplace(study.open());
    EXPECT_EQ(service->person_of(link), anna.person());
    anna.at(*service);
    ben.at(*service);
    // People keep the questions that they hold, also before they answer, and their answers.
    EXPECT_TRUE(service->image_of(ben.person(), held));
    ben.fetch();
    EXPECT_TRUE(service->image_of(ben.person(), held));
    EXPECT_EQ(anna.fetch({given}).taken[0].state, State::repeated);
    EXPECT_EQ(study.answers(), 1);
}

TEST(Service, NobodyIsGivenAfterARestartWhatOthersHold) {
    SmallStudy study;
    std::optional<Service> service(study.open());
    std::set<std::string> held;
    for (const char* name : {"anna", "ben", "clara"}) {  // the required number of votes
        Page page(*service, name);
        page.fetch();
        for (const Screen& screen : page.screens()) held.insert(screen.token);
    }
    ASSERT_EQ(held.size(), 4U) << "all hold the same";
    service.reset();
    service.emplace(study.open());
    Page fritz(*service, "fritz");
    fritz.fetch();
    EXPECT_EQ(fritz.screens().size(), 4U);
    for (const Screen& screen : fritz.screens()) EXPECT_EQ(held.count(screen.token), 0U);
}

TEST(Service, WhoseLinkWasTakenBackHoldsNothingAfterARestart) {
    SmallStudy study;
    std::optional<Service> service(study.open());
    std::set<std::string> held;
    for (const char* name : {"anna", "ben", "clara"}) {  // the required number of votes
        Page page(*service, name);
        page.fetch();
        for (const Screen& screen : page.screens()) held.insert(screen.token);
    }
    service->begin();
    service->revoke(service->add_person("anna").id, true);
    service->commit();
    service.reset();
    service.emplace(study.open());
    Page fritz(*service, "fritz");
    fritz.fetch();
    std::set<std::string> given;
    for (const Screen& screen : fritz.screens()) given.insert(screen.token);
    EXPECT_EQ(given, held);
}

TEST(Service, WhatSomebodyLeavesBehindIsAskedOfOthers) {
    ServiceOptions options;
    options.lease = std::chrono::seconds(60);
    SmallStudy study(6, options);
    Service service = study.open();
    std::vector<Page> first;
    for (const char* name : {"anna", "ben", "cleo"}) first.emplace_back(service, name);
    for (Page& page : first) page.fetch();
    const std::string held = first[0].screens()[0].token;
    Page dora(service, "dora");
    dora.fetch();
    for (const Screen& screen : dora.screens()) EXPECT_NE(screen.token, held);
    study.now += 61;
    dora.forget();
    dora.fetch();
    EXPECT_EQ(dora.screens()[0].token, held);
    // A person who returns can still answer the question, and the answer counts.
    EXPECT_EQ(first[0].answer(Answer::yes).taken[0].state, State::recorded);
}

TEST(Service, LinksAreMadeTakenBackAndMadeAnew) {
    SmallStudy study;
    Service service = study.open();
    const Person anna = service.add_person(" anna ");
    EXPECT_EQ(anna.name, "anna");
    EXPECT_EQ(service.add_person("anna").token, anna.token);
    EXPECT_GE(anna.token.size(), 30U);
    EXPECT_EQ(service.person_of(anna.token), anna.id);
    for (const std::string& forged :
         {std::string(), std::string("1."), std::string("."), anna.token + "a",
          anna.token.substr(1), "2" + anna.token.substr(1), std::string("99999999999999999999.a"),
          anna.token.substr(0, anna.token.size() - 1) + "!"})
        EXPECT_FALSE(service.person_of(forged)) << forged;
    bool revoked = false;
    service.revoke(anna.id, true);
    EXPECT_FALSE(service.person_of(anna.token, &revoked));
    EXPECT_TRUE(revoked);
    EXPECT_FALSE(service.person_of("1.abc", &revoked));
    EXPECT_FALSE(revoked) << "who does not know the secret learns nothing";
    service.revoke(anna.id, false);
    EXPECT_TRUE(service.person_of(anna.token));
    const Person anew = service.new_link(anna.id);
    EXPECT_FALSE(service.person_of(anna.token));
    EXPECT_EQ(service.person_of(anew.token), anna.id);
    EXPECT_THROW(service.add_person("  "), Error);
    EXPECT_THROW(service.add_person("a\nb"), Error);
    EXPECT_THROW(service.add_person(std::string(201, 'a')), Error);
    EXPECT_THROW(service.new_link(7), Error);
    const auto file = study.competition()->folder() / "people.sqlite";
    EXPECT_EQ(std::filesystem::status(file).permissions() & std::filesystem::perms::mask,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Service, ABlockedAnnotatorsAnswersAreKeptAndLeftOut) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    for (anna.fetch(); !anna.screens().empty();) anna.answer(Answer::yes);
    const std::uint64_t questions = service.status().questions;
    EXPECT_EQ(service.status().answers, questions);
    service.block("anna", true, "says yes to everything");
    EXPECT_EQ(service.status().answers, 0U);
    EXPECT_EQ(service.status().untouched, questions);
    EXPECT_EQ(service.status().answers_left, 3 * questions);
    EXPECT_TRUE(service.status().people[0].blocked);
    EXPECT_EQ(study.answers(), static_cast<std::int64_t>(questions));
    EXPECT_EQ(anna.fetch().state, Work::State::nothing);
    // The same holds before a first answer.
    const Person ben = service.add_person("ben");
    service.block("ben", true, "");
    EXPECT_TRUE(service.work(ben.id, {}, {}, 4).screens.empty());
    service.block("ben", false, "");
    EXPECT_EQ(service.work(ben.id, {}, {}, 4).screens.size(), 4U);
}

TEST(Service, PausedMeansThatAnswersAreTakenAndNothingIsAsked) {
    SmallStudy study;
    std::optional<Service> service(study.open());
    Page anna(*service, "anna");
    anna.fetch();
    service->pause(true);
    const Work work = anna.answer(Answer::no);
    EXPECT_EQ(work.state, Work::State::paused);
    EXPECT_EQ(work.taken[0].state, State::recorded);
    EXPECT_TRUE(work.screens.empty());
    service.reset();
    service.emplace(study.open());
    anna.at(*service);
    EXPECT_EQ(anna.fetch().state, Work::State::paused) << "after a restart, too";
    service->pause(false);
    EXPECT_EQ(anna.fetch().state, Work::State::work);
}

TEST(Service, TrainingComesFirstAndSaysWhatIsKnown) {
    ServiceOptions options;
    options.training = 4;
    SmallStudy study(6, options, 0.4);
    Service service = study.open();
    ASSERT_GE(service.status().known, 8U);
    std::set<std::string> trained;
    for (const char* name : {"anna", "ben"}) {
        Page page(service, name);
        EXPECT_EQ(service.welcome(page.person()).training, 4U);
        page.fetch();
        std::set<Answer> known;
        for (int i = 0; i < 4; ++i) {
            const Screen screen = page.screens().front();
            EXPECT_TRUE(screen.training);
            const Work work = page.answer(Answer::yes);
            ASSERT_EQ(work.taken[0].feedback.size(), 1U);
            const Feedback& feedback = work.taken[0].feedback[0];
            EXPECT_EQ(feedback.correct, feedback.known == Answer::yes);
            known.insert(feedback.known);
            trained.insert(screen.token);
            EXPECT_EQ(work.training_done, static_cast<std::uint32_t>(i + 1));
            EXPECT_FALSE(service.answered(page.person(), screen.token));
            EXPECT_EQ(page.fetch({page.say(screen, Answer::no)}).taken[0].state, State::refused);
        }
        EXPECT_EQ(known.size(), 2U) << "both answers are met";
        EXPECT_FALSE(page.screens().front().training);
        EXPECT_TRUE(page.answer(Answer::yes).taken[0].feedback.empty());
    }
    EXPECT_GT(trained.size(), 4U) << "each person has questions of his own";
    EXPECT_EQ(study.competition().count("answer WHERE source = 'labelling page, training'"), 8);
}

TEST(Service, TrainingUsesAtMostHalfOfWhatIsKnown) {
    ServiceOptions options;
    options.training = 1000;
    SmallStudy study(6, options, 0.2);
    Service service = study.open();
    const Person anna = service.add_person("anna");
    EXPECT_EQ(service.welcome(anna.id).training, service.status().known / 2);
}

TEST(Service, WhatNobodyCanJudgeMakesTheOtherQuestionNeedless) {
    SmallStudy study;
    Service service = study.open();
    const std::uint64_t open = service.status().open;
    std::vector<Page> pages;
    for (int p = 0; p < 4; ++p) pages.emplace_back(service, fmt::format("person {}", p));
    for (Page& page : pages) page.fetch();
    const std::string first = pages[0].screens().front().token;
    // Four of five answers are "cannot say". Three people were asked first.
    for (Page& page : pages) {
        const auto is_first = [&](const Screen& s) { return s.token == first; };
        if (std::none_of(page.screens().begin(), page.screens().end(), is_first)) {
            page.forget();
            page.fetch();
        }
        const auto& held = page.screens();
        const auto at = std::find_if(held.begin(), held.end(), is_first);
        ASSERT_NE(at, held.end());
        page.fetch({page.say(*at, Answer::cannot_say)});
    }
    study.now += 2;
    service.refresh();
    EXPECT_EQ(service.status().unclear, 1U);
    EXPECT_LT(service.status().open, open - 1);
}

TEST(Service, SeesWhatOtherProgramsChange) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    EXPECT_EQ(service.status().answers, 0U);
    EXPECT_THAT(service.status().outlook.front(),
                testing::AllOf(testing::StartsWith("No ranking yet: no question is answered yet"),
                               testing::EndsWith(".")));
    study.competition().answer_truly({"ben", "cleo", "dora"});
    service.refresh();
    study.now += 2;
    EXPECT_EQ(service.status().open, 0U);
    EXPECT_EQ(service.status().people.size(), 4U);
    // A question that is held may still be answered.
    EXPECT_EQ(anna.answer(Answer::yes).taken[0].state, State::recorded);
    EXPECT_EQ(anna.fetch().left, 0U);
    bool says_next = false;
    study.now += 20;
    for (const std::string& sentence : service.status().outlook)
        says_next = says_next || sentence.find("next: `assay mad") != std::string::npos;
    EXPECT_TRUE(says_next);
}

TEST(Service, AnImageThatCannotBeShownIsNotAskedAbout) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna"), ben(service, "ben");
    anna.fetch();
    const Screen broken = anna.screens().front();
    const std::string question = broken.cells[0].question;
    const auto path = service.image_of(anna.person(), question);
    ASSERT_TRUE(path);
    EXPECT_TRUE(service.image_of(0, question));
    EXPECT_FALSE(service.image_of(ben.person(), question)) << "he was not asked";
    EXPECT_FALSE(service.image_of(0, "../../etc/passwd"));
    service.image_failed(question, "it is cut off");
    study.now += 2;
    const ServiceStatus& status = service.status();
    ASSERT_EQ(status.problems.size(), 1U);
    EXPECT_EQ(status.problems[0].path, path->string());
    EXPECT_EQ(status.problems[0].why, "it is cut off");
    EXPECT_GE(status.skipped, 1U);
    std::set<std::string> asked;
    for (ben.fetch(); !ben.screens().empty();) {
        asked.insert(ben.screens().front().token);
        ben.answer(Answer::yes);
    }
    EXPECT_EQ(asked.count(broken.token), 0U);
    service.retry_images();
    EXPECT_GE(ben.fetch().screens.size(), 1U);
}

TEST(Service, MorePeopleThanQuestionsFindNothingToDo) {
    SmallStudy study(1);
    Service service = study.open();
    const std::uint64_t questions = service.status().questions;
    std::uint64_t busy = 0, idle = 0;
    for (std::uint64_t p = 0; p < 5 * questions; ++p) {
        Page page(service, fmt::format("person {}", p));
        ++(page.fetch().state == Work::State::work ? busy : idle);
    }
    EXPECT_GT(idle, 0U);
    EXPECT_LE(busy, 3 * questions);
}

TEST(Service, NeedsACompetitionThatAsks) {
    mad::questions_test::SmallCompetition competition;
    EXPECT_THAT(message_of([&] { Service(competition->folder()); }),
                testing::HasSubstr("assay mad questions"));
    const Scratch scratch;
    EXPECT_THAT(message_of([&] { Service(scratch.path()); }),
                testing::HasSubstr("neither a competition"));
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "nothing is left behind";
}

TEST(Service, WhatSomebodyWhoIsLeftOutHoldsIsAskedOfOthers) {
    SmallStudy study;
    Service service = study.open();
    std::vector<Page> three;
    for (const char* name : {"anna", "ben", "clara"}) three.emplace_back(service, name);
    for (Page& page : three) page.fetch();
    const std::string held = three[0].screens()[0].token;
    const auto gets = [&](const char* name) {
        Page page(service, name);
        page.fetch();
        return std::any_of(page.screens().begin(), page.screens().end(),
                           [&](const Screen& screen) { return screen.token == held; });
    };
    EXPECT_FALSE(gets("dora")) << "three hold it, and three are needed";
    service.block("anna", true, "");
    EXPECT_TRUE(three[0].fetch().screens.empty());
    EXPECT_TRUE(gets("emil"));
    service.revoke(three[1].person(), true);
    EXPECT_TRUE(gets("fritz"));
    EXPECT_FALSE(gets("gina"));
}

TEST(Service, NobodyAnswersWhatHeWasNeverAsked) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna"), ben(service, "ben");
    anna.fetch();
    const Screen hers = anna.screens().front();
    // Somebody with another study of the same seed could compute the tokens.
    const Work work = service.work(ben.person(), {ben.say(hers, Answer::yes)}, {hers.token}, 0);
    EXPECT_EQ(work.taken[0].state, State::refused);
    EXPECT_EQ(work.state, Work::State::nothing);
    EXPECT_FALSE(service.image_of(ben.person(), hers.cells[0].question));
    EXPECT_EQ(study.answers(), 0);
}

TEST(Service, TrainingStaysTrainingAfterARestart) {
    ServiceOptions options;
    options.training = 2;
    SmallStudy study(6, options, 0.4);
    std::optional<Service> service(study.open());
    Page anna(*service, "anna");
    anna.fetch();
    const Screen first = anna.screens().front();
    ASSERT_TRUE(first.training);
    anna.answer(Answer::yes);
    service.reset();
    options.training = 0;
    service.emplace(study.competition()->folder(), options);
    anna.at(*service);
    EXPECT_FALSE(service->answered(anna.person(), first.token));
    EXPECT_EQ(anna.fetch({anna.say(first, Answer::no)}).taken[0].state, State::refused);
}

TEST(Service, AnswersThatComeTogetherSayNothingOfSpeed) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    std::vector<GivenScreen> all;
    for (const Screen& screen : anna.screens()) all.push_back(anna.say(screen, Answer::yes));
    anna.forget();
    anna.fetch(all);
    study.now += 2;
    EXPECT_EQ(service.status().people[0].answers, 4U);
    EXPECT_FALSE(service.status().people[0].seconds_per_screen);
}

TEST(Service, AFileThatIsGoneTakesNoAnswers) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    const auto file = study.competition()->folder() / "competition.sqlite";
    std::filesystem::rename(file, study.competition().file("elsewhere.sqlite"));
    EXPECT_THAT(message_of([&] { service.refresh(); }, ErrorCode::io),
                testing::HasSubstr("the file was replaced"));
    service.begin();
    anna.answer(Answer::yes);
    EXPECT_THROW(service.commit(), Error);
    std::filesystem::rename(study.competition().file("elsewhere.sqlite"), file);
    service.refresh();
    EXPECT_EQ(study.answers(), 0);
}

TEST(Service, ClassesThatAppearAreNoReasonToFall) {
    SmallStudy study;
    Service service = study.open();
    study.competition().database().execute(
        "INSERT INTO class (number, id, name) VALUES (5, 'n6', 'fly'), (6, 'n7', 'gnat');"
        "INSERT INTO question (id, token, image, label, turn) SELECT 9999, 'q', image, 6, 1 "
        "FROM question LIMIT 1");
    EXPECT_THROW(service.refresh(), Error);
}

TEST(Service, EachFolderIsAStudyOfItsOwn) {
    SmallStudy one, other;
    std::optional<Service> service(one.open());
    const std::int64_t anna = service->add_person("anna").id;
    const std::string study = service->welcome(anna).study;
    EXPECT_GE(study.size(), 20U);
    service.reset();
    EXPECT_EQ(one.open().welcome(anna).study, study);
    Service second = other.open();
    EXPECT_NE(second.welcome(second.add_person("anna").id).study, study);
}

TEST(Service, NamesThatLookAlikeAreNoOtherPeople) {
    SmallStudy study;
    Service service = study.open();
    for (const std::string& name :
         {std::string("\xFF"), std::string("anna\xC2\xA0"), std::string("\xE2\x80\xAE") + "anna",
          std::string("an\xE2\x80\x8B") + "na", std::string("\xEF\xBB\xBF") + "anna"})
        EXPECT_THROW(service.add_person(name), Error) << name;
    EXPECT_TRUE(service.people().empty());
    for (const char* name : {"Jos\xC3\xA9", "\xE6\x9D\x8E\xE9\x9B\xB7",
                             "d\xE2\x80\x99"
                             "Arc"})
        EXPECT_EQ(service.add_person(name).name, name);
}

TEST(Service, PeopleThatWereNeverFinishedAreMadeAnew) {
    SmallStudy study;
    const auto file = study.competition()->folder() / "people.sqlite";
    std::ofstream(file).close();
    Service service = study.open();
    EXPECT_EQ(service.add_person("anna").id, 1);
}

TEST(Service, SpeedIsTheMedianBetweenScreens) {
    SmallStudy study;
    Service service = study.open();
    Page anna(service, "anna");
    anna.fetch();
    for (int i = 0; i < 5; ++i) anna.answer(Answer::yes);
    // Breaks do not count as work: 2, 2, 400 (excluded) and 4 seconds.
    int second = 0;
    for (const int passed : {0, 2, 2, 400, 4}) {
        static int row = 0;
        second += passed;
        study.competition().database().execute(
            fmt::format("UPDATE answer SET at = '2026-11-23T10:{:02}:{:02}.000000Z' WHERE id = {}",
                        second / 60, second % 60, ++row));
    }
    service.refresh();
    study.now += 2;
    ASSERT_TRUE(service.status().people[0].seconds_per_screen);
    EXPECT_DOUBLE_EQ(*service.status().people[0].seconds_per_screen, 2);
    ASSERT_TRUE(service.status().hours_left);
    // Five questions lack two of three answers, and the others lack three.
    const double screens = 3.0 * static_cast<double>(service.status().questions) - 5;
    EXPECT_NEAR(*service.status().hours_left, screens * 2 / 3600, 1e-9);
}

TEST(Service, TagsAreKeptSuggestedAndExported) {
    ServiceOptions served;
    served.training = 0;
    served.tags = {"seen from behind"};
    SmallStudy study(6, served);
    std::string table;
    {
        Service service = study.open();
        Page anna(service, "anna");
        EXPECT_EQ(service.welcome(anna.person()).tags,
                  std::vector<std::string>{"seen from behind"});
        const Screen first = anna.fetch().screens.front();
        GivenScreen given = anna.say(first, Answer::yes);
        given.tags = {" small", "dark", "small"};
        EXPECT_EQ(anna.fetch({given}).taken.front().state, State::recorded);
        EXPECT_EQ(anna.fetch({given}).taken.front().state, State::repeated);
        EXPECT_EQ(service.answered(anna.person(), first.token)->tags,
                  (std::vector<std::string>{"dark", "small"}));
        EXPECT_EQ(service.welcome(anna.person()).tags,
                  (std::vector<std::string>{"seen from behind", "dark", "small"}));
        GivenScreen wrong = anna.say(first, Answer::no);
        wrong.tags = {"a;b"};
        const TakenScreen refused = anna.fetch({wrong}).taken.front();
        EXPECT_EQ(refused.state, State::refused);
        EXPECT_THAT(refused.message,
                    testing::HasSubstr("the tag is `a;b`; allowed: UTF-8 without `;`"));
        table = service.answers_csv();
        EXPECT_THAT(table, testing::HasSubstr(",dark; small\n"));
    }
    // The exported table adds nothing, and other tags under the same key are refused.
    mad::AnswerOptions options;
    options.file = study.competition().write("answers.csv", table);
    EXPECT_EQ(mad::read_answers_into(*study.competition(), options).added, 0U);
    const std::string other = table.substr(0, table.find("dark; small")) + "other\n";
    options.file = study.competition().write("other.csv", other);
    EXPECT_THAT(message_of([&] { mad::read_answers_into(*study.competition(), options); }),
                testing::AllOf(testing::HasSubstr("or to other tags"),
                               testing::HasSubstr("remove the column `key`")));
}

TEST(Service, SuggestsGivenTagsAndThoseOfAnswersThatCount) {
    ServiceOptions served;
    served.training = 0;
    for (int t = 0; t < 20; ++t) served.tags.push_back(fmt::format(" t{}", t));
    SmallStudy study(6, served);
    Service service = study.open();
    Page anna(service, "anna");
    const auto suggested = [&] { return *service.welcome(anna.person()).tags; };
    ASSERT_EQ(suggested().size(), 20U);
    EXPECT_EQ(suggested().back(), "t19");
    const Screen first = anna.fetch().screens.front();
    GivenScreen given = anna.say(first, Answer::yes);
    given.tags = {"smal"};
    anna.fetch({given});
    EXPECT_EQ(suggested().back(), "smal");
    // A changed answer replaces the tags.
    given = anna.say(first, Answer::yes);
    given.tags = {"small"};
    EXPECT_EQ(anna.fetch({given}).taken.front().state, State::recorded);
    EXPECT_EQ(suggested().size(), 21U);
    EXPECT_EQ(suggested().back(), "small");

    const auto refused = [&](std::vector<std::string> tags) {
        ServiceOptions wrong;
        wrong.tags = std::move(tags);
        return message_of([&] { SmallStudy(6, wrong).open(); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused({"a;b"}), testing::HasSubstr("--tag: the tag is `a;b`"));
    EXPECT_THAT(refused({" "}), testing::HasSubstr("--tag: a tag is empty"));
    std::vector<std::string> many;
    for (int t = 0; t < 101; ++t) many.push_back(fmt::format("t{}", t));
    EXPECT_THAT(refused(many), testing::HasSubstr("--tag: 101 tags; allowed: up to 100"));
}

}  // namespace
}  // namespace assay::labelling
