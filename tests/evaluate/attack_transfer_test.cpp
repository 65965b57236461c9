// Images that were made on one model and classified by another. The models are linear classifiers
// of coloured images, so that every count follows from the boundaries.
#include "evaluate/attack_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/report/draw.h"
#include "assay/robustness/derived_store.h"
#include "core/hash.h"
#include "core/statistics.h"
#include "message_of.h"
#include "red_classifier.h"
#include "robustness/attack_record.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Transfer = RedImages;

/// The boundary of `a` is red 128.5. The normalisation of `b` moves it to 140.5.
std::vector<LoadedModel> two_models() {
    std::vector<LoadedModel> models = {red_model("a", std::make_shared<RedClassifier>()),
                                       red_model("b", std::make_shared<RedClassifier>())};
    models[1].spec.preprocess.mean = {12. / 255, 12. / 255, 12. / 255};
    return models;
}

/// Few files, because each batch has its own.
AttackRunOptions in_few_batches(AttackRunOptions options) {
    options.predict.batch_size = 40;
    options.predict.shard_rows = 40;
    options.transfer = true;
    return options;
}

TEST_F(Transfer, CountsAreThoseOfTheClosedForm) {
    const Dataset dataset = images(200);
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    options.eps = {8. / 255, 16. / 255};
    const auto results = attack_models(two_models(), dataset, options);
    ASSERT_EQ(results.size(), 2U);
    for (const AttackedResult& result : results) ASSERT_EQ(result.transferred.size(), 2U);

    // Made on `a`: red of 129 and more loses 8 or 16. `b` needs 141 after that.
    const auto& on_b = results[1].transferred;
    EXPECT_EQ(on_b[0].made_on, "a");
    EXPECT_EQ(on_b[0].attack, "fgsm");
    EXPECT_EQ(on_b[0].store.filename(), "b@fgsm-linf-8_255-from-a");
    EXPECT_NEAR(*on_b[0].accuracy.value, 51. / 200, 1e-12);
    EXPECT_EQ(on_b[0].accuracy.n, 200U);
    EXPECT_EQ(on_b[0].both, 59U);
    EXPECT_EQ(on_b[0].robust, 51U);
    EXPECT_EQ(on_b[0].fooled, 0U) << "129 to 136 fool `a`, but `b` misclassifies them already";
    EXPECT_FALSE(on_b[0].rate.value);
    EXPECT_THAT(on_b[0].rate.undefined, HasSubstr("no image that both models classify correctly"));
    EXPECT_NEAR(*on_b[1].accuracy.value, 43. / 200, 1e-12);
    EXPECT_EQ(on_b[1].fooled, 4U);  // 141 to 144
    EXPECT_EQ(on_b[1].transferred, 4U);

    // Made on `b`: red of 141 and more loses 8 or 16; 129 to 140 is unchanged and correct for `a`.
    const auto& on_a = results[0].transferred;
    EXPECT_NEAR(*on_a[0].accuracy.value, 71. / 200, 1e-12);
    EXPECT_EQ(on_a[0].robust, 59U);
    EXPECT_EQ(on_a[0].fooled, 8U);
    EXPECT_EQ(on_a[0].transferred, 0U);
    EXPECT_THAT(on_a[0].rate.note, HasSubstr("0 of 8: at most 31.23 % with 95 % confidence"));
    EXPECT_NEAR(*on_a[1].accuracy.value, 67. / 200, 1e-12);
    EXPECT_EQ(on_a[1].both, 59U);
    EXPECT_EQ(on_a[1].robust, 55U);
    EXPECT_EQ(on_a[1].fooled, 16U);
    EXPECT_EQ(on_a[1].transferred, 4U);
    EXPECT_NEAR(*on_a[1].rate.value, .25, 1e-12);
    EXPECT_DOUBLE_EQ(on_a[1].rate.interval->high, wilson(4, 16, .95).high);
    // The attacks of each model are those without --transfer.
    options.transfer = false;
    options.predict.runs = scratch_ / "alone";
    const auto alone = attack_models(two_models(), dataset, options);
    for (std::size_t m = 0; m < 2; ++m) {
        EXPECT_TRUE(alone[m].transferred.empty());
        for (std::size_t c = 0; c < alone[m].cells.size(); ++c)
            EXPECT_EQ(kept(alone[m].cells[c].store), kept(results[m].cells[c].store));
    }
}

