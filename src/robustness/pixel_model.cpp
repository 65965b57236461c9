#include "assay/robustness/pixel_model.h"

#include <array>
#include <utility>
#include <vector>

#include "assay/error.h"

namespace assay {
namespace {

/// Input = ((255 x scale) x - mean) / std, in the float arithmetic of normalise_into().
struct Channel {
    bool by_255;  ///< the input's scale is 1/255, which is in the pixels already
    float scale;
    float mean;
    float std;

    float input(float x) const { return (scaled(x) - mean) / std; }
    float slope() const { return (by_255 ? 1 : scale * 255) / std; }

private:
    float scaled(float x) const { return by_255 ? x : x * 255.0F * scale; }
};

class PixelModel final : public AttackedModel {
public:
    PixelModel(std::shared_ptr<Classifier> classifier, const Preprocess& p)
        : classifier_(std::move(classifier)),
          shape_{3, static_cast<std::size_t>(p.height), static_cast<std::size_t>(p.width)} {
        const auto scale = static_cast<float>(p.scale);
        for (std::size_t c = 0; c < 3; ++c) {
            channels_[c] = {divides_by_255(p.scale), scale, static_cast<float>(p.mean[c]),
                            static_cast<float>(p.std[c])};
        }
    }

    ImageShape shape() const override { return shape_; }
    std::uint32_t classes() const override { return classifier_->facts().classes; }

    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        classifier_->scores(normalised(images), n, out);
    }

    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::vector<float> input = normalised(batch.input);
        LossBatch inner = batch;
        inner.input = input;
        classifier_->gradients(inner, out);
        const std::size_t plane = shape_.height * shape_.width;
        for (std::size_t i = 0; i < out.gradient.size(); ++i)
            out.gradient[i] *= channels_[i / plane % 3].slope();
    }

private:
    std::vector<float> normalised(std::span<const float> images) const {
        std::vector<float> input(images.size());
        const std::size_t plane = shape_.height * shape_.width;
        for (std::size_t first = 0; first < images.size(); first += plane) {
            const Channel& c = channels_[first / plane % 3];
            for (std::size_t i = first; i < first + plane; ++i) input[i] = c.input(images[i]);
        }
        return input;
    }

    std::shared_ptr<Classifier> classifier_;
    ImageShape shape_;
    std::array<Channel, 3> channels_{};
};

/// Numbers that are given to the classifier as they are.
Preprocess as_given(Preprocess p) {
    p.scale = 1.0 / 255.0;
    p.mean = {0, 0, 0};
    p.std = {1, 1, 1};
    return p;
}

}  // namespace

std::string_view name_of(AttackSpace space) {
    return space == AttackSpace::pixels ? "pixels" : "normalised-clamped";
}

std::unique_ptr<AttackedModel> pixel_model(std::shared_ptr<Classifier> classifier,
                                           const Preprocess& preprocess, AttackSpace space) {
    if (preprocess.channel_order == ChannelOrder::gray) {
        throw Error(ErrorCode::usage,
                    "attacks change images of three channels, and the model takes gray ones "
                    "(channel_order gray): leave it out");
    }
    return std::make_unique<PixelModel>(
        std::move(classifier), space == AttackSpace::pixels ? preprocess : as_given(preprocess));
}

void try_gradient(AttackedModel& model) {
    const std::vector<float> image(model.shape().size(), .5F);
    std::vector<float> scores(model.classes());
    std::vector<float> gradient(image.size());
    double loss = 0;
    const std::uint32_t label = 0;
    model.gradients({Loss::cross_entropy, image, {&label, 1}, {}}, {scores, {&loss, 1}, gradient});
}

Preprocess attacked_preprocess(const Preprocess& preprocess, AttackSpace space) {
    return space == AttackSpace::pixels ? as_given(preprocess) : preprocess;
}

}  // namespace assay
