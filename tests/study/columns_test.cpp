// Descriptions of columns: allowed values, and the SQL that they produce.
#include "study/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "study/decisions.h"
#include "study/study_tables.h"
#include "study/times.h"

namespace assay::study {
namespace {

using testing::HasSubstr;

TEST(StudyColumns, ReferencesNameATableWithAKeyThatComesFirst) {
    for (const std::span<const Table> tables : {study_tables(), people_tables()}) {
        std::set<std::string_view> before;
        for (const Table& table : tables) {
            std::set<std::string_view> names;
            for (const Column& column : table.columns) {
                EXPECT_TRUE(names.insert(column.name).second) << table.name << column.name;
                EXPECT_FALSE(allowed_in(column).empty());
                if (column.holds == Holds::row) {
                    EXPECT_EQ(before.count(column.of), 1U) << table.name << "." << column.name;
                    if (column.holds == Holds::word) {
                        EXPECT_FALSE(column.of.empty());
                    }
                }
            }
            EXPECT_TRUE(before.insert(table.name).second) << table.name;
        }
    }
}

TEST(StudyColumns, EveryDecisionIsAWordOfItsColumn) {
    const Column& kind = study_column("decision", "kind");
    const std::array<std::string_view, 13> words = {
        "created",   "setting", "added", "removed", "restored",  "excluded", "replaced",
        "duplicate", "control", "gold",  "blocked", "unblocked", "asked"};
    ASSERT_EQ(words.size(), static_cast<std::size_t>(DecisionKind::asked) + 1);
    for (std::size_t k = 0; k < words.size(); ++k) {
        EXPECT_EQ(name_of(static_cast<DecisionKind>(k)), words[k]);
        EXPECT_TRUE(may_hold(kind, words[k])) << k;
    }
    EXPECT_EQ(name_of(DecisionKind::duplicate), "duplicate");
    EXPECT_EQ(name_of(DecisionKind::blocked), "blocked");
    EXPECT_FALSE(may_hold(kind, "decided"));
    EXPECT_FALSE(may_hold(kind, ""));
    EXPECT_FALSE(may_hold(kind, "created setting"));
}

TEST(StudyColumns, TextsAreTold) {
    EXPECT_TRUE(is_plain_text("", false));
    EXPECT_TRUE(is_plain_text("größer ☃ \xF0\x9F\x90\x9F", false));
    for (const std::string& wrong :
         {std::string("a\0b", 3), std::string("a\x7f"), std::string("\xff"),
          std::string("\xc2\x85"), std::string("\xc0\xaf"), std::string("a\r"),
          std::string("\xc2")}) {
        EXPECT_FALSE(is_plain_text(wrong, false));
        EXPECT_FALSE(is_plain_text(wrong, true));
    }
    EXPECT_TRUE(is_plain_text("a\n\tb", true));
    EXPECT_FALSE(is_plain_text("a\nb", false));
}

TEST(StudyColumns, TimesAreOfTheirForm) {
    EXPECT_TRUE(is_utc_second(utc_now()));
    EXPECT_TRUE(is_utc_moment(utc_moment_now()));
    EXPECT_FALSE(is_utc_moment(utc_now()));
    EXPECT_FALSE(is_utc_second(utc_moment_now()));
    EXPECT_TRUE(is_utc_second("2024-02-29T23:59:59Z"));
    for (const char* wrong : {"", "Z", "2023-02-29T23:59:59Z", "2024-02-29T24:00:00Z",
                              "2024-02-29T23:59:59z", " 2024-02-29T23:59:59Z", "2024-02-29Z"})
        EXPECT_FALSE(is_utc_second(wrong)) << wrong;
}

TEST(StudyColumns, SqlSaysWhatSqliteCanHold) {
    const Table* selected = nullptr;
    for (const Table& table : study_tables())
        if (table.name == "selected") selected = &table;
    ASSERT_NE(selected, nullptr);
    const std::string sql = sql_of_table(*selected, study_tables());
    EXPECT_THAT(sql, HasSubstr("image INTEGER NOT NULL REFERENCES image (number)"));
    EXPECT_THAT(sql, HasSubstr("confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 200)"));
    EXPECT_THAT(sql, HasSubstr("state TEXT NOT NULL CHECK (state IN ('accepted', 'replaced', "
                               "'duplicate'))"));
    EXPECT_THAT(sql, HasSubstr("decision INTEGER REFERENCES decision (id)"));
    EXPECT_THAT(sql, HasSubstr("PRIMARY KEY (pair, image)\n) STRICT, WITHOUT ROWID"));
    EXPECT_THAT(sql, HasSubstr("CREATE INDEX IF NOT EXISTS selected_image ON selected (image)"));
}

}  // namespace
}  // namespace assay::study
