// Published files of transformers and timm, and names of models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A folder with an (empty) model.onnx and further files.
struct Hub {
    Scratch scratch;
    Hub() { write("model.onnx", ""); }
    void write(const std::string& name, std::string_view text) const {
        std::filesystem::create_directories((scratch / name).parent_path());
        write_file_atomically(scratch / name, text);
    }
    ModelSpec resolve(const json& flags = json::object()) const {
        return resolve_model(scratch / "model.onnx", flags);
    }
};

// The name is timm/resnet18.a1_in1k.
constexpr std::string_view resnet18 = R"({
  "architecture": "resnet18", "num_classes": 1000, "num_features": 512,
  "pretrained_cfg": {"tag": "a1_in1k", "custom_load": false, "input_size": [3, 224, 224],
    "test_input_size": [3, 288, 288], "fixed_input_size": false, "interpolation": "bicubic",
    "crop_pct": 0.95, "test_crop_pct": 1.0, "crop_mode": "center",
    "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "num_classes": 1000,
    "pool_size": [7, 7], "first_conv": "conv1", "classifier": "fc", "license": "apache-2.0",
    "origin_url": "https://github.com/huggingface/pytorch-image-models",
    "paper_name": "ResNet strikes back", "paper_ids": "arXiv:2110.00476"}})";

TEST(Timm, IsEvaluatedAtItsTestSize) {
    const Hub hub;
    hub.write("config.json", resnet18);
    const ModelSpec spec = hub.resolve();
    EXPECT_EQ(spec.preprocess.height, 288);
    EXPECT_EQ(spec.preprocess.width, 288);
    EXPECT_EQ(spec.preprocess.crop_pct, 1.0);
    EXPECT_EQ(spec.instead_of, "224x224, crop_pct 0.95");
    EXPECT_EQ(to_json(spec)["instead_of"], spec.instead_of);
    const ModelSpec trained = hub.resolve({{"train_size", true}});
    EXPECT_EQ(trained.preprocess.height, 224);
    EXPECT_EQ(trained.preprocess.crop_pct, 0.95);
    EXPECT_EQ(trained.instead_of, "");
    // A flag overrides either value. The other value remains the test-time value, as in timm.
    const ModelSpec flagged = hub.resolve({{"input_size", 320}});
    EXPECT_EQ(flagged.preprocess.height, 320);
    EXPECT_EQ(flagged.preprocess.crop_pct, 1.0);
    EXPECT_EQ(hub.resolve({{"crop_pct", 0.9}}).preprocess.crop_pct, 0.9);
}

TEST(Timm, TestCropAlone) {
    const Hub hub;
    hub.write("model.toml", "input_size = [3, 224, 224]\ncrop_pct = 0.9\ntest_crop_pct = 0.95\n");
    EXPECT_EQ(hub.resolve().preprocess.crop_pct, 0.95);
    EXPECT_EQ(hub.resolve().preprocess.height, 224);
    hub.write("model.toml", "crop_pct = 0.9\ntest_crop_pct = 0.9\n");
    EXPECT_EQ(hub.resolve().instead_of, "");
    hub.write("model.toml", "crop_pct = 0.9\ntest_crop_pct = 1.5\n");
    EXPECT_THAT(message_of([&] { hub.resolve(); }), HasSubstr("test_crop_pct"));
    hub.write("model.toml", "crop_pct = 0.9\ntrain_size = 1\n");
    EXPECT_THAT(message_of([&] { hub.resolve(); }),
                HasSubstr("`train_size` is 1; allowed: true, false"));
}

