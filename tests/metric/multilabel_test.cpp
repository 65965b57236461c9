// Metrics of label sets, compared with closed forms and a slow version of the definition. Measures
// the coverage of intervals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"
#include "core/statistics.h"
#include "core/topk.h"
#include "metric/agreement.h"
#include "metric/number_list.h"

namespace assay {
namespace {

using Numbers = std::vector<int>;

TEST(NumberList, ReadsAndWrites) {
    EXPECT_EQ(parse_number_list("1-5", 1, 64), (Numbers{1, 2, 3, 4, 5}));
    EXPECT_EQ(parse_number_list("9,2,3-4 6,2", 1, 64), (Numbers{2, 3, 4, 6, 9}));
    EXPECT_EQ(parse_number_list("7", 7, 7), (Numbers{7}));
    for (const char* text : {"", "0", "65", "3-2", "-3", "3-", "1,", ",1", "1..2", "1-2-3", "1 - 2",
                             "x", "99999999999999999999", "1-99999999999999999999"}) {
        EXPECT_FALSE(parse_number_list(text, 1, 64)) << text;
    }
    EXPECT_EQ(number_list_text(Numbers{2, 3, 4, 6, 9}), "2-4,6,9");
    EXPECT_EQ(number_list_text(Numbers{1, 2, 4, 5}), "1,2,4,5");
    EXPECT_EQ(number_list_text(Numbers{}), "");
}

TEST(Agreement, ClosedForms) {
    EXPECT_DOUBLE_EQ(agreement_of(Agreement::recall, 3, 2, 1000), 2.0 / 3);
    EXPECT_DOUBLE_EQ(agreement_of(Agreement::jaccard, 3, 2, 1000), 0.5);  // 2 / (6 - 2) in all
    // With 1000 classes and none of nine labels correct: 1 - 18 / 1000. The value barely differs
    // between a good and a useless classifier.
    EXPECT_DOUBLE_EQ(agreement_of(Agreement::hamming, 9, 0, 1000), 0.982);
    for (const Agreement kind : {Agreement::recall, Agreement::jaccard, Agreement::hamming}) {
        for (std::uint32_t g = 1; g <= 9; ++g) {
            EXPECT_EQ(agreement_of(kind, g, g, 1000), 1) << g;
            EXPECT_EQ(agreement_of(kind, g, 0, 1000),
                      kind == Agreement::hamming ? 1 - 2.0 * g / 1000 : 0)
                << g;
        }
    }
    // Two sets of g among C classes share at least 2g - C classes, so the Hamming score is never
    // negative.
    EXPECT_EQ(agreement_of(Agreement::hamming, 2, 0, 4), 0);
}

// The definition sorts all classes, best first and the lower class first among equals. It takes the
// first g.
std::uint32_t slow_hits(std::span<const float> row, std::span<const std::int32_t> wanted) {
    std::vector<std::int32_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t i, std::int32_t j) {
        return row[static_cast<std::size_t>(i)] > row[static_cast<std::size_t>(j)];
    });
    std::uint32_t hits = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k)
        hits += std::count(wanted.begin(), wanted.end(), order[k]) > 0 ? 1U : 0U;
    return hits;
}

