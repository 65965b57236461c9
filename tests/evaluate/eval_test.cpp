// The parts of `assay eval`: the decision about the preprocessing on given counts, the search on
// images of one colour, the guards, and the running accuracy.
#include "assay/evaluate/eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>

#include "assay/error.h"
#include "colour_classifier.h"
#include "coloured_images.h"
#include "evaluate/eval/decision.h"
#include "evaluate/eval/hash_order.h"
#include "evaluate/eval/running_accuracy.h"
#include "evaluate/eval/usual_ways.h"
#include "model/usual_values.h"

namespace assay {
namespace {

using evaluate::Correct;
using evaluate::decide;
using evaluate::Decision;
using evaluate::RunningAccuracy;
using testing::HasSubstr;
using Outcome = PreprocessingChoice::Outcome;

/// The first `n` of `images` images are correct.
Correct first_correct(std::size_t n, std::size_t images) {
    Correct correct(images, 0);
    std::fill_n(correct.begin(), n, std::uint8_t{1});
    return correct;
}

constexpr double close = 0.01;

/// A command to type, which is `command` followed by the options.
CommandWith command_of(const std::string& command) {
    return [command](const std::string& options) { return command + " " + options; };
}

TEST(EvalDecision, OneWayAloneIsTheBest) {
    const std::vector<Correct> ways = {first_correct(3, 64)};
    const Decision decision = decide(ways, 0.05);
    EXPECT_EQ(decision.best, 0U);
    EXPECT_EQ(decision.runner_up, 0U);
    EXPECT_TRUE(decision.told_apart);
}

TEST(EvalDecision, ToldApartByAnExactTest) {
    // 10 pairs differ, all in one direction: p = 2 / 2^10 = .00195.
    const std::vector<Correct> ways = {first_correct(30, 64), first_correct(40, 64)};
    const Decision decision = decide(ways, 0.05);
    EXPECT_EQ(decision.best, 1U);
    EXPECT_EQ(decision.runner_up, 0U);
    EXPECT_NEAR(decision.p[0], 2.0 / 1024, 1e-12);
    EXPECT_TRUE(decision.told_apart);
    EXPECT_EQ(outcome_of(decision, close), Outcome::told_apart);
    EXPECT_NEAR(*decision.difference.value, 10.0 / 64, 1e-12);
    EXPECT_GT(decision.difference.interval->low, 0);
}

TEST(EvalDecision, HolmCountsTheWaysTried) {
    // Ten equal p-values. Holm's correction multiplies the smallest by 10 and the next ones by
    // less, and no adjusted value is below the previous one: .0195 for all.
    std::vector<Correct> ways = {first_correct(40, 64)};
    for (int i = 0; i < 10; ++i) ways.push_back(first_correct(30, 64));
    const Decision decision = decide(ways, 0.05);
    EXPECT_NEAR(decision.p[1], 20.0 / 1024, 1e-12);
    EXPECT_TRUE(decision.told_apart);
    EXPECT_FALSE(decide(ways, 0.01).told_apart);
}

TEST(EvalDecision, EqualWaysAreNotSettledAndTheFirstIsTaken) {
    const std::vector<Correct> ways = {first_correct(9, 64), first_correct(40, 64),
                                       first_correct(40, 64)};
    const Decision decision = decide(ways, 0.05);
    EXPECT_EQ(decision.best, 1U);
    EXPECT_EQ(decision.runner_up, 2U);
    EXPECT_EQ(decision.p[2], 1);
    EXPECT_EQ(*decision.difference.value, 0);
    EXPECT_EQ(outcome_of(decision, close), Outcome::not_settled);
}

TEST(EvalDecision, LessThanAPointApartIsNotSettledMoreStops) {
    // 5 of 512 are .98 points, and 6 are 1.17. A two-sided test of 5 has p = 2 / 2^5 = .0625.
    const Decision near =
        decide(std::vector<Correct>{first_correct(405, 512), first_correct(400, 512)}, 0.05);
    EXPECT_FALSE(near.told_apart);
    EXPECT_EQ(outcome_of(near, close), Outcome::not_settled);
    // One of 64 images is 1.6 points.
    const Decision far =
        decide(std::vector<Correct>{first_correct(40, 64), first_correct(41, 64)}, 0.05);
    EXPECT_FALSE(far.told_apart);
    EXPECT_EQ(far.best, 1U);
    EXPECT_EQ(outcome_of(far, close), Outcome::undecided);
}

TEST(EvalDecision, WaysThatFellBehindKeepTheirFirstImages) {
    // The last preprocessing was tried on 64 images, and the others on 128. It is compared on its
    // first 64 images only.
    const std::vector<Correct> ways = {first_correct(80, 128), first_correct(79, 128),
                                       first_correct(10, 64)};
    const Decision decision = decide(ways, 0.05);
    EXPECT_EQ(decision.best, 0U);
    EXPECT_EQ(decision.runner_up, 1U);
    EXPECT_LT(decision.p[2], 1e-9);  // 54 of 64 pairs differ, all in one direction
    EXPECT_EQ(decision.difference.n, 128U);
}

TEST(RunningAccuracyTest, HasNoIntervalInTheFoldersOrder) {
    RunningAccuracy running(100, false);
    EXPECT_EQ(running.text(), "");
    for (int i = 0; i < 40; ++i) running.add(1, 2);
    EXPECT_EQ(running.text(), "50.0 %");
    EXPECT_FALSE(running.estimate().interval);
}

TEST(RunningAccuracyTest, BatchesInARandomOrderAreAClusterSample) {
    RunningAccuracy running(800, true);
    for (int i = 0; i < 20; ++i) running.add(6, 8), running.add(2, 8);
    // The accuracy is 160 / 320, and each batch differs from this by 2 images. The variance is 40 /
    // 39 * 40 * 4 / 320^2, times 1 - 320 / 800 for the images that were not seen yet.
    const Estimate now = running.estimate();
    EXPECT_DOUBLE_EQ(*now.value, 0.5);
    EXPECT_NEAR(*now.standard_error, std::sqrt(40.0 / 39 * 160 / (320.0 * 320) * 0.6), 1e-12);
    EXPECT_EQ(running.text(), "50.0 % ±6.1");
    RunningAccuracy high(800, true);  // the interval is cut at 100 %
    for (int i = 0; i < 40; ++i) high.add(i == 0 ? 0 : 8, 8);
    EXPECT_EQ(high.text(), "97.5 % (93.7 – 100.0)");
    RunningAccuracy few(800, true);
    few.add(6, 8);
    EXPECT_FALSE(few.estimate().interval);
}

TEST(RunningAccuracyTest, BatchesThatAreAlikeGiveNoIntervalOfWidthZero) {
    RunningAccuracy running(800, true);
    for (int i = 0; i < 40; ++i) running.add(8, 8);
    EXPECT_EQ(running.text(), "100.0 %");
    EXPECT_FALSE(running.estimate().interval);
}

TEST(RunningAccuracyTest, WhereAnEarlierRunDidSomeThereIsNoInterval) {
    RunningAccuracy running(800, true);
    for (int i = 0; i < 20; ++i) running.add(6, 8), running.add(2, 8);
    EXPECT_EQ(running.text(false), "50.0 %");
}

TEST(RunningAccuracyTest, CountsLabelledRowsWithScores) {
    Dataset dataset;
    for (const char* id : {"a", "b", "c", "d"}) dataset.ids.append(id);
    const std::int32_t one = 1;
    dataset.labels.append({&one, 1});
    dataset.labels.append({});
    dataset.labels.append({&one, 1});
    dataset.labels.append({&one, 1});
    const std::vector<float> scores = {0, 1, 0, 1, 1, 0, NAN, 1};
    const std::vector<RowState> states = {RowState::ok, RowState::ok, RowState::ok, RowState::ok};
    const auto count = evaluate::count_batch(dataset, 0, states, scores);
    EXPECT_EQ(count.correct, 1U);
    EXPECT_EQ(count.images, 2U);
}

/// 240 images of one colour each, 20 per class. Some are predicted incorrectly because of noise.
class EvalSearch : public testing::Test {
protected:
    static constexpr std::size_t count = 240;

