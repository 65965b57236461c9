#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "containers/csv.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refused(const std::string& text, TableUnit unit = TableUnit::automatic) {
    return message_of([&] { parse_gap_table(text, "t.csv", unit); });
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
                "t.csv line 2: column top1_v1: `0.9%` is in percent, but --unit says proportions");
}

TEST(GapTable, ProportionsAmongPercentAreRefused) {
    // An implausible cell, column or row is refused.
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,76.1,0.62\nb,70,60\n"),
                HasSubstr("t.csv: `a` has 0.62 in the column top1_v2"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,76.1,0.62\nb,70,0.6\n"),
                HasSubstr("pass --unit percent"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,0.76,0.62\nb,70,60\n"), HasSubstr("`a` has"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2,subgroup2_v1\na,76,62,0.9\n"),
                HasSubstr("subgroup2_v1"));
    // The column of a further data set is checked, too.
    EXPECT_THAT(refused("model,top1_v1,top1_v2,asma_patchml\na,76.1,63.2,0.35\nb,70,60,0.3\n"),
                HasSubstr("`a` has 0.35 in the column asma of patchml"));
    // Small percentages are accepted: 0.05 % and 0 % in a column with 12.5 %.
    const auto hard = parse_gap_table("model,top1_v1,top1_v2\na,76,0.05\nb,80,12.5\nc,70,0\n", "t");
    EXPECT_TRUE(hard.percent);
    EXPECT_DOUBLE_EQ(*hard.rows[0].metrics[0][1], 0.0005);
    EXPECT_DOUBLE_EQ(*parse_gap_table("model,top1_v1,top1_v2\na,76,0.5\n", "t", TableUnit::percent)
                          .rows[0]
                          .metrics[0][1],
                     0.005);
}

// 0.632 - 0.582, converted from percent, is slightly less than 0.05.
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
                "t.csv line 3: model `a` is already on line 2");
    EXPECT_THAT(refused("model,top1_v1,top1_v2\n ,60,50\n"), HasSubstr("without a name"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,6o,50\n"),
                "t.csv line 2: column top1_v1: `6o` is not a number");
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,nan,50\n"), HasSubstr("`nan` is not a number"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,inf,50\n"), HasSubstr("`inf` is not a number"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,101,50\n"), HasSubstr("101 is outside 0 to 100"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,-1,50\n"), HasSubstr("outside"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,60\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("model,top1_v1,top1_v2\na,60,0.5\n", TableUnit::proportion),
                HasSubstr("if the table is in percent, pass --unit percent"));
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
        "model,top1_v1,top1_v2,real_v1,real_v2\na,60,50,,11\nb,70,,,12\nc,62,54,,13\n", "t");
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

// By top-1 on V1: x 90, a 80, b 70, c 60, d 50; x has no ASMA, and e (75) has no top-1. So the
// change is between the ranks among a, b, c and d. They are 1, 2, 3, 4 by top-1, and 2 (30), 1
// (40), 2 (30), 4 (20) by ASMA.
TEST(GapTable, RankChangesAreAmongTheModelsThatHaveBoth) {
    const auto table = parse_gap_table(
        "model,top1_v1,top1_v2,asma_v1,asma_v2\n"
        "x,90,50,,10\na,80,40,30,9\nb,70,30,40,8\nc,60,20,30,7\nd,50,10,20,6\ne,,5,75,5\n",
        "t");
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    std::map<std::string, std::optional<std::int64_t>> change;
    for (const GapModel& model : report.models) {
        change[model.name] = model.rank_change[0];
        EXPECT_EQ(model.rank_change[1], 0) << model.name;
    }
    EXPECT_FALSE(change["x"]);
    EXPECT_FALSE(change["e"]);
    EXPECT_EQ(change["a"], -1);
    EXPECT_EQ(change["b"], 1);
    EXPECT_EQ(change["c"], 1);
    EXPECT_EQ(change["d"], 0);
    // The ranks themselves are among all models that have the value.
    EXPECT_EQ(report.models[1].name, "a");
    EXPECT_EQ(report.models[1].ranks[0][0].rank, 2U);
    EXPECT_EQ(report.models[1].ranks[2][0].rank, 3U);
}

