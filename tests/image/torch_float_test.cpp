// Compares PyTorch's resizes of floats, and those without antialias, with PyTorch's own results
// (make_torch_float_fixtures.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "image/resize_fixtures.h"
#include "message_of.h"

namespace assay {
namespace {

struct FloatCase {
    std::string rule, filter;
    int antialias = 1, channels = 3;
    Image from;
    Preprocess how;
    std::vector<float> floats;  ///< result of torch_float
    Image bytes;                ///< result of the other rules

    std::string text() const {
        return fmt::format("{} {}{} {} channels, {} x {} to {} x {}", rule, filter,
                           antialias == 1 ? "" : " without antialias", channels, from.width,
                           from.height, how.width, how.height);
    }
};

std::vector<FloatCase> float_cases() {
    const std::filesystem::path folder =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/data/fixtures";
    const std::vector<std::byte> blob = read_file(folder / "torch_floats.bin");
    std::istringstream lines(read_text(folder / "torch_floats.tsv"));
    std::vector<FloatCase> cases;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream fields(line);
        FloatCase c;
        int width = 0, height = 0;
        std::size_t from = 0, to = 0;
        fields >> c.rule >> c.filter >> c.antialias >> c.channels >> width >> height >>
            c.how.width >> c.how.height >> from >> to;
        c.from = image_in(blob, from, width, height);
        c.how.crop_mode = CropMode::none;
        c.how.interpolation = interpolation_named(c.filter);
        c.how.resize_as = resize_rule_named(c.rule);
        c.how.antialias = c.antialias == 1;
        if (c.channels == 1) c.how.channel_order = ChannelOrder::gray;
        if (c.rule == "torch_float") {
            c.floats.resize(static_cast<std::size_t>(c.channels * c.how.width * c.how.height));
            std::memcpy(c.floats.data(), blob.data() + to, c.floats.size() * sizeof(float));
        } else {
            c.bytes = image_in(blob, to, c.how.width, c.how.height);
        }
        cases.push_back(std::move(c));
    }
    return cases;
}

std::vector<float> input_of(const Image& image, const Preprocess& p) {
    std::vector<float> out(3 * static_cast<std::size_t>(p.width * p.height));
    preprocess_into(image, p, out);
    return out;
}

Preprocess bilinear_to(int side) {
    Preprocess p;
    p.height = p.width = side;
    p.interpolation = Interpolation::bilinear;
    p.resize_as = ResizeRule::torch_float;
    return p;
}

TEST(TorchFloat, GivesPyTorchsNumbers) {
    std::set<std::string> rules;
    std::size_t gray = 0;
    for (const FloatCase& c : float_cases()) {
        rules.insert(fmt::format("{} {} {}", c.rule, c.filter, c.antialias));
        if (c.rule != "torch_float") {
            EXPECT_EQ(crop_window(c.from, c.how).pixels, c.bytes.pixels) << c.text();
            continue;
        }
        gray += c.channels == 1 ? 1 : 0;
        std::vector<float> found = input_of(c.from, c.how);
        found.resize(c.floats.size());
        EXPECT_EQ(std::memcmp(found.data(), c.floats.data(), found.size() * sizeof(float)), 0)
            << c.text();
    }
    EXPECT_EQ(rules.size(), 10U);  // torch with antialias is in torch_resize_test.cpp
    EXPECT_GT(gray, 30U);
}

TEST(TorchFloat, AWindowIsAPartOfTheWhole) {
    // From 25 x 17 to 33 x 23, the central 11 x 9 begin at (11, 7).
    for (const FloatCase& c : float_cases()) {
        if (c.rule != "torch_float" || c.channels != 3 || c.how.width != 33) continue;
        const std::vector<float> whole = input_of(c.from, c.how);
        Preprocess p = c.how;
        p.crop_mode = CropMode::center;
        p.resize_size = 23;
        p.width = 11;
        p.height = 9;
        const std::vector<float> part = input_of(c.from, p);
        const ResizeWindow window = window_of(p, c.from.width, c.from.height);
        ASSERT_EQ(window.width, 33);
        for (int y = 0; y < 9; ++y) {
            for (int x = 0; x < 11; ++x) {
                const int at = (y + window.crop_y) * 33 + x + window.crop_x;
                EXPECT_EQ(part[static_cast<std::size_t>(11 * y + x)],
                          whole[static_cast<std::size_t>(at)])
                    << c.text();
            }
        }
    }
}

TEST(TorchFloat, ScalesBeforeTheResizeAndNormalisesAfter) {
    const Image image{2, 1, {0, 10, 20, 255, 200, 110, 60, 255}};
    Preprocess p = bilinear_to(1);
    p.crop_mode = CropMode::none;
    p.scale = 0.5;
    p.mean = {1, 2, 3};
    p.std = {2, 4, 8};
    // Both pixels have the weight 1/2: (0 + 100) / 2 = 50, (5 + 55) / 2 = 30, (10 + 30) / 2 = 20.
    EXPECT_EQ(input_of(image, p), (std::vector<float>{24.5F, 7.0F, 2.125F}));
    p.channel_order = ChannelOrder::bgr;  // (20 - 1) / 2, (30 - 2) / 4, (50 - 3) / 8
    EXPECT_EQ(input_of(image, p), (std::vector<float>{9.5F, 7.0F, 5.875F}));
}

TEST(TorchFloat, PaddingIsFilledAndNormalised) {
    const Image image{1, 1, {100, 100, 100, 255}};
    Preprocess p = bilinear_to(3);
    p.resize_size = 1;
    p.scale = 1;
    p.mean = {10, 10, 10};
    p.std = {2, 2, 2};
    p.fill = {30, 50, 70};
    const std::vector<float> found = input_of(image, p);
    // The middle pixel is (100 - 10) / 2. Around it are (30 - 10) / 2, (50 - 10) / 2, ...
    EXPECT_EQ(found[4], 45.0F);
    EXPECT_EQ(found[0], 10.0F);
    EXPECT_EQ(found[9], 20.0F);
    EXPECT_EQ(found[26], 30.0F);
    EXPECT_EQ(found[22], 45.0F);
}

TEST(TorchFloat, OnlyItsSmoothFiltersGiveOtherNumbersThanBytes) {
    Preprocess p;
    EXPECT_TRUE(resizes_to_bytes(p));
    p.resize_as = ResizeRule::torch_rounded;
    EXPECT_TRUE(resizes_to_bytes(p));
    p.resize_as = ResizeRule::torch_float;
    EXPECT_FALSE(resizes_to_bytes(p));
    p.interpolation = Interpolation::nearest;
    EXPECT_TRUE(resizes_to_bytes(p));
    // The filter copies pixels, so the result equals that for bytes.
    const Image image{3, 1, {1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255}};
    p.height = p.width = 2;
    p.crop_mode = CropMode::none;
    Preprocess bytes = p;
    bytes.resize_as = ResizeRule::torch;
    EXPECT_EQ(input_of(image, p), input_of(image, bytes));
}

TEST(TorchFloat, RefusesSizesOfTheOutput) {
    const Image image{1, 1, {1, 2, 3, 255}};
    const Preprocess p = bilinear_to(2);
    std::vector<float> out(11);
    EXPECT_THAT(message_of([&] { preprocess_into(image, p, out); }),
                ::testing::HasSubstr("the output has 11 numbers, but the input has 12"));
}

}  // namespace
}  // namespace assay
