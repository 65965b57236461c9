#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "assay/report/draw.h"
#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json estimate_of(double value) {
    return {{"value", value},
            {"unit", "proportion"},
            {"n", 100},
            {"interval",
             {{"low", value - 0.1}, {"high", value + 0.1}, {"level", 0.95}, {"method", "wilson"}}}};
}

json undefined_estimate() {
    return {{"value", nullptr}, {"undefined", "no item"}, {"unit", "proportion"}, {"n", 0}};
}

json made_scores() {
    json scores = {
        {"schema", "assay.scores/2"}, {"measurements", json::array()}, {"stores", json::array()}};
    for (const char* dataset : {"v1", "v2"}) {
        for (const char* model : {"a", "b"}) {
            for (const char* metric : {"top1", "ece"}) {
                json m = *model == 'b' && *metric == 'e' ? undefined_estimate() : estimate_of(0.5);
                m.update({{"model", model},
                          {"dataset", dataset},
                          {"metric", metric},
                          {"definition", std::string(metric) + ".usual"}});
                scores["measurements"].push_back(m);
            }
            json of_two = estimate_of(0.4);
            of_two.update({{"model", model},
                           {"dataset", dataset},
                           {"metric", "subgroup_accuracy"},
                           {"definition", "subgroup_accuracy.recall"},
                           {"parameters", {{"agreement", "recall"}, {"g", "2"}}}});
            scores["measurements"].push_back(of_two);
            json bins = json::array();
            bins.push_back(
                {{"accuracy", undefined_estimate()}, {"confidence", nullptr}, {"correct", 0}});
            bins.push_back({{"accuracy", estimate_of(0.6)}, {"confidence", 0.75}});
            json classes = json::array(), confusions = json::array();
            const auto add_class = [&](const char* id, const char* name, json accuracy,
                                       int images) {
                accuracy["n"] = images;
                classes.push_back({{"id", id},
                                   {"name", name},
                                   {"accuracy", accuracy},
                                   {"correct", images == 10 ? 0 : images}});
            };
            add_class("crane", "crane", estimate_of(0.9), 100);
            add_class("dog", "dog", undefined_estimate(), 10);
            add_class("crane 2", "crane", estimate_of(0.2), 100);
            confusions.push_back({{"truth", "dog"}, {"predicted", nullptr}, {"count", 3}});
            confusions.push_back({{"truth", "dog"}, {"predicted", "crane"}, {"count", 7}});
            scores["stores"].push_back({{"model", model},
                                        {"dataset", dataset},
                                        {"reliability", bins},
                                        {"per_class", classes},
                                        {"confusions", confusions}});
        }
    }
    return scores;
}

/// Three classifiers, of which the second is the best.
json made_competition() {
    const auto row = [](const char* name, double place) {
        return json{{"classifier", name},
                    {"place", place},
                    {"component", 0},
                    {"score", {{"value", -place}}}};
    };
    return {{"schema", "assay.mad_ranking/1"},
            {"classifiers", {row("a", 2), row("b", 1), row("c", 3)}},
            {"pairs",
             {{{"first", "b"}, {"second", "a"}, {"images", 3}},
              {{"first", "a"}, {"second", "c"}, {"images", 2}},
              {{"first", "b"}, {"second", "c"}, {"images", 4}}}},
            {"aggressiveness", {{nullptr, .25, .5}, {.75, nullptr, .875}, {.375, 0, nullptr}}},
            {"better", {{.5, .125, .75}, {.875, .5, 1}, {.25, 0, .5}}},
            {"ablation",
             {{{"k", 1}, {"srcc", {{"value", .5}}}, {"kendall", {{"value", nullptr}}}},
              {{"k", 2}, {"srcc", {{"value", 1}}}, {"kendall", {{"value", 1}}}}}}};
}

