// Ensembles: the mean, the disagreement of the members, and errors.
#include "assay/derived/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../evaluate/saved_scores.h"
#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "core/statistics.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// Two items of two classes.
Made two_items(std::vector<float> scores) {
    Made made;
    made.classes = 2;
    made.labels = {{0}, {1}};
    made.scores = std::move(scores);
    made.kind = ScoreKind::probabilities;
    return made;
}

TEST(Ensemble, TheMeanAndTheDisagreement) {
    const Scratch folder;
    save(folder, two_items({0.9F, 0.1F, 0.4F, 0.6F}), "a");
    save(folder, two_items({0.3F, 0.7F, 0.2F, 0.8F}), "b");
    EnsembleOptions options;
    options.stores = {folder / "runs/val/a", folder / "runs/val/b"};
    for (const MeanOf of : {MeanOf::probabilities, MeanOf::logits}) {
        options.of = of;
        options.name = std::string(name_of(of));
        const EnsembleStore result = make_ensemble(options);
        EXPECT_EQ(result.store, folder / "runs/val" / options.name);
        EXPECT_EQ(result.items, 2U);
        EXPECT_EQ(*result.agreement.value, 0.5);  // scores of the second item alone
        const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
        const double first = entropy(0.6) - (entropy(0.9) + entropy(0.3)) / 2,
                     second = entropy(0.3) - (entropy(0.4) + entropy(0.2)) / 2;
        EXPECT_NEAR(*result.mutual_information.value, (first + second) / 2, 1e-7);
        EXPECT_EQ(*result.members[0].top1.value, 1);
        EXPECT_EQ(*result.members[1].top1.value, 0.5);
        const auto store = PredictionStore::open(result.store);
        EXPECT_FALSE(derived_of(store).any());  // the ensemble is a model of its own
        const RowReader reader(store);
        RowPrediction row;
        ASSERT_EQ(reader.read(0, 0, {}, row), RowStatus::ok);
        if (of == MeanOf::probabilities) {
            EXPECT_NEAR(row.target_probability, 0.6, 1e-6);
        } else {
            const double odds = std::sqrt(0.9 * 0.3 / (0.1 * 0.7));
            EXPECT_NEAR(row.target_probability, odds / (1 + odds), 1e-6);
        }
    }
}

TEST(Ensemble, IntervalsOfTheDisagreementHaveAWidth) {
    const Scratch folder;
    save(folder, made_up(400, 3, 1), "a");
    save(folder, made_up(400, 3, 1), "same");
    save(folder, made_up(400, 3, 2), "b");
    EnsembleOptions options;
    options.stores = {folder / "runs/val/a", folder / "runs/val/same"};
    // None of 400 items differs. The interval must still allow that a few of all items differ.
    const EnsembleStore equal = make_ensemble(options);
    EXPECT_EQ(*equal.agreement.value, 1);
    const Interval all = wilson(400, 400);
    EXPECT_NEAR(equal.agreement.interval->low, all.low, 1e-12);
    EXPECT_EQ(equal.agreement.interval->high, 1);
    EXPECT_EQ(equal.agreement.interval->method, "wilson");
    EXPECT_EQ(equal.mutual_information.interval->low, 0);
    EXPECT_GT(equal.mutual_information.interval->high, 0);
    // With two members, the pair agrees or disagrees.
    options.stores[1] = folder / "runs/val/b";
    options.name = "two";
    const EnsembleStore two = make_ensemble(options);
    const auto hits = static_cast<std::uint64_t>(std::llround(400 * *two.agreement.value));
    EXPECT_NEAR(two.agreement.interval->low, wilson(hits, 400).low, 1e-12);
    EXPECT_NEAR(two.agreement.interval->high, wilson(hits, 400).high, 1e-12);
    EXPECT_LT(two.mutual_information.interval->high, std::log(2.0));
    // With three members, the pairs of an item are not independent.
    options.stores.push_back(folder / "runs/val/same");
    options.name = "three";
    const EnsembleStore three = make_ensemble(options);
    EXPECT_EQ(three.agreement.interval->method, "wilson.clusters");
}

TEST(Ensemble, ThreadsChangeNoBitAndRowsWithoutScoresStaySo) {
    const Scratch folder;
    Made one = made_up(700, 5, 1), two = made_up(700, 5, 2), three = made_up(700, 5, 3);
    two.states.assign(700, RowState::ok);
    two.states[123] = RowState::not_finite;
    save(folder, one, "a");
    save(folder, two, "b");
    save(folder, three, "c", StorageFormat::full_f16);
    std::vector<std::string> found;
    for (const int threads : {1, 2, 5}) {
        EnsembleOptions options;
        options.stores = {folder / "runs/val/a", folder / "runs/val/b", folder / "runs/val/c"};
        options.threads = threads;
        options.name = fmt::format("mean{}", threads);
        const EnsembleStore result = make_ensemble(options);
        EXPECT_EQ(result.without_scores, 1U);
        EXPECT_TRUE(report_of(result).partial);
        const auto store = PredictionStore::open(result.store);
        const RowReader reader(store);
        EXPECT_EQ(reader.status(123), RowStatus::not_finite);
        std::string text = fmt::format("{} {} {}", *result.agreement.value, *result.top1.value,
                                       *result.mutual_information.value);
        std::vector<float> buffer;
        for (std::uint64_t row = 0; row < 700; ++row) {
            if (row == 123) continue;
            for (const float score : reader.scores(row, buffer)) text += fmt::format(" {}", score);
        }
        found.push_back(std::move(text));
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
}

TEST(Ensemble, BadInput) {
    const Scratch folder;
    save(folder, made_up(50, 3, 1), "a");
    save(folder, made_up(50, 3, 2), "b");
    Made other = made_up(40, 3, 1);
    other.dataset = "other";
    save(folder, other, "a");
    const auto said = [&](std::vector<std::filesystem::path> stores, std::string name = "",
                          ErrorCode code = ErrorCode::usage) {
        EnsembleOptions options;
        options.stores = std::move(stores);
        options.name = std::move(name);
        return message_of([&] { make_ensemble(options); }, code);
    };
    const auto a = folder / "runs/val/a", b = folder / "runs/val/b";
    EXPECT_THAT(said({a}), HasSubstr("two or more members"));
    EXPECT_THAT(said({a, a}), HasSubstr("appears twice"));
    EXPECT_THAT(said({folder / "runs", a}), HasSubstr("name the members one by one"));
    EXPECT_THAT(said({a, folder / "runs/other/a"}, "", ErrorCode::bad_input), HasSubstr("items"));
    EXPECT_THAT(said({a, b}, "b"), HasSubstr("another --name"));
    EXPECT_THAT(said({a, b}, "../up", ErrorCode::bad_input), HasSubstr("model"));
}

}  // namespace
}  // namespace assay
