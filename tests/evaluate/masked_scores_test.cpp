// Scores of minus infinity from masks, and predictions without scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// A tenth of all entries is masked. With `spare_label`, the label's entry is never masked.
Made masked(std::size_t rows, std::size_t classes, bool spare_label) {
    Made made = made_up(rows, classes, 7, 1.5);
    RandomStream random(8, "mask");
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t c = 0; c < classes; ++c) {
            const bool label = made.labels[i][0] == static_cast<std::int32_t>(c);
            if (random.uniform() < 0.1 && !(label && spare_label))
                made.scores[i * classes + c] = minus_infinity;
        }
    }
    return made;
}

ScoreReport all_metrics(const PredictionStore& store) {
    ScoreOptions options;
    options.threads = 2;
    for (const auto& facts : metric_table())
        options.metrics.push_back(parse_metric(std::string(facts.name)));
    return score_store(store, options, *self_comm());
}

TEST(MaskedScores, NoRowIsLostAndEveryMetricIsDefinedOrSaysWhyNot) {
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        for (const bool spare_label : {true, false}) {
            SCOPED_TRACE(std::string(name_of(storage)) + (spare_label ? " spared" : ""));
            const Scratch folder;
            const auto store = save(folder, masked(600, 20, spare_label), "net", storage);
            const ScoreReport report = all_metrics(store);
            EXPECT_EQ(report.counts.scored, 600U);
            EXPECT_EQ(report.counts.not_finite, 0U);
            for (const Measurement& m : report.measurements) {
                SCOPED_TRACE(m.key.definition);
                EXPECT_NE(m.value.has_value(), !m.undefined.empty());
                if (m.value) {
                    EXPECT_TRUE(std::isfinite(*m.value));
                }
            }
            if (storage != StorageFormat::full_f32 && storage != StorageFormat::full_f16) continue;
            const Measurement& nll = find(report.measurements, "nll");
            EXPECT_EQ(nll.value.has_value(), spare_label);
            if (!spare_label) {
                EXPECT_THAT(nll.undefined, HasSubstr("the loss is infinite"));
            }
            for (const char* name : {"top1", "brier", "ece", "ace", "class_balance"})
                EXPECT_TRUE(find(report.measurements, name).value) << name;
        }
    }
}

TEST(MaskedScores, AgreeWithPlainArithmetic) {
    const Made made = masked(600, 20, true);
    const Scratch folder;
    const ScoreReport report = all_metrics(save(folder, made, "net"));
    double top1 = 0, nll = 0, brier = 0;
    for (std::size_t i = 0; i < 600; ++i) {
        const float* x = made.scores.data() + i * 20;
        const auto y = static_cast<std::size_t>(made.labels[i][0]);
        double sum = 0;
        for (std::size_t c = 0; c < 20; ++c) sum += std::exp(static_cast<double>(x[c]));
        for (std::size_t c = 0; c < 20; ++c) {
            const double p = std::exp(static_cast<double>(x[c])) / sum;
            brier += (p - (c == y ? 1 : 0)) * (p - (c == y ? 1 : 0));
        }
        nll -= std::log(std::exp(static_cast<double>(x[y])) / sum);
        top1 += std::max_element(x, x + 20) == x + y ? 1 : 0;
    }
    EXPECT_NEAR(*find(report.measurements, "top1").value, top1 / 600, 1e-12);
    EXPECT_NEAR(*find(report.measurements, "nll").value, nll / 600, 1e-6);
    EXPECT_NEAR(*find(report.measurements, "brier").value, brier / 600, 1e-6);
}

TEST(MaskedScores, CompareLosesNone) {
    const Scratch folder;
    const auto a = save(folder, masked(600, 20, false), "a");
    const auto b = save(folder, made_up(600, 20, 9), "b");
    const std::vector<const PredictionStore*> candidates = {&b};
    const auto pairs = compare_stores(a, candidates, {}, *self_comm());
    EXPECT_EQ(pairs.at(0).items, 600U);
    EXPECT_EQ(pairs.at(0).not_scored, 0U);
}

TEST(PredictedClassesAlone, OnlyWhatTheyTellIsMeasured) {
    const Scratch folder;
    Made made = made_up(300, 5, 3);
    const Dataset dataset = dataset_of(made);
    StoreSpec spec;
    spec.dataset_name = "val";
    spec.model_name = "net";
    spec.rows = 300;
    spec.classes = 5;
    spec.kind = ScoreKind::labels;
    spec.storage = StorageFormat::label;
    spec.ids_hash = dataset.ids_fingerprint();
    StoreWriter writer = StoreWriter::open(folder / "runs", spec, dataset);
    std::vector<TopEntry> entries;
    std::uint64_t correct = 0;
    for (std::size_t i = 0; i < 300; ++i) {
        const auto best = std::max_element(made.scores.begin() + static_cast<long>(i) * 5,
                                           made.scores.begin() + static_cast<long>(i) * 5 + 5);
        const auto cls = static_cast<std::int32_t>(best - made.scores.begin()) -
                         static_cast<std::int32_t>(i) * 5;
        correct += cls == made.labels[i][0] ? 1 : 0;
        entries.push_back({cls, 1.0F});
    }
    writer.write_entries(0, entries, std::vector<RowState>(300, RowState::ok), {}, "");
    writer.finish();
    const ScoreReport report = all_metrics(PredictionStore::open(folder.path() / "runs/val/net"));
    EXPECT_EQ(find(report.measurements, "top1").value, static_cast<double>(correct) / 300);
    EXPECT_TRUE(find(report.measurements, "balanced").value);
    // Class predictions have no probabilities. If each counted as 1, these metrics would have
    // misleading values.
    for (const char* name : {"nll", "brier", "ece", "ace", "confidence", "overconfidence",
                             "class_confidence_balance", "class_balance", "calibration_error"}) {
        const Measurement& m = find(report.measurements, name);
        EXPECT_FALSE(m.value) << name;
        EXPECT_FALSE(m.undefined.empty()) << name;
    }
    EXPECT_THAT(find(report.measurements, "ece").undefined, HasSubstr("only predicted classes"));
}

}  // namespace
}  // namespace assay
