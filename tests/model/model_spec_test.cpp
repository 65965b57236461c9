#include "assay/model/model_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/model/settings_file.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A folder with an empty model m.pt, and settings files with these names.
struct ModelFolder {
    Scratch scratch;
    std::filesystem::path model = scratch / "m.pt";

    ModelFolder() { write("m.pt", ""); }
    void write(const std::string& name, std::string_view text) const {
        write_file_atomically(scratch / name, text);
    }
    ModelSpec resolve(const json& flags = json::object()) const {
        return resolve_model(model, flags);
    }
};

TEST(Presets, NamesAreUniqueAndFound) {
    std::set<std::string> names;
    for (const Preset& preset : presets()) {
        EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
        EXPECT_EQ(preset_named(preset.name).preprocess, preset.preprocess);
        EXPECT_FALSE(preset.summary.empty());
        // A preset can also be written in a settings file, so it must survive the canonical JSON.
        EXPECT_EQ(preprocess_from_json(to_json(preset.preprocess)), preset.preprocess)
            << preset.name;
    }
    EXPECT_THAT(message_of([] { preset_named("torchvison"); }, ErrorCode::usage),
                HasSubstr("torchvision"));
}

TEST(Presets, PublishedValues) {
    const Preprocess torchvision = preset_named("torchvision").preprocess;
    EXPECT_EQ(torchvision.interpolation, Interpolation::bilinear);
    EXPECT_EQ(torchvision.mean, (std::array{0.485, 0.456, 0.406}));
    EXPECT_EQ(torchvision.std, (std::array{0.229, 0.224, 0.225}));
    EXPECT_EQ(preset_named("torchvision-v2").preprocess.resize_size, 232);
    EXPECT_EQ(preset_named("inception").preprocess.height, 299);
    EXPECT_EQ(preset_named("caffe").preprocess.channel_order, ChannelOrder::bgr);
    EXPECT_EQ(preset_named("openai-clip").preprocess.crop_pct, 1.0);
}

TEST(Sidecar, IsNamedWhenItsClassListIsNotThere) {
    const ModelFolder folder;
    folder.write("m.toml", "preset = \"plain\"\nclasses = \"gone.txt\"\n");
    EXPECT_THAT(message_of([&] { folder.resolve(); }),
                AllOf(HasSubstr("gone.txt"), HasSubstr("m.toml")));
}

TEST(Sidecar, Discovery) {
    const ModelFolder folder;
    EXPECT_EQ(find_sidecar(folder.model), "");
    // A foreign config.json is not a settings file. A config.json with a pretrained_cfg is.
    folder.write("config.json", R"({"optimizer": "sgd"})");
    EXPECT_EQ(find_sidecar(folder.model), "");
    folder.write("config.json", "{ damaged");
    EXPECT_EQ(find_sidecar(folder.model), "");
    folder.write("config.json", R"({"pretrained_cfg": {"crop_pct": 0.9}})");
    EXPECT_EQ(find_sidecar(folder.model), folder.scratch / "config.json");
    // The model's own file has precedence.
    folder.write("m.pt.json", "{}");
    EXPECT_EQ(find_sidecar(folder.model), folder.scratch / "m.pt.json");
    folder.write("m.toml", "");
    EXPECT_THAT(message_of([&] { find_sidecar(folder.model); }), HasSubstr("two sidecars"));
}

TEST(Sidecar, AFileThatHoldsNoSettingsIsNone) {
    const ModelFolder folder;
    const std::pair<std::string_view, std::string_view> files[] = {
        {R"({"schema": "assay.scores/2", "measurements": []})",
         "a saved result of Assay (`assay.scores/2`)"},
        // A result may have the same keys as settings.
        {R"({"schema": "assay.cost/1", "name": "m", "classes": 3})", "`assay.cost/1`"},
        {R"([{"name": "top1"}])", "does not contain settings"},
        {R"({"epoch": 3, "optimizer": "sgd"})", "none of its keys is a setting"}};
    for (const auto& [text, why] : files) {
        for (const char* name : {"m.json", "m.pt.json"}) {
            folder.write(name, text);
            EXPECT_EQ(find_sidecar(folder.model), "") << text;
            EXPECT_THAT(files_like_sidecars(folder.model),
                        testing::ElementsAre(testing::AllOf(HasSubstr(name), HasSubstr(why))));
            EXPECT_THAT(message_of([&] { folder.resolve(); }, ErrorCode::usage),
                        testing::AllOf(HasSubstr("not read as settings"), HasSubstr(why)));
            EXPECT_EQ(folder.resolve({{"preset", "timm"}}).sidecar, "");
            std::filesystem::remove(folder.scratch / name);
        }
    }
    folder.write("m.toml", "[score]\nmetrics = \"top1\"\n");  // a project file such as assay.toml
    EXPECT_EQ(find_sidecar(folder.model), "");
    // The result does not hide the settings files that exist.
    folder.write("m.json", R"({"schema": "assay.scores/2"})");
    folder.write("m.pt.json", R"({"preset": "inception"})");
    EXPECT_EQ(folder.resolve().preprocess.height, 299);
    EXPECT_THAT(files_like_sidecars(folder.model), testing::SizeIs(2));
}

