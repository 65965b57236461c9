// Tables of questions in all supported forms, and tables that contradict themselves.
#include "labelling/question_csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"

namespace assay::labelling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

QuestionSet read(std::string_view text, Task task = Task::yes_no) {
    return read_question_csv(text, "q.csv", task);
}
std::string refused(std::string_view text, Task task = Task::yes_no) {
    return message_of([&] { read(text, task); });
}
std::string path_of(const QuestionSet& set, std::size_t image) {
    return std::string(set.paths[set.path_of[image]]);
}

TEST(QuestionCsv, WhatProposeWrites) {
    const QuestionSet set = read(
        "item,path,label,class,proposed_by,prior\n"
        "a,val/a.jpg,n01440764,tench,resnet vit,0.75\n"
        "a,val/a.jpg,n01443537,goldfish,original,0.1\n");
    EXPECT_EQ(set.images.size(), 1U);
    EXPECT_EQ(path_of(set, 0), "val/a.jpg");
    ASSERT_EQ(set.questions.size(), 2U);
    EXPECT_EQ(set.labels[1].id, "n01443537");
    EXPECT_EQ(set.labels[1].name, "goldfish");
    EXPECT_FALSE(set.questions[0].known);
    EXPECT_THAT(set.warnings, IsEmpty());
}

TEST(QuestionCsv, VotesOfAToolAreQuestionsOnce) {
    // For "which class", each chosen class gets a question. For yes or no, the table names the
    // class.
    const std::vector<std::string> texts = {
        R"([{"image":"a.png","annotator":1,"choice":"cat"},{"image":"a.png","annotator":2,"choice":"dog"},)"
        R"({"image":"/data/upload/1/1a2b3c4d-a.png","annotator":3,"choice":"cat"}])",
        "WorkerId,Input.image,Input.label,Answer.answer\n1,a.png,cat,yes\n2,a.png,dog,no\n"
        "2,a.png,cat,no\n",
        "image,rater1,rater2\na.png,cat,dog\n"};
    for (const std::string& text : texts) {
        SCOPED_TRACE(text);
        const QuestionSet set = read(text);
        EXPECT_EQ(set.images.size(), 1U);
        EXPECT_EQ(set.images[0], "a.png");
        ASSERT_EQ(set.questions.size(), 2U);
        EXPECT_EQ(set.labels[0].id, "cat");
        EXPECT_EQ(set.labels[1].id, "dog");
        EXPECT_THAT(set.warnings, Not(IsEmpty()));
    }
    EXPECT_THAT(refused("WorkerId,Input.image\n1,a.png\n"), HasSubstr("no column answer."));
    // The table has no answers.
    EXPECT_EQ(read("image,label,rater1,rater2\na.png,cat,,\nb.png,cat,yes,\n").questions.size(),
              2U);
}

TEST(QuestionCsv, WhatACompetitionWrites) {
    const QuestionSet set = read(
        "question,image,path,label,name,answers,wanted\n"
        "q01,'=a,'=a.jpg,cat,'-cat,0,5\n");
    EXPECT_EQ(set.images[0], "=a");
    EXPECT_EQ(path_of(set, 0), "=a.jpg");
    EXPECT_EQ(set.labels[0].name, "-cat");
    EXPECT_THAT(set.warnings, IsEmpty());
}

TEST(QuestionCsv, SelectionsAreAQuestionHoweverManyAnnotatorsSawIt) {
    const QuestionSet set = read(
        "annotator,image,label,selected,batch,control\n"
        "anna,a,cat,1,b1,0\nanna,b,cat,0,b1,1\nben,a,cat,0,b1,0\nben,b,cat,1,b1,1\n",
        Task::grid);
    ASSERT_EQ(set.questions.size(), 2U);
    EXPECT_FALSE(set.questions[0].known);
    EXPECT_EQ(set.questions[1].known, false);
    EXPECT_EQ(set.batches[set.questions[1].batch], "b1");
    EXPECT_THAT(set.warnings, IsEmpty());
}

TEST(QuestionCsv, BatchesThatDifferBetweenAnnotatorsAreLeftOut) {
    const QuestionSet set =
        read("annotator,image,label,selected,batch\nanna,a,cat,1,b1\nben,a,cat,0,b2\n", Task::grid);
    EXPECT_EQ(set.questions[0].batch, 0U);
    EXPECT_THAT(set.warnings, ElementsAre(HasSubstr("different batches")));
    EXPECT_THAT(refused("image,label,batch\na,cat,b1\na,cat,b2\n", Task::grid),
                HasSubstr("line 3: the question about `a` and `cat` is also in line 2"));
}

TEST(QuestionCsv, PlainTables) {
    const QuestionSet set = read("path,class\na.jpg,cat\nsub/b c.jpg,dog\n");
    EXPECT_EQ(set.images[1], "sub/b c.jpg");
    EXPECT_EQ(path_of(set, 1), "sub/b c.jpg");
    EXPECT_EQ(set.labels[1].id, "dog");
    EXPECT_EQ(set.labels[1].name, "");
}

TEST(QuestionCsv, SpreadsheetsOfOtherCountries) {
    const QuestionSet set =
        read("\xEF\xBB\xBFImage;Label;Definition\r\na.jpg;cat;purrs, mostly\r\n");
    EXPECT_EQ(set.images[0], "a.jpg");
    EXPECT_EQ(set.labels[0].definition, "purrs, mostly");
    EXPECT_EQ(read("item,label,\na,cat,\n,,\n , ,\n").questions.size(), 1U);
    EXPECT_EQ(read("item\tlabel\na,b\tcat\n").images[0], "a,b");
}

