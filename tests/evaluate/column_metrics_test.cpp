// Metrics of columns through stores, compared with the probabilities of each row that this file
// computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "core/softmax.h"
#include "metric/curve_tables.h"
#include "saved_scores.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

ScoreOptions columns_of(std::initializer_list<const char*> metrics) {
    ScoreOptions options;
    for (const char* text : metrics) options.metrics.push_back(parse_metric(text));
    return options;
}

// The softmax of the counted rows, as the store's reader computes it.
SetTable probabilities_of(const Made& made, bool sets) {
    SetTable t;
    t.classes = made.classes;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const auto row = std::span(made.scores).subspan(i * made.classes, made.classes);
        const bool there = made.states.empty() || made.states[i] == RowState::ok;
        const bool used = there && (sets ? !made.labels[i].empty() : made.labels[i].size() == 1);
        t.sets.push_back(used ? made.labels[i] : std::vector<std::int32_t>{});
        const float max = scan_row(row, -1).max;
        std::vector<float> p(made.classes);
        exp_row(row, max, static_cast<float>(1 / exp_sums(row, max).sum), p.data());
        t.scores.insert(t.scores.end(), p.begin(), p.end());
    }
    return t;
}

Made with_several_labels(std::size_t rows, std::size_t classes) {
    Made made = made_up(rows, classes, 21);
    for (std::size_t i = 0; i < rows; ++i) {
        const auto more = static_cast<std::int32_t>((i * 7) % classes);
        if (i % 3 == 0 && more != made.labels[i][0]) {
            made.labels[i].push_back(more);
            std::sort(made.labels[i].begin(), made.labels[i].end());
        }
        if (i % 11 == 0) made.labels[i].clear();
    }
    made.states.assign(rows, RowState::ok);
    made.states[5] = RowState::unreadable;
    return made;
}

TEST(ColumnMetrics, CurvesOfAStoreAreThoseOfItsProbabilities) {
    const Made made = with_several_labels(700, 6);
    const Scratch folder;
    const ScoreReport report =
        scored(save(folder, made, "net"),
               columns_of({"auroc", "auroc:average=weighted", "average_precision",
                           "mean_average_precision:scores=probability"}));
    const SetTable single = probabilities_of(made, false), sets = probabilities_of(made, true);
    const auto& list = report.measurements;
    EXPECT_NEAR(*list[0].value, *curve_by_wording(single, Curve::roc, false), 1e-12);
    EXPECT_NEAR(*list[1].value, *curve_by_wording(single, Curve::roc, true), 1e-12);
    EXPECT_NEAR(*list[2].value, *curve_by_wording(single, Curve::precision_recall, false), 1e-12);
    EXPECT_NEAR(*list[3].value, *curve_by_wording(sets, Curve::precision_recall, false), 1e-12);
    EXPECT_EQ(list[0].key.definition, "auroc.one_vs_rest.macro.log_odds.only_valid");
    EXPECT_EQ(list[3].key.definition, "mean_average_precision.label_sets.macro.log_odds");
    EXPECT_GT(list[3].n, list[2].n);
    for (const Measurement& m : list) EXPECT_TRUE(m.interval) << m.key.metric;
}

TEST(ColumnMetrics, StoredScoresRankWhereSigmoidsAreMeant) {
    // In a softmax, the probability of the second class falls with the score of the first. In a
    // sigmoid it does not.
    Made made;
    made.classes = 2;
    made.labels = {{0, 1}, {1}, {0}, {0}};
    made.scores = {9, 2, 0, 1, 3, -1, 2, 0};
    const Scratch folder;
    const auto report =
        scored(save(folder, made, "net"), columns_of({"mean_average_precision:scores=probability",
                                                      "mean_average_precision:scores=stored"}));
    // By the stored scores, class 0 is true for 9, 3, 2 and false for 0, which gives 1. Class 1
    // is true for 2, 1 and false for 0, -1, which gives 1.
    EXPECT_DOUBLE_EQ(*report.measurements[1].value, 1.0);
    // With a softmax, class 1 has z1 - z0 = -7, 1, -4, -2. Its positives are the first and last of
    // four: (1 + 2/4) / 2. Class 0 has 7, -1, 4, 2, which gives 1.
    EXPECT_DOUBLE_EQ(*report.measurements[0].value, (1 + 0.75) / 2);
    EXPECT_EQ(report.measurements[1].key.definition,
              "mean_average_precision.label_sets.macro.stored");
}