/// A small result of every schema that is drawn.
json made_result(std::string_view schema) {
    if (schema == "assay.scores/2") return made_scores();
    if (schema == "assay.mad_ranking/1") return made_competition();
    if (schema == "assay.comparisons/2") {
        return {{"schema", schema},
                {"pairs",
                 {{{"baseline", "a"},
                   {"candidate", "b"},
                   {"dataset", "v1"},
                   {"metrics", {{{"metric", "top1"}, {"difference", estimate_of(-0.2)}}}}}}}};
    }
    if (schema == "assay.corrupted_accuracy/1") {
        return {
            {"schema", schema},
            {"models",
             {{{"model", "a"},
               {"versions",
                {{{"corruption", "motion_blur"}, {"severity", 5}, {"accuracy", estimate_of(0.3)}},
                 {{"corruption", "motion_blur"},
                  {"severity", 1},
                  {"accuracy", estimate_of(0.7)}}}}}}}};
    }
    if (schema == "assay.gap/3") {
        return {{"schema", schema},
                {"first",
                 {{"name", "v1"},
                  {"histogram",
                   {{"labels", {{{"labels", 1}, {"images", 6}}, {{"labels", 2}, {"images", 1}}}},
                    {"more", 1},
                    {"none", 2}}}}},
                {"second",
                 {{"name", "v2"},
                  {"histogram",
                   {{"labels", {{{"labels", 1}, {"images", 0}}, {{"labels", 2}, {"images", 0}}}},
                    {"more", 0},
                    {"none", 2}}}}},
                {"models",
                 {{{"model", "a"},
                   {"metrics",
                    {{"top1",
                      {{"first", estimate_of(0.7)},
                       {"second", estimate_of(0.6)},
                       {"absolute_gap", estimate_of(0.1)}}}}}}}},
                {"lines",
                 {{{"metric", "top1"},
                   {"intercept", {{"value", -0.1}, {"n", 1}}},
                   {"slope", {{"value", 1}, {"n", 1}}}}}},
                {"boxes",
                 {{{"set", "first"},
                   {"labels", 1},
                   {"box",
                    {{"median", 0.5},
                     {"low_whisker", 0.3},
                     {"high_whisker", 0.8},
                     {"lower_quartile", 0.4},
                     {"upper_quartile", 0.6},
                     {"outliers", {1}}}},
                   {"points", {0.5, 0.1, nullptr}}}}}};
    }
    if (schema == "assay.quality/1") {
        return {{"schema", schema},
                {"models",
                 {{{"name", "a"},
                   {"dimensions",
                    {{"accuracy", {{"value", 0.7}}}, {"c_robustness", {{"value", 0.4}}}}}}}}};
    }
    if (schema == "assay.attack/1") {
        const auto cell = [](const char* attack, double eps, double value) {
            return json{{"attack", attack}, {"eps", eps}, {"accuracy", estimate_of(value)}};
        };
        const auto made_on = [&](const char* model, double value) {
            json one = cell("pgd", 2. / 255, value);
            one["made_on"] = model;
            return json::array({std::move(one)});
        };
        return {{"schema", schema},
                {"norm", "linf"},
                {"models",
                 {{{"model", "a"},
                   {"dataset", "v1"},
                   {"clean", estimate_of(0.8)},
                   {"attacks",
                    {cell("fgsm", 8. / 255, 0.2), cell("fgsm", 2. / 255, 0.5),
                     cell("pgd", 2. / 255, 0.4)}},
                   {"transferred", made_on("b", 0.7)}},
                  {{"model", "b"},
                   {"dataset", "v1"},
                   {"clean", estimate_of(0.9)},
                   {"attacks", json::array({cell("pgd", 2. / 255, 0.3)})},
                   {"transferred", made_on("a", 0.6)}}}}};
    }
    if (schema == "assay.certify/1") {
        const auto point = [](double radius, double value) {
            return json{{"radius", radius}, {"accuracy", estimate_of(value)}};
        };
        return {
            {"schema", schema},
            {"models",
             {{{"model", "a"}, {"dataset", "v1"}, {"curve", {point(0, 0.7), point(0.5, 0.4)}}},
              {{"model", "b"}, {"dataset", "v1"}, {"curve", {point(0, 0.6), point(0.5, 0.5)}}}}}};
    }
    if (schema == "assay.quality_correlate/1") {
        return {{"schema", schema},
                {"pairs",
                 {{{"x", "accuracy"},
                   {"y", "c_robustness"},
                   {"rho", estimate_of(-0.3)},
                   {"p_adjusted", 0.2}},
                  {{"x", "shape_bias"},
                   {"y", "own"},
                   {"rho", estimate_of(0.7)},
                   {"p_adjusted", 0.01}}}}};
    }
    if (schema == "assay.quality_groups/1") {
        return {{"schema", schema},
                {"dimensions",
                 {{{"dimension", "shape_bias"}, {"effect", estimate_of(0.4)}, {"p_holm", 0.01}},
                  {{"dimension", "accuracy"}, {"effect", estimate_of(0.1)}, {"p_holm", 0.6}}}}};
    }
    if (schema == "assay.replicate_adjust/2") {
        const auto method = [](const char* id, double adjusted) {
            return json{{"id", id},
                        {"classifiers",
                         {{{"name", "a"},
                           {"adjusted", estimate_of(adjusted)},
                           {"accuracy_at_rate", {.4, .6}},
                           {"accuracy_at_rate_low", {.3, .5}},
                           {"accuracy_at_rate_high", {.5, .7}}}}},
                        {"density", {{"original", {1, 2}}, {"replication", {2, 1}}}}};
        };
        return {
            {"schema", schema},
            {"quoted", "pl"},
            {"rates", {0.25, 0.75}},
            {"cells",
             {{"original",
               {{{"n", 1}, {"k", 0}, {"images", 9}}, {{"n", 2}, {"k", 1}, {"images", 10}}}},
              {"replication", {{{"n", 1}, {"k", 0}, {"images", 9}}}}}},
            {"classifiers",
             {{{"name", "a"}, {"original", estimate_of(0.8)}, {"replication", estimate_of(0.6)}}}},
            {"methods", {method("naive", 0.65), method("pl", 0.75)}}};
    }
    if (schema == "assay.replicate_figures/1") {
        const auto readings = [](int n, const json& bins) {
            return json{{"annotators", n}, {"original", bins}, {"replication", bins}};
        };
        const auto bin = [](double images, const json& accuracy) {
            return json{{"images", estimate_of(images)}, {"accuracy", accuracy}};
        };
        const auto row = [](int n, const char* method, double value) {
            return json{{"annotators", n},
                        {"method", method},
                        {"remaining", estimate_of(value)},
                        {"classifiers", {estimate_of(value + .5)}}};
        };
        return {{"schema", schema},
                {"scatter", {{"classifiers", {{{"name", "a"}, {"original", estimate_of(0.8)}}}}}},
                {"annotators", {row(1, "naive", .2), row(2, "naive", .1), row(2, "pl", .05)}},
                {"readings",
                 {readings(2, {bin(.2, undefined_estimate()), bin(.3, estimate_of(.4)),
                               bin(.5, estimate_of(.9))}),
                  readings(1, {bin(.4, estimate_of(.3)), bin(.6, estimate_of(.8))})}},
                {"fitted_readings", {{"original", {.25, .3, .45}}, {"replication", {.2, .3, .5}}}}};
    }
    if (schema == "assay.replicate_frequencies/2") {
        return {{"schema", schema}, {"sets", {{{"source", "v1"}, {"buckets", {1, 2, 3, 4, 90}}}}}};
    }
    const bool quality = schema == "assay.quality_score/1";
    return {{"schema", schema},
            {quality ? "models" : "classifiers",
             {{{quality ? "model" : "classifier", "a"}, {"score", estimate_of(0.2)}},
              {{quality ? "model" : "classifier", "a"}, {"score", estimate_of(0.4)}}}}};
}

