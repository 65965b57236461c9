#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "../message_of.h"
#include "assay/mad/questions.h"
#include "core/random.h"
#include "mad/answer_readers.h"
#include "mad/question_texts.h"
#include "small_competition.h"
#include "study/times.h"

namespace assay::mad {
namespace {

using questions_test::SmallCompetition;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A competition of three classifiers in which all needed questions are asked.
struct AskedCompetition {
    SmallCompetition small;
    std::vector<OpenQuestion> open;

    explicit AskedCompetition(const std::string& last_id = {})
        : small(3, 45, SmallCompetition::usual_settings(), last_id) {
        small.select(6);
        ask_questions(*small);
        open = open_questions(*small);
    }
    AnswerRound take(const std::string& text, const std::string& annotator = {}) {
        return read_answers_into(*small,
                                 {.file = small.write("a.csv", text), .annotator = annotator});
    }
    std::string refused(const std::string& text, ErrorCode code = ErrorCode::bad_input,
                        const std::string& annotator = {}) {
        return message_of([&] { take(text, annotator); }, code);
    }
    /// The annotator and the answer of all answers to this question that count.
    std::vector<std::string> counting(std::size_t question) {
        std::vector<std::string> said;
        Statement row = small.database().prepare(
            "SELECT annotator.name, answer FROM answer JOIN question ON question.id = question "
            "JOIN annotator ON annotator.id = annotator WHERE counts = 1 AND token = ? ORDER BY 1");
        row.bind(std::string_view(open[question].token));
        while (row.step())
            said.push_back(row.text(0) + " " +
                           std::string(name_of(static_cast<Answer>(row.count(1, 2)))));
        return said;
    }
    std::string line(std::size_t question, const std::string& rest) const {
        return open[question].token + "," + rest + "\n";
    }
};

const std::string header = "question,annotator,answer\n";

TEST(MadAnswers, Spellings) {
    for (const char* yes : {"yes", "Yes", "YES", " y ", "1", "true", "True", "1.0"})
        EXPECT_EQ(answer_named(yes), Answer::yes) << yes;
    for (const char* no : {"no", "N", "0", "FALSE", "0.0"})
        EXPECT_EQ(answer_named(no), Answer::no) << no;
    for (const char* cannot : {"cannot say", "Cannot_say", "can't say", "can\xE2\x80\x99t tell",
                               "can't-tell", "unsure", "Not sure", "don't know", "?"})
        EXPECT_EQ(answer_named(cannot), Answer::cannot_say) << cannot;
    for (const char* none : {"", "maybe", "2", "yes no", "yess", "-1"})
        EXPECT_EQ(answer_named(none), std::nullopt) << none;
    for (const Answer answer : {Answer::no, Answer::yes, Answer::cannot_say})
        EXPECT_EQ(answer_named(name_of(answer)), answer);
    EXPECT_TRUE(says_nothing(""));
    EXPECT_TRUE(says_nothing("Skipped"));
    EXPECT_FALSE(says_nothing("no"));
}

TEST(MadAnswers, Times) {
    const std::string utc = "2026-11-23T01:02:03.000000Z";
    EXPECT_EQ(study::utc_moment_of("2026-11-23T01:02:03Z"), utc);
    EXPECT_EQ(study::utc_moment_of("2026-11-23 01:02:03"), utc);
    EXPECT_EQ(study::utc_moment_of("2026-11-23T02:02:03+01:00"), utc);
    EXPECT_EQ(study::utc_moment_of("2026-11-22T20:02:03-0500"), utc);
    EXPECT_EQ(study::utc_moment_of("2026-11-23T01:02:03.000000+00:00"), utc);
    EXPECT_EQ(study::utc_moment_of("2026-11-23T01:02:03.5Z"), "2026-11-23T01:02:03.500000Z");
    EXPECT_EQ(study::utc_moment_of("2026-11-23"), "2026-11-23T00:00:00.000000Z");
    EXPECT_EQ(study::utc_moment_of("2024-02-29 12:00"), "2024-02-29T12:00:00.000000Z");
    for (const char* wrong :
         {"", "today", "2026-02-29", "2026-13-01", "2026-11-23T25:00:00Z", "2026-11-23T01:02:03Q",
          "23/11/2026", "2026-11-23T01:02:03.Z", "0000-01-01T00:00:00+23:00", "1700000000"})
        EXPECT_EQ(study::utc_moment_of(wrong), std::nullopt) << wrong;
}

TEST(MadAnswers, TheSameFileTwiceAddsNothing) {
    AskedCompetition asked;
    const std::string text = header + asked.line(0, "anna,yes") + asked.line(1, "anna,no") +
                             asked.line(0, "ben,can't say") + asked.line(2, "anna,");
    AnswerRound round = asked.take(text);
    EXPECT_EQ(round.read, 3U);
    EXPECT_EQ(round.added, 3U);
    EXPECT_EQ(round.skipped, 1U);
    EXPECT_EQ(round.annotators, 2U);
    EXPECT_EQ(round.settled, 0U);
    EXPECT_EQ(round.open, asked.open.size());
    EXPECT_THAT(asked.counting(0), ElementsAre("anna yes", "ben cannot say"));
    round = asked.take(text);
    EXPECT_EQ(round.added + round.changed + round.outdated, 0U);
    EXPECT_EQ(round.repeated, 3U);
    EXPECT_EQ(asked.small.count("answer"), 3);
}

TEST(MadAnswers, TheLastOneOfAnAnnotatorCounts) {
    AskedCompetition asked;
    // Within one file, the last answer counts, also if an answer changes twice.
    const std::string text = header + asked.line(0, "anna,yes") + asked.line(0, "anna,yes") +
                             asked.line(0, "anna,no") + asked.line(0, "anna,yes");
    AnswerRound round = asked.take(text);
    EXPECT_EQ(round.added, 1U);
    EXPECT_EQ(round.changed, 2U);
    EXPECT_EQ(round.repeated, 1U);
    EXPECT_THAT(asked.counting(0), ElementsAre("anna yes"));
    EXPECT_EQ(asked.small.count("answer"), 3);
    EXPECT_EQ(asked.small.count("answer WHERE counts = 1"), 1);
    round = asked.take(text);
    EXPECT_EQ(round.repeated, 4U);
    EXPECT_EQ(asked.small.count("answer"), 3);
    // A later file overrides an earlier file.
    const std::string later = header + asked.line(0, "anna,no");
    round = asked.take(later);
    EXPECT_EQ(round.changed, 1U);  // although the first file also has it, before "yes"
    EXPECT_THAT(asked.counting(0), ElementsAre("anna no"));
    EXPECT_EQ(asked.take(text).repeated, 4U);  // a file with the same bytes was already read
    EXPECT_THAT(asked.counting(0), ElementsAre("anna no"));
    round = asked.take(header + asked.line(0, "anna,yes"));
    EXPECT_EQ(round.changed, 1U);
    EXPECT_THAT(asked.counting(0), ElementsAre("anna yes"));
    EXPECT_EQ(asked.take(later).repeated, 1U);
    round = asked.take(header + asked.line(0, "anna,unsure"));
    EXPECT_EQ(round.changed, 1U);
    EXPECT_THAT(asked.counting(0), ElementsAre("anna cannot say"));
}

TEST(MadAnswers, TimesDecideWhereTheyAreGiven) {
    AskedCompetition asked;
    const std::string timed = "question,annotator,answer,at\n";
    asked.take(timed + asked.line(0, "anna,no,2026-01-02T00:00:00Z") +
               asked.line(0, "anna,yes,2026-01-01T00:00:00Z"));
    EXPECT_THAT(asked.counting(0), ElementsAre("anna no"));
    EXPECT_EQ(asked.small.count("answer WHERE counts = 0"), 1);
    AnswerRound round = asked.take(timed + asked.line(0, "anna,yes,2026-01-01T12:00:00Z"));
    EXPECT_EQ(round.outdated, 1U);
    EXPECT_THAT(asked.counting(0), ElementsAre("anna no"));
    round = asked.take(timed + asked.line(0, "anna,yes,2026-01-03T00:00:00+09:00"));
    EXPECT_EQ(round.changed, 1U);  // 15:00 UTC of the previous day is past midnight of the 2nd
    EXPECT_THAT(asked.counting(0), ElementsAre("anna yes"));
    EXPECT_THAT(asked.refused(timed + asked.line(0, "anna,yes,yesterday")),
                HasSubstr("a.csv line 2: the time is `yesterday`"));
}

TEST(MadAnswers, WithTimesTheOrderOfRowsAndFilesDoesNotMatter) {
    std::vector<std::string> rows;
    RandomStream draws(1, "rows");
    const std::vector<std::string> words = {"yes", "no", "cannot say"};
    const std::vector<std::string> names = {"anna", "ben"};
    // this slow reference sorts by annotator, then by time
    std::map<std::string, std::pair<int, std::string>> last;
    AskedCompetition one, other;
    for (int minute = 0; minute < 60; ++minute) {
        const std::size_t question = draws.below(3);
        const std::string name = names[draws.below(2)], word = words[draws.below(3)];
        rows.push_back(
            one.line(question, fmt::format("{},{},2026-01-01T00:{:02}:00Z", name, word, minute)));
        last[fmt::format("{} {}", question, name)] = {minute, word};
    }
    const std::string timed = "question,annotator,answer,at\n";
    std::string forwards = timed, backwards = timed;
    for (const std::string& row : rows) forwards += row;
    one.take(forwards);
    for (std::size_t i = rows.size(); i-- > 30;) backwards += rows[(7 * i) % 30 + 30];
    other.take(backwards);
    backwards = timed;
    for (std::size_t i = 30; i-- > 0;) backwards += rows[i];
    other.take(backwards);
    for (std::size_t question = 0; question < 3; ++question) {
        std::vector<std::string> slow;
        for (const std::string& name : names)
            if (const auto found = last.find(fmt::format("{} {}", question, name));
                found != last.end()) {
                slow.push_back(name + " " + found->second.second);
            }
        EXPECT_EQ(one.counting(question), slow);
        EXPECT_EQ(other.counting(question), slow);
    }
}

TEST(MadAnswers, QuestionsByImageAndLabel) {
    AskedCompetition asked;
    std::size_t formula = asked.open.size();
    for (std::size_t q = 0; q < asked.open.size(); ++q)
        if (asked.open[q].image == "=1+1.jpg") formula = q;
    ASSERT_LT(formula, asked.open.size());
    const std::string label = asked.open[formula].label;
    AnswerRound round =
        asked.take("image,label,annotator,answer\n'=1+1.jpg," + label + ",'=anna(),yes\n");
    EXPECT_EQ(round.added, 1U);
    EXPECT_THAT(asked.counting(formula), ElementsAre("=anna() yes"));
    round = asked.take("path,class,annotator,answer\nhttps://host/x/%3D1%2B1.jpg," + label +
                       ",ben,no\n");
    EXPECT_EQ(round.added, 1U);
}

TEST(MadAnswers, ImagesOfTheSameNameAreNotTakenForOneAnother) {
    // There is no question about the last image, whose file has the same name as another one.
    AskedCompetition asked("else/image 001.jpg");
    std::string label;
    for (const OpenQuestion& question : asked.open)
        if (question.image == "crawl/image 001.jpg") label = question.label;
    ASSERT_NE(label, "");
    const auto row = [&](const std::string& image) {
        return "image,label,annotator,answer\n" + image + "," + label + ",anna,yes\n";
    };
    EXPECT_THAT(asked.refused(row("else/image 001.jpg")),
                HasSubstr("no question is about the image `else/image 001.jpg` of the data set"));
    for (const char* other : {"other/crawl/image 001.jpg", "image 001.jpg", "image_001.jpg",
                              "other/image 001.jpg", "1a2b3c4d-image_001.jpg"})
        EXPECT_THAT(asked.refused(row(other)),
                    HasSubstr(fmt::format("no question is about the image `{}`", other)));
    // An address with the other folder means the other image. An uploaded file has lost its folder,
    // so it is ambiguous.
    for (const char* other : {"/data/local-files/?d=else/image%20001.jpg",
                              "https://host/x/else/image%20001.jpg", "s3://else/image 001.jpg"})
        EXPECT_THAT(asked.refused(row(other)), HasSubstr("no question is about `n")) << other;
    EXPECT_THAT(asked.refused(row("/data/upload/3/1a2b3c4d-image_001.jpg")),
                HasSubstr("matches 2 images of the data set; use its id"));
    for (const char* strange :
         {"https://host/other/image%20001.jpg", "/data/upload/3/image_001.jpg"})
        EXPECT_THAT(asked.refused(row(strange)), HasSubstr("no question is about the image"));
    EXPECT_EQ(asked.small.count("answer"), 0);
    const std::string root = asked.small->image_root().string();
    for (const std::string& image :
         {std::string("crawl/image 001.jpg"), root + "/crawl/image 001.jpg",
          std::string("gs://crawl/image%20001.jpg"),
          std::string("/data/x?d=a=b/crawl/image 001.jpg")})
        EXPECT_EQ(asked.take(row(image)).read, 1U) << image;
    EXPECT_EQ(asked.small.count("answer WHERE counts = 1"), 1);
}

TEST(MadAnswers, APathThatTwoImagesHaveNamesNeither) {
    AskedCompetition asked;
    const std::string first = asked.open[0].image;
    std::size_t other = 1;
    while (asked.open[other].image == first) ++other;
    asked.small.database()
        .prepare("UPDATE image SET path = 'same.jpg' WHERE id IN (?, ?)")
        .bind(std::string_view(first))
        .bind(std::string_view(asked.open[other].image))
        .run();
    const std::string row = "same.jpg," + asked.open[0].label + ",anna,yes\n";
    EXPECT_THAT(asked.refused("image,label,annotator,answer\n" + row),
                HasSubstr("`same.jpg` matches 2 images"));
    // With the full name, the row belongs to the question.
    EXPECT_EQ(
        asked.take("question,image,label,annotator,answer\n" + asked.open[0].token + "," + row)
            .added,
        1U);
}

TEST(MadAnswers, WhatBlockedAnnotatorsSayIsSaidNotToCount) {
    AskedCompetition asked;
    EXPECT_THAT(asked.take(header + asked.line(0, "ben,yes")).warnings, IsEmpty());
    block_annotator(*asked.small, "ben", true, "guesses");
    const AnswerRound round = asked.take(header + asked.line(1, "ben,yes"));
    EXPECT_EQ(round.added, 1U);
    EXPECT_THAT(round.warnings,
                ElementsAre(HasSubstr("annotator `ben` is blocked: 2 answers of that name do not "
                                      "count; to include them again, type `assay mad block " +
                                      asked.small.file("mad").string() + " ben --undo`")));
    block_annotator(*asked.small, "ben", false, "");
    EXPECT_THAT(asked.take(header + asked.line(2, "ben,yes")).warnings, IsEmpty());
}

TEST(MadAnswers, ANameBehindAFolderIsNotThatOfAFlatDataSet) {
    AskedCompetition asked;
    EXPECT_THAT(asked.refused("image,label,annotator,answer\nother/folder/=1+1.jpg,ant,anna,yes\n"),
                HasSubstr("no question is about the image `other/folder/=1+1.jpg`"));
}

TEST(MadAnswers, QuestionImageAndLabelMustAgree) {
    AskedCompetition asked;
    std::size_t other = 1;
    while (asked.open[other].image == asked.open[0].image) ++other;
    const std::string full = "question,image,label,annotator,answer\n";
    const auto row = [&](const std::string& image, const std::string& label) {
        std::string text = full;
        CsvWriter csv(text);
        csv.row({asked.open[0].token, image, label, "anna", "yes"});
        return text;
    };
    const std::string& image = asked.open[0].image;
    const std::string& label = asked.open[0].label;
    EXPECT_THAT(asked.refused(row(asked.open[other].image, label)),
                AllOf(HasSubstr("a.csv line 2: the question `" + asked.open[0].token),
                      HasSubstr("is about the image `"), HasSubstr("was one column sorted")));
    EXPECT_THAT(asked.refused(row(image, label == "n1" ? "n2" : "n1")),
                HasSubstr("is about `" + label + "`, but the row names `n"));
    EXPECT_EQ(asked.small.count("answer"), 0);
    // Further columns may agree with the question, have unknown texts, or be empty.
    for (const std::string& text : {row(image, label), row("a note", "some words"), row("", "")})
        EXPECT_EQ(asked.take(text).read, 1U) << text;
    EXPECT_THAT(asked.counting(0), ElementsAre("anna yes"));
}

TEST(MadAnswers, TagsStayIfTheSameAnswerComesWithoutThem) {
    AskedCompetition asked;
    const std::string with_tags = "question,annotator,answer,at,tags\n";
    const auto tags = [&] {
        Statement row = asked.small.database().prepare("SELECT tags FROM answer WHERE counts = 1");
        return row.step() ? row.text(0) : "none";
    };
    asked.take(with_tags + asked.line(0, "anna,yes,2026-11-23T01:02:03Z,dark; small"));
    EXPECT_EQ(tags(), "dark\nsmall");
    const AnswerRound same = asked.take("question,annotator,answer,at\n" +
                                        asked.line(0, "anna,yes,2026-11-23T01:02:04Z"));
    EXPECT_EQ(same.repeated, 1U);
    EXPECT_EQ(tags(), "dark\nsmall");
    const AnswerRound other =
        asked.take(with_tags + asked.line(0, "anna,yes,2026-11-23T01:02:05Z,far"));
    EXPECT_EQ(other.changed, 1U);
    EXPECT_EQ(other.repeated, 0U);
    EXPECT_EQ(tags(), "far");
    // The tags of another answer are not kept.
    asked.take("question,annotator,answer,at\n" + asked.line(0, "anna,no,2026-11-23T01:02:06Z"));
    EXPECT_EQ(tags(), "");
    EXPECT_THAT(asked.refused(with_tags + asked.line(0, "anna,no,2026-11-23T01:02:07Z," +
                                                            std::string(201, 'x'))),
                HasSubstr("a.csv line 2: the column `tags`: the tag `"));
}

TEST(MadAnswers, WhatIsWrongIsRefusedAsAWhole) {
    AskedCompetition asked;
    const std::string near = asked.open[1].token.substr(0, 16) + "z";
    EXPECT_THAT(asked.refused(header + asked.line(0, "anna,yes") + near + ",anna,yes\n"),
                AllOf(HasSubstr("a.csv line 3: `" + near + "` is not a question"),
                      HasSubstr("did you mean `" + asked.open[1].token + "`?")));
    EXPECT_EQ(asked.small.count("answer"), 0);
    EXPECT_EQ(asked.small.count("annotator"), 0);
    EXPECT_THAT(asked.refused(header + asked.line(0, "anna,maybe")),
                AllOf(HasSubstr("line 2: the answer is `maybe`; allowed: yes, no, cannot say")));
    EXPECT_THAT(asked.refused(header + asked.line(0, ",yes")), HasSubstr("--annotator NAME"));
    EXPECT_THAT(asked.refused("question,answer\n" + asked.line(0, "yes")),
                HasSubstr("--annotator NAME"));
    EXPECT_THAT(asked.refused("q,answer\nx,yes\n"), HasSubstr("question"));
    EXPECT_THAT(asked.refused("question,annotator\nx,anna\n"), HasSubstr("answer"));
    EXPECT_THAT(asked.refused(""), HasSubstr("it is empty"));
    EXPECT_THAT(asked.refused("image,label,annotator,answer\nnone.jpg,ant,anna,yes\n"),
                HasSubstr("no question is about the image `none.jpg`"));
    EXPECT_THAT(
        asked.refused("image,label,annotator,answer\n" + asked.open[0].image + ",wolf,anna,yes\n"),
        HasSubstr("`wolf` is not a class"));
    EXPECT_THAT(asked.refused(header + asked.line(0, std::string(300, 'a') + ",yes")),
                HasSubstr("a name of 300 bytes"));
    EXPECT_THAT(asked.refused(header + "\"" + asked.open[0].token + ",anna,yes\n"),
                HasSubstr("a.csv"));
}

// An export could not write these names as text.
TEST(MadAnswers, NamesAndKeysThatAreNoTextAreRefused) {
    AskedCompetition asked;
    EXPECT_THAT(asked.refused(header + asked.line(0, "anna,yes") + asked.line(0, "Jos\xe9,yes")),
                HasSubstr("a.csv line 3: the annotator is `Jos\\xe9`; allowed: text in UTF-8"));
    EXPECT_THAT(asked.refused(header + asked.line(0, "\"a\nb\",yes")),
                HasSubstr("the annotator is `a?b`; allowed"));
    EXPECT_THAT(
        asked.refused("question,annotator,answer,key\n" + asked.line(0, "anna,yes,k\x1b[2J")),
        HasSubstr("the key is `k\\x1b[2J`; allowed"));
    EXPECT_THAT(asked.refused(header + asked.line(0, "anna,yes"), ErrorCode::bad_input, "\xff"),
                HasSubstr("the annotator is `\\xff`; allowed"));
    EXPECT_EQ(asked.small.count("answer"), 0);
    EXPECT_EQ(asked.small.count("annotator"), 0);
}

TEST(MadAnswers, WhoseTheyAre) {
    AskedCompetition asked;
    asked.take("question,answer\n" + asked.line(0, "yes"), "anna");
    asked.take(header + asked.line(1, "1,yes") + asked.line(2, "1,no"), "anna");
    EXPECT_THAT(asked.counting(1), ElementsAre("anna yes"));
    EXPECT_THAT(asked.refused(header + asked.line(3, "1,yes") + asked.line(4, "2,no"),
                              ErrorCode::usage, "anna"),
                AllOf(HasSubstr("a.csv line 3"), HasSubstr("of `1` and of `2`")));
    // If the file also names another annotator, rows without a name cannot all belong to
    // --annotator.
    EXPECT_THAT(asked.refused(header + asked.line(3, ",yes") + asked.line(4, "ben,no"),
                              ErrorCode::usage, "anna"),
                AllOf(HasSubstr("a.csv line 3"), HasSubstr("of nobody by name and of `ben`")));
    EXPECT_THAT(asked.refused(header + asked.line(3, "ben,yes") + asked.line(4, ",no"),
                              ErrorCode::usage, "anna"),
                HasSubstr("of `ben` and of nobody by name, so they cannot all belong to `anna`"));
    EXPECT_EQ(asked.small.count("answer"), 3);
}

TEST(MadAnswers, KeysOfTheUsersOwn) {
    AskedCompetition asked;
    const std::string keyed = "question,annotator,answer,key\n";
    asked.take(keyed + asked.line(0, "anna,yes,k1"));
    EXPECT_EQ(asked.take(keyed + asked.line(0, "anna,yes,k1")).repeated, 1U);
    EXPECT_THAT(asked.refused(keyed + asked.line(0, "anna,no,k1")),
                HasSubstr("line 2: the key `k1` belongs to another answer"));
}

TEST(MadAnswers, BlockedAnnotatorsCountForNothing) {
    AskedCompetition asked;
    asked.small.answer_truly({"anna", "ben", "cleo"});
    EXPECT_THAT(open_questions(*asked.small), IsEmpty());
    BlockRound round = block_annotator(*asked.small, "ben", true, "guesses");
    EXPECT_TRUE(round.changed);
    EXPECT_EQ(round.answers, asked.open.size());
    EXPECT_EQ(round.settled, 0U);
    EXPECT_EQ(open_questions(*asked.small).size(), asked.open.size());
    EXPECT_EQ(open_questions(*asked.small).front().answers, 2U);
    EXPECT_FALSE(block_annotator(*asked.small, "ben", true, "").changed);
    EXPECT_EQ(asked.small.count("decision WHERE kind = 'blocked' AND reason = 'guesses'"), 1);
    round = block_annotator(*asked.small, "ben", false, "");
    EXPECT_EQ(round.settled, asked.open.size());
    EXPECT_THAT(
        message_of([&] { block_annotator(*asked.small, "bem", true, ""); }, ErrorCode::usage),
        HasSubstr("did you mean `ben`?"));
}

TEST(MadAnswers, FilesBeforeABadOneAreIn) {
    AskedCompetition asked;
    const auto good = asked.small.write("good.csv", header + asked.line(0, "anna,yes"));
    const auto bad = asked.small.write("bad.csv", header + asked.line(0, "ben,perhaps"));
    EXPECT_THAT(message_of([&] {
                    read_answers_into(*asked.small, std::vector{good, bad});
                }),
                AllOf(HasSubstr("bad.csv line 2"), HasSubstr("file 2 of 2"),
                      HasSubstr("of the files before it are imported")));
    EXPECT_THAT(asked.counting(0), ElementsAre("anna yes"));
    const std::vector<AnswerRound> rounds = read_answers_into(*asked.small, std::vector{good});
    EXPECT_EQ(report_of(rounds).result["files"][0]["repeated"], 1);
    EXPECT_THAT(render(report_of(rounds), ReportFormat::text), HasSubstr("Questions: 0 settled"));
}

TEST(MadAnswers, KnownAnswersThatPeopleContradictAreWarnedAbout) {
    CompetitionSettings settings = SmallCompetition::usual_settings();
    settings.gold = .01;
    SmallCompetition small(2, 45, settings);
    small.select(2);
    const auto gold = small.write("gold.csv", "image,label,answer\n" + small.id(40) + ",bee,yes\n");
    ask_questions(*small, {.gold = gold, .budget = {}, .stop_at = {}, .reason = {}});
    small.answer_truly({"anna", "ben"});  // image 40 shows an ant
    const auto third = small.write(
        "third.csv", small.answers(open_questions(*small), "cleo", [&](const OpenQuestion& q) {
            return small.truth(q) ? "yes" : "no";
        }));
    const AnswerRound round = read_answers_into(*small, {.file = third, .annotator = {}});
    ASSERT_EQ(round.warnings.size(), 1U);
    EXPECT_THAT(round.warnings[0],
                HasSubstr("the known answer is yes, but 3 of 3 annotators say no"));
}

TEST(MadAnswers, OneWhoSaysYesToEverythingIsNamed) {
    AskedCompetition asked;
    asked.small.answer_truly({"anna", "ben"});
    const auto file = asked.small.write(
        "yes.csv", asked.small.answers(asked.open, "cleo", [](const auto&) { return "yes"; }));
    const AnswerRound round = read_answers_into(*asked.small, {.file = file, .annotator = {}});
    ASSERT_FALSE(round.warnings.empty());
    EXPECT_THAT(round.warnings[0], HasSubstr("annotator `cleo` says yes to everything"));
}

TEST(MadAnswers, AnExportIsReadAgain) {
    AskedCompetition asked;
    asked.small.answer_truly({"anna", "ben@x.org", "=cleo"});
    block_annotator(*asked.small, "ben@x.org", true, "");
    const auto out = asked.small.file("out");
    const std::vector<std::filesystem::path> files = export_competition(*asked.small, out);
    ASSERT_EQ(files.size(), 9U);
    std::vector<std::string> texts;
    for (const auto& file : files) texts.push_back(read_text(file));
    export_competition(*asked.small, out);  // its own files may be replaced by equal bytes
    for (std::size_t f = 0; f < files.size(); ++f) EXPECT_EQ(read_text(files[f]), texts[f]);
    EXPECT_THAT(texts[4], HasSubstr("'=cleo"));

    // A competition with the same seed has the same questions, and no answers yet.
    for (const char* name : {"answers.csv", "annotations.json"}) {
        AskedCompetition fresh;
        const AnswerRound round =
            read_answers_into(*fresh.small, {.file = out / name, .annotator = {}});
        // Blocked annotators are only in the table.
        const bool table = std::string_view(name) == "answers.csv";
        EXPECT_EQ(round.added, (table ? 3 : 2) * fresh.open.size()) << name;
        EXPECT_THAT(fresh.counting(0), testing::Contains(HasSubstr("=cleo ")));
        EXPECT_EQ(read_answers_into(*fresh.small, {.file = out / name, .annotator = {}}).repeated,
                  round.read);
    }
    asked.small.write("out/notes.txt", "mine");
    EXPECT_THAT(message_of([&] { export_competition(*asked.small, out); }, ErrorCode::usage),
                HasSubstr("`notes.txt`"));
}

TEST(MadAnswers, AnExportNamesUsersOfLabelStudioOnlyWhereAsked) {
    AskedCompetition asked;
    asked.small.answer_truly({"anna", "ben@x.org"});
    const auto out = asked.small.file("out");
    export_competition(*asked.small, out);
    const std::string plain = read_text(out / "annotations.json");
    EXPECT_THAT(plain, testing::Not(HasSubstr("completed_by")));
    EXPECT_THAT(plain, HasSubstr("ben@x.org"));
    AskedCompetition fresh;
    read_answers_into(*fresh.small, {.file = out / "annotations.json", .annotator = {}});
    EXPECT_THAT(fresh.counting(0), testing::Contains(HasSubstr("ben@x.org ")));

    export_competition(*asked.small, out, {}, true);
    const nlohmann::json tasks = nlohmann::json::parse(read_text(out / "annotations.json"));
    std::set<std::string> users;
    for (const nlohmann::json& annotation : tasks.at(0).at("annotations"))
        users.insert(
            annotation.value("completed_by", nlohmann::json::object()).value("email", "-"));
    EXPECT_THAT(users, testing::ElementsAre("-", "ben@x.org"));
}

TEST(MadAnswers, AnExportReplacesNothingButExports) {
    AskedCompetition asked;
    const auto refused = [&] {
        return message_of([&] { export_competition(*asked.small, asked.small.file("out")); },
                          ErrorCode::usage);
    };
    // A table with that name belongs to the user.
    std::filesystem::create_directory(asked.small.file("out"));
    const auto own = asked.small.write("out/answers.csv", "question,annotator,answer\n");
    EXPECT_THAT(refused(), HasSubstr("`answers.csv` that was changed after the export;"));
    EXPECT_EQ(read_text(own), "question,annotator,answer\n");
    EXPECT_FALSE(std::filesystem::exists(asked.small.file("out/questions.csv")));
    std::filesystem::remove(own);

    // A later export replaces files of an earlier one, unless somebody has changed them.
    export_competition(*asked.small, asked.small.file("out"));
    asked.small.answer_truly({"anna"});
    export_competition(*asked.small, asked.small.file("out"));
    EXPECT_THAT(read_text(own), HasSubstr("anna"));
    const std::string filled = read_text(own) + "more\n";
    asked.small.write("out/answers.csv", filled);
    EXPECT_THAT(refused(), HasSubstr("`answers.csv` that was changed"));
    EXPECT_EQ(read_text(own), filled);
    std::filesystem::remove(own);
    export_competition(*asked.small, asked.small.file("out"));  // a missing file is written again

    asked.small.write("out/export.json", "{");
    EXPECT_NE(message_of([&] { export_competition(*asked.small, asked.small.file("out")); }), "");
}

}  // namespace
}  // namespace assay::mad
