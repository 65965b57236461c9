// Attacks over a data set: stores, resuming, and counts. The model is a linear classifier of
// coloured images with known robustness.
#include "assay/evaluate/attack.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "core/statistics.h"
#include "evaluate/attack_batch.h"
#include "evaluate/attack_cells.h"
#include "evaluate/options_used.h"
#include "message_of.h"
#include "red_classifier.h"
#include "store/outcomes.h"

namespace assay {
namespace {

using AttackRun = RedImages;

using testing::HasSubstr;

TEST_F(AttackRun, WhatIsLeftIsWhatTheClosedFormSays) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fgsm", "pgd", "autoattack"};
    options.eps = {8. / 255, 2. / 255, 0};
    const auto results = attack_models({&model, 1}, dataset, options);
    ASSERT_EQ(results.size(), 1U);
    const AttackedResult& r = results[0];
    EXPECT_EQ(r.images, 200U);
    EXPECT_EQ(r.correct, correct);
    EXPECT_NEAR(*r.clean.value, 71. / 200, 1e-12);
    ASSERT_EQ(r.cells.size(), 12U);
    for (const AttackCell& cell : r.cells) {
        if (cell.attack == "noise") {
            // The control draws four numbers within eps. One of them is +-eps, so the mean changes
            // by less than eps.
            EXPECT_GE(cell.robust, cell.eps == 0 ? 71U : cell.eps < .02 ? 69U : 63U);
            continue;
        }
        const std::uint64_t lost = cell.eps == 0 ? 0 : cell.eps < .02 ? 2 : 8;
        EXPECT_EQ(cell.robust, correct - lost) << cell.attack << " " << cell.eps;
        EXPECT_NEAR(*cell.accuracy.value, static_cast<double>(correct - lost) / 200, 1e-12);
        EXPECT_NEAR(*cell.ratio.value, static_cast<double>(correct - lost) / 71, 1e-12);
        EXPECT_EQ(cell.attacked, correct);
    }
    EXPECT_THAT(r.cells.back().by,
                testing::ElementsAre(testing::Pair("apgd-ce", 8), testing::Pair("apgd-t", 0),
                                     testing::Pair("fab-t", 0), testing::Pair("square", 0)));
    ASSERT_EQ(r.geometric_mean.size(), 3U);
    EXPECT_NEAR(*r.geometric_mean[2].second.value, 63. / 71, 1e-12);
    EXPECT_THAT(r.signs, testing::IsEmpty());
    // The results are ordinary stores.
    const PredictionStore store = PredictionStore::open(scratch_ / "runs/d/m@pgd-linf-8_255");
    EXPECT_TRUE(store.complete());
    EXPECT_EQ(store.dataset().size(), 200U);
}

TEST_F(AttackRun, ThreadsAndResumingChangeNoBit) {
    const Dataset dataset = images(60);
    std::vector<std::vector<float>> seen;
    for (const int threads : {1, 3}) {
        const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
        AttackRunOptions options = attack_options("runs" + std::to_string(threads));
        options.predict.threads = threads;
        options.attacks = {"pgd", "square"};
        options.steps = 20;
        options.predict.shard_rows = 0;  // one batch was scored
        const auto result = attack_models({&model, 1}, dataset, options);
        seen.push_back(kept(result[0].cells[1].store));
        // Some shards are missing, as after a kill. The same call computes them again.
        const auto shards = result[0].cells[1].store / "shards";
        fs::remove(shards / "000001.json");
        fs::remove(shards / "000001.npy");
        const auto again = attack_models({&model, 1}, dataset, options);
        seen.push_back(kept(again[0].cells[1].store));
        EXPECT_EQ(again[0].cells[1].robust, result[0].cells[1].robust);
    }
    for (const auto& scores : seen) EXPECT_EQ(scores, seen[0]);
}

TEST_F(AttackRun, EverySettingOfPgdHasItsOwnStore) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fgsm", "pgd"};
    const auto scored_by = [&](const AttackCell& cell) {
        return nlohmann::json::parse(
            PredictionStore::open(cell.store).spec().provenance_json)["scored_by"];
    };
    const auto usual = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(usual[0].cells[2].store.filename(), "m@pgd-linf-8_255");
    EXPECT_FALSE(scored_by(usual[0].cells[2]).contains("restarts"));
    EXPECT_FALSE(report_of(usual, options).result.contains("step"));

