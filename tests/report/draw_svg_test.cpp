// Plots without Cairo: widths from the table of the font, and the written SVG.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "report/draw_canvas.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SvgCanvas, TextsAreAsWideAsCairoDrawsThem) {
    const auto svg = svg_canvas(1, 1);
    const auto cairo = cairo_canvas(PlotFormat::svg, 1, 1, 72);
    for (const std::string text :
         {"top1 %", "Accuracy of 0123456789", "WAVE To. fi ffl", "Größe, naïve, Łódź", "αβγ ΔΩ",
          "Точность", "± × ≤ ≥ … – — “x” → ↑", "a  b", ""}) {
        for (const double size : {5.0, 8.0, 23.0}) {
            // Cairo rounds the widths of the font.
            EXPECT_NEAR(svg->text_width(text, size), cairo->text_width(text, size), 0.01 * size)
                << text << " at " << size;
        }
    }
}

TEST(SvgCanvas, WhatIsCutFits) {
    const auto canvas = svg_canvas(1, 1);
    const std::string text = "a name that is far too long for its place";
    for (const double room : {20.0, 50.0, 80.0}) {
        const std::string cut = canvas->fitted(text, 8, room);
        EXPECT_LT(cut.size(), text.size());
        EXPECT_LE(canvas->text_width(cut, 8), room);
    }
    EXPECT_EQ(canvas->fitted(text, 8, 1000), text);
}

TEST(SvgCanvas, WritesWhatWasDrawnAndNothingOfATextIsMarkup) {
    const auto canvas = svg_canvas(100, 50);
    canvas->fill({-1, -1, 101, 51}, {1, 1, 1});
    canvas->clip({0, 0, 100, 50});
    canvas->line({{0, 0}, {10.126, 20}}, {{0, 0, 0}, 0.75, true, 0.5});
    canvas->mark(MarkShape::circle, {5, 6}, 2, {1, 0, 0});
    canvas->mark(MarkShape::square, {5, 6}, 2, {0, 1, 0}, 0.6);
    canvas->outline({1, 2, 3, 5}, {{0, 0, 1}});
    canvas->unclip();
    canvas->text("</text><script>x & y</script>", {10, 20}, 8, {0, 0, 0}, TextAlign::end, true);
    canvas->text("", {10, 20}, 8, {0, 0, 0});
    const std::string svg = canvas->finish();
    EXPECT_THAT(svg, HasSubstr("width=\"100pt\" height=\"50pt\""));
    EXPECT_THAT(svg, HasSubstr("<rect x=\"-1\" y=\"-1\" width=\"102\" height=\"52\" "
                               "fill=\"#ffffff\"/>"));
    EXPECT_THAT(svg, HasSubstr("<polyline points=\"0,0 10.13,20\" fill=\"none\" "
                               "stroke=\"#000000\" stroke-width=\"0.75\""));
    EXPECT_THAT(svg, HasSubstr("stroke-opacity=\"0.5\" stroke-dasharray=\"2.25 1.88\""));
    EXPECT_THAT(svg, HasSubstr("<circle cx=\"5\" cy=\"6\" r=\"2\" fill=\"#ff0000\"/>"));
    EXPECT_THAT(svg, HasSubstr("<polygon points=\"6.77,4.23 "));
    EXPECT_THAT(svg, HasSubstr("<rect x=\"1\" y=\"2\" width=\"2\" height=\"3\" fill=\"none\""));
    EXPECT_THAT(svg, HasSubstr("rotate(-90)\" y=\"2.88\" font-size=\"8\" fill=\"#000000\" "
                               "text-anchor=\"end\""));
    EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt;x &amp; y&lt;/script&gt;</text>"));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    const auto count = [&](const std::string& part) {
        std::size_t n = 0;
        for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1))
            ++n;
        return n;
    };
    EXPECT_EQ(count("<text"), 1);
    EXPECT_EQ(count("<g "), count("</g>"));
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace assay
