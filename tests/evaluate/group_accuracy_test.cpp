#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/gate.h"
#include "assay/evaluate/score.h"
#include "core/random.h"
#include "core/statistics.h"
#include "data/attributes.h"
#include "evaluate/cluster_interval.h"
#include "evaluate/group_hits.h"
#include "evaluate/groups_of_store.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using evaluate::GroupedHits;
using evaluate::hits_by_group;
using evaluate::lowest_of_groups;
using testing::HasSubstr;

/// One column of groups. Each group has a number of images and of hits.
GroupedHits grouped(const std::vector<std::pair<int, int>>& images_and_hits) {
    GroupedHits out;
    GroupedHits::Column column;
    for (const auto& [images, hits] : images_and_hits) {
        for (int i = 0; i < images; ++i) {
            column.of.push_back(static_cast<std::int32_t>(column.groups));
            out.hit.push_back(i < hits ? 1 : 0);
        }
        ++column.groups;
    }
    out.groups = column.groups;
    out.columns.push_back(std::move(column));
    return out;
}

// Expected values are from scipy's beta distribution, and from NumPy's draws by the definition.
TEST(GroupHits, TheLowestHasTheIntervalOfItsDefinition) {
    const auto found =
        lowest_of_groups(grouped({{50, 45}, {40, 30}, {20, 12}, {100, 80}, {9, 0}}), 0.95, 1);
    ASSERT_TRUE(found.lowest);
    EXPECT_EQ(*found.lowest, 2U);
    EXPECT_NEAR(found.interval.low, 0.3865815007622531, 1e-9);
    EXPECT_NEAR(found.interval.high, 0.8486856854659144, 1e-9);
    EXPECT_NEAR(found.value, 0.6094005774987479, 1e-9);
    EXPECT_FALSE(found.groups[4].interval);  // nine images are too few, although none is correct
    EXPECT_FALSE(found.groups[4].difference);
    EXPECT_NEAR(found.groups[3].interval->low, wilson(80, 100).low, 1e-12);
}

TEST(GroupHits, OneGroupHasNoChoiceAndNoDifference) {
    const auto found = lowest_of_groups(grouped({{20, 12}}), 0.95, 1);
    EXPECT_EQ(found.value, 0.6);
    EXPECT_NEAR(found.interval.high, 0.8088099392746928, 1e-9);
    EXPECT_FALSE(found.groups[0].difference);
    EXPECT_FALSE(lowest_of_groups(grouped({{9, 3}, {1, 1}}), 0.95, 1).lowest);
}

TEST(GroupHits, TheLowestIsNotAboveAllImages) {
    const auto found = lowest_of_groups(grouped({{200, 198}, {200, 198}}), 0.95, 1);
    EXPECT_DOUBLE_EQ(found.value, 0.99);
}

TEST(GroupHits, AllCorrectStillHasAWidth) {
    const auto found = lowest_of_groups(grouped({{30, 30}, {30, 30}}), 0.95, 1);
    EXPECT_EQ(found.interval.high, 1);
    EXPECT_LT(found.interval.low, 0.9);
    EXPECT_LE(found.value, 1);
}

// 50 groups of 30 images have an accuracy of .95. The lowest group's own interval holds .95 in only
// about 6 of 100 samples.
TEST(GroupHits, HoldsTheLowestTruthWhereItsOwnIntervalDoesNot) {
    constexpr int runs = 60;
    int held = 0, own = 0;
    RandomStream random(7, "groups", 0);
    for (int r = 0; r < runs; ++r) {
        std::vector<std::pair<int, int>> counts;
        for (int g = 0; g < 50; ++g) {
            int hits = 0;
            for (int i = 0; i < 30; ++i) hits += random.below(100) < 95 ? 1 : 0;
            counts.emplace_back(30, hits);
        }
        const auto found = lowest_of_groups(grouped(counts), 0.95, 1);
        held += found.interval.low <= 0.95 && 0.95 <= found.interval.high ? 1 : 0;
        const Interval& of_lowest = *found.groups[*found.lowest].interval;
        own += of_lowest.low <= 0.95 && 0.95 <= of_lowest.high ? 1 : 0;
    }
    EXPECT_GE(held, 57);
    EXPECT_LE(own, 15);
}