TEST(VariableTopK, AgreesWithSortingWhateverTheTies) {
    RandomStream random(1, "rows");
    for (int trial = 0; trial < 4000; ++trial) {
        const std::size_t classes = 1 + random.below(trial % 3 == 0 ? 12 : 90);
        const std::uint64_t levels =
            1 + random.below(trial % 2 == 0 ? 4 : 1000);  // there are few levels, so many ties
        std::vector<float> row(classes);
        for (float& x : row) x = static_cast<float>(random.below(levels)) - 2;
        std::vector<std::int32_t> all(classes);
        std::iota(all.begin(), all.end(), 0);
        for (std::size_t i = classes; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
        all.resize(random.below(std::min<std::size_t>(classes, 15) + 1));
        std::sort(all.begin(), all.end());
        ASSERT_EQ(variable_top_k_hits(row, all), slow_hits(row, all)) << "trial " << trial;
    }
}

TEST(VariableTopK, Corners) {
    const std::vector<float> equal(19, 0.0F);
    // All scores are equal, so the lower classes come first. Zero and minus zero tie.
    EXPECT_EQ(variable_top_k_hits(equal, std::vector<std::int32_t>{0, 1, 18}), 2U);
    std::vector<float> zeros = equal;
    zeros[0] = -0.0F;
    EXPECT_EQ(variable_top_k_hits(zeros, std::vector<std::int32_t>{0}), 1U);
    EXPECT_EQ(variable_top_k_hits(equal, {}), 0U);
    const std::vector<float> one{7};
    EXPECT_EQ(variable_top_k_hits(one, std::vector<std::int32_t>{0}), 1U);
    std::vector<std::int32_t> every(19);
    std::iota(every.begin(), every.end(), 0);
    EXPECT_EQ(variable_top_k_hits(equal, every), 19U);
}

// Rows of (g, h) are all in group 0, whose state is then that of all items.
class Counted {
public:
    explicit Counted(std::uint32_t classes = 1000, std::uint32_t most = 9) {
        shape.classes = classes;
        shape.most_labels = most;
    }
    void add(std::uint32_t g, std::int32_t h, int times = 1) {
        RowFacts row;
        row.valid = g;
        row.hits = h;
        rows.insert(rows.end(), static_cast<std::size_t>(times), row);
    }
    Estimate value(const std::string& text) const {
        const auto request = parse_metric(text);
        const MetricContext context{shape, request.parameters, 0.95};
        const auto accumulator = request.facts->accumulate(context);
        std::vector<std::int64_t> state(accumulator->slots() * group_count);
        accumulator->update(state, rows);
        return request.facts->value(context, std::span(state).first(accumulator->slots()));
    }
    Shape shape;
    std::vector<RowFacts> rows;
};

TEST(LabelSets, TheThreeDefinitions) {
    Counted set;
    set.add(1, 1, 3);
    set.add(1, 0);  // A_1 is 3/4
    set.add(2, 2);
    set.add(2, 1, 2);  // A_2 has recall 2/3 and jaccard (1 + 1/3 + 1/3)/3 = 5/9
    set.add(0, -1, 7);
    EXPECT_DOUBLE_EQ(*set.value("asma:subgroups=1,2").value, (0.75 + 2.0 / 3) / 2);
    EXPECT_DOUBLE_EQ(*set.value("asma.jaccard:subgroups=1,2").value, (0.75 + 5.0 / 9) / 2);
    // 1 - 2 (g - h) / C loses .25 * 2/1000 in the first and (0 + 1 + 1)/3 * 2/1000 in the second
    // subgroup.
    EXPECT_NEAR(*set.value("asma.hamming:subgroups=1,2").value, 1 - (0.0005 + 0.004 / 3) / 2,
                1e-15);
    EXPECT_EQ(set.value("asma:subgroups=1,2").n, 7U);
    EXPECT_DOUBLE_EQ(*set.value("subgroup_accuracy:g=2").value, 2.0 / 3);
    EXPECT_EQ(set.value("subgroup_accuracy:g=2").n, 3U);
    EXPECT_DOUBLE_EQ(*set.value("variable_topk").value, (3 + 1 + 0.5 + 0.5) / 7);
    EXPECT_EQ(set.value("variable_topk").n, 7U);
    EXPECT_NEAR(*set.value("variable_topk.hamming").value, 1 - 3 * 0.002 / 7, 1e-15);
}

TEST(LabelSets, HammingIsNearOneForAnythingAtAll) {
    Counted set;
    set.add(9, 0, 50);
    EXPECT_DOUBLE_EQ(*set.value("asma.hamming:subgroups=9").value, 0.982);
    EXPECT_EQ(*set.value("asma:subgroups=9").value, 0);
    const auto interval = *set.value("asma.hamming:subgroups=9").interval;
    const auto recall = *set.value("asma:subgroups=9").interval;
    EXPECT_NEAR(interval.high, 1 - 0.018 * (1 - recall.high), 1e-15);
    EXPECT_DOUBLE_EQ(interval.low, 0.982);
}

TEST(LabelSets, AbsentSubgroups) {
    Counted set;
    set.add(1, 1, 40);
    set.add(2, 1, 40);
    set.add(4, 2, 40);
    const Estimate undefined = set.value("asma");
    EXPECT_FALSE(undefined.value);
    EXPECT_NE(undefined.undefined.find("no item has 3,5 labels"), std::string::npos)
        << undefined.undefined;
    EXPECT_EQ(undefined.n, 120U);
    const Estimate present = set.value("asma:absent=skipped");
    EXPECT_DOUBLE_EQ(*present.value, (1 + 0.5 + 0.5) / 3);
    EXPECT_NE(present.note.find("with 1,2,4 labels"), std::string::npos) << present.note;
    EXPECT_TRUE(set.value("asma:subgroups=1,2,4").note.empty());
    // more labels than any item has
    EXPECT_FALSE(set.value("asma:subgroups=40-64,absent=skipped").value);
    EXPECT_NE(set.value("asma:subgroups=6-9,absent=skipped").undefined.find("6-9"),
              std::string::npos);
    EXPECT_NE(set.value("subgroup_accuracy:g=3").undefined.find("no item has 3 labels"),
              std::string::npos);
}

TEST(LabelSets, SmallSubgroupsAreNamed) {
    Counted set;
    set.add(1, 1, 30);
    set.add(2, 1, 29);
    EXPECT_NE(set.value("asma:subgroups=1,2").note.find("fewer than 30 items have 2 labels"),
              std::string::npos);
}

TEST(LabelSets, WhatIsNotKnownIsNotGuessed) {
    Counted set;
    set.shape.kept = 2;
    set.add(1, 1, 3);
    set.add(2, 2, 3);
    set.add(3, -1, 3);
    EXPECT_TRUE(set.value("asma:subgroups=1,2").value);
    EXPECT_NE(set.value("asma:subgroups=1-3").undefined.find("keeps only the best 2"),
              std::string::npos);
    EXPECT_FALSE(set.value("variable_topk").value);
    EXPECT_FALSE(set.value("subgroup_accuracy:g=3").value);
    set.shape.ranking = false;
    EXPECT_NE(set.value("subgroup_accuracy:g=3").undefined.find("class map"), std::string::npos);
}

TEST(LabelSets, MoreLabelsThanAreToldApart) {
    Counted set(1000, 500);
    set.add(64, 32, 2);
    set.add(65, 65);
    set.add(500, 0);
    EXPECT_DOUBLE_EQ(*set.value("asma:subgroups=64").value, 0.5);
    EXPECT_NE(set.value("variable_topk").undefined.find("2 items have more than 64 labels"),
              std::string::npos);
}

TEST(Intervals, OneLabelIsWilsons) {
    Counted set;
    set.add(1, 1, 37);
    set.add(1, 0, 13);
    const Interval expected = wilson(37, 50);
    for (const char* text : {"subgroup_accuracy:g=1", "asma:subgroups=1", "variable_topk",
                             "asma.jaccard:subgroups=1"}) {
        const auto interval = set.value(text).interval.value();
        EXPECT_NEAR(interval.low, expected.low, 1e-12) << text;
        EXPECT_NEAR(interval.high, expected.high, 1e-12) << text;
        EXPECT_EQ(interval.method, "wilson") << text;
    }
}

TEST(Intervals, NeverWithoutWidthAndInsideTheRange) {
    for (const int n : {1, 2, 30}) {
        for (const std::int32_t h : {0, 2, 4}) {
            Counted set;
            set.add(4, h, n);
            for (const char* agreement : {"recall", "jaccard", "hamming"}) {
                const Estimate value =
                    set.value(std::string("asma:subgroups=4,agreement=") + agreement);
                EXPECT_LT(value.interval->low, value.interval->high);
                EXPECT_LE(value.interval->low, *value.value + 1e-12);
                EXPECT_GE(value.interval->high, *value.value - 1e-12);
                EXPECT_GE(value.interval->low, 0);
                EXPECT_LE(value.interval->high, 1);
            }
        }
    }
    // All labels of thirty images are found, so the bootstrap would only draw ones. The interval
    // must begin at 1 - 1/(1 + 30/z^2).
    Counted sure;
    sure.add(3, 3, 30);
    EXPECT_NEAR(sure.value("asma:subgroups=3").interval->low, 30 / (30 + 1.959963985 * 1.959963985),
                1e-9);
}

TEST(Intervals, OfLargeSubgroupsAreTheStratifiedBootstraps) {
    RandomStream random(5, "sample");
    Counted set;
    std::vector<std::vector<double>> strata;
    for (const auto& [g, n] : {std::pair{1U, 900}, std::pair{2U, 600}, std::pair{3U, 400}}) {
        auto& stratum = strata.emplace_back();
        for (int i = 0; i < n; ++i) {
            const double skill =
                random
                    // images differ in difficulty, so the labels of one are not independent
                    .uniform();
            std::int32_t h = 0;
            for (std::uint32_t k = 0; k < g; ++k) h += random.uniform() < 0.4 + 0.5 * skill ? 1 : 0;
            set.add(g, h);
            stratum.push_back(static_cast<double>(h) / g);
        }
    }
    const Estimate value = set.value("asma:subgroups=1-3");
    // A plain bootstrap over the images in each subgroup.
    std::vector<double> replicates;
    for (int r = 0; r < 1000; ++r) {
        double asma = 0;
        for (const auto& stratum : strata) {
            double sum = 0;
            for (std::size_t i = 0; i < stratum.size(); ++i)
                sum += stratum[random.below(stratum.size())];
            asma += sum / static_cast<double>(stratum.size()) / 3;
        }
        replicates.push_back(asma);
    }
    const Interval bootstrap = percentile_interval(replicates, 0.95, "");
    const double width = bootstrap.high - bootstrap.low;
    EXPECT_NEAR((value.interval->high - value.interval->low) / width, 1,
                0.08);  // with 1000 replicates, the noise is +- 3 %
    EXPECT_NEAR(value.interval->low, bootstrap.low, 0.1 * width);
    EXPECT_NEAR(value.interval->high, bootstrap.high, 0.1 * width);
    EXPECT_EQ(value.interval->method, "score.subgroups");
}

// All labels are found in subgroups of 4,000 and of 40 images. The chi-square of a subgroup, n (1 -
// mu) / mu, increases least if n is small. So only the mean of the small subgroup is below 1.
TEST(Intervals, WhereAllAgreeTheSmallestSubgroupMoves) {
    const double z2 = 1.959963985 * 1.959963985;
    Counted set;
    set.add(1, 1, 4000);
    set.add(2, 2, 40);
    const Estimate value = set.value("asma:subgroups=1-2");
    EXPECT_EQ(*value.value, 1);
    EXPECT_EQ(value.interval->high, 1);
    EXPECT_NEAR(value.interval->low, (1 + 40 / (40 + z2)) / 2, 1e-9);
    // No label is found, which is the mirrored case.
    Counted none;
    none.add(1, 0, 4000);
    none.add(2, 0, 40);
    const Estimate zero = none.value("asma:subgroups=1-2");
    EXPECT_EQ(zero.interval->low, 0);
    EXPECT_NEAR(zero.interval->high, 1 - value.interval->low, 1e-12);
}

// Compares with a search over a fine grid of both subgroup means.
TEST(Intervals, AreTheLeastAndGreatestMeansThatTheScoreTestAllows) {
    const MeanAgreement means[] = {{50, 0.8, 0, true}, {20, 0.35, 0, true}};
    const double weights[] = {1, 1}, z2 = 1.959963985 * 1.959963985;
    double least = 2, greatest = 0;
    constexpr int steps = 2000;
    for (int i = 1; i < steps; ++i) {
        for (int j = 1; j < steps; ++j) {
            const double a = static_cast<double>(i) / steps, b = static_cast<double>(j) / steps;
            const double chi = 50 * (0.8 - a) * (0.8 - a) / (a * (1 - a)) +
                               20 * (0.35 - b) * (0.35 - b) / (b * (1 - b));
            if (chi > z2) continue;
            least = std::min(least, a + b);
            greatest = std::max(greatest, a + b);
        }
    }
    const Interval found = weighted_sum_interval(means, weights, 0.95);
    EXPECT_NEAR(found.low, least, 2e-3);
    EXPECT_LE(found.low, least);
    EXPECT_NEAR(found.high, greatest, 2e-3);
    EXPECT_GE(found.high, greatest);
}

// The images of one subgroup. An image is easy or hard, which determines the probability that its
// labels are found.
struct World {
    double easy, hard, share_easy;
    double mean() const { return share_easy * easy + (1 - share_easy) * hard; }
};

std::int32_t draw_hits(RandomStream& random, const World& world, std::uint32_t g) {
    const double p = random.uniform() < world.share_easy ? world.easy : world.hard;
    std::int32_t h = 0;
    for (std::uint32_t k = 0; k < g; ++k) h += random.uniform() < p ? 1 : 0;
    return h;
}

double coverage(const World& world, const std::vector<std::pair<std::uint32_t, int>>& subgroups,
                const std::string& metric, int trials) {
    RandomStream random(11, metric);
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
        Counted set(1000, 5);
        for (const auto& [g, n] : subgroups) {
            for (int i = 0; i < n; ++i) set.add(g, draw_hits(random, world, g));
        }
        const Interval interval = set.value(metric).interval.value();
        covered += interval.low <= world.mean() && world.mean() <= interval.high ? 1 : 0;
    }
    return static_cast<double>(covered) / trials;
}

