#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refused(const std::string& text, TableUnit unit = TableUnit::automatic) {
    try {
        parse_gap_table(text, "t.csv", unit);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.message();
    }
    return "(taken)";
}

TEST(GapTable, PlainLayout) {
    const auto table = parse_gap_table(
        "Model,TOP1_V2,top1_v1,year,asma_v1\nb, 50 ,60.5%,2019,\na,40,NA,2020,30\n", "t");
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_TRUE(table.percent);
    EXPECT_DOUBLE_EQ(*table.rows[0].metrics[0][0], 0.605);
    EXPECT_DOUBLE_EQ(*table.rows[0].metrics[0][1], 0.5);
    EXPECT_FALSE(table.rows[1].metrics[0][0]);
    EXPECT_DOUBLE_EQ(*table.rows[1].metrics[2][0], 0.3);
    EXPECT_THAT(table.ignored, ElementsAre("year"));
    const auto proportions = parse_gap_table("model\ttop1_v1\ttop1_v2\na\t1\t0.5\n", "t");
    EXPECT_FALSE(proportions.percent);
    EXPECT_DOUBLE_EQ(*proportions.rows[0].metrics[0][0], 1);
    EXPECT_DOUBLE_EQ(*parse_gap_table("model,top1_v1,top1_v2\na,1,0.5\n", "t", TableUnit::percent)
                          .rows[0]
                          .metrics[0][0],
                     0.01);
}

TEST(GapTable, APercentSignSaysTheUnitOfAll) {
    const std::string text = "model,top1_v1,top1_v2\na,0.9%,0.5 %\nb,0.7,0.4\n";
    const auto table = parse_gap_table(text, "t.csv");
    EXPECT_TRUE(table.percent);
    EXPECT_DOUBLE_EQ(*table.rows[0].metrics[0][0], 0.009);
    EXPECT_DOUBLE_EQ(*table.rows[1].metrics[0][1], 0.004);
    EXPECT_THAT(refused(text, TableUnit::proportion),
                "t.csv line 2: column top1_v1: `0.9%` is in percent, and the table is said "
                "to hold proportions");
}

// 0.632 - 0.582, from percent, is a little less than 0.05.
TEST(GapTable, AGapThatEqualsTheMarginIsNotWithinIt) {
    const auto table =
        parse_gap_table("model,top1_v1,top1_v2\na,63.2,58.2\nb,63.2,58.3\nc,58.2,63.2\n", "t");
    GapOptions options;
    options.margin = 0.05;
    const GapReport report = gap_of_table(table, {"V1", "V2"}, options);
    EXPECT_EQ(report.average.within_margin[0].models, 3U);
    EXPECT_EQ(report.average.within_margin[0].within, 1U);
}

