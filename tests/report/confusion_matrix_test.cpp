// The plot of a confusion matrix: its classes, columns and cells, and how it is drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/report/draw.h"
#include "message_of.h"
#include "report/draw_layout.h"
#include "report/draw_panel.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The result of one store from a matrix of counts. `unmapped` predictions of the first class are
/// mapped to no class.
json scores_of(const std::vector<std::vector<int>>& counts, int unmapped = 0) {
    json classes = json::array(), confusions = json::array();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        int images = i == 0 ? unmapped : 0;
        for (std::size_t j = 0; j < counts.size(); ++j) {
            images += counts[i][j];
            if (i == j || counts[i][j] == 0) continue;
            confusions.push_back({{"truth", "c" + std::to_string(i)},
                                  {"predicted", "c" + std::to_string(j)},
                                  {"count", counts[i][j]}});
        }
        classes.push_back({{"id", "c" + std::to_string(i)},
                           {"name", "class " + std::to_string(i)},
                           {"accuracy", {{"value", nullptr}, {"n", images}}},
                           {"correct", counts[i][i]}});
    }
    if (unmapped > 0)
        confusions.push_back({{"truth", "c0"}, {"predicted", nullptr}, {"count", unmapped}});
    return {{"schema", "assay.scores/2"},
            {"stores",
             {{{"model", "a"},
               {"dataset", "v1"},
               {"per_class", classes},
               {"confusions", confusions}}}}};
}

Plot matrix_plot(const json& scores, std::size_t top = 0) {
    PlotChoice choice;
    choice.top = top;
    const auto plots = plots_of("confusion-matrix", scores, choice);
    EXPECT_EQ(plots.size(), 1u);
    return plots.at(0);
}

std::vector<std::string> column_names(const Plot& plot) {
    std::vector<std::string> names;
    for (const Series& series : plot.series) names.push_back(series.name);
    return names;
}

/// The counts of a row, as they appear in the cells.
std::vector<std::string> texts_of(const Plot& plot, std::size_t row) {
    std::vector<std::string> texts;
    for (const Series& series : plot.series) texts.push_back(series.points.at(row).label);
    return texts;
}

/// `classes` classes with 100 images each. 90 are predicted correctly and 10 as the next class.
json many_classes(std::size_t classes) {
    std::vector<std::vector<int>> counts(classes, std::vector<int>(classes));
    for (std::size_t c = 0; c < classes; ++c) {
        counts[c][c] = 90;
        counts[c][(c + 1) % classes] = 10;
    }
    return scores_of(counts);
}

TEST(ConfusionMatrixPlot, HasACountAndAShareInEachCell) {
    const Plot plot = matrix_plot(scores_of({{1500, 500}, {1, 3}}));
    EXPECT_EQ(plot.title, "a");
    EXPECT_EQ(plot.x_title, "predicted class");
    EXPECT_EQ(plot.y_title, "true class");
    EXPECT_THAT(column_names(plot), ElementsAre("class 0", "class 1"));
    EXPECT_THAT(texts_of(plot, 0), ElementsAre("1,500", "500"));
    EXPECT_THAT(texts_of(plot, 1), ElementsAre("1", "3"));
    EXPECT_EQ(plot.series[0].points[0].y.value, 0.75);
    EXPECT_EQ(plot.series[1].points[0].y.value, 0.25);
    EXPECT_EQ(plot.series[0].points[1].y.value, 0.25);
}

TEST(ConfusionMatrixPlot, LeavesZerosEmptyAndClassesWithoutImagesUndefined) {
    const Plot plot = matrix_plot(scores_of({{2, 0}, {0, 0}}));
    EXPECT_THAT(texts_of(plot, 0), ElementsAre("2", ""));
    EXPECT_EQ(plot.series[1].points[0].y.value, 0);
    EXPECT_EQ(plot.series[0].points[1].y.undefined, "no images");
    EXPECT_THAT(draw(plot, PlotFormat::svg), Not(HasSubstr("no value to draw")));
}

TEST(ConfusionMatrixPlot, KeepsPredictionsThatAreNoneOfTheClasses) {
    const Plot plot = matrix_plot(scores_of({{2, 1}, {0, 4}}, 5));
    EXPECT_THAT(column_names(plot), ElementsAre("class 0", "class 1", "none of the classes"));
    EXPECT_THAT(texts_of(plot, 0), ElementsAre("2", "1", "5"));
    EXPECT_EQ(plot.series[0].points[0].y.value, 0.25);
}

TEST(ConfusionMatrixPlot, ChoosesThePairsOfClassesThatAreConfusedMost) {
    std::vector<std::vector<int>> counts(40, std::vector<int>(40));
    for (std::size_t c = 0; c < 40; ++c) counts[c][c] = 50;
    counts[7][31] = 20, counts[31][7] = 3;  // 23 in both directions together
    counts[2][12] = 22;
    counts[5][6] = 4;
    const Plot two = matrix_plot(scores_of(counts), 2);
    EXPECT_THAT(column_names(two), ElementsAre("class 7", "class 31"));
    EXPECT_EQ(two.y_title, "true class, 2 most confused of 40");
    const Plot four = matrix_plot(scores_of(counts), 5);
    EXPECT_THAT(column_names(four), ElementsAre("class 2", "class 5", "class 7", "class 12",
                                                "class 31", "other classes"));
    EXPECT_THAT(texts_of(four, 1), ElementsAre("", "50", "", "", "", "4"));
}

