// Compares metrics of the positive of two classes, computed by the engine, with scikit-learn's
// values (make_binary_fixtures.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "saved_scores.h"

namespace assay {
namespace {

const std::vector<std::string> binary_ids = {"precision.binary",
                                             "recall.binary",
                                             "specificity.binary",
                                             "f1.binary",
                                             "auroc.one_vs_rest.binary.log_odds",
                                             "average_precision.one_vs_rest.binary.log_odds",
                                             "brier.binary",
                                             "ece.binary.l1.left_closed"};

/// Rows (0, z), which is how scores of a model with one logit are stored.
Made one_logit(const std::vector<float>& logits, const std::vector<std::int32_t>& labels) {
    Made made;
    made.classes = 2;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        made.scores.insert(made.scores.end(), {0.0F, logits[i]});
        made.labels.push_back({labels[i]});
    }
    return made;
}

ScoreOptions asking_for_all() {
    ScoreOptions options;
    for (const std::string& id : binary_ids) options.metrics.push_back(parse_metric(id));
    options.metrics.push_back(parse_metric("brier"));
    return options;
}

const Measurement& of_id(const ScoreReport& report, const std::string& id) {
    for (const Measurement& m : report.measurements) {
        if (m.key.definition == id) return m;
    }
    throw std::runtime_error("no measurement " + id);
}

TEST(BinaryScores, AreThoseOfScikitLearn) {
    std::ifstream file(ASSAY_SOURCE_DIR "/tests/evaluate/fixtures/binary_scores.json");
    const auto fixture = nlohmann::json::parse(file);
    ASSERT_EQ(fixture.at("cases").size(), 12U);
    std::size_t undefined = 0;
    for (const auto& one : fixture.at("cases")) {
        const Scratch folder;
        const ScoreReport report = scored(
            save(folder, one_logit(one.at("logits"), one.at("labels")), "net"), asking_for_all());
        ASSERT_EQ(one.at("values").size(), binary_ids.size());
        for (const auto& [id, value] : one.at("values").items()) {
            SCOPED_TRACE(one.at("name").get<std::string>() + ": " + id);
            const Measurement& m = of_id(report, id);
            if (value.is_null()) {
                ++undefined;
                EXPECT_FALSE(m.value);
                EXPECT_FALSE(m.undefined.empty());
                continue;
            }
            ASSERT_TRUE(m.value) << m.undefined;
            EXPECT_NEAR(*m.value, value.get<double>(), 1e-7);  // probabilities are 32-bit floats
        }
        EXPECT_NEAR(of_id(report, "brier.binary").value.value() * 2,
                    of_id(report, "brier.sum").value.value(), 1e-12);
    }
    EXPECT_EQ(undefined, 12U);
}

TEST(BinaryScores, NoIntervalHasWidth0) {
    const Scratch folder;
    // All items are correct and confident, all are incorrect, or there is one item. No interval may
    // have width 0.
    const std::vector<std::pair<std::vector<float>, std::vector<std::int32_t>>> cases = {
        {{-3, -2, -4, 3, 2, 5}, {0, 0, 0, 1, 1, 1}},
        {{3, 2, -4, -3}, {0, 0, 1, 1}},
        {{2}, {1}},
        {{2, 2, 2, 2}, {1, 1, 1, 1}},
        {{-90, -90, -90}, {0, 0, 0}},
        {{1, 1, 1, 1}, {0, 1, 0, 1}}};
    std::size_t intervals = 0;
    for (std::size_t k = 0; k < cases.size(); ++k) {
        Made made = one_logit(cases[k].first, cases[k].second);
        made.dataset = fmt::format("val{}", k);
        for (const Measurement& m :
             scored(save(folder, made, "net"), asking_for_all()).measurements) {
            if (!m.interval || m.key.definition == "brier.sum") continue;
            ++intervals;
            EXPECT_GT(m.interval->high, m.interval->low) << k << " " << m.key.definition;
            EXPECT_LE(m.interval->low, *m.value) << k << " " << m.key.definition;
            EXPECT_GE(m.interval->high, *m.value) << k << " " << m.key.definition;
        }
    }
    EXPECT_GE(intervals, 24U);
}

TEST(BinaryScores, AreOfTwoClassesAlone) {
    const Scratch folder;
    const ScoreReport report = scored(save(folder, made_up(60, 3, 1), "net"), asking_for_all());
    for (const std::string& id : binary_ids) {
        EXPECT_FALSE(of_id(report, id).value) << id;
        EXPECT_THAT(of_id(report, id).undefined,
                    testing::HasSubstr("it is defined for two classes, but there are 3"))
            << id;
    }
}

TEST(BinaryScores, ArePaired) {
    const Scratch folder;
    const Made weak = made_up(300, 2, 5, 0.5), strong = made_up(300, 2, 6, 3);
    CompareOptions options;
    options.score = asking_for_all();
    const PairReport report =
        compared(save(folder, weak, "weak"), save(folder, strong, "strong"), options);
    ASSERT_EQ(report.metrics.size(), options.score.metrics.size());
    for (const PairedMetric& pair : report.metrics) {
        EXPECT_TRUE(pair.difference.interval) << pair.difference.undefined;
        ASSERT_TRUE(pair.p);
        EXPECT_LT(*pair.p, 0.05);
    }
}

TEST(BinaryScores, AreShownByDefault) {
    const Scratch folder;
    const auto text_of = [](const std::vector<MetricRequest>& requests) {
        std::vector<std::string> texts;
        for (const MetricRequest& request : requests) texts.push_back(request.text());
        return texts;
    };
    const PredictionStore two = save(folder, one_logit({-1, 2, 1, -2}, {0, 1, 0, 0}), "two");
    const ScoreOptions resolved = resolve(MeasureOptions{}, two);
    const std::vector<std::string> texts = text_of(resolved.metrics);
    EXPECT_EQ((std::vector<std::string>(texts.begin(), texts.begin() + 4)),
              (std::vector<std::string>{"top1", "auroc:average=binary", "f1:average=binary",
                                        "balanced"}));
    EXPECT_THAT(texts, testing::Not(testing::Contains("top5")));
    EXPECT_THAT(resolved.notes,
                testing::Contains(testing::HasSubstr("class 1, `c1`, is the positive class")));
    // This is a call of the library without options.
    const ScoreReport report = scored(two, {});
    EXPECT_DOUBLE_EQ(*of_id(report, "auroc.one_vs_rest.binary.log_odds").value, 1);
    EXPECT_DOUBLE_EQ(*of_id(report, "f1.binary").value, 2 / 3.0);  // the value is 2 * 1 / (1 + 2)
    // Metrics that are requested with k do not change, and three classes have no binary metrics.
    MeasureOptions k;
    k.k = {2};
    EXPECT_THAT(text_of(resolve(k, two).metrics), testing::Contains("top2"));
    const Scratch other;
    Made three;
    three.classes = 3;
    three.scores = {1, 0, 0, 0, 1, 0};
    three.labels = {{0}, {2}};
    const std::vector<std::string> others =
        text_of(resolve(MeasureOptions{}, save(other, three, "three")).metrics);
    EXPECT_THAT(others, testing::Contains("top5"));
    EXPECT_THAT(others, testing::Not(testing::Contains("f1:average=binary")));
}

}  // namespace
}  // namespace assay
