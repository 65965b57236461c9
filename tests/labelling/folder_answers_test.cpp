// Tests that later commands read people's answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "assay/annotation/votes.h"
#include "assay/labelling/folder.h"
#include "assay/replication/selections.h"
#include "core/file.h"
#include "labelling/book.h"
#include "message_of.h"
#include "scratch.h"

namespace assay::labelling {
namespace {

class FolderAnswers : public testing::Test {
protected:
    static FolderOptions options_of(const std::filesystem::path& questions, Task task) {
        FolderOptions options;
        options.questions = questions;
        options.task = task;
        return options;
    }
    void make(const std::string& questions, Task task) {
        write_file_atomically(scratch_ / "q.csv", questions);
        make_folder(folder_, options_of(scratch_ / "q.csv", task));
        book_ = open_folder_book(folder_);
        book_->database().execute(
            "INSERT INTO annotator (name, blocked) VALUES ('anna', 0), ('=ben, jr', 0), "
            "('eve', 1)");
    }
    void say(int question, int annotator, Answer answer, bool counts = true) {
        book_->database().execute(
            fmt::format("INSERT INTO answer (question, annotator, answer, at, source, counts) "
                        "VALUES ({}, {}, {}, '2026-11-23T01:02:03Z', 'page', {})",
                        question, annotator, static_cast<int>(answer), counts ? 1 : 0));
    }
    std::filesystem::path written() {
        text_.clear();
        write_answers_csv(folder_, [&](std::string_view piece) { text_ += piece; });
        write_file_atomically(scratch_ / "answers.csv", text_);
        return scratch_ / "answers.csv";
    }
    Scratch scratch_;
    std::filesystem::path folder_ = scratch_ / "study";
    std::unique_ptr<AnswerBook> book_;
    std::string text_;
};

TEST_F(FolderAnswers, VotesThatAggregateReads) {
    make("item,label,class\na,cat,Cat\n\"b,c\",cat,Cat\n", Task::yes_no);
    say(1, 1, Answer::no, false);  // this answer is corrected below
    say(2, 2, Answer::cannot_say);
    say(1, 1, Answer::yes);
    say(1, 3, Answer::no);  // this annotator is blocked
    const Votes votes = read_votes(written());
    EXPECT_EQ(votes.read, 2U);
    EXPECT_EQ(votes.problems.total(), 0U);
    ASSERT_EQ(votes.questions(), 2U);
    // Answers are in the order in which they were given.
    EXPECT_EQ(votes.items[0], "b,c");
    EXPECT_EQ(votes.annotators[0], "=ben, jr");
    EXPECT_EQ(votes.labels[0], "cat");
    ASSERT_EQ(votes.of(0).size(), 1U);
    EXPECT_EQ(votes.of(0)[0], 1U);          // the answer maybe
    EXPECT_EQ(votes.of(1)[0], 1U * 3 + 2);  // anna is the second annotator, and answered yes
    EXPECT_EQ(text_.substr(0, text_.find('\n')), "item,label,class,annotator,answer,question,at");
}

TEST_F(FolderAnswers, LabelsOfImagesAreVotes) {
    make("item,label\na,cat\na,dog\nb,cat\n", Task::labels);
    say(1, 1, Answer::yes);
    say(2, 1, Answer::no);
    const Votes votes = read_votes(written());
    EXPECT_EQ(votes.questions(), 2U);
    EXPECT_EQ(votes.items.size(), 1U);
    EXPECT_EQ(votes.problems.total(), 0U);
}

TEST_F(FolderAnswers, SelectionsThatReplicateReads) {
    make("image,label,batch,control\na,cat,one,\nb,cat,one,1\nc,cat,two,\n", Task::grid);
    for (const int annotator : {1, 2, 3})
        for (const int question : {1, 2, 3})
            say(question, annotator,
                question == 1   ? Answer::yes
                : question == 2 ? Answer::no
                                : Answer::cannot_say);
    replication::StudyNames names;
    const replication::Selections read = replication::read_selections(written(), names);
    // Only the first two images have answers, because nobody saw the third one.
    ASSERT_EQ(read.rows.size(), 4U);
    EXPECT_TRUE(read.has_batches);
    EXPECT_TRUE(read.has_controls);
    EXPECT_EQ(names.annotators[read.rows[0].annotator], "anna");
    EXPECT_TRUE(read.rows[0].selected);
    EXPECT_FALSE(read.rows[0].control);
    EXPECT_TRUE(read.rows[1].control);
    EXPECT_FALSE(read.rows[1].selected);
    EXPECT_TRUE(read.rows[2].selected);
    EXPECT_EQ(names.batches[read.rows[0].batch], "one");
    const replication::Readings readings = count_readings(read);
    EXPECT_EQ(readings.size(), 1U);  // without the control image
    EXPECT_EQ(readings.annotators[0], 2U);
    EXPECT_EQ(readings.selected[0], 2U);
}

TEST_F(FolderAnswers, SelectionsAskedAnewAreTheSameQuestions) {
    make("image,label\na,cat\nb,cat\n", Task::grid);
    say(1, 1, Answer::yes);
    say(2, 1, Answer::no);
    say(1, 2, Answer::no);
    say(2, 2, Answer::no);
    const FolderSummary again = make_folder(scratch_ / "again", options_of(written(), Task::grid));
    EXPECT_EQ(again.questions, 2U);
    EXPECT_EQ(again.screens, 1U);
}

TEST_F(FolderAnswers, BatchesAreNamed) {
    make("image,label,batch\na,cat,one\nb,cat,two\n", Task::grid);
    say(1, 1, Answer::yes);
    say(2, 1, Answer::no);
    replication::StudyNames names;
    const replication::Selections read = replication::read_selections(written(), names);
    ASSERT_EQ(read.rows.size(), 2U);
    EXPECT_EQ(names.batches[read.rows[0].batch], "one");
    EXPECT_EQ(names.batches[read.rows[1].batch], "two");
}

TEST_F(FolderAnswers, NoneOfADamagedFolderIsLost) {
    for (const auto& [damage, message] : std::map<std::string, std::string>{
             {"DELETE FROM image WHERE number = 0", "answer 1 belongs to image 0, which does not"},
             {"DELETE FROM class", "answer 1 belongs to label 0, which does not exist"},
             {"DELETE FROM question WHERE id = 2",
              "answer 2 belongs to question 2, which does not"},
             {"DELETE FROM annotator WHERE id = 1",
              "answer 1 belongs to annotator 1, which does not exist"},
             {"DELETE FROM shown WHERE question = 2", "answer 2 has no screen"},
             {"DELETE FROM screen", "answer 1 belongs to screen "},
             {"DROP TABLE shown; CREATE TABLE shown (screen INTEGER, place INTEGER, question "
              "INTEGER); INSERT INTO shown VALUES (1, 0, 1), (2, 0, 1), (2, 1, 2)",
              "answer 1 belongs to more than one annotator or screen"},
         }) {
        for (const Task task : {Task::yes_no, Task::grid}) {
            book_.reset();
            std::filesystem::remove_all(folder_);
            make("item,label\na,cat\nb,cat\n", task);
            say(1, 1, Answer::yes);
            say(2, 1, Answer::no);
            book_->database().execute("PRAGMA foreign_keys = OFF; " + damage);
            EXPECT_THAT(message_of([&] { written(); }), testing::HasSubstr(message)) << damage;
        }
    }
}

TEST_F(FolderAnswers, NobodyHasAnswered) {
    make("item,label\na,cat\n", Task::yes_no);
    written();
    EXPECT_EQ(text_, "item,label,class,annotator,answer,question,at\n");
}

TEST_F(FolderAnswers, ManyComeInPieces) {
    std::string text = "item,label\n";
    for (int i = 0; i < 3000; ++i) text += fmt::format("an image with a long name {},cat\n", i);
    make(text, Task::yes_no);
    Transaction all(book_->database());
    for (int q = 1; q <= 3000; ++q) say(q, 1, Answer::yes);
    all.commit();
    std::size_t pieces = 0, largest = 0;
    write_answers_csv(folder_, [&](std::string_view piece) {
        ++pieces;
        largest = std::max(largest, piece.size());
    });
    EXPECT_GT(pieces, 2U);
    EXPECT_LT(largest, 100000U);
    EXPECT_EQ(read_votes(written()).questions(), 3000U);
    EXPECT_EQ(folder_summary(folder_).annotators, 1U);
}

}  // namespace
}  // namespace assay::labelling
