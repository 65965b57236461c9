#include "assay/report/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "assay/image/image.h"
#include "message_of.h"
#include "report/draw_axes.h"
#include "report/draw_layout.h"
#include "report/draw_text.h"
#include "until.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Point made_point(std::variant<double, std::string> x, double y, double half = 0) {
    Point point;
    point.x = std::move(x);
    point.y.value = y;
    if (half > 0) {
        point.y.interval.emplace();
        point.y.interval->low = y - half;
        point.y.interval->high = y + half;
    }
    return point;
}

Plot made_line() {
    Plot plot;
    plot.kind = Plot::Kind::line;
    plot.title = "Lines";
    plot.x_title = "severity";
    plot.y_title = "accuracy";
    for (const char* name : {"a", "b"}) {
        Series series;
        series.name = name;
        for (int i = 0; i <= 4; ++i)
            series.points.push_back(made_point(double(i), (*name == 'a' ? 0.9 : 0.5) - 0.1 * i));
        plot.series.push_back(series);
    }
    return plot;
}

Plot made_rows(Plot::Kind kind) {
    Plot plot;
    plot.kind = kind;
    plot.y_title = "score";
    plot.series.emplace_back();
    for (int i = 0; i < 4; ++i)
        plot.series[0].points.push_back(made_point("model " + std::to_string(i), 0.5 + i, 0.2));
    return plot;
}

/// Measures letters as half a point wide for each point of size.
double half_width_of_letters(const std::string& text, double size) {
    return 0.5 * size * static_cast<double>(text.size());
}

TEST(PlotTicks, AreMultiplesOfOneTwoAndFive) {
    EXPECT_THAT(ticks_of({.low = 0, .high = 1}, 6).texts,
                ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
    EXPECT_THAT(ticks_of({.low = -3, .high = 12}, 4).texts, ElementsAre("0", "5", "10"));
    EXPECT_THAT(ticks_of({.low = 71.2, .high = 76.9}, 6).texts,
                ElementsAre("72", "73", "74", "75", "76"));
    EXPECT_THAT(ticks_of({.low = 0.0012, .high = 0.0029}, 4).texts,
                ElementsAre("0.0015", "0.0020", "0.0025"));
    EXPECT_THAT(ticks_of({.low = 0, .high = 2e9}, 3).texts, ElementsAre("0", "1e+09", "2e+09"));
}

TEST(PlotTicks, AreNeverMoreThanAskedForAndInside) {
    for (double low = -7; low < 7; low += 0.37) {
        for (double width = 1e-7; width < 1e8; width *= 3.7) {
            const AxisRange range{.low = low, .high = low + width};
            for (const std::size_t most : {2, 3, 5, 8}) {
                const AxisTicks ticks = ticks_of(range, most);
                ASSERT_LE(ticks.at.size(), most);
                ASSERT_EQ(ticks.at.size(), ticks.texts.size());
                for (const double at : ticks.at) {
                    ASSERT_GE(at, low - 1e-6 * width);
                    ASSERT_LE(at, low + width * (1 + 1e-6));
                }
            }
        }
    }
}

TEST(PlotRange, HasRoomRoundTheNumbers) {
    const AxisRange wide = padded({.low = 10, .high = 20}, false);
    EXPECT_DOUBLE_EQ(wide.low, 9.5);
    EXPECT_DOUBLE_EQ(wide.high, 20.5);
    EXPECT_DOUBLE_EQ(padded({.low = 10, .high = 20}, true).low, 0);
    EXPECT_DOUBLE_EQ(padded({}, false).high, 1);
    const AxisRange single = padded({.low = 3, .high = 3}, false);
    EXPECT_LT(single.low, 3);
    EXPECT_GT(single.high, 3);
    AxisRange range;
    range.take(std::numeric_limits<double>::infinity());
    range.take(std::nan(""));
    range.take(1e300);
    EXPECT_TRUE(range.empty());
}

TEST(PlotLayout, PutsNumbersWhereTheyBelong) {
    const Plot plot = made_line();
    DrawOptions options;
    options.width = 100;
    options.height = 60;
    const PlotSheet sheet = lay_out({&plot, 1}, options, half_width_of_letters);
    EXPECT_NEAR(sheet.width, 100 * 72 / 25.4, 1e-9);
    EXPECT_NEAR(sheet.height, 60 * 72 / 25.4, 1e-9);
    ASSERT_EQ(sheet.panels.size(), 1u);
    const PlotPanel& panel = sheet.panels[0];
    // Values from 0.1 to 0.9, with a margin of a twentieth on both sides.
    EXPECT_NEAR(panel.up.at(0.1 - 0.04), panel.frame.bottom, 1e-9);
    EXPECT_NEAR(panel.up.at(0.9 + 0.04), panel.frame.top, 1e-9);
    EXPECT_NEAR(panel.up.at(0.5), (panel.frame.top + panel.frame.bottom) / 2, 1e-9);
    EXPECT_NEAR(panel.across.at(2), panel.frame.left + panel.frame.width() * 2.0 / 4.2, 1e-9);
    EXPECT_GE(panel.frame.left, 0);
    EXPECT_LE(panel.frame.right, sheet.width);
    EXPECT_LE(panel.frame.bottom, sheet.height);
    ASSERT_EQ(sheet.legend.size(), 2u);
    EXPECT_EQ(sheet.legend[1].text, "b");
}

TEST(PlotLayout, GivesEachCategoryARowOfTheSameHeight) {
    const Plot plot = made_rows(Plot::Kind::bars);
    const PlotSheet sheet = lay_out({&plot, 1}, {}, half_width_of_letters);
    const PlotPanel& panel = sheet.panels[0];
    EXPECT_THAT(panel.categories, ElementsAre("model 0", "model 1", "model 2", "model 3"));
    EXPECT_NEAR(panel.row_centre(1) - panel.row_centre(0), panel.frame.height() / 4, 1e-9);
    EXPECT_DOUBLE_EQ(panel.across.range.low, 0);  // the bars begin there
    EXPECT_TRUE(sheet.legend.empty());
}

TEST(PlotLayout, SharesTheAxesOfSeveralPlots) {
    std::vector<Plot> plots(5, made_line());
    plots[3].series[0].points[0].y.value = 2.9;
    const PlotSheet sheet = lay_out(plots, {}, half_width_of_letters);
    ASSERT_EQ(sheet.panels.size(), 5u);
    for (const PlotPanel& panel : sheet.panels) {
        EXPECT_DOUBLE_EQ(panel.up.range.high, sheet.panels[0].up.range.high);
        EXPECT_NEAR(panel.frame.width(), sheet.panels[0].frame.width(), 1e-9);
        EXPECT_LE(panel.frame.right, sheet.width);
    }
    EXPECT_TRUE(sheet.panels[0].up_texts);
    EXPECT_FALSE(sheet.panels[1].up_texts);
}

TEST(Draw, GivesTheSameBytesForEqualPlots) {
    const Plot plot = made_line();
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::pdf, PlotFormat::png})
        EXPECT_EQ(draw(plot, format), draw(plot, format)) << name_of(format);
    // The output must not depend on the time, which PDF stores in seconds.
    const std::time_t second = std::time(nullptr);
    const std::string before = draw(plot, PlotFormat::pdf);
    ASSERT_TRUE(until([&] { return std::time(nullptr) != second; }));
    EXPECT_EQ(draw(plot, PlotFormat::pdf), before);
}