TEST(Plots, HoldTheNumbersOfTheResult) {
    const std::vector<Plot> plots = plots_of("scores", made_scores());
    ASSERT_EQ(plots.size(), 2u);
    EXPECT_EQ(plots[0].title, "v1");
    EXPECT_EQ(plots[0].y_title, "top1");
    const Point& point = plots[0].series[0].points[1];
    EXPECT_EQ(std::get<std::string>(point.x), "b");
    EXPECT_EQ(point.y.value, 0.5);
    EXPECT_EQ(point.y.interval->high, 0.6);
    PlotChoice choice;
    choice.metric = "ece:bins=20";
    choice.datasets = {"v2"};
    const std::vector<Plot> chosen = plots_of("scores", made_scores(), choice);
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_FALSE(chosen[0].series[0].points[1].y.value);
    choice.metric = "accuracy";  // another library's name of top1
    EXPECT_EQ(plots_of("scores", made_scores(), choice).at(0).y_title, "top1");
}

TEST(Plots, OfScoresShowStoresOfAttacksApart) {
    json scores = made_scores();
    for (const char* which : {"measurements", "stores"}) {
        for (json& one : scores[which])
            if (one["model"] == "b" && one["dataset"] == "v1") one["model"] = "a@pgd-linf-8_255";
    }
    for (json& store : scores["stores"])
        if (store["model"] != "a" && store["dataset"] == "v1")
            store["derived"] = {{"model", "a"}, {"attack", "pgd-linf-8_255"}};
    const std::vector<Plot> plots = plots_of("scores", scores);
    ASSERT_EQ(plots.size(), 3u);
    EXPECT_EQ(plots[0].title, "v1");
    EXPECT_EQ(plots[0].series[0].points.size(), 1u);
    EXPECT_EQ(plots[1].title, "v1, under attack");
    EXPECT_EQ(std::get<std::string>(plots[1].series[0].points.at(0).x), "a@pgd-linf-8_255");
    EXPECT_EQ(plots[2].series[0].points.size(), 2u);
    json compared = made_result("assay.comparisons/2");
    compared["pairs"].push_back(compared["pairs"][0]);
    compared["pairs"][1]["derived"] = {{"model", "b"}, {"attack", "pgd-linf-8_255"}};
    const std::vector<Plot> differences = plots_of("comparison", compared);
    ASSERT_EQ(differences.size(), 2u);
    EXPECT_EQ(differences[1].title, "v1, under attack");
    compared["pairs"][1]["derived"] = {{"model", "b"}, {"smoothing", "sigma 0.25, 100 copies"}};
    EXPECT_EQ(plots_of("comparison", compared).at(1).title, "v1, smoothed");
}

