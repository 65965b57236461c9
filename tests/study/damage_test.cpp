// Damages every column of every table of a study in every possible way. `verify` must name the
// file, the table, the row, the column, the value and what is allowed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assay/mad/questions.h"
#include "core/file.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "kept_study.h"

namespace assay::study {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Table* table_named(std::span<const Table> tables, std::string_view name) {
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&](const Table& table) { return table.name == name; });
    return found == tables.end() ? nullptr : &*found;
}

/// A valid value in SQL.
std::string right_value(const Column& column) {
    switch (column.holds) {
        case Holds::number:
            return fmt::to_string(std::max<std::int64_t>(column.least, 0));
        case Holds::row:
            return fmt::format("(SELECT min(rowid) FROM {})", column.of);
        case Holds::word:
            return fmt::format("'{}'", column.of.substr(0, column.of.find(' ')));
        case Holds::hash:
            return "'xxh128:0123456789abcdef0123456789abcdef'";
        case Holds::second:
            return "'2026-11-23T01:02:03Z'";
        case Holds::moment:
            return "'2026-11-23T01:02:03.456789Z'";
        case Holds::line:
        case Holds::text:
        case Holds::path:
        case Holds::secret:
            return "'a'";
    }
    return "";
}

struct WrongValue {
    std::string sql;
    std::string shown;  ///< text in the message
};

std::vector<WrongValue> wrong_values(const Column& column) {
    std::vector<WrongValue> wrong;
    if (!column.optional) wrong.push_back({"NULL", "null"});
    if (is_number(column.holds)) {
        wrong.push_back({"'many'", "`many`"});
        wrong.push_back({"1.5", "of the type real: `1.5`"});
        wrong.push_back({"x'01'", "of the type blob: `\\x01`"});
        if (column.holds == Holds::row) {
            wrong.push_back({"987654321", "987654321"});
        } else {
            if (column.least > INT64_MIN)
                wrong.push_back(
                    {fmt::to_string(column.least - 1), fmt::to_string(column.least - 1)});
            if (column.most < INT64_MAX)
                wrong.push_back({fmt::to_string(column.most + 1), fmt::to_string(column.most + 1)});
        }
        return wrong;
    }
    const bool hidden = column.holds == Holds::secret;
    const auto text = [&](const std::string& sql, const std::string& shown) {
        wrong.push_back({sql, hidden ? "a text that is not shown" : "`" + shown + "`"});
    };
    wrong.push_back({"x'6162'", hidden ? "a text that is not shown" : "of the type blob: `ab`"});
    text("CAST(x'610062' AS TEXT)", "a\\x00b");
    if (column.holds == Holds::path) return wrong;
    text("CAST(x'63e9' AS TEXT)", "c\\xe9");
    text("CAST(x'eda080' AS TEXT)", "\\xed\\xa0\\x80");
    text("'a' || char(27) || '[2J'", "a\\x1b[2J");
    text("'a' || char(155) || '2J'", "a\\u009b2J");
    if (column.holds != Holds::text) text("'a' || char(10) || 'b'", "a?b");
    if (column.holds == Holds::second || column.holds == Holds::moment) {
        for (const char* time : {"", "yesterday", "2026-02-30T01:02:03Z", "2026-11-23 01:02:03",
                                 "2026-11-23T01:02:03+01:00", "2026-02-30T01:02:03.000000Z",
                                 "2026-11-23T25:02:03.000000Z", "2026-11-23T01:02:03.456Z"})
            text(fmt::format("'{}'", time), time);
    }
    if (column.holds == Holds::word) text("'other'", "other");
    if (column.holds == Holds::hash) text("'xxh128:0123'", "xxh128:0123");
    return wrong;
}

/// A table without constraints, as other programs may write it.
void loosen(Database& database, const std::string& table) {
    database.execute(fmt::format(
        "PRAGMA foreign_keys = OFF; CREATE TABLE loose AS SELECT * FROM {0}; DROP TABLE "
        "{0}; ALTER TABLE loose RENAME TO {0}",
        table));
}

