// The table of presets: one row for each convention for evaluating published weights.
#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "model/usual_values.h"

namespace assay {
namespace {

struct Values {
    int side;
    Interpolation interpolation;
    double crop_pct;
    ThreeNumbers mean;
    ThreeNumbers std;
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

/// Weights trained with the longer recipe of torchvision 0.12 have a resize size that no round
/// crop_pct gives.
Preprocess torchvision_v2() {
    Preprocess p = make({224, Interpolation::bilinear, 224.0 / 232.0, imagenet_mean, imagenet_std});
    p.resize_size = 232;
    return p;
}

Preprocess squash() {
    Preprocess p = make({224, Interpolation::bicubic, 1.0, imagenet_mean, imagenet_std});
    p.crop_mode = CropMode::squash;
    return p;
}

Preprocess caffe() {
    Preprocess p = make({224, Interpolation::bilinear, 0.875, caffe_mean, all_one});
    p.channel_order = ChannelOrder::bgr;
    p.scale = 1.0;
    return p;
}

std::vector<Preset> make_table() {
    using enum Interpolation;
    return {
        {"timm", "timm's defaults: 224 of 256, bicubic, ImageNet mean and std",
         make({224, bicubic, 0.875, imagenet_mean, imagenet_std})},
        {"torchvision", "torchvision's first weights: 224 of 256, bilinear, ImageNet mean and std",
         make({224, bilinear, 0.875, imagenet_mean, imagenet_std})},
        {"torchvision-v2",
         "torchvision's IMAGENET1K_V2 weights: 224 of 232, bilinear, ImageNet mean and std",
         torchvision_v2()},
        {"vit", "timm's ViT from JAX: 224 of 248, bicubic, mean and std 0.5",
         make({224, bicubic, 0.9, all_half, all_half})},
        {"deit", "DeiT, Swin: 224 of 248, bicubic, ImageNet mean and std",
         make({224, bicubic, 0.9, imagenet_mean, imagenet_std})},
        {"openai-clip", "CLIP: 224 without border, bicubic, CLIP's mean and std",
         make({224, bicubic, 1.0, clip_mean, clip_std})},
        {"inception", "Inception v3/v4 from TensorFlow: 299 of 341, bicubic, mean and std 0.5",
         make({299, bicubic, 0.875, all_half, all_half})},
        {"mobilenet", "MobileNet v1/v2 from TensorFlow: 224 of 256, bicubic, mean and std 0.5",
         make({224, bicubic, 0.875, all_half, all_half})},
        {"mobilenet-192", "the same at 192 of 219",
         make({192, bicubic, 0.875, all_half, all_half})},
        {"mobilenet-160", "the same at 160 of 182",
         make({160, bicubic, 0.875, all_half, all_half})},
        {"mobilenet-128", "the same at 128 of 146",
         make({128, bicubic, 0.875, all_half, all_half})},
        {"squeezenet-227", "SqueezeNet with numbers in 0..1: 227 of 256, bilinear",
         make({227, bilinear, 227.0 / 256.0, all_zero, all_one})},
        {"squash",
         "timm's squash: both sides to 224 whatever the shape, bicubic, ImageNet mean and std",
         squash()},
        {"caffe", "Caffe, Keras: 224 of 256, bilinear, B G R, bytes minus the mean, not scaled",
         caffe()},
        {"plain", "numbers in 0..1, no mean and std: 224 of 256, bilinear",
         make({224, bilinear, 0.875, all_zero, all_one})},
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