TEST(GapTable, SaysWhatIsWrong) {
    EXPECT_THAT(refused(""), HasSubstr("empty"));
    EXPECT_THAT(refused("top1_v1,top1_v2\n1,2\n"), HasSubstr("no column named model"));
    EXPECT_THAT(refused("model,top1_v1\na,2\n"), HasSubstr("no metric with both columns"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2,top1_V1\n"), HasSubstr("two columns named top1_v1"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\n"), HasSubstr("no model"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,60,50\na,61,51\n"),
                "t.csv line 3: model `a` is on line 2 already");
    EXPECT_THAT(refused("model,top1_v1,top1_v2\n ,60,50\n"), HasSubstr("without a name"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,6o,50\n"),
                "t.csv line 2: column top1_v1: `6o` is no number");
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,nan,50\n"), HasSubstr("`nan` is no number"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,inf,50\n"), HasSubstr("`inf` is no number"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,101,50\n"), HasSubstr("101 is outside 0 to 100"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,-1,50\n"), HasSubstr("outside"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,60\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,60,0.5\n", TableUnit::proportion),
                HasSubstr("is the table in percent?"));
}

TEST(GapTable, SubgroupColumns) {
    const auto table = parse_gap_table(
        "model,top1_v1,top1_v2,subgroup2_v1,subgroup2_v2,subgroup1_v1,subgroup0_v1\na,60,50,30,20,"
        "90,1\n",
        "t");
    EXPECT_THAT(table.subgroups, ElementsAre(1, 2));
    EXPECT_THAT(table.ignored, ElementsAre("subgroup0_v1"));
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    ASSERT_EQ(report.boxes.size(), 4U);
    EXPECT_DOUBLE_EQ(*report.boxes[0].points[0], 0.9);
    EXPECT_FALSE(report.boxes[1].box);
    EXPECT_DOUBLE_EQ(*report.average.subgroups[1].agreement.gap.value, 0.3 - 0.2);
}

TEST(GapTable, MeansAreOverModelsWithBothValues) {
    const auto table = parse_gap_table(
        "model,top1_v1,top1_v2,real_v1,real_v2\na,60,50,,1\nb,70,,,2\nc,62,54,,3\n", "t");
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    const GapPair& top1 = report.average.metrics[0];
    EXPECT_NEAR(*top1.gap.value, 0.09, 1e-12);
    EXPECT_NEAR(*top1.first.value - *top1.second.value, *top1.gap.value, 1e-12);
    EXPECT_EQ(top1.models[2], 2U);
    EXPECT_FALSE(report.average.metrics[1].gap.value);
    EXPECT_EQ(report.average.metrics[2].gap.undefined, "the table has no such column");
    EXPECT_FALSE(report.average.decomposition.within.value);
    EXPECT_EQ(report.models[0].name, "b");
    EXPECT_EQ(report.models[0].ranks[0][1].rank, 0U);
    EXPECT_EQ(report.average.between[0]->models, 2U);
    EXPECT_NO_THROW(to_json(report).dump());
}

TEST(GapTable, NumbersOfImagesGiveIntervals) {
    const auto table = parse_gap_table("model,top1_v1,top1_v2\na,80,60\n", "t");
    GapReport report = gap_of_table(table, {"V1", "V2"}, {}, {70, 80});
    // Newcombe (1998), table II (a): 56/70 against 48/80.
    const GapPair& top1 = report.models[0].metrics[0];
    ASSERT_TRUE(top1.gap.interval);
    EXPECT_NEAR(top1.gap.interval->low, 0.0524, 5e-5);
    EXPECT_NEAR(top1.gap.interval->high, 0.3339, 5e-5);
    EXPECT_EQ(report.average.within_margin[0].surely_outside, 1U);
    report = gap_of_table(table, {"V1", "V2"}, {}, {70, std::nullopt});
    EXPECT_TRUE(report.models[0].metrics[0].first.interval);
    EXPECT_FALSE(report.models[0].metrics[0].gap.interval);
    EXPECT_FALSE(report.average.within_margin[0].surely_within);
}

// The 315 published rows of Anzaku et al.
TEST(GapTable, PublishedGaps) {
    if (shared_data().empty()) GTEST_SKIP() << "no shared data beside the checkout";
    const auto table = read_gap_table(shared_data() / "multilabel_models.csv");
    ASSERT_EQ(table.rows.size(), 315U);
    EXPECT_TRUE(table.percent);
    EXPECT_THAT(table.ignored, ElementsAre("asma_patchml", "delta_rank"));
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    const auto gap = [&](std::size_t m) { return 100 * *report.average.metrics[m].gap.value; };
    EXPECT_NEAR(gap(0), 11.456, 0.0005);
    EXPECT_NEAR(gap(1), 4.748, 0.0005);
    EXPECT_NEAR(gap(2), 3.919, 0.0005);
    // Counted from the file with a few lines of Python.
    EXPECT_EQ(report.average.within_margin[0].within, 0U);
    EXPECT_EQ(report.average.within_margin[1].within, 81U);
    EXPECT_EQ(report.average.within_margin[2].within, 10U);
    GapOptions wide;
    wide.margin = 0.05;
    EXPECT_EQ(gap_of_table(table, {"V1", "V2"}, wide).average.within_margin[2].within, 237U);
    EXPECT_NEAR(100 * *report.average.between[0]->sd, 2.02295, 1e-4);
    // scipy 1.10: kendalltau and spearmanr of the columns.
    const GapOrder& order = report.orders[1];
    EXPECT_EQ(order.b, GapMetric::asma);
    EXPECT_EQ(order.b_set, 0);
    EXPECT_NEAR(*order.kendall.value, 0.8178387511674016, 1e-9);
    EXPECT_NEAR(*order.spearman.value, 0.9549473246929602, 1e-9);
}

}  // namespace
}  // namespace assay