TEST_F(Transfer, AStoreRecordsWhereItsImagesWereMade) {
    const Dataset dataset = images(200);
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    const auto models = two_models();
    const auto results = attack_models(models, dataset, options);
    const PredictionStore store = PredictionStore::open(results[1].transferred[0].store);
    const auto scored_by = nlohmann::json::parse(store.spec().provenance_json)["scored_by"];
    EXPECT_EQ(scored_by["made_on"]["model"], "a");
    EXPECT_EQ(scored_by["made_on"]["hash"], models[0].file_hash);
    const DerivedStore derived = derived_of(store);
    EXPECT_EQ(derived.model, "b");
    EXPECT_EQ(derived.attack, "fgsm-linf-8_255-from-a");
    // Another model of the same name is not resumed, even if only the stores of `b` remain.
    auto others = two_models();
    others[0].file_hash = hash_text("other");
    fs::remove_all(scratch_ / "runs/d/a");
    for (const AttackCell& cell : results[0].cells) fs::remove_all(cell.store);
    fs::remove_all(results[0].transferred[0].store);
    EXPECT_THAT(message_of([&] { attack_models(others, dataset, options); }, ErrorCode::bad_input),
                AllOf(HasSubstr("the settings of the attack or the smoothing differ: made_on was"),
                      HasSubstr(others[0].file_hash)));
}

TEST_F(Transfer, ThreadsAndResumingChangeNoBit) {
    const Dataset dataset = images(160);
    std::vector<std::vector<float>> seen;
    for (const int threads : {1, 3}) {
        AttackRunOptions options = in_few_batches(attack_options("runs" + std::to_string(threads)));
        options.predict.threads = threads;
        options.attacks = {"pgd"};
        const auto models = two_models();
        const fs::path store = attack_models(models, dataset, options)[1].transferred[0].store;
        seen.push_back(kept(store));
        // The images are made again, although the store of the attack itself is complete.
        fs::remove(store / "shards" / "000003.json");
        fs::remove(store / "shards" / "000003.npy");
        const auto again = attack_models(models, dataset, options);
        seen.push_back(kept(again[1].transferred[0].store));
    }
    for (const auto& scores : seen) EXPECT_EQ(scores, seen[0]);
}

TEST_F(Transfer, FindsAModelThatHidesItsGradient) {
    const Dataset dataset = images(200);
    auto hidden = std::make_shared<RedClassifier>();
    hidden->masked = true;
    const std::vector<LoadedModel> models = {red_model("a", std::make_shared<RedClassifier>()),
                                             red_model("b", hidden)};
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"pgd"};
    options.eps = {60. / 255};
    options.control = true;
    const auto sign_of = [](const AttackControl& control) {
        const auto found = std::ranges::find(control.signs, "transferred", &MaskingSign::name);
        return found == control.signs.end() ? MaskingSign{} : *found;
    };
    for (const int run : {1, 2}) {
        const auto results = attack_models(models, dataset, options);
        EXPECT_TRUE(sign_of(results[1].control).found) << sign_of(results[1].control).text;
        EXPECT_EQ(results[1].control.verdict, AttackVerdict::doubtful);
        EXPECT_TRUE(sign_of(results[0].control).tested);
        EXPECT_FALSE(sign_of(results[0].control).found);
        EXPECT_EQ(std::ranges::count(results[1].control.signs, "transferred", &MaskingSign::name),
                  1)
            << "run " << run;
        // The verdict on the images of `b` travels with them; so does that on the images of `a`.
        EXPECT_EQ(results[0].transferred[0].verdict, AttackVerdict::doubtful);
        EXPECT_EQ(results[1].transferred[0].verdict, results[0].control.verdict);
        const auto stored = read_control(PredictionStore::open(results[0].transferred[0].store));
        ASSERT_TRUE(stored);
        EXPECT_EQ(stored->control.verdict, AttackVerdict::doubtful);
        const auto own = read_control(PredictionStore::open(results[1].cells[1].store));
        ASSERT_TRUE(own);
        EXPECT_TRUE(sign_of(own->control).found);
    }
}

