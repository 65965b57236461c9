// Trained classifiers: errors, determinism, reuse, and a file that computes the same as the trained
// network.
#include "assay/model/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/model/model_spec.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/random.h"
#include "core/statistics.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Noisy stripes that are horizontal, vertical, or both. They have textures and no outlines, and
/// are easy for any network.
Image pattern(std::size_t kind, std::uint64_t item) {
    constexpr int side = 24;
    RandomStream random(5, "pattern", item);
    const auto phase = static_cast<int>(random.below(4));
    Image image{side, side, {}};
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const bool across = (y + phase) / 2 % 2 == 0, along = (x + phase) / 2 % 2 == 0;
            const bool on = kind == 0 ? across : kind == 1 ? along : across != along;
            for (int c = 0; c < 3; ++c) {
                const double value = (on ? 170 : 90) + 25 * random.normal();
                image.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
            }
            image.pixels.push_back(255);
        }
    }
    return image;
}

[[maybe_unused]] void make_images(const fs::path& folder, std::size_t each) {
    for (std::size_t kind = 0; kind < 3; ++kind) {
        const fs::path to = folder / std::vector<std::string>{"across", "along", "checks"}[kind];
        make_folders(to);
        for (std::size_t i = 0; i < each; ++i)
            save_png(pattern(kind, 3 * i + kind), to / (std::to_string(1000 + i) + ".png"));
    }
}

TrainSpec quick(const std::string& name) {
    TrainSpec spec;
    spec.name = name;
    spec.width = 4;
    spec.side = 24;
    spec.epochs = 6;
    spec.batch = 32;
    spec.held_out = 0.3;
    return spec;
}

std::string refusal(const Dataset& dataset, const std::vector<TrainSpec>& specs,
                    const fs::path& folder, ErrorCode code = ErrorCode::usage) {
    TrainOptions options;
    options.folder = folder;
    return message_of([&] { train_classifiers(dataset, specs, options); }, code);
}

TEST(Train, RefusesBadSpecs) {
    const Scratch scratch;
    const Dataset none;
    const auto says = [&](auto change) {
        TrainSpec spec = quick("net");
        change(spec);
        return refusal(none, {spec}, scratch / "m");
    };
    EXPECT_THAT(refusal(none, {}, scratch / "m"), HasSubstr("no network to train"));
    EXPECT_THAT(refusal(none, {quick("a"), quick("a")}, scratch / "m"),
                HasSubstr("two networks are named `a`"));
    EXPECT_THAT(says([](TrainSpec& s) { s.calibrated_copy = "net"; }),
                HasSubstr("two networks are named `net`"));
    EXPECT_THAT(says([](TrainSpec& s) { s.name = "../x"; }), HasSubstr("network name `../x`"));
    EXPECT_THAT(says([](TrainSpec& s) { s.name = ""; }), HasSubstr("network name ``"));
    EXPECT_THAT(says([](TrainSpec& s) { s.calibrated_copy = ".hidden"; }),
                HasSubstr("network name `.hidden`"));
    EXPECT_THAT(says([](TrainSpec& s) { s.width = 0; }),
                HasSubstr("network `net`: width is 0, outside 1 to 256"));
    EXPECT_THAT(says([](TrainSpec& s) { s.side = 15; }), HasSubstr("side is 15"));
    EXPECT_THAT(says([](TrainSpec& s) { s.epochs = 0; }), HasSubstr("epochs is 0"));
    EXPECT_THAT(says([](TrainSpec& s) { s.batch = 1; }), HasSubstr("batch is 1"));
    EXPECT_THAT(says([](TrainSpec& s) { s.learning_rate = std::nan(""); }),
                HasSubstr("learning_rate is nan"));
    EXPECT_THAT(says([](TrainSpec& s) { s.share = 0; }), HasSubstr("share is 0"));
    EXPECT_THAT(says([](TrainSpec& s) { s.held_out = 0.95; }), HasSubstr("held_out is 0.95"));
    EXPECT_THAT(says([](TrainSpec& s) { s.adversarial = -0.1; }), HasSubstr("adversarial is -0.1"));
    EXPECT_FALSE(fs::exists(scratch / "m"));
}

#ifndef ASSAY_HAS_TORCH
TEST(Train, SaysThatLibTorchIsMissing) {
    const Scratch scratch;
    EXPECT_THAT(refusal(Dataset(), {quick("net")}, scratch / "m"),
                HasSubstr("no LibTorch plug-in"));
}
#else

