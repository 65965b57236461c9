// Corrupted images that are predicted without being written. They give the same numbers as files,
// and different versions are never mixed.
#include "assay/evaluate/predict_corrupted.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/image/encode.h"
#include "assay/robustness/corrupt_dataset.h"
#include "coloured_images.h"
#include "message_of.h"
#include "robustness/images.h"
#include "store/same_data.h"

namespace assay {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// A model whose scores depend on every value of the input. Tests can count, forbid or observe its
/// calls.
class Sums : public Classifier {
public:
    explicit Sums(std::int64_t fixed_batch = 0) {
        facts_.classes = 3;
        facts_.device = "cpu";
        facts_.fixed_batch = fixed_batch;
    }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (before) before(++calls);
        const std::size_t each = input.size() / n;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t c = 0; c < 3; ++c) {
                double sum = 0;
                for (std::size_t k = 0; k < each; ++k)
                    sum += static_cast<double>(input[i * each + k]) *
                           std::cos(static_cast<double>(k * (c + 1)));
                out[3 * i + c] = static_cast<float>(sum);
            }
        }
    }
    std::function<void(int call)> before;
    std::atomic<int> calls = 0;

private:
    ModelFacts facts_;
};

/// The same model, which takes bytes like classifiers on devices.
class SumsOfBytes final : public Sums {
public:
    bool prefers_bytes() const override { return true; }
};

LoadedModel model_of(const std::string& name, int side, std::shared_ptr<Classifier> classifier) {
    LoadedModel model;
    model.spec.name = name;
    model.spec.path = name + ".pt";
    model.spec.classes = ClassList({"cat", "dog", "owl"});
    Preprocess own;
    own.width = own.height = side;
    model.spec.preprocess = corrupted_preprocess(own, CorruptedTransform::crop);
    model.classifier = std::move(classifier);
    model.file_hash = hash_text(name);
    return model;
}

class PredictCorrupted : public testing::Test {
protected:
    PredictCorrupted() {
        for (int i = 0; i < 6; ++i) add(i, 90 + i, 70);
        settings_.corruptions = {"fog", "gaussian_noise"};
        settings_.severities = {2, 5};
        settings_.seed = 7;
        settings_.window = {.resize = 60, .crop = 48};
        settings_.profile = CorruptionProfile::imagenet;
    }
    void add(int number, int width, int height) const {
        const fs::path file = scratch_ / ("val/" + std::string(number % 2 == 0 ? "cat" : "dog") +
                                          "/" + std::to_string(number) + ".png");
        fs::create_directories(file.parent_path());
        save_png(wavy_image(width, height, static_cast<std::uint64_t>(number)), file);
    }
    Dataset dataset() const {
        return open_dataset(scratch_ / "val", {.classes = ClassList({"cat", "dog", "owl"})});
    }
    PredictOptions options(const std::string& runs, int threads = 1) const {
        PredictOptions o;
        o.runs = scratch_ / runs;
        o.batch_size = 4;
        o.threads = threads;
        return o;
    }
    std::vector<PredictResult> predict_all(const std::vector<LoadedModel>& models,
                                           const PredictOptions& o,
                                           const ProgressCallback& progress = {}) const {
        return predict_corrupted(models, dataset(), CorruptedVersions(settings_), o, progress);
    }
    /// Every number of a store, and the description of its rows.
    struct Content {
        std::vector<float> scores;
        std::vector<std::string> ids, labels;
        std::vector<RowState> states;
        bool operator==(const Content&) const = default;
    };
    static Content content(const fs::path& folder) {
        const PredictionStore store = PredictionStore::open(folder);
        EXPECT_TRUE(store.finished());
        Content all;
        for (std::size_t s = 0; s < store.shards(); ++s) {
            const auto shard = store.shard(s);
            all.scores.insert(all.scores.end(), shard.f32().begin(), shard.f32().end());
            all.states.insert(all.states.end(), shard.states().begin(), shard.states().end());
        }
        for (std::size_t i = 0; i < store.dataset().size(); ++i) {
            all.ids.emplace_back(store.dataset().ids[i]);
            all.labels.push_back(std::to_string(store.dataset().single_label(i)));
        }
        return all;
    }
    /// The bytes of everything in a store that is independent of the machine and of the run.
    std::map<std::string, std::string> numbers_below(const std::string& runs) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::recursive_directory_iterator(scratch_ / runs)) {
            const std::string name = entry.path().filename().string();
            if (!entry.is_regular_file() || name == "manifest.json" || name == "lock" ||
                name == ".lock")
                continue;
            files[fs::relative(entry.path(), scratch_ / runs).string()] = read_text(entry.path());
        }
        return files;
    }
    /// Writes files with corrupt_dataset(), then predicts them version by version.
    void expect_as_from_files(const std::vector<LoadedModel>& models, const std::string& name) {
        CorruptOptions written;
        static_cast<CorruptionSettings&>(written) = settings_;
        written.data = scratch_ / "val";
        written.out = scratch_ / ("c" + name);
        corrupt_dataset(written);
        const auto direct = predict_all(models, options("direct" + name));
        const CorruptedVersions versions(settings_);
        ASSERT_EQ(direct.size(), versions.versions().size() * models.size());
        std::size_t k = 0;
        for (const CorruptionVersion& which : versions.versions()) {
            Dataset files =
                open_dataset(written.out / which.corruption->name / std::to_string(which.severity),
                             {.classes = ClassList({"cat", "dog", "owl"})});
            files.name = corrupted_dataset_name("val", which);
            const auto from_files = predict(models, files, options("files" + name));
            for (std::size_t m = 0; m < models.size(); ++m, ++k) {
                EXPECT_EQ(direct[k].dataset, files.name);
                EXPECT_EQ(direct[k].model, models[m].spec.name);
                Content expected = content(from_files[m].store);
                if (settings_.jpeg_quality) expected.ids = content(direct[k].store).ids;
                EXPECT_EQ(content(direct[k].store), expected) << files.name;
                EXPECT_EQ(PredictionStore::open(direct[k].store).spec().preprocess_hash,
                          PredictionStore::open(from_files[m].store).spec().preprocess_hash);
            }
        }
    }

    CorruptionSettings settings_;
    Scratch scratch_;
};