TEST(Plots, LeaveEmptyBinsOutOfReliability) {
    PlotChoice choice;
    choice.datasets = {"v1"};
    const std::vector<Plot> plots = plots_of("reliability", made_scores(), choice);
    ASSERT_EQ(plots.size(), 2u);
    EXPECT_EQ(plots[0].title, "a");  // a single data set is not named
    ASSERT_EQ(plots[0].series[0].points.size(), 1u);
    EXPECT_EQ(std::get<double>(plots[0].series[0].points[0].x), 0.75);
    json scores = made_scores();
    for (json& store : scores["stores"]) store.erase("reliability");
    EXPECT_THAT(message_of([&] { plots_of("reliability", scores); }), HasSubstr("--reliability"));
}

TEST(Plots, RefuseAChoiceThatTheyDoNotHave) {
    PlotChoice choice;
    choice.metric = "ece";
    EXPECT_THAT(
        message_of([&] { plots_of("reliability", made_scores(), choice); }, ErrorCode::usage),
        HasSubstr("the plot `reliability` does not take --metric; these do: scores, comparison, "
                  "gap, gap-models"));
    // Every kind of plot takes the inputs in its row, and refuses others with a message.
    for (const PlotRecipe& recipe : plot_recipes()) {
        choice = {};
        EXPECT_NO_THROW(check_choice(recipe.name, choice)) << recipe.name;
        choice.x = "accuracy";
        if (recipe.name != "quality-scatter") {
            EXPECT_THAT(message_of([&] { check_choice(recipe.name, choice); }, ErrorCode::usage),
                        HasSubstr("these do: quality-scatter"));
        }
    }
}

TEST(Plots, SortSeveritiesAndTellEqualNamesApart) {
    const auto corrupted = plots_of("corruptions", made_result("assay.corrupted_accuracy/1"));
    EXPECT_EQ(corrupted[0].title, "motion blur");
    EXPECT_EQ(std::get<double>(corrupted[0].series[0].points[0].x), 1);
    json competition = made_competition();
    competition["classifiers"][2]["classifier"] = "b";
    const auto ranking = plots_of("mad-ranking", competition);
    EXPECT_EQ(ranking[0].series[0].points[0].y.value, -1);
    EXPECT_EQ(std::get<std::string>(ranking[0].series[0].points[2].x), "b (2)");
}

TEST(Plots, TakeTheFittedLineOfTheGap) {
    const auto plots = plots_of("gap", made_result("assay.gap/3"));
    ASSERT_EQ(plots.size(), 1u);
    ASSERT_EQ(plots[0].series.size(), 2u);
    EXPECT_TRUE(plots[0].series[1].joined);
    EXPECT_NEAR(*plots[0].series[1].points[0].y.value, 0.6, 1e-12);
    const auto boxes = plots_of("gap-labels", made_result("assay.gap/3"));
    ASSERT_EQ(boxes[0].series[0].points.size(), 3u);  // a box, and two models with a value
    EXPECT_EQ(boxes[0].series[0].points[0].quartiles->low, 0.4);
    EXPECT_EQ(boxes[0].series[0].points[2].y.value, 0.1);
}

TEST(Plots, ShowModelsByTheirPlaceOnTheFirstDataSet) {
    const auto plots = plots_of("gap-models", made_result("assay.gap/3"));
    ASSERT_EQ(plots.size(), 1u);
    EXPECT_EQ(plots[0].x_title, "place by top1 on v1");
    ASSERT_EQ(plots[0].series.size(), 3u);
    EXPECT_EQ(plots[0].series[2].name, "|gap|");
    EXPECT_EQ(plots[0].series[2].points.at(0).y.value, 0.1);
    EXPECT_EQ(std::get<double>(plots[0].series[1].points.at(0).x), 1);
    EXPECT_FALSE(plots[0].series[0].joined);
    json three = made_result("assay.gap/3");
    for (const char* name : {"b", "c"}) {
        three["models"].push_back(three["models"][0]);
        three["models"].back()["model"] = name;
    }
    PlotChoice choice;
    choice.models = {"c"};
    const auto chosen = plots_of("gap-models", three, choice);
    ASSERT_EQ(chosen[0].series[0].points.size(), 1u);
    EXPECT_EQ(std::get<double>(chosen[0].series[0].points[0].x), 3);  // among all models
    three["models"][2]["metrics"]["top1"]["first"] = estimate_of(0.8);
    EXPECT_EQ(plots_of("gap-models", three)[0].x_title, "place by name");
    json many = made_result("assay.gap/3");
    while (many["models"].size() < 41) many["models"].push_back(many["models"][0]);
    EXPECT_TRUE(plots_of("gap-models", many)[0].series[0].joined);
}

