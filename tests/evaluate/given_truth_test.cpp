// Compares metrics of soft labels, class trees and grades with NumPy, SciPy and scikit-learn, for
// several threads and ranks, and with missing inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

nlohmann::json given_truth_fixture() {
    std::ifstream file(ASSAY_SOURCE_DIR "/tests/metric/fixtures/given_truth.json");
    return nlohmann::json::parse(file);
}

std::shared_ptr<const ClassTree> tree_of(const nlohmann::json& parents,
                                         const std::vector<std::string>& classes) {
    std::vector<std::string> ids = {"root"};
    for (const auto& [child, parent] : parents.items()) ids.push_back(child);
    std::vector<Hierarchy::Edge> edges;
    const auto place = [&](const std::string& id) {
        return static_cast<std::uint32_t>(std::ranges::find(ids, id) - ids.begin());
    };
    for (const auto& [child, parent] : parents.items())
        edges.push_back({place(child), place(parent.get<std::string>())});
    return std::make_shared<const ClassTree>(Hierarchy(ids, {}, edges, "made up"),
                                             ClassList(classes));
}

struct GivenCase {
    Made made;
    GivenTruth given;
};

GivenCase case_of(const nlohmann::json& fixture, const nlohmann::json& one) {
    GivenCase out;
    out.made.class_ids = fixture.at("classes").get<std::vector<std::string>>();
    out.made.classes = out.made.class_ids.size();
    for (const std::int32_t label : one.at("labels")) out.made.labels.push_back({label});
    for (const auto& row : one.at("scores"))
        for (const float score : row) out.made.scores.push_back(score);
    SoftLabels soft;
    for (const auto& row : one.at("counts")) soft.append(row.get<std::vector<double>>());
    out.given.soft = std::make_shared<const SoftLabels>(std::move(soft));
    out.given.tree = tree_of(fixture.at("parents"), out.made.class_ids);
    out.given.grades.resize(out.made.classes);
    const auto order = one.at("order").get<std::vector<std::size_t>>();
    for (std::size_t grade = 0; grade < order.size(); ++grade)
        out.given.grades[order[grade]] = static_cast<std::int32_t>(grade);
    return out;
}

ScoreOptions options_of(const GivenTruth& given, const std::vector<std::string>& metrics) {
    ScoreOptions options;
    options.given = given;
    for (const std::string& text : metrics) options.metrics.push_back(parse_metric(text));
    return options;
}

TEST(GivenTruth, ValuesAreThoseOfNumpyAndScikitLearn) {
    const nlohmann::json fixture = given_truth_fixture();
    ASSERT_EQ(fixture.at("cases").size(), 4U);
    int compared = 0;
    for (const auto& one : fixture.at("cases")) {
        const Scratch folder;
        const GivenCase given = case_of(fixture, one);
        const PredictionStore store = save(folder, given.made, "net", StorageFormat::full_f32, 32);
        for (const auto& [id, value] : one.at("values").items()) {
            const Measurement m = scored(store, options_of(given.given, {id})).measurements.at(0);
            const std::string what = one.at("name").get<std::string>() + ": " + id;
            ++compared;
            if (value.is_null()) {
                EXPECT_FALSE(m.value) << what;
                continue;
            }
            ASSERT_TRUE(m.value) << what << ": " << m.undefined;
            EXPECT_NEAR(*m.value, value.get<double>(), 1e-12) << what;
            ASSERT_TRUE(m.interval) << what;
            EXPECT_LE(m.interval->low, *m.value) << what;
            EXPECT_GE(m.interval->high, *m.value) << what;
            EXPECT_EQ(m.n, id.ends_with("mistakes") ? one.at("mistakes").get<std::uint64_t>()
                                                    : given.made.rows())
                << what;
        }
    }
    EXPECT_EQ(compared, 4 * 15);
}

const std::vector<std::string> given_metrics = {"soft_accuracy",
                                                "soft_top1",
                                                "soft_cross_entropy",
                                                "soft_divergence",
                                                "soft_brier",
                                                "level_accuracy",
                                                "ancestor_height.mistakes",
                                                "tree_distance",
                                                "ordinal_error",
                                                "quadratic_kappa",
                                                "within_one"};

TEST(GivenTruth, TheSameBitsOnAnyThreadsAndRanks) {
    const nlohmann::json fixture = given_truth_fixture();
    const Scratch folder;
    const GivenCase given = case_of(fixture, fixture.at("cases").at(2));
    const PredictionStore store = save(folder, given.made, "net");
    ScoreOptions options = options_of(given.given, given_metrics);
    options.threads = 1;
    const std::string alone = to_json(scored(store, options)).dump();
    options.threads = 3;
    EXPECT_EQ(to_json(scored(store, options)).dump(), alone);
    for (const int ranks : {2, 3, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            if (to_json(score_store(store, options, comm)).dump() != alone)
                throw std::runtime_error(fmt::format("rank {} differs", comm.rank()));
        });
    }
}