// The first model has the size of the window, one has a larger input, and one has a smaller input
// and another batch size.
TEST_F(PredictCorrupted, GivesTheScoresOfTheFilesBitForBit) {
    fs::create_directories(scratch_ / "ice");
    for (int i = 0; i < 2; ++i)
        save_png(wavy_image(64 + i, 80), scratch_ / ("ice/" + std::to_string(i) + ".png"));
    settings_.corruptions = {"all"};
    settings_.severities = {3};
    settings_.frost = scratch_ / "ice";
    expect_as_from_files({model_of("same", 48, std::make_shared<Sums>()),
                          model_of("bytes", 48, std::make_shared<SumsOfBytes>()),
                          model_of("large", 53, std::make_shared<Sums>()),
                          model_of("batch", 20, std::make_shared<Sums>(3))},
                         "");
}

TEST_F(PredictCorrupted, GivesTheScoresOfJpegFilesToo) {
    settings_.jpeg_quality = 85;
    expect_as_from_files({model_of("m", 48, std::make_shared<Sums>())}, "");
    settings_.jpeg_quality.reset();
    expect_as_from_files({model_of("m", 48, std::make_shared<Sums>())}, "plain");
    EXPECT_NE(content(scratch_ / "direct/val_fog_2/m").scores,
              content(scratch_ / "directplain/val_fog_2/m").scores);
}

TEST_F(PredictCorrupted, ImagesAsTheyAreAreCorruptedWholeWithoutAWindow) {
    settings_.window = {.resize = 0, .crop = 0};
    expect_as_from_files({model_of("m", 48, std::make_shared<Sums>())}, "");
}

TEST_F(PredictCorrupted, DecodesEachImageOnce) {
    const auto first = std::make_shared<Sums>(), second = std::make_shared<Sums>();
    // Deletes the images, so that reading one again would fail.
    first->before = [&](int call) {
        if (call == 1) fs::remove_all(scratch_ / "val");
    };
    const auto results =
        predict_all({model_of("a", 48, first), model_of("b", 30, second)}, options("runs"));
    ASSERT_EQ(results.size(), 8U);
    for (const PredictResult& result : results) {
        EXPECT_EQ(result.bad_rows, 0U);
        EXPECT_EQ(result.predicted, 6U);
    }
}