// Foreign texts are ignored. Settings beyond the limits are an error, because they may be the
// model's own.
TEST(Timm, AConfigWithAKeyTwiceIsRefusedByName) {
    const Hub hub;
    hub.write("config.json", R"({"pretrained_cfg": {"crop_pct": 0.9, "crop_pct": 0.8}})");
    EXPECT_THAT(message_of([&] { hub.resolve(); }),
                AllOf(HasSubstr("key `crop_pct` appears twice"), HasSubstr("config.json")));
    hub.write("config.json", std::string(100'000, '[') + std::string(100'000, ']'));
    EXPECT_THAT(message_of([&] { hub.resolve(); }), HasSubstr("nested deeper than 32 levels"));
    hub.write("config.json", std::string(100'000, '['));
    EXPECT_THAT(message_of([&] { hub.resolve(); }, ErrorCode::usage), HasSubstr("name a preset"));
}

TEST(Timm, KeysWithoutEffectAreNamed) {
    const Hub hub;
    hub.write("config.json", resnet18);
    const ModelSpec spec = hub.resolve();
    EXPECT_THAT(spec.without_effect, Contains("paper_ids"));
    EXPECT_THAT(spec.without_effect, Contains("architecture"));
    EXPECT_THAT(spec.without_effect, Not(Contains("test_crop_pct")));
    EXPECT_EQ(to_json(spec)["without_effect"], json(spec.without_effect));
    // An unknown key gives a note in another program's file, and an error in Assay's own.
    json later = json::parse(resnet18);
    later["pretrained_cfg"]["patch_dropout_rate"] = 0;
    hub.write("config.json", later.dump());
    EXPECT_THAT(hub.resolve().without_effect, Contains("patch_dropout_rate"));
    hub.write("model.toml", "crop_pct = 0.9\npatch_dropout_rate = 0\n");
    EXPECT_THAT(message_of([&] { hub.resolve(); }), HasSubstr("patch_dropout_rate"));
}

// The network has another head. timm's loader uses values outside the pretrained_cfg, which still
// describes the first training.
TEST(Timm, ClassesOfAnotherHead) {
    const Hub hub;
    hub.write("config.json", R"({"architecture": "resnet18", "num_classes": 2,
        "label_names": {"1": "n02", "0": "n01"}, "label_descriptions": {"n01": "ant", "n02": "bee"},
        "pretrained_cfg": {"input_size": [3, 224, 224], "num_classes": 1000}})");
    const ModelSpec spec = hub.resolve();
    EXPECT_EQ(spec.num_classes, 2U);
    EXPECT_EQ(spec.classes, ClassList({"n01", "n02"}, {"ant", "bee"}));
}

std::string processor(std::string_view type, std::string_view rest) {
    return R"({"image_processor_type": ")" + std::string(type) +
           R"(", "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], )" +
           std::string(rest) + "}";
}

// The expected values are worked out by hand from transformers' image_processing_*.py.
TEST(Transformers, ProcessorsAsTheyResizeAndCrop) {
    struct Case {
        std::string file;
        CropMode mode;
        int height;
        std::optional<int> resize;
        Interpolation filter;
    };
    using enum CropMode;
    using enum Interpolation;
    const Case cases[] = {
        // google/vit-base-patch16-224 resizes both sides to 224, bilinear.
        {processor("ViTFeatureExtractor", R"("size": 224, "resample": 2)"),
         none,
         224,
         {},
         bilinear},
        {processor("ViTImageProcessorPil", R"("size": {"height": 384, "width": 384})"),
         none,
         384,
         {},
         bilinear},
        // microsoft/resnet-50 resizes the short side to int(224 / 0.875) = 256.
        {processor("ConvNextFeatureExtractor", R"("crop_pct": 0.875, "size": 224, "resample": 3)"),
         center, 224, 256, bicubic},
        // facebook/convnext-base-384 resizes straight to the square from 384 on.
        {processor("ConvNextImageProcessor",
                   R"("crop_pct": null, "size": {"shortest_edge": 384}, "resample": 3)"),
         none,
         384,
         {},
         bicubic},
        // facebook/deit-base-distilled-patch16-224 resizes both sides to 256 and crops the center.
        {processor("DeiTImageProcessor",
                   R"("size": 256, "crop_size": 224, "do_center_crop": true)"),
         squash, 224, 256, bicubic},
        // microsoft/beit-base-patch16-224 has no crop.
        {processor("BeitImageProcessor",
                   R"("size": 224, "crop_size": 224, "do_center_crop": false, "resample": 2)"),
         none,
         224,
         {},
         bilinear},
        // facebook/levit-256 resizes the short side to int(256 / 224 * 224) = 256.
        {processor("LevitFeatureExtractor", R"("size": 224, "resample": 3)"), center, 224, 256,
         bicubic},
        // sail/poolformer_s12 has int(224 / 0.9) = 248.
        {processor("PoolFormerImageProcessor", R"("crop_pct": 0.9, "size": 224, "crop_size": 224)"),
         center, 224, 248, bicubic},
        // The settings of google/mobilenet_v2_1.0_224.
        {processor("MobileNetV2ImageProcessor",
                   R"("size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224})"),
         center, 224, 256, bilinear},
        // The settings of google/bit-50.
        {processor("BitImageProcessor",
                   R"("size": {"shortest_edge": 448}, "crop_size": {"height": 448, "width": 448})"),
         center, 448, 448, bicubic},
        // The settings of facebook/dinov2-base-imagenet1k-1-layer.
        {processor("BitImageProcessor",
                   R"("size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224})"),
         center, 224, 256, bicubic},
        // google/efficientnet-b0 uses nearest, and has no crop.
        {processor("EfficientNetImageProcessor",
                   R"("size": {"height": 224, "width": 224}, "resample": 0, "include_top": true)"),
         none,
         224,
         {},
         nearest},
        // The kind is not in the table, but unambiguous.
        {processor("NewImageProcessor", R"("size": {"height": 96, "width": 96}, "resample": 1)"),
         none,
         96,
         {},
         lanczos},
        {processor("NewImageProcessor",
                   R"("size": {"shortest_edge": 96}, "do_center_crop": true, "resample": 2,
                      "crop_size": {"height": 80, "width": 80})"),
         center, 80, 96, bilinear},
    };
    for (const Case& c : cases) {
        const Hub hub;
        hub.write("preprocessor_config.json", c.file);
        const Preprocess p = hub.resolve().preprocess;
        EXPECT_EQ(p.crop_mode, c.mode) << c.file;
        EXPECT_EQ(p.height, c.height) << c.file;
        EXPECT_EQ(p.width, c.height) << c.file;
        EXPECT_EQ(p.resize_size, c.resize) << c.file;
        EXPECT_EQ(p.interpolation, c.filter) << c.file;
        EXPECT_EQ(static_cast<float>(p.scale), 1.0F / 255.0F) << c.file;
    }
}

