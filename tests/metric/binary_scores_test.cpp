// Precision, recall, specificity, F1 and Brier score of the positive class. Compares with values by
// hand, and measures the coverage of the intervals.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"
#include "metric/agreement.h"

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
    accumulator->update(state, rows);  // all items are in group 0
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

// Wilson's interval of 30 of 30 begins at x = 1 / (1 + 1.96^2 / 30). F1 of it is 2 x / (1 + x).
TEST(BinaryScores, AllCorrectHasAnInterval) {
    const Interval precision = binary("precision", {30, 0, 0, 30}).interval.value();
    EXPECT_NEAR(precision.low, 0.886487, 1e-6);
    EXPECT_EQ(precision.high, 1);
    const Interval f1 = binary("f1", {30, 0, 0, 30}).interval.value();
    EXPECT_NEAR(f1.low, 2 * precision.low / (1 + precision.low), 1e-12);
    EXPECT_EQ(f1.high, 1);
}

/// The Brier score of the positive class, for items of class `truth` with the probability `p` of
/// class 1.
class BrierOf {
public:
    BrierOf() : accumulator_(request_.facts->accumulate(context())) {}

    void add(double p, bool truth) {
        RowFacts row;
        row.target = truth ? 1 : 0;
        const auto first = static_cast<float>(1 - p), second = static_cast<float>(p);
        row.target_probability = truth ? second : first;
        row.square_sum = static_cast<double>(first) * first + static_cast<double>(second) * second;
        rows_.push_back(row);
    }
    Estimate value() const {
        std::vector<std::int64_t> state(accumulator_->slots() * group_count, 0);
        accumulator_->update(state, rows_);
        return request_.facts->value(context(), std::span(state).first(accumulator_->slots()));
    }

private:
    MetricContext context() const {
        MetricContext out;
        out.shape.classes = 2;
        out.parameters = request_.parameters;
        return out;
    }

    MetricRequest request_ = parse_metric("binary_brier");
    std::unique_ptr<Accumulator> accumulator_;
    std::vector<RowFacts> rows_;
};

// Rounding gives equal squares a variance of about 1e-16, which counts as zero.
TEST(BinaryScores, EqualSquaresHaveTheIntervalOfTheirNumber) {
    for (int percent = 1; percent < 100; ++percent) {
        const double p = percent / 100.0;
        BrierOf items;
        for (int i = 0; i < 50; ++i) items.add(p, true);
        const Estimate brier = items.value();
        EXPECT_NEAR(*brier.value, (1 - p) * (1 - p), 1e-7);
        const Interval exact = mean_interval({50, *brier.value, 0}, 0.95);
        EXPECT_NEAR(brier.interval->low, exact.low, 1e-9) << percent;
        EXPECT_NEAR(brier.interval->high, exact.high, 1e-9) << percent;
        EXPECT_GT(brier.interval->high - brier.interval->low, 1e-3) << percent;
    }
}

struct BrierWorld {
    std::string name;
    double least, most;  ///< p is uniform between these
    double positives;    ///< proportion; if negative, p (calibrated)
    double truth;
};

// Each draw has 200 items. For a coverage of .933, 1,000 draws give at least .933 - 3 sqrt(.933
// .067 / 1000) = .909. If a confident classifier makes no error on few items, no interval can
// include its error rate.
TEST(BinaryScores, IntervalsOfTheBrierScoreCoverTheTruth) {
    const BrierWorld worlds[] = {
        {"calibrated", 0, 1, -1, 1.0 / 6},
        {"constant", 0.3, 0.3, 0.3, 0.21},
        {"narrow", 0.45, 0.55, -1, 0.25 - 0.01 / 12},
        {"sure, one in fifty missed", 0.99, 0.99, 0.98, 0.98 * 0.0001 + 0.02 * 0.9801},
    };
    for (const BrierWorld& world : worlds) {
        RandomStream random(3, "Brier scores of " + world.name);
        int covered = 0;
        constexpr int draws = 1000;
        for (int draw = 0; draw < draws; ++draw) {
            BrierOf items;
            for (int i = 0; i < 200; ++i) {
                const double p = world.least + (world.most - world.least) * random.uniform();
                items.add(p, random.uniform() < (world.positives < 0 ? p : world.positives));
            }
            const Interval interval = *items.value().interval;
            covered += interval.low <= world.truth && world.truth <= interval.high;
        }
        EXPECT_GT(covered, 909) << world.name;
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
