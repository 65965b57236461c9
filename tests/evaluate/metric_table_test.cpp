// Computes every metric of the table through the engine, also those without their own accumulator
// (ace, calibration_error).
#include <gtest/gtest.h>

#include <cmath>

#include "assay/collective/comm.h"
#include "assay/evaluate/compare.h"
#include "saved_scores.h"

namespace assay {
namespace {

// Some images have several labels, and all predictions follow one of two cues. So every metric has
// items.
Made images() {
    Made made = made_up(600, 5, 11);
    for (std::size_t i = 0; i < made.rows(); i += 3) {
        const std::int32_t other = (made.labels[i][0] + 1) % 5;
        made.labels[i] = {std::min(made.labels[i][0], other), std::max(made.labels[i][0], other)};
    }
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const auto row = std::span(made.scores).subspan(i * 5, 5);
        const auto best = std::max_element(row.begin(), row.end()) - row.begin();
        made.shape.push_back(fmt::format("c{}", i % 4 == 0 ? best : (best + 1) % 5));
        made.texture.push_back(fmt::format("c{}", i % 4 == 0 ? (best + 1) % 5 : best));
    }
    return made;
}

// Inputs that some metrics need in addition to labels: soft labels of all images, a class tree, and
// grades.
GivenTruth given_for(const Made& made) {
    GivenTruth given;
    SoftLabels soft;
    for (const auto& set : made.labels) {
        std::vector<double> weights(5, 1);
        for (const std::int32_t label : set) weights[static_cast<std::size_t>(label)] += 9;
        soft.append(weights);
    }
    given.soft = std::make_shared<const SoftLabels>(std::move(soft));
    given.tree = std::make_shared<const ClassTree>(
        Hierarchy({"root", "one", "two", "c0", "c1", "c2", "c3", "c4"}, {},
                  {{1, 0}, {2, 0}, {3, 1}, {4, 1}, {5, 2}, {6, 2}, {7, 2}}, "made up"),
        ClassList({"c0", "c1", "c2", "c3", "c4"}));
    given.grades = {0, 1, 2, 3, 4};
    return given;
}

// Every variant of every row, except the rows for two classes (binary_score_test.cpp).
std::vector<MetricRequest> all_requests() {
    std::vector<MetricRequest> list;
    for (const MetricFacts& facts : metric_table()) {
        if (facts.name.starts_with("binary_")) continue;
        for (const Parameters& variant : facts.variants) {
            list.push_back(request_of(facts.name));
            for (const auto& [name, value] : variant) list.back().parameters[name] = value;
            if (list.back().every_count()) list.back().parameters["g"] = "2";
            if (list.back().parameters.contains("subgroups"))
                list.back().parameters["subgroups"] = "1,2";
        }
    }
    return list;
}

TEST(MetricTable, EveryRowMeasuresAStore) {
    const Scratch folder;
    const PredictionStore store = save(folder, images(), "net");
    ScoreOptions options;
    options.metrics = all_requests();
    options.given = given_for(images());
    options.null_draws = 20;
    const auto comm = self_comm();
    const ScoreReport report = score_store(store, options, *comm);
    ASSERT_EQ(report.measurements.size(), options.metrics.size());
    Shape shape;
    shape.only_valid = true;  // 200 images have two labels of their own
    for (std::size_t i = 0; i < options.metrics.size(); ++i) {
        const MetricFacts& facts = *options.metrics[i].facts;
        const Measurement& m = report.measurements[i];
        const std::string text = options.metrics[i].text();
        ASSERT_TRUE(m.value) << text << ": " << m.undefined;
        EXPECT_EQ(m.key.metric, options.metrics[i].name());
        EXPECT_EQ(m.key.definition, options.metrics[i].definition(shape));
        EXPECT_GE(*m.value, facts.low) << text;
        EXPECT_LE(*m.value, facts.high) << text;
        EXPECT_EQ(m.unit, facts.unit) << text;
        EXPECT_EQ(m.higher_is_better, facts.higher_is_better) << text;
        ASSERT_TRUE(m.interval) << text;
        EXPECT_LE(m.interval->low, *m.value) << text;
        EXPECT_GE(m.interval->high, *m.value) << text;
        EXPECT_GE(m.interval->low, facts.low) << text;
        EXPECT_LE(m.interval->high, facts.high) << text;
        EXPECT_EQ(m.calibrated_null.has_value(), facts.calibrated_null) << text;
        // 400 images have one label, and 200 have two.
        const bool sets = (facts.needs & static_cast<unsigned>(Needs::label_sets)) != 0;
        const bool soft = (facts.needs & static_cast<unsigned>(Needs::soft_labels)) != 0;
        if (m.key.definition.ends_with(".mistakes" + std::string(only_valid_ending))) continue;
        EXPECT_EQ(m.n, facts.with_cues || soft     ? 600U
                       : !sets                     ? 400U
                       : facts.by_labels_per_image ? 200U
                                                   : 600U)
            << text;
    }
}

TEST(MetricTable, EveryRowIsPaired) {
    const Scratch folder;
    Made better = images();
    for (std::size_t i = 0; i < better.rows(); ++i)
        better.scores[i * 5 + static_cast<std::size_t>(better.labels[i][0])] += 0.5F;
    const PredictionStore one = save(folder, images(), "net"), two = save(folder, better, "better");
    CompareOptions options;
    options.score.metrics = all_requests();
    options.score.given = given_for(images());
    const std::vector<const PredictionStore*> candidates{&two};
    const auto comm = self_comm();
    const auto reports = compare_stores(one, candidates, options, *comm);
    ASSERT_EQ(reports.size(), 1U);
    ASSERT_EQ(reports[0].metrics.size(), options.score.metrics.size());
    for (std::size_t i = 0; i < reports[0].metrics.size(); ++i) {
        const PairedMetric& pair = reports[0].metrics[i];
        const std::string text = options.score.metrics[i].text();
        const PairedTest test = options.score.metrics[i].facts->paired;
        EXPECT_TRUE(pair.difference.interval) << text << ": " << pair.difference.undefined;
        ASSERT_TRUE(pair.p) << text;
        EXPECT_GE(*pair.p, 0) << text;
        EXPECT_LE(*pair.p, 1) << text;
        const bool counted =
            test == PairedTest::mcnemar_top_k || test == PairedTest::mcnemar_in_set;
        EXPECT_EQ(pair.counts.has_value(), counted) << text;
        EXPECT_EQ(pair.test == "paired.t", test == PairedTest::agreement) << text;
    }
}

}  // namespace
}  // namespace assay
