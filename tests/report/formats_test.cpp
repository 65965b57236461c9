// Reports as CSV, JSON, Markdown and LaTeX, and the table of all formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "made_report.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string csv(const Report& report) {
    return render(report, ReportFormat::csv);
}
std::string csv(const Table& table) {
    return csv(report_of(table));
}

Table one_row(std::vector<Column> columns, std::vector<Cell> cells) {
    Table table{.title = "", .columns = std::move(columns), .rows = {}, .notes = {"For people."}};
    table.add(std::move(cells));
    return table;
}

TEST(ReportFormats, EveryOneHasANameAndARenderer) {
    const std::vector<std::string> names = {"text", "csv", "json", "md", "latex"};
    EXPECT_EQ(report_format_names(), names);
    Report report = report_of(one_row({{"a"}}, {Count{1234}}));
    report.result = {{"schema", "assay.made/1"}};
    for (const std::string& name : names) {
        const ReportFormat format = report_format_named(name);
        EXPECT_EQ(name_of(format), name);
        EXPECT_TRUE(render(report, format).ends_with("\n")) << name;
        // An empty report is not an error in any format.
        EXPECT_NO_THROW(render(Report{}, format)) << name;
    }
    try {
        report_format_named("markdwn");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage);
        EXPECT_THAT(error.message(), HasSubstr("unknown format `markdwn`"));
        EXPECT_THAT(error.message(), HasSubstr("latex"));
    }
}

TEST(ReportCsv, HasEveryDigitAndNoGroups) {
    const Table table =
        one_row({{"n"}, {"value"}, {"p"}, {"yes"}, {"nothing"}, {"left_out"}},
                {Count{50000}, Number{.value = 0.1, .digits = 1}, PValue{1e-12}, true, Cell()});
    EXPECT_EQ(csv(table), "n,value,p,yes,nothing,left_out\n50000,0.1,1e-12,true,,\n");
    // 1/3 is read back as the same double.
    EXPECT_EQ(csv(one_row({{"a"}}, {Number{.value = 1.0 / 3}})), "a\n0.3333333333333333\n");
}

TEST(ReportCsv, QuotesWhatNeedsIt) {
    Table table = one_row({{"a"}, {"b"}}, {std::string("plain"), std::string("with, comma")});
    table.rule();  // this format is for people only
    table.add({std::string("a \"quoted\" word"), std::string("two\nlines")});
    EXPECT_EQ(csv(table), "a,b\nplain,\"with, comma\"\n\"a \"\"quoted\"\" word\",\"two\nlines\"\n");
}

TEST(ReportCsv, EstimatesTakeColumnsOfTheirOwn) {
    using Show = Column::Show;
    const Estimate with = estimate(0.5, 0.25, 0.75);
    const auto written = [&](Show show, const Estimate& e) {
        return csv(one_row({{"m", false}, {"x", true, show}}, {std::string("a"), e}));
    };
    EXPECT_EQ(written(Show::value, with), "m,x\na,0.5\n");
    EXPECT_EQ(written(Show::interval, with), "m,x_low,x_high\na,0.25,0.75\n");
    for (const Show show : {Show::value_and_half, Show::value_and_interval, Show::every_part})
        EXPECT_EQ(written(show, with), "m,x,x_low,x_high\na,0.5,0.25,0.75\n");
    EXPECT_EQ(written(Show::every_part, estimate(0.5)), "m,x,x_low,x_high\na,0.5,,\n");
    EXPECT_EQ(written(Show::every_part, undefined("no labels")), "m,x,x_low,x_high\na,,,\n");
    // A column with declared parts has all of them even if there is no row.
    EXPECT_EQ(
        csv(Table{
            .title = "", .columns = {{"x", true, Show::every_part}}, .rows = {}, .notes = {}}),
        "x,x_low,x_high\n");
}

TEST(ReportCsv, BarsAreForPeople) {
    EXPECT_EQ(csv(one_row({{"a"}, {"bar", false}}, {Count{1}, Bar{0.5}})), "a\n1\n");
}

TEST(ReportCsv, HoldsTheRecordsElseTheFirstTable) {
    Report report;
    EXPECT_EQ(csv(report), "");
    report.sections.push_back(
        {"Words", {"No table here."}, {{"Inner", {one_row({{"first"}}, {Count{1}})}, {}}}});
    report.sections.push_back({"Last", {one_row({{"second"}}, {Count{2}})}, {}});
    EXPECT_EQ(csv(report), "first\n1\n");
    report.records = one_row({{"record"}}, {Count{3}});
    EXPECT_EQ(csv(report), "record\n3\n");
    report.records.rows.clear();  // measured without findings, the table has only a header
    EXPECT_EQ(csv(report), "record\n");
}