/// Adds a row to an empty table, and the rows to which it refers.
void fill(Database& database, std::span<const Table> tables, const Table& table) {
    if (texts_of(database, fmt::format("SELECT count(*) FROM {}", table.name)).front() != "0")
        return;
    std::string names, values;
    for (const Column& column : table.columns) {
        if (column.holds == Holds::row) fill(database, tables, *table_named(tables, column.of));
        names += fmt::format("{}{}", names.empty() ? "" : ", ", column.name);
        values += fmt::format("{}{}", values.empty() ? "" : ", ", right_value(column));
    }
    database.execute(fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, names, values));
}

void sweep(StudyKind kind, bool of_people, std::set<std::string>& swept) {
    KeptStudy study(kind, true);
    const std::span<const Table> tables = of_people ? people_tables() : study_tables();
    const auto file = [&] { return of_people ? people_file(study.folder()) : study.file(); };
    std::vector<std::string> names;
    {
        const Database database(file(), Database::Access::read);
        names =
            texts_of(database, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1");
    }
    for (const std::string& name : names) {
        const Table* const table = table_named(tables, name);
        ASSERT_NE(table, nullptr) << "table " << name << " has no description";
        study.copy();
        open_study(study.folder(), kind, Database::Access::write);
        std::vector<std::string> columns;
        {
            Database database(file(), Database::Access::write);
            // The values of this row need not be consistent with others.
            database.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
            fill(database, tables, *table);
            loosen(database, name);
            columns =
                texts_of(database, fmt::format("SELECT name FROM pragma_table_info('{}')", name));
        }
        EXPECT_EQ(columns.size(), table->columns.size()) << name;
        for (const Column& column : table->columns) {
            EXPECT_EQ(std::count(columns.begin(), columns.end(), column.name), 1) << column.name;
            // The version decides which columns are read.
            if (name == "schema_version" && column.name == "version") continue;
            swept.insert(fmt::format("{}.{}", name, column.name));
            for (const WrongValue& wrong : wrong_values(column)) {
                {
                    Database database(file(), Database::Access::write);
                    database.execute(
                        fmt::format("PRAGMA foreign_keys = OFF; CREATE TABLE kept AS SELECT * FROM "
                                    "{0}; UPDATE {0} SET {1} = {2} WHERE "
                                    "rowid = (SELECT max(rowid) FROM {0})",
                                    name, column.name, wrong.sql));
                }
                const std::vector<std::string> problems = study.problems();
                const std::string place = fmt::format("{}: table {}, row ", file().string(), name);
                const std::string said = fmt::format(": {} is {}; allowed: {}", column.name,
                                                     wrong.shown, allowed_in(column));
                EXPECT_TRUE(std::any_of(problems.begin(), problems.end(),
                                        [&](const std::string& problem) {
                                            return problem.starts_with(place) &&
                                                   problem.find(said) != std::string::npos;
                                        }))
                    << study.name() << ": no problem says " << place << "..." << said << " but "
                    << testing::PrintToString(problems);
                Database database(file(), Database::Access::write);
                database.execute(fmt::format(
                    "PRAGMA foreign_keys = OFF; DROP TABLE {0}; ALTER TABLE kept RENAME TO {0}",
                    name));
            }
        }
    }
}

TEST(StudyDamage, EveryColumnOfACompetitionIsLookedAt) {
    std::set<std::string> swept, described;
    sweep(StudyKind::competition, false, swept);
    for (const Table& table : study_tables())
        for (const Column& column : table.columns)
            described.insert(fmt::format("{}.{}", table.name, column.name));
    described.erase("schema_version.version");
    EXPECT_EQ(swept, described);
}

TEST(StudyDamage, EveryColumnOfAFolderOfQuestionsIsLookedAt) {
    std::set<std::string> swept;
    sweep(StudyKind::questions, false, swept);
    EXPECT_EQ(swept.count("screen.name"), 1U);
}

TEST(StudyDamage, EveryColumnOfThePeopleIsLookedAt) {
    for (const StudyKind kind : {StudyKind::competition, StudyKind::questions}) {
        std::set<std::string> swept;
        sweep(kind, true, swept);
        EXPECT_EQ(swept.count("person.token"), 1U);
        EXPECT_EQ(swept.size(), 9U);
    }
}

/// The errors after some SQL statement, in a study of the current version and in one of version 1.
std::vector<std::vector<std::string>> after(StudyKind kind, const std::string& sql) {
    std::vector<std::vector<std::string>> out;
    for (const bool up_to_date : {true, false}) {
        KeptStudy study(kind, up_to_date);
        Database(study.file(), Database::Access::write)
            .execute("PRAGMA foreign_keys = OFF; " + sql);
        out.push_back(study.problems());
    }
    return out;
}

TEST(StudyDamage, BothKindsSayTheSame) {
    for (const StudyKind kind : {StudyKind::competition, StudyKind::questions}) {
        for (const auto& problems :
             after(kind, "UPDATE answer SET at = 'yesterday' WHERE id IN (2, 5, 7)")) {
            ASSERT_EQ(problems.size(), 1U) << testing::PrintToString(problems);
            EXPECT_THAT(problems.front(),
                        HasSubstr("table answer, row 2: at is `yesterday`; allowed: a time in UTC "
                                  "such as 2026-11-23T01:02:03.456789Z (and 2 more rows)"));
        }
    }
}

TEST(StudyDamage, WhatRowsSayTogetherIsLookedAt) {
    const auto first = [](const std::string& sql) {
        std::string text;
        for (const auto& problems : after(StudyKind::competition, sql)) {
            EXPECT_FALSE(problems.empty()) << sql;
            if (!problems.empty()) text = problems.front();
        }
        return text;
    };
    EXPECT_THAT(first("DROP INDEX answer_counts; UPDATE answer SET counts = 1, question = 1, "
                      "annotator = 1 WHERE id < 3"),
                HasSubstr("table answer, row 1: question, annotator are the same in 2 rows"));
    EXPECT_THAT(first("CREATE TABLE loose AS SELECT * FROM annotator; DROP TABLE annotator; ALTER "
                      "TABLE loose RENAME TO annotator; INSERT INTO annotator SELECT 9, name, 0, "
                      "NULL FROM annotator WHERE id = 2"),
                HasSubstr("table annotator, row 2: name is the same in 2 rows; allowed: one row"));
    EXPECT_THAT(first("CREATE TABLE loose AS SELECT * FROM pair; DROP TABLE pair; ALTER TABLE "
                      "loose RENAME TO pair; UPDATE pair SET first = 2, second = 0 WHERE id = 3"),
                HasSubstr("table pair, row 3: allowed: first < second"));
    EXPECT_THAT(first("DROP TABLE exclusion"), HasSubstr("table exclusion is missing"));
    EXPECT_THAT(first("ALTER TABLE answer DROP COLUMN source"),
                HasSubstr("table answer has no column source"));
}

/// Names of image files need not be valid text, and settings may hold such names.
TEST(StudyDamage, PathsMayBeOfAnyBytes) {
    for (const StudyKind kind : {StudyKind::competition, StudyKind::questions}) {
        for (const auto& problems :
             after(kind,
                   "UPDATE image SET path = CAST(x'e9' AS TEXT); UPDATE setting SET value = "
                   "CAST(x'2fe9' AS TEXT) WHERE name = 'image_root'; UPDATE decision SET "
                   "value = CAST(x'2fe9' AS TEXT) WHERE subject = 'image_root'"))
            EXPECT_THAT(problems, IsEmpty());
        for (const auto& problems :
             after(kind, "UPDATE decision SET value = CAST(x'2fe9' AS TEXT) WHERE id = 1"))
            ASSERT_EQ(problems.size(), 1U);
    }
}

/// Readers of csv only accept UTF-8.
TEST(StudyDamage, AnExportIsUtf8WhateverFilesAreCalled) {
    const KeptStudy study(StudyKind::competition);
    Database(study.file(), Database::Access::write)
        .execute(
            "UPDATE image SET path = CAST(x'e9' AS TEXT) || number || '.jpg'; UPDATE answer "
            "SET source = CAST(x'fc' AS TEXT)");
    Scratch scratch;
    mad::export_competition(mad::Competition::open(study.folder()), scratch / "out", "", false);
    for (const std::string name : {"selected", "control", "questions", "answers", "decisions"}) {
        const std::string text = read_text(scratch / ("out/" + name + ".csv"));
        EXPECT_TRUE(is_utf8(text)) << name;
        if (name == "answers") {
            EXPECT_THAT(text, HasSubstr(",\\xfc,"));
        }
        if (name == "control") {
            EXPECT_THAT(text, HasSubstr(",\\xe9"));
        }
    }
}

}  // namespace
}  // namespace assay::study