TEST(Sidecar, WhatMayBeMeantAsSettingsIsNotPassedOver) {
    const ModelFolder folder;
    const std::pair<std::string_view, std::string_view> files[] = {
        {R"({"preset": "timm", "optimizer": "sgd"})", "optimizer"},
        {R"({"input_sizes": [3, 8, 8]})", "did you mean `input_size`"},
        {R"({"preset": "timm", )", "m.json"},  // a damaged file
        {"", "m.json"}};
    for (const auto& [text, why] : files) {
        folder.write("m.json", text);
        EXPECT_EQ(find_sidecar(folder.model), folder.scratch / "m.json");
        EXPECT_THAT(message_of([&] { folder.resolve({{"preset", "timm"}}); }), HasSubstr(why));
    }
    // If a result file is passed as settings, the error says that it is a result.
    folder.write("named.json", R"({"schema": "assay.scores/2", "preset": "timm"})");
    EXPECT_THAT(message_of([&] { read_sidecar(folder.scratch / "named.json"); }),
                testing::AllOf(HasSubstr("named.json"), HasSubstr("a saved result of Assay")));
}

TEST(Sidecar, TheModelThatAFileWouldBeTheSettingsOf) {
    const ModelFolder folder;
    for (const char* name : {"m.json", "m.toml", "m.pt.json", "m.pt.toml"})
        EXPECT_EQ(model_of_sidecar(folder.scratch / name), folder.model) << name;
    for (const char* name : {"m.csv", "m.md", "n.json", "m.onnx.json", "m", "m.pt", "config.json"})
        EXPECT_EQ(model_of_sidecar(folder.scratch / name), "") << name;
    // These files apply to all models of a folder, if they exist.
    folder.write("config.json", R"({"optimizer": "sgd"})");
    EXPECT_EQ(model_of_sidecar(folder.scratch / "config.json"), "");
    folder.write("config.json", R"({"pretrained_cfg": {"crop_pct": 0.9}})");
    EXPECT_EQ(model_of_sidecar(folder.scratch / "config.json"), folder.model);
}

TEST(Sidecar, TimmsConfigIsUnderstood) {
    const json settings = parse_sidecar(R"({
        "architecture": "resnet50", "num_classes": 3, "num_features": 2048, "global_pool": "avg",
        "label_names": ["n1", "n2", "n3"], "label_descriptions": {"n1": "tench", "n3": "shark"},
        "pretrained_cfg": {"tag": "a1_in1k", "custom_load": false, "input_size": [3, 224, 192], "test_input_size": [3, 288, 288],
            "fixed_input_size": false, "interpolation": "bicubic", "crop_pct": 0.95, "crop_mode": "center",
            "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "num_classes": 3, "pool_size": [7, 7],
            "first_conv": "conv1", "classifier": "fc", "license": "apache-2.0", "url": null}})",
                                        false);
    EXPECT_EQ(settings["crop_pct"], 0.95);
    EXPECT_EQ(settings["classes"]["ids"], (json{"n1", "n2", "n3"}));
    EXPECT_EQ(settings["classes"]["names"], (json{"tench", "n2", "shark"}));
    EXPECT_FALSE(settings.contains("tag"));
    EXPECT_FALSE(settings.contains("url"));

    const ModelFolder folder;
    folder.write("m.json", settings.dump());
    const ModelSpec spec = folder.resolve();
    EXPECT_EQ(spec.preprocess.height, 288);
    EXPECT_EQ(folder.resolve({{"train_size", true}}).preprocess.width, 192);
    EXPECT_EQ(spec.classes.name(2), "shark");
    EXPECT_EQ(spec.num_classes, 3U);
}