TEST(ReportJson, IsTheResult) {
    Report report = report_of(one_row({{"a"}}, {Count{1}}));
    report.result = {{"schema", "assay.made/1"}, {"value", 0.1}, {"name", "c\xe9"}};
    const json read = json::parse(render(report, ReportFormat::json));
    EXPECT_EQ(read.at("schema"), "assay.made/1");
    EXPECT_EQ(read.at("value"), 0.1);
    EXPECT_EQ(read.at("name"), "c\uFFFD");  // the bytes are not UTF-8
    EXPECT_EQ(read.size(), 3U);
}

TEST(ReportMarkdown, TablesAreGitHubs) {
    Table table = one_row({{"model", false}, {"top1", true, Column::Show::value_and_half}},
                          {std::string("a|b_c*"), estimate(0.7613, 0.7576, 0.7650)});
    table.title = "Scores";
    table.rule();
    table.add({std::string("two\nlines")});
    EXPECT_EQ(render(report_of(table), ReportFormat::markdown),
              "**Scores**\n\n| model | top1 |\n| --- | ---: |\n| a\\|b\\_c\\* | 76.13 ±0.37 |\n"
              "| two lines |  |\n\nFor people.\n");
}

TEST(ReportMarkdown, BarsAreForTerminals) {
    EXPECT_EQ(render(report_of(Table{.title = "",
                                     .columns = {{"a", false}, {"", false}, {"n"}},
                                     .rows = {{std::string("x"), Bar{0.5}, Count{2}}},
                                     .notes = {}}),
                     ReportFormat::markdown),
              "| a | n |\n| --- | ---: |\n| x | 2 |\n");
}

TEST(ReportMarkdown, SectionsAreHeadingsByDepth) {
    Report report;
    report.title = "Report";
    report.sections.push_back({"First", {"Words."}, {{"Inner", {}, {}}}});
    EXPECT_EQ(render(report, ReportFormat::markdown),
              "# Report\n\n## First\n\nWords.\n\n### Inner\n");
}

TEST(ReportLatex, TablesAreBooktabs) {
    Table table = one_row({{"model", false}, {"top1", true, Column::Show::value_and_half}},
                          {std::string("resnet_50"), estimate(0.7613, 0.7576, 0.7650)});
    table.title = "Scores";
    table.rule();
    table.add({std::string("b")});
    EXPECT_EQ(render(report_of(table), ReportFormat::latex),
              "% Scores\n\\begin{tabular}{lr}\n\\toprule\nmodel & top1 \\\\\n\\midrule\n"
              "resnet\\_50 & 76.13 $\\pm$0.37 \\\\\n\\midrule\nb &  \\\\\n\\bottomrule\n"
              "\\end{tabular}\n% For people.\n");
}

TEST(ReportLatex, EscapesWhatTexReads) {
    const Table table = one_row({{"a", false}}, {std::string("\\ & % $ # _ { } ~ ^ < > – … ≥ ≤")});
    EXPECT_THAT(render(report_of(table), ReportFormat::latex),
                HasSubstr("\n\\textbackslash{} \\& \\% \\$ \\# \\_ \\{ \\} \\textasciitilde{} "
                          "\\textasciicircum{} $<$ $>$ -- \\ldots{} $\\geq$ $\\leq$ \\\\\n"));
}

// The marks of `assay check` are characters that TeX lacks.
TEST(ReportLatex, MarksAreSymbols) {
    Report report;
    report.sections.push_back({"", {"✓ good\n✗ bad\n· so so\n    → do × this"}, {}});
    EXPECT_EQ(render(report, ReportFormat::latex),
              "$\\surd$ good \\newline\n$\\times$ bad \\newline\n$\\cdot$ so so \\newline\n"
              "    $\\rightarrow$ do $\\times$ this\n");
}

// The second line of a title or a note must not become text of the paper.
TEST(ReportLatex, CommentsStayComments) {
    Table table = one_row({{"a"}}, {Count{1}});
    table.title = "One\nTwo";
    table.notes = {"Three\nfour"};
    Report report = report_of(table);
    report.title = "Five\nsix";
    report.sections.front().title = "Seven\neight";
    const std::string text = render(report, ReportFormat::latex);
    for (const char* word : {"Two", "four", "six", "eight"})
        EXPECT_EQ(text.find(std::string("\n") + word), std::string::npos) << word;
}

TEST(ReportLatex, BarsAreForTerminals) {
    EXPECT_THAT(render(report_of(one_row({{"a"}, {"bar", false}}, {Count{1}, Bar{0.5}})),
                       ReportFormat::latex),
                HasSubstr("\\begin{tabular}{r}\n\\toprule\na \\\\\n"));
}

}  // namespace
}  // namespace assay