    /// The images are written once, because writing takes longer than a search.
    static void SetUpTestSuite() {
        scratch_ = new Scratch;
        make_folders(*scratch_ / "images");
        for (std::size_t i = 0; i < count; ++i) {
            RandomStream random(1, "colours", i);
            auto colour = colour_of(i % colour_classes);
            for (int& level : colour)
                level =
                    std::clamp(level + static_cast<int>(std::lround(14 * random.normal())), 0, 255);
            const std::string id = std::to_string(1000 + i) + ".bmp";
            write_file_atomically(
                *scratch_ / "images" / id,
                bmp(static_cast<std::uint8_t>(colour[0]), static_cast<std::uint8_t>(colour[1]),
                    static_cast<std::uint8_t>(colour[2])));
        }
    }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }

    /// Only the first `n` images have labels.
    void label(std::size_t n) {
        std::vector<std::int32_t> labels(count, -1);
        for (std::size_t i = 0; i < n; ++i)
            labels[i] = static_cast<std::int32_t>(i % colour_classes);
        dataset.labels = LabelSets::from_single(labels);
    }

    void SetUp() override {
        dataset.name = "colours";
        dataset.root = *scratch_ / "images";
        for (std::size_t i = 0; i < count; ++i)
            dataset.ids.append(std::to_string(1000 + i) + ".bmp");
        label(count);
        dataset.classes = numbered_classes(colour_classes);
        opener.resolve = [](const ModelSettings& settings) {
            ModelSpec spec;
            spec.name = "m";
            spec.path = "m.pt";
            spec.preprocess = preset_named(settings.value("preset", "timm")).preprocess;
            // A sixteenth of the sizes in the presets: 14 for 224.
            spec.preprocess.height = spec.preprocess.width = spec.preprocess.height / 16;
            spec.preprocess.resize_size.reset();
            if (settings.contains("input_size")) {
                spec.preprocess.height = spec.preprocess.width = settings["input_size"][1];
                spec.preprocess.crop_mode = CropMode::none;
            }
            return spec;
        };
        opener.open = [this](ModelSpec spec) {
            if (side > 0 && spec.preprocess.height != side)
                throw Error(ErrorCode::bad_input, "a different size");
            LoadedModel model;
            model.spec = std::move(spec);
            model.classifier = classifier;
            return model;
        };
        classifier->expects.mean = caffe_mean;
        classifier->expects.std = all_one;
        classifier->expects.scale = 1;
        classifier->expects.channel_order = ChannelOrder::bgr;
    }
    PreprocessingChoice search(int threads = 2) {
        return choose_preprocessing(opener, dataset, {.threads = threads});
    }

