// Precision, recall, specificity and F1 of the positive class: by hand, and how often their
// intervals hold the truth.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"

namespace assay {
namespace {

struct Outcomes {
    int true_positives = 0, false_positives = 0, false_negatives = 0, true_negatives = 0;
};

Estimate binary(const std::string& name, const Outcomes& counts) {
    const MetricRequest request = parse_metric(name + ":average=binary");
    MetricContext context;
    context.shape.classes = 2;
    context.parameters = request.parameters;
    std::vector<RowFacts> rows;
    const auto add = [&](int count, std::int32_t label, std::int32_t predicted) {
        RowFacts row;
        row.target = label;
        row.predicted = predicted;
        rows.insert(rows.end(), static_cast<std::size_t>(count), row);
    };
    add(counts.true_positives, 1, 1);
    add(counts.false_positives, 0, 1);
    add(counts.false_negatives, 1, 0);
    add(counts.true_negatives, 0, 0);
    const auto accumulator = request.facts->accumulate(context);
    std::vector<std::int64_t> state(accumulator->slots() * group_count, 0);
    accumulator->update(state, rows);  // all in group 0
    return request.facts->value(context, std::span(state).first(accumulator->slots()));
}

TEST(BinaryScores, ByHand) {
    const Outcomes counts{6, 2, 3, 9};
    EXPECT_DOUBLE_EQ(*binary("precision", counts).value, 6.0 / 8);
    EXPECT_DOUBLE_EQ(*binary("recall", counts).value, 6.0 / 9);
    EXPECT_DOUBLE_EQ(*binary("specificity", counts).value, 9.0 / 11);
    EXPECT_DOUBLE_EQ(*binary("f1", counts).value, 12.0 / 17);
    for (const char* name : {"precision", "recall", "specificity", "f1"})
        EXPECT_EQ(binary(name, counts).n, 20U) << name;
}

TEST(BinaryScores, AQuotientOf0By0IsUndefined) {
    EXPECT_EQ(binary("precision", {0, 0, 3, 9}).undefined,
              "no item is predicted to be class 1, the positive class");
    EXPECT_EQ(binary("recall", {0, 2, 0, 9}).undefined,
              "no item is of class 1, the positive class");
    EXPECT_EQ(binary("specificity", {4, 0, 3, 0}).undefined,
              "every item is of class 1, the positive class");
    EXPECT_EQ(binary("f1", {0, 0, 0, 9}).undefined,
              "no item is of class 1, the positive class, or predicted to be");
    EXPECT_EQ(binary("f1", {}).undefined, "no item has a single label");
    EXPECT_EQ(binary("f1", {0, 2, 3, 9}).value, 0);
}

// Wilson's interval of 30 of 30 begins at 1 / (1 + 1.96^2 / 30); F1 of it is 2 x / (1 + x).
TEST(BinaryScores, AllCorrectHasAnInterval) {
    const Interval precision = binary("precision", {30, 0, 0, 30}).interval.value();
    EXPECT_NEAR(precision.low, 0.886487, 1e-6);
    EXPECT_EQ(precision.high, 1);
    const Interval f1 = binary("f1", {30, 0, 0, 30}).interval.value();
    EXPECT_NEAR(f1.low, 2 * precision.low / (1 + precision.low), 1e-12);
    EXPECT_EQ(f1.high, 1);
}

// Rounding leaves equal squares a variance of some 1e-16, which is none.
TEST(BinaryScores, EqualSquaresHaveTheWidthOfTheirNumber) {
    const MetricRequest request = parse_metric("binary_brier");
    MetricContext context;
    context.shape.classes = 2;
    context.parameters = request.parameters;
    const auto accumulator = request.facts->accumulate(context);
    for (int percent = 1; percent < 100; ++percent) {
        RowFacts row;
        row.target = 1;
        row.target_probability = static_cast<float>(percent) / 100;
        const auto p = static_cast<double>(row.target_probability), rest = 1 - p;
        row.square_sum = p * p + rest * rest;
        std::vector<std::int64_t> state(accumulator->slots() * group_count, 0);
        accumulator->update(state, std::vector<RowFacts>(50, row));
        const Estimate brier =
            request.facts->value(context, std::span(state).first(accumulator->slots()));
        EXPECT_NEAR(*brier.value, rest * rest, 1e-12);
        EXPECT_GT(brier.interval->high - brier.interval->low, 0.05) << percent;
    }
}

struct BinaryWorld {
    std::string name;
    int items;
    double positives, recall, false_alarms;
};

TEST(BinaryScores, IntervalsHoldTheTruth) {
    constexpr int draws = 2000;
    for (const BinaryWorld& world : std::vector<BinaryWorld>{{"even", 60, 0.5, 0.8, 0.2},
                                                             {"rare", 300, 0.1, 0.7, 0.05},
                                                             {"near-perfect", 100, 0.4, 0.97, 0.02},
                                                             {"weak", 40, 0.3, 0.5, 0.4}}) {
        const double tp = world.positives * world.recall,
                     fp = (1 - world.positives) * world.false_alarms;
        const std::map<std::string, double> truth = {{"precision", tp / (tp + fp)},
                                                     {"recall", world.recall},
                                                     {"specificity", 1 - world.false_alarms},
                                                     {"f1", 2 * tp / (world.positives + tp + fp)}};
        std::map<std::string, int> covered, defined;
        for (int draw = 0; draw < draws; ++draw) {
            RandomStream random(3, "binary coverage", static_cast<std::uint64_t>(draw));
            Outcomes counts;
            for (int i = 0; i < world.items; ++i) {
                const bool positive = random.uniform() < world.positives;
                const bool predicted =
                    random.uniform() < (positive ? world.recall : world.false_alarms);
                ++(positive    ? (predicted ? counts.true_positives : counts.false_negatives)
                   : predicted ? counts.false_positives
                               : counts.true_negatives);
            }
            for (const auto& [name, value] : truth) {
                const Estimate e = binary(name, counts);
                if (!e.value) continue;
                ++defined[name];
                covered[name] += e.interval->low <= value && value <= e.interval->high ? 1 : 0;
            }
        }
        for (const auto& [name, value] : truth) {
            EXPECT_GT(defined[name], 0.99 * draws) << world.name << " " << name;
            const double rate = static_cast<double>(covered[name]) / defined[name];
            EXPECT_GT(rate, 0.93) << world.name << " " << name;
            EXPECT_LT(rate, 0.98) << world.name << " " << name;
        }
    }
}

}  // namespace
}  // namespace assay
