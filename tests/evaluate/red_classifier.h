// A linear classifier of coloured images with known robustness, for the tests of attacks.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>

#include "assay/evaluate/attack.h"
#include "coloured_images.h"

namespace assay {

/// The score of class 0 is the mean red value times `slope`. The score of class 1 is constant, so
/// that red 128.5/255 is the boundary. An image of red r is robust against eps if r - eps is above
/// the boundary.
class RedClassifier : public Classifier {
public:
    explicit RedClassifier(double slope = 10) : slope_(slope) {
        facts_.classes = 2;
        facts_.device = "cpu";
    }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        if (scored > stop_after) throw Error(ErrorCode::interrupted, "stopped");
        scored += n;
        for (std::size_t i = 0; i < n; ++i) {
            double red = 0;
            for (std::size_t k = 0; k < 4; ++k) red += static_cast<double>(input[12 * i + k]) / 4;
            if (red < nan_below && red > 120.5 / 255) red = std::nan("");
            out[2 * i] = static_cast<float>(slope_ * red);
            out[2 * i + 1] = static_cast<float>(slope_ * 128.5 / 255);
        }
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        if (!differentiable) Classifier::gradients(batch, out);
        const std::size_t n = batch.labels.size();
        scores(batch.input, n, out.scores);
        std::vector<float> d(2);
        for (std::size_t i = 0; i < n; ++i) {
            out.losses[i] = loss_of(batch.loss, out.scores.subspan(2 * i, 2), batch.labels[i],
                                    batch.targets.empty() ? 0 : batch.targets[i], d);
            for (std::size_t k = 0; k < 12; ++k) {
                out.gradient[12 * i + k] =
                    k < 4 && !masked ? d[0] * static_cast<float>(slope_) / 4 : 0.0F;
            }
        }
    }
    bool differentiable = true, masked = false;
    double nan_below = 0;  ///< scores are NaN for red above 120.5/255 and below this value
    std::atomic<std::size_t> scored = 0;  ///< number of images so far
    std::size_t stop_after = std::numeric_limits<std::size_t>::max();

private:
    double slope_;
    ModelFacts facts_;
};

inline LoadedModel red_model(const std::string& name, std::shared_ptr<RedClassifier> classifier) {
    LoadedModel model = loaded(name, nullptr);
    model.classifier = std::move(classifier);
    return model;
}

class RedImages : public PredictImages {
protected:
    /// 200 images of red 0 to 199 with the label 0. Those of 129 to 199 are classified correctly.
    AttackRunOptions attack_options(const std::string& runs) {
        AttackRunOptions options;
        options.predict = this->options(runs);
        options.predict.shard_rows = 20;
        // controls are tested in tests/evaluate/attack_control_test.cpp
        options.control = false;
        return options;
    }
    static constexpr std::uint64_t correct = 71;
};

}  // namespace assay