TEST(GivenTruth, ALevelForEachThatTellsClassesApart) {
    const nlohmann::json fixture = given_truth_fixture();
    const Scratch folder;
    const GivenCase given = case_of(fixture, fixture.at("cases").at(1));
    const PredictionStore store = save(folder, given.made, "net");
    const auto list = scored(store, options_of(given.given, {"level_accuracy"})).measurements;
    // at level 4 every class is its own ancestor, so the metric equals top1
    ASSERT_EQ(list.size(), 3U);
    for (std::size_t i = 0; i < list.size(); ++i)
        EXPECT_EQ(list[i].key.parameters.at("level"), std::to_string(i + 1));
    EXPECT_EQ(list[0].note, "2 ancestors of 6 classes");
    EXPECT_GE(*list[0].value, *list[1].value);
    EXPECT_GE(*list[1].value, *list[2].value);
    const auto deepest =
        scored(store, options_of(given.given, {"level_accuracy:level=4", "top1"})).measurements;
    EXPECT_EQ(deepest[0].value, deepest[1].value);
    const auto below =
        scored(store, options_of(given.given, {"level_accuracy:level=5"})).measurements.at(0);
    EXPECT_THAT(below.undefined, HasSubstr("is at level 4"));
}

TEST(GivenTruth, WithoutItMetricsSayWhatIsMissing) {
    const Scratch folder;
    const PredictionStore store = save(folder, made_up(60, 3, 1), "net");
    for (const auto& [metric, missing] :
         std::vector<std::pair<std::string, std::string>>{{"soft_brier", "--labels FILE"},
                                                          {"level_accuracy", "--hierarchy FILE"},
                                                          {"tree_distance", "--hierarchy FILE"},
                                                          {"quadratic_kappa", "--ordinal"}}) {
        const Measurement m = scored(store, options_of({}, {metric})).measurements.at(0);
        EXPECT_FALSE(m.value) << metric;
        EXPECT_THAT(m.undefined, HasSubstr(missing)) << metric;
    }
    // None of these metrics is measured by default.
    for (const Measurement& m : scored(store).measurements)
        EXPECT_THAT(given_metrics, ::testing::Not(::testing::Contains(m.key.metric)));
}

TEST(GivenTruth, ShownByDefaultWhereItIsGiven) {
    const nlohmann::json fixture = given_truth_fixture();
    const Scratch folder;
    const GivenCase given = case_of(fixture, fixture.at("cases").at(1));
    const PredictionStore store = save(folder, given.made, "net");
    const auto names_with = [&](const GivenTruth& some) {
        ScoreOptions options;
        options.given = some;
        std::vector<std::string> names;
        for (const Measurement& m : scored(store, options).measurements)
            names.push_back(m.key.metric);
        return names;
    };
    const std::size_t usual = names_with({}).size();
    EXPECT_EQ(names_with({.soft = given.given.soft}).size(), usual + 5);
    EXPECT_EQ(names_with({.tree = given.given.tree}).size(), usual + 3 + 2 + 2);
    EXPECT_EQ(names_with({.grades = given.given.grades}).size(), usual + 3);
}

TEST(GivenTruth, OnlySoftLabelsAreEnough) {
    const nlohmann::json fixture = given_truth_fixture();
    const Scratch folder;
    GivenCase given = case_of(fixture, fixture.at("cases").at(1));
    for (auto& set : given.made.labels) set.clear();
    const PredictionStore store = save(folder, given.made, "net");
    ScoreOptions options;
    options.given.soft = given.given.soft;
    const ScoreReport report = scored(store, options);
    ASSERT_EQ(report.measurements.size(), 5U);
    for (const Measurement& m : report.measurements) EXPECT_TRUE(m.value) << m.key.metric;
}

TEST(GivenTruth, ItemsWithoutASoftLabelAreLeftOut) {
    const Scratch folder;
    const PredictionStore store = save(folder, made_up(4, 2, 1), "net");
    SoftLabels soft;
    for (const std::vector<double>& row :
         std::vector<std::vector<double>>{{.5, .5}, {0, 0}, {1, 0}, {.25, .75}})
        soft.append(row);
    GivenTruth given;
    given.soft = std::make_shared<const SoftLabels>(std::move(soft));
    const Measurement m = scored(store, options_of(given, {"soft_top1"})).measurements.at(0);
    EXPECT_EQ(m.n, 3U);
    EXPECT_EQ(m.left_out, 1U);
}

