#include "evaluate/gap/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/random.h"
#include "core/statistics.h"
#include "gap_images.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const GapScheme scheme(LabelStrata(5, {1, 2, 3}), 10, "recall");

// Images of increasing difficulty. A model is correct if its skill exceeds the difficulty of the
// image plus a random number.
std::vector<MadeImage> predictions(const std::string& set, const std::string& model, std::size_t n,
                                   double skill) {
    RandomStream shared(1, "images " + set);
    RandomStream luck(1, "luck " + set + model);
    std::vector<MadeImage> list;
    for (std::size_t i = 0; i < n; ++i) {
        MadeImage p;
        p.labels = static_cast<std::uint32_t>(shared.below(4));
        const double difficulty = shared.normal() + 0.3 * p.labels;
        const auto correct = [&] { return skill + 0.5 * luck.normal() > difficulty; };
        p.top1 = correct();
        p.real = p.labels > 0 && (p.top1 || correct());
        for (std::uint32_t k = 0; k < p.labels; ++k) p.hits += correct() ? 1 : 0;
        list.push_back(p);
    }
    return list;
}

GapInput made(const std::vector<std::pair<std::string, double>>& models, std::size_t n1 = 900,
              std::size_t n2 = 700) {
    GapInput input;
    input.sets[0].name = "V1";
    input.sets[1].name = "V2";
    for (const auto& [name, skill] : models) {
        input.models.push_back({name,
                                {state_of(scheme, predictions("V1", name, n1, skill)),
                                 state_of(scheme, predictions("V2", name, n2, skill - 0.4))},
                                {},
                                {}});
    }
    return input;
}

const std::vector<std::pair<std::string, double>> five{
    {"fair", 0.5}, {"best", 1.4}, {"poor", -0.6}, {"good", 0.9}, {"also", 0.9}};

TEST(GapReport, ModelsByTop1AndMeansOverThem) {
    GapInput input = made(five);
    const GapReport report = assemble_gap(input, scheme, {});
    ASSERT_EQ(report.models.size(), 5U);
    EXPECT_EQ(report.models.front().name, "best");
    EXPECT_EQ(report.models.back().name, "poor");
    for (std::size_t m = 0; m < 3; ++m) {
        double first = 0, gap = 0, absolute = 0;
        for (const GapModel& model : report.models) {
            first += *model.metrics[m].first.value / 5;
            gap += *model.metrics[m].gap.value / 5;
            absolute += std::abs(*model.metrics[m].gap.value) / 5;
            EXPECT_TRUE(model.metrics[m].gap.interval);
        }
        EXPECT_NEAR(*report.average.metrics[m].first.value, first, 1e-12);
        EXPECT_NEAR(*report.average.metrics[m].gap.value, gap, 1e-12);
        EXPECT_NEAR(*report.average.metrics[m].absolute_raw, absolute, 1e-12);
        // The bias from errors is removed, and the interval is not narrower than that of the mean
        // gap.
        const Estimate& shown = report.average.metrics[m].absolute;
        EXPECT_LE(*shown.value, absolute + 1e-12);
        ASSERT_TRUE(shown.interval);
        EXPECT_EQ(shown.interval->method, "inversion");
        EXPECT_GE(shown.interval->high, report.average.metrics[m].gap.interval->high);
        EXPECT_EQ(report.lines[m].mean_gap.interval, report.average.metrics[m].gap.interval);
        EXPECT_TRUE(report.average.between[m]->gap.interval);
        EXPECT_TRUE(report.average.best[m][1]->value.interval);
        EXPECT_EQ(report.average.metrics[m].gap.interval->method,
                  m == 2 ? "mover.unpaired.shared" : "newcombe.unpaired.shared");
        EXPECT_EQ(report.average.between[m]->models, 5U);
    }
    const GapDecomposition& d = report.average.decomposition;
    EXPECT_NEAR(*d.composition.value + *d.within.value, *report.average.metrics[0].gap.value,
                1e-12);
    EXPECT_NEAR(*d.explained.value, *d.composition.value / *report.average.metrics[0].gap.value,
                1e-12);
    EXPECT_EQ(report.models[0].metrics[0].first.interval->method, "wilson");
    EXPECT_EQ(report.models[0].metrics[0].gap.interval->method, "newcombe.unpaired");
    EXPECT_EQ(report.models[0].metrics[2].first.interval->method, "score.subgroups");
    EXPECT_EQ(report.models[0].metrics[2].gap.interval->method, "mover.unpaired");
}

