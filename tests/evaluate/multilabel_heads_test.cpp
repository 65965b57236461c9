// Metrics of sigmoid outputs, from a store to the report. Tests scikit-learn's values, the scores
// that they read, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::HasSubstr;

Measurement of(const PredictionStore& store, const std::string& metric, int threads = 2) {
    ScoreOptions options;
    options.metrics = {parse_metric(metric)};
    options.threads = threads;
    return scored(store, options).measurements.at(0);
}

// Independent labels with a probability of .3 each, and sigmoid scores of each class.
Made sigmoid_scores(std::size_t rows, std::size_t classes, ScoreKind kind) {
    Made made;
    made.classes = classes;
    made.kind = kind;
    RandomStream random(5, "sigmoids");
    for (std::size_t i = 0; i < rows; ++i) {
        auto& set = made.labels.emplace_back();
        for (std::size_t c = 0; c < classes; ++c) {
            const bool valid = random.uniform() < .3;
            if (valid) set.push_back(static_cast<std::int32_t>(c));
            const double z = random.normal() + (valid ? 1.5 : -1.5);
            made.scores.push_back(
                static_cast<float>(kind == ScoreKind::logits ? z : 1 / (1 + std::exp(-z))));
        }
    }
    return made;
}

bool has_threshold(const std::string& id) {
    return id.starts_with("multilabel_") || id.starts_with("exact_match") ||
           id.starts_with("hamming_loss");
}

TEST(MultilabelHeads, ValuesAreThoseOfScikitLearn) {
    std::ifstream file(ASSAY_SOURCE_DIR "/tests/metric/fixtures/multilabel.json");
    const auto fixture = nlohmann::json::parse(file);
    const Scratch folder;
    std::size_t compared = 0;
    for (const auto& one : fixture.at("cases")) {
        Made made;
        made.classes = one.at("classes");
        made.labels = one.at("sets");
        made.kind = ScoreKind::probabilities;
        made.dataset = "val" + std::to_string(compared);
        for (const auto& row : one.at("scores")) {
            for (const auto& score : row) made.scores.push_back(score);
        }
        const PredictionStore store = save(folder, made, "net", StorageFormat::full_f32, 32);
        for (const auto& [id, value] : one.at("values").items()) {
            std::string text = id + ":empty=counted";
            if (has_threshold(id))
                text += ",scores=sigmoid,threshold=" + one.at("threshold").dump();
            const Measurement m = of(store, text);
            const std::string what = one.at("name").get<std::string>() + ": " + text;
            EXPECT_EQ(m.n, made.rows()) << what;
            EXPECT_EQ(m.key.definition, id + ".with_empty") << what;
            ++compared;
            if (!m.value) {
                EXPECT_EQ(value, 0) << what;
                continue;
            }
            EXPECT_NEAR(*m.value, value.get<double>(), 1e-13) << what;
            EXPECT_TRUE(m.interval) << what;
        }
    }
    EXPECT_EQ(compared, 11U * 17);
}

const std::vector<std::string> thresholded = {"multilabel_precision.micro",
                                              "multilabel_recall.macro",
                                              "multilabel_f1.samples",
                                              "multilabel_f1.weighted",
                                              "exact_match",
                                              "hamming_loss"};
const std::vector<std::string> of_order = {"coverage_error", "ranking_loss",
                                           "label_ranking_average_precision"};

TEST(MultilabelHeads, LogitsAndTheirSigmoidsSayTheSameOnAnyThreads) {
    const Scratch folder;
    const auto logits = save(folder, sigmoid_scores(700, 7, ScoreKind::logits), "logits");
    const auto sigmoids =
        save(folder, sigmoid_scores(700, 7, ScoreKind::probabilities), "sigmoids");
    for (const std::string& metric : thresholded) {
        const Measurement told = of(sigmoids, metric);
        EXPECT_THAT(told.note, HasSubstr("do not sum to 1")) << metric;
        EXPECT_EQ(told.key.parameters.at("scores"), "sigmoid");
        const Measurement same = of(logits, metric + ":scores=sigmoid");
        EXPECT_EQ(told.value, same.value) << metric;
        EXPECT_EQ(told.interval, same.interval) << metric;
        EXPECT_EQ(to_json(same), to_json(of(logits, metric + ":scores=sigmoid", 1))) << metric;
        EXPECT_TRUE(parse_metric(metric).is_of(told.key.definition, told.key.parameters));
    }
    for (const std::string& metric : of_order) {
        EXPECT_EQ(of(logits, metric).value, of(sigmoids, metric).value) << metric;
        EXPECT_EQ(to_json(of(logits, metric)), to_json(of(logits, metric, 1))) << metric;
    }
    // A sigmoid value of one half is a logit of 0, and 80 % is a logit of ln 4.
    std::int64_t reached = 0;
    const Made made = sigmoid_scores(700, 7, ScoreKind::logits);
    std::int64_t right = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        if (made.labels[i].empty()) continue;
        for (std::size_t c = 0; c < 7; ++c) {
            if (made.scores[i * 7 + c] < std::log(4.0F)) continue;
            ++reached;
            right += std::count(made.labels[i].begin(), made.labels[i].end(),
                                static_cast<std::int32_t>(c));
        }
    }
    EXPECT_DOUBLE_EQ(*of(logits, "multilabel_precision.micro:scores=sigmoid,threshold=80").value,
                     static_cast<double>(right) / static_cast<double>(reached));
}