TEST(Sidecar, TomlSaysTheSame) {
    const json toml = parse_sidecar(
        "input_size = [3, 160, 160]\nmean = [0.5, 0.5, 0.5]\nscale = 1\nchannel_order = \"bgr\"\n",
        true);
    const json same = parse_sidecar(
        R"({"input_size": [3,160,160], "mean": [0.5,0.5,0.5], "scale": 1, "channel_order": "bgr"})",
        false);
    EXPECT_EQ(toml, same);
    EXPECT_EQ(parse_sidecar("[pretrained_cfg]\ncrop_pct = 0.9\n", true)["crop_pct"], 0.9);
}

TEST(Sidecar, LayoutAndInputType) {
    const ModelFolder folder;
    folder.write("m.toml", "preset = \"torchvision\"\nlayout = \"nhwc\"\ninput_type = \"uint8\"\n");
    const ModelSpec spec = folder.resolve();
    EXPECT_EQ(spec.layout, InputLayout::nhwc);
    EXPECT_EQ(spec.input_type, InputType::uint8);
    EXPECT_EQ(to_json(spec)["layout"], "nhwc");
    EXPECT_EQ(to_json(spec)["input_type"], "uint8");
    folder.write("m.toml", "preset = \"torchvision\"\n");
    EXPECT_FALSE(folder.resolve().layout);
    EXPECT_TRUE(to_json(folder.resolve())["input_type"].is_null());
    EXPECT_THAT(message_of([] { parse_sidecar("layout = \"hwc\"", true); }),
                HasSubstr("nchw (channels first)"));
    EXPECT_THAT(message_of([] { parse_sidecar("input_type = \"half\"", true); }),
                HasSubstr("float32, uint8"));
}

TEST(Sidecar, GrayImagesHaveOneMean) {
    const ModelFolder folder;
    folder.write("m.toml", "input_size = [1, 28, 28]\nmean = [0.25]\nstd = 0.5\n");
    const Preprocess p = folder.resolve().preprocess;
    EXPECT_EQ(p.channel_order, ChannelOrder::gray);
    EXPECT_EQ(p.mean, (std::array{0.25, 0.25, 0.25}));
    EXPECT_EQ(to_json(folder.resolve())["preprocess"]["channel_order"], "gray");
    // An input size with three numbers does not reset the channel order.
    folder.write("m.toml",
                 "input_size = [3, 28, 28]\nchannel_order = \"gray\"\nmean = 0\nstd = 1\n");
    EXPECT_EQ(folder.resolve().preprocess.channel_order, ChannelOrder::gray);
    folder.write("m.toml", "preset = \"torchvision\"\nchannel_order = \"gray\"\n");
    EXPECT_THAT(message_of([&] { folder.resolve(); }, ErrorCode::usage),
                HasSubstr("one number each, as in --mean 0.5 --std 0.5"));
}

TEST(Sidecar, OneScoreFitsTwoClasses) {
    const ModelFolder folder;
    folder.write("m.toml",
                 "preset = \"timm\"\nnum_classes = 1\nclasses = [\"benign\", \"malignant\"]\n");
    EXPECT_EQ(folder.resolve().classes.size(), 2U);
    folder.write("m.toml", "preset = \"timm\"\nnum_classes = 1\nclasses = [\"a\", \"b\", \"c\"]\n");
    EXPECT_THAT(message_of([&] { folder.resolve(); }), HasSubstr("3 classes"));
}

TEST(Sidecar, UnknownKeysAreRefusedWithTheNearest) {
    EXPECT_THAT(message_of([] { parse_sidecar("crop_pc = 0.9", true); }),
                HasSubstr("did you mean `crop_pct`?"));
    EXPECT_THAT(message_of([] { parse_sidecar(R"({"label_offset": 1})", false); }),
                HasSubstr("label_offset"));
    EXPECT_EQ(parse_sidecar(R"({"label_offset": 0})", false), json::object());
}