TEST(GivenTruth, AProbabilityOfZeroIsAnInfiniteLoss) {
    const Scratch folder;
    Made made = made_up(2, 2, 1);
    made.scores = {1, 0, .5, .5};
    made.kind = ScoreKind::probabilities;
    const PredictionStore store = save(folder, made, "net");
    SoftLabels soft;
    soft.append(std::vector<double>{.5, .5});
    soft.append(std::vector<double>{.5, .5});
    GivenTruth given;
    given.soft = std::make_shared<const SoftLabels>(std::move(soft));
    const auto list =
        scored(store, options_of(given, {"soft_cross_entropy", "soft_divergence", "soft_brier"}))
            .measurements;
    EXPECT_THAT(list[0].undefined, HasSubstr("in 1 items: the loss is infinite"));
    EXPECT_FALSE(list[1].value);
    EXPECT_DOUBLE_EQ(*list[2].value, .25);  // the value is ((.5^2 + .5^2) + 0) / 2
}

TEST(GivenTruth, StoresOfPredictedClassesHaveWhatNeedsNoMore) {
    const nlohmann::json fixture = given_truth_fixture();
    const Scratch folder;
    const GivenCase given = case_of(fixture, fixture.at("cases").at(1));
    const PredictionStore full = save(folder, given.made, "full"),
                          label = save(folder, given.made, "label", StorageFormat::label);
    const auto all = scored(full, options_of(given.given, given_metrics)).measurements;
    const auto few = scored(label, options_of(given.given, given_metrics)).measurements;
    ASSERT_EQ(all.size(), few.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& metric = all[i].key.metric;
        const bool losses =
            metric == "soft_cross_entropy" || metric == "soft_divergence" || metric == "soft_brier";
        EXPECT_EQ(few[i].value.has_value(), !losses) << metric;
        if (!losses) {
            EXPECT_EQ(few[i].value, all[i].value) << metric;
        }
    }
}

TEST(GivenTruth, IsCarriedOverToACandidateInAnotherOrder) {
    const nlohmann::json fixture = given_truth_fixture();
    const Scratch folder;
    const GivenCase given = case_of(fixture, fixture.at("cases").at(1));
    Made made = given.made;
    for (std::size_t i = 0; i < made.rows(); ++i) made.ids.push_back(fmt::format("i{:03}", i));
    Made turned = made;
    std::ranges::reverse(turned.ids);
    std::ranges::reverse(turned.labels);
    for (std::size_t i = 0; i < made.rows(); ++i)
        std::copy_n(made.scores.end() - static_cast<std::ptrdiff_t>((i + 1) * 6), 6,
                    turned.scores.begin() + static_cast<std::ptrdiff_t>(i * 6));
    // Uses another folder, because a data set can have only one order.
    const PredictionStore one = save(folder, made, "net"),
                          two = save(folder, turned, "turned", StorageFormat::full_f32, 100, false,
                                     "turned");
    CompareOptions options;
    options.score = options_of(given.given, given_metrics);
    const PairReport report = compared(one, two, options);
    ASSERT_EQ(report.metrics.size(), given_metrics.size() + 2);  // the tree has three levels
    for (const PairedMetric& pair : report.metrics) {
        const std::string& metric = pair.baseline.key.metric;
        ASSERT_TRUE(pair.difference.value) << metric << ": " << pair.difference.undefined;
        EXPECT_NEAR(*pair.difference.value, 0, 1e-15) << metric;
        EXPECT_TRUE(pair.p) << metric;
    }
}

TEST(GivenTruth, OfOtherRowsOrClassesIsRefused) {
    const Scratch folder;
    const PredictionStore store = save(folder, made_up(4, 2, 1), "net");
    GivenTruth rows, grades;
    SoftLabels soft;
    soft.append(std::vector<double>{1, 1});
    rows.soft = std::make_shared<const SoftLabels>(soft);
    grades.grades = {0, 1, 2};
    EXPECT_THAT(
        message_of([&] { scored(store, options_of(rows, {"soft_top1"})); }, ErrorCode::bad_input),
        HasSubstr("1 soft labels for 4 items"));
    EXPECT_THAT(message_of([&] { scored(store, options_of(grades, {"within_one"})); },
                           ErrorCode::bad_input),
                HasSubstr("grades of 3 classes for scores of 2"));
}

}  // namespace
}  // namespace assay