TEST(Draw, EmbedsTheLettersOfPdf) {
    const std::string pdf = draw(made_line(), PlotFormat::pdf);
    EXPECT_THAT(pdf, StartsWith("%PDF-"));
    EXPECT_THAT(pdf, HasSubstr("/FontFile"));
    EXPECT_THAT(pdf, HasSubstr("DejaVuSans"));
}

TEST(Draw, HasLettersOfSvgAsOutlines) {
    const std::string svg = draw(made_line(), PlotFormat::svg);
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, testing::Not(HasSubstr("<text")));
    EXPECT_THAT(svg, testing::Not(HasSubstr("<image")));
}

TEST(Draw, HasTheSizeOfPngThatWasAskedFor) {
    DrawOptions options;
    options.width = 50.8;
    options.height = 25.4;
    options.dpi = 100;
    for (const bool dark : {false, true}) {
        options.dark = dark;
        const std::string png = draw(made_line(), PlotFormat::png, options);
        const Image image = decode_image(std::as_bytes(std::span(png)));
        EXPECT_EQ(image.width, 200);
        EXPECT_EQ(image.height, 100);
        // The background reaches the last pixel.
        EXPECT_EQ(image.pixels[0], image.pixels[image.pixels.size() - 4]);
        EXPECT_EQ(image.pixels[0] < 128, dark);
    }
}

