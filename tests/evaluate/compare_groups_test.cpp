// Differences of two models by groups. Expected are Newcombe's interval and Sidak's level from
// their formulas in NumPy, and the p-values of scipy.stats.binomtest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/gate.h"
#include "assay/report.h"
#include "core/random.h"
#include "core/statistics.h"
#include "evaluate/compare_groups.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Counts of images of a group: both correct, only the baseline, only the candidate, neither.
struct Cell4 {
    const char* group;
    int both, baseline, candidate, neither;
    std::string cluster = "1";
};

Made one_side(const std::vector<Cell4>& cells, bool candidate) {
    Made made;
    made.classes = 2;
    const auto add = [&](const Cell4& one, int images, bool correct) {
        for (int i = 0; i < images; ++i) {
            made.labels.push_back({0});
            made.group.emplace_back(one.group);
            made.severity.push_back(one.cluster);
            made.scores.push_back(correct ? 2 : 0);
            made.scores.push_back(1);
        }
    };
    for (const Cell4& one : cells) {
        add(one, one.both, true);
        add(one, one.baseline, !candidate);
        add(one, one.candidate, candidate);
        add(one, one.neither, false);
    }
    return made;
}

PairReport compared_by(const std::vector<Cell4>& cells, std::vector<std::string> by = {"group"},
                       const char* cluster = "") {
    const Scratch folder;
    CompareOptions options;
    options.score.cluster = cluster;
    options.score.metrics = {parse_metric("top1")};
    options.score.by = std::move(by);
    return compared(save(folder, one_side(cells, false), "old"),
                    save(folder, one_side(cells, true), "new"), options);
}

const std::vector<Cell4> three = {{"day", 60, 10, 12, 18},
                                  {"night", 30, 15, 3, 12},
                                  {"rain", 40, 4, 6, 10},
                                  {"rare", 2, 3, 0, 4}};

TEST(CompareGroups, HaveNewcombesIntervalAtSidaksLevel) {
    const PairReport report = compared_by(three);
    ASSERT_EQ(report.groups.size(), 1U);
    const ComparedByGroup& result = report.groups[0];
    ASSERT_EQ(result.groups.size(), 4U);
    const PairedMetric& night = result.groups[1];
    EXPECT_EQ(night.candidate.key.subgroup, "group=night");
    EXPECT_EQ(night.baseline.value, 0.75);
    EXPECT_EQ(night.candidate.value, 0.55);
    EXPECT_NEAR(*night.difference.value, -0.2, 1e-12);
    ASSERT_TRUE(night.difference.interval);
    EXPECT_NEAR(night.difference.interval->low, -0.3497873708734519, 1e-9);
    EXPECT_NEAR(night.difference.interval->high, -0.03486626235922971, 1e-9);
    EXPECT_EQ(night.difference.interval->level, 0.95);
    EXPECT_EQ(night.difference.interval->method, "newcombe.paired.sidak");
    EXPECT_NEAR(*night.p, 0.007537841796875, 1e-12);
    EXPECT_NEAR(*night.p_holm, 3 * 0.007537841796875, 1e-12);
    EXPECT_EQ(night.verdict, Verdict::worse);
    EXPECT_EQ(result.groups[0].verdict, Verdict::no_difference);
    // Nine images are too few for an interval, although three of them are worse.
    EXPECT_FALSE(result.groups[3].difference.interval);
    EXPECT_FALSE(result.groups[3].p);
    EXPECT_NEAR(*result.groups[3].difference.value, -1.0 / 3, 1e-12);
    EXPECT_EQ(result.candidates, 3U);
    EXPECT_EQ(result.too_small, 1U);
}