TEST(ConfusionMatrixPlot, ShowsThirtyClassesAndTwentyOfMore) {
    EXPECT_EQ(matrix_plot(many_classes(30)).series.size(), 30u);
    const Plot more = matrix_plot(many_classes(31));
    EXPECT_EQ(more.series.size(), 21u);
    EXPECT_EQ(more.y_title, "true class, 20 most confused of 31");
    EXPECT_EQ(matrix_plot(many_classes(100), 60).series.size(), 61u);
    EXPECT_FALSE(draw(matrix_plot(many_classes(100), 60), PlotFormat::svg).empty());
    EXPECT_THAT(message_of([] { draw(matrix_plot(many_classes(100), 61), PlotFormat::svg); },
                           ErrorCode::usage),
                HasSubstr("61 rows in one plot; the limit is 60"));
}

TEST(ConfusionMatrixPlot, RefusesAResultWithoutEveryConfusion) {
    json scores = scores_of({{2, 1}, {3, 4}});
    scores["stores"][0]["confusions"].erase(1);
    EXPECT_THAT(message_of([&] { matrix_plot(scores); }, ErrorCode::bad_input),
                HasSubstr("4 of the 7 images of `c1` are in it: measure all confusions with assay "
                          "score RUNS --per-class --confusion --json"));
    scores["stores"][0].erase("per_class");
    EXPECT_THAT(message_of([&] { matrix_plot(scores); }, ErrorCode::bad_input),
                HasSubstr("assay score --per-class --confusion puts it there"));
    json unknown = scores_of({{2, 1}, {3, 4}});
    unknown["stores"][0]["confusions"][0]["predicted"] = "zebra";
    EXPECT_THAT(message_of([&] { matrix_plot(unknown); }, ErrorCode::bad_input),
                HasSubstr("no class of `per_class` has this id"));
}

double half_width(const std::string& text, double size) {
    return static_cast<double>(text.size()) * size / 2;
}

TEST(ConfusionMatrixPlot, HasCellsOfOneSizeWithinTheSheet) {
    for (const std::size_t classes : {2u, 10u, 30u}) {
        const Plot plot = matrix_plot(many_classes(classes));
        const PlotSheet sheet = lay_out({&plot, 1}, {}, half_width);
        const PlotPanel& panel = sheet.panels[0];
        EXPECT_NEAR(panel.column_width() * static_cast<double>(classes), panel.frame.width(), 1e-9);
        EXPECT_NEAR(panel.row_height() * static_cast<double>(classes), panel.frame.height(), 1e-9);
        EXPECT_GE(panel.column_width(), 1.5 * sheet.font) << classes;  // three digits
        EXPECT_LE(panel.frame.bottom + panel.column_room, sheet.height);
        EXPECT_LE(panel.frame.right, sheet.width);
        EXPECT_GE(panel.frame.left - panel.category_room, 0);
        EXPECT_TRUE(sheet.legend.empty());
        EXPECT_TRUE(sheet.cell_scale.has_value());
        EXPECT_FALSE(sheet.cell_scale_signed);
    }
}

TEST(ConfusionMatrixPlot, NegativeCellsHaveAHueAndAScaleOfTheirOwn) {
    Plot plot = matrix_plot(many_classes(2));
    plot.series[1].points[0].y.value = -0.5;
    EXPECT_TRUE(lay_out({&plot, 1}, {}, half_width).cell_scale_signed);
    for (const bool dark : {false, true})
        EXPECT_NE(cell_colour(-0.5, dark).blue, cell_colour(0.5, dark).blue);
}

TEST(ConfusionMatrixPlot, WritesLettersThatStandOutOnEveryShare) {
    const auto luminance = [](const Colour& c) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    };
    for (const bool dark : {false, true}) {
        for (int percent = -100; percent <= 100; ++percent) {
            const Colour back = cell_colour(percent / 100.0, dark);
            const double a = luminance(back) + 0.05, b = luminance(text_colour_on(back)) + 0.05;
            EXPECT_GE(std::max(a, b) / std::min(a, b), 4.5) << percent << dark;
        }
    }
}

TEST(ConfusionMatrixPlot, IsDrawnInEveryFormatForSeveralModels) {
    json scores = many_classes(12);
    json other = scores["stores"][0];
    other["model"] = "b";
    scores["stores"].push_back(other);
    const auto plots = plots_of("confusion-matrix", scores);
    ASSERT_EQ(plots.size(), 2u);
    for (const PlotFormat format : {PlotFormat::svg, PlotFormat::pdf, PlotFormat::png}) {
        const std::string bytes = draw(plots, format, {.dark = true});
        EXPECT_FALSE(bytes.empty());
        EXPECT_TRUE(bytes == draw(plots, format, {.dark = true}));
    }
}

}  // namespace
}  // namespace assay