TEST(GapReport, TheMeanOverModelsIsNoSurerThanTheImagesAllow) {
    // Four models with the same predictions count as one, so averaging over them must not narrow
    // the interval.
    GapInput one = made({{"a", 0.5}});
    GapInput many = made({{"a", 0.5}});
    for (const char* name : {"b", "c", "d"})
        many.models.push_back({name, many.models[0].states, {}, {}});
    const GapReport single = assemble_gap(one, scheme, {}), copies = assemble_gap(many, scheme, {});
    for (const std::size_t m : {std::size_t{0}, std::size_t{2}}) {
        // The mean of one model equals that model, with the same interval.
        EXPECT_EQ(single.average.metrics[m].gap.interval, single.models[0].metrics[m].gap.interval);
        EXPECT_EQ(single.average.metrics[m].first.interval,
                  single.models[0].metrics[m].first.interval);
        EXPECT_EQ(single.average.metrics[m].absolute.interval,
                  single.models[0].metrics[m].absolute.interval);
        const Interval a = *single.average.metrics[m].gap.interval,
                       b = *copies.average.metrics[m].gap.interval;
        EXPECT_NEAR(a.low, b.low, 1e-12);
        EXPECT_NEAR(a.high, b.high, 1e-12);
    }
    EXPECT_EQ(copies.average.between[0]->sd, 0.0);
    EXPECT_FALSE(single.average.between[0]->sd);
}

TEST(GapReport, RanksTiesAndChanges) {
    GapInput input = made(five);
    input.models.push_back({"twin", input.models[1].states, {}, {}});  // the interval of "best"
    const GapReport report = assemble_gap(input, scheme, {});
    EXPECT_EQ(report.models[0].name, "best");
    EXPECT_EQ(report.models[1].name, "twin");
    for (const std::size_t i : {0U, 1U}) {
        EXPECT_EQ(report.models[i].ranks[0][0].rank, 1U);
        EXPECT_EQ(report.models[i].rank_change[0], 0);
    }
    EXPECT_EQ(report.models[2].ranks[0][0].rank, 3U);
    for (const GapModel& model : report.models) {
        const GapRank& rank = model.ranks[2][1];
        EXPECT_LE(rank.low, rank.rank);
        EXPECT_GE(rank.high, rank.rank);
        EXPECT_LE(rank.high, 6U);
        EXPECT_EQ(*model.rank_change[1], static_cast<std::int64_t>(model.ranks[0][1].rank) -
                                             static_cast<std::int64_t>(model.ranks[2][1].rank));
    }
    // "good" and "also" have equal skill, so their ranks overlap. "poor" is last in every resample.
    EXPECT_EQ(report.models.back().ranks[0][0].low, 6U);
    EXPECT_THAT(report.best[0], ::testing::SizeIs(6));
}

TEST(GapReport, SameBitsForAnyNumberOfThreads) {
    GapOptions options;
    std::string first;
    for (const int threads : {1, 3, 8}) {
        GapInput input = made(five, 300, 200);
        options.threads = threads;
        options.replicates = 200;
        const std::string text = to_json(assemble_gap(input, scheme, options)).dump();
        if (first.empty()) first = text;
        EXPECT_EQ(text, first);
    }
}

TEST(GapReport, WithoutDraws) {
    GapOptions options;
    options.replicates = 0;
    GapInput input = made(five, 200, 200);
    const GapReport report = assemble_gap(input, scheme, options);
    const std::string why = "no interval, because --bootstrap is 0; use --bootstrap 1000";
    EXPECT_EQ(report.orders[0].kendall.note, why);
    EXPECT_EQ(report.average.metrics[0].absolute.note, why);
    EXPECT_EQ(report.lines[0].slope.note, why);
    EXPECT_TRUE(report.lines[0].slope.value);
    EXPECT_TRUE(report.average.metrics[0].gap.interval);
    EXPECT_TRUE(report.average.differences.at(1).value.interval);
    for (const std::uint32_t count : {1U, 199U}) {
        options.replicates = count;
        EXPECT_THAT(message_of([&] { check(options); }, ErrorCode::usage),
                    HasSubstr(std::to_string(count) + "; allowed: 0 (no intervals), or 200"));
    }
    options.replicates = 1000;
    for (const auto& wrong : {std::vector<double>{.8, .3}, {.1, .2, .3}}) {
        options.model_correlation = wrong;
        EXPECT_THAT(message_of([&] { check(options); }, ErrorCode::usage),
                    HasSubstr("--model-correlation is"));
    }
}

// The interval of a difference of gaps uses that both metrics share their images. So it is narrower
// than for two independent gaps.
TEST(GapReport, DifferencesOfGaps) {
    GapInput input = made(five);
    const GapReport report = assemble_gap(input, scheme, {});
    ASSERT_EQ(report.average.differences.size(), 3U);
    for (const GapDifference& d : report.average.differences) {
        const Estimate &a = report.average.metrics[static_cast<std::size_t>(d.first_metric)].gap,
                       &b = report.average.metrics[static_cast<std::size_t>(d.second_metric)].gap;
        EXPECT_NEAR(*d.value.value, *a.value - *b.value, 1e-12);
        EXPECT_LT(half_width(d.value), std::hypot(half_width(a), half_width(b)));
        EXPECT_GT(half_width(d.value), 0);
        ASSERT_TRUE(d.share.value);
        EXPECT_NEAR(*d.share.value, 1 - *b.value / *a.value, 1e-12);
    }
    for (const GapModel& model : report.models) {
        EXPECT_EQ(model.differences.size(), 3U);
        EXPECT_TRUE(model.rank_change_between[0]->low);
    }
}