TEST(QuestionCsv, KnownAnswersInTheCommonSpellings) {
    const QuestionSet set = read("item,label,gold\na,x,Yes\nb,x,0\nc,x,\nd,x,FALSE\n");
    EXPECT_EQ(set.questions[0].known, true);
    EXPECT_EQ(set.questions[1].known, false);
    EXPECT_FALSE(set.questions[2].known);
    EXPECT_EQ(set.questions[3].known, false);
    EXPECT_THAT(refused("item,label,answer\na,x,maybe\n"), HasSubstr("neither yes nor no"));
    EXPECT_THAT(refused("item,label,answer\na,x,unsure\n"), HasSubstr("`unsure`"));
    EXPECT_THAT(refused("item,label,answer,control\na,x,yes,1\n"), HasSubstr("control is 1"));
    EXPECT_THAT(refused("item,label,control\na,x,2\n"), HasSubstr("neither 0 nor 1"));
}

TEST(QuestionCsv, VotesAreNoKnownAnswers) {
    const QuestionSet set = read("annotator,item,label,answer\nanna,a,x,maybe\nben,a,x,yes\n");
    ASSERT_EQ(set.questions.size(), 1U);
    EXPECT_FALSE(set.questions[0].known);
    EXPECT_THAT(set.warnings, ElementsAre(HasSubstr("has earlier answers of annotators")));
}

TEST(QuestionCsv, TheSameTwiceIsOnce) {
    const QuestionSet set = read("item,label,answer\na,x,\na,x,no\na,x,no\n");
    ASSERT_EQ(set.questions.size(), 1U);
    EXPECT_EQ(set.questions[0].known, false);
    EXPECT_EQ(set.questions[0].known_line, 3U);
    EXPECT_THAT(refused("item,label,answer\na,x,no\nb,x,no\na,x,yes\n"),
                HasSubstr("line 4: `x` is true of `a` here, but line 2 says false"));
}

TEST(QuestionCsv, LabelsAndImagesSayOneThing) {
    EXPECT_THAT(refused("item,label,class\na,x,cat\nb,x,dog\n"),
                HasSubstr("line 3: the class of `x` is `dog` here, but line 2 has `cat`"));
    EXPECT_THAT(refused("item,label,definition\na,x,one\nb,x,two\n"), HasSubstr("definition"));
    EXPECT_THAT(refused("item,path,label\na,1.jpg,x\na,2.jpg,y\n"),
                HasSubstr("the path of `a` is `2.jpg`, but `1.jpg` in line 2"));
    const QuestionSet set = read("item,label,definition\na,x,\nb,x,one\nc,x, one \n");
    EXPECT_EQ(set.labels[0].definition, "one");
}

TEST(QuestionCsv, MisspeltColumnsAreNamed) {
    EXPECT_THAT(read("item,label,defintion\na,x,y\n").warnings,
                ElementsAre("column `defintion` is not used; did you mean `definition`?"));
    EXPECT_THAT(read("item,label,weather\na,x,y\n").warnings, IsEmpty());
    EXPECT_THAT(read("item,label,batch\na,x,y\n").warnings,
                ElementsAre(HasSubstr("only applies to grids")));
}

TEST(QuestionCsv, Damaged) {
    EXPECT_THAT(refused(""), HasSubstr("q.csv"));
    EXPECT_THAT(refused("item,label\n"), HasSubstr("it holds no question"));
    EXPECT_THAT(refused("item,answer\na,yes\n"), HasSubstr("label"));
    EXPECT_THAT(refused("label\nx\n"), HasSubstr("item"));
    EXPECT_THAT(refused("item,label\na,\n"), HasSubstr("line 2: the label is empty"));
    EXPECT_THAT(refused("item,label\n ,x\n"), HasSubstr("the item is empty"));
    EXPECT_THAT(refused("item,label\na\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("item,label\na," + std::string(2000, 'x') + "\n"),
                HasSubstr("the label has 2000 bytes; at most 1000 are allowed"));
    EXPECT_THAT(refused("item,label\na,\xE9t\xE9\n"), HasSubstr("the label is not UTF-8"));
    EXPECT_THAT(refused("item,label\n\"a,x\n"), HasSubstr("q.csv"));
    EXPECT_THAT(refused("item,label\na,x\nitem,label\nb,x\n"),
                HasSubstr("line 3: the header appears here again"));
    EXPECT_THAT(refused("item,label,label\na,x,y\n"), HasSubstr("label"));
}

TEST(QuestionCsv, AsManyLabelsAsACompetition) {
    std::string text = "item,label\n";
    for (std::size_t l = 0; l < most_labels; ++l) text += fmt::format("a,c{}\n", l);
    EXPECT_EQ(read(text).labels.size(), most_labels);
    EXPECT_THAT(refused(text + "a,another\n"), HasSubstr("line 65537: more than 65535 labels"));
}

TEST(QuestionCsv, FingerprintsAreOfWhatIsAsked) {
    const std::string one = fingerprint_of(read("item,label\na,x\nb,x\n"));
    EXPECT_EQ(one, fingerprint_of(read("\xEF\xBB\xBFlabel;item;more\r\nx;a;1\r\nx;b;2\r\n")));
    EXPECT_NE(one, fingerprint_of(read("item,label\nb,x\na,x\n")));
    EXPECT_NE(one, fingerprint_of(read("item,label,answer\na,x,no\nb,x,\n")));
    EXPECT_NE(one, fingerprint_of(read("item,label,path\na,x,a.png\nb,x,b\n")));
}

}  // namespace
}  // namespace assay::labelling
