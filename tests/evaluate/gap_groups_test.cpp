// Gaps by groups of images. The expected values are Newcombe's interval of two proportions at
// Sidak's level, computed in NumPy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "assay/report.h"
#include "evaluate/gap/gap_report_tables.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ImagesOfGroup {
    const char* group;
    int images, correct;
};

Made data_set(const char* name, const std::vector<ImagesOfGroup>& groups) {
    Made made;
    made.classes = 2;
    made.dataset = name;
    for (const ImagesOfGroup& one : groups) {
        for (int i = 0; i < one.images; ++i) {
            made.labels.push_back({0});
            made.group.emplace_back(one.group);
            made.scores.push_back(i < one.correct ? 2 : 0);
            made.scores.push_back(1);
        }
    }
    return made;
}

GapReport gap_by(const std::vector<ImagesOfGroup>& first, const std::vector<ImagesOfGroup>& second,
                 const char* by = "group") {
    const Scratch folder;
    for (const char* model : {"a", "b"}) {
        save(folder, data_set("v1", first), model);
        save(folder, data_set("v2", second), model);
    }
    GapRequest request;
    request.sets = {(folder / "runs" / "v1").string(), (folder / "runs" / "v2").string()};
    request.by = {by};
    return run_gap(request, *self_comm());
}

const std::vector<ImagesOfGroup>
    on_v1 = {{"day", 100, 80}, {"night", 40, 30}, {"rain", 20, 9}, {"rare", 30, 9}},
    on_v2 = {{"day", 90, 60}, {"fog", 20, 1}, {"night", 50, 35}, {"rare", 9, 0}};

TEST(GapGroups, AreThoseOfBothDataSets) {
    const GapReport report = gap_by(on_v1, on_v2);
    ASSERT_EQ(report.groups.size(), 2U);  // one model each; ReaL equals top-1 here
    const GapByGroup& of_model = report.groups[0];
    EXPECT_EQ(of_model.metric, "top1");
    EXPECT_THAT(of_model.only_here[0], ElementsAre("group=rain"));
    EXPECT_THAT(of_model.only_here[1], ElementsAre("group=fog"));
    ASSERT_EQ(of_model.groups.size(), 3U);
    const GapOfGroup &day = of_model.groups[0], &night = of_model.groups[1];
    EXPECT_EQ(day.accuracy[0].value, 0.8);
    EXPECT_NEAR(*day.gap.value, 0.13333333333333341, 1e-12);
    EXPECT_NEAR(day.gap.interval->low, -0.00987276290906347, 1e-9);
    EXPECT_NEAR(day.gap.interval->high, 0.2721145395727145, 1e-9);
    EXPECT_EQ(day.gap.interval->level, 0.95);
    EXPECT_EQ(day.gap.interval->method, "newcombe.unpaired.sidak");
    EXPECT_NEAR(night.gap.interval->low, -0.16270373485643944, 1e-9);
    EXPECT_NEAR(night.gap.interval->high, 0.24759415918412184, 1e-9);
    EXPECT_EQ(of_model.groups[2].gap.value, 0.3);  // nine images of V2 are too few
    EXPECT_FALSE(of_model.groups[2].gap.interval);
    EXPECT_EQ(of_model.too_small, 1U);
}

// The numbers come from the groups' intervals at 95 and 97.5 %. The rarest group is too small.
TEST(GapGroups, TheLargestHasItsInterval) {
    const GapByGroup of_model = gap_by(on_v1, on_v2).groups.at(0);
    const Estimate& largest = of_model.largest;
    EXPECT_EQ(of_model.candidates, 2U);
    EXPECT_EQ(of_model.observed_group, "group=day");
    EXPECT_NEAR(*of_model.observed, 0.13333333333333341, 1e-12);
    ASSERT_TRUE(largest.interval);
    EXPECT_NEAR(largest.interval->low, -0.010185645092783913, 1e-9);
    EXPECT_NEAR(largest.interval->high, 0.2555406736389175, 1e-9);
    EXPECT_EQ(largest.interval->level, 0.95);
    EXPECT_EQ(largest.interval->method, "largest.newcombe.unpaired");
    // The interval has no part that is due to the selection, and is not below the mean of both.
    EXPECT_LT(*largest.value, *of_model.observed);
    EXPECT_GE(*largest.value, 0.10654761904761911);
    EXPECT_EQ(largest.n, 280U);
    EXPECT_EQ(largest.note,
              "largest observed: +13.33 points in group=day; 2 groups; 1 more have fewer than 10 "
              "images and cannot have the largest");
}

TEST(GapGroups, OneGroupHasNoChoice) {
    const GapByGroup of_model =
        gap_by({{"day", 100, 80}, {"rare", 9, 1}}, {{"day", 90, 60}, {"rare", 9, 9}}).groups.at(0);
    EXPECT_NEAR(*of_model.largest.value, 0.13333333333333341, 1e-12);
    EXPECT_EQ(of_model.largest.interval->low, of_model.groups[0].gap.interval->low);
    EXPECT_EQ(of_model.largest.interval->high, of_model.groups[0].gap.interval->high);
    const GapByGroup none = gap_by({{"rare", 9, 1}}, {{"rare", 9, 9}}).groups.at(0);
    EXPECT_FALSE(none.largest.value);
    EXPECT_EQ(none.largest.undefined, "all groups have fewer than 10 images");
    EXPECT_FALSE(none.observed);
}

