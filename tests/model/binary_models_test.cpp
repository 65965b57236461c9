// Models with one score per image, and models of one channel, in files from make_binary.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "images.h"

namespace assay {
namespace {

using testing::Contains;
using testing::HasSubstr;

const nlohmann::json& expected_of(const std::string& name) {
    static const nlohmann::json all =
        nlohmann::json::parse(std::ifstream(fixture("expected_binary.json")));
    return all.at(name);
}

const std::vector<std::string> endings = {".pt", ".onnx"};

TEST(BinaryModels, OneLogitIsTwoClassesByTheSigmoid) {
    for (const std::string name : {"binary", "binary_flat"}) {
        for (const std::string& ending : endings) {
            SCOPED_TRACE(name + ending);
            ModelSpec spec = fixture_spec(name + ending);
            spec.num_classes = 2;  // the channels may be set in a settings file, or are 1
            const auto classifier = open_classifier(spec, {"cpu"});
            EXPECT_EQ(classifier->facts().classes, 2U);
            EXPECT_THAT(classifier->facts().notes,
                        Contains(HasSubstr("assuming the logit of class 1 (the positive class)")));
            const std::vector<float> got = run(*classifier, 3, 16);
            for (std::size_t i = 0; i < 3; ++i) {
                EXPECT_EQ(got[2 * i], 0);
                EXPECT_NEAR(got[2 * i + 1], expected_of(name)[i][0].get<float>(), 1e-5F);
            }
        }
    }
    ModelSpec spec = fixture_spec("binary.pt");
    spec.num_classes = 3;
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(), HasSubstr("1 scores"));
}

TEST(BinaryModels, OneImageAloneHasTheScoreOfABatch) {
    // For one image, squeeze() returns a number instead of a list.
    for (const std::string& ending : endings) {
        const auto classifier = open_classifier(fixture_spec("binary_flat" + ending), {"cpu"});
        EXPECT_EQ(classifier->facts().fixed_batch, 0) << ending;
        EXPECT_NEAR(run(*classifier, 1, 16)[1], run(*classifier, 3, 16)[1], 1e-6F) << ending;
    }
}

TEST(BinaryModels, OneProbability) {
    ModelSpec spec = fixture_spec("binary_sigmoid.pt");
    spec.outputs = ScoreKind::probabilities;
    const std::vector<float> got = run(*open_classifier(spec, {"cpu"}), 3, 16);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(got[2 * i + 1], expected_of("binary_sigmoid")[i][0].get<float>(), 1e-6F);
        EXPECT_EQ(got[2 * i], 1 - got[2 * i + 1]);
    }
}

TEST(BinaryModels, HaveTheGradientOfTheirLoss) {
    for (const Isolation isolate : {Isolation::on, Isolation::off}) {
        ClassifierOptions options{"cpu"};
        options.isolate = isolate;
        const auto classifier = open_classifier(fixture_spec("binary.pt"), options);
        std::vector<float> input = images(2, 16);
        const std::vector<std::uint32_t> labels{0, 1};
        std::vector<float> scores(4), gradient(input.size());
        std::vector<double> losses(2);
        classifier->gradients({Loss::cross_entropy, input, labels, {}}, {scores, losses, gradient});
        for (std::size_t i = 0; i < 2; ++i) {
            const auto z = static_cast<double>(scores[2 * i + 1]);
            EXPECT_NEAR(losses[i], std::log1p(std::exp(i == 0 ? z : -z)), 1e-6);
        }
        // In the direction of the gradient, the loss grows as predicted.
        double squares = 0;
        for (const float g : gradient) squares += static_cast<double>(g) * static_cast<double>(g);
        ASSERT_GT(squares, 0);
        constexpr double step = 0.05;
        for (std::size_t k = 0; k < input.size(); ++k)
            input[k] += static_cast<float>(step) * gradient[k];
        std::vector<double> after(2);
        classifier->gradients({Loss::cross_entropy, input, labels, {}}, {scores, after, gradient});
        EXPECT_NEAR((after[0] + after[1] - losses[0] - losses[1]) / (step * squares), 1, 0.05);
    }
}

TEST(GrayModels, TakeTheFirstOfThreeChannels) {
    for (const std::string& ending : endings) {
        SCOPED_TRACE(ending);
        ModelSpec spec = fixture_spec("binary_gray" + ending);
        EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                    HasSubstr("takes images of one channel: pass --channel-order gray"));
        spec.preprocess.channel_order = ChannelOrder::gray;
        for (const Isolation isolate : {Isolation::on, Isolation::off}) {
            ClassifierOptions options{"cpu"};
            options.isolate = isolate;
            const auto classifier = open_classifier(spec, options);
            const std::vector<float> got = run(*classifier, 3, 16);
            ASSERT_EQ(got.size(), 9U);
            for (std::size_t i = 0; i < 9; ++i) {
                EXPECT_NEAR(got[i], expected_of("binary_gray")[i / 3][i % 3].get<float>(), 1e-5F);
            }
        }
    }
    // A model of three channels does not take gray images.
    ModelSpec spec = fixture_spec("binary.onnx");
    spec.preprocess.channel_order = ChannelOrder::gray;
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"cpu"}); }).message(),
                HasSubstr("takes images of 3 x 16 x 16 (channels, height, width), but input_size "
                          "is [1, 16, 16]"));
}

}  // namespace
}  // namespace assay