TEST(MultilabelHeads, EachClassMayHaveItsOwnThreshold) {
    const Scratch folder;
    const Made made = sigmoid_scores(700, 3, ScoreKind::probabilities);
    const auto store = save(folder, made, "net");
    const auto logits = save(folder, sigmoid_scores(700, 3, ScoreKind::logits), "logits");
    ScoreOptions options;
    options.given.thresholds = {.2, .5, .8};
    for (const char* text :
         {"multilabel_recall.micro:scores=sigmoid",
          "multilabel_recall.micro:scores=sigmoid,threshold=30", "exact_match:scores=sigmoid"})
        options.metrics.push_back(parse_metric(text));
    const auto own = scored(store, options).measurements;
    std::int64_t labels = 0, found = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        for (const std::int32_t c : made.labels[i]) {
            const auto at = static_cast<std::size_t>(c);
            ++labels;
            found += made.scores[i * 3 + at] >= options.given.thresholds[at] ? 1 : 0;
        }
    }
    EXPECT_DOUBLE_EQ(*own[0].value, static_cast<double>(found) / static_cast<double>(labels));
    EXPECT_EQ(own[0].key.definition, "multilabel_recall.micro.per_class");
    EXPECT_EQ(own[1].value, of(store, "multilabel_recall.micro:scores=sigmoid,threshold=30").value);
    EXPECT_EQ(own[1].key.definition, "multilabel_recall.micro");
    EXPECT_EQ(own[2].key.definition, "exact_match.threshold.per_class");
    EXPECT_EQ(scored(logits, options).measurements[0].value, own[0].value);
    // The reverse: one threshold for all classes.
    options.given.thresholds = {.5, .5, .5};
    EXPECT_EQ(scored(store, options).measurements[2].value,
              of(store, "exact_match:scores=sigmoid").value);
    EXPECT_THAT(of(store, "exact_match:scores=sigmoid,threshold=0").undefined,
                HasSubstr("--threshold-file FILE"));
    options.given.thresholds = {.5};
    EXPECT_THAT(message_of([&] { scored(store, options); }), HasSubstr("thresholds of 1 classes"));
}

TEST(MultilabelHeads, ASoftmaxIsNotReadByAThreshold) {
    const Scratch folder;
    Made made = sigmoid_scores(400, 20, ScoreKind::logits);
    for (std::size_t i = 0; i < made.rows(); ++i) {  // mean near 0, as for a softmax
        made.labels[i] = {static_cast<std::int32_t>(i % 20)};
        for (std::size_t c = 0; c < 20; ++c) {
            float& z = made.scores[i * 20 + c];
            z = z + (z < 0 ? 1.5F : -1.5F) + (c == i % 20 ? 3.0F : 0.0F);
        }
    }
    const auto logits = save(folder, made, "logits");
    made.kind = ScoreKind::probabilities;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        float* const row = &made.scores[i * 20];
        float sum = 0;
        for (std::size_t c = 0; c < 20; ++c) sum += row[c] = std::exp(row[c]);
        for (std::size_t c = 0; c < 20; ++c) row[c] /= sum;
    }
    const auto probabilities = save(folder, made, "probabilities");
    made.kind = ScoreKind::log_probabilities;
    for (float& score : made.scores) score = std::log(score);
    const auto logs = save(folder, made, "logs");
    for (const std::string& metric : thresholded) {
        const std::string name = metric.substr(0, metric.find('.'));
        EXPECT_THAT(of(logits, metric).undefined, HasSubstr(name + ":scores=sigmoid"));
        EXPECT_THAT(of(logits, metric).undefined, HasSubstr("sigmoids would find"));
        EXPECT_THAT(of(probabilities, metric).undefined, HasSubstr("of a row sum to 1"));
        EXPECT_EQ(of(probabilities, metric).n, 400U);
        EXPECT_THAT(of(logs, metric + ":scores=sigmoid").undefined, HasSubstr("log-probabilities"));
        const Measurement forced = of(probabilities, metric + ":scores=sigmoid");
        EXPECT_TRUE(forced.value) << metric;
        EXPECT_THAT(forced.note, HasSubstr("although the scores look like those of one softmax"));
    }
    for (const std::string& metric : of_order) {  // any reading of the scores
        EXPECT_TRUE(of(logits, metric).value) << metric;
        EXPECT_EQ(of(logits, metric).value, of(logs, metric).value) << metric;
    }
}