TEST(CompareGroups, TheLowestDifferenceHasItsInterval) {
    const ComparedByGroup result = compared_by(three).groups.at(0);
    EXPECT_EQ(result.observed_group, "group=night");
    EXPECT_NEAR(*result.observed, -0.2, 1e-12);
    EXPECT_NEAR(result.worst.interval->low, paired_difference(30, 3, 15, 60, 0.95).interval.low,
                1e-12);
    EXPECT_NEAR(result.worst.interval->high,
                paired_difference(30, 3, 15, 60, 1 - 0.05 / 3).interval.high, 1e-12);
    EXPECT_GE(*result.worst.value, *result.observed);
    EXPECT_LE(*result.worst.value, -8.0 / 220);  // all images of the three groups
    EXPECT_EQ(result.worst.n, 220U);
    EXPECT_THAT(result.worst.note, HasSubstr("lowest observed: -20 points in group=night"));
}

TEST(CompareGroups, ImagesOfOverlappingGroupsCountOnce) {
    const ComparedByGroup result = compared_by(three, {"group", "severity"}).groups.at(0);
    EXPECT_EQ(result.candidates, 4U);
    EXPECT_EQ(result.worst.n, 229U);  // the nine images of the small group also have a severity
}

// Equal models: the lowest difference is low because of its selection, which its value hides.
TEST(CompareGroups, TheLowestIsNotAboveAllImages) {
    std::vector<Cell4> cells;
    const char* const names[] = {"a", "b", "c", "d"};
    for (int g = 0; g < 4; ++g) cells.push_back({names[g], 60, 10 + g, 13 - g, 17});
    const ComparedByGroup result = compared_by(cells).groups.at(0);
    EXPECT_NEAR(*result.observed, -0.03, 1e-12);
    EXPECT_NEAR(*result.worst.value, 0, 1e-12);
}

TEST(CompareGroups, OneGroupHasNoChoice) {
    const ComparedByGroup result = compared_by({{"day", 60, 10, 12, 18}}).groups.at(0);
    const Interval alone = paired_difference(60, 12, 10, 100, 0.95).interval;
    EXPECT_EQ(result.worst.value, 0.02);
    EXPECT_NEAR(result.worst.interval->high, alone.high, 1e-12);
    EXPECT_NEAR(result.groups[0].difference.interval->low, alone.low, 1e-12);
    EXPECT_EQ(result.groups[0].p, result.groups[0].p_holm);
}

TEST(CompareGroups, TooSmallGroupsLeaveItUndefined) {
    const ComparedByGroup result = compared_by({{"a", 3, 1, 1, 4}, {"b", 0, 0, 9, 0}}).groups.at(0);
    EXPECT_FALSE(result.worst.value);
    EXPECT_EQ(result.worst.undefined, "all groups have fewer than 10 images");
}

// With twenty equal groups of 30 images, all intervals hold jointly, also that of the lowest.
// Intervals at the nominal level would not.
TEST(CompareGroups, IntervalsHoldTogether) {
    constexpr int runs = 40, groups = 20;
    int together = 0, lowest = 0, alone = 0;
    const auto holds = [](const Estimate& e) {
        return e.interval && e.interval->low <= 0 && 0 <= e.interval->high;
    };
    RandomStream random(3, "compared groups", 0);
    for (int r = 0; r < runs; ++r) {
        std::vector<evaluate::PairedGroup> drawn(groups);
        bool each = true;
        for (evaluate::PairedGroup& one : drawn) {
            for (int i = 0; i < 30; ++i) {
                const bool a = random.below(10) < 7, b = random.below(10) < 7;
                one.both += a && b ? 1 : 0;
                one.baseline += a && !b ? 1 : 0;
                one.candidate += !a && b ? 1 : 0;
                ++one.images;
            }
            const Interval own =
                paired_difference(one.both, one.candidate, one.baseline, 30, 0.95).interval;
            each = each && own.low <= 0 && 0 <= own.high;
        }
        const ComparedByGroup result = evaluate::compared_counts(drawn, {});
        bool all = true;
        for (const PairedMetric& group : result.groups) all = all && holds(group.difference);
        together += all ? 1 : 0;
        alone += each ? 1 : 0;
        lowest += holds(result.worst) ? 1 : 0;
        ASSERT_TRUE(result.worst.interval);
        EXPECT_LE(*result.observed, 0) << r;
        EXPECT_LE(*result.observed, *result.worst.value) << r;
    }
    EXPECT_GE(together, 36);
    EXPECT_GE(lowest, 36);
    EXPECT_LE(alone, 25);
}