// Groups that are far apart differ significantly, and equal groups do not.
TEST(GroupHits, DifferencesHoldTogether) {
    const auto apart = lowest_of_groups(grouped({{200, 100}, {200, 180}, {200, 180}}), 0.95, 1);
    EXPECT_NEAR(*apart.groups[0].difference, -0.4, 1e-12);
    EXPECT_LT(apart.groups[0].difference_interval->high, -0.25);
    EXPECT_GT(apart.groups[1].difference_interval->low, 0);
    const auto equal = lowest_of_groups(grouped({{200, 180}, {200, 180}, {200, 180}}), 0.95, 1);
    EXPECT_EQ(equal.groups[0].difference, 0);
    EXPECT_LT(equal.groups[0].difference_interval->low, 0);
    EXPECT_GT(equal.groups[0].difference_interval->high, 0);
    // The interval is wider than that of one difference chosen in advance. Clopper and
    // Pearson's ends at .95 are scipy.stats.beta.ppf(.025, 180, 21) and (.975, 361, 40).
    const double alone = std::hypot(0.9 - 0.8497872121322442, 0.9275937058059582 - 0.9);
    EXPECT_GT(-equal.groups[0].difference_interval->low, 1.02 * alone);
}

// Four copies of each image give no more information than one.
TEST(GroupHits, CopiesInAClusterCountOnce) {
    GroupedHits copies;
    GroupedHits::Column column;
    column.groups = 2;
    for (int c = 0; c < 200; ++c) {
        for (int i = 0; i < 4; ++i) {
            column.of.push_back(c % 2);
            copies.hit.push_back(c % 5 != 0 ? 1 : 0);
            copies.cluster.push_back(static_cast<std::uint32_t>(c));
        }
    }
    copies.columns.push_back(column);
    copies.groups = 2;
    copies.clusters = 200;
    const auto found = lowest_of_groups(copies, 0.95, 1);
    EXPECT_EQ(found.groups[0].clusters, 100U);
    EXPECT_NEAR(found.groups[0].size, 100, 4);
    const double once = wilson(80, 100).high - wilson(80, 100).low;
    EXPECT_NEAR(found.groups[0].interval->high - found.groups[0].interval->low, once, 0.02 * once);
    copies.cluster.clear();
    EXPECT_EQ(lowest_of_groups(copies, 0.95, 1).groups[0].size, 400);
}

// The other 50 images belong to one patient, so the variation between patients is unknown.
TEST(GroupHits, OthersOfFewClustersHaveNoDifference) {
    GroupedHits images = grouped({{100, 90}, {50, 40}});
    for (std::uint32_t i = 0; i < 150; ++i) images.cluster.push_back(i < 100 ? i / 5 : 20);
    images.clusters = 21;
    const auto few = lowest_of_groups(images, 0.95, 1);
    EXPECT_TRUE(few.groups[0].candidate);
    EXPECT_EQ(few.groups[0].others_clusters, 1U);
    EXPECT_EQ(few.groups[1].others_clusters, 20U);
    EXPECT_FALSE(few.groups[0].difference);
    for (std::uint32_t i = 100; i < 150; ++i) images.cluster[i] = 20 + i % 5;
    images.clusters = 25;
    EXPECT_TRUE(lowest_of_groups(images, 0.95, 1).groups[0].difference);
}

TEST(GroupHits, CountsAndIntervalsNeedNoComparison) {
    GroupedHits images = grouped({{100, 90}, {50, 40}, {9, 9}, {0, 0}});
    for (const bool clusters : {false, true}) {
        for (std::uint32_t i = 0; clusters && i < 159; ++i) images.cluster.push_back(i / 5);
        images.clusters = clusters ? 32 : 0;
        const auto alone = hits_by_group(images, 0.9);
        const auto found = lowest_of_groups(images, 0.9, 1).groups;
        ASSERT_EQ(alone.size(), found.size());
        for (std::size_t g = 0; g < alone.size(); ++g) {
            EXPECT_EQ(alone[g].images, found[g].images);
            EXPECT_EQ(alone[g].hits, found[g].hits);
            EXPECT_EQ(alone[g].clusters, found[g].clusters);
            EXPECT_EQ(alone[g].size, found[g].size);
            EXPECT_EQ(alone[g].candidate, found[g].candidate);
            ASSERT_EQ(alone[g].interval.has_value(), g < 2);
            if (g < 2) {
                EXPECT_EQ(alone[g].interval->low, found[g].interval->low);
            }
            EXPECT_FALSE(alone[g].difference);
        }
    }
}

