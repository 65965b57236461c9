// Tests how a value is printed: its digits, its interval, and the text of an undefined value.
#include <gtest/gtest.h>

#include <limits>

#include "core/text.h"
#include "made_report.h"
#include "report/renderers.h"

namespace assay {
namespace {

using Show = Column::Show;

std::string shown(const Cell& cell, Show show = Show::value, bool sign = false) {
    return cell_text(cell, {.name = "c", .numbers = true, .show = show, .sign = sign});
}

TEST(NumberText, HasTheDigitsThatHalfTheWidthDeserves) {
    // The column shows two digits of the half width, so the last place is a tenth of it.
    EXPECT_EQ(number_text(0.12345, 0.004, Unit::number), "0.1235");  // 0.0004 needs 4 places
    EXPECT_EQ(number_text(0.12345, 0.04, Unit::number), "0.123");    // 0.004 needs 3 places
    EXPECT_EQ(number_text(12.345, 40, Unit::number), "12.35");       // at least 2 places
    // A proportion is in percent. A half width of 0.37 points gives 0.037 and 2 places.
    EXPECT_EQ(number_text(0.76132, 0.0037, Unit::proportion), "76.13");
    EXPECT_EQ(number_text(0.76132, 0.2, Unit::proportion), "76.1");  // at least 1 place
    EXPECT_EQ(number_text(0.5, 1e-9, Unit::proportion), "50.0000");  // at most 4 places
    EXPECT_EQ(number_text(3, 1.5, Unit::rank), "3");
    EXPECT_EQ(number_text(1.5, 0, Unit::rank), "1.5");
    EXPECT_EQ(number_text(1.5, 0, Unit::nats), "1.500");  // four digits of the value
    EXPECT_EQ(number_text(0, 0, Unit::number), "0.00");
    EXPECT_EQ(number_text(-0.25, 0, Unit::proportion), "-25.00");
    // A value that rounds to 0 has no sign.
    EXPECT_EQ(number_text(-1e-9, 0.1, Unit::number), "0.00");
    EXPECT_EQ(number_text(-1e-9, 0.02, Unit::proportion), "0.0");
    EXPECT_EQ(shown(Number{.value = -0.001, .digits = 1}), "0.0");
    EXPECT_EQ(shown(Number{.value = 0.001, .digits = 1, .sign = true}), "0.0");
    EXPECT_EQ(shown(Number{.value = 0.06, .digits = 1, .sign = true}), "+0.1");
    EXPECT_EQ(shown(estimate(1e-9, -0.02, 0.02), Show::value, true), "0.0");
}

TEST(CountText, GroupsThousands) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1000), "1,000");
    EXPECT_EQ(count_text(1234567), "1,234,567");
    EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(PValueText, SmallOnesKeepTheirSize) {
    EXPECT_EQ(p_value_text(1), "1.000");
    EXPECT_EQ(p_value_text(0.0128), "0.013");
    EXPECT_EQ(p_value_text(0.00012), "1.2e-04");
    EXPECT_EQ(p_value_text(1e-6), "1.0e-06");
    EXPECT_EQ(p_value_text(0.9e-6), "< 1e-6");
    EXPECT_EQ(p_value_text(0), "< 1e-6");
}

TEST(CellText, EstimatesWithAnInterval) {
    const Estimate e = estimate(0.7613, 0.7576, 0.7650);
    EXPECT_EQ(shown(e, Show::value), "76.13");
    EXPECT_EQ(shown(e, Show::value_and_half), "76.13 ±0.37");
    EXPECT_EQ(shown(e, Show::interval), "75.76 – 76.50");
    EXPECT_EQ(shown(e, Show::value_and_interval), "76.13 (75.76 – 76.50)");
    EXPECT_EQ(shown(e, Show::value, true), "+76.13");
    EXPECT_EQ(shown(estimate(-0.0074, -0.02, 0.01), Show::value_and_half, true), "-0.7 ±1.5");
    EXPECT_EQ(shown(estimate(0.0, -0.02, 0.02), Show::value, true), "0.0");  // 0 has no sign
}

TEST(CellText, EstimatesWithoutAnIntervalOrAValue) {
    const Estimate plain = estimate(0.5);
    EXPECT_EQ(shown(plain, Show::value), "50.00");
    EXPECT_EQ(shown(plain, Show::value_and_half), "50.00");
    EXPECT_EQ(shown(plain, Show::value_and_interval), "50.00");
    EXPECT_EQ(shown(plain, Show::interval), "");
    for (const Show show : {Show::value, Show::value_and_half, Show::value_and_interval})
        EXPECT_EQ(shown(undefined("no labels"), show), "–");
    EXPECT_EQ(shown(undefined("no labels"), Show::interval), "");
}

TEST(CellText, AllOtherKinds) {
    EXPECT_EQ(shown(Cell()), "");
    EXPECT_EQ(shown(std::string("resnet50")), "resnet50");
    EXPECT_EQ(shown(Count{50000}), "50,000");
    EXPECT_EQ(shown(true), "yes");
    EXPECT_EQ(shown(false), "no");
    EXPECT_EQ(shown(PValue{0.25}), "0.250");
    EXPECT_EQ(shown(Number{.value = 3, .digits = 0}), "3");
    EXPECT_EQ(shown(Number{.value = 0.25, .unit = Unit::proportion, .digits = 1}), "25.0");
    // rounds to even: 1.25
    EXPECT_EQ(shown(Number{.value = 1.25, .digits = 1, .sign = true}), "+1.2");
    EXPECT_EQ(shown(Number{.value = -1.5, .digits = 1, .sign = true}), "-1.5");
    EXPECT_EQ(shown(Number{.value = 1234.5}), "1234.50");
}

TEST(BarText, FillsInEighths) {
    EXPECT_EQ(bar_text(0, 4), "    ");
    EXPECT_EQ(bar_text(0.5, 4), "██  ");
    EXPECT_EQ(bar_text(0.53125, 4), "██▏ ");  // the position is 17/32 of the width
    EXPECT_EQ(bar_text(1, 4), "████");
    EXPECT_EQ(bar_text(7, 4), "████");
    EXPECT_EQ(bar_text(-1, 4), "    ");
    EXPECT_EQ(text_width(bar_text(0.3, 12)), 12U);
}

}  // namespace
}  // namespace assay
