// The table of presets: one row for each convention that published weights are evaluated with.
#include "assay/error.h"
#include "assay/model/model_spec.h"

namespace assay {
namespace {

using Triple = std::array<double, 3>;
constexpr Triple kImagenetMean = {0.485, 0.456, 0.406};
constexpr Triple kImagenetStd = {0.229, 0.224, 0.225};
constexpr Triple kHalf = {0.5, 0.5, 0.5};
constexpr Triple kZero = {0.0, 0.0, 0.0};
constexpr Triple kOne = {1.0, 1.0, 1.0};
constexpr Triple kClipMean = {0.48145466, 0.4578275, 0.40821073};
constexpr Triple kClipStd = {0.26862954, 0.26130258, 0.27577711};

struct Values {
    int side;
    Interpolation interpolation;
    double crop_pct;
    Triple mean;
    Triple std;
};

Preprocess make(const Values& v) {
    Preprocess p;
    p.height = p.width = v.side;
    p.interpolation = v.interpolation;
    p.crop_pct = v.crop_pct;
    p.mean = v.mean;
    p.std = v.std;
    return p;
}

/// Weights trained with the longer recipe of torchvision 0.12 state a resize size that no round
/// crop_pct gives.
Preprocess torchvision_v2() {
    Preprocess p = make({224, Interpolation::bilinear, 224.0 / 232.0, kImagenetMean, kImagenetStd});
    p.resize_size = 232;
    return p;
}

Preprocess squash() {
    Preprocess p = make({224, Interpolation::bicubic, 1.0, kImagenetMean, kImagenetStd});
    p.crop_mode = CropMode::squash;
    return p;
}

Preprocess caffe() {
    Preprocess p = make({224, Interpolation::bilinear, 0.875, {103.939, 116.779, 123.68}, kOne});
    p.channel_order = ChannelOrder::bgr;
    p.scale = 1.0;
    return p;
}

std::vector<Preset> make_table() {
    using enum Interpolation;
    return {
        {"timm", "timm's defaults: 224 of 256, bicubic, ImageNet mean and std",
         make({224, bicubic, 0.875, kImagenetMean, kImagenetStd})},
        {"torchvision", "torchvision's first weights: 224 of 256, bilinear, ImageNet mean and std",
         make({224, bilinear, 0.875, kImagenetMean, kImagenetStd})},
        {"torchvision-v2",
         "torchvision's IMAGENET1K_V2 weights: 224 of 232, bilinear, ImageNet mean and std",
         torchvision_v2()},
        {"vit", "timm's ViT from JAX: 224 of 248, bicubic, mean and std 0.5",
         make({224, bicubic, 0.9, kHalf, kHalf})},
        {"deit", "DeiT, Swin: 224 of 248, bicubic, ImageNet mean and std",
         make({224, bicubic, 0.9, kImagenetMean, kImagenetStd})},
        {"openai-clip", "CLIP: 224 without border, bicubic, CLIP's mean and std",
         make({224, bicubic, 1.0, kClipMean, kClipStd})},
        {"inception", "Inception v3/v4 from TensorFlow: 299 of 341, bicubic, mean and std 0.5",
         make({299, bicubic, 0.875, kHalf, kHalf})},
        {"mobilenet", "MobileNet v1/v2 from TensorFlow: 224 of 256, bicubic, mean and std 0.5",
         make({224, bicubic, 0.875, kHalf, kHalf})},
        {"mobilenet-192", "the same at 192 of 219", make({192, bicubic, 0.875, kHalf, kHalf})},
        {"mobilenet-160", "the same at 160 of 182", make({160, bicubic, 0.875, kHalf, kHalf})},
        {"mobilenet-128", "the same at 128 of 146", make({128, bicubic, 0.875, kHalf, kHalf})},
        {"squeezenet-227", "SqueezeNet with numbers in 0..1: 227 of 256, bilinear",
         make({227, bilinear, 227.0 / 256.0, kZero, kOne})},
        {"squash",
         "timm's squash: both sides to 224 whatever the shape, bicubic, ImageNet mean and std",
         squash()},
        {"caffe", "Caffe, Keras: 224 of 256, bilinear, B G R, bytes less the mean, not scaled",
         caffe()},
        {"plain", "numbers in 0..1, no mean and std: 224 of 256, bilinear",
         make({224, bilinear, 0.875, kZero, kOne})},
    };
}

}  // namespace

const std::vector<Preset>& presets() {
    static const std::vector<Preset> table = make_table();
    return table;
}

const Preset& preset_named(std::string_view name) {
    std::vector<std::string> known;
    for (const Preset& preset : presets()) {
        if (preset.name == name) return preset;
        known.push_back(preset.name);
    }
    throw Error(ErrorCode::usage,
                "unknown preset \"" + std::string(name) + "\"" + suggest(name, known));
}

}  // namespace assay