TEST(GroupHits, OverlappingColumnsAreJudgedTogether) {
    GroupedHits images = grouped({{100, 90}, {100, 60}});
    GroupedHits::Column other;
    other.first = 2;
    other.groups = 2;
    for (int i = 0; i < 200; ++i) other.of.push_back(2 + i % 2);
    images.columns.push_back(other);
    images.groups = 4;
    const auto found = lowest_of_groups(images, 0.95, 1);
    EXPECT_EQ(*found.lowest, 1U);
    EXPECT_EQ(found.groups[2].images, 100U);
    EXPECT_NEAR(found.interval.low, wilson(60, 100).low, 1e-12);
    // The upper end is between the bounds for one group and for four independent groups.
    EXPECT_GE(found.interval.high, clopper_pearson(60, 100, 0.95).high - 1e-9);
    EXPECT_LE(found.interval.high, clopper_pearson(60, 100, 1 - 0.05 / 4).high + 1e-9);
}

TEST(GroupHits, ManyClusters) {
    GroupedHits images;
    GroupedHits::Column column;
    column.groups = 50;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        column.of.push_back(static_cast<std::int32_t>(i % 50));
        images.hit.push_back(i % 4 == 0 ? 0 : 1);
        images.cluster.push_back(i);
    }
    images.columns.push_back(column);
    images.groups = 50;
    images.clusters = 100'000;
    const auto found = lowest_of_groups(images, 0.95, 1);
    EXPECT_EQ(found.groups[0].clusters, 2000U);
    EXPECT_GT(found.groups[0].size, 1900);
    EXPECT_LE(found.groups[0].size, 2000);
}

TEST(AttributeGroups, AreCombinationsOfValues) {
    Made made = made_up(6, 3, 1);
    made.group = {"b", "a", "b", "", "a", "b"};
    made.severity = {"1", "1", "2", "1", "2", "1"};
    const Dataset dataset = dataset_of(made);
    const std::vector<std::string> both = {"group", "severity"};
    const AttributeGroups groups = groups_by(dataset, both, 10);
    EXPECT_THAT(groups.names, testing::ElementsAre("group=a,severity=1", "group=a,severity=2",
                                                   "group=b,severity=1", "group=b,severity=2"));
    EXPECT_THAT(groups.of, testing::ElementsAre(2, 0, 3, -1, 1, 2));
    EXPECT_EQ(groups.without, 1U);
    const std::vector<std::string> twice = {"group", "group"};
    EXPECT_THAT(message_of([&] { groups_by(dataset, twice, 10); }, ErrorCode::usage),
                HasSubstr("names the attribute `group` twice"));
    EXPECT_THAT(message_of([&] { groups_by(dataset, both, 2); }, ErrorCode::usage),
                HasSubstr("more than 2 different values"));
}

Made in_groups(std::size_t rows) {
    Made made = made_up(rows, 3, 9);
    for (std::size_t i = 0; i < rows; ++i) {
        made.group.push_back(i < 5 ? "rare" : i % 3 == 0 ? "night" : "day");
        made.severity.push_back(fmt::format("{}", i / 10));
    }
    return made;
}

TEST(AccuracyByGroup, ScoresGroupsFromOnePass) {
    Scratch folder;
    const PredictionStore store = save(folder, in_groups(300), "net");
    ScoreOptions options;
    options.by = {"group"};
    const ScoreReport report = scored(store, options);
    ASSERT_EQ(report.groups.size(), 1U);
    const AccuracyByGroup& result = report.groups[0];
    ASSERT_EQ(result.groups.size(), 3U);
    options.by.clear();
    options.subgroup = "group";
    const auto list = scored(store, options).measurements;
    for (const GroupAccuracy& group : result.groups)
        EXPECT_EQ(group.accuracy.value, find(list, "top1", "", group.name).value) << group.name;
    EXPECT_EQ(result.candidates, 2U);
    EXPECT_EQ(result.too_small, 1U);
    EXPECT_FALSE(result.groups[2].accuracy.interval);
    EXPECT_THAT(result.worst.note, HasSubstr("1 more have fewer than 10 images"));
    EXPECT_GE(*result.worst.value, *result.observed);
    EXPECT_EQ(result.worst.key.metric, "worst(top1)");
    EXPECT_EQ(result.worst.key.definition, "top1.first_index.worst_group");
}