TEST(Sidecar, BadValuesAreRefused) {
    const std::pair<std::string, const char*> cases[] = {
        {R"({"crop_pct": 0})", "above 0"},
        {R"({"crop_pct": 1.01})", "at most 1"},
        {R"({"crop_pct": 1e-9})", "at or below 16384 pixels"},
        {R"({"crop_pct": "0.9"})", "crop_pct"},
        {R"({"crop_pct": 0.9, "resize_size": 256})", "keep one"},
        {R"({"std": [0.5, 0, 0.5]})", "above 0"},
        {R"({"std": [0.5, 0.5]})", "three numbers"},
        {R"({"mean": [0.5, 0.5, "x"]})", "three numbers"},
        {R"({"input_size": [4, 28, 28]})", "three channels"},
        {R"({"input_size": [1, 28, 28], "channel_order": "rgb"})", "one channel"},
        {R"({"input_size": [3, -224, 224]})", "input_size"},
        {R"({"input_size": [3, 224.5, 224]})", "input_size"},
        {R"({"input_size": []})", "input_size"},
        {R"({"input_size": 1e300})", "input_size"},
        {R"({"resize_size": 0})", "resize_size"},
        {R"({"interpolation": "random"})", "interpolation"},
        {R"({"interpolation": 3})", "interpolation"},
        {R"({"crop_mode": "centre"})", "crop_mode"},
        {R"({"channel_order": "rbg"})", "channel_order"},
        {R"({"resize_as": "torch_flaot"})", "did you mean `torch_float`"},
        {R"({"antialias": "no"})", "antialias"},
        {R"({"resize_as": 256})", "resize_as"},
        {R"({"crop_start": "ceil"})", "crop_start"},
        {R"({"outputs": "softmax"})", "outputs"},
        {R"({"scale": 0})", "scale"},
        {R"({"fill": [0, 0, 256]})", "fill"},
        {R"({"num_classes": 0})", "num_classes"},
        {R"({"num_classes": -5})", "num_classes"},
        {R"({"preset": "tim"})", "timm"},
        {R"({"name": "../up"})", "no slash"},
        {R"({"name": ""})", "name"},
        {R"({"classes": 1000})", "classes"},
        {R"({"classes": []})", "classes"},
        {R"({"label_names": "x"})", "label_names"},
        {R"({"pretrained_cfg": 3})", "pretrained_cfg"},
        {R"([])", "table"},
        {R"({"name": "a", "name": "b"})", "key `name` appears twice"},
        {R"({"pretrained_cfg": )" + std::string(100'000, '['), "nested deeper than 32 levels"},
        {R"({)", "damaged JSON"},
        {"", "damaged JSON"},
    };
    for (const auto& [text, part] : cases) {
        EXPECT_THAT(message_of([&text = text] { parse_sidecar(text, false); }), HasSubstr(part))
            << text;
    }
    EXPECT_THAT(message_of([] { parse_sidecar("std = [nan, 1.0, 1.0]", true); }), HasSubstr("std"));
    EXPECT_THAT(message_of([] { parse_sidecar("mean = [inf, 1.0, 1.0]", true); }),
                HasSubstr("mean"));
    message_of([] { parse_sidecar("mean = [", true); });
}

TEST(Resolve, PyTorchsResizeNeedsAFilterThatItHas) {
    const ModelFolder folder;
    const json box = {{"preset", "timm"}, {"resize_as", "torch"}, {"interpolation", "box"}};
    EXPECT_THAT(message_of([&] { folder.resolve(box); }, ErrorCode::usage),
                HasSubstr("PyTorch has no filter box: with --resize-as torch, --interpolation is "
                          "nearest, bilinear, bicubic or lanczos"));
    const json bicubic = {{"preset", "timm"}, {"resize_as", "torch"}};
    EXPECT_EQ(folder.resolve(bicubic).preprocess.resize_as, ResizeRule::torch);
    EXPECT_EQ(folder.resolve({{"preset", "timm"}}).preprocess.resize_as, ResizeRule::pillow);
}

TEST(Resolve, ResizesOfFloatsNeedAFilterThatIsReproduced) {
    const ModelFolder folder;
    json settings = {{"preset", "timm"}, {"resize_as", "torch_float"}, {"antialias", false}};
    const Preprocess p = folder.resolve(settings).preprocess;
    EXPECT_EQ(p.resize_as, ResizeRule::torch_float);
    EXPECT_FALSE(p.antialias);
    settings["interpolation"] = "lanczos";
    EXPECT_THAT(message_of([&] { folder.resolve(settings); }, ErrorCode::usage),
                HasSubstr("PyTorch's lanczos on floats is not supported: with --resize-as "
                          "torch_float, --interpolation is nearest, bilinear or bicubic"));
    settings["interpolation"] = "box";
    EXPECT_THAT(message_of([&] { folder.resolve(settings); }, ErrorCode::usage),
                HasSubstr("--interpolation is nearest, bilinear or bicubic"));
    settings["resize_as"] = "torch";
    settings["interpolation"] = "lanczos";
    EXPECT_THAT(message_of([&] { folder.resolve(settings); }, ErrorCode::usage),
                HasSubstr("PyTorch has no lanczos without antialias"));
    settings["resize_as"] = "pillow";
    EXPECT_THAT(
        message_of([&] { folder.resolve(settings); }, ErrorCode::usage),
        HasSubstr("--antialias false needs --resize-as torch, torch_float or torch_rounded"));
}

TEST(Resolve, AntialiasBelongsToItsResize) {
    const ModelFolder folder;
    folder.write("m.toml", "preset = \"timm\"\nresize_as = \"torch\"\nantialias = false\n");
    EXPECT_FALSE(folder.resolve().preprocess.antialias);
    EXPECT_TRUE(folder.resolve({{"antialias", true}}).preprocess.antialias);
    // Another kind of resize has its own default.
    EXPECT_TRUE(folder.resolve({{"resize_as", "pillow"}}).preprocess.antialias);
}

TEST(Resolve, OpenCvsResizeNeedsAFilterThatIsReproduced) {
    const ModelFolder folder;
    json settings = {{"preset", "timm"}, {"resize_as", "opencv"}, {"interpolation", "lanczos"}};
    EXPECT_THAT(message_of([&] { folder.resolve(settings); }, ErrorCode::usage),
                HasSubstr("OpenCV's lanczos is not supported: with --resize-as opencv, "
                          "--interpolation is nearest, bilinear, bicubic, or box (INTER_AREA)"));
    settings["interpolation"] = "box";
    EXPECT_EQ(folder.resolve(settings).preprocess.resize_as, ResizeRule::opencv);
}

TEST(Resolve, NothingSaidIsRefused) {
    const ModelFolder folder;
    EXPECT_THAT(message_of([&] { folder.resolve(); }, ErrorCode::usage),
                HasSubstr("name a preset"));
    // A name or class list alone does not define the preprocessing.
    EXPECT_THAT(message_of(
                    [&] {
                        folder.resolve({{"name", "x"}});
                    },
                    ErrorCode::usage),
                HasSubstr("preset"));
    EXPECT_EQ(folder.resolve({{"preset", "plain"}}).preset, "plain");
    EXPECT_EQ(folder.resolve({{"crop_pct", 1.0}}).preset, "timm");
}

TEST(Resolve, LaterLayersOverride) {
    const ModelFolder folder;
    folder.write("m.toml",
                 "preset = \"inception\"\ncrop_pct = 0.9\nnum_classes = 7\nname = \"side\"\n");
    ModelSpec spec = folder.resolve();
    EXPECT_EQ(spec.name, "side");
    EXPECT_EQ(spec.preprocess.height, 299);
    EXPECT_EQ(spec.preprocess.crop_pct, 0.9);
    EXPECT_EQ(spec.num_classes, 7U);
    spec = folder.resolve({{"preset", "plain"}, {"name", "flag"}, {"mean", 0.25}});
    EXPECT_EQ(spec.name, "flag");
    EXPECT_EQ(spec.preprocess.height, 224);
    EXPECT_EQ(spec.preprocess.crop_pct, 0.9);
    EXPECT_EQ(spec.preprocess.mean, (std::array{0.25, 0.25, 0.25}));
}

TEST(Resolve, ResizeSizeAndCropPct) {
    const ModelFolder folder;
    const json v2 = {{"preset", "torchvision-v2"}};
    EXPECT_EQ(folder.resolve(v2).preprocess.resize_size, 232);
    // Another input size keeps the ratio 224/232.
    const ModelSpec larger = folder.resolve({{"preset", "torchvision-v2"}, {"input_size", 448}});
    EXPECT_EQ(larger.preprocess.resize_size, std::nullopt);
    EXPECT_DOUBLE_EQ(larger.preprocess.crop_pct, 224.0 / 232.0);
    EXPECT_EQ(
        folder.resolve({{"preset", "torchvision-v2"}, {"input_size", 448}, {"resize_size", 480}})
            .preprocess.resize_size,
        480);
    EXPECT_EQ(
        folder.resolve({{"preset", "torchvision-v2"}, {"crop_pct", 1}}).preprocess.resize_size,
        std::nullopt);
}

TEST(Resolve, ClassesComeFromBesideTheSidecar) {
    const ModelFolder folder;
    folder.write("m.toml", "crop_pct = 1.0\nclasses = \"names.txt\"\n");
    EXPECT_THAT(message_of([&] { folder.resolve(); }), HasSubstr("names.txt"));
    folder.write("names.txt", "cat\ndog\n");
    EXPECT_EQ(folder.resolve().classes, ClassList({"cat", "dog"}));
    EXPECT_EQ(folder.resolve({{"classes", "imagenet"}}).classes.size(), 1000U);
    EXPECT_EQ(folder.resolve({{"classes", {"a", "b", "c"}}}).classes.size(), 3U);
    EXPECT_THAT(message_of([&] {
                    folder.resolve({{"num_classes", 3}});
                }),
                HasSubstr("class list has 2"));
}

TEST(Resolve, SidecarsElsewhere) {
    const ModelFolder folder;
    const ModelFolder other;
    other.write("m.toml", "preset = \"plain\"\n");
    EXPECT_EQ(resolve_model(folder.model, {}, other.scratch.path()).preset, "plain");
    EXPECT_EQ(resolve_model(folder.model, {}, other.scratch / "m.toml").sidecar,
              other.scratch / "m.toml");
    message_of([&] { resolve_model(folder.model, {}, other.scratch / "absent.toml"); });
}

TEST(Resolve, Files) {
    const ModelFolder folder;
    const json flags = {{"preset", "plain"}};
    EXPECT_THAT(message_of([&] { resolve_model(folder.scratch / "absent.pt", flags); }),
                HasSubstr("no model file"));
    EXPECT_THAT(message_of([&] { resolve_model(folder.scratch.path(), flags); }),
                HasSubstr("is a folder"));
    folder.write("m.h5", "HDF");
    EXPECT_THAT(message_of([&] { resolve_model(folder.scratch / "m.h5", flags); }),
                HasSubstr(".onnx"));
    folder.write("zipped", "PK\x03\x04 and more");
    EXPECT_EQ(resolve_model(folder.scratch / "zipped", flags).format, ModelFormat::torchscript);
    folder.write("m.pt2", "");
    EXPECT_EQ(resolve_model(folder.scratch / "m.pt2", flags).format, ModelFormat::torch_export);
    // Archives of torch.export are recognized by their entries, for any file name.
    const std::filesystem::path archive =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/model/fixtures/pt2_fixed_batch.pt2";
    for (const char* name : {"exported.pt", "exported"}) {
        std::filesystem::copy_file(archive, folder.scratch / name);
        EXPECT_EQ(resolve_model(folder.scratch / name, flags).format, ModelFormat::torch_export);
    }
    EXPECT_EQ(to_json(resolve_model(folder.scratch / "exported", flags))["format"], "pt2");
    folder.write("M.ONNX", "");
    EXPECT_EQ(resolve_model(folder.scratch / "M.ONNX", flags).format, ModelFormat::onnx);
}

TEST(Settings, FromText) {
    EXPECT_EQ(setting_from_text("mean", "0.5, 0.25,1"), (json{0.5, 0.25, 1.0}));
    EXPECT_EQ(setting_from_text("crop_pct", "0.9"), 0.9);
    EXPECT_EQ(setting_from_text("interpolation", "bicubic"), "bicubic");
    EXPECT_EQ(setting_from_text("output", "0"), "0");
    message_of([] { setting_from_text("crop_pct", "much"); });
    message_of([] { setting_from_text("mean", "1,,2"); });
    message_of([] { setting_from_text("mean", ""); });
    EXPECT_THAT(message_of([] { setting_from_text("men", "1"); }, ErrorCode::usage),
                HasSubstr("mean"));
}

TEST(ResolveModel, AnotherHashThanTheExpectedOneIsRefused) {
    const ModelFolder folder;
    folder.write("abc.onnx", "abc");
    const std::filesystem::path model = folder.scratch / "abc.onnx";
    const std::string hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    std::string large = hash;
    std::ranges::transform(large, large.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const std::string& digits : {hash, large}) {
        const ModelSettings flags = {{"preset", "timm"}, {"expected", "sha256:" + digits}};
        EXPECT_EQ(resolve_model(model, flags).name, "abc");
    }
    // The key is set in a settings file and overridden by another layer.
    const std::string other = "sha256:" + std::string(64, '0');
    folder.write("abc.toml", "preset = \"timm\"\nexpected = \"" + other + "\"\n");
    const std::string said = message_of([&] { resolve_model(model, {}); });
    for (const std::string& part : {"abc.onnx has the hash sha256:" + hash, other,
                                    std::string("abc.toml"), std::string("sha256sum ")})
        EXPECT_THAT(said, HasSubstr(part));
    EXPECT_EQ(resolve_model(model, {{"expected", "sha256:" + hash}}).name, "abc");
    for (const char* bad : {"", "sha256:", "md5:abc", "sha256:abc"}) {
        EXPECT_THAT(message_of([&] {
                        resolve_model(model, {{"expected", bad}});
                    }),
                    HasSubstr("64 hexadecimal digits"))
            << bad;
    }
    EXPECT_THAT(
        message_of([&] {
            resolve_model("timm:resnet18", {{"preset", "timm"}, {"expected", "sha256:" + hash}});
        }),
        HasSubstr("is the hash of a file"));
}

TEST(Settings, EveryKeyIsAccepted) {
    const json values = {{"preset", "timm"},
                         {"name", "x"},
                         {"arch", "timm:resnet50"},
                         {"expected", "sha256:" + std::string(64, 'a')},
                         {"input_size", 8},
                         {"resize_as", "torch"},
                         {"interpolation", "box"},
                         {"antialias", false},
                         {"crop_mode", "none"},
                         {"crop_pct", 1},
                         {"test_input_size", 8},
                         {"test_crop_pct", 1},
                         {"train_size", true},
                         {"resize_size", 9},
                         {"crop_start", "floor"},
                         {"channel_order", "rgb"},
                         {"scale", 1},
                         {"mean", 0},
                         {"std", 1},
                         {"fill", 127},
                         {"num_classes", 2},
                         {"outputs", "probabilities"},
                         {"output", 1},
                         {"layout", "nhwc"},
                         {"input_type", "uint8"},
                         {"classes", "imagenet"}};
    for (const SettingKey& key : setting_keys()) {
        ASSERT_TRUE(values.contains(key.name)) << key.name;
        EXPECT_EQ(parse_sidecar(json{{key.name, values[key.name]}}.dump(), false).size(), 1U)
            << key.name;
        EXPECT_FALSE(key.summary.empty());
    }
    EXPECT_EQ(values.size(), setting_keys().size());
}

TEST(ModelSpecJson, HoldsEveryField) {
    const ModelFolder folder;
    const json out =
        to_json(folder.resolve({{"preset", "plain"}, {"classes", {"a", "b"}}, {"output", 1}}));
    EXPECT_EQ(out["name"], "m");
    EXPECT_EQ(out["format"], "torchscript");
    EXPECT_EQ(out["preprocess"], to_json(preset_named("plain").preprocess));
    EXPECT_EQ(out["num_classes"], nullptr);
    EXPECT_EQ(out["classes"]["count"], 2);
    EXPECT_EQ(out["output"], "1");
}

TEST(Examples, SidecarsOfTheSharedModels) {
    const auto folder = std::filesystem::path(ASSAY_SOURCE_DIR) / "examples/models";
    const std::pair<const char*, const char*> same[] = {{"mobilenet_v1_0.25_128", "mobilenet-128"},
                                                        {"mobilenet_v1_0.50_160", "mobilenet-160"},
                                                        {"mobilenet_v1_0.75_192", "mobilenet-192"},
                                                        {"mobilenet_v2_1.00_224", "mobilenet"},
                                                        {"squeezenet_1.0_227", "squeezenet-227"}};
    const ModelFolder scratch;
    for (const auto& [name, preset] : same) {
        const ModelSpec spec =
            resolve_model(scratch.model, {}, folder / (std::string(name) + ".toml"));
        Preprocess p = spec.preprocess;
        if (p.resize_size) {  // the preset has the ratio 227/256
            p.crop_pct = 227.0 / *p.resize_size;
            p.resize_size.reset();
        }
        EXPECT_EQ(p, preset_named(preset).preprocess) << name;
        EXPECT_EQ(spec.num_classes, 1000U);
    }
}

}  // namespace
}  // namespace assay