TEST(Plots, OfReplicationFiguresHoldTheirNumbers) {
    const json figures = made_result("assay.replicate_figures/1");
    const auto histogram = plots_of("replicate-histogram", figures);
    ASSERT_EQ(histogram[0].series.size(), 2u);
    ASSERT_EQ(histogram[0].series[0].points.size(), 3u);  // of the larger number of annotators
    EXPECT_EQ(std::get<std::string>(histogram[0].series[0].points[1].x), "1 of 2");
    EXPECT_EQ(histogram[0].series[0].points[1].y.value, 0.3);
    const auto accuracy = plots_of("replicate-accuracy", figures);
    ASSERT_EQ(accuracy.size(), 2u);
    ASSERT_EQ(accuracy[1].series[0].points.size(), 2u);  // without the reading that has no value
    EXPECT_EQ(std::get<double>(accuracy[1].series[0].points[0].x), 0.5);
    EXPECT_EQ(accuracy[1].series[1].name, "1 annotator");
    EXPECT_EQ(plots_of("replicate-skew", figures)[0].series[1].points.at(1).y.value, 0.6);
    const auto fit = plots_of("replicate-fit", figures);
    EXPECT_EQ(fit[0].x_title, "selections of 2");
    EXPECT_EQ(fit[0].series[1].points.at(2).y.value, 0.45);
    const auto remaining = plots_of("replicate-annotators", figures);
    ASSERT_EQ(remaining[0].series.size(), 2u);
    EXPECT_EQ(remaining[0].series[0].points.at(1).y.value, 0.1);
    const auto models = plots_of("replicate-models", figures);
    ASSERT_EQ(models.size(), 2u);
    EXPECT_EQ(models[0].title, "naive");
    EXPECT_EQ(models[0].series.at(1).points.at(0).y.value, 0.6);
    EXPECT_EQ(std::get<double>(models[1].series.at(0).points.at(0).x), 0.8);
    json without = figures;
    without.erase("fitted_readings");
    EXPECT_THAT(message_of([&] { plots_of("replicate-fit", without); }), HasSubstr("--methods pl"));
    // More numbers of annotators than can be told apart are thinned, and the largest stays.
    json many = figures;
    for (int n = 3; n <= 40; ++n) {
        many["readings"].push_back(many["readings"][0]);
        many["readings"].back()["annotators"] = n;
    }
    const auto thinned = plots_of("replicate-skew", many);
    ASSERT_EQ(thinned[0].series.size(), 6u);
    EXPECT_EQ(thinned[0].series.back().name, "40 annotators");
}

TEST(Plots, DivideImagesByTheirNumberOfLabels) {
    const auto plots = plots_of("gap-histogram", made_result("assay.gap/3"));
    ASSERT_EQ(plots[0].series.size(), 2u);
    const auto& first = plots[0].series[0].points;
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].y.value, 0.75);  // 6 of 8: images without a label are not counted
    EXPECT_EQ(std::get<std::string>(first[2].x), "> 2");
    EXPECT_EQ(first[2].y.value, 0.125);
    EXPECT_FALSE(plots[0].series[1].points[0].y.value);
    json published = made_result("assay.gap/3");
    published["first"].erase("histogram");
    EXPECT_THAT(message_of([&] { plots_of("gap-histogram", published); }),
                HasSubstr("assay gap RUNS/V1 RUNS/V2 --json"));
}

TEST(Plots, ShowAgreementByTheNumberOfLabels) {
    json scores = made_scores();
    auto plots = plots_of("score-labels", scores);
    ASSERT_EQ(plots.size(), 2u);
    EXPECT_EQ(plots[1].title, "v2");
    ASSERT_EQ(plots[1].series.size(), 2u);
    EXPECT_EQ(std::get<double>(plots[1].series[1].points.at(0).x), 2);
    EXPECT_EQ(plots[1].series[1].points[0].y.value, 0.4);
    json mean = scores["measurements"].back();
    mean["dataset"] = "v*";
    mean["value"] = 0.3;
    scores["across"] = json::array({mean});
    plots = plots_of("score-labels", scores);
    ASSERT_EQ(plots.size(), 1u);  // means replace what they are over
    EXPECT_EQ(plots[0].title, "v*");
    EXPECT_EQ(plots[0].series[0].points.at(0).y.value, 0.3);
    scores["across"][0]["definition"] = "subgroup_accuracy.jaccard";
    EXPECT_EQ(plots_of("score-labels", scores)[0].title, "v* (subgroup_accuracy.jaccard)");
}