    static Scratch* scratch_;
    Dataset dataset;
    std::shared_ptr<ColourClassifier> classifier = std::make_shared<ColourClassifier>();
    ModelOpener opener;
    int side = 14;  // the image size of the model; 0 for any size
};
Scratch* EvalSearch::scratch_ = nullptr;

TEST_F(EvalSearch, TheOnlyWayThatFitsIsToldApart) {
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.outcome, Outcome::told_apart);
    EXPECT_EQ(choice.best->options, "--preset caffe");
    EXPECT_EQ(choice.items.size(), 64U);
    EXPECT_TRUE(std::ranges::is_sorted(choice.items));
    EXPECT_GT(choice.refused, 0U);
    EXPECT_LE(choice.p, 0.05);
    EXPECT_THAT(describe(choice), HasSubstr("--preset caffe (63 of 64"));
    EXPECT_THAT(describe(choice), HasSubstr("95 % CI"));
}

TEST_F(EvalSearch, TheSameForAnyNumberOfThreads) {
    const PreprocessingChoice one = search(1), seven = search(7);
    EXPECT_EQ(one.items, seven.items);
    EXPECT_EQ(describe(one), describe(seven));
}

TEST_F(EvalSearch, WaysThatGiveTheSameScoresAreNotSettled) {
    side = 0;  // the sizes 14 and 2 give the same scores for images of one colour
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.outcome, Outcome::not_settled);
    EXPECT_TRUE(choice.usable());
    EXPECT_EQ(choice.best->options, "--preset caffe");
    EXPECT_EQ(choice.runner_up->options, "--preset caffe --input-size 2 --crop-mode none");
    EXPECT_EQ(choice.p, 1);
    EXPECT_EQ(choice.items.size(), 64U);  // the size is 64, because a tenth of the images is fewer
}