    options.step = parse_step("eps/30");
    options.restarts = 3;
    const auto other = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(other[0].cells[1].store, usual[0].cells[1].store) << "fgsm has no such settings";
    EXPECT_EQ(other[0].cells[2].store.filename(), "m@pgd-linf-8_255-step_eps_30-3restarts");
    EXPECT_EQ(scored_by(other[0].cells[2])["restarts"], 3);
    EXPECT_NEAR(scored_by(other[0].cells[2])["step_size"].get<double>(), 8. / 255 / 30, 1e-15);
    const nlohmann::json result = report_of(other, options).result;
    EXPECT_EQ(result["step"], "eps/30");
    EXPECT_EQ(result["restarts"], 3);

    options.step = parse_step("2/255");
    options.restarts = 1;
    const auto absolute = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(absolute[0].cells[2].store.filename(), "m@pgd-linf-8_255-step_2_255");
    // The usual step is eps/4 = 2/255.
    EXPECT_EQ(kept(absolute[0].cells[2].store), kept(usual[0].cells[2].store));
}

TEST_F(AttackRun, AnotherOutputOfTheModelIsNotResumed) {
    const Dataset dataset = images(4);
    LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    const AttackRunOptions options = attack_options("runs");
    const fs::path store = attack_models({&model, 1}, dataset, options)[0].cells[1].store;
    EXPECT_FALSE(
        nlohmann::json::parse(PredictionStore::open(store).spec().provenance_json)["scored_by"]
            .contains("output"));
    model.spec.output = "logits";
    // Only the stores of attacks remain.
    fs::remove_all(scratch_ / "runs/d/m");
    try {
        attack_models({&model, 1}, dataset, options);
        FAIL() << "resumed";
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), HasSubstr("output was `not set` and is now `logits`"));
    }
}

TEST(AttackStep, IsASizeOrAPartOfTheBudget) {
    EXPECT_DOUBLE_EQ(parse_step("2/255").at(.5), 2. / 255);
    EXPECT_DOUBLE_EQ(parse_step("eps/30").at(.3), .01);
    EXPECT_DOUBLE_EQ(parse_step("eps/0.5").at(.3), .6);
    EXPECT_DOUBLE_EQ(parse_step("1.5", Norm::l2).at(3), 1.5);
    for (const std::string_view text : {"2/255", "eps/30", "eps/7.5"})
        EXPECT_EQ(step_text(parse_step(text), Norm::linf), text);
    EXPECT_EQ(step_text(parse_step("0.01"), Norm::linf), "2.55/255");
    for (const std::string_view text :
         {"", "0", "-1", "eps", "eps/0", "eps/", "eps/-3", "eps*2", "nan", "eps/nan", "2"}) {
        EXPECT_THAT(message_of([&] { parse_step(text); }, ErrorCode::usage),
                    HasSubstr("pass --step eps/30"))
            << text;
    }
}

TEST(AttackStep, IsRefusedWhereItCannotAct) {
    AttackRunOptions options;
    options.attacks = {"fgsm", "autoattack"};
    options.step = parse_step("eps/30");
    const auto said = [&] { return message_of([&] { check_used(options); }, ErrorCode::usage); };
    EXPECT_THAT(said(), HasSubstr("--step is about pgd"));
    options.step = std::nullopt;
    options.restarts = 2;
    EXPECT_THAT(said(), HasSubstr("--restarts is about pgd"));
    options.attacks = {};
    check_used(options);  // fgsm and pgd
    options.paper_literal = true;
    EXPECT_THAT(said(), HasSubstr("remove it or --restarts"));
}

