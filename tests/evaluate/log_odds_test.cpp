// Ranking metrics use the full precision of the scores. In these data sets 32-bit probabilities
// tie. The reference is an implementation with 60 digits (tests/metric/make_log_odds_fixtures.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/ood.h"
#include "assay/store/memory_store.h"
#include "message_of.h"
#include "metric/separation.h"
#include "saved_scores.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double impossible = -std::numeric_limits<double>::infinity();

struct OddsWorld {
    std::string name;
    Made made;
    std::vector<double> scores;
    bool doubles = false;
    json values;
};

std::vector<OddsWorld> odds_worlds() {
    std::vector<OddsWorld> list;
    const json fixture =
        json::parse(std::ifstream(ASSAY_SOURCE_DIR "/tests/metric/fixtures/log_odds.json"));
    for (const json& one : fixture.at("worlds")) {
        OddsWorld& world = list.emplace_back();
        world.name = one.at("name");
        world.doubles = one.at("double");
        world.values = one.at("values");
        if (one.at("kind") == "probabilities") world.made.kind = ScoreKind::probabilities;
        world.made.classes = one.at("scores").at(0).size();
        for (const json& row : one.at("scores")) {
            RowState state = RowState::ok;
            for (const json& x : row) {
                world.scores.push_back(x.is_null()     ? nothing
                                       : x.is_string() ? impossible
                                                       : x.get<double>());
                if (x.is_null()) state = RowState::not_finite;
            }
            world.made.states.push_back(state);
        }
        for (const double x : world.scores) world.made.scores.push_back(static_cast<float>(x));
        for (const json& label : one.at("labels"))
            world.made.labels.push_back({label.get<std::int32_t>()});
    }
    return list;
}

PredictionStore in_memory(const OddsWorld& world) {
    MemoryStoreOptions options;
    options.kind = world.made.kind;
    for (const auto& labels : world.made.labels) options.labels.append(labels);
    const auto classes = static_cast<std::uint32_t>(world.made.classes);
    ScoreMatrix matrix{
        world.made.scores.data(), NumberType::f4, world.made.rows(), classes, classes * 4, 4};
    if (world.doubles) {
        matrix.data = world.scores.data();
        matrix.type = NumberType::f8;
        matrix.row_stride = classes * 8;
        matrix.column_stride = 8;
    }
    return PredictionStore::in_memory(matrix, options);
}

ScoreOptions order_metrics() {
    ScoreOptions options;
    for (const char* text : {"auroc", "average_precision", "aurc", "accuracy_at_20"})
        options.metrics.push_back(parse_metric(text));
    return options;
}

void expect_values(const ScoreReport& report, const OddsWorld& world) {
    for (const Measurement& m : report.measurements) {
        const json& value = world.values.at(m.key.metric);
        ASSERT_EQ(m.value.has_value(), !value.is_null()) << world.name << ' ' << m.key.metric;
        if (m.value) {
            EXPECT_NEAR(*m.value, value.get<double>(), 1e-12) << world.name << ' ' << m.key.metric;
        }
    }
}

TEST(LogOdds, OrderMetricsAreThoseOfSixtyDigits) {
    const Scratch folder;
    int files = 0, memories = 0;
    for (const OddsWorld& world : odds_worlds()) {
        expect_values(scored(in_memory(world), order_metrics()), world);
        ++memories;
        if (world.doubles) continue;
        // Shards of 10 rows are parts of a stretch.
        expect_values(scored(save(folder, world.made, "net", StorageFormat::full_f32, 10, false,
                                  fmt::format("runs{}", files++)),
                             order_metrics()),
                      world);
    }
    EXPECT_EQ(files, 16);
    EXPECT_EQ(memories, 18);
}

TEST(LogOdds, SameBitsForAnyThreadsAndRanks) {
    for (const OddsWorld& world : odds_worlds()) {
        const PredictionStore store = in_memory(world);
        ScoreOptions options = order_metrics();
        options.threads = 1;
        const std::string expected = to_json(scored(store, options)).dump();
        options.threads = 3;
        EXPECT_EQ(to_json(scored(store, options)).dump(), expected) << world.name;
        for (const int ranks : {2, 3}) {
            run_thread_ranks(ranks, [&](Comm& comm) {
                if (to_json(score_store(store, options, comm)).dump() != expected)
                    throw std::runtime_error("rank differs: " + world.name);
            });
        }
    }
}