// Processors that compute with tensors differ in PyTorch's resize, the start of the crop and the
// order of the arithmetic.
TEST(Transformers, FastProcessors) {
    const Hub hub;
    const auto preprocess = [&](const std::string& file) {
        hub.write("preprocessor_config.json", file);
        return hub.resolve().preprocess;
    };
    const Preprocess slow = preprocess(processor("CLIPImageProcessor", R"("size": 224)"));
    const Preprocess fast = preprocess(processor("CLIPImageProcessorFast", R"("size": 224)"));
    EXPECT_EQ(slow.resize_as, ResizeRule::pillow);
    EXPECT_EQ(slow.crop_start, CropStart::floor);
    EXPECT_EQ(fast.resize_as, ResizeRule::torch);
    EXPECT_EQ(fast.crop_start, CropStart::floor);
    // the value is (byte - 0.5 / (1/255)) / (0.5 / (1/255))
    EXPECT_EQ(fast.scale, 1.0);
    EXPECT_EQ(fast.mean, (std::array{127.5, 127.5, 127.5}));
    EXPECT_EQ(fast.std, (std::array{127.5, 127.5, 127.5}));
    EXPECT_EQ(fast.resize_size, slow.resize_size);
    // DINOv3 only has this processor. It scales before the resize.
    const Preprocess floats = preprocess(
        processor("DINOv3ViTImageProcessor", R"("size": {"height": 224, "width": 224})"));
    EXPECT_EQ(floats.resize_as, ResizeRule::torch_float);
    EXPECT_EQ(floats.scale, float_255th);
    EXPECT_EQ(floats.mean, (std::array{0.5, 0.5, 0.5}));
    // Without mean and std, bytes are multiplied by the float32 nearest to 1/255.
    const Preprocess mobile =
        preprocess(R"({"image_processor_type": "MobileViTImageProcessorFast", "size": 288,
            "crop_size": 256, "do_center_crop": true, "do_flip_channel_order": true,
            "do_resize": true, "resample": 2})");
    EXPECT_EQ(mobile.scale, float_255th);
    EXPECT_EQ(mobile.std, (std::array{1.0, 1.0, 1.0}));
    const Preprocess bytes =
        preprocess(processor("ViTImageProcessorFast", R"("size": 224, "do_rescale": false)"));
    EXPECT_EQ(bytes.scale, 1.0);
    EXPECT_EQ(bytes.mean, (std::array{0.5, 0.5, 0.5}));
    EXPECT_THAT(message_of([&] {
                    preprocess(processor("ViTImageProcessorFast", R"("size": 224, "resample": 4)"));
                }),
                HasSubstr("Pillow's filters 0 to 3, the only ones that PyTorch has"));
}

