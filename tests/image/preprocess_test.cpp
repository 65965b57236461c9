#include "assay/image/preprocess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

void expect_window(const Preprocess& p, int width, int height, ResizeWindow expected) {
    const ResizeWindow w = window_of(p, width, height);
    EXPECT_EQ(w.width, expected.width);
    EXPECT_EQ(w.height, expected.height);
    EXPECT_EQ(w.crop_x, expected.crop_x);
    EXPECT_EQ(w.crop_y, expected.crop_y);
    EXPECT_EQ(w.crop_w, p.width);
    EXPECT_EQ(w.crop_h, p.height);
}

TEST(Window, ShortSideThenCentre) {
    Preprocess p;  // For size 224 and crop 0.875: floor(224 / 0.875) = 256.
    // int(256 * 500 / 375) = int(341.33) = 341; (341 - 224) / 2 = 58.5, half to even 58; (256 -
    // 224) / 2 = 16.
    expect_window(p, 500, 375, {341, 256, 58, 16});
    expect_window(p, 375, 500, {256, 341, 16, 58});
    // int(256 * 343 / 256) = 343, and (343 - 224) / 2 = 59.5, half to even 60.
    expect_window(p, 343, 256, {343, 256, 60, 16});
    expect_window(p, 256, 256, {256, 256, 16, 16});
    expect_window(p, 1, 1, {256, 256, 16, 16});
    p.height = p.width = 227;
    p.crop_pct = 227.0 / 256;
    expect_window(p, 256, 256, {256, 256, 14, 14});  // 29 / 2 = 14.5, which rounds half to even 14
    p.height = p.width = 299;
    p.crop_pct = 0.95;  // floor(314.7) = 314
    expect_window(p, 314, 400,
                  {314, 400, 8, 50});  // 7.5 rounds to even 8, and 101 / 2 = 50.5 to even 50
}

TEST(Window, ResizeSizeOverridesCropPct) {
    Preprocess p;
    p.resize_size = 232;
    expect_window(p, 464, 232, {464, 232, 120, 4});
    p.crop_mode = CropMode::squash;
    expect_window(p, 464, 232, {232, 232, 4, 4});
    p.crop_mode = CropMode::border;
    expect_window(p, 464, 232, {232, 116, 4, -54});
}

TEST(Window, ACropLargerThanTheImageIsPadded) {
    Preprocess p;
    p.resize_size = 200;
    // 24 columns and rows are missing, 12 of them before the image.
    expect_window(p, 100, 100, {200, 200, -12, -12});
    p.resize_size = 201;
    // 23 are missing: 23 / 2 = 11 before and 12 after.
    expect_window(p, 100, 100, {201, 201, -11, -11});
    // One side of the image is larger than the crop, and one is smaller.
    expect_window(p, 300, 100, {603, 201, 190, -11});  // (603 - 224) / 2 = 189.5, half to even 190
}

TEST(Window, NonSquareInputsCoverTheTarget) {
    Preprocess p;
    p.height = 128;
    p.width = 256;
    p.crop_pct = 0.5;  // 256 rows and 512 columns
    // The ratios are 600 / 256 = 2.34 and 1000 / 512 = 1.95. The smaller gives 307.2 rows and 512
    // columns.
    expect_window(p, 1000, 600, {512, 307, 128, 90});  // 179 / 2 = 89.5, half to even 90
    p.resize_size = 300;                               // the short side, as in torchvision
    expect_window(p, 1000, 600, {500, 300, 122, 86});
}

TEST(Window, SquashBorderAndNone) {
    Preprocess p;
    p.crop_mode = CropMode::squash;
    expect_window(p, 999, 10, {256, 256, 16, 16});
    p.crop_mode = CropMode::border;
    // The long side becomes 256, so the size is 256 x 192. 32 rows are missing, 16 of them before.
    expect_window(p, 500, 375, {256, 192, 16, -16});
    // 5 / (512 / 256) = 2.5, which rounds half to even 2.
    expect_window(p, 512, 5, {256, 2, 16, -111});
    p.crop_mode = CropMode::none;
    p.height = 30;
    expect_window(p, 500, 375, {224, 30, 0, 0});
}