std::vector<std::string> rows_of(const Plot& plot) {
    std::vector<std::string> rows;
    for (const Point& point : plot.series.at(0).points)
        rows.push_back(std::get<std::string>(point.x));
    return rows;
}

TEST(Plots, OfPairsShowWhoBeatsWhom) {
    const auto plots = plots_of("mad-pairs", made_competition());
    ASSERT_EQ(plots.size(), 2u);
    EXPECT_EQ(plots[0].title, "Aggressiveness");
    EXPECT_EQ(plots[1].title, "Probability of being better");
    ASSERT_EQ(plots[0].series.size(), 3u);
    EXPECT_EQ(plots[0].series[2].name, "c");
    EXPECT_THAT(rows_of(plots[0]), testing::ElementsAre("b", "a", "c"));
    // A column is a series: b against a.
    EXPECT_EQ(plots[0].series[1].points[0].y.value, .75);
    EXPECT_EQ(plots[0].series[0].points[1].y.value, .25);
    EXPECT_EQ(plots[0].series[0].points[2].label, "0.00");
    EXPECT_EQ(plots[1].series[2].points[1].label, "0.75");
    for (std::size_t i = 0; i < 3; ++i)
        for (const Plot& plot : plots) EXPECT_FALSE(plot.series[i].points[i].y.value);
    EXPECT_THAT(draw(plots, PlotFormat::pdf), Not(testing::IsEmpty()));
    PlotChoice choice;
    choice.top = 2;
    EXPECT_THAT(rows_of(plots_of("mad-pairs", made_competition(), choice)[1]),
                testing::ElementsAre("b", "a"));
    choice = {};
    choice.models = {"c", "a"};
    EXPECT_THAT(rows_of(plots_of("mad-pairs", made_competition(), choice)[1]),
                testing::ElementsAre("a", "c"));
    json without = made_competition();
    without["pairs"][0]["images"] = 0;
    const auto some = plots_of("mad-pairs", without);
    EXPECT_FALSE(some[0].series[1].points[0].y.value);
    EXPECT_FALSE(some[0].series[0].points[1].y.value);
    EXPECT_EQ(some[1].series[1].points[0].label, "0.88");
    // So has a pair that was never searched, as of a classifier that has just joined.
    without["pairs"].erase(0);
    without["pairs"].erase(1);
    const auto one = plots_of("mad-pairs", without);
    for (const auto& [series, point] : {std::pair{1, 0}, {0, 1}, {0, 2}, {2, 0}})
        EXPECT_FALSE(one[0].series[series].points[point].y.value) << series << " " << point;
    EXPECT_EQ(one[0].series[2].points[1].label, "0.50");
    EXPECT_EQ(one[1].series[0].points[2].label, "0.00");
    json damaged = made_competition();
    damaged["better"][1].erase(0);
    EXPECT_THAT(message_of([&] { plots_of("mad-pairs", damaged); }),
                HasSubstr("2 entries, but there are 3 classifiers"));
}

TEST(Plots, OfFewerImagesAreLinesByTheirNumber) {
    json result = made_competition();
    const auto plots = plots_of("mad-ablation", result);
    ASSERT_EQ(plots.size(), 1u);
    EXPECT_EQ(plots[0].kind, Plot::Kind::line);
    ASSERT_EQ(plots[0].series.size(), 2u);
    EXPECT_EQ(std::get<double>(plots[0].series[0].points[1].x), 2);
    EXPECT_EQ(plots[0].series[0].points[0].y.value, .5);
    EXPECT_FALSE(plots[0].series[1].points[0].y.value);
    result["ablation"] = json::array();
    EXPECT_THAT(message_of([&] { plots_of("mad-ablation", result); }), HasSubstr("--ablation"));
}

TEST(Plots, OfClassesBeginWithTheWorstAndEndWithTheUndefined) {
    PlotChoice choice;
    choice.models = {"a"};
    const auto plots = plots_of("classes", made_scores(), choice);
    ASSERT_EQ(plots.size(), 2u);
    EXPECT_EQ(plots[1].title, "a, v2");
    EXPECT_THAT(rows_of(plots[0]), testing::ElementsAre("crane", "crane (2)", "dog"));
    EXPECT_EQ(plots[0].series[0].points[0].y.value, 0.2);
    EXPECT_EQ(plots[0].y_title, "accuracy");
    choice.top = 1;
    EXPECT_EQ(plots_of("classes", made_scores(), choice)[0].y_title,
              "accuracy, 1 worst of 3 classes");
    json scores = made_scores();
    for (json& store : scores["stores"]) store.erase("per_class");
    EXPECT_THAT(message_of([&] { plots_of("classes", scores); }), HasSubstr("--per-class"));
}