TEST(AccuracyByGroup, GatesAreAboutTheWorstGroupOrOne) {
    Scratch folder;
    const PredictionStore store = save(folder, in_groups(300), "net");
    ScoreOptions options;
    options.by = {"group"};
    const ScoreReport report = scored(store, options);
    const auto list = evaluate::with_groups(report.measurements, report.groups);
    const Estimate& worst = report.groups[0].worst;
    EXPECT_EQ(check_gate(parse_gate("worst(top1) >= 0"), list).value, worst.value);
    EXPECT_EQ(check_gate(parse_gate("low(worst(top1)) >= 0"), list).value, worst.interval->low);
    EXPECT_EQ(check_gate(parse_gate("top1[group=night] >= 0"), list).value,
              report.groups[0].groups[1].accuracy.value);
    EXPECT_EQ(check_gate(parse_gate("top1 >= 0"), list).value, find(list, "top1").value);
    const auto message = [&](const char* text) {
        return message_of([&] { check_gate(parse_gate(text), list); }, ErrorCode::usage);
    };
    EXPECT_THAT(message("top1[group=nigth] >= 0"), HasSubstr("did you mean `group=night`?"));
    EXPECT_THAT(message("top1[camera=rear] >= 0"),
                testing::EndsWith("`camera=rear`; known: group=day, group=night, group=rare"));
    EXPECT_THAT(message("worst(ece) >= 0"), HasSubstr("worst() is of top1 or real"));
    EXPECT_THAT(message("worst(top1 >= 0"), HasSubstr("`)` is missing"));
    EXPECT_THAT(message("top1[] >= 0"), HasSubstr("no group between"));
    EXPECT_THAT(message("ece[group=night] <= 1"), HasSubstr("--subgroup group` measures ece"));
    EXPECT_EQ(parse_gate("top1[age=<40] >= .7").group, "age=<40");
    EXPECT_EQ(parse_gate("top1[age=>=80] < .7").op, Gate::Op::below);
    EXPECT_THAT(message("worst(top1).delta >= 0"), HasSubstr("worst(top1)"));
    EXPECT_THAT(message_of([&] { check_gate(parse_gate("worst(top1) >= 0"), report.measurements); },
                           ErrorCode::usage),
                HasSubstr("`assay score RUNS --by ATTRIBUTE` measures them"));
}

TEST(AccuracyByGroup, AStoreWithoutRowsFailsItsGates) {
    Scratch folder;
    // The only shard is also the last.
    const PredictionStore store =
        save(folder, in_groups(50), "net", StorageFormat::full_f32, 100, true);
    ScoreOptions options;
    options.by = {"group"};
    const ScoreReport report = scored(store, options);
    const auto list = evaluate::with_groups(report.measurements, report.groups);
    for (const char* gate : {"worst(top1) >= 0", "top1[group=night] >= 0"}) {
        const GateResult result = check_gate(parse_gate(gate), list);
        EXPECT_FALSE(result.passed) << gate;
        EXPECT_EQ(result.reason, "no rows are stored yet") << gate;
    }
}

TEST(AccuracyByGroup, ImagesOfOverlappingGroupsCountOnce) {
    Scratch folder;
    const PredictionStore store = save(folder, in_groups(300), "net");
    ScoreOptions options;
    options.by = {"group", "severity"};
    const AccuracyByGroup result = scored(store, options).groups.at(0);
    EXPECT_EQ(result.candidates, 32U);  // the groups are day, night and 30 severities of ten images
    EXPECT_EQ(result.worst.n, 300U);
    EXPECT_EQ(result.without, 0U);
}