// Every subgroup has the same expected recall here, which all intervals must cover. With 1500
// trials, the standard error of a coverage of .95 is .0056.
TEST(Coverage, AsmaWithASubgroupOfThirtyImages) {
    const std::vector<std::pair<std::uint32_t, int>> sizes{
        {1, 300}, {2, 120}, {3, 60}, {4, 40}, {5, 30}};
    for (const World& world :
         {World{0.7, 0.7, 1}, World{0.95, 0.4, 0.6}, World{0.98, 0.85, 0.9}, World{1, 0, 0.7}}) {
        const double held = coverage(world, sizes, "asma", 1500);
        EXPECT_GT(held, 0.933) << world.mean();
        EXPECT_LT(held, 0.975) << world.mean();
    }
}

TEST(Coverage, OneSubgroupOfThirtyImages) {
    for (const World& world :
         {World{0.7, 0.7, 1}, World{0.95, 0.4, 0.6}, World{0.2, 0.2, 1}, World{1, 0, 0.7}}) {
        for (const std::uint32_t g : {1U, 3U, 5U}) {
            const std::string metric = "subgroup_accuracy:g=" + std::to_string(g);
            const double held = coverage(world, {{g, 30}}, metric, 1500);
            // If values are only 0 or 1, the interval is Wilson's, whose coverage is .9298 at n =
            // 30, p = .7.
            EXPECT_GT(held, g == 1 ? 0.915 : 0.93) << world.mean() << " with " << g << " labels";
            EXPECT_LT(held, 0.985) << world.mean() << " with " << g << " labels";
        }
    }
}

