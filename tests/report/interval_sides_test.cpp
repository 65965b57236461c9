// Tables only say ± if half of the interval is the distance to both ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/interval_sides.h"
#include "made_report.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;
using Show = Column::Show;

/// A table with a row for each value, a row without a value, and a line between.
Table table_with(std::initializer_list<Estimate> values, bool interval_beside = false) {
    Table table;
    table.columns = {{"model", false}, {"top1 %", true, Show::value_and_half}};
    if (interval_beside) table.columns.push_back({"interval", true, Show::interval});
    const auto add = [&](const Estimate& e) {
        if (interval_beside) {
            table.add({std::string("net"), e, e});
        } else {
            table.add({std::string("net"), e});
        }
    };
    for (const Estimate& e : values) add(e);
    table.rule();
    add(undefined("no labels"));
    table.add({std::string("short")});
    return table;
}

std::string sides_text(const Table& table) {
    const std::string text = render(report_of(table), ReportFormat::text);
    const std::string_view note = sides_note(table);
    EXPECT_EQ(note == "± is half of the interval", text.find("±") != std::string::npos) << text;
    EXPECT_EQ(note == "in brackets: the interval", text.find('(') != std::string::npos) << text;
    return text;
}

TEST(IntervalSides, HalfOnlyWhereBothSidesAreEqual) {
    // For 1,600 images, 2.06 and 2.14 points are both 2.1.
    EXPECT_THAT(sides_text(table_with({estimate(0.757, 0.7356, 0.7776)})), HasSubstr("75.7 ±2.1"));
    // For 700 images, the ends are 3.5 below and 3.4 above.
    const std::string both = sides_text(table_with({estimate(0.68, 0.6445, 0.7136)}));
    EXPECT_THAT(both, HasSubstr("68.0 (64.5 – 71.4)"));
    EXPECT_THAT(both, Not(HasSubstr("±")));
    // All predictions are correct.
    EXPECT_THAT(sides_text(table_with({estimate(1, 0.963, 1)})), HasSubstr("(96.3 – 100.0)"));
    // All rows of a column have the same form.
    EXPECT_THAT(
        sides_text(table_with({estimate(0.757, 0.7356, 0.7776), estimate(0.68, 0.6445, 0.7136)})),
        HasSubstr("75.7 (73.6 – 77.8)"));
}

/// The function of the pages has the same fixtures.
TEST(IntervalSides, SentencesHaveTheFixturesTexts) {
    const auto json = nlohmann::json::parse(
        std::ifstream(ASSAY_SOURCE_DIR "/tests/report/fixtures/interval_sides.json"));
    const nlohmann::json& all = json.at("estimates");
    ASSERT_EQ(all.size(), 14U);
    for (const nlohmann::json& one : all) {
        const std::string unit = one.at("unit");
        Estimate e;
        e.value = one.at("value").get<double>();
        e.unit = unit == "proportion" ? Unit::proportion : unit == "rank" ? Unit::rank : Unit::nats;
        if (one.contains("low"))
            e.interval = Interval{one.at("low"), one.at("high"), 0.95, "wilson"};
        EXPECT_EQ(number_text(*e.value, half_width(e), e.unit), one.at("text")) << one;
        EXPECT_EQ(sides_text(e), one.at("sides")) << one;
    }
}

TEST(IntervalSides, DecimalsDecideWhichSidesAreEqual) {
    const Estimate e = estimate(0.757, 0.7356, 0.7776);  // the distances are 2.14 and 2.06 points
    EXPECT_EQ(sides_text(e, 1), "±2.1");
    EXPECT_EQ(sides_text(e, 2), "(73.56 – 77.76)");
    EXPECT_EQ(sides_text(estimate(0.757), 1), "");
}

TEST(IntervalSides, SizesHaveNoSign) {
    const Estimate size = without_sign(estimate(-0.06, -0.08, -0.05));
    EXPECT_EQ(size.value, 0.06);
    EXPECT_EQ(sides_text(size), "(5.0 – 8.0)");
    EXPECT_EQ(sides_text(without_sign(estimate(0.06, 0.05, 0.08))), "(5.0 – 8.0)");
    EXPECT_EQ(without_sign(estimate(-0.06)).value, 0.06);
}

TEST(IntervalSides, NothingIsSaidWithoutIntervals) {
    EXPECT_THAT(sides_text(table_with({estimate(0.757)})), HasSubstr("75.7"));
    EXPECT_EQ(sides_note(Table{}), "");
}

TEST(IntervalSides, AColumnOfIntervalsIsNotRepeated) {
    const std::string unequal = sides_text(table_with({estimate(0.68, 0.6445, 0.7136)}, true));
    EXPECT_THAT(unequal, HasSubstr("68.0  64.5 – 71.4"));
    EXPECT_THAT(sides_text(table_with({estimate(0.757, 0.7356, 0.7776)}, true)),
                HasSubstr("75.7 ±2.1  73.6 – 77.8"));
}

TEST(IntervalSides, EveryFormatForPeopleHasThem) {
    const Report report = report_of(table_with({estimate(1, 0.963, 1)}));
    EXPECT_THAT(render(report, ReportFormat::text), HasSubstr("100.0 (96.3 – 100.0)"));
    EXPECT_THAT(render(report, ReportFormat::markdown), HasSubstr("| 100.0 (96.3 – 100.0) |"));
    EXPECT_THAT(render(report, ReportFormat::latex), HasSubstr("& 100.0 (96.3 -- 100.0) \\\\"));
    EXPECT_THAT(render(report, ReportFormat::csv), HasSubstr(",1,0.963,1\n"));
}

}  // namespace
}  // namespace assay