TEST(Plots, OfAThousandClassesShowThoseThatCanBeRead) {
    json scores = made_scores();
    scores["stores"] = json::array({scores["stores"][0]});
    json& classes = scores["stores"][0]["per_class"];
    classes = json::array();
    for (int c = 0; c < 1000; ++c)
        classes.push_back({{"name", std::to_string(c)}, {"accuracy", estimate_of(c * .001)}});
    const auto plots = plots_of("classes", scores);
    EXPECT_EQ(plots[0].series[0].points.size(), 30u);
    EXPECT_EQ(plots[0].y_title, "accuracy, 30 worst of 1,000 classes");
    EXPECT_FALSE(draw(plots, PlotFormat::svg).empty());
}

TEST(Plots, OfConfusionsCountImages) {
    PlotChoice choice;
    choice.datasets = {"v1"};
    const auto plots = plots_of("confusions", made_scores(), choice);
    EXPECT_EQ(plots[0].title, "a");
    EXPECT_THAT(rows_of(plots[0]),
                testing::ElementsAre("dog → crane", "dog → none of the classes"));
    EXPECT_EQ(plots[0].series[0].points[0].y.value, 7);
}

TEST(Plots, OfAttacksBeginWithTheAccuracyWithoutAny) {
    const auto plots = plots_of("attack", made_result("assay.attack/1"));
    ASSERT_EQ(plots.size(), 2u);
    EXPECT_EQ(plots[0].title, "a");
    ASSERT_EQ(plots[0].series.size(), 2u);
    const auto& fgsm = plots[0].series[0].points;
    ASSERT_EQ(fgsm.size(), 3u);
    EXPECT_EQ(std::get<double>(fgsm[0].x), 0);
    EXPECT_EQ(fgsm[0].y.value, 0.8);
    EXPECT_NEAR(std::get<double>(fgsm[1].x), 2, 1e-12);  // colours are in 255ths
    EXPECT_EQ(fgsm[2].y.value, 0.2);
    json result = made_result("assay.attack/1");
    result["norm"] = "l2";
    EXPECT_NEAR(std::get<double>(plots_of("attack", result)[0].series[0].points[1].x), 2. / 255,
                1e-12);
}

TEST(Plots, OfTransferHaveARowForTheModelThatImagesWereMadeOn) {
    json result = made_result("assay.attack/1");
    const auto plots = plots_of("attack-transfer", result);
    ASSERT_EQ(plots.size(), 1u) << "fgsm ran on one model";
    EXPECT_EQ(plots[0].title, "pgd at 2/255");
    ASSERT_EQ(plots[0].series.size(), 2u);
    const auto value = [&](std::size_t column, std::size_t row) {
        return plots[0].series[column].points[row].y.value;
    };
    EXPECT_THAT(rows_of(plots[0]), testing::ElementsAre("a", "b"));
    EXPECT_EQ(value(0, 0), 0.4);
    EXPECT_EQ(value(0, 1), 0.7);
    EXPECT_EQ(value(1, 0), 0.6);
    EXPECT_EQ(value(1, 1), 0.3);
    for (json& model : result["models"]) model.erase("transferred");
    EXPECT_THAT(message_of([&] { plots_of("attack-transfer", result); }, ErrorCode::bad_input),
                testing::HasSubstr("--transfer --json"));
}

TEST(Plots, OfCertifiedAccuracyHaveALineForEachModel) {
    const auto plots = plots_of("certify", made_result("assay.certify/1"));
    ASSERT_EQ(plots.size(), 1u);
    EXPECT_EQ(plots[0].title, "v1");
    ASSERT_EQ(plots[0].series.size(), 2u);
    EXPECT_EQ(plots[0].series[1].name, "b");
    EXPECT_EQ(std::get<double>(plots[0].series[1].points[1].x), 0.5);
    EXPECT_EQ(plots[0].series[1].points[1].y.value, 0.5);
}

TEST(Plots, OfQualityMarkWhatIsNotSignificant) {
    const auto pairs = plots_of("quality-correlations", made_result("assay.quality_correlate/1"));
    EXPECT_THAT(rows_of(pairs[0]), testing::ElementsAre("Shape Bias, own", "Acc., C-Rob. †"));
    const auto matrix = plots_of("quality-matrix", made_result("assay.quality_correlate/1"));
    ASSERT_EQ(matrix.size(), 1U);
    std::size_t cells = 0;
    for (const Series& column : matrix[0].series) cells += column.points.size();
    EXPECT_EQ(cells, pairs[0].series[0].points.size());
    EXPECT_EQ(matrix[0].kind, Plot::Kind::cells);
    const auto groups = plots_of("quality-groups", made_result("assay.quality_groups/1"));
    EXPECT_THAT(rows_of(groups[0]), testing::ElementsAre("Shape Bias *", "Acc."));
}