TEST(Draw, TakesAnyText) {
    std::string every_byte;
    for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
    const std::string hostile[] = {every_byte,
                                   std::string(5000, 'x'),
                                   "<img src=x onerror=alert(1)></svg>]]>",
                                   "\xEF\xBF\xBE and \xEF\xB7\x90 are no characters",
                                   "\xED\xA0\x80",
                                   "\xF4\x90\x80\x80",
                                   "a\nb\tc",
                                   "\u202Eright to left \u05D0\u05D1",
                                   "\U0001F600 \u4E2D\u6587",
                                   ""};
    for (const std::string& text : hostile) {
        Plot line = made_line(), rows = made_rows(Plot::Kind::scatter);
        line.title = line.x_title = line.y_title = line.series[0].name = text;
        line.series[0].points[0].label = text;
        rows.series[0].points[0].x = text;
        for (const PlotFormat format : {PlotFormat::svg, PlotFormat::pdf, PlotFormat::png}) {
            EXPECT_FALSE(draw(line, format, {.title = true}).empty());
            EXPECT_FALSE(draw(rows, format).empty());
        }
        EXPECT_THAT(draw(line, PlotFormat::svg), testing::Not(HasSubstr("onerror")));
    }
    EXPECT_EQ(plot_text("a\nb\tc"), "a b c");
    EXPECT_EQ(plot_text("\xFF"), "\\xff");
    EXPECT_EQ(plot_text("\xEF\xBF\xBE"), "\xEF\xBF\xBD");
    EXPECT_LT(plot_text(std::string(5000, 'x')).size(), 310u);
}

TEST(Draw, LeavesOutWhatIsNotFinite) {
    Plot plot = made_line();
    plot.series[0].points[1].y.value.reset();
    plot.series[0].points[2].y.value = std::nan("");
    plot.series[1].points[0].y.value = 1e308;
    plot.series[1].points[1].x = -std::numeric_limits<double>::infinity();
    EXPECT_FALSE(draw(plot, PlotFormat::svg).empty());
    for (Series& series : plot.series) {
        for (Point& point : series.points) point.y.value.reset();
    }
    EXPECT_FALSE(draw(plot, PlotFormat::png).empty());
    EXPECT_FALSE(draw(Plot{}, PlotFormat::pdf).empty());
}

TEST(Draw, DrawsEveryKind) {
    for (const auto kind :
         {Plot::Kind::scatter, Plot::Kind::line, Plot::Kind::bars, Plot::Kind::boxes}) {
        Plot rows = made_rows(kind), numbers = made_line();
        numbers.kind = kind;
        rows.series[0].points[0].quartiles = rows.series[0].points[0].y.interval;
        rows.series[0].points[1].y.value.reset();
        EXPECT_FALSE(draw(rows, PlotFormat::svg).empty());
        EXPECT_FALSE(draw(numbers, PlotFormat::svg).empty());
    }
}

TEST(Draw, RefusesWhatCannotBeRead) {
    const Plot plot = made_line();
    const auto message = [&](std::vector<Plot> plots, const DrawOptions& options = {}) {
        return message_of([&] { draw(plots, PlotFormat::png, options); }, ErrorCode::usage);
    };
    EXPECT_THAT(message({}), HasSubstr("no plot"));
    EXPECT_THAT(message(std::vector<Plot>(21, plot)), HasSubstr("--model"));
    Plot many = plot;
    for (int i = 0; i < 20; ++i) many.series.push_back({.name = std::to_string(i), .points = {}});
    EXPECT_THAT(message({many}), HasSubstr("22 series"));
    Plot tall = made_rows(Plot::Kind::bars);
    for (int i = 0; i < 60; ++i) tall.series[0].points.push_back(made_point(std::to_string(i), 1));
    EXPECT_THAT(message({tall}), HasSubstr("64 rows"));
    EXPECT_THAT(message({plot}, {.width = 5}), HasSubstr("20 to 1000"));
    EXPECT_THAT(message({plot}, {.font = std::nan("")}),
                HasSubstr("font is nan; allowed: a number from 4 to 40"));
    EXPECT_THAT(message({plot}, {.dpi = 5000}), HasSubstr("dpi"));
    EXPECT_THAT(message({plot}, {.width = 900, .height = 900, .dpi = 1200}),
                HasSubstr("million pixels"));
    EXPECT_THAT(message({plot}, {.width = 1000, .height = 40, .font = 5, .dpi = 1200}),
                HasSubstr("a side of 47244 pixels; the limit is 30000: lower --dpi, or use"));
    EXPECT_THAT(message({plot}, {.width = 20, .height = 20, .font = 40}), HasSubstr("no room"));
}

TEST(Draw, KnowsItsFormats) {
    EXPECT_EQ(plot_format_of("a/b.PDF"), PlotFormat::pdf);
    EXPECT_EQ(plot_format_of("a/b.jpg"), std::nullopt);
    EXPECT_EQ(plot_format_named("svg"), PlotFormat::svg);
    EXPECT_THAT(message_of([] { plot_format_named("gif"); }, ErrorCode::usage),
                HasSubstr("svg, pdf, png"));
}

}  // namespace
}  // namespace assay