// A crop does not change an image of one colour, so only the pixel values differ. Holm multiplies
// the smallest p-value by the number of other ways.
TEST_F(EvalSearch, WaysThatGiveTheSamePixelsAreOneWay) {
    std::set<std::string> values;
    std::size_t ways = 0;
    for (const PreprocessingWay& way : evaluate::usual_ways(opener)) {
        const Preprocess& p = way.preprocess;
        if (p.height != side) continue;
        ++ways;
        Preprocess alike;
        alike.mean = p.mean, alike.std = p.std, alike.scale = p.scale;
        alike.channel_order = p.channel_order;
        values.insert(fingerprint(alike));
    }
    ASSERT_LT(values.size(), ways);
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.tried, values.size());
    EXPECT_THAT(describe(choice), HasSubstr(fmt::format("for {} ways tried", values.size())));
}

TEST_F(EvalSearch, WaysThatGiveOtherPixelsOnOneImageAreSeveral) {
    const std::size_t alike = search().tried;
    const fs::path file =
        *scratch_ / "images" / std::string(dataset.ids[evaluate::items_in_hash_order(dataset)[20]]);
    const std::string one_colour = read_text(file);
    std::string two_colours = one_colour;
    two_colours[54] ^= 0x40;  // the blue value of the first pixel
    write_file_atomically(file, two_colours);
    EXPECT_GT(search().tried, alike);
    write_file_atomically(file, one_colour);
}

/// A model that fails on images with more than one colour.
class OneColourOnly final : public ColourClassifier {
public:
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        const std::size_t plane = input.size() / n / 3;
        for (std::size_t at = 0; at < input.size(); at += plane) {
            const auto [least, most] = std::ranges::minmax(input.subspan(at, plane));
            if (least != most) throw Error(ErrorCode::bad_input, "ValueError: two colours");
        }
        ColourClassifier::scores(input, n, out);
    }
};

TEST_F(EvalSearch, AnImageAtWhichTheModelFailsIsIncorrectInEveryWay) {
    const PreprocessingChoice sound = search();
    const auto picky = std::make_shared<OneColourOnly>();
    picky->expects = classifier->expects;
    classifier = picky;
    const std::string id(dataset.ids[evaluate::items_in_hash_order(dataset)[20]]);
    const fs::path file = *scratch_ / "images" / id;
    const std::string one_colour = read_text(file);
    std::string two_colours = one_colour;
    two_colours[54] ^= 0x40;
    write_file_atomically(file, two_colours);
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.outcome, Outcome::told_apart);
    EXPECT_EQ(choice.best->options, sound.best->options);
    EXPECT_EQ(choice.tried, sound.tried);
    EXPECT_THAT(choice.failed, testing::ElementsAre(id + " (ValueError: two colours)"));
    EXPECT_EQ(describe(search(1)), describe(choice));
    // The guards also find the image that fails.
    const auto found = guard_model(opener.open(opener.resolve(choice.best->settings)), dataset,
                                   {.searched = true, .threads = 2})
                           .findings;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, "images.computed");
    write_file_atomically(file, one_colour);
}