TEST(CompareGroups, CountsAreEnough) {
    const ComparedByGroup result = evaluate::compared_counts(
        {{"a", 60, 10, 12, 100}, {"b", 30, 15, 3, 60}, {"c", 0, 0, 0, 0}, {"d", 2, 3, 0, 9}}, {});
    EXPECT_EQ(result.candidates, 2U);
    EXPECT_EQ(result.too_small, 2U);
    EXPECT_EQ(result.observed_group, "b");
    EXPECT_NEAR(*result.observed, -0.2, 1e-12);
    ASSERT_EQ(result.groups.size(), 4U);
    // Two groups have intervals, so the level is level^(1/2).
    const Interval wider = paired_difference(30, 3, 15, 60, std::sqrt(0.95)).interval;
    EXPECT_EQ(result.groups[1].difference.interval->low, wider.low);
    EXPECT_EQ(result.groups[1].difference.interval->high, wider.high);
    EXPECT_EQ(result.groups[2].difference.undefined, "no item of this group counts");
    EXPECT_EQ(result.groups[3].difference.note, "no interval: fewer than 10 images");
    EXPECT_EQ(result.worst.interval->high,
              paired_difference(30, 3, 15, 60, 1 - 0.05 / 2).interval.high);
    EXPECT_EQ(evaluate::compared_counts({}, {}).worst.undefined,
              "all groups have fewer than 10 images");
}

/// Groups with images in clusters.
std::vector<Cell4> in_clusters() {
    std::vector<Cell4> cells;
    const auto add = [&](const char* group, int both, int baseline, int candidate, int neither) {
        cells.push_back(
            {group, both, baseline, candidate, neither, fmt::format("p{}", cells.size())});
    };
    add("day", 8, 1, 2, 1), add("day", 5, 0, 4, 1), add("day", 10, 3, 0, 2), add("day", 6, 1, 1, 0);
    add("day", 7, 0, 3, 2), add("day", 9, 2, 1, 1), add("day", 4, 0, 1, 5), add("day", 8, 1, 2, 1);
    add("night", 5, 3, 0, 2), add("night", 4, 0, 2, 4), add("night", 6, 4, 0, 0);
    add("night", 3, 2, 0, 1), add("night", 5, 1, 1, 3), add("night", 7, 3, 0, 2);
    for (int i = 0; i < 20; ++i) {
        if (i < 10) add("rain", 1, 2, 0, 0);
        if (i >= 10 && i < 14) add("rain", 0, 0, 3, 0);
        if (i >= 14) add("rain", 2, 0, 0, 1);
    }
    for (int i = 0; i < 4; ++i) add("rare", 4, 1, 0, 0);
    return cells;
}