TEST(GapTable, NumbersOfImagesGiveIntervals) {
    const auto table = parse_gap_table("model,top1_v1,top1_v2\na,80,60\n", "t");
    GapReport report = gap_of_table(table, {"V1", "V2"}, {}, {{{.top1 = 70}, {.top1 = 80}}});
    // Newcombe (1998), table II (a): 56/70 and 48/80.
    const GapPair& top1 = report.models[0].metrics[0];
    ASSERT_TRUE(top1.gap.interval);
    EXPECT_NEAR(top1.gap.interval->low, 0.0524, 5e-5);
    EXPECT_NEAR(top1.gap.interval->high, 0.3339, 5e-5);
    EXPECT_EQ(report.average.within_margin[0].surely_outside, 1U);
    report = gap_of_table(table, {"V1", "V2"}, {}, {{{.top1 = 70}, {}}});
    EXPECT_TRUE(report.models[0].metrics[0].first.interval);
    EXPECT_FALSE(report.models[0].metrics[0].gap.interval);
    EXPECT_FALSE(report.average.within_margin[0].surely_within);
}

// Every 29th row of the table by Anzaku et al., in percent. The means were computed in Python.
TEST(GapTable, SomePublishedRows) {
    const auto table = parse_gap_table(
        "model,top1_v1,top1_v2,real_v1,real_v2,asma_v1,asma_v2\n"
        "eva_large_patch14_336,88.5,80.99,90.76,91.74,72.22,70.35\n"
        "swinv2_large_window12to16,86.39,76.51,89.71,88.71,66.83,64.33\n"
        "maxxvitv2_rmlp_base_rw_224,86.48,76.51,89.81,88.27,68.93,66.53\n"
        "twins_pcpvt_large,82.69,71.34,87.81,83.94,66.06,63.41\n"
        "levit_384,81.87,69.32,87.17,81.98,61.78,60.41\n"
        "csresnext50,80.15,68.21,85.93,80.19,61.31,57.8\n"
        "regnetx_004_tv,73.83,60.19,81.1,72.47,60.18,52.16\n"
        "dpn92,77.97,64.88,83.75,77.14,59.04,56.56\n"
        "mixnet_xl,79.5,66.91,85.11,78.97,62.24,57.26\n"
        "regnetx_016,74.91,61.14,81.31,72.87,57.33,53.73\n"
        "semnasnet_100,73.41,59.93,80.38,71.76,57.04,51.27\n",
        "published");
    EXPECT_TRUE(table.percent);
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    const double want[] = {0.11797272727272729, 0.04981818181818183, 0.035590909090909117};
    for (std::size_t m = 0; m < 3; ++m)
        EXPECT_NEAR(*report.average.metrics[m].gap.value, want[m], 1e-12) << m;
    // The first row's ReaL grows by 0.98 points; no other gap is smaller than one.
    EXPECT_EQ(report.average.within_margin[0].within, 0U);
    EXPECT_EQ(report.average.within_margin[1].within, 1U);
    EXPECT_EQ(report.average.within_margin[2].within, 0U);
}

// The further data set has 50, 70, 70, none, 10. The fourth model has no value there, so it has a
// rank in neither order.
TEST(GapTable, RanksByAnyColumn) {
    const auto table = parse_gap_table(
        "model,top1_v1,top1_v2,asma_made\nm1,90,80,50\nm2,90,80,70\nm3,80,80,70\nm4,70,80,\n"
        "m5,60,80,10\n",
        "t.csv");
    EXPECT_THAT(table.also, ElementsAre("made"));
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    EXPECT_THAT(ranking_columns(report), ElementsAre("top1_v1", "top1_v2", "asma_made"));
    EXPECT_EQ(report.also.at(0).models.at(3)[2].undefined, "the table's cell is empty");
    const auto places = [&](bool dense) {
        std::vector<std::string> out;
        for (const auto& p : rank_by(report, "asma_made", "top1_v1", dense).places)
            out.push_back(fmt::format("{} {} {} {:+}", report.models[p.model].name, p.rank,
                                      p.against, p.change));
        return out;
    };
    EXPECT_THAT(places(false), ElementsAre("m2 1 1 +0", "m3 1 3 +2", "m1 3 1 -2", "m5 4 4 +0"));
    EXPECT_THAT(places(true), ElementsAre("m2 1 1 +0", "m3 1 2 +1", "m1 2 1 -1", "m5 3 3 +0"));
    try {
        rank_by(report, "asma_mad", "top1_v1", false);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage);
        EXPECT_THAT(error.message(), HasSubstr("did you mean `asma_made`?"));
    }
    // The written csv is read back without data sets "gap" or "made_low".
    Report written = report_of(report);
    const auto again = parse_gap_table(render(written, ReportFormat::csv), "again.csv");
    EXPECT_THAT(again.also, ElementsAre("made"));
    EXPECT_NEAR(*again.rows.at(1).also.at(0).at(2), 0.7, 1e-12);
}

