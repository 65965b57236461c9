// Studies of older versions can be read unchanged. Commands that write update them. The results are
// the same before and after.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/labelling/service.h"
#include "assay/mad/questions.h"
#include "core/file.h"
#include "kept_study.h"
#include "message_of.h"

namespace assay::study {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr StudyKind both_kinds[] = {StudyKind::competition, StudyKind::questions};

/// The columns of every table with types and keys, its references and indices. Default values are
/// not compared, because version 1 had none.
std::string schema_of(const Database& database) {
    std::string text;
    for (const std::string& table :
         texts_of(database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")) {
        text += fmt::format("{}\n", table);
        for (const std::string& line :
             texts_of(database, fmt::format("SELECT name || ' ' || type || ' ' || \"notnull\" || ' "
                                            "' || pk FROM pragma_table_info('{}')",
                                            table)))
            text += fmt::format("  {}\n", line);
        for (const std::string& line : texts_of(
                 database, fmt::format("SELECT \"from\" || ' -> ' || \"table\" || '.' || \"to\" "
                                       "FROM pragma_foreign_key_list('{}') ORDER BY 1",
                                       table)))
            text += fmt::format("  {}\n", line);
        for (const std::string& line :
             texts_of(database, fmt::format("SELECT origin || ' ' || (SELECT group_concat(name) "
                                            "FROM pragma_index_info(i.name)) FROM "
                                            "pragma_index_list('{}') AS i ORDER BY 1",
                                            table)))
            text += fmt::format("  {}\n", line);
    }
    return text;
}

std::int64_t version_there(const KeptStudy& study) {
    return version_of_study(Database(study.file(), Database::Access::read), study.kind());
}

TEST(StudyVersions, ReadersReadVersion1AsItIs) {
    for (const StudyKind kind : both_kinds) {
        const KeptStudy study(kind);
        EXPECT_THAT(study.problems(), IsEmpty());
        EXPECT_EQ(version_there(study), 1);
        EXPECT_EQ(read_text(study.file()),
                  read_text(kept_studies / study.name() / study.file().filename().string()));
    }
}

TEST(StudyVersions, AnUpdatedStudyHasTheTablesOfANewOne) {
    Scratch scratch;
    for (const StudyKind kind : both_kinds) {
        Database made(scratch / fmt::format("{}", static_cast<int>(kind)),
                      Database::Access::create);
        make_study(made, kind);
        const KeptStudy study(kind, true);
        EXPECT_THAT(study.problems(), IsEmpty());
        const Database updated(study.file(), Database::Access::read);
        EXPECT_EQ(schema_of(updated), schema_of(made));
        EXPECT_EQ(texts_of(updated, "SELECT version FROM schema_version ORDER BY 1"),
                  (std::vector<std::string>{"1", "4"}));
    }
}

// Version 2 had no draws of questions and no tags of answers.
TEST(StudyVersions, Version2IsReadAsItIsAndUpdatedWithoutDraws) {
    for (const StudyKind kind : both_kinds) {
        const KeptStudy study(kind, true);
        std::string newest;
        {
            Database database(study.file(), Database::Access::write);
            newest = schema_of(database);
            for (const char* column : {"draw_stratum", "draw", "draw_probability"})
                database.execute(fmt::format("ALTER TABLE image DROP COLUMN {}", column));
            database.execute("ALTER TABLE answer DROP COLUMN tags");
            database.execute("UPDATE schema_version SET version = 2 WHERE version = 4");
        }
        EXPECT_THAT(study.problems(), IsEmpty());
        EXPECT_EQ(version_there(study), 2);
        open_study(study.folder(), kind, Database::Access::write);
        EXPECT_THAT(study.problems(), IsEmpty());
        const Database updated(study.file(), Database::Access::read);
        EXPECT_EQ(schema_of(updated), newest);
        EXPECT_EQ(texts_of(updated, "SELECT version FROM schema_version ORDER BY 1"),
                  (std::vector<std::string>{"1", "2", "4"}));
        EXPECT_THAT(texts_of(updated,
                             "SELECT number FROM image WHERE draw_stratum IS NOT NULL OR "
                             "draw IS NOT NULL OR draw_probability IS NOT NULL"),
                    IsEmpty());
    }
}

// Columns of later versions may be missing, but the rules of the table still hold.
TEST(StudyVersions, RulesAreCheckedInOlderVersions) {
    for (const StudyKind kind : both_kinds) {
        const KeptStudy study(kind, true);
        {
            Database database(study.file(), Database::Access::write);
            database.execute(
                "ALTER TABLE answer DROP COLUMN tags;"
                "UPDATE schema_version SET version = 3 WHERE version = 4;"
                "PRAGMA foreign_keys = OFF; CREATE TABLE loose AS SELECT * FROM answer;"
                "DROP TABLE answer; ALTER TABLE loose RENAME TO answer");
        }
        EXPECT_THAT(study.problems(), IsEmpty());
        Database(study.file(), Database::Access::write)
            .execute(
                "INSERT INTO answer SELECT 987654, question, annotator, answer, at, source, "
                "NULL, 1 FROM answer WHERE counts = 1 LIMIT 1");
        EXPECT_THAT(study.problems(),
                    testing::Contains(HasSubstr("question, annotator are the same in 2 rows")));
    }
}

TEST(StudyVersions, NewStudiesOfBothKindsHaveTheSameTables) {
    Scratch scratch;
    Database competition(scratch / "c", Database::Access::create);
    Database questions(scratch / "q", Database::Access::create);
    make_study(competition, StudyKind::competition);
    make_study(questions, StudyKind::questions);
    EXPECT_EQ(schema_of(competition), schema_of(questions));
}

TEST(StudyVersions, OpenedTwiceIsUpdatedOnce) {
    for (const StudyKind kind : both_kinds) {
        const KeptStudy study(kind, true);
        EXPECT_EQ(version_there(study), study_version);
        open_study(study.folder(), kind, Database::Access::write);
        const Database database(study.file(), Database::Access::read);
        EXPECT_EQ(texts_of(database, "SELECT count(*) FROM schema_version").front(), "2");
    }
}

/// The table with the column of version 4. No field has a line break.
std::string with_no_tags(const std::string& table) {
    std::string text;
    for (const char c : table) {
        if (c == '\n') text += text.find('\n') == std::string::npos ? ",tags" : ",";
        text += c;
    }
    return text;
}

TEST(StudyVersions, AnswersOfVersion1AreExportedAsThen) {
    for (const bool up_to_date : {false, true}) {
        const KeptStudy folder(StudyKind::questions, up_to_date);
        std::string text;
        labelling::write_answers_csv(folder.folder(),
                                     [&](std::string_view piece) { text += piece; });
        EXPECT_EQ(text, read_text(kept_studies / "labelling-answers.csv"));

        const KeptStudy competition(StudyKind::competition, up_to_date);
        Scratch scratch;
        mad::export_competition(mad::Competition::open(competition.folder()), scratch / "out", "",
                                false);
        EXPECT_EQ(read_text(scratch / "out/answers.csv"),
                  with_no_tags(read_text(kept_studies / "competition-answers.csv")));
        EXPECT_EQ(read_text(scratch / "out/decisions.csv"),
                  read_text(kept_studies / "competition-decisions.csv"));
    }
}

/// People continue at the same place, and new rows are also described.
TEST(StudyVersions, AServedStudyOfVersion1GoesOn) {
    for (const StudyKind kind : both_kinds) {
        const KeptStudy study(kind);
        {
            labelling::Service service(study.folder(), labelling::ServiceOptions());
            ASSERT_EQ(service.people().size(), 2U);
            EXPECT_EQ(service.people()[0].name, "ben");
            const labelling::Work work = service.work(1, {}, {}, 1);
            ASSERT_FALSE(work.screens.empty());
            service.pause(true);
            service.block("ben", true, "a test");
        }
        EXPECT_EQ(version_there(study), study_version);
        EXPECT_THAT(study.problems(), IsEmpty());
    }
}

TEST(StudyVersions, OthersAreRefused) {
    for (const StudyKind kind : both_kinds) {
        KeptStudy study(kind);
        const auto refused = [&](const std::string& sql) {
            study.copy();
            Database(study.file(), Database::Access::write).execute(sql);
            const std::string said =
                message_of([&] { open_study(study.folder(), kind, Database::Access::read); });
            EXPECT_THAT(study.problems(), testing::ElementsAre(said)) << sql;
            return said;
        };
        EXPECT_THAT(refused("INSERT INTO schema_version VALUES (9, '2030-01-01T00:00:00Z', '9.0')"),
                    HasSubstr(fmt::format(
                        "have version 9, but this Assay supports up to {}; use a newer Assay",
                        study_version)));
        EXPECT_THAT(refused("PRAGMA application_id = 7"), HasSubstr("another program"));
        EXPECT_THAT(refused("DELETE FROM schema_version"), HasSubstr("never finished"));
        EXPECT_THAT(refused("DROP TABLE schema_version"), HasSubstr("never finished"));
    }
}

}  // namespace
}  // namespace assay::study