TEST_F(AttackRun, ARunThatWasStoppedReportsWhatAWholeOneDoes) {
    const Dataset dataset = images(150);
    const auto reported = [&](const std::string& runs, std::size_t stop_after) {
        const auto classifier = std::make_shared<RedClassifier>();
        classifier->masked = true;
        const LoadedModel model = red_model("m", classifier);
        AttackRunOptions options = attack_options(runs);
        options.attacks = {"fgsm", "pgd", "autoattack"};
        // the images 129 to 143 are attacked in one shard, then 144 to 149
        options.predict.shard_rows = 72;
        classifier->stop_after = stop_after;
        bool stopped = false;
        try {
            attack_models({&model, 1}, dataset, options);
        } catch (const Error& error) {
            stopped = error.code() == ErrorCode::interrupted;
        }
        EXPECT_EQ(stopped, stop_after != std::numeric_limits<std::size_t>::max());
        classifier->stop_after = std::numeric_limits<std::size_t>::max();
        const auto results = attack_models({&model, 1}, dataset, options);
        nlohmann::json all = report_of(results, options).result;
        for (auto& cell : all["models"][0]["attacks"]) cell.erase("store");
        return std::pair(all, results[0].signs);
    };
    const auto whole = reported("whole", std::numeric_limits<std::size_t>::max());
    EXPECT_THAT(whole.second,
                testing::Contains(HasSubstr("fgsm at 8/255: the gradient is zero for 21 of 21")));
    // Stops at the first batch of an attack, during the queries of Square on the first shard, and
    // on the second.
    for (const std::size_t stop_after : {700U, 20'000U, 50'000U})
        EXPECT_EQ(reported("stopped" + std::to_string(stop_after), stop_after), whole);
}

TEST_F(AttackRun, TheCleanImagesAreScoredOnceForAllAttacks) {
    const Dataset dataset = images(140);
    const auto classifier = std::make_shared<RedClassifier>();
    const LoadedModel model = red_model("m", classifier);
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"noise"};
    options.eps = {1. / 255, 2. / 255};
    attack_models({&model, 1}, dataset, options);
    // The model scores 140 images for its own store, and the same once for both budgets. Then, for
    // each budget, the three batches of four with the 11 attacked images.
    EXPECT_EQ(classifier->scored, 140U + 140U + 2 * 12U);
}

TEST_F(AttackRun, TheStoreNamesTheModelsOwnPreprocessing) {
    const Dataset dataset = images(140);
    LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    model.spec.preprocess.std = {.5, 1, 1};
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"noise"};
    const auto results = attack_models({&model, 1}, dataset, options);
    const PredictionStore store = PredictionStore::open(results[0].cells[0].store);
    const auto provenance = nlohmann::json::parse(store.spec().provenance_json);
    EXPECT_EQ(provenance["scored_by"]["preprocess"], to_json(model.spec.preprocess));
}

TEST_F(AttackRun, ADrawBelongsToTheImageNotToItsPlace) {
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("all");
    options.attacks = {"noise"};
    options.predict.batch_size = 1;
    const Dataset all = images(200);
    const auto whole = attack_models({&model, 1}, all, options);
    Dataset some = all;
    some.ids = {};
    some.labels = {};
    for (std::size_t i = 130; i < 140; ++i) {
        some.ids.append(all.ids[i]);
        const std::int32_t label = 0;
        some.labels.append({&label, 1});
    }
    options.predict.runs = scratch_ / "some";
    const auto part = attack_models({&model, 1}, some, options);
    const auto scores = kept(whole[0].cells[0].store);
    EXPECT_EQ(kept(part[0].cells[0].store),
              std::vector<float>(scores.begin() + 260, scores.begin() + 280));
}

TEST_F(AttackRun, AMaskedGradientIsSaid) {
    const Dataset dataset = images(200);
    const auto classifier = std::make_shared<RedClassifier>();
    classifier->masked = true;
    const LoadedModel model = red_model("m", classifier);
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fgsm", "autoattack"};
    const auto results = attack_models({&model, 1}, dataset, options);
    EXPECT_THAT(results[0].signs,
                testing::Contains(HasSubstr("fgsm at 8/255: the gradient is zero for 71 of 71")));
    const Report report = report_of(results, options);
    EXPECT_EQ(report.warnings.size(), results[0].signs.size());
}

TEST_F(AttackRun, NothingIsLeftHasABound) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.eps = {.5};
    const auto results = attack_models({&model, 1}, dataset, options);
    const AttackCell& pgd = results[0].cells.back();
    EXPECT_EQ(pgd.robust, 0U);
    EXPECT_EQ(*pgd.ratio.value, 0);
    // The upper end is 1 - .05^(1/71).
    EXPECT_THAT(pgd.ratio.note, HasSubstr("at most 4.132 %"));
    const Estimate& mean = results[0].geometric_mean[0].second;
    EXPECT_EQ(*mean.value, 0);
    EXPECT_NEAR(mean.interval->high, 1 - std::pow(.05, 1. / 71), 1e-9);
    EXPECT_NEAR(*mean.standard_error, mean.interval->high / 2, 1e-12);
}

