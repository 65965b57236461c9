// Gates (conditions on a result) in reports for people, and as tests for CI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "assay/report/junit.h"
#include "made_report.h"

namespace assay {
namespace {

using testing::HasSubstr;

GateOutcome gate(const std::string& text, const std::string& model, std::optional<double> found,
                 bool passed) {
    GateOutcome outcome;
    outcome.gate = text;
    outcome.model = model;
    outcome.dataset = "val";
    outcome.definition = "top1.first_index";
    outcome.measured = estimate(0.7, 0.6, 0.8);
    outcome.found = found;
    outcome.bound = 0.75;
    if (!found) outcome.reason = "no <labels>";
    outcome.passed = passed;
    return outcome;
}

Report gated() {
    Report report = report_of(Table{.title = "Scores",
                                    .columns = {{"model", false}},
                                    .rows = {{std::string("a")}},
                                    .notes = {}});
    report.gates = {gate("top1 <= 1", "a", 0.7, true), gate("top1 >= 0.75", "a", 0.7, false),
                    gate("top1 >= 0.75", "b", std::nullopt, false)};
    return report;
}

TEST(Gates, ComeLastInTextAndFirstOnAPage) {
    const std::string text = render(gated(), ReportFormat::text);
    EXPECT_THAT(text, HasSubstr("\nGates\n"
                                "gate          model  found  outcome\n"
                                "───────────────────────────────────────────────\n"
                                "top1 <= 1     a        0.7  passed\n"
                                "top1 >= 0.75  a        0.7  BROKEN\n"
                                "top1 >= 0.75  b          –  BROKEN: no <labels>\n"));
    EXPECT_TRUE(text.starts_with("Scores\n"));
    EXPECT_THAT(render(gated(), ReportFormat::latex), HasSubstr("% Gates\n"));

    EXPECT_EQ(render(gated(), ReportFormat::markdown),
              "**❌ 2 of 3 gates failed**\n\n"
              "|  | gate | model | found | outcome |\n| --- | --- | --- | ---: | --- |\n"
              "| ❌ | top1 >= 0.75 | a | 0.7 | BROKEN |\n"
              "| ❌ | top1 >= 0.75 | b | – | BROKEN: no \\<labels> |\n"
              "| ✅ | top1 \\<= 1 | a | 0.7 | passed |\n\n"
              "**Scores**\n\n| model |\n| --- |\n| a |\n");
    Report passed = gated();
    passed.gates.resize(1);
    EXPECT_TRUE(render(passed, ReportFormat::markdown)
                    .starts_with("**✅ 1 gate passed**\n\n|  | gate | found | outcome |\n"));
}

TEST(Gates, LongNotesAreFolded) {
    Table table{.title = "", .columns = {{"a"}}, .rows = {{Count{1}}}, .notes = {"Short."}};
    EXPECT_TRUE(render(report_of(table), ReportFormat::markdown).ends_with("\n\nShort.\n"));
    table.notes.emplace_back(200, 'x');
    EXPECT_THAT(render(report_of(table), ReportFormat::markdown),
                HasSubstr("| 1 |\n\n<details><summary>2 notes</summary>\n\n- Short.\n- xxx"));
    EXPECT_TRUE(render(report_of(table), ReportFormat::markdown).ends_with("xxx\n\n</details>\n"));
}

TEST(Junit, ATestForEachGateAndModel) {
    pugi::xml_document xml;
    ASSERT_TRUE(xml.load_string(junit_xml(gated()).c_str()));
    const pugi::xml_node suite = xml.child("testsuites").child("testsuite");
    EXPECT_STREQ(xml.child("testsuites").attribute("failures").value(), "2");
    EXPECT_STREQ(suite.attribute("name").value(), "val");
    EXPECT_STREQ(suite.attribute("tests").value(), "3");
    EXPECT_STREQ(suite.attribute("failures").value(), "2");
    std::vector<std::string> failures;
    for (const pugi::xml_node test : suite.children("testcase")) {
        failures.emplace_back(test.child("failure").attribute("message").value());
        if (failures.size() == 2) {
            EXPECT_STREQ(test.child("failure").child_value(),
                         "gate: top1 >= 0.75\nfound: 0.7\nbound: 0.75\nvalue: 0.7\n"
                         "interval: 0.6 to 0.8 (level 0.95, wilson)\nn: 100\n"
                         "definition: top1.first_index\nmodel: a\ndata set: val\n");
        }
    }
    EXPECT_THAT(failures, testing::ElementsAre("", "found 0.7, but the bound is 0.75",
                                               "undefined: no <labels>"));
    EXPECT_STREQ(suite.last_child().child("failure").attribute("type").value(), "undefined");
    // Two data sets give two test suites. A pair names both.
    Report report = gated();
    report.gates[1].dataset = "test";
    report.gates[1].baseline = "old";
    ASSERT_TRUE(xml.load_string(junit_xml(report).c_str()));
    const pugi::xml_node other = xml.child("testsuites").last_child();
    EXPECT_STREQ(other.child("testcase").attribute("classname").value(), "test.a against old");
    EXPECT_THAT(other.child("testcase").child("failure").child_value(), HasSubstr("baseline: old"));
    // Without gates, the file is also written.
    ASSERT_TRUE(xml.load_string(junit_xml(Report()).c_str()));
    EXPECT_STREQ(xml.child("testsuites").attribute("tests").value(), "0");
}

TEST(Junit, HostileNamesStayNames) {
    Report report = gated();
    const std::string name = "a\"><evil x='&amp;\x1b[31m\x01\xff\n\xEF\xBF\xBE";
    report.gates = {gate("top1 >= 0.75", name, 0.7, false)};
    const std::string text = junit_xml(report);
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
    pugi::xml_document xml;
    ASSERT_TRUE(xml.load_string(text.c_str()));
    const pugi::xml_node test = xml.child("testsuites").child("testsuite").child("testcase");
    EXPECT_STREQ(test.attribute("classname").value(),
                 "val.a\"><evil x='&amp;\\x1b[31m\\x01\\xff \xEF\xBF\xBD");
    EXPECT_THAT(test.child("failure").child_value(), HasSubstr("model: a\"><evil x='&amp;\\x1b"));
}

}  // namespace
}  // namespace assay