TEST_F(Transfer, TablesAndPlotsShowTheMatrix) {
    const Dataset dataset = images(200);
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    options.eps = {16. / 255};
    const auto results = attack_models(two_models(), dataset, options);
    const Report report = report_of(results, options);
    std::vector<const Table*> tables;
    for (const Block& block : report.sections[0].blocks) {
        const Table* table = std::get_if<Table>(&block);
        if (table != nullptr && table->title.starts_with("Transfer of fgsm at 16/255, d"))
            tables.push_back(table);
    }
    ASSERT_EQ(tables.size(), 2U);
    ASSERT_EQ(tables[0]->rows.size(), 3U);
    const auto value = [](const Table& table, std::size_t row, std::size_t column) {
        return *std::get<Estimate>(table.rows[row][column]).value;
    };
    // Rows: no attack, made on a, made on b. Columns: the model's name, a, b.
    EXPECT_NEAR(value(*tables[0], 0, 2), 59. / 200, 1e-12);
    EXPECT_NEAR(value(*tables[0], 1, 1), 55. / 200, 1e-12);  // a: 145 and more
    EXPECT_NEAR(value(*tables[0], 1, 2), 43. / 200, 1e-12);
    EXPECT_NEAR(value(*tables[0], 2, 1), 67. / 200, 1e-12);
    EXPECT_NEAR(value(*tables[0], 2, 2), 43. / 200, 1e-12);
    EXPECT_NEAR(value(*tables[1], 0, 2), 1, 1e-12);
    EXPECT_NEAR(value(*tables[1], 1, 1), .25, 1e-12);

    const std::vector<Plot> plots = plots_of("attack-transfer", report.result);
    ASSERT_EQ(plots.size(), 1U);
    EXPECT_EQ(plots[0].title, "fgsm at 16/255");
    ASSERT_EQ(plots[0].series.size(), 2U);  // columns
    EXPECT_EQ(plots[0].series[1].name, "b");
    ASSERT_EQ(plots[0].series[1].points.size(), 2U);
    EXPECT_EQ(std::get<std::string>(plots[0].series[1].points[0].x), "a");
    EXPECT_NEAR(*plots[0].series[1].points[0].y.value, 43. / 200, 1e-12);
    EXPECT_NEAR(*plots[0].series[0].points[1].y.value, 67. / 200, 1e-12);
}

TEST_F(Transfer, WhatCannotBeTransferredIsRefused) {
    const Dataset dataset = images(4);
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    auto models = two_models();
    const auto message = [&](std::span<const LoadedModel> of) {
        return message_of([&] { attack_models(of, dataset, options); }, ErrorCode::usage);
    };
    EXPECT_THAT(message(std::span(models).first(1)), HasSubstr("there is one model: add --model"));
    models[1].spec.preprocess.width = 3;
    EXPECT_THAT(message(models), HasSubstr("take different pixels"));
    models[1].spec.preprocess.width = 2;
    options.attacks = {"fmn"};
    EXPECT_THAT(message(models), HasSubstr("fmn stops at the boundary of one model"));
    options.attacks = {"fgsm"};
    options.space = AttackSpace::normalised_clamped;
    EXPECT_THAT(message(models), HasSubstr("remove --space"));
    EXPECT_FALSE(fs::exists(scratch_ / "runs")) << "nothing ran";
}