// Labels of one image compete for the same g places, so hits vary less than if they were
// independent. There are 1, 2 or 3 hits of 4 with probabilities .1, .8 and .1. The interval is then
// narrower than for 4 n independent labels, and still covers.
TEST(Coverage, HitsThatVaryLittle) {
    RandomStream random(4, "steady");
    for (const int n : {30, 300}) {
        int covered = 0;
        double width = 0;
        for (int trial = 0; trial < 1500; ++trial) {
            Counted set(1000, 5);
            for (int i = 0; i < n; ++i) {
                const double u = random.uniform();
                set.add(4, u < 0.1 ? 1 : u < 0.9 ? 2 : 3);
            }
            const Interval interval = set.value("subgroup_accuracy:g=4").interval.value();
            covered += interval.low <= 0.5 && 0.5 <= interval.high ? 1 : 0;
            width += (interval.high - interval.low) / 1500;
        }
        EXPECT_GT(covered / 1500.0, 0.935) << n;
        EXPECT_LT(covered / 1500.0, n == 30 ? 1.0 : 0.98) << n;
        EXPECT_LT(width, 2 * 1.96 * std::sqrt(0.25 / (4 * n))) << n;
    }
}

TEST(LabelSets, ExpandingDropsRepeats) {
    const std::vector<MetricRequest> requests{
        parse_metric("top1"), parse_metric("subgroup_accuracy"),
        parse_metric("subgroup_accuracy:g=2"), parse_metric("top1")};
    const std::vector<std::uint64_t> counts{5, 100, 20, 0, 1};
    std::vector<std::string> texts;
    for (const auto& request : expand_labels_per_image(requests, counts))
        texts.push_back(request.text());
    EXPECT_EQ(texts, (std::vector<std::string>{"top1", "subgroup_accuracy:g=1",
                                               "subgroup_accuracy:g=2", "subgroup_accuracy:g=4"}));
}