TEST(GapReport, OneModelHasNoOrder) {
    GapInput input = made({{"only", 0.5}});
    const GapReport report = assemble_gap(input, scheme, {});
    EXPECT_TRUE(report.average.metrics[0].gap.value);
    for (const GapOrder& order : report.orders) {
        EXPECT_FALSE(order.kendall.value);
        EXPECT_EQ(order.kendall.undefined,
                  "an order needs two models with both values, there is 1");
    }
    EXPECT_EQ(report.models[0].ranks[0][0].rank, 1U);
}

TEST(GapReport, AnAbsentSubgroupLeavesTheRestStanding) {
    GapInput input = made(five, 200, 200);
    // The same counts with an additional subgroup that has no image.
    const GapScheme more(LabelStrata(5, {1, 2, 3, 5}), 10, "recall");
    for (auto& model : input.models) {
        for (std::size_t set = 0; set < 2; ++set) {
            const std::string name = set == 0 ? "V1" : "V2";
            model.states[set] = state_of(more, predictions(name, model.name, 200, 0.5));
        }
    }
    const GapReport report = assemble_gap(input, more, {});
    EXPECT_TRUE(report.average.metrics[0].gap.value);
    EXPECT_FALSE(report.average.metrics[2].gap.value);
    EXPECT_EQ(report.average.metrics[2].first.undefined,
              "V1: no item has 5 labels; use subgroups=1-3 or absent=skipped");
    EXPECT_EQ(report.models[0].ranks[2][0].rank, 0U);
    EXPECT_FALSE(report.models[0].rank_change[0]);
    EXPECT_TRUE(report.best[0].empty());
    const auto json = to_json(report);
    EXPECT_TRUE(json["average"]["metrics"]["asma"]["gap"]["value"].is_null());
    EXPECT_EQ(json["average"]["metrics"]["asma"]["gap"]["undefined"],
              "V1: no item has 5 labels; use subgroups=1-3 or absent=skipped");
    EXPECT_EQ(json.dump().find("nan"), std::string::npos);
}

// All images have the same value, so the jackknife has no variance. The metric's own interval still
// has a width.
TEST(GapReport, AsmaHasAnIntervalWhereImagesShowNoSpread) {
    std::vector<MadeImage> images;
    for (const std::uint32_t g : {1U, 2U, 3U})
        repeat(images, 50, {.labels = g, .hits = g, .top1 = true, .real = true});
    GapInput input;
    input.models.push_back({"a", {state_of(scheme, images), state_of(scheme, images)}, {}, {}});
    const GapReport report = assemble_gap(input, scheme, {});
    const GapPair& asma = report.models[0].metrics[2];
    ASSERT_TRUE(asma.first.interval && asma.gap.interval);
    EXPECT_EQ(asma.first.interval->high, 1);
    // Subgroups of the same size act like one group of 150 images: 50 (1 - mu) / mu = z^2 / 3 for
    // each.
    const double below = 1 - wilson(150, 150, 0.95).low;
    EXPECT_NEAR(asma.first.interval->low, 1 - below, 1e-12);
    // The gap is 1 - 1 = 0. Its interval goes down by the first distance, and up by the second.
    EXPECT_NEAR(asma.gap.interval->low, -below, 1e-12);
    EXPECT_NEAR(asma.gap.interval->high, below, 1e-12);
    // The average over models has the same interval, both for one model and for two equal models.
    EXPECT_EQ(report.average.metrics[2].gap.interval, asma.gap.interval);
    EXPECT_EQ(report.average.metrics[2].gap.note, "");
    input.models.push_back({"b", input.models[0].states, {}, {}});
    const GapReport two = assemble_gap(input, scheme, {});
    ASSERT_TRUE(two.average.metrics[2].first.interval);
    EXPECT_NEAR(two.average.metrics[2].first.interval->low, 1 - below, 1e-12);
    EXPECT_EQ(two.average.metrics[2].first.interval->method, "score.subgroups.shared");
}

TEST(GapReport, NoProportionOfAGapThatMayBeNone) {
    GapInput input = made({{"a", 0.5}, {"b", 0.6}}, 400, 400);
    for (auto& model : input.models) model.states[1] = model.states[0];
    const GapReport report = assemble_gap(input, scheme, {});
    EXPECT_FALSE(report.average.decomposition.explained.value);
    EXPECT_THAT(report.average.decomposition.explained.undefined,
                HasSubstr("not significantly different from 0"));
    EXPECT_EQ(report.average.within_margin[0].within, 2U);
    EXPECT_EQ(report.average.within_margin[0].surely_within, 0U);  // +- 7 points with n = 400
    EXPECT_EQ(report.average.within_margin[0].surely_outside, 0U);
}

TEST(GapReport, MarkedModels) {
    GapInput input = made(five, 100, 100);
    GapOptions options;
    options.marked = {"poor"};
    EXPECT_THAT(assemble_gap(input, scheme, options).marked, ElementsAre(4));
    options.marked = {"por"};
    GapInput again = made(five, 100, 100);
    try {
        assemble_gap(again, scheme, options);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), HasSubstr("did you mean `poor`"));
    }
    GapInput none;
    EXPECT_THROW(assemble_gap(none, scheme, {}), Error);
}

}  // namespace
}  // namespace assay