TEST_F(EvalSearch, MoreImagesUpToATenthAreTakenWhereTheBestTwoTie) {
    side = 0;
    const PreprocessingChoice choice =
        choose_preprocessing(opener, dataset, {.threads = 2, .first = 10});
    EXPECT_EQ(choice.items.size(), count / 10);
    EXPECT_EQ(choice.best->images, count / 10);
    // The search looks at the results after 10, 20 and 24 images, so three looks share the level.
    EXPECT_NEAR(choice.difference->interval->level, 1 - 0.05 / 3, 1e-12);
    EXPECT_THAT(describe(choice), HasSubstr("98.33 % CI"));
}

TEST_F(EvalSearch, HalfOfTheLabelledImagesStayForTheNumbers) {
    label(30);
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.outcome, Outcome::told_apart);
    EXPECT_EQ(choice.items.size(), 15U);
    for (const std::uint32_t item : choice.items) EXPECT_LT(item, 30U);
    label(19);
    EXPECT_EQ(search().outcome, Outcome::no_labels);
}

TEST_F(EvalSearch, OnlySmallImagesAreTakenWhole) {
    for (const PreprocessingWay& way : evaluate::usual_ways(opener, 96)) {
        EXPECT_THAT(way.options, HasSubstr(" --input-size 96 --crop-mode none"));
        EXPECT_EQ(way.settings["crop_mode"], "none");
    }
    const std::vector<PreprocessingWay> large = evaluate::usual_ways(opener, 384);
    ASSERT_FALSE(large.empty());
    for (const PreprocessingWay& way : large) {
        EXPECT_TRUE(way.options.ends_with(" --input-size 384")) << way.options;
        EXPECT_FALSE(way.settings.contains("crop_mode"));
    }
}

TEST_F(EvalSearch, AModelOfAnotherSizeIsTriedAtOtherSizes) {
    side = 64;
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.outcome, Outcome::told_apart);
    EXPECT_EQ(choice.best->options, "--preset caffe --input-size 64 --crop-mode none");
}

TEST_F(EvalSearch, NoSizeAtAllThrowsWhatTheModelSaid) {
    side = 5;
    EXPECT_THROW(search(), Error);
}

TEST_F(EvalSearch, WithoutLabelsNothingIsChosenAndTwoCommandsAreNamed) {
    dataset.labels = LabelSets::from_single(std::vector<std::int32_t>(count, -1));
    const PreprocessingChoice choice = search();
    EXPECT_EQ(choice.outcome, Outcome::no_labels);
    EXPECT_FALSE(choice.usable());
    const std::string why = why_stopped(choice, "m", command_of("assay eval m.pt photos"));
    EXPECT_THAT(why, HasSubstr("type `assay eval m.pt photos --preset torchvision` or `assay eval "
                               "m.pt photos --preset timm`"));
}

TEST_F(EvalSearch, ClassesInAnotherOrderAreNamed) {
    classifier->output_of.resize(colour_classes);
    for (std::size_t c = 0; c < colour_classes; ++c)
        classifier->output_of[c] = colour_classes - 1 - c;
    const PreprocessingChoice choice = search();
    ASSERT_EQ(choice.outcome, Outcome::at_chance);
    ASSERT_TRUE(choice.order);
    EXPECT_THAT(choice.order->title, HasSubstr("order of classes"));
    EXPECT_THAT(why_stopped(choice, "m", command_of("assay eval m.pt photos")),
                HasSubstr("--classes FILE"));
}

TEST_F(EvalSearch, AWayThatTiesAndDiffersByMoreStopsWithBothCommands) {
    PreprocessingChoice choice;
    choice.outcome = Outcome::undecided;
    choice.best = {
        .settings = {}, .options = "--preset a", .preprocess = {}, .images = 64, .correct = 41};
    choice.runner_up = {
        .settings = {}, .options = "--preset b", .preprocess = {}, .images = 64, .correct = 40};
    EXPECT_THAT(why_stopped(choice, "m", command_of("assay eval m.pt p")),
                HasSubstr("type `assay eval m.pt p --preset a` or `assay eval m.pt p --preset b`"));
}

