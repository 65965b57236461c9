// Tables of several models say ± only where half of the interval says where both ends are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "assay/report.h"
#include "evaluate/measurement_text.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

Estimate between(double low, double value, double high) {
    Estimate e;
    e.value = value;
    e.unit = Unit::proportion;
    e.interval = Interval{low, high, 0.95, "wilson"};
    return e;
}

std::string shown(std::initializer_list<Estimate> values) {
    Table table;
    table.columns = {{"model", false}, {"top1 %", true, Column::Show::value_and_half}};
    for (const Estimate& e : values) table.add({std::string("net"), e});
    table.rule();
    Estimate undefined;
    undefined.undefined = "no labels";
    table.add({std::string("other"), undefined});
    const std::string_view note = show_unequal_sides(table);
    Report report;
    report.sections.emplace_back().blocks.emplace_back(table);
    const std::string text = render(report, ReportFormat::text);
    EXPECT_EQ(note == "± is half of the interval", text.find("±") != std::string::npos) << text;
    EXPECT_EQ(note == "in brackets: the interval", text.find('(') != std::string::npos) << text;
    return text;
}

TEST(Leagues, SayHalfOnlyWhereBothSidesAreEqual) {
    // 1,600 images: 2.06 and 2.14 points are both 2.1.
    EXPECT_THAT(shown({between(0.7356, 0.757, 0.7776)}), HasSubstr("75.7 ±2.1"));
    // 700 images: 3.5 below and 3.4 above.
    const std::string both = shown({between(0.6445, 0.68, 0.7136)});
    EXPECT_THAT(both, HasSubstr("68.0 (64.5 – 71.4)"));
    EXPECT_THAT(both, Not(HasSubstr("±")));
    // All correct.
    EXPECT_THAT(shown({between(0.963, 1, 1)}), HasSubstr("(96.3 – 100.0)"));
    // A column has one form.
    const std::string mixed =
        shown({between(0.7356, 0.757, 0.7776), between(0.6445, 0.68, 0.7136)});
    EXPECT_THAT(mixed, HasSubstr("75.7 (73.6 – 77.8)"));
}

TEST(Leagues, SayNothingOfIntervalsThatThereAreNot) {
    Estimate alone = between(0, 0.757, 1);
    alone.interval.reset();
    EXPECT_THAT(shown({alone}), HasSubstr("75.7"));
}

}  // namespace
}  // namespace assay
