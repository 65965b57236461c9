// Models with one score per image, and of gray images, through the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/image/image.h"
#include "assay/store/prediction_store.h"
#include "core/file.h"
#include "shapes_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string binary_fixtures = ASSAY_SOURCE_DIR "/tests/model/fixtures/";

class BinaryCommands : public ShapesTest {
protected:
    /// The images of this number of classes.
    fs::path images_of(std::size_t classes) const {
        const fs::path folder = scratch_ / ("classes" + std::to_string(classes));
        fs::create_directories(folder);
        for (const char* const name : {"circle", "cross", "ring"}) {
            if (classes == 0) break;
            --classes;
            fs::copy(images() / name, folder / name,
                     fs::copy_options::recursive | fs::copy_options::skip_existing);
        }
        return folder;
    }
    Outcome predict(const std::string& model, const fs::path& data,
                    const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words = {"predict",     "-m",           binary_fixtures + model,
                                          "-d",          data.string(),  "--out",
                                          runs(),        "--input-size", "16",
                                          "--crop-mode", "none",         "--mean",
                                          "0",           "--std",        "1",
                                          "--device",    "cpu"};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    }
    std::string runs() const { return scratch_ / "runs"; }

    Scratch scratch_;
};

TEST_F(BinaryCommands, OneScoreIsTwoClassesInEveryFormat) {
    const fs::path data = images_of(2);
    for (const char* const model : {"binary.pt", "binary_flat.pt", "binary.onnx"}) {
        const Outcome outcome = predict(model, data, {"--name", model});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.out + outcome.err,
                    HasSubstr("assuming the logit of class 1 (the positive class) of two"));
        const PredictionStore store = PredictionStore::open(fs::path(runs()) / "classes2" / model);
        const auto shard = store.shard(0);
        ASSERT_GT(store.rows(), 1U);
        EXPECT_EQ(shard.f32()[0], 0);
        EXPECT_NE(shard.f32()[1], 0);
    }
    const Outcome scored = assay_run({"score", runs() + "/classes2/binary.pt", "--json",
                                      "--metrics", "binary_auroc,sensitivity,binary_brier"});
    ASSERT_EQ(scored.status, 0) << scored.err;
    EXPECT_THAT(scored.out, AllOf(HasSubstr("auroc.one_vs_rest.binary.log_odds"),
                                  HasSubstr("recall.binary"), HasSubstr("brier.binary")));
}

TEST_F(BinaryCommands, WhatDoesNotFitIsRefused) {
    // Three classes do not fit, nor do logits that are declared to be probabilities.
    Outcome outcome = predict("binary.pt", images_of(3));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("3 class folders"));
    outcome = predict("binary.pt", images_of(2), {"--outputs", "probabilities"});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("not one of the declared probabilities"),
                                   HasSubstr("--outputs logits")));
    EXPECT_EQ(predict("binary_sigmoid.pt", images_of(2), {"--outputs", "probabilities"}).status, 0);
}

TEST_F(BinaryCommands, GrayModelsNeedTheSetting) {
    const fs::path data = images_of(3);
    Outcome outcome = predict("binary_gray.pt", data);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("pass --channel-order gray"));
    for (const char* const model : {"binary_gray.pt", "binary_gray.onnx"}) {
        outcome = predict(model, data, {"--channel-order", "gray", "--name", model});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("gray > resize to 16x16"));
    }
}

TEST_F(BinaryCommands, GrayModelsAreAttackedInTheirOneChannel) {
    const fs::path saved = scratch_ / "attacked";
    const auto attack = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"attack",
                                          "-m",
                                          binary_fixtures + "binary_gray.pt",
                                          "-d",
                                          images_of(3).string(),
                                          "--input-size",
                                          "16",
                                          "--mean",
                                          "0",
                                          "--std",
                                          "1",
                                          "--channel-order",
                                          "gray",
                                          "--device",
                                          "cpu",
                                          "--out",
                                          runs(),
                                          "--attack",
                                          "fgsm",
                                          "--eps",
                                          "8/255",
                                          "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    };
    const Outcome outcome = attack({"--save-images", saved.string(), "--save-format", "png"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json cells = json::parse(outcome.out)["models"][0]["attacks"];
    EXPECT_GT(cells[0]["attacked"], 0);
    // The files are gray.
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(saved)) {
        if (entry.path().extension() != ".png" ||
            entry.path().string().find("examples") != std::string::npos)
            continue;
        const Image image = decode_image(read_file(entry.path()));
        ++files;
        for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
            ASSERT_EQ(image.pixels[i], image.pixels[i + 1]) << entry.path();
            ASSERT_EQ(image.pixels[i], image.pixels[i + 2]) << entry.path();
        }
    }
    EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace assay
