// Compares precision, recall, F1, Matthews and kappa with scikit-learn. Compares selective
// prediction and the Kolmogorov-Smirnov error with values by hand and with their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"
#include "metric/order.h"

namespace assay {
namespace {

// The value of the metric for items with these labels and predictions.
Estimate measured(const MetricRequest& request, std::uint32_t classes,
                  const std::vector<std::int32_t>& truth,
                  const std::vector<std::int32_t>& predicted) {
    MetricContext context;
    context.shape.classes = classes;
    context.parameters = request.parameters;
    const auto accumulator = request.facts->accumulate(context);
    std::vector<RowFacts> rows(truth.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].target = truth[i];
        rows[i].predicted = predicted[i];
    }
    std::vector<std::int64_t> state(accumulator->slots() * group_count, 0);
    accumulator->update(state, rows);
    return request.facts->value(context, std::span(state).first(accumulator->slots()));
}

TEST(ClassScores, AreThoseOfScikitLearn) {
    std::ifstream file(ASSAY_SOURCE_DIR "/tests/metric/fixtures/class_scores.json");
    const auto fixture = nlohmann::json::parse(file);
    ASSERT_EQ(fixture.at("cases").size(), 9U);
    for (const auto& one : fixture.at("cases")) {
        for (const auto& [id, value] : one.at("values").items()) {
            const Estimate found =
                measured(parse_metric(id), one.at("classes"), one.at("truth"), one.at("predicted"));
            const std::string what = one.at("name").get<std::string>() + ": " + id;
            if (value.is_null()) {
                EXPECT_FALSE(found.value) << what;
                EXPECT_FALSE(found.undefined.empty()) << what;
                continue;
            }
            ASSERT_TRUE(found.value) << what << ": " << found.undefined;
            EXPECT_NEAR(*found.value, value.get<double>(), 1e-14) << what;
        }
    }
}

// A class map may map a prediction to no class. Of 4 items, 2 are of class 0. One of them is
// predicted as 0, and the other as no class. So class 0 has precision 1 of 1 and recall 1 of 2.
TEST(ClassScores, APredictionOfNoClassIsNoClasssPrediction) {
    const std::vector<std::int32_t> truth{0, 0, 1, 1}, predicted{0, -1, 1, 1};
    EXPECT_DOUBLE_EQ(*measured(parse_metric("precision"), 2, truth, predicted).value, 1);
    EXPECT_DOUBLE_EQ(*measured(parse_metric("recall"), 2, truth, predicted).value, 0.75);
    // The value of scikit-learn with a third class for "no class": (3 * 4 - (2 * 1 + 2 * 2)) /
    // sqrt((16 - 8) (16 - 1 - 4 - 1)) = 6 / sqrt(80)
    EXPECT_DOUBLE_EQ(*measured(parse_metric("matthews"), 2, truth, predicted).value,
                     6 / std::sqrt(80.0));
}

std::vector<ConfidentItem> items(std::initializer_list<std::pair<float, bool>> list) {
    std::vector<ConfidentItem> result;
    for (const auto& [confidence, correct] : list)
        result.push_back({static_cast<double>(confidence), correct, 0});
    return result;
}

Estimate of_order(const char* text, std::span<const ConfidentItem> list) {
    const MetricRequest request = parse_metric(text);
    MetricContext context;
    context.parameters = request.parameters;
    return dynamic_cast<const OrderPass&>(*request.facts->pass).value(context, list);
}

TEST(Selective, ByHand) {
    const auto list = items({{.9F, true}, {.8F, false}, {.7F, true}, {.5F, false}});
    // The error rates of the most confident 1, 2, 3, 4 items are 0, 1/2, 1/3, 2/4. In the best
    // order they are 0, 0, 1/3, 2/4.
    EXPECT_DOUBLE_EQ(*of_order("aurc", list).value, (0.5 + 1.0 / 3 + 0.5) / 4);
    EXPECT_DOUBLE_EQ(*of_order("excess_aurc", list).value, 0.5 / 4);
    EXPECT_DOUBLE_EQ(*of_order("accuracy_at_50", list).value, 0.5);
    EXPECT_DOUBLE_EQ(*of_order("accuracy_at_51", list).value, 2.0 / 3);
    EXPECT_DOUBLE_EQ(*of_order("accuracy_at_1", list).value, 1);
    EXPECT_DOUBLE_EQ(*of_order("accuracy_at_100", list).value, 0.5);
    // The sums from the least confident item on are .5, .5 - .3 = .2, 1.0 and .9, divided by 4.
    EXPECT_NEAR(*of_order("calibration_ks", list).value, 1.0 / 4, 1e-7);
}

TEST(Selective, NothingAndOneItem) {
    for (const char* text : {"aurc", "excess_aurc", "accuracy_at_80", "calibration_ks"}) {
        EXPECT_EQ(of_order(text, {}).undefined, "no item has a single label") << text;
        EXPECT_TRUE(of_order(text, items({{.5F, true}})).value) << text;
    }
    EXPECT_EQ(*of_order("aurc", items({{.5F, false}})).value, 1);
    EXPECT_EQ(*of_order("excess_aurc", items({{.5F, false}})).value, 0);
}

// For equal confidences, the value is the mean over all their orders.
TEST(Selective, EqualConfidencesAreTheMeanOverTheirOrders) {
    const auto list = items({{.9F, true}, {.6F, false}, {.6F, true}, {.6F, true}, {.2F, false}});
    std::vector<std::size_t> order{1, 2, 3};
    double sum = 0, half = 0;
    int orders = 0;
    do {
        const std::size_t all[] = {0, order[0], order[1], order[2], 4};
        double errors = 0, area = 0;
        for (std::size_t k = 0; k < 5; ++k) {
            errors += list[all[k]].correct ? 0 : 1;
            area += errors / static_cast<double>(k + 1) / 5;
            if (k == 2) half += 1 - errors / 3;
        }
        sum += area;
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(*of_order("aurc", list).value, sum / orders, 1e-15);
    EXPECT_NEAR(*of_order("accuracy_at_60", list).value, half / orders, 1e-15);
}

// Compares with the definitions, on tables with many ties.
TEST(Selective, KolmogorovSmirnovAgainstEveryThreshold) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        RandomStream random(seed, "ks");
        std::vector<ConfidentItem> list(1 + random.below(60));
        for (auto& item : list) {
            item.confidence = static_cast<float>(1 + random.below(8)) / 8;
            item.correct = random.uniform() < 0.6;
        }
        std::sort(list.begin(), list.end(),
                  [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
        double greatest = 0;
        for (int t = 1; t <= 8; ++t) {
            double sum = 0;
            for (const auto& item : list) {
                if (item.confidence * 8 <= static_cast<float>(t))
                    sum += static_cast<double>(item.confidence) - (item.correct ? 1 : 0);
            }
            greatest = std::max(greatest, std::abs(sum) / static_cast<double>(list.size()));
        }
        EXPECT_NEAR(*of_order("calibration_ks", list).value, greatest, 1e-12) << seed;
    }
}

TEST(Selective, IntervalsOfTheLogarithm) {
    // Without each of three groups the values are 2, 2 e^-.1 and 2 e^.1. The jackknife's standard
    // error of the logarithm is sqrt(2/3 * (0 + .01 + .01)).
    const std::vector<double> without{2, 2 * std::exp(-0.1), 2 * std::exp(0.1)};
    const auto interval = log_interval(2, without, 0.95);
    const double step = 4.3026527 * std::sqrt(2.0 / 3 * 0.02);
    EXPECT_NEAR(interval->high, 2 * std::exp(step), 1e-6);
    EXPECT_NEAR(interval->low, 2 * std::exp(-step), 1e-6);
    EXPECT_EQ(interval->method, "jackknife.log");
    EXPECT_FALSE(log_interval(0, without, 0.95));
    EXPECT_FALSE(log_interval(2, std::vector<double>{1, 0}, 0.95));
    EXPECT_FALSE(log_interval(2, std::vector<double>{1}, 0.95));
}

}  // namespace
}  // namespace assay