TEST(AccuracyByGroup, CountsImagesWithoutAValueByAttribute) {
    Scratch folder;
    Made made = in_groups(300);
    for (const std::size_t i : {20, 21, 22}) made.group[i].clear();
    for (const std::size_t i : {22, 23}) made.severity[i].clear();
    made.severity[24].clear();
    made.labels[24].clear();  // this image does not count
    const PredictionStore store = save(folder, made, "net");
    ScoreOptions options;
    options.by = {"group,severity", "group"};
    const AccuracyByGroup result = scored(store, options).groups.at(0);
    ASSERT_EQ(result.without_value.size(), 2U);
    EXPECT_EQ(result.without_value[0].attribute, "group");
    EXPECT_EQ(result.without_value[0].images, 3U);
    EXPECT_EQ(result.without_value[1].attribute, "severity");
    EXPECT_EQ(result.without_value[1].images, 2U);
    EXPECT_EQ(result.without, 3U);  // an image that only lacks a severity is in a group
    const nlohmann::json json = to_json(result);
    EXPECT_EQ(json.at("without_value").at(1).at("images"), 2);
}

TEST(AccuracyByGroup, BadInput) {
    Scratch folder;
    const PredictionStore store = save(folder, in_groups(300), "net");
    const auto message = [&](ScoreOptions options) {
        return message_of([&] { scored(store, options); }, ErrorCode::usage);
    };
    ScoreOptions options;
    options.by = {"grup"};
    EXPECT_THAT(message(options), HasSubstr("no attribute `grup`; did you mean `group`?"));
    options.by = {"group,severity", "severity,group"};
    EXPECT_THAT(message(options), HasSubstr("make the same groups"));
    options.by = {"group"};
    options.cluster = "sevrity";
    EXPECT_THAT(message(options), HasSubstr("did you mean `severity`?"));
    options.cluster.clear();
    options.metrics = {parse_metric("nll")};
    EXPECT_THAT(message(options), HasSubstr("add top1 to --metrics"));
}

// Every image occurs ten times, with the copies in one cluster. The intervals are those without
// copies.
TEST(Clusters, CopiesDoNotNarrowIntervals) {
    Made once = made_up(120, 3, 5), copies = once;
    copies.scores.clear();
    copies.labels.clear();
    for (std::size_t i = 0; i < 120; ++i) {
        for (int k = 0; k < 10; ++k) {
            copies.scores.insert(copies.scores.end(),
                                 once.scores.begin() + 3 * static_cast<long>(i),
                                 once.scores.begin() + 3 * static_cast<long>(i) + 3);
            copies.labels.push_back(once.labels[i]);
            copies.group.push_back(fmt::format("patient{}", i));
        }
    }
    Scratch folder;
    const auto width = [](const ScoreReport& report, const char* metric) {
        const Measurement& m = find(report.measurements, metric);
        return m.interval->high - m.interval->low;
    };
    ScoreOptions options;
    const ScoreReport alone = scored(save(folder, once, "once"), options);
    const PredictionStore store =
        save(folder, copies, "copies", StorageFormat::full_f32, 100, false, "more");
    const ScoreReport independent = scored(store, options);
    options.cluster = "group";
    const ScoreReport clusters = scored(store, options);
    for (const char* metric : {"top1", "nll", "balanced", "ece"}) {
        EXPECT_NEAR(*find(clusters.measurements, metric).value,
                    *find(independent.measurements, metric).value, 1e-12);
        EXPECT_LT(width(independent, metric), 0.6 * width(alone, metric)) << metric;
        EXPECT_GT(width(clusters, metric), 0.85 * width(alone, metric)) << metric;
        EXPECT_LT(width(clusters, metric), 1.35 * width(alone, metric)) << metric;
    }
    EXPECT_EQ(find(clusters.measurements, "top1").interval->method, "wilson.clusters");
    EXPECT_GT(clusters.per_class[0].accuracy.interval->high -
                  clusters.per_class[0].accuracy.interval->low,
              independent.per_class[0].accuracy.interval->high -
                  independent.per_class[0].accuracy.interval->low);
    ASSERT_FALSE(clusters.notes.empty());
    EXPECT_THAT(clusters.notes, testing::Contains(HasSubstr("120 clusters of images by `group`")));
}