// The expected values are from bench/compare_cluster_coverage.py on the same counts.
TEST(CompareGroups, ClustersOfImagesCount) {
    const PairReport report = compared_by(in_clusters(), {"group"}, "severity");
    const ComparedByGroup& result = report.groups.at(0);
    ASSERT_EQ(result.groups.size(), 4U);
    const PairedMetric &day = result.groups[0], &night = result.groups[1], &rain = result.groups[2],
                       &rare = result.groups[3];
    EXPECT_NEAR(day.difference.interval->low, -0.3359865495480379, 1e-9);
    EXPECT_NEAR(day.difference.interval->high, 0.4664213321567336, 1e-9);
    EXPECT_EQ(day.difference.interval->method, "jackknife.clusters.paired.sidak");
    EXPECT_EQ(day.baseline.interval->method, "wilson.clusters");
    EXPECT_NEAR(*day.difference.standard_error, 0.12878071833648394, 1e-12);
    EXPECT_NEAR(*day.p, 0.6281174988146104, 1e-9);
    EXPECT_EQ(day.test, "jackknife.t.clusters");
    EXPECT_EQ(day.clusters, 8U);
    EXPECT_NEAR(night.difference.interval->low, -0.778992444554353, 1e-9);
    EXPECT_NEAR(*rain.difference.standard_error, 0.14589910797397745, 1e-12);
    EXPECT_NEAR(rain.difference.interval->low, -0.5151743478725488, 1e-9);
    EXPECT_NEAR(rain.difference.interval->high, 0.24850768120588215, 1e-9);
    EXPECT_NEAR(*rain.p, 0.3722353035345492, 1e-9);
    EXPECT_EQ(rare.clusters, 4U);
    EXPECT_FALSE(rare.difference.interval);
    EXPECT_FALSE(rare.p);
    EXPECT_EQ(rare.difference.note, "no interval: fewer than 10 images or 5 clusters");
    EXPECT_EQ(result.candidates, 3U);
    EXPECT_EQ(result.observed_group, "group=night");
    EXPECT_NEAR(result.worst.interval->low, -0.6156175578683302, 1e-9);
    EXPECT_NEAR(result.worst.interval->high, 0.2496672777430848, 1e-9);
    EXPECT_EQ(result.worst.interval->method, "worst.jackknife.clusters.paired");
}

TEST(CompareGroups, FewClustersAreSaid) {
    CompareResult result;
    result.pairs.push_back(compared_by(in_clusters(), {"group"}, "severity"));
    const nlohmann::json groups = to_json(result).at("pairs").at(0).at("groups").at(0).at("groups");
    EXPECT_EQ(groups.at(1).at("clusters"), 6);
    EXPECT_THAT(
        render(report_of(result), ReportFormat::text),
        AllOf(HasSubstr("clusters"), HasSubstr("the fewest with an interval: 6\n"),
              HasSubstr("groups without an interval have fewer than 10 images or 5 clusters"),
              HasSubstr("Student's t test of the differences between clusters")));
    const ComparedByGroup few =
        compared_by({three.begin(), three.end()}, {"group"}, "severity").groups.at(0);
    EXPECT_EQ(few.worst.undefined, "all groups have fewer than 10 images or 5 clusters");
}

// Clusters of one image add nothing, so the interval and p are at least those of independent
// images.
TEST(CompareGroups, ClustersNeverShortenAnInterval) {
    std::vector<Cell4> cells;
    for (int i = 0; i < 200; ++i)
        cells.push_back({i % 2 == 0 ? "day" : "night", i % 20 < 14, i % 20 == 14 || i % 20 == 17,
                         i % 20 == 15, i % 20 == 16 || i % 20 > 17, fmt::format("p{}", i)});
    const ComparedByGroup plain = compared_by(cells).groups.at(0),
                          single = compared_by(cells, {"group"}, "severity").groups.at(0);
    for (std::size_t g = 0; g < 2; ++g) {
        const Interval &a = *plain.groups[g].difference.interval,
                       &b = *single.groups[g].difference.interval;
        EXPECT_LE(b.low, a.low);
        EXPECT_GE(b.high, a.high);
        EXPECT_NEAR(b.high - b.low, a.high - a.low, 0.02);
        EXPECT_GE(*single.groups[g].p, *plain.groups[g].p);
    }
}

TEST(CompareGroups, CountImagesWithoutAValue) {
    const PairReport report =
        compared_by({{"day", 60, 10, 12, 18}, {"", 2, 1, 0, 1}, {"rain", 40, 4, 6, 10}});
    const ComparedByGroup& result = report.groups.at(0);
    ASSERT_EQ(result.without_value.size(), 1U);
    EXPECT_EQ(result.without_value[0].attribute, "group");
    EXPECT_EQ(result.without_value[0].images, 4U);
    EXPECT_EQ(result.without, 4U);
    CompareResult shown;
    shown.pairs.push_back(report);
    const nlohmann::json json = to_json(shown);
    EXPECT_EQ(json.at("pairs").at(0).at("groups").at(0).at("without_value").at(0).at("images"), 4);
    EXPECT_THAT(render(report_of(shown), ReportFormat::text),
                HasSubstr("images without a value of group: 4; in no group: 4"));
}