TEST(ColumnMetrics, ClassesWithoutItemsAreLeftOutAndCounted) {
    Made made = made_up(120, 4, 3);
    for (std::size_t i = 90; i < 120; ++i) made.labels[i] = {0};
    const Scratch folder;
    const auto report = scored(save(folder, made, "net"), columns_of({"auroc"}));
    EXPECT_THAT(report.measurements[0].note, HasSubstr("3 of 4 classes"));
    EXPECT_NEAR(*report.measurements[0].value,
                *curve_by_wording(probabilities_of(made, false), Curve::roc, false), 1e-12);
    Made one = made_up(40, 3, 3);
    for (auto& label : one.labels) label = {1};
    const auto single =
        scored(save(folder, one, "one", StorageFormat::full_f32, 100, false, "runs2"),
               columns_of({"auroc", "average_precision"}));
    EXPECT_THAT(single.measurements[0].undefined, HasSubstr("one class"));
    EXPECT_EQ(single.measurements[1].value, 1.0);
}

TEST(ColumnMetrics, ReducedStoresSayWhatTheyLack) {
    const Made made = made_up(120, 5, 3);
    const Scratch folder;
    const ScoreOptions options = columns_of({"auroc", "average_precision", "classwise_ece"});
    for (const auto& m :
         scored(save(folder, made, "two", StorageFormat::top_k), options).measurements)
        EXPECT_THAT(m.undefined, HasSubstr("every class's probability")) << m.key.metric;
    for (const auto& m :
         scored(save(folder, made, "label", StorageFormat::label), options).measurements)
        EXPECT_FALSE(m.undefined.empty()) << m.key.metric;
    // Half precision stores the scores of every class.
    for (const auto& m :
         scored(save(folder, made, "half", StorageFormat::full_f16), options).measurements)
        EXPECT_TRUE(m.value && m.interval) << m.key.metric;
}

TEST(ColumnMetrics, SameBitsForAnyThreadsAndRanks) {
    const Made made = with_several_labels(2500, 9);
    const Scratch folder;
    const auto store = save(folder, made, "net");
    ScoreOptions options =
        columns_of({"auroc", "average_precision", "mean_average_precision:scores=stored",
                    "classwise_ece", "temperature_scaled_ece"});
    options.threads = 1;
    const std::string expected = to_json(scored(store, options)).dump();
    options.threads = 3;
    EXPECT_EQ(to_json(scored(store, options)).dump(), expected);
    for (const int ranks : {2, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            if (to_json(score_store(store, options, comm)).dump() != expected)
                throw std::runtime_error("rank differs");
        });
    }
}

TEST(ColumnMetrics, ClassWiseEceOfAStore) {
    // Three of four items with p = .5, .5 (logits 0, 0) are of class 0: |3 - 2| / 4 for both
    // classes.
    Made made;
    made.classes = 2;
    made.scores.assign(8, 0);
    made.labels = {{0}, {0}, {1}, {0}};
    const Scratch folder;
    const auto report = scored(save(folder, made, "net"), columns_of({"classwise_ece"}));
    EXPECT_DOUBLE_EQ(*report.measurements[0].value, 0.25);
    EXPECT_EQ(report.measurements[0].key.definition, "classwise_ece.l1.left_closed");
    EXPECT_THAT(report.measurements[0].note, HasSubstr("noise"));
}

// The loss of one half of the items at a temperature, in plain double arithmetic.
double plain_loss(const Made& made, const std::vector<std::size_t>& items, double temperature) {
    double sum = 0;
    for (const std::size_t i : items) {
        double all = 0;
        const auto label = static_cast<std::size_t>(made.labels[i][0]);
        for (std::size_t c = 0; c < made.classes; ++c)
            all += std::exp(static_cast<double>(made.scores[i * made.classes + c]) / temperature);
        sum += std::log(all) -
               static_cast<double>(made.scores[i * made.classes + label]) / temperature;
    }
    return sum;
}

double plain_temperature(const Made& made, const std::vector<std::size_t>& items) {
    double low = 0.02, high = 50;
    for (int k = 0; k < 200; ++k) {  // this is a golden section search
        const double a = low * std::pow(high / low, 0.382), b = low * std::pow(high / low, 0.618);
        (plain_loss(made, items, a) < plain_loss(made, items, b) ? high : low) =
            plain_loss(made, items, a) < plain_loss(made, items, b) ? b : a;
    }
    return low;
}