TEST_F(AttackRun, WhatCannotBeAttackedIsNamedFirst) {
    const auto classifier = std::make_shared<RedClassifier>();
    classifier->differentiable = false;
    const LoadedModel model = red_model("m", classifier);
    const Dataset dataset = images(20);
    EXPECT_THAT(message_of([&] {
                    attack_models({&model, 1}, dataset, attack_options("a"));
                }),
                HasSubstr("no gradients"));
    EXPECT_FALSE(fs::exists(scratch_ / "a"));
    AttackRunOptions blind = attack_options("blind");
    blind.attacks = {"square"};
    EXPECT_EQ(attack_models({&model, 1}, dataset, blind)[0].cells.size(), 2U);
    Dataset unlabelled = images(20);
    unlabelled.labels = {};
    for (int i = 0; i < 20; ++i) unlabelled.labels.append({});
    const LoadedModel sound = red_model("m", std::make_shared<RedClassifier>());
    EXPECT_THAT(message_of([&] {
                    attack_models({&sound, 1}, unlabelled, attack_options("b"));
                }),
                HasSubstr("exactly one label"));
    AttackRunOptions options = attack_options("c");
    options.space = AttackSpace::normalised_clamped;
    options.attacks = {"square"};
    EXPECT_THAT(message_of(
                    [&] {
                        attack_models({&sound, 1}, dataset, options);
                    },
                    ErrorCode::usage),
                HasSubstr("normalised-clamped"));
}

/// A third class whose score is masked: -infinity.
class MaskedClass final : public Classifier {
public:
    MaskedClass() {
        facts_.classes = 3;
        facts_.device = "cpu";
    }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        std::vector<float> two(2 * n);
        red_.scores(input, n, two);
        for (std::size_t i = 0; i < n; ++i) spread(two, i, out);
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t n = batch.labels.size();
        std::vector<float> two(2 * n);
        red_.gradients(batch, {two, out.losses, out.gradient});
        for (std::size_t i = 0; i < n; ++i) spread(two, i, out.scores);
    }

private:
    static void spread(std::span<const float> two, std::size_t i, std::span<float> out) {
        out[3 * i] = two[2 * i];
        out[3 * i + 1] = two[2 * i + 1];
        out[3 * i + 2] = -std::numeric_limits<float>::infinity();
    }
    RedClassifier red_;
    ModelFacts facts_;
};

TEST_F(AttackRun, AModelWithAMaskedClassIsAttackedAsAny) {
    Dataset dataset = images(200);
    dataset.classes = ClassList({"red", "batch", "masked"});
    LoadedModel model = red_model("m", nullptr);
    model.classifier = std::make_shared<MaskedClass>();
    model.spec.classes = dataset.classes;
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fgsm", "pgd", "autoattack"};
    options.images = scratch_ / "adversarial";
    const auto results = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(results[0].correct, correct);
    EXPECT_THAT(results[0].signs, testing::IsEmpty());
    for (std::size_t c = 1; c < results[0].cells.size(); ++c) {
        const AttackCell& cell = results[0].cells[c];
        SCOPED_TRACE(cell.attack);
        EXPECT_EQ(cell.robust, correct - 8);
        EXPECT_EQ(cell.attacked, correct);
        EXPECT_EQ(cell.not_finite, 0U);
        EXPECT_EQ(cell.saved->robust, correct - 8);
        EXPECT_EQ(cell.saved->lost, 0U);
    }
}

TEST_F(AttackRun, ScoresThatAreNoNumbersAreMisclassifiedUnderAttackAlone) {
    // Images of red 121 to 128 have no score before the attack, and those with 129 to 136 have none
    // under attack. So 63 of 71 stay correct.
    const Dataset dataset = images(200);
    const auto classifier = std::make_shared<RedClassifier>();
    classifier->nan_below = 128.5 / 255;
    const LoadedModel model = red_model("m", classifier);
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fgsm", "pgd"};
    const auto results = attack_models({&model, 1}, dataset, options);
    const AttackedResult& r = results[0];
    EXPECT_EQ(r.images, 192U);
    EXPECT_EQ(r.correct, 71U);
    EXPECT_EQ(r.bad_rows, 8U);
    const AttackCell& fgsm = r.cells.at(1);
    EXPECT_EQ(fgsm.attack, "fgsm");
    EXPECT_EQ(fgsm.robust, 63U);
    EXPECT_EQ(fgsm.ratio.n, 71U);
    EXPECT_EQ(fgsm.accuracy.n, 192U);
    EXPECT_EQ(fgsm.ended_not_finite.images, 8U);  // without images that had no score before
    EXPECT_EQ(fgsm.unreadable.images, 0U);
    EXPECT_EQ(r.geometric_mean.at(0).second.n, 192U);
    const Report report = report_of(results, options);
    EXPECT_TRUE(report.partial);
    EXPECT_THAT(
        report.warnings,
        testing::Contains(testing::StartsWith(
            "m on d under fgsm at 8/255: the scores of 8 images are not finite: they count as "
            "misclassified; the first: " +
            std::string(dataset.ids[129]) + ": ")));
    EXPECT_THAT(report.warnings, testing::Not(testing::Contains(HasSubstr("16 images"))));
}

