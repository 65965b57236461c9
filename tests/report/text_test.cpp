// A report on a terminal: columns by code points, lines, wrapping to a width, and colours.
#include <gtest/gtest.h>

#include "assay/error.h"
#include "made_report.h"

namespace assay {
namespace {

std::string text_of(const Report& report, const RenderOptions& options = {}) {
    return render(report, ReportFormat::text, options);
}

Table two_columns() {
    return {.title = "", .columns = {{"name", false}, {"value"}}, .rows = {}, .notes = {}};
}

TEST(ReportText, AlignsByCodePointsNotBytes) {
    Table table = two_columns();
    table.add({std::string("é"), Count{1}});
    table.add({std::string("abc"), Count{10}});
    EXPECT_EQ(text_of(report_of(table)), "name  value\n───────────\né         1\nabc      10\n");
}

TEST(ReportText, AnEmptyRowIsARule) {
    Table table = two_columns();
    table.add({std::string("a"), Count{1}});
    table.rule();
    table.add({std::string("b")});  // the row is shorter than the columns
    EXPECT_EQ(text_of(report_of(table)), "name  value\n───────────\na         1\n───────────\nb\n");
}

TEST(ReportText, WithoutRowsStillHasAHeader) {
    EXPECT_EQ(text_of(report_of({.title = "", .columns = {{"a"}}, .rows = {}, .notes = {}})),
              "a\n─\n");
}

TEST(ReportText, AWideTableIsFoldedIntoBlocksThatRepeatTheFirstColumn) {
    Table table{.title = "",
                .columns = {{"m", false}, {"aaa"}, {"bbb"}, {"ccc"}},
                .rows = {},
                .notes = {"end"}};
    table.add({std::string("x"), Count{1}, Count{2}, Count{3}});
    // "m  aaa  bbb" has 11 characters, and the third column would need 5 more.
    EXPECT_EQ(text_of(report_of(table), {.width = 12}),
              "m  aaa  bbb\n───────────\nx    1    2\n\nm  ccc\n──────\nx    3\nend\n");
    // A block always has the first column and one other, even if the terminal is narrow.
    EXPECT_EQ(text_of(report_of(table), {.width = 1}),
              "m  aaa\n──────\nx    1\n\nm  bbb\n──────\nx    2\n\nm  ccc\n──────\nx    3\nend\n");
    EXPECT_EQ(text_of(report_of(table)),
              "m  aaa  bbb  ccc\n────────────────\nx    1    2    3\nend\n");
}

TEST(ReportText, TextsThatAreWiderThanABlockAreBrokenBetweenWords) {
    Table table{.title = "A title that is longer than thirty characters",
                .columns = {{"metric", false}, {"formula", false}, {"n"}},
                .rows = {},
                .notes = {"a note that is longer than thirty characters"}};
    table.add(
        {std::string("ece"), std::string("sum over the bins of the gap between both"), Count{5}});
    table.add({std::string("top1"), std::string("short"), Count{70}});
    EXPECT_EQ(text_of(report_of(table), {.width = 30}),
              "A title that is longer than\n"
              "  thirty characters\n"
              "metric  formula\n"
              "────────────────────────────\n"
              "ece     sum over the bins of\n"
              "        the gap between both\n"
              "top1    short\n"
              "\n"
              "metric   n\n"
              "──────────\n"
              "ece      5\n"
              "top1    70\n"
              "a note that is longer than\n"
              "  thirty characters\n");
    // Words are never broken, and without a width nothing is wrapped.
    Table path{.title = "", .columns = {{"path", false}}, .rows = {}, .notes = {}};
    path.add({std::string("/a/long/path/without/any/blank/in/it")});
    EXPECT_NE(text_of(report_of(path), {.width = 30}).find("/a/long/path/without/any/blank/in/it"),
              std::string::npos);
    EXPECT_NE(text_of(report_of(table)).find("sum over the bins of the gap between both"),
              std::string::npos);
}

TEST(ReportText, SectionsStandInReadingOrder) {
    Table table{.title = "Table", .columns = {{"a"}}, .rows = {}, .notes = {"A note."}};
    table.add({Count{7}});
    Report report{.title = "Report",
                  .sections = {{"First", {"A paragraph.", table, Plot{}}, {{"Inner", {"In."}, {}}}},
                               {"Last", {}, {}}},
                  .records = {},
                  .result = {},
                  .warnings = {},
                  .partial = false};
    EXPECT_EQ(text_of(report),
              "Report\n\nFirst\n\nA paragraph.\n\nTable\na\n─\n7\nA note.\n\nInner\n\nIn.\n\n"
              "Last\n");
    const std::string coloured = text_of(report, {.colour = true});
    EXPECT_NE(coloured.find("\033[1mReport\033[0m\n"), std::string::npos);
    EXPECT_NE(coloured.find("\033[2mA note.\033[0m\n"), std::string::npos);
}

TEST(ReportTable, RefusesRowsThatDoNotFit) {
    Table table = two_columns();
    EXPECT_THROW(table.add({Count{1}, Count{2}, Count{3}}), Error);
    EXPECT_THROW(table.add({}), Error);  // an empty row stands for rule()
    EXPECT_TRUE(table.rows.empty());
}

}  // namespace
}  // namespace assay