TEST(Transformers, Values) {
    const Hub hub;
    const auto preprocess = [&](const std::string& file) {
        hub.write("preprocessor_config.json", file);
        return hub.resolve().preprocess;
    };
    // EfficientNet's processor divides by the standard deviation twice: (x - .5) / .5 / .5.
    EXPECT_EQ(preprocess(processor("EfficientNetImageProcessor", R"("size": 224)")).std,
              (std::array{0.25, 0.25, 0.25}));
    // apple/mobilevit-small has B G R in 0..1, and no mean and std.
    const Preprocess vit = preprocess(
        R"({"feature_extractor_type": "MobileViTFeatureExtractor", "size": 288, "crop_size": 256,
            "do_center_crop": true, "do_flip_channel_order": true, "do_resize": true, "resample": 2})");
    EXPECT_EQ(vit.channel_order, ChannelOrder::bgr);
    EXPECT_EQ(vit.mean, (std::array{0.0, 0.0, 0.0}));
    EXPECT_EQ(vit.std, (std::array{1.0, 1.0, 1.0}));
    EXPECT_EQ(vit.resize_size, 288);
    EXPECT_EQ(vit.height, 256);
    const Preprocess raw =
        preprocess(processor("ViTImageProcessor", R"("size": 32, "do_rescale": false)"));
    EXPECT_EQ(raw.scale, 1.0);
    EXPECT_EQ(preprocess(processor("ViTImageProcessor", R"("do_normalize": false)")).std,
              (std::array{1.0, 1.0, 1.0}));
    // google/vit-hybrid-base-bit-384 without the values of its file has CLIP's values, like BiT.
    const Preprocess hybrid = preprocess(R"({"image_processor_type": "ViTHybridImageProcessor"})");
    EXPECT_EQ(hybrid.mean, (std::array{0.48145466, 0.4578275, 0.40821073}));
    EXPECT_EQ(hybrid.std, (std::array{0.26862954, 0.26130258, 0.27577711}));
    EXPECT_EQ(hybrid.height, 224);
    EXPECT_EQ(hybrid.resize_size, 224);
    EXPECT_EQ(hybrid.crop_mode, CropMode::center);
    // The file omits values, and LeViT's defaults are those of ImageNet.
    EXPECT_EQ(preprocess(R"({"image_processor_type": "LevitImageProcessor"})").mean,
              (std::array{0.485, 0.456, 0.406}));
}

