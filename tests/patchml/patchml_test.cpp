#include "assay/patchml/patchml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "data/temp_folder.h"
#include "made_images.h"
#include "message_of.h"
#include "patchml/seeds.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Seeds, ListsAndRanges) {
    EXPECT_THAT(parse_seeds("1-5"), ElementsAre(1, 2, 3, 4, 5));
    EXPECT_THAT(parse_seeds("9,2,4-5"), ElementsAre(9, 2, 4, 5));
    EXPECT_THAT(parse_seeds("18446744073709551615"), ElementsAre(UINT64_MAX));
    EXPECT_EQ(parse_seeds("0-999").size(), 1000U);
    for (const char* bad : {"", "x", "1,", "5-1", "1,1", "1-3,2", "0-1000", "-1", "1-", " 1",
                            "0-18446744073709551615", "18446744073709551616"}) {
        EXPECT_THROW(parse_seeds(bad), Error) << bad;
    }
}

class Patchml : public testing::Test {
protected:
    Patchml() {
        for (std::size_t i = 0; i < 12; ++i) {
            save(one_colour(6, 4, colour_of(i)),
                 folder_ / ("pics/" + std::string(i % 2 == 0 ? "cat" : "dog") + "/" +
                            std::to_string(i) + ".png"));
        }
        options_.whole = folder_ / "pics";
        options_.out = folder_ / "out";
        options_.k = {2};
        options_.canvas = 16;
        options_.seeds = "3,4";
    }
    std::string refused() {
        return message_of([&] { plan_patchml(options_); }, ErrorCode::usage);
    }
    TempFolder folder_;
    PatchmlOptions options_;
};

TEST_F(Patchml, PlannedThenMade) {
    PatchmlResult result = plan_patchml(options_);
    EXPECT_FALSE(fs::exists(options_.out));
    ASSERT_EQ(result.datasets.size(), 2U);
    EXPECT_EQ(result.datasets[1].state(), "planned");
    EXPECT_EQ(result.options.grids, (std::vector<Grid>{{2, 8}}));
    const GridSummary& planned = result.datasets[0].grids.at(0);
    EXPECT_EQ(planned.counts.composites, 6U);
    // Two of 12 patches, six of each class: 2 * 15 of 66 pairs have one class.
    EXPECT_NEAR(planned.expected_pool, 30.0 / 66, 1e-12);
    EXPECT_NEAR(planned.expected_equal_classes, 0.5, 1e-12);
    EXPECT_NEAR(*planned.repeats.value, static_cast<double>(planned.counts.repeats()) / 6, 1e-15);
    EXPECT_EQ(planned.repeats.n, 6U);

    std::vector<std::string> steps;
    make_patchml(result, [&](const Progress& p) {
        if (p.done == 6) steps.emplace_back(p.step);
    });
    EXPECT_THAT(steps, ElementsAre("patchml-seed3", "patchml-seed4"));
    EXPECT_EQ(result.datasets[0].state(), "made");
    EXPECT_EQ(result.datasets[0].grids.size(), 1U);  // the summary of the plan remains
    PatchmlResult again = plan_patchml(options_);
    make_patchml(again);
    EXPECT_EQ(again.datasets[0].state(), "was there");
    const Report report = report_of(again);
    EXPECT_FALSE(report.partial);
    EXPECT_EQ(report.result.at("schema"), "assay.patchml_report/2");
    EXPECT_EQ(report.records.rows.size(), 2U);
}

// Two of five classes in the list have patches, so only these can repeat by chance.
TEST_F(Patchml, EqualClassesAreThoseOfThePool) {
    options_.classes = folder_.write("classes.txt", "bird\ncat\ncow\ndog\nemu\n");
    const PatchmlResult result = plan_patchml(options_);
    EXPECT_EQ(result.pool.classes.size(), 5U);
    EXPECT_EQ(result.classes_present, 2U);
    EXPECT_NEAR(result.datasets[0].grids.at(0).expected_equal_classes, 0.5, 1e-12);
    EXPECT_EQ(report_of(result).result.at("pool").at("classes_present"), 2);
}

TEST_F(Patchml, OptionsThatDoNotGoTogether) {
    options_.boxes = "x.csv";
    EXPECT_THAT(refused(), HasSubstr("--whole excludes --data and --boxes"));
    options_.boxes = "";
    options_.p = {4, 4};
    EXPECT_THAT(refused(), HasSubstr("--p has 2 numbers for 1 values of k"));
    options_.p = {};
    options_.name = "a/b";
    EXPECT_THAT(refused(), HasSubstr("the name must be a file name"));
    options_.name = "a";
    options_.whole = "";
    EXPECT_THAT(refused(), HasSubstr("patches need --data and --boxes,"));
}

TEST_F(Patchml, DistinctLabelsRepeatNothing) {
    options_.distinct = true;
    const PatchmlResult plan = plan_patchml(options_);
    EXPECT_EQ(*plan.datasets[0].grids[0].repeats.value, 0);
    EXPECT_EQ(plan.datasets[0].grids[0].expected_pool, 0);
}

}  // namespace
}  // namespace assay
