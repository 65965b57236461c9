// A model with one score per image as a classifier of two classes.
#include "model/two_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.h"
#include "model/isolated/supervised.h"

namespace assay {
namespace {

/// An image is one pixel of three numbers, and its score is their sum times 2.
class Doubled : public Classifier {
public:
    Doubled() { facts_.classes = 1; }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        ASSERT_EQ(out.size(), n);
        for (std::size_t i = 0; i < n; ++i)
            out[i] = 2 * (input[3 * i] + input[3 * i + 1] + input[3 * i + 2]);
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        scores(batch.input, batch.labels.size(), out.scores);
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            float slope = 0;
            out.losses[i] =
                loss_of(batch.loss, out.scores.subspan(i, 1), 0, 0, std::span(&slope, 1));
            for (std::size_t k = 0; k < 3; ++k) out.gradient[3 * i + k] = 2 * slope;
        }
    }

private:
    ModelFacts facts_;
};

class SupervisedDoubled final : public Doubled, public isolated::Supervised {
public:
    isolated::BatchGate& gate() override { return gate_; }
    std::optional<isolated::ProcessEnd> process_end() override {
        return isolated::ProcessEnd{"it ended", ""};
    }
    bool can_restart() const override { return true; }
    void restart() override {}

private:
    isolated::BatchGate gate_;
};

std::vector<float> scores_of(ScoreKind kind, const std::vector<float>& first) {
    const auto model = two_classes_of(std::make_unique<Doubled>(), kind);
    std::vector<float> input, out(2 * first.size());
    for (const float x : first) input.insert(input.end(), {x / 2, 0, 0});
    model->scores(input, first.size(), out);
    return out;
}

TEST(TwoClasses, AreThoseOfTheSigmoid) {
    EXPECT_EQ(scores_of(ScoreKind::logits, {0.5F, -3, 0}),
              (std::vector<float>{0, 0.5F, 0, -3, 0, 0}));
    EXPECT_EQ(scores_of(ScoreKind::probabilities, {0.25F, 1, 0}),
              (std::vector<float>{0.75F, 0.25F, 0, 1, 1, 0}));
    const auto logs = scores_of(ScoreKind::log_probabilities, {std::log(0.25F), 0, -1e-6F});
    EXPECT_FLOAT_EQ(logs[0], std::log(0.75F));
    EXPECT_EQ(logs[2], -std::numeric_limits<float>::infinity());
    EXPECT_FLOAT_EQ(logs[4], std::log(1e-6F));
    // The rounding error is above the logarithm of 1.
    EXPECT_EQ(scores_of(ScoreKind::log_probabilities, {1e-7F})[0],
              -std::numeric_limits<float>::infinity());
}

TEST(TwoClasses, WhatIsNoProbabilityIsRefused) {
    EXPECT_THAT(message_of([] {
                    scores_of(ScoreKind::probabilities, {0.5F, 1.5F});
                }),
                testing::HasSubstr("returns 1.5 for an image, which is not one of the declared "
                                   "probabilities"));
    EXPECT_THAT(message_of([] { scores_of(ScoreKind::probabilities, {-0.5F}); }),
                testing::HasSubstr("--outputs logits"));
    EXPECT_THAT(message_of([] { scores_of(ScoreKind::log_probabilities, {0.5F}); }),
                testing::HasSubstr("log_probabilities"));
    // A rounding error above 1 counts as 1, and the run records NaN.
    scores_of(ScoreKind::probabilities, {1 + 1e-7F});
    EXPECT_TRUE(std::isnan(
        scores_of(ScoreKind::probabilities, {std::numeric_limits<float>::quiet_NaN()})[1]));
}

TEST(TwoClasses, SayWhichClassIsPositive) {
    for (const ScoreKind kind :
         {ScoreKind::logits, ScoreKind::probabilities, ScoreKind::log_probabilities}) {
        const auto model = two_classes_of(std::make_unique<Doubled>(), kind);
        EXPECT_EQ(model->facts().classes, 2U);
        ASSERT_EQ(model->facts().notes.size(), 1U);
        EXPECT_THAT(model->facts().notes.front(),
                    testing::HasSubstr("of class 1 (the positive class) of two"));
    }
}