TEST(Agreement, PairedSums) {
    const std::vector<double> weights{0.5, 0.5};
    // First, both classifiers find .9 and .6 of the labels. Then the second finds .95 and .7.
    const std::vector<PairedAgreement> same{{200, 0.9, 0.9, 0.1}, {40, 0.6, 0.6, 0.2}};
    const std::vector<PairedAgreement> better{{200, 0.9, 0.95, 0.1}, {40, 0.6, 0.7, 0.2}};
    const std::vector<PairedAgreement> worse{{200, 0.95, 0.9, 0.1}, {40, 0.7, 0.6, 0.2}};
    const Interval none = paired_sum_interval(same, weights, 0.95),
                   up = paired_sum_interval(better, weights, 0.95),
                   down = paired_sum_interval(worse, weights, 0.95);
    EXPECT_NEAR(none.low, -none.high, 1e-6);
    EXPECT_NEAR(up.low, -down.high, 1e-6);
    EXPECT_NEAR(up.high, -down.low, 1e-6);
    EXPECT_LT(up.low, 0.075);
    EXPECT_GT(up.high, 0.075);
    EXPECT_EQ(up.method, "score.subgroups.paired");
    // For large subgroups, the interval is about 1.96 standard errors: sqrt(.1 / 2e5 + .2 / 4e4) /
    // 2.
    const std::vector<PairedAgreement> large{{200000, 0.9, 0.95, 0.1}, {40000, 0.6, 0.7, 0.2}};
    const Interval narrow = paired_sum_interval(large, weights, 0.95);
    EXPECT_NEAR(narrow.high - narrow.low, 2 * 1.96 * std::sqrt(0.1 / 2e5 + 0.2 / 4e4) / 2, 3e-5);
    // For thirty images with equal values, the interval has a width. The ends stay inside [-1,
    // 1].
    const std::vector<PairedAgreement> agree{{30, 1, 1, 0}, {30, 1, 1, 0}};
    const Interval wide = paired_sum_interval(agree, weights, 0.95);
    EXPECT_LT(wide.low, -0.005);
    EXPECT_GT(wide.low, -0.2);
    const std::vector<PairedAgreement> apart{{5, 0, 1, 0}, {5, 0, 1, 0}};
    EXPECT_LE(paired_sum_interval(apart, weights, 0.95).high, 1);
    EXPECT_GT(paired_sum_interval(apart, weights, 0.95).low, -0.5);
}

}  // namespace
}  // namespace assay
