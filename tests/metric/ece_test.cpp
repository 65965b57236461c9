// Compares the debiased squared calibration error with a plain implementation, closed forms, and a
// simulation with a known truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"

namespace assay {
namespace {

struct Item {
    float confidence;
    bool correct;
};

Estimate measured(const std::vector<Item>& items, const char* metric) {
    const MetricRequest request = parse_metric(metric);
    const MetricContext context{{.classes = 2}, request.parameters, 0.95};
    const auto accumulator = request.facts->accumulate(context);
    std::vector<RowFacts> rows;
    for (const Item& item : items) {
        RowFacts& row = rows.emplace_back();
        row.confidence = item.confidence;
        row.predicted = 0;
        row.target = item.correct ? 0 : 1;
    }
    std::vector<std::int64_t> state(accumulator->slots() * group_count, 0);
    accumulator->update(state, rows);
    return request.facts->value(context, std::span(state).first(accumulator->slots()));
}

// By the definition, the items of each bin are searched one by one.
double plain(const std::vector<Item>& items, int bins) {
    double sum = 0;
    for (int b = 0; b <= bins; ++b) {  // the last one is for a confidence of 1
        std::vector<Item> inside;
        for (const Item& item : items) {
            const int bin =
                static_cast<int>(std::floor(static_cast<double>(item.confidence) * bins));
            if (bin == b) inside.push_back(item);
        }
        if (inside.size() < 2) continue;
        const auto n = static_cast<double>(inside.size());
        double confidence = 0, accuracy = 0;
        for (const Item& item : inside) {
            confidence += item.confidence / n;
            accuracy += (item.correct ? 1 : 0) / n;
        }
        const double gap = accuracy - confidence;
        sum += n / static_cast<double>(items.size()) *
               (gap * gap - accuracy * (1 - accuracy) / (n - 1));
    }
    return sum;
}

TEST(Ece, TheNoiseOfItsNoteIsAPlainDecimal) {
    // A bin has 144 items of confidence .5: sqrt(2 * .25 / (pi * 144)) = .0332.
    EXPECT_EQ(measured(std::vector<Item>(144, Item{0.5F, true}), "ece").note,
              "a perfectly calibrated model would score about 0.033 with this n");
}

TEST(DebiasedEce, NothingOneItemAndItemsAlone) {
    EXPECT_FALSE(measured({}, "ece_debiased").value);
    const Estimate one = measured({{0.5F, true}}, "ece_debiased");
    EXPECT_FALSE(one.value);
    EXPECT_NE(one.undefined.find("no bin holds two items"), std::string::npos) << one.undefined;
    EXPECT_FALSE(measured({{0.1F, true}, {0.9F, true}}, "ece_debiased:bins=2").value);
    // There are two bins. A bin with one item adds 0. Two items at .75, one correct, have gap^2 =
    // 1/16, minus .25/1, with weight 2/3: -1/8.
    const Estimate some =
        measured({{0.1F, true}, {0.75F, true}, {0.75F, false}}, "ece_debiased:bins=2");
    ASSERT_TRUE(some.value);
    EXPECT_DOUBLE_EQ(*some.value, -0.125);
    EXPECT_NE(some.note.find("single item: 1"), std::string::npos) << some.note;
}

TEST(DebiasedEce, ByHand) {
    // Four items have confidence .75, and three are correct: the gap is 0, minus .1875 / 3 = .0625.
    EXPECT_DOUBLE_EQ(
        *measured({{0.75F, true}, {0.75F, true}, {0.75F, true}, {0.75F, false}}, "ece_debiased")
             .value,
        -0.0625);
    // All are incorrect with confidence 1, so the gap is 1 without variance. 1 has its own bin.
    EXPECT_DOUBLE_EQ(*measured({{1.0F, false}, {1.0F, false}}, "ece_debiased").value, 1.0);
    EXPECT_DOUBLE_EQ(*measured({{1.0F, true}, {1.0F, true}}, "ece_debiased").value, 0.0);
}

TEST(DebiasedEce, HasAnIdOfItsOwnForEachRule) {
    EXPECT_EQ(parse_metric("ece_debiased").definition(), "ece_debiased.left_closed");
    EXPECT_EQ(parse_metric("ece_debiased:edges=right_closed").definition(),
              "ece_debiased.right_closed");
    EXPECT_LT(parse_metric("ece_debiased").facts->low, 0);
}

TEST(DebiasedEce, AgreesWithThePlainDefinition) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomStream random(seed, "debiased");
        // The edges of sixteen bins are exact in both number formats, so rounding moves no item to
        // another bin.
        std::vector<Item> items(2 + random.below(300));
        for (Item& item : items) {
            item.confidence =
                static_cast<float>(random.below(5) == 0 ? static_cast<double>(random.below(17)) / 16
                                                        : random.uniform());
            item.correct = random.uniform() < 0.6;
        }
        const Estimate value = measured(items, "ece_debiased:bins=16");
        if (!value.value) continue;  // two items, each alone in its bin
        EXPECT_NEAR(*value.value, plain(items, 16), 1e-12) << "seed " << seed;
    }
}