TEST(Transformers, WhatCannotBeSaidIsRefused) {
    const std::pair<std::string, const char*> cases[] = {
        {R"({"do_resize": true, "size": 224, "image_mean": [0.5, 0.5, 0.5],
             "image_std": [0.5, 0.5, 0.5], "resample": 3})",
         "some processors mean both sides"},
        {R"({"image_processor_type": "ViTImageProcessor", "image_mean": [0.95], "image_std": [0.15]})",
         "three numbers"},
        {processor("ViTImageProcessor", R"("size": {"longest_edge": 224})"), "shortest_edge"},
        {processor("ViTImageProcessor", R"("size": -1)"),
         "`size` is -1; allowed: a whole number from 1 to 16384"},
        {processor("ViTImageProcessor", R"("do_resize": false)"), "do_resize"},
        {processor("ViTImageProcessor", R"("resample": 9)"),
         "`resample` is 9; allowed: a whole number from 0 to 5"},
        {processor("ViTImageProcessor", R"("rescale_factor": "x")"), "rescale_factor"},
        {processor("EfficientNetImageProcessor", R"("rescale_offset": true)"), "offset"},
        {processor("NewImageProcessor", R"("size": {"shortest_edge": 96}, "resample": 2)"),
         "the short side, 96 pixels, without a crop, so the input has no fixed size;"},
        {processor("NewImageProcessor",
                   R"("size": {"height": 96, "width": 96}, "crop_size": 80, "resample": 2)"),
         "`crop_size`: it is 80; it does not say whether it crops"},
        {processor("NewImageProcessor",
                   R"("size": {"height": 96, "width": 96}, "crop_pct": 0.9, "resample": 2)"),
         "`crop_pct`: it is 0.9; the effect in this processor is unknown"},
        {processor("DeiTImageProcessor", R"("size": {"height": 256, "width": 300})"),
         "two different sides"},
        {processor("ConvNextImageProcessor", R"("size": 224, "crop_pct": 0)"), "crop_pct"},
        {processor("ViTImageProcessor", R"("do_normalize": 1)"),
         "`do_normalize` is 1; allowed: true, false"},
        {processor("ViTImageProcessor", R"("size": [224, "x"])"),
         "`size[1]` is \"x\"; allowed: a whole number from 1 to 16384"},
        {processor("ViTImageProcessor", R"("size": {"height": 224.5, "width": 224})"),
         "`size.height` is 224.5"},
        {R"({"image_processor_type": "ViTImageProcessor", "image_mean": [0.5, null, 0.5]})",
         "`image_mean[1]` is null; allowed: a number"},
        // The default size of the kind is the short side, and the file has no size.
        {R"({"image_processor_type": "CLIPImageProcessor", "do_center_crop": false})",
         "the short side, 224 pixels"},
    };
    for (const auto& [file, part] : cases) {
        const Hub hub;
        hub.write("preprocessor_config.json", file);
        EXPECT_THAT(message_of([&] { hub.resolve(); }), HasSubstr(part)) << file;
    }
}

TEST(Transformers, ClassesAndPreprocessingComeFromTwoFiles) {
    const Hub hub;
    hub.write("config.json",
              R"({"architectures": ["ViTForImageClassification"], "model_type": "vit",
                  "hidden_size": 768, "image_size": 224, "id2label": {"0": "ant", "2": "crane", "1": "crane"},
                  "label2id": {"ant": 0, "crane": 2}, "transformers_version": "4.38.2"})");
    // Older files do not name the processor, so the type of the model decides.
    hub.write("preprocessor_config.json",
              R"({"do_normalize": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5],
                  "image_std": [0.5, 0.5, 0.5], "size": 224, "processor_class": "x"})");
    const ModelSpec spec = hub.resolve();
    EXPECT_EQ(spec.sidecar.filename(), "config.json");
    EXPECT_EQ(spec.also_read.filename(), "preprocessor_config.json");
    EXPECT_EQ(spec.preprocess.crop_mode, CropMode::none);
    EXPECT_THAT(spec.classes.names(), ElementsAre("ant", "crane", "crane"));
    EXPECT_THAT(spec.without_effect, Contains("hidden_size"));
    EXPECT_THAT(spec.without_effect, Contains("processor_class"));
    EXPECT_THAT(spec.without_effect, Not(Contains("id2label")));
    // Passing the other file gives the same result.
    const ModelSpec same =
        resolve_model(hub.scratch / "model.onnx", {}, hub.scratch / "preprocessor_config.json");
    EXPECT_EQ(same.preprocess, spec.preprocess);
    EXPECT_EQ(same.classes, spec.classes);
    // The model is in a subfolder, as in exports to ONNX.
    hub.write("onnx/model.onnx", "");
    EXPECT_EQ(resolve_model(hub.scratch / "onnx/model.onnx", {}).classes, spec.classes);
    // Options override the files.
    EXPECT_EQ(hub.resolve({{"mean", 0.25}}).preprocess.mean, (std::array{0.25, 0.25, 0.25}));
}