TEST(CompareGroups, GatesAreAboutAGroupOrTheLowest) {
    const PairReport report = compared_by(three);
    const auto value = [&](const char* gate) { return check_gate(parse_gate(gate), report).value; };
    EXPECT_EQ(value("top1[group=night].delta >= 0"), report.groups[0].groups[1].difference.value);
    EXPECT_EQ(value("top1[group=night] >= 0"), 0.55);
    EXPECT_EQ(value("worst(top1).delta >= 0"), report.groups[0].worst.value);
    EXPECT_EQ(value("low(worst(top1).delta) >= 0"), report.groups[0].worst.interval->low);
    EXPECT_EQ(value("top1.delta >= 0"), report.metrics[0].difference.value);
    const auto message = [](const PairReport& pair, const char* gate) {
        return message_of([&] { check_gate(parse_gate(gate), pair); }, ErrorCode::usage);
    };
    EXPECT_THAT(message(report, "top1[group=nigth].delta >= 0"),
                HasSubstr("did you mean `group=night`?"));
    EXPECT_THAT(message(report, "worst(top1) >= 0"), HasSubstr("`assay score RUNS --by"));
    EXPECT_THAT(message(PairReport(), "worst(top1).delta >= 0"),
                HasSubstr("`assay compare BASELINE CANDIDATE --by ATTRIBUTE` measures them"));
}

TEST(CompareGroups, ReportJsonAndCsvHaveThem) {
    CompareResult result;
    result.pairs.push_back(compared_by(three));
    const nlohmann::json json = to_json(result);
    const nlohmann::json& groups = json.at("pairs").at(0).at("groups").at(0);
    EXPECT_EQ(groups.at("observed_group"), "group=night");
    EXPECT_EQ(groups.at("groups").at(1).at("candidate").at("subgroup"), "group=night");
    const Report report = report_of(result);
    const std::string csv = render(report, ReportFormat::csv);
    EXPECT_THAT(csv, HasSubstr(",worse,group=night\n"));
    EXPECT_EQ(to_json(CompareResult{{compared_by(three, {})}, {}, {}, {}})
                  .at("pairs")
                  .at(0)
                  .count("groups"),
              0U);
}

TEST(CompareGroups, TablesNameTheirModelsAndTheFamily) {
    CompareResult result;
    result.pairs.assign(3, compared_by(three));
    result.pairs[1].candidate_dataset = "blurred";
    result.pairs[2].candidate_derived.attack = "fgsm";
    EXPECT_THAT(render(report_of(result), ReportFormat::text),
                AllOf(HasSubstr("new on blurred against old on val: top1 by group"),
                      HasSubstr("over the groups of all candidates that are models\n"),
                      HasSubstr("over the groups\n")));
}

TEST(CompareGroups, BadInput) {
    EXPECT_THAT(message_of([] { compared_by(three, {"grup"}); }, ErrorCode::usage),
                HasSubstr("did you mean `group`?"));
    CompareRunsOptions options;
    options.by = {"sex,"};
    EXPECT_THAT(message_of([&] { check(options); }, ErrorCode::usage),
                HasSubstr("a name is missing"));
    options.by = {"sex"};
    EXPECT_THAT(message_of([] { compared_by(three, {"group"}, "patient"); }, ErrorCode::usage),
                HasSubstr("reading --cluster patient"));
    options.measure.gates = {"worst(top1).delta >= 0"};
    check(options);
    options.by.clear();
    EXPECT_THAT(message_of([&] { check(options); }, ErrorCode::usage),
                HasSubstr("--by ATTRIBUTE` measures them"));
}

}  // namespace
}  // namespace assay