TEST(GapGroups, AreRowsOfCsv) {
    const Report report = report_of(gap_by(on_v1, on_v2));
    const std::string csv = render(report, ReportFormat::csv);
    const std::string header = csv.substr(0, csv.find('\n'));
    EXPECT_TRUE(header.ends_with(",subgroup")) << header;
    EXPECT_THAT(csv, HasSubstr("\na,0.8,"));  // the first row of a group
    EXPECT_THAT(csv, HasSubstr(",group=day\n"));
    EXPECT_THAT(csv, HasSubstr(",largest gap\nb,"));
    // There are two models, each with three groups and the largest gap.
    EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 2 + 2 * 4);
    const auto has = [&](const char* name) {
        return std::ranges::any_of(report.values,
                                   [&](const NamedValue& v) { return v.name.back() == name; });
    };
    EXPECT_TRUE(has("top1_gap[largest gap]"));
    EXPECT_TRUE(has("top1_v1[group=rare]"));
    // The same table is an input of --table, which uses all images.
    const GapTable table = parse_gap_table(csv, "gap.csv", TableUnit::automatic);
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[1].model, "b");
}

TEST(GapGroups, AreInTheReport) {
    const GapReport report = gap_by(on_v1, on_v2);
    const nlohmann::json json = to_json(report);
    EXPECT_EQ(json.at("groups").at(1).at("model"), "b");
    EXPECT_EQ(json.at("groups").at(0).at("groups").at(0).at("accuracy").at("first").at("value"),
              0.8);
    EXPECT_EQ(json.at("groups").at(0).at("observed_group"), "group=day");
    EXPECT_EQ(json.at("groups").at(0).at("largest").at("n"), 280);
    const std::string text = render(report_of(report), ReportFormat::text);
    EXPECT_THAT(text, HasSubstr("top1 by group"));
    EXPECT_THAT(text, HasSubstr("a           largest gap"));
    EXPECT_THAT(text, HasSubstr("groups only in v1: group=rain"));
    EXPECT_THAT(text, HasSubstr("groups only in v2: group=fog"));
}

TEST(GapGroups, CountImagesWithoutAValue) {
    const GapReport report = gap_by({{"day", 100, 80}, {"", 3, 1}}, {{"day", 90, 60}});
    const GapByGroup& of_model = report.groups.at(0);
    EXPECT_THAT(of_model.without, ElementsAre(3U, 0U));
    ASSERT_EQ(of_model.without_value[0].size(), 1U);
    EXPECT_EQ(of_model.without_value[0][0].attribute, "group");
    EXPECT_EQ(of_model.without_value[0][0].images, 3U);
    EXPECT_TRUE(of_model.without_value[1].empty());
    const nlohmann::json json = to_json(report).at("groups").at(0);
    EXPECT_EQ(json.at("without").at("first"), 3);
    EXPECT_EQ(json.at("without_value").at("first").at(0).at("images"), 3);
    EXPECT_EQ(json.at("without_value").at("second").size(), 0U);
    const std::string text = render(report_of(report), ReportFormat::text);
    EXPECT_THAT(text, HasSubstr("v1: images without a value of group: 3; in no group: 3\n"));
    EXPECT_EQ(text.find("v2: images without"), std::string::npos);
}

TEST(GapGroups, NamesOfManyGroupsAreCut) {
    std::vector<std::string> names;
    for (char c = 'a'; c < 'a' + 20; ++c) names.emplace_back(1, c);
    std::vector<ImagesOfGroup> many = {{"day", 20, 9}};
    for (const std::string& name : names) many.push_back({name.c_str(), 1, 1});
    const GapReport report = gap_by(many, {{"day", 20, 9}});
    EXPECT_EQ(report.groups.at(0).only_here[0].size(), 20U);
    EXPECT_THAT(render(report_of(report), ReportFormat::text), HasSubstr("group=l and 8 more\n"));
}

// Such intervals are not symmetric, so a ± would be correct for neither end.
TEST(GapParts, SentencesHaveBothEndsOfIntervals) {
    const auto proportion = [](double low, double value, double high) {
        Estimate e;
        e.value = value;
        e.unit = Unit::proportion;
        e.interval = Interval{low, high, 0.95, "jackknife"};
        return e;
    };
    GapReport report;
    GapDecomposition& parts = report.average.decomposition;
    parts.explained = proportion(0.3, 0.45, 0.65);
    parts.unmatched = proportion(-0.001, 0.002, 0.004);
    EXPECT_THAT(gap_tables::decomposition(report).notes,
                ElementsAre("+0.20 (-0.10 – 0.40) points of the composition come from numbers of "
                            "labels that only one of them has",
                            "explained by labels per image: 45.0 (30.0 – 65.0) % of the gap"));
    parts.explained.interval.reset();
    EXPECT_EQ(gap_tables::decomposition(report).notes[1],
              "explained by labels per image: 45.00 % of the gap");
}

TEST(GapGroups, BadInput) {
    const auto message = [](auto&& make) { return message_of(make, ErrorCode::usage); };
    EXPECT_THAT(message([] { gap_by(on_v1, on_v2, "grup"); }), HasSubstr("did you mean `group`?"));
    EXPECT_THAT(message([] {
                    gap_by({{"day", 20, 9}}, {{"fog", 20, 1}});
                }),
                HasSubstr("have no group in common; v1 has group=day; v2 has group=fog"));
    GapRequest table;
    table.table = "published.csv";
    table.by = {"group"};
    EXPECT_THAT(message([&] { check(table); }), HasSubstr("--table has only published values"));
    GapRequest stores;
    stores.sets = {"a", "b"};
    stores.by = {",sex"};
    EXPECT_THAT(message([&] { check(stores); }), HasSubstr("a name is missing"));
}

}  // namespace
}  // namespace assay
