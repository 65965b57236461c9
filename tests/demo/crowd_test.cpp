#include "demo/world/crowd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "containers/csv.h"

namespace assay::world {
namespace {

Plan crowd_plan(WorldSize size) {
    Plan plan{.spec = {.folder = {}, .seed = 4, .size = size}, .replicated = {}};
    replicate(plan);
    return plan;
}

TEST(Annotators, HaveRowsThatSumToOneAndAllManners) {
    const auto all = annotators(crowd_plan(WorldSize::tiny));
    std::map<std::string_view, int> manners;
    for (const Annotator& annotator : all) {
        ++manners[annotator.manner];
        for (const auto& row : {annotator.absent, annotator.present}) {
            EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-6);
            for (const float p : row) EXPECT_TRUE(p > 0 && p < 1);
        }
    }
    EXPECT_EQ(manners["careful"], 25);
    EXPECT_EQ(manners["lenient"], 5);
    EXPECT_EQ(manners["strict"], 5);
    EXPECT_EQ(manners["careless"] + manners["lazy"], 5);
}

// Compares every annotator's answers with the table that they were drawn from. There are 40
// annotators x 2 truths x 3 answers = 240 shares. Each is within 4.5 of its standard deviations (by
// chance, one in 600 such tests would miss).
TEST(Votes, ReproduceEveryAnnotatorsErrorRates) {
    const Plan plan = crowd_plan(WorldSize::small);
    const SetRow& set = set_row("v1");
    std::map<std::string, Recipe> truth;
    for (std::size_t i = 0; i < 1600; ++i) {
        Recipe recipe = set.recipe(plan, i);
        truth[recipe.path] = recipe;
    }
    const std::string text = votes_csv(plan, set);
    CsvReader csv(text, "votes");
    const ClassList ids = world_classes();
    std::map<std::pair<std::string, bool>, std::array<double, 3>> counts;
    std::map<std::string, int> of_question;
    while (csv.next()) {
        const Recipe& recipe = truth.at(std::string(csv[1]));
        const bool there =
            std::binary_search(recipe.labels.begin(), recipe.labels.end(), *ids.find(csv[2]));
        const std::size_t answer = csv[3] == "no" ? 0 : csv[3] == "maybe" ? 1 : 2;
        counts[{std::string(csv[0]), there}][answer] += 1;
        ++of_question[std::string(csv[1]) + " " + std::string(csv[2])];
    }
    for (const auto& [question, answers] : of_question)
        ASSERT_EQ(answers, answers_a_question) << question;
    for (const auto& [path, recipe] : truth) {
        for (const int label : recipe.labels)
            EXPECT_TRUE(of_question.contains(path + " " + ids.id(static_cast<std::size_t>(label))));
        EXPECT_TRUE(
            of_question.contains(path + " " + ids.id(static_cast<std::size_t>(recipe.cls))));
    }
    const auto all = annotators(plan);
    for (int r = 0; r < annotator_count; ++r) {
        for (const bool there : {false, true}) {
            char name[16];
            std::snprintf(name, sizeof name, "r%02d", r);
            const auto& found = counts[{name, there}];
            const double n = found[0] + found[1] + found[2];
            ASSERT_GT(n, 100) << name;
            const auto& expected = there ? all[static_cast<std::size_t>(r)].present
                                         : all[static_cast<std::size_t>(r)].absent;
            for (std::size_t a = 0; a < 3; ++a) {
                const double p = static_cast<double>(expected[a]);
                EXPECT_NEAR(found[a] / n, p, 4.5 * std::sqrt(p * (1 - p) / n) + 0.5 / n)
                    << name << ' ' << there << ' ' << a;
            }
        }
    }
}

struct Row {
    std::string selector, image, label, batch;
    bool selected = false, control = false;
};
std::vector<Row> rows_of(const std::string& text) {
    std::vector<Row> out;
    CsvReader csv(text, "selections");
    while (csv.next()) {
        out.push_back({std::string(csv[0]), std::string(csv[1]), std::string(csv[2]),
                       std::string(csv[4]), csv[3] == "1", csv[5] == "1"});
    }
    return out;
}

TEST(Selections, DiligentSelectorsSelectAtTheTrueRateAndOthersAtTheirOwn) {
    const Plan plan = crowd_plan(WorldSize::small);
    const auto all = selectors(plan);
    const SelectionsText text = selections_csv(plan);
    EXPECT_EQ(text.v1, selections_csv(plan).v1);
    std::map<std::string, double> rate;
    for (std::size_t i = 0; i < 1600; ++i) {
        const Recipe recipe = set_row("v1").recipe(plan, i);
        rate[recipe.path] = recipe.rate;
    }
    std::map<std::string_view, std::array<double, 3>> of_manner;  // selected, expected, rows
    std::map<std::pair<std::string, std::string>, int> judged;
    std::map<std::string, std::set<std::string>> grids;
    std::set<std::string> answered;
    double controls = 0, controls_selected = 0;
    for (const Row& row : rows_of(text.v1)) {
        const Selector& selector =
            all.at(static_cast<std::size_t>(std::stoi(row.selector.substr(1))));
        grids[row.batch].insert(row.image);
        EXPECT_TRUE(answered.insert(row.selector + " " + row.image + " " + row.label).second);
        if (row.control) {
            if (selector.manner == "diligent") {
                controls += 1;
                controls_selected += row.selected ? 1 : 0;
            }
            EXPECT_NE(row.image.substr(0, row.label.size() + 1), row.label + "/");
            continue;
        }
        EXPECT_EQ(row.image.substr(0, row.label.size() + 1), row.label + "/");
        ++judged[{row.image, row.selector}];
        auto& sums = of_manner[selector.manner];
        sums[0] += row.selected ? 1 : 0;
        sums[1] += rate.at(row.image);
        sums[2] += 1;
    }
    EXPECT_EQ(judged.size(), 1600U * 20U);  // 20 different annotators select for each image
    for (const auto& [grid, images] : grids) EXPECT_LE(images.size(), 24U) << grid;
    const auto& diligent = of_manner["diligent"];
    // The leniency of about 54 selectors has standard deviation 0.35 on the probit scale. Its mean
    // changes the rate by about 0.35 / sqrt(54) x 0.25.
    EXPECT_NEAR(diligent[0] / diligent[2], diligent[1] / diligent[2],
                3 * 0.35 / std::sqrt(54.0) * 0.25);
    EXPECT_NEAR(of_manner["idle"][0] / of_manner["idle"][2], 0.03, 0.02);
    EXPECT_NEAR(of_manner["hasty"][0] / of_manner["hasty"][2], 0.96, 0.02);
    EXPECT_NEAR(controls_selected / controls, 0.02, 0.02);
}

TEST(Selections, BothSetsAreJudgedInTheSameGridsByTheSamePeople) {
    const Plan plan = crowd_plan(WorldSize::tiny);
    const SelectionsText text = selections_csv(plan);
    std::set<std::string> first, second;
    for (const Row& row : rows_of(text.v1)) first.insert(row.batch + " " + row.selector);
    for (const Row& row : rows_of(text.v2)) second.insert(row.batch + " " + row.selector);
    EXPECT_EQ(first, second);
    EXPECT_EQ(first.size(), 20U * 10U);
}

}  // namespace
}  // namespace assay::world