// No composite has a single label, so no model has a top-1.
TEST(GapTable, RanksAgainstWhatTheFirstSetHas) {
    const auto against = [](const char* text) {
        const GapReport report = gap_of_table(parse_gap_table(text, "t.csv"), {"V1", "V2"}, {});
        return rank_by(report, "asma_v1", "", false).against;
    };
    EXPECT_EQ(against("model,real_v1,real_v2,asma_v1,asma_v2\na,9,8,7,6\nb,6,8,5,2\n"), "real_v1");
    EXPECT_EQ(against("model,top1_v1,top1_v2,asma_v1,asma_v2\na,9,8,7,6\nb,6,8,5,2\n"), "top1_v1");
}

TEST(GapTable, AFurtherTable) {
    const auto table = parse_gap_table("model,top1_v1,top1_v2\na,90,80\nb,70,60\n", "t.csv");
    GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    const Scratch scratch;
    const auto file = scratch / "patchml.csv";
    write_file_atomically(file, "model,asma,year\nb,31.5,2020\nc,20,2021\n");
    const GapAlso also = read_also_table(file, report);
    EXPECT_EQ(also.name, "patchml");
    EXPECT_NEAR(*also.models.at(1)[2].value, 0.315, 1e-12);
    EXPECT_EQ(also.models.at(0)[2].undefined, "the model was not measured there");
    report.also = {also};
    EXPECT_EQ(rank_by(report, "asma_patchml", "top1_v1", false).places.size(), 1U);
    const auto says = [&](const std::string& text) {
        write_file_atomically(file, text);
        return message_of([&] { read_also_table(file, report); });
    };
    EXPECT_THAT(says("model,year\nb,2020\n"), HasSubstr("none of the columns top1, real and asma"));
    EXPECT_THAT(says("model,asma,top1\na,0.2,80\nb,0.315,70\n"),
                HasSubstr("`b` has 0.315 in the column asma of patchml"));
    EXPECT_THAT(says("model,asma\n ,31.5\n"), HasSubstr("line 2: a model without a name"));
    EXPECT_THAT(says("model,asma,ASMA\nb,31.5,30\n"), HasSubstr("two columns are named asma"));
    EXPECT_THAT(says("model,asma\nx,31.5\ny,20\n"),
                HasSubstr("no model has scores on both V1 and patchml.csv: V1 has a, b; "
                          "patchml.csv has x, y"));
}

// The papers' tables are ordered by ASMA on PatchML. Their column of rank changes was computed from
// unrounded values, so it cannot be reproduced exactly. Their order can.
TEST(GapTable, PublishedOrder) {
    if (shared_data().empty()) GTEST_SKIP() << "no shared data beside the checkout";
    const auto table = read_gap_table(shared_data() / "multilabel_models.csv");
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    const GapRanking ranking = rank_by(report, "asma_patchml", "top1_v1", true);
    ASSERT_EQ(ranking.places.size(), 315U);
    for (std::size_t i = 0; i < ranking.places.size(); ++i) {
        const auto value = [&](const GapTable::Row& row) { return *row.also[0][2]; };
        // Each row has the correct value. Models with equal values may be in any order.
        EXPECT_EQ(*report.also[0].models[ranking.places[i].model][2].value, value(table.rows[i]));
    }
    // Counted in the file with a few lines of Python.
    EXPECT_EQ(report.models[ranking.places[0].model].name, "eva_large_patch14_336.in22k_ft.in1k");
    EXPECT_EQ(ranking.places[0].against, 13U);
    EXPECT_EQ(ranking.places[0].change, 12);
}

