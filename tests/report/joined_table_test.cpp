// Tables of several results whose cells are set by key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/joined_table.h"

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of_columns(const Table& table) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) names.push_back(column.name);
    return names;
}

std::uint64_t count_in(const Table& table, std::size_t row, const std::string& column) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].name != column) continue;
        const auto* count = std::get_if<Count>(&table.rows.at(row).at(c));
        return count != nullptr ? count->value : UINT64_MAX;
    }
    throw std::runtime_error("no column " + column);
}

TEST(JoinedTable, OfNothingHasNoColumnsAndNoRows) {
    JoinedTable joined;
    const Table table = joined.take();
    EXPECT_TRUE(table.columns.empty());
    EXPECT_TRUE(table.rows.empty());
}

// The rows are (a 1, b 2, n 3), (n 6, a 4, c 5), (b 7). The first gives the columns a, b, n. The
// second sets n first, then a, and its new column c is inserted after a.
TEST(JoinedTable, CellsStandBelowTheirOwnKey) {
    JoinedTable joined;
    const auto set = [&](const char* key, std::uint64_t n) { joined.set(key, {key}, Count{n}); };
    joined.row();
    set("a", 1);
    set("b", 2);
    set("n", 3);
    joined.row();
    set("n", 6);
    set("a", 4);
    set("c", 5);
    joined.rule();
    joined.row();
    set("b", 7);
    const Table table = joined.take();
    EXPECT_THAT(names_of_columns(table), ElementsAre("a", "c", "b", "n"));
    ASSERT_EQ(table.rows.size(), 4U);
    EXPECT_EQ(count_in(table, 0, "a"), 1U);
    EXPECT_EQ(count_in(table, 0, "b"), 2U);
    EXPECT_EQ(count_in(table, 0, "n"), 3U);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][1]));
    EXPECT_EQ(count_in(table, 1, "a"), 4U);
    EXPECT_EQ(count_in(table, 1, "c"), 5U);
    EXPECT_EQ(count_in(table, 1, "n"), 6U);
    EXPECT_TRUE(table.rows[2].empty());
    EXPECT_EQ(count_in(table, 3, "b"), 7U);
}

TEST(JoinedTable, AKeyThatIsSetTwiceInARowKeepsItsColumn) {
    JoinedTable joined;
    joined.row();
    joined.set("a", {"a"}, Count{1});
    joined.set("a", {"a"}, Count{2});
    const Table table = joined.take();
    EXPECT_THAT(names_of_columns(table), ElementsAre("a"));
    EXPECT_EQ(count_in(table, 0, "a"), 2U);
}

TEST(JoinedTable, EqualHeadingsOfDifferentKeysAreToldApart) {
    JoinedTable joined;
    joined.row();
    joined.set("top1", {"top1 %"}, Count{1});
    joined.set("top1.only_valid", {"top1 %"}, Count{2});
    joined.set("n", {"n"}, Count{3});
    EXPECT_THAT(names_of_columns(joined.take()),
                ElementsAre("top1 % (top1)", "top1 % (top1.only_valid)", "n"));
}

}  // namespace
}  // namespace assay
