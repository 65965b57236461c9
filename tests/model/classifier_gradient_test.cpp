// Gradients through the plug-in's interface, as attacks use them, for every kind of model file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "images.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

struct Asked {
    std::vector<float> scores, gradient;
    std::vector<double> losses;
};

Asked ask(Classifier& classifier, Loss loss, std::span<const float> input,
          const std::vector<std::uint32_t>& labels,
          const std::vector<std::uint32_t>& targets = {}) {
    Asked out;
    out.scores.resize(labels.size() * classifier.facts().classes);
    out.gradient.resize(input.size());
    out.losses.resize(labels.size());
    classifier.gradients({loss, input, labels, targets}, {out.scores, out.losses, out.gradient});
    return out;
}

/// The loss from the scores alone, in the batch size of the model.
double loss_at(Classifier& classifier, std::span<const float> image, std::uint32_t label) {
    std::vector<float> scores(classifier.facts().classes);
    std::vector<float> unused(scores.size());
    classifier.scores(image, 1, scores);
    return loss_of(Loss::cross_entropy, scores, label, 0, unused);
}

TEST(ClassifierGradient, EqualsDifferencesOfTheLossForEveryKindOfFile) {
    for (const char* name : {"cnn.pt", "vit.pt", "frozen.pt", "double.pt", "in_place.pt",
                             "tuple.pt", "cnn_opset13.onnx", "vit_opset13.onnx", "conv_out.onnx",
                             "fixed_batch.onnx", "pt2_plain.pt2", "pt2_vit.pt2"}) {
        SCOPED_TRACE(name);
        ModelSpec spec = fixture_spec(name);
        if (std::string_view(name) == "tuple.pt") spec.output = "0";
        const auto classifier = open_classifier(spec);
        const std::vector<float> input = images(3, 16);
        const std::size_t size = input.size() / 3;
        run(*classifier, 3, 16);  // inference runs first, to show that it does not affect gradients
        const Asked got = ask(*classifier, Loss::cross_entropy, input, {1, 0, 2});
        EXPECT_EQ(got.scores.size(), 3U * classifier->facts().classes);
        const std::vector<float> plain = run(*classifier, 3, 16);
        for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_NEAR(got.scores[k], plain[k], 1e-5F);
        // Steps along the gradient itself, because single elements are smaller than the rounding of
        // float scores.
        for (std::size_t i = 0; i < 3; ++i) {
            const auto g = std::span(got.gradient).subspan(i * size, size);
            double squares = 0;
            for (const float v : g) squares += static_cast<double>(v) * static_cast<double>(v);
            ASSERT_GT(squares, 0);
            // The loss changes by about .001, which is a thousand times the rounding of float
            // scores. With longer steps, activations pass their kinks (error 1 % at .002, 4.5 % at
            // .01).
            const double step = .0005 / squares;
            const auto moved = [&](double by) {
                std::vector<float> image(
                    input.begin() + static_cast<std::ptrdiff_t>(i * size),
                    input.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
                for (std::size_t k = 0; k < size; ++k)
                    image[k] += static_cast<float>(by * static_cast<double>(g[k]));
                return loss_at(*classifier, image, i == 0 ? 1 : i == 1 ? 0 : 2);
            };
            EXPECT_NEAR((moved(step) - moved(-step)) / .001, 1, .01) << i;
        }
    }
}

TEST(ClassifierGradient, ImagesOfABatchDoNotTouchEachOther) {
    const auto classifier = open_classifier(fixture_spec("vit.pt"));
    const std::vector<float> input = images(3, 16);
    const std::size_t size = input.size() / 3;
    const Asked all = ask(*classifier, Loss::targeted_dlr, input, {1, 0, 2}, {0, 3, 4});
    for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint32_t label = i == 0 ? 1 : i == 1 ? 0 : 2;
        const std::uint32_t target = i == 0 ? 0 : i + 2;
        const Asked one = ask(*classifier, Loss::targeted_dlr,
                              std::span(input).subspan(i * size, size), {label}, {target});
        EXPECT_NEAR(one.losses[0], all.losses[i], 1e-4);
        float largest = 0;
        for (const float v : one.gradient) largest = std::max(largest, std::abs(v));
        for (std::size_t k = 0; k < size; ++k)
            EXPECT_NEAR(one.gradient[k], all.gradient[i * size + k], 1e-4F * largest);
    }
}

TEST(ClassifierGradient, FourThreadsGiveTheBitsOfOne) {
    for (const char* name : {"cnn.pt", "vit_opset13.onnx"}) {
        const auto classifier = open_classifier(fixture_spec(name));
        const std::vector<float> input = images(3, 16);
        const Asked want = ask(*classifier, Loss::margin, input, {1, 0, 2});
        std::array<Asked, 4> got;
        {
            std::vector<std::jthread> threads;
            for (Asked& mine : got) {
                threads.emplace_back([&] {
                    for (int i = 0; i < 10; ++i)
                        mine = ask(*classifier, Loss::margin, input, {1, 0, 2});
                });
            }
        }
        for (const Asked& mine : got) {
            EXPECT_EQ(mine.gradient, want.gradient) << name;
            EXPECT_EQ(mine.losses, want.losses) << name;
        }
    }
}

TEST(ClassifierGradient, WhatHasNoneIsNamed) {
    const std::vector<float> input = images(1, 16);
    ModelSpec bytes = fixture_spec("bytes.pt");
    bytes.input_type = InputType::uint8;
    bytes.layout = InputLayout::nhwc;
    EXPECT_THAT(message_of([&] { ask(*open_classifier(bytes), Loss::margin, input, {0}); }),
                HasSubstr("takes bytes"));
    for (const char* name : {"quantised_cnn_qoperator.onnx", "pt2_no_grad.pt2"}) {
        const auto classifier = open_classifier(fixture_spec(name));
        try {
            const Asked got = ask(*classifier, Loss::margin, input, {0});
            // If the network computes in floats anyway, it has a gradient.
            float largest = 0;
            for (const float v : got.gradient) largest = std::max(largest, std::abs(v));
            EXPECT_GT(largest, 0) << name;
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr("no gradient")) << name;
        }
    }
}

}  // namespace
}  // namespace assay