TEST(Transformers, ConfigAloneGivesClassesOnly) {
    const Hub hub;
    hub.write("config.json", R"({"model_type": "vit", "architectures": ["x"],
        "id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1}})");
    EXPECT_THAT(message_of([&] { hub.resolve(); }, ErrorCode::usage),
                HasSubstr("preprocessor_config.json"));
    // transformers generated these names
    EXPECT_TRUE(hub.resolve({{"preset", "vit"}}).classes.empty());
    hub.write("config.json", R"({"model_type": "vit", "id2label": {"0": "ant", "2": "bee"}})");
    EXPECT_THAT(message_of([&] { hub.resolve({{"preset", "vit"}}); }), HasSubstr("id2label"));
    // this is a model of sounds
    hub.write("preprocessor_config.json", R"({"sample_rate": 22050, "n_mfcc": 40})");
    hub.write("config.json", R"({"optimizer": "sgd"})");
    EXPECT_EQ(find_sidecar(hub.scratch / "model.onnx"), "");
}

std::vector<std::string> apart(const std::vector<std::string>& paths) {
    std::vector<ModelSpec> specs;
    for (const std::string& path : paths) {
        ModelSpec spec;
        spec.path = path;
        spec.name = spec.path.stem().string();
        specs.push_back(spec);
    }
    name_apart(specs);
    std::vector<std::string> names;
    for (const ModelSpec& spec : specs) names.push_back(spec.name);
    return names;
}

TEST(Names, EqualStemsGetTheirFoldersNames) {
    EXPECT_THAT(apart({"/m/vit/model.onnx", "/m/swin/model.onnx", "/m/r.pt"}),
                ElementsAre("vit", "swin", "r"));
    EXPECT_THAT(apart({"/m/vit/onnx/model.onnx", "/m/swin/onnx/model.onnx"}),
                ElementsAre("vit", "swin"));
    EXPECT_THAT(apart({"/a/vit/model.onnx", "/b/vit/model.onnx"}), ElementsAre("a-vit", "b-vit"));
    // The folder's name is in use by another model, so the name has more of the path.
    EXPECT_THAT(apart({"/m/vit/model.onnx", "/m/swin/model.onnx", "/n/vit.pt"}),
                ElementsAre("m-vit", "swin", "n"));
    // The same folder has one model in several formats.
    EXPECT_THAT(apart({"/m/vit.pt", "/m/vit.onnx", "/m/swin.pt"}),
                ElementsAre("vit.pt", "vit.onnx", "swin"));
    EXPECT_THAT(apart({"/m/a/x.pt", "/m/a/x.onnx", "/m/b/x.pt"}),
                ElementsAre("x.pt", "x.onnx", "b"));
    EXPECT_THAT(message_of(
                    [] {
                        apart({"/m/a/x.pt", "/m/a/x.pt"});
                    },
                    ErrorCode::usage),
                HasSubstr("two models are named"));
    EXPECT_THAT(apart({}), ElementsAre());
}

TEST(Names, ChosenNamesStay) {
    std::vector<ModelSpec> specs(2);
    specs[0].path = "/m/a/x.pt";
    specs[1].path = "/m/b/x.pt";
    specs[0].name = specs[1].name = "x";
    specs[0].named = true;
    name_apart(specs);
    EXPECT_EQ(specs[0].name, "x");
    EXPECT_EQ(specs[1].name, "b");
    specs[1].name = "x";
    specs[1].named = true;
    message_of([&] { name_apart(specs); }, ErrorCode::usage);
}

}  // namespace
}  // namespace assay
