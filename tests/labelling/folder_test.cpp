// Folders of questions: written completely or not at all, recognized on a second call,
// distinguished from others, read back, and checked for damage.
#include "assay/labelling/folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/file.h"
#include "core/paths.h"
#include "labelling/book.h"
#include "message_of.h"
#include "scratch.h"

namespace assay::labelling {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Folders : public testing::Test {
protected:
    fs::path write(const std::string& name, const std::string& text) {
        fs::create_directories((scratch_ / name).parent_path());
        write_file_atomically(scratch_ / name, text);
        return scratch_ / name;
    }
    FolderOptions options(Task task = Task::yes_no) {
        write("images/a.png", "a");
        write("images/b.png", "b");
        FolderOptions options;
        options.task = task;
        options.questions = write("q.csv",
                                  "item,path,label,class,answer\n"
                                  "a,images/a.png,n01440764,tench,yes\n"
                                  "a,images/a.png,dog,Hund,\n"
                                  "b,images/b.png,n01440764,tench,no\n");
        return options;
    }
    /// Changes the database by a direct SQL statement.
    void change(const std::string& sql, const fs::path& folder) {
        Database(folder / "labelling.sqlite", Database::Access::write).execute(sql);
    }
    std::string usage(const FolderOptions& options) {
        return message_of([&] { make_folder(folder_, options); }, ErrorCode::usage);
    }
    Scratch scratch_;
    fs::path folder_ = scratch_ / "study";
};

TEST_F(Folders, HoldsWhatTheTableSays) {
    const FolderSummary made = make_folder(folder_, options());
    EXPECT_EQ(made.folder, folder_);
    EXPECT_EQ(made.title, "q");
    EXPECT_EQ(made.questions, 3U);
    EXPECT_EQ(made.images, 2U);
    EXPECT_EQ(made.labels, 2U);
    EXPECT_EQ(made.screens, 3U);
    EXPECT_EQ(made.known, 2U);
    EXPECT_EQ(made.votes, 5U);
    EXPECT_EQ(made.answers + made.annotators + made.blocked + made.complete, 0U);
    EXPECT_THAT(made.warnings, IsEmpty());
    EXPECT_TRUE(is_labelling_folder(folder_));
    EXPECT_THAT(verify_folder(folder_).problems, IsEmpty());
    // No temporary folder remains.
    EXPECT_THAT(entries_of(scratch_.path()), SizeIs(3));
}

TEST_F(Folders, IsABookOfAnswers) {
    make_folder(folder_, options());
    const auto book = open_folder_book(folder_);
    EXPECT_EQ(book->task, Task::yes_no);
    EXPECT_EQ(book->title, "q");
    EXPECT_EQ(book->votes, 5U);
    const Contents contents = book->contents();
    ASSERT_EQ(contents.questions.size(), 3U);
    EXPECT_EQ(contents.images[1].id, "b");
    EXPECT_EQ(contents.images[1].path, scratch_ / "images/b.png");
    EXPECT_EQ(contents.labels[0].name, "tench");
    EXPECT_THAT(contents.labels[0].definition, HasSubstr("game fish"));
    EXPECT_THAT(contents.labels[0].synonyms, ElementsAre("Tinca tinca"));
    EXPECT_EQ(contents.labels[1].name, "Hund");
    EXPECT_EQ(contents.questions[0].known, true);
    EXPECT_EQ(contents.questions[1].known, std::nullopt);
    EXPECT_EQ(contents.questions[2].known, false);
    std::set<std::string> tokens;
    for (const AskedQuestion& question : contents.questions) {
        EXPECT_TRUE(question.wanted);
        EXPECT_EQ(question.token.size(), 17U);
        tokens.insert(question.token);
    }
    EXPECT_EQ(tokens.size(), 3U);
    EXPECT_THAT(contents.screens, SizeIs(3));
    EXPECT_THAT(book->outlook(), ElementsAre("0 of 3 questions have all 5 answers."));
}

TEST_F(Folders, TwiceIsOnce) {
    make_folder(folder_, options());
    const std::string before = read_text(folder_ / "labelling.sqlite");
    EXPECT_EQ(make_folder(folder_, options()).questions, 3U);
    EXPECT_EQ(make_folder(folder_.string() + "/", options()).questions, 3U);
    EXPECT_EQ(read_text(folder_ / "labelling.sqlite"), before);
}

TEST_F(Folders, TheSameBitsOfContents) {
    make_folder(folder_, options());
    make_folder(scratch_ / "again", options());
    const Contents one = open_folder_book(folder_)->contents();
    const Contents two = open_folder_book(scratch_ / "again")->contents();
    EXPECT_EQ(one.screens, two.screens);
    EXPECT_EQ(one.questions[2].token, two.questions[2].token);
}

TEST_F(Folders, OtherContentsAreRefused) {
    const FolderOptions first = options();
    make_folder(folder_, first);
    FolderOptions other = first;
    other.questions = write("other.csv", "item,label\nz,dog\n");
    EXPECT_THAT(usage(other), HasSubstr("questions that differ from those of"));
    other = first;
    other.task = Task::labels;
    EXPECT_THAT(usage(other), HasSubstr("the task yes-no, not labels"));
    other = first;
    other.votes = 3;
    EXPECT_THAT(usage(other), HasSubstr("5, not 3"));
    other.votes = 5;
    EXPECT_EQ(make_folder(folder_, other).votes, 5U);
    other = first;
    other.title = "Another";
    EXPECT_THAT(usage(other), HasSubstr("`q`, not `Another`"));
    other = first;
    other.seed = 2;
    EXPECT_THAT(usage(other), HasSubstr("the seed 1, not 2"));
    other = first;
    other.images = scratch_ / "elsewhere";
    EXPECT_THAT(message_of([&] { make_folder(folder_, other); }),
                HasSubstr("elsewhere: there is no such folder"));
    other = first;
    other.definitions = write("d.csv", "label,definition\ndog,a dog\n");
    EXPECT_THAT(usage(other), HasSubstr("definitions that differ from those of"));
}

TEST_F(Folders, AllOrNothing) {
    FolderOptions bad = options();
    bad.questions = write("bad.csv", "item,label\na,x\nb,\n");
    EXPECT_THAT(message_of([&] { make_folder(folder_, bad); }), HasSubstr("bad.csv line 3"));
    EXPECT_FALSE(fs::exists(folder_));
    bad.questions = scratch_ / "none.csv";
    EXPECT_THAT(message_of([&] { make_folder(folder_, bad); }), HasSubstr("none.csv"));
    bad = options();
    bad.votes = 513;
    EXPECT_THAT(usage(bad), HasSubstr("votes is 513; allowed: a whole number from 1 to 512"));
    bad = options();
    bad.screen = 0;
    EXPECT_THAT(usage(bad), HasSubstr("screen is 0; allowed: a whole number from 1 to 500"));
    bad = options();
    bad.title = std::string(2000, 'x');
    EXPECT_THAT(usage(bad), HasSubstr("the title has 2000 bytes"));
    EXPECT_FALSE(fs::exists(folder_));

    write("study/notes.txt", "mine");
    EXPECT_THAT(usage(options()), HasSubstr("not an empty folder"));
    EXPECT_EQ(read_text(folder_ / "notes.txt"), "mine");
    fs::remove(folder_ / "notes.txt");
    EXPECT_EQ(make_folder(folder_, options()).questions, 3U);
}

TEST_F(Folders, ImagesThatAreNotThereAreToldOf) {
    FolderOptions lost = options();
    lost.images = scratch_ / "elsewhere";
    EXPECT_THAT(make_folder(folder_, lost).warnings,
                ElementsAre(AllOf(HasSubstr("none of the first 2 image files exists"),
                                  HasSubstr((scratch_ / "elsewhere/images/a.png").string()),
                                  HasSubstr("study --images DIR`"))));
    fs::remove_all(folder_);
    lost = options();
    fs::remove(scratch_ / "images/b.png");
    EXPECT_THAT(make_folder(folder_, lost).warnings,
                ElementsAre(HasSubstr("1 of 2 checked image files is missing (the first: ")));
    EXPECT_THAT(folder_summary(folder_).warnings, IsEmpty());
}

TEST_F(Folders, MovesWithItsImages) {
    FolderOptions whole = options();
    whole.questions = write("p/q.csv", "item,label\na.png,dog\nb.png,dog\n");
    write("p/photos/a.png", "a");
    whole.images = scratch_ / "p/photos/";
    make_folder(scratch_ / "p/deep/study", whole);
    fs::rename(scratch_ / "p", scratch_ / "elsewhere");
    const fs::path moved = scratch_ / "elsewhere/deep/study";
    EXPECT_THAT(folder_summary(moved).warnings, IsEmpty());
    EXPECT_EQ(open_folder_book(moved)->contents().images[0].path,
              scratch_ / "elsewhere/photos/a.png");
    // A link to the folder gives the same result.
    fs::create_directory_symlink(moved, scratch_ / "link");
    EXPECT_EQ(open_folder_book(scratch_ / "link")->contents().images[0].path,
              scratch_ / "elsewhere/photos/a.png");
}

TEST_F(Folders, AnotherPlaceOfImagesIsKept) {
    const FolderOptions first = options();
    make_folder(folder_, first);
    fs::create_directories(scratch_ / "moved");
    fs::rename(scratch_ / "images", scratch_ / "moved/images");
    EXPECT_THAT(folder_summary(folder_).warnings, ElementsAre(HasSubstr("--images DIR")));
    set_image_root(folder_, scratch_ / "moved");
    const std::string before = read_text(folder_ / "labelling.sqlite");
    set_image_root(folder_, scratch_ / "moved/");
    EXPECT_EQ(read_text(folder_ / "labelling.sqlite"), before);
    EXPECT_THAT(folder_summary(folder_).warnings, IsEmpty());
    EXPECT_EQ(open_folder_book(folder_)->contents().images[1].path,
              scratch_ / "moved/images/b.png");
    // The file is next to the labelling folder, and moves with it. The questions are served with
    // it, too.
    fs::create_directories(scratch_ / "away");
    fs::rename(folder_, scratch_ / "away/study");
    EXPECT_THAT(folder_summary(scratch_ / "away/study").warnings, SizeIs(1));
    FolderOptions again = first;
    again.images = scratch_ / "moved";
    EXPECT_THAT(make_folder(scratch_ / "away/study", again).warnings, IsEmpty());
    EXPECT_THAT(verify_folder(scratch_ / "away/study").problems, IsEmpty());

    EXPECT_THAT(message_of([&] { set_image_root(scratch_ / "away/study", scratch_ / "none"); }),
                HasSubstr("none: there is no such folder"));
    EXPECT_THAT(message_of([&] { set_image_root(scratch_ / "moved", scratch_ / "moved"); }),
                HasSubstr("it has no labelling.sqlite"));
}

TEST_F(Folders, ImagesOfElsewhereStayWhereTheyAre) {
    const Scratch other;
    FolderOptions far = options();
    far.images = other.path();
    make_folder(scratch_ / "p/study", far);
    fs::rename(scratch_ / "p", scratch_ / "moved");
    EXPECT_EQ(open_folder_book(scratch_ / "moved/study")->contents().images[0].path,
              other.path() / "images/a.png");
}

TEST_F(Folders, OtherTextsOfLabelsAreToldOf) {
    FolderOptions study = options();
    make_folder(folder_, study);
    study.questions = write("q.csv",
                            "item,path,label,class,answer\n"
                            "a,images/a.png,n01440764,tench,yes\n"
                            "a,images/a.png,dog,Pudel,\n"
                            "b,images/b.png,n01440764,tench,no\n");
    EXPECT_THAT(make_folder(folder_, study).warnings,
                ElementsAre(HasSubstr("of labels in q.csv have changed since")));
    EXPECT_EQ(open_folder_book(folder_)->contents().labels[1].name, "Hund");
    // A folder that was made with a file of definitions is served again without it. Nothing has
    // changed.
    study = options();
    study.definitions = write("d.csv", "label,definition\ndog,a dog\n");
    make_folder(scratch_ / "defined", study);
    EXPECT_THAT(make_folder(scratch_ / "defined", options()).warnings, IsEmpty());
}

TEST_F(Folders, AnotherOrderIsAnotherFolder) {
    FolderOptions study = options();
    make_folder(folder_, study);
    study.questions = write("q.csv",
                            "item,path,label,class,answer\n"
                            "b,images/b.png,n01440764,tench,no\n"
                            "a,images/a.png,n01440764,tench,yes\n"
                            "a,images/a.png,dog,Hund,\n");
    EXPECT_THAT(usage(study), HasSubstr("or in another order"));
}

TEST_F(Folders, DefinitionsOfOtherLabelsAreToldOf) {
    FolderOptions more = options();
    more.definitions = write("d.csv", "label,definition\ndog,a dog\nzebra,striped\n");
    EXPECT_THAT(make_folder(folder_, more).warnings,
                ElementsAre(HasSubstr("1 label of d.csv is in no question; the first is `zebra`")));
    EXPECT_EQ(open_folder_book(folder_)->contents().labels[1].definition, "a dog");
}

TEST_F(Folders, BlockingKeepsAnswers) {
    make_folder(folder_, options());
    const auto book = open_folder_book(folder_);
    book->database().execute(
        "INSERT INTO annotator (name, blocked) VALUES ('anna', 0);"
        "INSERT INTO answer (question, annotator, answer, at, source, counts) "
        "VALUES (1, 1, 1, '2026-11-23T01:02:03.000000Z', 'page', 1)");
    EXPECT_EQ(folder_summary(folder_).answers, 1U);
    EXPECT_THAT(book->outlook(), ElementsAre(testing::_, HasSubstr("labels export")));
    study::block_annotator(book->database(), folder_.string(), "anna", true, "asleep");
    EXPECT_EQ(folder_summary(folder_).answers, 0U);
    EXPECT_EQ(folder_summary(folder_).blocked, 1U);
    study::block_annotator(book->database(), folder_.string(), "anna", false, "");
    EXPECT_EQ(folder_summary(folder_).answers, 1U);
    EXPECT_THAT(
        message_of(
            [&] { study::block_annotator(book->database(), folder_.string(), "ana", true, ""); },
            ErrorCode::usage),
        HasSubstr("did you mean `anna`?"));
    EXPECT_THAT(verify_folder(folder_).problems, IsEmpty());
}

TEST_F(Folders, ReportHasItsSchema) {
    const Report report = report_of(make_folder(folder_, options()));
    EXPECT_EQ(report.result.at("schema"), "assay.labelling/1");
    EXPECT_EQ(report.result.at("task"), "yes-no");
    EXPECT_EQ(report.result.at("known"), 2);
}

TEST_F(Folders, FilesOfOthersAreRefused) {
    EXPECT_THAT(message_of([&] { folder_summary(folder_); }),
                HasSubstr("it has no labelling.sqlite"));
    write("text/labelling.sqlite", "this is a text that somebody wrote, and no database");
    EXPECT_THAT(message_of([&] { folder_summary(scratch_ / "text"); }),
                HasSubstr("not an SQLite database"));
    fs::create_directories(scratch_ / "foreign");
    Database(scratch_ / "foreign/labelling.sqlite", Database::Access::create)
        .execute("CREATE TABLE t (a)");
    EXPECT_THAT(message_of([&] { folder_summary(scratch_ / "foreign"); }),
                HasSubstr("another program"));
    EXPECT_THAT(verify_folder(scratch_ / "foreign").problems,
                ElementsAre(HasSubstr("another program")));
    change("PRAGMA application_id = 1095516482", scratch_ / "foreign");
    EXPECT_THAT(message_of([&] { folder_summary(scratch_ / "foreign"); }),
                HasSubstr("it was never finished"));
    EXPECT_THAT(message_of([&] { make_folder(scratch_ / "foreign", options()); }),
                HasSubstr("it was never finished"));
    make_folder(folder_, options());
    change("INSERT INTO schema_version VALUES (9, 'now', '9.0')", folder_);
    EXPECT_THAT(message_of([&] { open_folder_book(folder_); }),
                HasSubstr("tables have version 9, but this Assay supports up to 4"));
}

TEST_F(Folders, HalfWrittenFilesAreFound) {
    std::string text = "item,label\n";
    for (int i = 0; i < 2000; ++i) text += fmt::format("image number {},label {}\n", i, i % 7);
    FolderOptions many = options();
    many.questions = write("many.csv", text);
    make_folder(folder_, many);
    const fs::path file = folder_ / "labelling.sqlite";
    const std::string whole = read_text(file);
    for (const std::size_t part : {std::size_t{0}, std::size_t{60}, whole.size() / 3,
                                   whole.size() / 2, whole.size() - 4096}) {
        write_file_atomically(file, whole.substr(0, part));
        EXPECT_FALSE(verify_folder(folder_).problems.empty()) << part;
    }
}

TEST_F(Folders, RowsThatContradictAreFound) {
    const auto broken = [&](const std::string& sql, Task task = Task::yes_no) {
        fs::remove_all(folder_);
        make_folder(folder_, options(task));
        change("PRAGMA foreign_keys = OFF; " + sql, folder_);
        const auto problems = verify_folder(folder_).problems;
        EXPECT_FALSE(problems.empty()) << sql;
        return problems.empty() ? std::string() : problems.back();
    };
    EXPECT_THAT(broken("DELETE FROM shown WHERE question = 2"), HasSubstr("on no screen"));
    EXPECT_THAT(broken("DELETE FROM setting WHERE name = 'votes'"), HasSubstr("votes is missing"));
    EXPECT_THAT(broken("UPDATE setting SET value = '0' WHERE name = 'votes'"),
                HasSubstr("the setting votes is 0; allowed: a whole number from 1 to 512"));
    EXPECT_THAT(broken("UPDATE setting SET value = 'fun' WHERE name = 'task'"),
                HasSubstr("the setting task is `fun`; allowed: yes-no, grid, labels"));
    EXPECT_THAT(broken("UPDATE setting SET value = 'grid' WHERE name = 'task'; "
                       "DELETE FROM shown; INSERT INTO shown VALUES (1, 0, 1), (1, 1, 2), "
                       "(2, 0, 3)"),
                HasSubstr("which the task grid"));
    EXPECT_THAT(broken("UPDATE question SET label = 9 WHERE id = 1"), HasSubstr("9"));
    EXPECT_THAT(broken("DELETE FROM image WHERE number = 0"), HasSubstr("image"));
    EXPECT_THAT(broken("INSERT INTO answer (question, annotator, answer, at, source, counts) "
                       "VALUES (1, 7, 1, '2026-11-23T01:02:03.000000Z', '', 1)"),
                HasSubstr("answer 1 belongs to annotator 7, which does not exist"));
    const std::string eve = "INSERT INTO annotator (name, blocked) VALUES ('eve', 0); ";
    for (const char* at : {"", "yesterday", "2026-11-23T01:02:03Z", "2026-02-30T01:02:03.000000Z"})
        EXPECT_THAT(broken(eve +
                           "INSERT INTO answer (question, annotator, answer, at, source, "
                           "counts) VALUES (1, 1, 1, '" +
                           at + "', '', 1)"),
                    HasSubstr(fmt::format("table answer, row 1: at is `{}`; allowed: a time", at)));
    EXPECT_THAT(broken("INSERT INTO annotator (name, blocked) VALUES (CAST(x'e9' AS TEXT), 0), "
                       "(CAST(x'ff41' AS TEXT), 0)"),
                AllOf(HasSubstr("table annotator, row 1: name is `\\xe9`; allowed: text in UTF-8"),
                      HasSubstr("(and 1 more row)")));
    EXPECT_THAT(broken("UPDATE class SET definition = CAST(x'c0af' AS TEXT) WHERE number = 1"),
                HasSubstr("table class, row 1: definition is"));
    EXPECT_THAT(broken("UPDATE setting SET value = CAST(x'e9' AS TEXT) WHERE name = 'title'"),
                HasSubstr("table setting, row 9: value is `\\xe9`"));
    // A table without constraints, with as many rows as questions.
    EXPECT_THAT(broken("DROP TABLE shown; CREATE TABLE shown (screen INTEGER, place INTEGER, "
                       "question INTEGER); INSERT INTO shown VALUES (1, 0, 1), (2, 0, 1), "
                       "(3, 0, 3)"),
                HasSubstr("screen 2 shows question 1, which is already on a screen"));
}

}  // namespace
}  // namespace assay::labelling