class Trained : public testing::Test {
protected:
    static void SetUpTestSuite() {
        scratch_ = new Scratch;
        make_images(*scratch_ / "images", 60);
    }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }
    static Dataset images() { return open_dataset(*scratch_ / "images", {}); }
    static fs::path fresh(const std::string& name) { return *scratch_ / name; }
    static std::vector<TrainReport> train(const fs::path& folder,
                                          const std::vector<TrainSpec>& specs, int threads = 1,
                                          bool again = false) {
        TrainOptions options;
        options.folder = folder;
        options.threads = threads;
        options.again = again;
        return train_classifiers(images(), specs, options);
    }
    /// Scores of the first `n` images.
    static std::vector<float> scores(const fs::path& model, std::size_t n) {
        const ModelSpec spec = resolve_model(model, ModelSettings::object());
        const auto classifier = open_classifier(spec);
        const Dataset dataset = images();
        const std::size_t numbers =
            3 * static_cast<std::size_t>(spec.preprocess.width * spec.preprocess.height);
        std::vector<float> input(n * numbers), out(n * classifier->facts().classes);
        for (std::size_t i = 0; i < n; ++i)
            preprocess_into(load_image(dataset.path_of(i)), spec.preprocess,
                            std::span(input).subspan(i * numbers, numbers));
        classifier->scores(input, n, out);
        return out;
    }

private:
    static Scratch* scratch_;
};
Scratch* Trained::scratch_ = nullptr;

TEST_F(Trained, LearnsAndSaysSo) {
    TrainSpec patches = quick("local");
    patches.epochs = 20;
    patches.network = NetworkKind::patches;
    TrainSpec copied = quick("net");
    copied.epochs = 20;
    copied.calibrated_copy = "net-scaled";
    std::uint64_t last = 0, total = 0;
    double work = 0;
    TrainOptions options;
    options.folder = fresh("learns");
    const auto reports =
        train_classifiers(images(), std::vector{copied, patches}, options, [&](const Progress& p) {
            EXPECT_GE(p.done, last);
            EXPECT_LE(p.done, p.total);
            EXPECT_GE(p.work, work);
            EXPECT_EQ(p.work_skipped, 0);
            last = p.done;
            total = p.total;
            work = *p.work;
        });
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_GT(total, 0U);
    EXPECT_EQ(last, total);
    EXPECT_NEAR(work, 1, 1e-9);  // a sum with one part for each batch
    Progress again;
    train_classifiers(images(), std::vector{copied, patches}, options,
                      [&](const Progress& p) { again = p; });
    EXPECT_EQ(again.done, total);
    EXPECT_EQ(again.skipped, total);
    EXPECT_NEAR(again.work_skipped.value(), 1, 1e-9);
    for (const TrainReport& r : reports) {
        EXPECT_EQ(r.trained_on + r.held_out, 180U);
        // Chance is 1/3, and the whole interval is above 2/3.
        EXPECT_GT(wilson(r.held_out_right, r.held_out).low, 2.0 / 3) << r.name;
        EXPECT_LE(r.held_out_right_attacked, r.held_out_right);
        EXPECT_FALSE(r.reused);
        EXPECT_TRUE(fs::exists(r.file));
    }
    EXPECT_EQ(reports[0].name, "net");
    EXPECT_EQ(reports[1].calibrated_file, "");
    // A folded network of width 4 has 5x5 3->4 and 3x3 4->8, 8->8, 8->16, 16->16, each with a bias,
    // and 3 x (16 + 1) at the end.
    const std::int64_t whole =
        (75 * 4 + 4) + (36 * 8 + 8) + (72 * 8 + 8) + (72 * 16 + 16) + (144 * 16 + 16) + 3 * 17;
    EXPECT_EQ(reports[0].parameters, whole);
    // The network has 5x5 3->4, 3x3 4->8 and 1x1 8->16.
    EXPECT_EQ(reports[1].parameters, (75 * 4 + 4) + (36 * 8 + 8) + (8 * 16 + 16) + 3 * 17);
    EXPECT_EQ(open_classifier(resolve_model(reports[0].file, ModelSettings::object()))
                  ->facts()
                  .parameters,
              whole);

    // In the copy, every score is divided by the temperature, so the predictions are the same.
    const std::vector<float> a = scores(reports[0].file, 180),
                             b = scores(reports[0].calibrated_file, 180);
    const Dataset dataset = images();
    std::uint64_t right = 0;
    for (std::size_t i = 0; i < 180; ++i) {
        const auto best =
            std::max_element(a.begin() + 3 * i, a.begin() + 3 * (i + 1)) - (a.begin() + 3 * i);
        right += best == dataset.single_label(i) ? 1 : 0;
    }
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(b[i] * reports[0].temperature, a[i], 1e-4 * (1 + std::abs(a[i])));
    // The file predicts the same as the network, so among all images at least as many are correct
    // as among the held-out ones.
    EXPECT_GE(right, reports[0].held_out_right);
    EXPECT_GT(wilson(right, 180).low, 2.0 / 3);
}