constexpr std::size_t failing_image = 6;

/// A store of images in these states. If an image has no score, the model raised an error for it.
PredictionStore store_of_states(const fs::path& runs, const std::string& model,
                                const std::vector<RowState>& states) {
    Dataset items;
    items.name = "d";
    items.classes = ClassList({"a", "b"});
    std::vector<float> scores;
    std::vector<RowError> errors;
    for (std::size_t i = 0; i < states.size(); ++i) {
        items.ids.append(fmt::format("{}.png", i));
        items.labels.append(std::vector<std::int32_t>{0});
        scores.insert(scores.end(), {1, 0});
        if (states[i] != RowState::ok)
            errors.push_back({i, states[i],
                              i == failing_image
                                  ? std::string("ValueError: no such image")
                                  : fmt::format("the score of class 1 is nan{}", i)});
    }
    StoreSpec spec;
    spec.dataset_name = "d";
    spec.model_name = model;
    spec.rows = states.size();
    spec.classes = 2;
    spec.ids_hash = items.ids_fingerprint();
    spec.model_hash = "xxh128:00000000000000000000000000000008";
    spec.provenance_json = "{}";
    StoreWriter writer = StoreWriter::open(runs, spec, items);
    writer.write_shard(0, scores, states, errors, "");
    writer.finish();
    return PredictionStore::open(writer.folder());
}

TEST_F(AttackRun, WhatIsUnscoredUnderAttackIsComparedImageByImage) {
    constexpr RowState ok = RowState::ok, unreadable = RowState::unreadable,
                       nan = RowState::not_finite;
    // Both stores have the same number of images without a score, but only the first two are the
    // same images.
    const PredictionStore clean =
        store_of_states(scratch_ / "runs", "m", {unreadable, nan, nan, unreadable, ok, ok, ok});
    const PredictionStore attacked = store_of_states(
        scratch_ / "runs", "m@fgsm-linf-8_255", {unreadable, nan, ok, ok, unreadable, nan, nan});
    const attack::UnscoredImages found = attack::unscored_images(clean, attacked);
    EXPECT_EQ(found.not_finite.images, 1U);
    EXPECT_EQ(found.not_finite.first_error, "5.png: the score of class 1 is nan5");
    EXPECT_EQ(found.unreadable.images, 2U);
    EXPECT_EQ(found.unreadable.first_error, "4.png: the score of class 1 is nan4");
    // An image that the model cannot compute has no outcome.
    const auto outcomes = attacked_outcomes_of(attacked);
    EXPECT_EQ(outcomes.at(5), RowOutcome::incorrect);
    EXPECT_EQ(outcomes.at(failing_image), RowOutcome::none);
    EXPECT_THAT(attack::unscored_lines({}, {}, "m"), testing::IsEmpty());
    EXPECT_THAT(attack::unscored_lines(found.not_finite, {3, "4.png: gone"}, "m on d"),
                testing::ElementsAre(
                    "m on d: the scores of 1 image are not finite: it counts as misclassified; the "
                    "first: 5.png: the score of class 1 is nan5",
                    "m on d: 3 images with a score without the attack could not be read or "
                    "computed: they do not count; the first: 4.png: gone"));
    const attack::UnscoredImages none = attack::unscored_images(clean, clean);
    EXPECT_EQ(none.not_finite.images + none.unreadable.images, 0U);
}