// One image per cluster gives the intervals of independent images, and no narrower ones. A mean
// over classes depends on fewer images than all.
TEST(Clusters, SingleImagesDoNotNarrowIntervals) {
    Made made = made_up(200, 3, 5);
    for (std::size_t i = 0; i < 200; ++i) {
        made.group.push_back(fmt::format("patient{}", i));
        const std::size_t label = i < 190 ? 0 : i < 195 ? 1 : 2;  // all correct, two rare classes
        made.labels[i] = {static_cast<std::int32_t>(label)};
        for (std::size_t c = 0; c < 3; ++c) made.scores[3 * i + c] = c == label ? 4.0F : 0.0F;
    }
    Scratch folder;
    const PredictionStore store = save(folder, made, "net");
    ScoreOptions options;
    const std::vector<std::string> metrics = {"top1", "balanced", "precision", "recall", "f1"};
    for (const std::string& metric : metrics) options.metrics.push_back(parse_metric(metric));
    const ScoreReport plain = scored(store, options);
    options.cluster = "group";
    const ScoreReport clusters = scored(store, options);
    for (const std::string& metric : metrics) {
        const Interval &one = *find(plain.measurements, metric).interval,
                       &two = *find(clusters.measurements, metric).interval;
        EXPECT_LE(two.low, one.low) << metric;
        EXPECT_GE(two.high, one.high) << metric;
        EXPECT_NEAR(two.low, one.low, 0.02) << metric;
    }
}

// The area under the risk-coverage curve has no interval with three errors, because it would miss
// the truth.
TEST(Clusters, WhatHasNoIntervalHasNoneForClusters) {
    Made made = made_up(200, 3, 5);
    for (std::size_t i = 0; i < 200; ++i) {
        made.group.push_back(fmt::format("patient{}", i / 2));
        const std::size_t label = i % 3, top = i % 80 == 7 ? (label + 1) % 3 : label;
        made.labels[i] = {static_cast<std::int32_t>(label)};
        for (std::size_t c = 0; c < 3; ++c)
            made.scores[3 * i + c] = c == top ? 2.0F + 0.01F * static_cast<float>(i) : 0.0F;
    }
    Scratch folder;
    ScoreOptions options;
    options.metrics = {parse_metric("aurc")};
    options.cluster = "group";
    const ScoreReport report = scored(save(folder, made, "net"), options);
    const Measurement& aurc = report.measurements.at(0);
    EXPECT_TRUE(aurc.value);
    EXPECT_FALSE(aurc.interval);
    EXPECT_THAT(aurc.note, HasSubstr("3 incorrect"));
}

// A few large clusters cause most of the dependence within their own class, and little within all
// images.
TEST(Clusters, ClassesCountTheirOwnClusters) {
    std::vector<evaluate::AlikeItems::Item> items;
    for (std::uint32_t i = 0; i < 9500; ++i) items.emplace_back(0U, i);
    for (std::uint32_t i = 0; i < 500; ++i) items.emplace_back(1U, 9500 + i / 50);
    const evaluate::AlikeItems alike(items);
    EXPECT_EQ(alike.of_class(0), 1);
    EXPECT_EQ(alike.of_class(1), 50);
    EXPECT_DOUBLE_EQ(alike.all(), 3.45);
}

TEST(Clusters, ComparisonsCountClusters) {
    Made a = made_up(400, 3, 5), b = made_up(400, 3, 6);
    b.labels = a.labels;
    for (std::size_t i = 0; i < 400; ++i) {
        a.group.push_back(fmt::format("{}", i / 8));
        b.group = a.group;
    }
    Scratch folder;
    const PredictionStore one = save(folder, a, "one"), two = save(folder, b, "two");
    const PredictionStore* const candidate = &two;
    CompareOptions options;
    options.score.metrics = {parse_metric("top1"), parse_metric("nll")};
    options.score.cluster = "group";
    const auto pairs = compare_stores(one, {&candidate, 1}, options, *self_comm());
    ASSERT_EQ(pairs.size(), 1U);
    for (const PairedMetric& m : pairs[0].metrics) {
        EXPECT_EQ(m.test, "jackknife.t.clusters");
        ASSERT_TRUE(m.difference.interval);
        EXPECT_LE(m.difference.interval->low, *m.difference.value);
        EXPECT_GT(*m.p, 0);
    }
    EXPECT_EQ(pairs[0].error_consistency.interval->method, "jackknife.clusters");
    EXPECT_THAT(pairs[0].notes, testing::Contains(HasSubstr("50 clusters")));
}

}  // namespace
}  // namespace assay