TEST_F(EvalSearch, ARandomModelIsRefusedByName) {
    classifier->dropout = true;
    const LoadedModel model = opener.open(opener.resolve({{"preset", "caffe"}}));
    try {
        batches_mix(model, dataset, 2);
        FAIL() << "it was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.message(), HasSubstr("`m.pt`: the same images get different scores"));
        EXPECT_THAT(error.message(), HasSubstr("model.eval()"));
    }
}

TEST_F(EvalSearch, AGoodModelPassesAllGuards) {
    const LoadedModel model = opener.open(opener.resolve({{"preset", "caffe"}}));
    EXPECT_FALSE(batches_mix(model, dataset, 2));
    const EvalGuards guards = guard_model(model, dataset, {.threads = 2});
    EXPECT_TRUE(guards.findings.empty()) << guards.findings.front().title;
    EXPECT_EQ(guards.batch, 0U);
}

TEST_F(EvalSearch, IncorrectPixelValuesWarnWithTheCommand) {
    const LoadedModel model = opener.open(opener.resolve({{"preset", "timm"}}));
    const EvalGuards guards = guard_model(model, dataset, {.threads = 2});
    ASSERT_FALSE(guards.findings.empty());
    const auto pixels = std::ranges::find(guards.findings, "pixels.values", &Finding::id);
    ASSERT_NE(pixels, guards.findings.end());
    const std::string text =
        warning_text(*pixels, command_of("assay eval m.pt p"), "assay check -m m.pt -d p");
    EXPECT_THAT(text, HasSubstr("; type `assay eval m.pt p --channel-order bgr --scale 1"));
    EXPECT_TRUE(text.ends_with("`")) << text;
}

/// Batch normalisation in training mode: scores depend on the other images of a batch, and a single
/// image is gray.
TEST_F(EvalSearch, TrainingModeIsRefusedBecauseImagesAloneDoNoBetter) {
    classifier->batch_norm = true;
    const LoadedModel model = opener.open(opener.resolve({{"preset", "caffe"}}));
    ASSERT_TRUE(batches_mix(model, dataset, 2));
    EXPECT_THROW(guard_model(model, dataset, {.searched = true, .mixes = true, .threads = 2}),
                 Error);
}

/// A fixed batch size from tracing: only the first image of a batch gets its own scores.
class MixedBatch final : public ColourClassifier {
public:
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        std::vector<float> mixed(input.begin(), input.end());
        const std::size_t each = input.size() / n;
        for (std::size_t i = 1; i < n; ++i) std::copy_n(input.begin(), each, &mixed[i * each]);
        ColourClassifier::scores(mixed, n, out);
    }
};

TEST_F(EvalSearch, ABakedInBatchSizeRunsWithOneImage) {
    auto mixed = std::make_shared<MixedBatch>();
    mixed->expects = classifier->expects;
    classifier = mixed;
    const LoadedModel model = opener.open(opener.resolve({{"preset", "caffe"}}));
    ASSERT_TRUE(batches_mix(model, dataset, 2));
    const EvalGuards guards =
        guard_model(model, dataset, {.searched = true, .mixes = true, .threads = 2});
    EXPECT_EQ(guards.batch, 1U);
    ASSERT_EQ(guards.findings.size(), 1U);
    EXPECT_THAT(guards.findings[0].title, HasSubstr("one image at a time"));
    // The preprocessing is also found in batches of one image.
    const PreprocessingChoice choice =
        choose_preprocessing(opener, dataset, {.threads = 2, .batch = 1});
    EXPECT_EQ(choice.best->options, "--preset caffe");
}

TEST_F(EvalSearch, GuardsOfImagesAloneNeverSeeABatch) {
    auto mixed = std::make_shared<MixedBatch>();
    mixed->expects = classifier->expects;
    classifier = mixed;
    const LoadedModel model = opener.open(opener.resolve({{"preset", "caffe"}}));
    EXPECT_TRUE(guard_model(model, dataset, {.alone = true, .threads = 2}).findings.empty());
    EXPECT_FALSE(guard_model(model, dataset, {.threads = 2}).findings.empty());
}

}  // namespace
}  // namespace assay