TEST(AttackCells, EachAttackFoolsTheHalfThatTheOtherLeaves) {
    // The value is sqrt(1/2 x 1/2) for any sample of images, so the delta method gives an error of
    // 0. Instead, the error is that of a proportion of n images, sqrt(.25 / n), with Wilson's
    // interval.
    constexpr auto yes = RowOutcome::correct, no = RowOutcome::incorrect;
    for (const std::size_t n : {4U, 14U}) {
        std::vector<RowOutcome> clean(n + 2, yes), one(n + 2, no), two(n + 2, no);
        clean[n] = clean[n + 1] = no;
        for (std::size_t i = 0; i < n; ++i) (i < n / 2 ? one : two)[i] = yes;
        const attack::AttackMean half = attack::geometric_mean_of(clean, one, two, .95);
        EXPECT_FALSE(half.by_images);
        EXPECT_DOUBLE_EQ(*half.value.value, .5);
        EXPECT_NEAR(*half.value.standard_error, std::sqrt(.25 / static_cast<double>(n)), 1e-12);
        EXPECT_NEAR(half.value.interval->low, wilson(n / 2, n).low, 1e-12);
        EXPECT_NEAR(half.value.interval->high, wilson(n / 2, n).high, 1e-12);
    }
    const std::vector<RowOutcome> all(4, yes);
    const attack::AttackMean left = attack::geometric_mean_of(all, all, all, .95);
    EXPECT_EQ(*left.value.value, 1);
    EXPECT_EQ(left.value.interval, wilson(4, 4));
    EXPECT_NEAR(*left.value.standard_error, (1 - std::pow(.05, .25)) / 2, 1e-15);
}

TEST(AttackCells, ImagesThatAStoreDoesNotTellDoNotCount) {
    constexpr auto yes = RowOutcome::correct, no = RowOutcome::incorrect, none = RowOutcome::none;
    const std::vector<RowOutcome> clean = {yes, yes, yes, yes, no, no, none};
    const std::vector<RowOutcome> one = {yes, yes, no, none, no, none, none};
    const std::vector<RowOutcome> two = {none, yes, yes, yes, no, no, yes};
    AttackCell cell;
    attack::fill_cell(cell, clean, one, .95);
    EXPECT_EQ(cell.robust, 2U);
    EXPECT_EQ(cell.ratio.n, 3U);
    EXPECT_EQ(cell.accuracy.n, 4U);
    // The second, third and fifth images have outcomes in all stores. Two of them are correct
    // without an attack, and 1 and 2 of them stay correct under the two attacks.
    const Estimate mean = attack::geometric_mean_of(clean, one, two, .95).value;
    EXPECT_EQ(mean.n, 3U);
    EXPECT_NEAR(*mean.value, std::sqrt(.5), 1e-15);
}