TEST_F(PredictCorrupted, HasTheSameBytesForAnyThreadsAndOrderOfVersions) {
    for (const int threads : {1, 2, 5}) {
        const std::string runs = "runs" + std::to_string(threads);
        predict_all({model_of("a", 48, std::make_shared<Sums>()),
                     model_of("b", 20, std::make_shared<Sums>(3))},
                    options(runs, threads));
        EXPECT_EQ(numbers_below(runs), numbers_below("runs1"));
    }
    // Each version has three files of its items, and each of the two models a shard of two files.
    EXPECT_EQ(numbers_below("runs1").size(), 4U * (3 + 2 * 2));
    settings_.corruptions = {"gaussian_noise"};
    predict_all({model_of("b", 20, std::make_shared<Sums>(3))}, options("some"));
    settings_.corruptions = {"fog", "gaussian_noise"};
    predict_all(
        {model_of("a", 48, std::make_shared<Sums>()), model_of("b", 20, std::make_shared<Sums>(3))},
        options("some"));
    EXPECT_EQ(numbers_below("some"), numbers_below("runs1"));
}

TEST_F(PredictCorrupted, ContinuesWhereItWasInterrupted) {
    predict_all({model_of("m", 48, std::make_shared<Sums>())}, options("whole"));
    const auto breaks = std::make_shared<Sums>();
    breaks->before = [](int call) {
        if (call == 5) throw Error(ErrorCode::io, "the power failed");
    };
    EXPECT_THROW(predict_all({model_of("m", 48, breaks)}, options("broken")), Error);
    const auto again = std::make_shared<Sums>();
    again->before = [](int) {};
    Progress last;
    predict_all({model_of("m", 48, again)}, options("broken"),
                [&](const Progress& p) { last = p; });
    // There are 4 versions of 2 batches, and 2 versions were complete.
    EXPECT_EQ(again->calls, 4);
    EXPECT_EQ(last.total, 24U);
    EXPECT_EQ(last.done, 24U);
    EXPECT_EQ(last.skipped, 12U);
    EXPECT_EQ(numbers_below("broken"), numbers_below("whole"));
    const auto none = std::make_shared<Sums>();
    none->before = [](int) { FAIL() << "all was there"; };
    predict_all({model_of("m", 48, none)}, options("broken"));
}

TEST_F(PredictCorrupted, NeverMixesWhatWasCorruptedOtherwise) {
    settings_.corruptions = {"fog"};
    predict_all({model_of("m", 48, std::make_shared<Sums>())}, options("runs"));
    const auto before = numbers_below("runs");
    const auto refused = [&](const std::string& model,
                             const std::function<void(CorruptionSettings&)>& change) {
        const CorruptionSettings kept = settings_;
        settings_.corruptions = {"brightness", "fog"};
        change(settings_);
        const std::string message = message_of(
            [&] { predict_all({model_of(model, 48, std::make_shared<Sums>())}, options("runs")); });
        settings_ = kept;
        EXPECT_THAT(message, HasSubstr("the data set `val_fog_2` in"));
        EXPECT_EQ(numbers_below("runs"), before);
        EXPECT_FALSE(fs::exists(scratch_ / "runs/val_brightness_2"));
        return message;
    };
    EXPECT_THAT(refused("m", [](auto& s) { s.seed = 8; }),
                HasSubstr("seed was `7` and is now `8`"));
    // Two models on one data set must have the same images.
    EXPECT_THAT(refused("other", [](auto& s) { s.seed = 8; }), HasSubstr("seed was `7`"));
    EXPECT_THAT(refused("m", [](auto& s) { s.window.crop = 40; }), HasSubstr("crop was `48`"));
    EXPECT_THAT(refused("m", [](auto& s) { s.window.resize = 61; }), HasSubstr("resize was `60`"));
    EXPECT_THAT(refused("m", [](auto& s) { s.jpeg_quality = 85; }),
                HasSubstr("jpeg_quality was `not set` and is now `85`"));
    // Uncorrupted images are not added to a corrupted data set of the same name, nor the reverse.
    Dataset clean = dataset();
    clean.name = "val_fog_2";
    const LoadedModel other = model_of("other", 48, std::make_shared<Sums>());
    EXPECT_THAT(message_of([&] {
                    predict({&other, 1}, clean, options("runs"));
                }),
                HasSubstr("contains corrupted images, but those now are not corrupted"));
    predict({&other, 1}, clean, options("clean"));
    EXPECT_THAT(message_of([&] {
                    predict_all({model_of("m", 48, std::make_shared<Sums>())}, options("clean"));
                }),
                HasSubstr("contains images that are not corrupted, but those now are"));
}