TEST_F(Trained, TheSameBitsForAnyThreads) {
    TrainSpec hard = quick("hard");
    hard.random_textures = 0.5;
    hard.adversarial = 4.0 / 255;
    hard.epochs = 2;
    TrainSpec other = quick("other");
    other.epochs = 2;
    const std::vector<TrainSpec> specs = {quick("net"), hard, other};
    const auto one = train(fresh("one"), specs, 1), three = train(fresh("three"), specs, 3);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        EXPECT_EQ(hash_file(one[i].file), hash_file(three[i].file)) << specs[i].name;
        EXPECT_EQ(one[i].loss, three[i].loss);
        EXPECT_EQ(one[i].held_out_right_attacked, three[i].held_out_right_attacked);
    }
    // A network does not depend on which other networks are trained, and another seed gives another
    // network.
    EXPECT_EQ(hash_file(train(fresh("alone"), {other})[0].file), hash_file(one[2].file));
    TrainSpec reseeded = other;
    reseeded.seed = 2;
    EXPECT_NE(hash_file(train(fresh("reseeded"), {reseeded})[0].file), hash_file(one[2].file));
}

TEST_F(Trained, WhatIsThereIsNotTrainedAgain) {
    TrainSpec spec = quick("net");
    spec.epochs = 1;
    spec.calibrated_copy = "copy";
    const fs::path folder = fresh("reuse");
    const TrainReport first = train(folder, {spec})[0];
    const TrainReport second = train(folder, {spec})[0];
    EXPECT_FALSE(first.reused);
    EXPECT_TRUE(second.reused);
    EXPECT_EQ(second.held_out_right, first.held_out_right);
    EXPECT_EQ(second.seconds, first.seconds);
    EXPECT_EQ(second.temperature, first.temperature);
    EXPECT_EQ(second.calibrated_file, first.calibrated_file);
    EXPECT_FALSE(train(folder, {spec}, 1, true)[0].reused);

    const std::string whole = read_text(first.file);
    std::ofstream(first.file) << "damaged";
    EXPECT_FALSE(train(folder, {spec})[0].reused);
    EXPECT_EQ(read_text(first.file), whole);
    fs::remove(first.calibrated_file);
    EXPECT_FALSE(train(folder, {spec})[0].reused);
    // Models that only differ in settings need no training.
    const std::string settings = read_text(folder / "net.toml");
    fs::remove(folder / "net.toml");
    EXPECT_TRUE(train(folder, {spec})[0].reused);
    EXPECT_EQ(read_text(folder / "net.toml"), settings);
    std::ofstream(folder / "net.toml", std::ios::app) << "mean = [0, 0, 0]\n";
    EXPECT_TRUE(train(folder, {spec})[0].reused);
    EXPECT_EQ(read_text(folder / "net.toml"), settings);
    std::ofstream(folder / "net.training.json") << "{\"key\": 3";
    EXPECT_FALSE(train(folder, {spec})[0].reused);
    EXPECT_TRUE(train(folder, {spec})[0].reused);
    spec.epochs = 2;
    EXPECT_FALSE(train(folder, {spec})[0].reused);
}

TEST_F(Trained, StopsWhenTheCallbackThrows) {
    TrainOptions options;
    options.folder = fresh("stopped");
    try {
        train_classifiers(images(), std::vector{quick("net")}, options,
                          [](const Progress&) { throw Error(ErrorCode::interrupted, "stop"); });
        FAIL() << "no error was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::interrupted);
    }
    EXPECT_FALSE(fs::exists(options.folder / "net.pt"));
    EXPECT_FALSE(fs::exists(options.folder / "net.training.json"));
}

TEST_F(Trained, NamesThatItsFilesCannotHold) {
    const Scratch scratch;
    make_images(scratch / "p", 2);
    fs::rename(scratch / "p/along", scratch / "p/al\xE9");
    EXPECT_THAT(refusal(open_dataset(scratch / "p", {}), {quick("net")}, scratch / "m",
                        ErrorCode::bad_input),
                HasSubstr("is not UTF-8"));
    EXPECT_FALSE(fs::exists(scratch / "m/net.pt"));
}

TEST_F(Trained, BadImagesAndTooFewClasses) {
    const Scratch scratch;
    make_images(scratch / "p", 2);
    std::ofstream(scratch / "p/along/1000.png") << "no image";
    EXPECT_THAT(refusal(open_dataset(scratch / "p", {}), {quick("net")}, scratch / "m",
                        ErrorCode::bad_input),
                HasSubstr("along/1000.png"));
    fs::remove_all(scratch / "p/along");
    fs::remove_all(scratch / "p/checks");
    EXPECT_THAT(
        refusal(open_dataset(scratch / "p", {}), {quick("net")}, scratch / "m",
                ErrorCode::bad_input),
        HasSubstr("images of 1 classes have exactly one label; training needs two classes"));
    TrainSpec spec = quick("net");
    spec.share = 1e-6;
    EXPECT_THAT(refusal(images(), {spec}, scratch / "m"),
                HasSubstr("fewer than two images for training"));
    spec = quick("net");
    spec.held_out = 0;
    spec.calibrated_copy = "copy";
    EXPECT_THAT(refusal(images(), {spec}, scratch / "m"),
                HasSubstr("temperature needs held-out images"));
}
#endif

}  // namespace
}  // namespace assay