TEST(DebiasedEce, IsNearZeroOnAverageWhereEceIsNot) {
    // Items are correct with exactly the claimed probability, so the true error is 0 in every bin.
    // There are 400 sets of 400 items. The mean of the debiased value is minus the variance of the
    // confidences in a bin, (1/15)^2 / 12 = 3.7e-4, over n_b. There are 10 bins because confidences
    // are in [1/3, 1), so n_b is about 40, and the mean is -9.3e-6. Its standard deviation:
    // sqrt(10) bins * n_b/n * sqrt(2) * .22/40 = 2.5e-3, over sqrt(400) sets: 1.2e-4; four of these
    // are allowed.
    constexpr int sets = 400, size = 400;
    double debiased = 0, squared = 0, plain_ece = 0;
    for (std::uint64_t s = 0; s < sets; ++s) {
        RandomStream random(s, "calibrated");
        std::vector<Item> items(size);
        for (Item& item : items) {
            item.confidence = static_cast<float>(1.0 / 3 + 2.0 / 3 * random.uniform());
            item.correct = random.uniform() < static_cast<double>(item.confidence);
        }
        debiased += *measured(items, "ece_debiased").value / sets;
        const double l2 = *measured(items, "ece:norm=l2").value;
        squared += l2 * l2 / sets;
        plain_ece += *measured(items, "ece").value / sets;
    }
    EXPECT_NEAR(debiased, -9.3e-6, 5e-4);
    // The plain errors include the noise: sum over 10 bins of 1/10 mean(c (1 - c)) / 40 = .197 / 40
    // = 4.9e-3. Here mean c (1 - c) over [1/3, 1) is 3/2 [c^2/2 - c^3/3] = .197 - up to .001 for
    // bins being of unequal size.
    EXPECT_NEAR(squared, 0.0049, 0.0005);
    EXPECT_GT(plain_ece, 0.04);  // sqrt(2/pi) * sqrt(.197 / 40) = .056
    // A true error is also found: confidences that are too high by 0.1 give 0.01.
    double shifted = 0;
    for (std::uint64_t s = 0; s < sets; ++s) {
        RandomStream random(s, "over-confident");
        std::vector<Item> items(size);
        for (Item& item : items) {
            item.confidence = static_cast<float>(1.0 / 3 + 2.0 / 3 * random.uniform());
            item.correct = random.uniform() < static_cast<double>(item.confidence) - 0.1;
        }
        shifted += *measured(items, "ece_debiased").value / sets;
    }
    EXPECT_NEAR(shifted, 0.01, 8e-4);
}

TEST(DebiasedEce, WithoutProbabilitiesUndefined) {
    const MetricRequest request = parse_metric("ece_debiased");
    MetricContext context{{.classes = 2}, request.parameters, 0.95};
    context.shape.probabilities = false;
    const std::vector<std::int64_t> state(request.facts->accumulate(context)->slots(), 0);
    EXPECT_FALSE(request.facts->value(context, state).undefined.empty());
}

}  // namespace
}  // namespace assay