// The 315 published rows of Anzaku et al.
TEST(GapTable, PublishedGaps) {
    if (shared_data().empty()) GTEST_SKIP() << "no shared data beside the checkout";
    const auto table = read_gap_table(shared_data() / "multilabel_models.csv");
    ASSERT_EQ(table.rows.size(), 315U);
    EXPECT_TRUE(table.percent);
    EXPECT_THAT(table.ignored, ElementsAre("delta_rank"));
    EXPECT_THAT(table.also, ElementsAre("patchml"));
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {});
    const auto gap = [&](std::size_t m) { return 100 * *report.average.metrics[m].gap.value; };
    EXPECT_NEAR(gap(0), 11.456, 0.0005);
    EXPECT_NEAR(gap(1), 4.748, 0.0005);
    EXPECT_NEAR(gap(2), 3.919, 0.0005);
    // Counted in the file with a few lines of Python.
    EXPECT_EQ(report.average.within_margin[0].within, 0U);
    EXPECT_EQ(report.average.within_margin[1].within, 81U);
    EXPECT_EQ(report.average.within_margin[2].within, 10U);
    GapOptions wide;
    wide.margin = 0.05;
    EXPECT_EQ(gap_of_table(table, {"V1", "V2"}, wide).average.within_margin[2].within, 237U);
    EXPECT_NEAR(100 * *report.average.between[0]->sd, 2.02295, 1e-4);
    ASSERT_EQ(report.lines.size(), 3U);
    EXPECT_NEAR(*report.lines[0].mean_gap.value, *report.average.metrics[0].gap.value, 1e-12);
    // The values are scipy 1.10's kendalltau and spearmanr of the columns.
    const GapOrder& order = report.orders[1];
    EXPECT_EQ(order.b, GapMetric::asma);
    EXPECT_EQ(order.b_set, 0);
    EXPECT_NEAR(*order.kendall.value, 0.8178387511674016, 1e-9);
    EXPECT_NEAR(*order.spearman.value, 0.9549473246929602, 1e-9);
}

/// Ten of the models with accuracies published by Engstrom et al.
GapTable ten_published() {
    const std::vector<double> x = {63.07, 74.47, 76.21, 77.24, 78.02,
                                   78.61, 79.10, 79.74, 80.57, 82.13},
                              y = {48.27, 61.63, 62.04, 65.09, 65.16,
                                   65.55, 66.71, 66.75, 69.05, 69.92};
    GapTable table;
    table.has[0] = {true, true};
    for (std::size_t i = 0; i < x.size(); ++i) {
        GapTable::Row& row = table.rows.emplace_back();
        row.model = std::to_string(i);
        row.metrics[0] = {x[i] / 100, y[i] / 100};
    }
    return table;
}

/// The numbers of images are unknown. Slope and intercept are those of scipy's linregress, without
/// intervals.
TEST(GapTable, ALineThroughTheModels) {
    const GapReport report = gap_of_table(ten_published(), {"V1", "V2"}, {});
    ASSERT_EQ(report.lines.size(), 1U);
    const GapLine& line = report.lines[0];
    EXPECT_EQ(line.models, 10U);
    EXPECT_NEAR(*line.slope.value, 1.14304926638694, 1e-9);
    EXPECT_NEAR(*line.intercept.value, -0.239017773734179, 1e-9);
    EXPECT_NEAR(*line.mean_gap.value, 0.12899, 1e-9);
    EXPECT_FALSE(line.slope.interval || line.intercept.interval || line.mean_gap.interval);
    EXPECT_EQ(line.slope.note, "no interval: n of top-1 on V1 is unknown (--n1 N)");
    EXPECT_FALSE(line.slope_like.value);
    // A value without an interval is not described as if it had one.
    Report said = report_of(report);
    const std::string text = render(said, ReportFormat::text);
    for (const char* note : {"true values", "[ ]", "true gaps", "for these models on new images",
                             "as a random sample,"})
        EXPECT_THAT(text, testing::Not(HasSubstr(note)));
    const std::string written = render(said, ReportFormat::csv);
    CsvReader csv(written, "written.csv");
    ASSERT_TRUE(csv.next());
    EXPECT_EQ(csv[csv.column({"top1_rank_v2"})], "1");
    EXPECT_EQ(csv[csv.column({"top1_rank_v2_low"})], "");
    EXPECT_EQ(csv[csv.column({"top1_rank_v2_high"})], "");
}