TEST(Window, RefusesWhatCannotBe) {
    Preprocess p;
    EXPECT_THAT(message_of([&] { window_of(p, 0, 5); }), HasSubstr("0 x 5"));
    EXPECT_THAT(message_of([&] { window_of(p, 1, 100'000'000); }), HasSubstr("1 x 100000000"));
    p.crop_mode = CropMode::border;
    EXPECT_THAT(message_of([&] { window_of(p, 60'000, 1); }), HasSubstr("256 x 0"));
    p.crop_mode = CropMode::center;
    p.resize_size = 0;
    EXPECT_THAT(message_of([&] { window_of(p, 5, 5); }), HasSubstr("resize_size is 0"));
    p.resize_size.reset();
    for (const double pct : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
        p.crop_pct = pct;
        EXPECT_THAT(message_of([&] { window_of(p, 5, 5); }), HasSubstr("crop_pct"));
    }
    p = {};
    p.width = 0;
    message_of([&] { window_of(p, 5, 5); });
}

/// An image of 2 x 1 pixels: (0, 51, 255) and (10, 20, 30).
Image two_pixels() {
    return {2, 1, {0, 51, 255, 255, 10, 20, 30, 255}};
}

Preprocess two_by_one() {
    Preprocess p;
    p.width = 2;
    p.height = 1;
    p.crop_mode = CropMode::none;
    return p;
}

TEST(PreprocessInto, DividesThenNormalisesInFloats) {
    Preprocess p = two_by_one();
    std::vector<float> out(6);
    preprocess_into(two_pixels(), p, out);
    EXPECT_EQ(out, (std::vector<float>{0.0F, 10.0F / 255.0F, 51.0F / 255.0F, 20.0F / 255.0F, 1.0F,
                                       30.0F / 255.0F}));
    p.mean = {0.485, 0.456, 0.406};
    p.std = {0.229, 0.224, 0.225};
    preprocess_into(two_pixels(), p, out);
    EXPECT_EQ(out[0], (0.0F - 0.485F) / 0.229F);
    EXPECT_EQ(out[1], (10.0F / 255.0F - 0.485F) / 0.229F);
    EXPECT_EQ(out[2], (51.0F / 255.0F - 0.456F) / 0.224F);
    EXPECT_EQ(out[5], (30.0F / 255.0F - 0.406F) / 0.225F);
    // Blue comes first. The mean and std have the order of the model's channels.
    p.channel_order = ChannelOrder::bgr;
    preprocess_into(two_pixels(), p, out);
    EXPECT_EQ(out[0], (255.0F / 255.0F - 0.485F) / 0.229F);
    EXPECT_EQ(out[2], (51.0F / 255.0F - 0.456F) / 0.224F);
    EXPECT_EQ(out[4], (0.0F - 0.406F) / 0.225F);
}

TEST(PreprocessInto, OtherScalesMultiply) {
    Preprocess p = two_by_one();
    p.scale = 1;
    p.mean = {1, 2, 3};
    std::vector<float> out(6);
    preprocess_into(two_pixels(), p, out);
    EXPECT_EQ(out, (std::vector<float>{-1, 9, 49, 18, 252, 27}));
    p.scale = 1 / 127.5;
    p.mean = {1, 1, 1};
    preprocess_into(two_pixels(), p, out);
    EXPECT_EQ(out[4], 255.0F * static_cast<float>(1 / 127.5) - 1.0F);
}

// The results of convert("L") in Pillow 12 for these colors.
TEST(InGray, IsPillows) {
    const std::vector<std::array<std::uint8_t, 4>> colours = {
        {255, 0, 0, 76},    {0, 255, 0, 150},     {0, 0, 255, 29},
        {12, 200, 77, 130}, {1, 2, 3, 2},         {254, 253, 9, 225},
        {130, 60, 200, 97}, {255, 255, 255, 255}, {7, 7, 7, 7}};
    Image image{static_cast<int>(colours.size()), 1, {}};
    for (const auto& [r, g, b, gray] : colours)
        image.pixels.insert(image.pixels.end(), {r, g, b, 255});
    const Image gray = in_gray(image);
    for (std::size_t i = 0; i < colours.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(gray.pixels[4 * i + c], colours[i][3]) << i;
        EXPECT_EQ(gray.pixels[4 * i + 3], 255);
    }
}

// The conversion to gray comes before the resize, and the padding is gray, too.
TEST(InGray, ComesBeforeTheResize) {
    Preprocess p = two_by_one();
    p.channel_order = ChannelOrder::gray;
    p.scale = 1;
    std::vector<float> out(6);
    preprocess_into(two_pixels(), p, out);
    const Image gray = in_gray(two_pixels());
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(out[i], static_cast<float>(gray.pixels[4 * (i % 2)])) << i;
    p.crop_mode = CropMode::border;
    p.height = 3;
    p.width = 2;
    p.crop_pct = 1;
    p.fill = {255, 0, 0};
    EXPECT_EQ(crop_window(two_pixels(), p).pixels[0], 76);
    EXPECT_EQ(describe(p).substr(0, 7), "gray > ");
}

TEST(PreprocessInto, RefusesABufferOfAnotherSize) {
    std::vector<float> out(5);
    EXPECT_THAT(message_of([&] { preprocess_into(two_pixels(), two_by_one(), out); }),
                HasSubstr("5 numbers"));
    EXPECT_THAT(message_of([&] { normalise_into(two_pixels(), Preprocess{}, out); }),
                HasSubstr("2 x 1"));
}

TEST(PlanesInto, BytesAndTheirValuesAreTheFloats) {
    Preprocess p = two_by_one();
    p.mean = {0.485, 0.456, 0.406};
    p.std = {0.229, 0.224, 0.225};
    for (const ChannelOrder order : {ChannelOrder::rgb, ChannelOrder::bgr}) {
        for (const double scale : {1 / 255.0, 1 / 127.5}) {
            p.channel_order = order;
            p.scale = scale;
            std::vector<std::uint8_t> bytes(6);
            planes_into(two_pixels(), p, bytes);
            EXPECT_EQ(bytes, order == ChannelOrder::rgb
                                 ? (std::vector<std::uint8_t>{0, 10, 51, 20, 255, 30})
                                 : (std::vector<std::uint8_t>{255, 30, 51, 20, 0, 10}));
            const ByteValues values = byte_values(p);
            std::vector<float> floats(6);
            normalise_into(two_pixels(), p, floats);
            for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(values[k / 2][bytes[k]], floats[k]) << k;
        }
    }
    std::vector<std::uint8_t> short_by_one(5);
    EXPECT_THAT(message_of([&] { planes_into(two_pixels(), two_by_one(), short_by_one); }),
                HasSubstr("5 numbers"));
}

TEST(CropWindow, PadsWithTheFill) {
    Preprocess p;
    p.width = p.height = 3;
    p.resize_size = 1;
    p.fill = {7, 8, 9};
    const Image window = crop_window({1, 1, {1, 2, 3, 255}}, p);
    ASSERT_EQ(window.pixels.size(), 36U);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(window.pixels[4 * i], i == 4 ? 1 : 7);
    EXPECT_EQ(window.pixels[2], 9);
}

TEST(PreprocessJson, GoesThereAndBack) {
    Preprocess p;
    EXPECT_EQ(preprocess_from_json(to_json(p)), p);
    p = {.height = 3,
         .width = 4,
         .interpolation = Interpolation::lanczos,
         .crop_mode = CropMode::border,
         .crop_pct = 0.1,
         .resize_size = 77,
         .channel_order = ChannelOrder::bgr,
         .scale = 1 / 3.0,
         .mean = {0.1, 0.2, -0.3},
         .std = {1e-9, 2, 3e9},
         .fill = {1, 2, 255},
         .resize_as = ResizeRule::torch,
         .crop_start = CropStart::floor,
         .antialias = false};
    EXPECT_EQ(preprocess_from_json(nlohmann::json::parse(to_json(p).dump())), p);
    EXPECT_EQ(preprocess_from_json(nlohmann::json::object()), Preprocess{});
    EXPECT_EQ(
        to_json(Preprocess{}).dump(),
        R"({"channel_order":"rgb","crop_mode":"center","crop_pct":0.875,"fill":[0,0,0],"height":224,)"
        R"("interpolation":"bicubic","mean":[0.0,0.0,0.0],"resize_size":null,"scale":0.00392156862745098,)"
        R"("std":[1.0,1.0,1.0],"width":224})");
}

TEST(PreprocessJson, SaysWhatIsWrong) {
    const auto wrong = [](const char* text) {
        return message_of([&] { preprocess_from_json(nlohmann::json::parse(text)); });
    };
    EXPECT_THAT(wrong("[]"), HasSubstr("an object"));
    EXPECT_THAT(wrong(R"({"heigth": 3})"), HasSubstr("`height`"));
    EXPECT_THAT(wrong(R"({"height": 0})"), HasSubstr("`preprocess.height` is 0; allowed"));
    EXPECT_THAT(wrong(R"({"width": 1.5})"), HasSubstr("`preprocess.width` is 1.5"));
    EXPECT_THAT(wrong(R"({"width": 18446744073709551615})"),
                HasSubstr("a whole number from 1 to 65535"));
    EXPECT_THAT(wrong(R"({"resize_size": -1})"), HasSubstr("`preprocess.resize_size` is -1"));
    EXPECT_THAT(wrong(R"({"interpolation": "cubic"})"), HasSubstr("bicubic"));
    EXPECT_THAT(wrong(R"({"interpolation": 3})"), HasSubstr("allowed: a text"));
    EXPECT_THAT(wrong(R"({"crop_pct": 0})"), HasSubstr("above 0"));
    EXPECT_THAT(wrong(R"({"std": [1, 0, 1]})"), HasSubstr("`preprocess.std[1]` is 0"));
    EXPECT_THAT(wrong(R"({"mean": [1, 0]})"), HasSubstr("three numbers"));
    EXPECT_THAT(wrong(R"({"mean": [1, 0, null]})"),
                HasSubstr("`preprocess.mean[2]` is null; allowed: a number"));
    EXPECT_THAT(wrong(R"({"fill": [1, 0, 256]})"),
                HasSubstr("`preprocess.fill[2]` is 256; allowed: a whole number from 0 to 255"));
    EXPECT_THAT(wrong(R"({"scale": "x"})"), HasSubstr("`preprocess.scale`"));
}

TEST(PreprocessJson, EveryFieldChangesTheFingerprint) {
    const nlohmann::json base = to_json(Preprocess{});
    std::set<std::string> prints = {fingerprint(Preprocess{})};
    const nlohmann::json changed = {
        {"channel_order", "bgr"}, {"crop_mode", "none"}, {"crop_pct", 0.9},
        {"fill", {0, 0, 1}},      {"height", 225},       {"interpolation", "box"},
        {"mean", {0, 0, 1}},      {"resize_size", 256},  {"scale", 1},
        {"std", {1, 1, 2}},       {"width", 225},        {"resize_as", "torch"},
        {"crop_start", "floor"},  {"antialias", false}};
    // The last three keys are only written if they are given.
    EXPECT_EQ(changed.size(), base.size() + 3);
    for (const auto& [key, value] : changed.items()) {
        nlohmann::json json = base;
        json[key] = value;
        prints.insert(fingerprint(preprocess_from_json(json)));
    }
    EXPECT_EQ(prints.size(), 1 + changed.size());
}

TEST(PreprocessText, IsOneLineForPeople) {
    Preprocess p;
    EXPECT_EQ(describe(p), "resize 256 (bicubic, short side) > centre crop 224x224 > /255");
    p.mean = {0.485, 0.456, 0.406};
    p.std = {0.5, 0.5, 0.5};
    p.channel_order = ChannelOrder::bgr;
    p.crop_mode = CropMode::squash;
    EXPECT_EQ(describe(p),
              "resize 256 (bicubic, both sides) > centre crop 224x224 > BGR > /255 > mean 0.485 "
              "0.456 0.406 > std 0.5");
    p = {};
    p.crop_mode = CropMode::border;
    p.resize_size = 300;
    p.scale = 1;
    EXPECT_EQ(describe(p), "resize 300 (bicubic, long side) > centre pad 224x224");
    p.crop_mode = CropMode::none;
    p.scale = 2;
    EXPECT_EQ(describe(p), "resize to 224x224 (bicubic) > x2");
    p = {};
    p.resize_as = ResizeRule::torch;
    p.crop_start = CropStart::floor;
    EXPECT_EQ(describe(p),
              "resize 256 (PyTorch's bicubic, short side) > centre crop 224x224 (rounded down) > "
              "/255");
    p.resize_as = ResizeRule::torch_float;
    p.antialias = false;
    EXPECT_EQ(describe(p),
              "resize 256 (PyTorch's float bicubic without antialias, short side) > centre crop "
              "224x224 (rounded down) > /255");
}

TEST(PreprocessNames, AreReadAndWritten) {
    for (const char* name : {"nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"}) {
        EXPECT_EQ(name_of(interpolation_named(name)), name);
    }
    for (const char* name : {"center", "squash", "border", "none"})
        EXPECT_EQ(name_of(crop_mode_named(name)), name);
    for (const char* name : {"rgb", "bgr", "gray"})
        EXPECT_EQ(name_of(channel_order_named(name)), name);
    EXPECT_THAT(message_of([] { interpolation_named("bilinaer"); }, ErrorCode::usage),
                HasSubstr("did you mean `bilinear`"));
    EXPECT_THAT(message_of([] { crop_mode_named("middle"); }, ErrorCode::usage),
                HasSubstr("center, squash, border, none"));
    message_of([] { channel_order_named("grb"); }, ErrorCode::usage);
}

}  // namespace
}  // namespace assay