TEST(MultilabelHeads, LogitsThatFitBothAreAskedAbout) {
    const Scratch folder;
    const auto store = save(folder, sigmoid_scores(300, 7, ScoreKind::logits), "net");
    const std::string message =
        message_of([&] { (void)of(store, "multilabel_f1"); }, ErrorCode::usage);
    EXPECT_THAT(message, HasSubstr("the logits of net may belong to one softmax"));
    EXPECT_THAT(message, HasSubstr("For sigmoids, use multilabel_f1:scores=sigmoid"));
}

TEST(MultilabelHeads, WhatTheScoresDoNotTellIsUndefined) {
    const Scratch folder;
    Made made = sigmoid_scores(100, 7, ScoreKind::probabilities);
    const auto best = save(folder, made, "best", StorageFormat::top_k);
    for (const std::string& metric : thresholded)
        EXPECT_THAT(of(best, metric).undefined, HasSubstr("every class's score is needed"));
    for (const std::string& metric : of_order)
        EXPECT_THAT(of(best, metric).undefined, HasSubstr("every class's score is needed"));
    made.dataset = "none";
    for (auto& set : made.labels) set.clear();
    const auto unlabelled = save(folder, made, "net");
    EXPECT_EQ(of(unlabelled, "multilabel_f1").undefined, "no item has a valid label");
    EXPECT_THAT(of(unlabelled, "multilabel_f1:empty=counted").undefined,
                HasSubstr("no item has a label that shows"));
    // No image has a label, so every predicted label is wrong.
    EXPECT_EQ(of(unlabelled, "multilabel_precision:scores=sigmoid,empty=counted").value, 0);
    EXPECT_THAT(of(unlabelled, "multilabel_recall.micro:scores=sigmoid,empty=counted").undefined,
                HasSubstr("0/0"));
}

TEST(MultilabelHeads, ItemsWithoutLabelsAreLeftOutAndSaid) {
    const Scratch folder;
    const Made made = sigmoid_scores(300, 4, ScoreKind::probabilities);
    const auto empty = static_cast<std::uint64_t>(std::count_if(
        made.labels.begin(), made.labels.end(), [](const auto& set) { return set.empty(); }));
    ASSERT_GT(empty, 10U);
    const auto store = save(folder, made, "net");
    for (const char* name : {"exact_match", "ranking_loss"}) {
        const std::string metric = name;
        const Measurement out = of(store, metric), in = of(store, metric + ":empty=counted");
        EXPECT_EQ(out.n, 300 - empty);
        EXPECT_EQ(out.left_out, empty);
        EXPECT_THAT(out.note, HasSubstr(std::to_string(empty) +
                                        " items without a label are omitted; to count them, as "
                                        "scikit-learn does, use " +
                                        metric + ":empty=counted"));
        EXPECT_EQ(in.n, 300U);
        EXPECT_THAT(in.note, HasSubstr("count as items of no class"));
        EXPECT_NE(out.value, in.value);
        EXPECT_NE(out.key.definition, in.key.definition);
    }
}

TEST(MultilabelHeads, OneClassByItsNumber) {
    const Scratch folder;
    const Made made = sigmoid_scores(200, 4, ScoreKind::probabilities);
    const auto store = save(folder, made, "net");
    double valid = 0, both = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        if (std::count(made.labels[i].begin(), made.labels[i].end(), 2) == 0) continue;
        valid += 1;
        both += made.scores[i * 4 + 2] >= .5F ? 1 : 0;
    }
    const Measurement m = of(store, "multilabel_recall:class=2");
    EXPECT_DOUBLE_EQ(*m.value, both / valid);
    EXPECT_EQ(m.key.definition, "multilabel_recall.one_class");
    EXPECT_THAT(m.note, HasSubstr("class 2: c2"));
    EXPECT_THAT(of(store, "multilabel_recall:class=4").undefined, HasSubstr("classes 0 to 3"));
}

}  // namespace
}  // namespace assay