// The derivative by a pixel, compared with differences of the loss of both classes.
TEST(TwoClasses, GradientsAreThoseOfBothClasses) {
    for (const ScoreKind kind :
         {ScoreKind::logits, ScoreKind::probabilities, ScoreKind::log_probabilities}) {
        const auto model = two_classes_of(std::make_unique<Doubled>(), kind);
        const float start = kind == ScoreKind::log_probabilities ? -0.1F : 0.1F;
        for (const Loss loss : {Loss::cross_entropy, Loss::margin, Loss::difference}) {
            for (const std::uint32_t label : {0U, 1U}) {
                const std::vector<float> input{start, 0.02F, 0.01F};
                const std::vector<std::uint32_t> labels{label}, targets{1 - label};
                const auto with_target = has_target(loss) ? std::span<const std::uint32_t>(targets)
                                                          : std::span<const std::uint32_t>();
                std::vector<float> scores(2), gradient(3);
                std::vector<double> losses(1);
                model->gradients({loss, input, labels, with_target}, {scores, losses, gradient});
                const auto loss_at = [&](float x) {
                    std::vector<float> out(2), ignored(2);
                    model->scores(std::vector<float>{x, 0.02F, 0.01F}, 1, out);
                    return loss_of(loss, out, label, 1 - label, ignored);
                };
                EXPECT_DOUBLE_EQ(losses[0], loss_at(start));
                constexpr float step = 1.0F / 1024;
                EXPECT_NEAR(gradient[0],
                            (loss_at(start + step) - loss_at(start - step)) /
                                (2 * static_cast<double>(step)),
                            2e-3 * (1 + std::abs(static_cast<double>(gradient[0]))))
                    << name_of(kind) << " " << name_of(loss) << " " << label;
                EXPECT_EQ(gradient[0], gradient[2]);
            }
        }
    }
}

TEST(TwoClasses, AProbabilityOf1HasAGradientThatIsANumber) {
    const auto model = two_classes_of(std::make_unique<Doubled>(), ScoreKind::log_probabilities);
    const std::vector<float> input(3);
    for (const std::uint32_t label : {0U, 1U}) {
        const std::vector<std::uint32_t> labels{label};
        std::vector<float> scores(2), gradient(3);
        std::vector<double> losses(1);
        model->gradients({Loss::cross_entropy, input, labels, {}}, {scores, losses, gradient});
        EXPECT_TRUE(std::isfinite(gradient[0])) << label;
    }
}

TEST(TwoClasses, RefuseLossesOfMoreClasses) {
    const auto model = two_classes_of(std::make_unique<Doubled>(), ScoreKind::logits);
    const std::vector<float> input(3);
    const std::vector<std::uint32_t> labels{0};
    std::vector<float> scores(2), gradient(3);
    std::vector<double> losses(1);
    EXPECT_THAT(message_of([&] {
                    model->gradients({Loss::dlr, input, labels, {}}, {scores, losses, gradient});
                }),
                testing::HasSubstr("the loss dlr needs 3 classes"));
}

TEST(TwoClasses, AreSupervisedWhereTheModelIs) {
    const auto plain = two_classes_of(std::make_unique<Doubled>(), ScoreKind::logits);
    EXPECT_EQ(dynamic_cast<isolated::Supervised*>(plain.get()), nullptr);
    const auto model = two_classes_of(std::make_unique<SupervisedDoubled>(), ScoreKind::logits);
    auto* const supervised = dynamic_cast<isolated::Supervised*>(model.get());
    ASSERT_NE(supervised, nullptr);
    EXPECT_TRUE(supervised->can_restart());
    EXPECT_EQ(supervised->process_end()->how, "it ended");
}

TEST(TwoClasses, OneScoreFitsOneClassAndTwo) {
    EXPECT_TRUE(fits_classes(1, 1));
    EXPECT_TRUE(fits_classes(1, 2));
    EXPECT_TRUE(fits_classes(3, 3));
    EXPECT_FALSE(fits_classes(1, 3));
    EXPECT_FALSE(fits_classes(2, 1));
}

}  // namespace
}  // namespace assay