TEST(ColumnMetrics, EachHalfIsMeasuredAtTheTemperatureOfTheOther) {
    Made made = made_up(900, 5, 4, 1);
    for (float& z : made.scores) z *= 3;  // the model is overconfident
    const Scratch folder;
    const auto store = save(folder, made, "net");
    std::array<std::vector<std::size_t>, 2> halves;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        RandomStream random(1, fmt::format("temperature half of {}", store.dataset().ids[i]));
        halves[random.next_u32() & 1U].push_back(i);
    }
    EXPECT_GT(halves[0].size(), 400U);
    EXPECT_GT(halves[1].size(), 400U);
    double expected = 0;
    std::vector<double> temperatures;
    for (std::size_t h = 0; h < 2; ++h) {
        const double t = plain_temperature(made, halves[1 - h]);
        temperatures.push_back(plain_temperature(made, halves[h]));
        std::vector<double> gaps(16);
        for (const std::size_t i : halves[h]) {
            double all = 0, best = -1e9;
            std::size_t answer = 0;
            for (std::size_t c = 0; c < made.classes; ++c) {
                const auto z = static_cast<double>(made.scores[i * made.classes + c]);
                all += std::exp(z / t);
                if (z > best) {
                    best = z;
                    answer = c;
                }
            }
            const double p = std::exp(best / t) / all;
            gaps[static_cast<std::size_t>(p * 15)] +=
                p - (answer == static_cast<std::size_t>(made.labels[i][0]) ? 1 : 0);
        }
        for (const double gap : gaps)
            expected += std::abs(gap) / static_cast<double>(halves[h].size()) / 2;
    }
    ScoreOptions options = columns_of({"temperature_scaled_ece", "ece"});
    const auto report = scored(store, options);
    const Measurement& m = report.measurements[0];
    EXPECT_NEAR(*m.value, expected, 2e-5);
    EXPECT_LT(*m.value, *report.measurements[1].value / 3);
    EXPECT_THAT(m.note, HasSubstr(fmt::format("temperatures {:.3f}", temperatures[0])));
    EXPECT_GT(temperatures[0], 2);
    EXPECT_EQ(m.n, 900U);
    ASSERT_TRUE(m.interval);
    EXPECT_EQ(m.key.definition, "temperature_scaled_ece.cross_fitted.left_closed");
    // Another seed gives other halves.
    options.resampling.seed = 2;
    EXPECT_NE(scored(store, options).measurements[0].note, m.note);
}

TEST(ColumnMetrics, TemperaturesOfOddStores) {
    // Everything is correct, so the loss falls with the temperature until it is exactly 0.
    Made perfect = made_up(80, 3, 4);
    for (std::size_t i = 0; i < perfect.rows(); ++i)
        perfect.scores[i * 3 + static_cast<std::size_t>(perfect.labels[i][0])] = 9;
    const Scratch folder;
    const ScoreOptions options = columns_of({"temperature_scaled_ece"});
    const auto sharp = scored(save(folder, perfect, "perfect"), options).measurements[0];
    EXPECT_THAT(sharp.note, HasSubstr("temperatures 0.1"));
    EXPECT_NEAR(*sharp.value, 0, 1e-6);
    // Probabilities give the same temperatures as their logarithms. A label with probability 0
    // has no finite loss.
    Made made = made_up(300, 4, 9);
    Made soft = made;
    soft.kind = ScoreKind::probabilities;
    const SetTable p = probabilities_of(made, false);
    soft.scores.assign(p.scores.begin(), p.scores.end());
    const auto logits =
        scored(save(folder, made, "logits", StorageFormat::full_f32, 100, false, "runs2"), options)
            .measurements[0];
    const auto probabilities =
        scored(save(folder, soft, "soft", StorageFormat::full_f32, 100, false, "runs2"), options)
            .measurements[0];
    EXPECT_NEAR(*logits.value, *probabilities.value, 1e-5);
    soft.scores[static_cast<std::size_t>(soft.labels[7][0]) + 7 * 4] = 0;
    EXPECT_THAT(
        scored(save(folder, soft, "zero", StorageFormat::full_f32, 100, false, "runs2"), options)
            .measurements[0]
            .undefined,
        HasSubstr("labels of 1 items have probability 0, so"));
    EXPECT_THAT(
        scored(save(folder, made, "few", StorageFormat::top_k, 100, false, "runs2"), options)
            .measurements[0]
            .undefined,
        HasSubstr("every class's score"));
}

TEST(ColumnMetrics, FewErrorsGiveNoIntervalOfTheRiskCoverageCurve) {
    for (const std::size_t errors : {9U, 10U}) {
        Made made = made_up(300, 3, 4, 0);
        for (std::size_t i = 0; i < made.rows(); ++i) {
            const auto label = static_cast<std::size_t>(made.labels[i][0]);
            made.scores[i * 3 + label] = i % 30 == 7 && i / 30 < errors ? -5.0F : 5.0F;
        }
        const Scratch folder;
        for (const auto& m :
             scored(save(folder, made, "net"), columns_of({"aurc", "excess_aurc"})).measurements) {
            EXPECT_EQ(m.interval.has_value(), errors == 10) << m.key.metric;
            if (errors == 10) {
                EXPECT_EQ(m.interval->method, "jackknife.log");
            } else {
                EXPECT_THAT(m.note, HasSubstr("9 incorrect, but it needs 10"));
            }
        }
    }
}

}  // namespace
}  // namespace assay
