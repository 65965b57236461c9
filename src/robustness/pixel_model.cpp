#include "assay/robustness/pixel_model.h"

#include <array>
#include <utility>
#include <vector>

#include "assay/error.h"

namespace assay {
namespace {

/// The planes of a classifier's input.
constexpr std::size_t input_planes = 3;

/// The input is ((255 x scale) x - mean) / std, in the float arithmetic of normalise_into().
struct Channel {
    bool by_255;  ///< the input's scale is 1/255, which the pixels already include
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
          shape_{p.channel_order == ChannelOrder::gray ? std::size_t{1} : input_planes,
                 static_cast<std::size_t>(p.height), static_cast<std::size_t>(p.width)} {
        const auto scale = static_cast<float>(p.scale);
        for (std::size_t c = 0; c < input_planes; ++c) {
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
        const std::size_t plane = shape_.height * shape_.width;
        if (shape_.channels == 1) {
            std::vector<float> wide(input.size());
            classifier_->gradients(inner, {out.scores, out.losses, wide});
            // The model uses the first of the equal planes, so that the others have no gradient.
            for (std::size_t i = 0; i < out.gradient.size(); ++i)
                out.gradient[i] =
                    wide[i / plane * input_planes * plane + i % plane] * channels_[0].slope();
            return;
        }
        classifier_->gradients(inner, out);
        for (std::size_t i = 0; i < out.gradient.size(); ++i)
            out.gradient[i] *= channels_[i / plane % input_planes].slope();
    }

private:
    /// The classifier's input. Each gray image gives three equal planes.
    std::vector<float> normalised(std::span<const float> images) const {
        const std::size_t copies = input_planes / shape_.channels;
        std::vector<float> input(images.size() * copies);
        const std::size_t plane = shape_.height * shape_.width;
        for (std::size_t to = 0; to < input.size(); to += plane) {
            const Channel& c = channels_[to / plane % input_planes];
            const float* const from = images.data() + to / plane / copies * plane;
            for (std::size_t i = 0; i < plane; ++i) input[to + i] = c.input(from[i]);
        }
        return input;
    }

    std::shared_ptr<Classifier> classifier_;
    ImageShape shape_;
    std::array<Channel, input_planes> channels_{};
};

/// The form for numbers that are passed to the classifier unchanged.
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
    if (!resizes_to_bytes(preprocess)) {
        throw Error(ErrorCode::usage,
                    "attacks start from images of bytes, but torch_float resizes to floats: pass "
                    "--resize-as torch_rounded");
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