TEST_F(PredictCorrupted, OtherPhotographsOfFrostAreOtherImages) {
    fs::create_directories(scratch_ / "ice");
    save_png(wavy_image(64, 64, 1), scratch_ / "ice/a.png");
    settings_.corruptions = {"frost", "contrast"};
    settings_.frost = scratch_ / "ice";
    const LoadedModel model = model_of("m", 48, std::make_shared<Sums>());
    predict_all({model}, options("runs"));
    save_png(wavy_image(64, 64, 2), scratch_ / "ice/a.png");
    EXPECT_THAT(message_of([&] { predict_all({model}, options("runs")); }),
                HasSubstr("the data set `val_frost_2`"));
    // Corruptions without overlays are independent of the frost images.
    settings_.corruptions = {"contrast"};
    settings_.frost.clear();
    EXPECT_EQ(predict_all({model}, options("runs"))[0].predicted, 0U);
}

TEST_F(PredictCorrupted, TheStoreSaysWhatItsImagesAre) {
    const auto results =
        predict_all({model_of("m", 48, std::make_shared<Sums>())}, options("runs"));
    const PredictionStore store = PredictionStore::open(results[0].store);
    const auto provenance = nlohmann::json::parse(store.spec().provenance_json);
    const auto expected = nlohmann::json::parse(
        R"({"corruption":"gaussian_noise","severity":2,"seed":7,"resize":60,"crop":48,"jpeg_quality":null,
            "frost":null})");
    EXPECT_EQ(provenance["corruption"], expected);
    EXPECT_EQ(nlohmann::json::parse(
                  read_text(scratch_ / "runs/val_gaussian_noise_2/dataset.json"))["corruption"],
              expected);
    EXPECT_THAT(verify_store(results[0].store), testing::IsEmpty());
}

TEST_F(PredictCorrupted, AreNotTheCleanImagesToThoseThatCompare) {
    const LoadedModel model = model_of("m", 48, std::make_shared<Sums>());
    predict({&model, 1}, dataset(), options("runs"));
    predict_all({model}, options("runs"));
    predict_all({model_of("other", 48, std::make_shared<Sums>())}, options("runs"));
    const auto open = [&](const std::string& store) {
        return PredictionStore::open(scratch_ / "runs" / store);
    };
    EXPECT_FALSE(store::same_data(open("val/m"), open("val_fog_2/m")).images());
    EXPECT_FALSE(store::same_data(open("val_fog_5/m"), open("val_fog_2/m")).images());
    EXPECT_EQ(store::same_data(open("val_fog_2/other"), open("val_fog_2/m")).files, true);
    EXPECT_EQ(store::saw_same_files(open("val/m"), open("val_fog_2/m")), true);
}

TEST_F(PredictCorrupted, WhatCannotBeReadOrIsTooSmallKeepsItsRow) {
    write_file_atomically(scratch_ / "val/cat/8.png", "no image");
    add(9, 30, 30);
    settings_.corruptions = {"motion_blur", "contrast"};  // 31 pixels at severity 2
    settings_.severities = {2};
    settings_.window = {.resize = 0, .crop = 0};
    const LoadedModel model = model_of("m", 48, std::make_shared<Sums>());
    const auto results = predict_all({model}, options("runs"));
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].rows, 8U);
    EXPECT_EQ(results[0].bad_rows, 2U);
    EXPECT_EQ(results[1].bad_rows, 1U);
    EXPECT_THAT(results[1].first_error, HasSubstr("cat/8.png: "));
    const PredictionStore store = PredictionStore::open(results[0].store);
    EXPECT_THAT(store.shard(0).errors().back().message,
                HasSubstr("motion_blur at severity 2 needs images of 31 x 31 pixels or more"));
    // Only images that can be read now are computed again.
    EXPECT_EQ(predict_all({model}, options("runs"))[0].predicted, 0U);
    add(8, 50, 50);
    const auto again = predict_all({model}, options("runs"));
    EXPECT_EQ(again[0].predicted, 8U);
    EXPECT_EQ(again[0].bad_rows, 1U);
    EXPECT_EQ(again[1].bad_rows, 0U);
}

TEST_F(PredictCorrupted, AnImageSmallerThanTheCropHasNoScore) {
    settings_.window = {.resize = 0, .crop = 80};
    const auto results =
        predict_all({model_of("m", 48, std::make_shared<Sums>())}, options("runs"));
    for (const PredictResult& result : results) {
        EXPECT_EQ(result.bad_rows, 6U);
        EXPECT_THAT(result.first_error, HasSubstr("smaller than the crop of 80"));
    }
}