TEST(GapTable, ALineWithTheImagesKnown) {
    const std::array<GapImages, 2> images{{{.top1 = 50'000}, {.top1 = 10'000}}};
    const GapReport report = gap_of_table(ten_published(), {"V1", "V2"}, {}, images);
    const GapLine& line = report.lines.at(0);
    // Errors on V1 bias the least-squares slope towards 0, slightly in this case.
    EXPECT_GT(*line.slope.value, 1.14304926638694);
    EXPECT_LT(*line.slope.value, 1.16);
    ASSERT_TRUE(line.slope.interval && line.slope_like.interval && line.intercept.interval);
    EXPECT_EQ(line.slope.interval->method, "fieller");
    EXPECT_LT(line.slope_like.interval->low, line.slope.interval->low);
    EXPECT_GT(line.slope_like.interval->high, line.slope.interval->high);
    // The same quantity has the same interval everywhere.
    EXPECT_EQ(line.mean_gap.interval, report.average.metrics[0].gap.interval);
    EXPECT_LT(line.mean_gap_like.interval->low, line.mean_gap.interval->low);
    Report said = report_of(report);
    const std::string text = render(said, ReportFormat::text);
    for (const char* note :
         {"true values", "for these models on new images", "as a random sample,"})
        EXPECT_THAT(text, HasSubstr(note));
    // Ranks in csv have both ends of their intervals.
    const std::string written = render(said, ReportFormat::csv);
    CsvReader csv(written, "written.csv");
    ASSERT_TRUE(csv.next());
    const GapRank& rank = report.models[0].ranks[0][1];
    ASSERT_GT(rank.low, 0U);
    EXPECT_EQ(csv[csv.column({"top1_rank_v2_low"})], std::to_string(rank.low));
    EXPECT_EQ(csv[csv.column({"top1_rank_v2_high"})], std::to_string(rank.high));
    // The mean gap needs no random numbers.
    GapOptions undrawn;
    undrawn.replicates = 0;
    undrawn.families = {{"0", "a"}, {"1", "a"}, {"2", "b"}};
    const GapLine by_families =
        gap_of_table(ten_published(), {"V1", "V2"}, undrawn, images).lines.at(0);
    undrawn.replicates = 200;
    EXPECT_EQ(by_families.mean_gap_like.interval,
              gap_of_table(ten_published(), {"V1", "V2"}, undrawn, images)
                  .lines.at(0)
                  .mean_gap_like.interval);
    EXPECT_TRUE(by_families.mean_gap_like.interval);
    EXPECT_FALSE(by_families.slope_like.value);
    const GapPair& top1 = report.average.metrics[0];
    EXPECT_NEAR(*top1.absolute_raw, 0.12899, 1e-9);
    EXPECT_LE(top1.absolute.interval->low, .12899);
    EXPECT_GE(top1.absolute.interval->high, top1.gap.interval->high);
    // A line on another scale is reported separately, so plots of values stay correct.
    GapOptions probit;
    probit.scale = GapScale::probit;
    const GapReport scaled = gap_of_table(ten_published(), {"V1", "V2"}, probit, images);
    EXPECT_EQ(*scaled.lines.at(0).slope.value, *line.slope.value);
    ASSERT_EQ(scaled.scaled_lines.size(), 1U);
    EXPECT_LT(*scaled.scaled_lines[0].slope.value, 1.05);
    GapTable edge = ten_published();
    edge.rows[3].metrics[0][0] = 1;
    // The result is the same with known and with unknown errors.
    for (const auto& known : {images, std::array<GapImages, 2>{}}) {
        EXPECT_THAT(message_of([&] {
                        gap_of_table(edge, {"V1", "V2"}, probit, known);
                    }),
                    HasSubstr("`3` has top1 = 1 on V1, which is infinite on the probit scale"));
    }
}