TEST(LogOdds, TheIdsSayWhatRanks) {
    const Scratch folder;
    Made made = made_up(60, 4, 5);
    const auto list = scored(save(folder, made, "net"), order_metrics()).measurements;
    EXPECT_EQ(list[0].key.definition, "auroc.one_vs_rest.macro.log_odds");
    EXPECT_EQ(list[1].key.definition, "average_precision.one_vs_rest.macro.log_odds");
    EXPECT_EQ(list[2].key.definition, "aurc.mean_risk.log_odds");
    EXPECT_EQ(list[3].key.definition, "accuracy_at_coverage.most_confident.log_odds");
    // The Kolmogorov-Smirnov error sums probabilities, so it keeps their order.
    ScoreOptions ks;
    ks.metrics = {parse_metric("calibration_ks")};
    EXPECT_EQ(scored(save(folder, made, "two"), ks).measurements[0].key.definition,
              "calibration_ks.running_sums");
}

TEST(LogOdds, RoundedStoresSaySo) {
    const Scratch folder;
    for (const OddsWorld& world : odds_worlds()) {
        if (world.name != "a sure network") continue;
        const auto noted = [&](StorageFormat storage, const char* runs) {
            return scored(save(folder, world.made, "net", storage, 100, false, runs, 3),
                          order_metrics())
                .measurements;
        };
        for (const Measurement& m : noted(StorageFormat::full_f16, "half"))
            EXPECT_THAT(m.note, HasSubstr("16-bit scores")) << m.key.metric;
        const auto label = noted(StorageFormat::label, "label");
        EXPECT_THAT(label[2].note, HasSubstr("32-bit confidences"));
        // Confidences of 1 tie, although the log-odds differ.
        EXPECT_GT(std::abs(*label[2].value - world.values.at("aurc").get<double>()), 1e-3);
        // The best three scores and the log-sum-exp of all give the same as all classes.
        const auto top = noted(StorageFormat::top_k, "top");
        EXPECT_NEAR(*top[2].value, world.values.at("aurc").get<double>(), 1e-12);
        EXPECT_NEAR(*top[3].value, world.values.at("accuracy_at_20").get<double>(), 1e-12);
        EXPECT_TRUE(top[2].note.empty()) << top[2].note;
        return;
    }
    FAIL() << "no such world";
}

TEST(LogOdds, MapsRankByTheClassesTheyLeave) {
    // Without the third class, the second item has the same confidence as the first, and the third
    // has more.
    Made made;
    made.classes = 3;
    made.scores = {3, 1, -9, 3, 1, 2, 60, 1, 60};
    made.labels = {{0}, {1}, {0}};
    const Scratch folder;
    ScoreOptions options = order_metrics();
    options.metrics = {parse_metric("aurc")};
    // Item 3 is first (error 0 of 1). Items 1 and 2 tie and share one error: 1/2 / 2, then 1 / 3.
    options.map = ClassMap{};
    options.map->name = "two";
    options.map->targets = ClassList({"a", "b"});
    options.map->target_of = {0, 1, -1};
    options.map->decision = ClassMap::Decision::restrict_;
    EXPECT_NEAR(*scored(save(folder, made, "net"), options).measurements[0].value,
                (0 + 0.5 / 2 + 1.0 / 3) / 3, 1e-15);
}

TEST(LogOdds, OutOfDistributionScoresTellSureImagesApart) {
    const auto numbers = [](const Made& made) {
        std::vector<double> list;
        for (std::size_t i = 0; i < made.rows(); ++i)
            list.push_back(static_cast<double>(made.scores[2 * i]) -
                           static_cast<double>(made.scores[2 * i + 1]));
        return list;
    };
    Made in, out;
    out.dataset = "others";
    for (Made* made : {&in, &out}) made->classes = 2;
    for (int i = 0; i < 40; ++i) {
        in.scores.insert(in.scores.end(), {static_cast<float>(800 + i), 0.0F});
        out.scores.insert(out.scores.end(), {static_cast<float>(780 + i), 0.0F});
        in.labels.push_back({0});
        out.labels.emplace_back();
    }
    const Scratch folder;
    for (const auto storage : {StorageFormat::full_f32, StorageFormat::top_k}) {
        const std::string runs(name_of(storage));
        const auto list =
            measure_ood(save(folder, in, "net", storage, 100, false, runs),
                        save(folder, out, "net", storage, 100, false, runs), 0.95, 2, *self_comm());
        EXPECT_EQ(list[0].key.definition, "ood_auroc.max_softmax.log_odds");
        EXPECT_DOUBLE_EQ(*list[0].value, *separation(numbers(in), numbers(out), 0.95).auroc.value);
        EXPECT_GT(*list[0].value, 0.8);
    }
}