// 1,030 rows are two blocks. The last one has no image in common with the windows of the first.
TEST_F(PredictCorrupted, WorksInBlocks) {
    Dataset many;
    many.name = "many";
    many.root = scratch_ / "val";
    many.classes = ClassList({"cat", "dog", "owl"});
    for (int i = 0; i < 1030; ++i) {
        many.ids.append("image" + std::to_string(i));
        many.paths.append(i < 1026 ? "cat/0.png" : "dog/1.png");
        const std::int32_t label = 0;
        many.labels.append({&label, 1});
    }
    settings_.corruptions = {"contrast", "pixelate"};
    settings_.severities = {1};
    settings_.window = {.resize = 16, .crop = 16};
    PredictOptions o = options("runs", 3);
    o.batch_size = 8;
    const LoadedModel model = model_of("m", 4, std::make_shared<Sums>());
    const auto results = predict_corrupted({&model, 1}, many, CorruptedVersions(settings_), o);
    ASSERT_EQ(results.size(), 2U);
    const PredictionStore store = PredictionStore::open(results[1].store);
    EXPECT_EQ(store.spec().shard_rows, 1024U);
    const Content all = content(results[1].store);
    ASSERT_EQ(all.scores.size(), 3U * 1030);
    EXPECT_THAT(all.states, Each(RowState::ok));
    for (std::size_t i = 0; i < 1030; ++i)
        ASSERT_EQ(all.scores[3 * i], all.scores[i < 1026 ? 0 : 3 * 1029]) << i;
    EXPECT_NE(all.scores[0], all.scores[3 * 1029]);
}

TEST_F(PredictCorrupted, ImagesThatAreCorruptedAlreadyAreRefused) {
    Dataset there = dataset();
    there.root = scratch_ / "c/fog/3";
    EXPECT_THAT(
        message_of(
            [&] {
                const LoadedModel model = model_of("m", 48, std::make_shared<Sums>());
                predict_corrupted({&model, 1}, there, CorruptedVersions(settings_),
                                  options("runs"));
            },
            ErrorCode::usage),
        HasSubstr(
            "already corrupted, according to their folder or data set name: fog at severity 3"));
}

TEST(CorruptedPreprocess, BringsAWindowToTheInputAndCutsNothingOff) {
    Preprocess own;  // size 224, crop 0.875
    EXPECT_EQ(window_of(own, 224, 224).width, 256);
    const Preprocess crop = corrupted_preprocess(own, CorruptedTransform::crop);
    const ResizeWindow same = window_of(crop, 224, 224);
    EXPECT_EQ(same.width, 224);
    EXPECT_EQ(same.crop_x, 0);
    EXPECT_EQ(corrupted_preprocess(own, CorruptedTransform::own), own);
    own.crop_mode = CropMode::none;
    EXPECT_EQ(corrupted_preprocess(own, CorruptedTransform::crop), own);
    own.crop_mode = CropMode::center;
    own.width = own.height = 160;
    EXPECT_EQ(window_of(corrupted_preprocess(own, CorruptedTransform::crop), 224, 224).width, 160);
    EXPECT_THAT(message_of([] { corrupted_transform_named("crops"); }, ErrorCode::usage),
                HasSubstr("did you mean `crop`?"));
}

TEST_F(PredictCorrupted, PartsOfVersionsTogetherAreTheWhole) {
    const std::vector<LoadedModel> models = {model_of("m", 24, std::make_shared<Sums>())};
    predict_all(models, options("whole"));
    for (const std::uint32_t number : {2U, 1U}) {
        PredictOptions o = options("parts");
        o.part = {number, 2};
        Progress last;
        predict_all(models, o, [&](const Progress& p) { last = p; });
        EXPECT_EQ(last.done, last.total);
        EXPECT_EQ(last.total, number == 1 ? 4U * 4 : 4U * 2);  // versions times images
    }
    for (const char* version : {"val_fog_2", "val_fog_5", "val_gaussian_noise_2"}) {
        const Content whole = content(scratch_ / "whole" / version / "m");
        EXPECT_EQ(content(scratch_ / "parts" / version / "m"), whole);
    }
}

}  // namespace
}  // namespace assay