TEST(Plots, OfReplicationsTakeTheQuotedMethod) {
    const json result = made_result("assay.replicate_adjust/2");
    const auto plots = plots_of("replicate-adjust", result);
    ASSERT_EQ(plots[0].series.size(), 2u);
    EXPECT_EQ(plots[0].series[0].points[0].y.value, 0.6);
    EXPECT_EQ(plots[0].series[1].points[0].y.value, 0.75);
    EXPECT_EQ(std::get<double>(plots[0].series[1].points[0].x), 0.8);
    const auto densities = plots_of("replicate-densities", result);
    ASSERT_EQ(densities.size(), 2u);
    EXPECT_EQ(densities[1].title, "pl");
    // The density over the log-odds is the density times s (1 - s).
    const double s = result["rates"][0].get<double>();
    EXPECT_NEAR(*densities[0].series[1].points[0].y.value, 2 * s * (1 - s), 1e-15);
    EXPECT_NEAR(std::get<double>(densities[0].series[1].points[0].x), std::log(s / (1 - s)), 1e-15);
    // The density of rates, given that 2 of 2 selected the image, is (1, 2) s (1 - s) s^2. It is
    // scaled to area 1 by the trapezoid of width 2 log 3.
    const auto given = plots_of("replicate-readings", result);
    ASSERT_EQ(given.size(), 2u);
    EXPECT_EQ(given[0].series.size(), 4u);
    EXPECT_EQ(given[0].series[3].name, "2 of 2");
    const double low = .1875 / 16, high = 2 * .1875 * 9 / 16, area = (low + high) * std::log(3.0);
    EXPECT_NEAR(*given[0].series[3].points[0].y.value, low / area, 1e-14);
    EXPECT_NEAR(*given[0].series[3].points[1].y.value, high / area, 1e-14);
    EXPECT_EQ(given[1].series.size(), 3u);  // 0 of 1 and 1 of 1
    const auto curves = plots_of("replicate-curves", result);
    EXPECT_EQ(curves[0].title, "a");
    EXPECT_EQ(curves[0].series[2].points[1].y.value, .7);
    const auto frequencies =
        plots_of("replicate-frequencies", made_result("assay.replicate_frequencies/2"));
    EXPECT_EQ(rows_of(frequencies[0]).back(), "80 to 100 %");
    json other = result;
    other["methods"][1]["classifiers"][0]["name"] = "b";
    EXPECT_THAT(message_of([&] { plots_of("replicate-adjust", other); }),
                HasSubstr("the adjusted and the measured classifiers differ"));
}

TEST(Plots, NameWhatIsNotThere) {
    const auto message = [](std::string_view name, const PlotChoice& choice) {
        return message_of([&] { plots_of(name, made_scores(), choice); }, ErrorCode::usage);
    };
    EXPECT_THAT(message("scoers", {}), HasSubstr("`scores`"));
    EXPECT_THAT(message("gap", {}), HasSubstr("assay.gap/3"));
    PlotChoice choice;
    choice.metric = "tpo1";
    EXPECT_THAT(message("scores", choice), HasSubstr("top1"));
    choice = {};
    choice.models = {"c"};
    EXPECT_THAT(message("scores", choice), HasSubstr("no model `c`"));
    choice = {};
    choice.x = "acuracy";
    EXPECT_THAT(
        message_of([&] { plots_of("quality-scatter", made_result("assay.quality/1"), choice); },
                   ErrorCode::usage),
        HasSubstr("`accuracy`"));
}

/// Replaces every value of a result by something else. The outcome is a plot or an error.
void damage_each(const PlotRecipe& recipe, json& whole, json& part, int& refused) {
    if (part.is_structured()) {
        for (json& child : part) damage_each(recipe, whole, child, refused);
    }
    const json kept = part;
    for (const json& other : {json(nullptr), json(7), json(-1e308), json("text"), json::array(),
                              json::array({1}), json::object(), json(true)}) {
        part = other;
        try {
            const std::vector<Plot> plots = plots_of(recipe.name, whole);
            if (other.is_null() || other.is_number_float()) draw(plots, PlotFormat::svg);
        } catch (const Error& error) {
            EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
            ++refused;
        }
    }
    part = kept;
}

TEST(Plots, OfDamagedResultsAreRefusedOrDrawn) {
    for (const PlotRecipe& recipe : plot_recipes()) {
        json result = made_result(recipe.schema);
        EXPECT_FALSE(draw(plots_of(recipe.name, result), PlotFormat::svg).empty()) << recipe.name;
        int refused = 0;
        damage_each(recipe, result, result, refused);
        EXPECT_GT(refused, 8) << recipe.name;
    }
}

}  // namespace
}  // namespace assay