TEST_F(Transfer, UsesTheBatchesOfEarlierStores) {
    const Dataset dataset = images(80);
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    options.transfer = false;
    attack_models(two_models(), dataset, options);
    options.transfer = true;
    options.predict.batch_size = 0;
    options.predict.shard_rows = 0;
    const auto results = attack_models(two_models(), dataset, options);
    EXPECT_EQ(PredictionStore::open(results[1].transferred[0].store).spec().batch_size, 40U);
}

TEST(TransferredSign, IsKeptIfALaterRunFindsNothing) {
    AttackControl control;
    attack::put_sign(control, {.name = "transferred", .found = true, .text = "first"});
    attack::put_sign(control, {.name = "transferred", .found = false, .text = "second"});
    ASSERT_EQ(control.signs.size(), 1U);
    EXPECT_EQ(control.signs[0].text, "first");
    EXPECT_EQ(control.verdict, AttackVerdict::doubtful);
}

TEST_F(Transfer, NamesOfOneStoreAreRefused) {
    auto models = two_models();
    models[0].spec.name = "a@1";
    models[1].spec.name = "a_1";
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    EXPECT_THAT(message_of([&] { attack_models(models, images(4), options); }, ErrorCode::usage),
                HasSubstr("would share a store"));
}

/// A file that takes batches of one size only.
class FixedRed : public RedClassifier {
public:
    explicit FixedRed(std::int64_t batch) : fixed_(RedClassifier().facts()) {
        fixed_.fixed_batch = batch;
    }
    const ModelFacts& facts() const override { return fixed_; }

private:
    ModelFacts fixed_;
};

TEST_F(Transfer, BatchesOfDifferentSizesAreRefused) {
    const Dataset dataset = images(8);
    const auto refusal = [&](const std::vector<LoadedModel>& models, const std::string& runs,
                             std::uint32_t batch_of_b) {
        PredictOptions one = options(runs), two = options(runs);
        two.batch_size = batch_of_b;
        std::vector<PredictResult> clean = predict(std::span(models).first(1), dataset, one);
        clean.push_back(predict(std::span(models).subspan(1), dataset, two).at(0));
        return message_of([&] { attack::same_batch_size(models, clean); }, ErrorCode::usage);
    };
    auto models = two_models();
    EXPECT_THAT(
        refusal(models, "any", 2),
        HasSubstr("`a` runs in batches of 4 and `b` of 2: pass --batch 2 --out NEW_FOLDER"));
    models[1].classifier = std::make_shared<FixedRed>(8);
    EXPECT_THAT(refusal(models, "one", 4), HasSubstr("of 4 and `b` of 8: pass --batch 8 --out"));
    models[0].classifier = std::make_shared<FixedRed>(2);
    EXPECT_THAT(refusal(models, "both", 4), HasSubstr("take only batches of 2 and 8: export"));
}

TEST_F(Transfer, ImagesWithoutFiniteScoresAreNamed) {
    const Dataset dataset = images(200);
    auto broken = std::make_shared<RedClassifier>();
    broken->nan_below = 124.5 / 255;  // red 121 to 124 has no score
    const std::vector<LoadedModel> models = {red_model("a", std::make_shared<RedClassifier>()),
                                             red_model("b", broken)};
    AttackRunOptions options = in_few_batches(attack_options("runs"));
    options.attacks = {"fgsm"};
    const auto results = attack_models(models, dataset, options);
    // Made on `a`: 129 to 132 lose 8.
    EXPECT_EQ(results[1].transferred[0].ended_not_finite.images, 4U);
    EXPECT_EQ(results[1].transferred[0].unreadable.images, 0U);
    EXPECT_THAT(report_of(results, options).warnings,
                testing::Contains(HasSubstr("b on d under fgsm at 8/255 made on a: the scores of 4 "
                                            "images are not finite: they count as misclassified")));
}

}  // namespace
}  // namespace assay