// With label sets, the scores show whether to rank by softmax or sigmoid, or an option selects it.
Made label_sets_of(double level, ScoreKind kind = ScoreKind::logits) {
    Made made = made_up(200, 40, 9, 3);
    made.kind = kind;
    for (float& z : made.scores) z += static_cast<float>(level);
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const auto more = static_cast<std::int32_t>((i * 7) % 40);
        if (i % 2 == 0 && more != made.labels[i][0]) made.labels[i].push_back(more);
        std::sort(made.labels[i].begin(), made.labels[i].end());
    }
    return made;
}

Measurement mean_average_precision(const PredictionStore& store, const char* text) {
    ScoreOptions options;
    options.metrics = {parse_metric(text)};
    return scored(store, options).measurements.at(0);
}

TEST(LogOdds, LabelSetsOfLogitsAreReadAsTheyTellOrAskedFor) {
    const Scratch folder;
    // Logits with mean 0 must come from a softmax, because sigmoids would predict half of the 40
    // classes.
    const auto soft = save(folder, label_sets_of(0), "soft");
    const Measurement told = mean_average_precision(soft, "mean_average_precision");
    EXPECT_EQ(told.key.definition, "mean_average_precision.label_sets.macro.log_odds");
    EXPECT_EQ(told.key.parameters.at("scores"), "probability");
    EXPECT_THAT(told.note, HasSubstr("softmax"));
    EXPECT_EQ(told.value,
              mean_average_precision(soft, "mean_average_precision:scores=probability").value);
    // If all logits are lower by six, sigmoids predict one or two labels, while the softmax does
    // not change.
    const auto low = save(folder, label_sets_of(-6), "low");
    const std::string message = message_of(
        [&] { (void)mean_average_precision(low, "mean_average_precision"); }, ErrorCode::usage);
    EXPECT_THAT(message, HasSubstr("mean_average_precision:scores=probability"));
    EXPECT_THAT(message, HasSubstr("mean_average_precision:scores=stored"));
    EXPECT_THAT(message, HasSubstr("low"));
    const Measurement sigmoids =
        mean_average_precision(low, "mean_average_precision:scores=stored");
    EXPECT_EQ(sigmoids.key.definition, "mean_average_precision.label_sets.macro.stored");
    EXPECT_NE(sigmoids.value, told.value);
}

TEST(LogOdds, LabelSetsOfProbabilitiesTellBySumsOfOne) {
    const Scratch folder;
    Made made = label_sets_of(-4, ScoreKind::probabilities);
    for (float& z : made.scores) z = 1 / (1 + std::exp(-z));
    const auto sigmoids = save(folder, made, "sigmoids");
    const Measurement stored = mean_average_precision(sigmoids, "mean_average_precision");
    EXPECT_EQ(stored.key.definition, "mean_average_precision.label_sets.macro.stored");
    EXPECT_THAT(stored.note, HasSubstr("sigmoid"));
    for (std::size_t i = 0; i < made.rows(); ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < 40; ++c) sum += made.scores[i * 40 + c];
        for (std::size_t c = 0; c < 40; ++c) made.scores[i * 40 + c] /= sum;
    }
    const auto softmax = save(folder, made, "softmax");
    EXPECT_EQ(mean_average_precision(softmax, "mean_average_precision").key.definition,
              "mean_average_precision.label_sets.macro.log_odds");
    // Values from softmax and from sigmoid are not compared.
    CompareOptions options;
    options.score.metrics = {parse_metric("mean_average_precision")};
    const std::string message =
        message_of([&] { (void)compared(sigmoids, softmax, options); }, ErrorCode::usage);
    EXPECT_THAT(message, HasSubstr("scores=probability"));
    // A gate without `scores` accepts both kinds.
    EXPECT_TRUE(
        parse_metric("mean_average_precision").is_of(stored.key.definition, stored.key.parameters));
    EXPECT_FALSE(parse_metric("mean_average_precision:scores=probability")
                     .is_of(stored.key.definition, stored.key.parameters));
}

}  // namespace
}  // namespace assay