TEST(AttackOutcome, IsWhatTheStoreSays) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    attack::AttackJob job;
    const auto of = [&](std::vector<float> row, std::int32_t label) {
        return attack::outcome_of(job, row, label);
    };
    EXPECT_EQ(of({1, 2}, 1), RowOutcome::correct);
    EXPECT_EQ(of({1, 2}, 0), RowOutcome::incorrect);
    EXPECT_EQ(of({2, 2}, 0), RowOutcome::correct);
    EXPECT_EQ(of({2, 2}, 1), RowOutcome::incorrect);
    EXPECT_EQ(of({1, 2}, -1), RowOutcome::none);
    EXPECT_EQ(of({2, nan}, 0), RowOutcome::none);
    EXPECT_EQ(of({nan, 2}, 1), RowOutcome::none);
    EXPECT_EQ(of({2, infinity}, 1), RowOutcome::none);
    EXPECT_EQ(of({2, -infinity}, 0), RowOutcome::correct);
    EXPECT_EQ(of({-infinity, -infinity}, 0), RowOutcome::none);
    EXPECT_EQ(of({70'000, 2}, 0), RowOutcome::correct);
    job.storage = StorageFormat::full_f16;
    EXPECT_EQ(of({70'000, 2}, 0), RowOutcome::none);
    job.kind = ScoreKind::probabilities;
    EXPECT_EQ(of({1, -infinity}, 0), RowOutcome::none);
}

TEST_F(AttackRun, CountsThatAreDamagedCountNothing) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"noise"};
    const auto whole = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(whole[0].cells[0].attacked, 11U);
    // The batches that begin at 128 (3 images are attacked), 132 and 136.
    const fs::path counts = whole[0].cells[0].store / "counts";
    write_file_atomically(counts / "000000000132.json", std::string((1 << 20) + 1, ' '));
    EXPECT_EQ(attack_models({&model, 1}, dataset, options)[0].cells[0].attacked, 7U);
    fs::remove(counts / "000000000132.json");
    make_folders(counts / "000000000132.json");
    EXPECT_EQ(attack_models({&model, 1}, dataset, options)[0].cells[0].attacked, 7U);
    write_file_atomically(counts / "000000000136.json", "{\"rows\": ");
    EXPECT_EQ(attack_models({&model, 1}, dataset, options)[0].cells[0].attacked, 3U);
}

TEST_F(AttackRun, ABudgetGoesAsFarAsFromBlackToWhite) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"pgd"};
    options.norm = Norm::l2;
    options.eps = {3};
    // Red has four of the twelve numbers. They can fall to 0 from at most 139/255, which is a
    // distance of 1.1.
    const auto results = attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(results[0].cells[1].robust, 0U);
    EXPECT_EQ(results[0].cells[1].store.filename(), "m@pgd-l2-3");
    const auto said = [&] {
        return message_of([&] { attack_models({&model, 1}, dataset, options); }, ErrorCode::usage);
    };
    options.eps = {.5, 3.47};  // sqrt(12) is 3.4641
    EXPECT_THAT(said(), HasSubstr("eps 3.47 is not between 0 and 3.464, the l2 distance"));
    options.norm = Norm::linf;
    options.eps = {1.01};
    EXPECT_THAT(said(), HasSubstr("eps 1.01 is not between 0 and 1, the linf distance"));
}

TEST(ParseEps, FractionsAndMistakes) {
    EXPECT_EQ(parse_eps("3", Norm::l2), 3);
    EXPECT_EQ(eps_text(3), "3");
    EXPECT_DOUBLE_EQ(parse_eps("8/255"), 8. / 255);
    EXPECT_DOUBLE_EQ(parse_eps("0.03"), .03);
    EXPECT_EQ(parse_eps("0"), 0);
    EXPECT_EQ(eps_text(8. / 255), "8/255");
    EXPECT_EQ(eps_text(0), "0");
    EXPECT_EQ(eps_text(.25 / 255), "0.25/255");
    EXPECT_EQ(eps_text(1. / 3), "85/255");
    EXPECT_EQ(eps_text(.031), "7.905/255");
    EXPECT_EQ(eps_text(.0312345), "0.0312345");
    EXPECT_EQ(eps_text(.03), "7.65/255");
    EXPECT_THAT(message_of([] { parse_eps("8"); }, ErrorCode::usage),
                HasSubstr("did you mean 8/255?"));
    EXPECT_THAT(message_of([] { parse_eps("-1/255"); }, ErrorCode::usage), HasSubstr("below 0"));
    for (const char* wrong : {"", "8/", "/255", "8/0", "eight", "nan", "8/255 ", "1e999"})
        EXPECT_THROW(parse_eps(wrong), Error) << wrong;
}

TEST(AttackRatios, TheGeometricMeansIntervalHoldsTheTruth) {
    // 2,000 simulations of 400 images. Images are correct with probability .7. A correct one is
    // robust against both attacks with probability .4, only against the first with .2, and only
    // against the second with .05.
    const double truth = std::sqrt(.6 * .45);
    int held = 0;
    for (std::uint64_t world = 0; world < 2000; ++world) {
        RandomStream random(5, "geometric mean", world);
        std::vector<RowOutcome> clean, one, two;
        for (int i = 0; i < 400; ++i) {
            const bool right = random.uniform() < .7;
            const double u = random.uniform();
            clean.push_back(right ? RowOutcome::correct : RowOutcome::incorrect);
            one.push_back(right && u < .6 ? RowOutcome::correct : RowOutcome::incorrect);
            two.push_back(right && (u < .4 || (u >= .6 && u < .65)) ? RowOutcome::correct
                                                                    : RowOutcome::incorrect);
        }
        const Estimate e = attack::geometric_mean_of(clean, one, two, .95).value;
        held += e.interval->low <= truth && truth <= e.interval->high ? 1 : 0;
    }
    // 95 % of 2,000 is 1,900, with a standard deviation of 10.
    EXPECT_GT(held, 1860);
    EXPECT_LT(held, 1940);
}

}  // namespace
}  // namespace assay