TEST(GapTable, WhatNeedsTheNumbersOfImagesIsRefusedWithoutThem) {
    const auto refusal = [](const GapOptions& options, const std::array<GapImages, 2>& images) {
        return message_of(
            [&] {
                gap_of_table(ten_published(), {"V1", "V2"}, options, images);
            },
            ErrorCode::usage);
    };
    const std::array<GapImages, 2> unknown, top1{{{.top1 = 50'000}, {.top1 = 10'000}}};
    GapOptions models;
    models.model_correlation = {.3, .8};
    EXPECT_THAT(refusal(models, unknown), HasSubstr("--model-correlation has no effect"));
    EXPECT_NO_THROW(gap_of_table(ten_published(), {"V1", "V2"}, models, top1));
    GapOptions metrics;
    metrics.metric_correlation = {.5};
    EXPECT_THAT(refusal(metrics, unknown), HasSubstr("--metric-correlation has no effect"));
    EXPECT_THAT(refusal(metrics, top1), HasSubstr("two metrics"));
}

// The numbers come from an independent implementation with one factor (fixtures). The table has the
// union of its intervals over two correlations.
TEST(GapTable, PublishedStatements) {
    if (shared_data().empty()) GTEST_SKIP() << "no shared data beside the checkout";
    const auto table = read_gap_table(shared_data() / "multilabel_models.csv");
    const std::array<GapImages, 2> images{{{50'000, 46'837, {39'394, 5'408, 1'319, 411, 161}},
                                           {10'000, 9'858, {5'083, 2'385, 1'306, 628, 237}}}};
    const GapReport report = gap_of_table(table, {"V1", "V2"}, {}, images);
    const auto expect = [](const Estimate& e, double value, double low, double high,
                           double drawn = 5e-5) {
        ASSERT_TRUE(e.value && e.interval) << e.note << e.undefined;
        EXPECT_NEAR(*e.value, value, drawn);
        EXPECT_NEAR(e.interval->low, low, drawn);
        EXPECT_NEAR(e.interval->high, high, drawn);
    };
    const GapAverage& a = report.average;
    expect(a.metrics[0].gap, .11456, .10601, .12310);
    expect(a.metrics[0].absolute, .11455, .10582, .12329);
    expect(a.metrics[1].absolute, .04915, .04205, .05621);
    expect(a.metrics[2].gap, .03919, .01646, .06193);
    expect(a.metrics[2].absolute, .03937, .01581, .06305);
    // The order of the models in the report gives other random draws.
    expect(report.lines.at(0).slope, 1.31610, 1.30246, 1.32951, 3e-4);
    expect(report.lines.at(1).slope, 1.77604, 1.74701, 1.80461, 3e-4);
    EXPECT_TRUE(report.lines[0].curvature->curved);
    expect(a.between[0]->gap, .01999, .01917, .02086);
    EXPECT_EQ(a.within_margin[2].within, 10U);
    EXPECT_EQ(a.within_margin[2].low(), 0U);
    EXPECT_EQ(a.within_margin[2].high(), 284U);
    EXPECT_EQ(a.within_margin[1].high(), 104U);
    ASSERT_EQ(a.differences.size(), 3U);
    expect(a.differences[0].value, .06708, .05584, .07831);
    expect(a.differences[1].value, .07536, .05108, .09965);
    expect(a.differences[1].share, .65788, .45530, .85663);
    expect(a.differences[2].value, .00829, -.01559, .03216);
    std::size_t smaller = 0;
    for (const GapModel& model : report.models)
        smaller += model.differences.at(1).value.interval->low > 0 ? 1 : 0;
    EXPECT_EQ(smaller, 309U);
    // Two metrics share their images, and for ASMA's errors only a bound is known, so these have no
    // interval.
    for (const GapOrder& order : report.orders) {
        const bool known = order.a_set != order.b_set && order.a != GapMetric::asma;
        EXPECT_EQ(order.kendall.interval.has_value(), known);
    }
    ASSERT_TRUE(a.best[0][0]->value.interval);
    EXPECT_EQ(a.best[0][0]->candidates, 7U);
}

TEST(GapTable, SameBitsForAnyNumberOfThreads) {
    std::string first;
    for (const int threads : {1, 2, 5}) {
        GapOptions options;
        options.threads = threads;
        const GapReport report =
            gap_of_table(ten_published(), {"V1", "V2"}, options, {{{.top1 = 500}, {.top1 = 400}}});
        const std::string text = to_json(report).dump();
        if (first.empty()) first = text;
        EXPECT_EQ(text, first);
    }
}

TEST(GapTable, ModelsThatShowNothing) {
    const auto said = [](const std::string& rows) {
        return gap_of_table(parse_gap_table("model,top1_v1,top1_v2\n" + rows, "t"), {"V1", "V2"},
                            {}, {{{.top1 = 1000}, {.top1 = 1000}}});
    };
    // With one model, the average is that model.
    const GapReport one = said("a,80,70\n");
    EXPECT_EQ(one.average.metrics[0].gap.interval, one.models[0].metrics[0].gap.interval);
    EXPECT_EQ(one.average.metrics[0].absolute.interval, one.models[0].metrics[0].absolute.interval);
    EXPECT_EQ(one.average.between[0]->gap.undefined, "one model");
    EXPECT_TRUE(one.lines.empty());
    EXPECT_EQ(one.average.best[0][0]->candidates, 1U);
    const GapReport two = said("a,80,70\nb,60,50\n");
    EXPECT_EQ(two.orders.back().models, 0U);
    EXPECT_THAT(two.orders.at(4).kendall.note, HasSubstr("two models: see their ranks"));
    EXPECT_FALSE(two.orders[4].kendall.interval);
    // Equal models have no spread, no order and no slope.
    const GapReport equal = said("a,80,70\nb,80,70\nc,80,70\n");
    EXPECT_EQ(equal.average.between[0]->gap.value, 0);
    EXPECT_FALSE(equal.average.between[0]->gap.interval);
    EXPECT_FALSE(equal.orders.at(4).kendall.value);
    EXPECT_TRUE(equal.lines.empty());
    EXPECT_EQ(to_json(equal).dump().find("nan"), std::string::npos);
    // The models are closer to a line than independent errors would allow. So an interval would
    // claim too much.
    std::string rows;
    for (int i = 0; i < 25; ++i) rows += fmt::format("m{},{},{:.2f}\n", i, 60 + i, 51 + 1.01 * i);
    const GapReport line = said(rows);
    EXPECT_FALSE(line.average.between[0]->gap.interval);
    EXPECT_THAT(line.average.between[0]->gap.note,
                HasSubstr("differ less than expected from their errors"));
    EXPECT_TRUE(line.average.between[0]->first.interval);
    // All models are fully correct on both data sets.
    const GapReport all = said("a,100,100\nb,100,100\nc,100,99\n");
    EXPECT_EQ(to_json(all).dump().find("nan"), std::string::npos);
}

TEST(GapTable, NumbersOfImagesAsText) {
    const GapImages one = parse_gap_images("50000", "--n1");
    EXPECT_EQ(one.top1, 50'000U);
    EXPECT_FALSE(one.real);
    const GapImages both = parse_gap_images("real=9858,top1=10000", "--n2");
    EXPECT_EQ(both.top1, 10'000U);
    EXPECT_EQ(both.real, 9'858U);
    const auto refused_text = [](const char* text) {
        return message_of([&] { parse_gap_images(text, "--n1"); }, ErrorCode::usage);
    };
    for (const char* text : {"1", "-5", "1e4", "top1=", "5,6", "top5=7", "10,", "asma=5"})
        EXPECT_THAT(refused_text(text), HasSubstr(std::string("--n1 is `") + text + "`")) << text;
    EXPECT_THAT(refused_text("asma=5"), HasSubstr("--counts1"));
}

}  // namespace
}  // namespace assay
