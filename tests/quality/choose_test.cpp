#include "assay/quality/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "expected.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Needs, AreRead) {
    const Need accuracy = parse_need(" accuracy>=75% ");
    EXPECT_EQ(accuracy.dimension, Dimension::accuracy);
    EXPECT_TRUE(accuracy.at_least);
    EXPECT_FALSE(accuracy.strict);
    EXPECT_DOUBLE_EQ(accuracy.limit, .75);
    const Need small = parse_need("params < 50M");
    EXPECT_EQ(small.dimension, Dimension::parameters);
    EXPECT_FALSE(small.at_least);
    EXPECT_TRUE(small.strict);
    EXPECT_DOUBLE_EQ(small.limit, 50);
    const auto refused = [](const char* text) {
        return message_of([&] { parse_need(text); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused("accuracy = 1"), HasSubstr("no < or >"));
    EXPECT_THAT(refused("accuracy >= 75"), HasSubstr("must be between 0 and 1"));
    EXPECT_THAT(refused("speed >= 1"), HasSubstr("unknown dimension"));
    EXPECT_THAT(refused("accuracy >="), HasSubstr("is not a number"));
}

TEST(Needs, APercentageIsRecognised) {
    const auto refused = [](const char* text) {
        return message_of([&] { parse_need(text); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused("accuracy > 80"),
                testing::AllOf(HasSubstr("between 0 and 1"), HasSubstr("a percentage? Write 80%")));
    EXPECT_THAT(refused("shape_bias >= 22.5"), HasSubstr("Write 22.5%"));
    EXPECT_THAT(refused("accuracy > 800"), testing::Not(HasSubstr("percentage")));
    EXPECT_THAT(refused("accuracy > 800%"), testing::Not(HasSubstr("percentage")));
    EXPECT_THAT(refused("params < 25557032"), HasSubstr("in millions"));
}

/// A table in which two dimensions count.
QualityTable plane(const std::vector<std::array<double, 2>>& points, double error) {
    QualityTable table;
    for (const auto& [accuracy, parameters] : points) {
        QualityModel model;
        model.name = model.label = std::string(1, static_cast<char>('a' + table.models.size()));
        model.cells[0].value = accuracy;
        model.cells[0].standard_error = error;
        model.cells[8].value = parameters;
        table.models.push_back(model);
    }
    return table;
}
constexpr auto two = "adv rob=0,c rob=0,ood=0,calibration=0,balance=0,focus=0,shape=0";

TEST(Choose, ABetterModelInAllBeatsOne) {
    // b beats a (more accurate and smaller), c is the smallest, and d is less accurate than b by
    // less than the error.
    const QualityTable table = plane({{{.70, 30}, {.80, 20}, {.60, 5}, {.795, 20}}}, .01);
    ChooseOptions options;
    options.weights = two;
    const ChooseResult found = choose_models(table, options);
    ASSERT_EQ(found.candidates.size(), 4U);
    std::map<std::string, const Candidate*> by;
    for (const Candidate& c : found.candidates) by[c.label] = &c;
    EXPECT_EQ(found.candidates[0].label, "b");
    EXPECT_TRUE(by["b"]->undominated);
    EXPECT_TRUE(by["c"]->undominated);
    EXPECT_TRUE(by["d"]->undominated);
    EXPECT_TRUE(by["d"]->like_best);
    EXPECT_FALSE(by["a"]->undominated);
    EXPECT_EQ(by["a"]->beaten_by, "b");
    EXPECT_FALSE(by["c"]->like_best);
    // With exact measurements, b beats d.
    const ChooseResult exact = choose_models(plane({{{.80, 20}, {.795, 20}}}, 0), options);
    EXPECT_FALSE(exact.candidates[1].undominated);
    EXPECT_FALSE(exact.candidates[1].like_best);
}

TEST(Choose, NeedsAreMetOrCounted) {
    const QualityTable table = plane({{{.70, 30}, {.80, 20}, {.60, 5}, {.705, 60}}}, .01);
    ChooseOptions options;
    options.weights = two;
    options.needs = {"accuracy >= 0.7", "params <= 30"};
    const ChooseResult found = choose_models(table, options);
    ASSERT_EQ(found.candidates.size(), 2U);
    ASSERT_EQ(found.needs.size(), 2U);
    for (const Need& need : found.needs) EXPECT_EQ(need.failed, 1U) << need.text;
    EXPECT_TRUE(found.candidates[0].sure);
    EXPECT_FALSE(found.candidates[1].sure);  // the accuracy is .70 with an error of .01
    options.needs = {"accuracy > 0.9"};
    const Report none = report_of(choose_models(table, options));
    EXPECT_TRUE(none.partial);
    EXPECT_THAT(none.warnings, testing::Contains(HasSubstr("no model meets")));
    options.needs.clear();
    options.weights = "balanced";
    EXPECT_THAT(choose_models(table, options).warnings,
                testing::Contains(HasSubstr("4 of 4 models lack")));
}

TEST(Choose, NoChosenModelIsBeatenByTheSlowWay) {
    ChooseOptions options;
    options.needs = {"params <= 40"};
    const ChooseResult found = choose_models(published_models(), options);
    EXPECT_GT(found.candidates.size(), 100U);
    std::size_t unbeaten = 0;
    for (const Candidate& c : found.candidates) {
        const auto& mine = published_models().models[c.model].cells;
        bool beaten = false;
        for (const Candidate& other : found.candidates) {
            const auto& its = published_models().models[other.model].cells;
            bool everywhere = true, clear = false;
            for (std::size_t d = 0; d < dimension_count; ++d) {
                const bool less = d == 4 || d == 8;
                const double lead =
                    less ? *mine[d].value - *its[d].value : *its[d].value - *mine[d].value;
                everywhere = everywhere && lead >= 0;
                clear = clear || lead > 1.959964 * std::hypot(mine[d].standard_error.value_or(0),
                                                              its[d].standard_error.value_or(0));
            }
            beaten = beaten || (everywhere && clear);
        }
        EXPECT_EQ(c.undominated, !beaten) << c.label;
        unbeaten += beaten ? 0 : 1;
    }
    EXPECT_GT(unbeaten, 5U);
    EXPECT_LT(unbeaten, found.candidates.size());
}

TEST(Stability, FourReadingsOfThePublishedFigure) {
    ASSAY_EXPECTED_QUALITY(expected);
    const json& want = expected["stability"];
    StabilityOptions options;
    options.repeats = 300;
    const StabilityResult found = ranking_stability(published_models(), options);
    const auto near = [&](std::size_t reading, double value, double error) {
        EXPECT_NEAR(found.readings[reading].mean, value, error) << found.readings[reading].name;
    };
    near(0, want["expected"], want["sd_of_the_five_run_average"]);
    const json& others = want["other_readings"];
    near(1, others["trimmed_subsample_vs_full"][0], .001);
    near(2, others["trimmed_pairwise"][0], .002);
    near(3, others["untrimmed_pairwise"][0], .002);
    options.sample = 326;
    EXPECT_THAT(
        message_of([&] { ranking_stability(published_models(), options); }, ErrorCode::usage),
        HasSubstr("fewer than all 326"));
}

}  // namespace
}  // namespace assay::quality
