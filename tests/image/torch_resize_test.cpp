// Compares the resize of PyTorch with PyTorch's own results (make_torch_fixtures.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "image/resize_fixtures.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::vector<ResizeCase> torch_cases() {
    return resize_cases("torch_resize");
}

TEST(TorchResize, GivesPyTorchsPixels) {
    const std::vector<ResizeCase> cases = torch_cases();
    ASSERT_EQ(cases.size(), 100U);
    for (const ResizeCase& c : cases) {
        const Image found =
            resize(c.from, interpolation_named(c.filter),
                   {.width = c.to.width, .height = c.to.height}, {0, 0, 0}, ResizeRule::torch);
        EXPECT_EQ(found.pixels, c.to.pixels) << c.text();
    }
}

TEST(TorchResize, AWindowIsAPartOfTheWhole) {
    // The largest weight may be outside of the window. It still determines how all weights are
    // rounded.
    for (const ResizeCase& c : torch_cases()) {
        if (c.to.width < 8 || c.to.height < 8) continue;
        const ResizeWindow window{.width = c.to.width,
                                  .height = c.to.height,
                                  .crop_x = 3,
                                  .crop_y = 2,
                                  .crop_w = c.to.width - 4,
                                  .crop_h = c.to.height - 5};
        const Image part =
            resize(c.from, interpolation_named(c.filter), window, {0, 0, 0}, ResizeRule::torch);
        for (int y = 0; y < part.height; ++y) {
            const auto* whole = c.to.pixels.data() + 4 * ((y + 2) * c.to.width + 3);
            const auto* row = part.pixels.data() + 4 * (y * part.width);
            EXPECT_TRUE(std::equal(row, row + 4 * part.width, whole)) << c.text() << " row " << y;
        }
    }
}

TEST(TorchResize, IsNotPillows) {
    std::size_t different = 0;
    for (const ResizeCase& c : torch_cases()) {
        const Image pillow = resize(c.from, interpolation_named(c.filter),
                                    {.width = c.to.width, .height = c.to.height});
        different += pillow.pixels != c.to.pixels ? 1 : 0;
    }
    EXPECT_GT(different, 10U);
}

TEST(TorchResize, RefusesFiltersThatPyTorchLacks) {
    const Image image{1, 1, {1, 2, 3, 255}};
    for (const Interpolation filter : {Interpolation::box, Interpolation::hamming}) {
        EXPECT_THAT(
            message_of(
                [&] {
                    resize(image, filter, {.width = 2, .height = 2}, {0, 0, 0}, ResizeRule::torch);
                },
                ErrorCode::usage),
            HasSubstr("nearest, bilinear, bicubic or lanczos"));
    }
    EXPECT_THAT(message_of([] { resize_rule_named("tourch"); }, ErrorCode::usage),
                HasSubstr("did you mean `torch`"));
}

TEST(CropStart, CutsHalfAPixelOff) {
    // If the margin is 3, 1.5 is rounded to 2, or cut to 1. If it is 1, 0.5 is 0 either way.
    Preprocess p{.height = 4, .width = 4, .resize_size = 7};
    EXPECT_EQ(window_of(p, 10, 10).crop_x, 2);
    p.crop_start = CropStart::floor;
    EXPECT_EQ(window_of(p, 10, 10).crop_x, 1);
    EXPECT_EQ(window_of(p, 10, 10).crop_y, 1);
    p.resize_size = 5;
    EXPECT_EQ(window_of(p, 10, 10).crop_x, 0);
    p.resize_size = 1;  // the padding is as before
    EXPECT_EQ(window_of(p, 10, 10).crop_x, -1);
}

TEST(Scale, TheFloatItselfMultiplies) {
    Preprocess p;
    const ByteValues divided = byte_values(p);
    p.scale = float_255th;
    const ByteValues multiplied = byte_values(p);
    for (int byte = 0; byte < 256; ++byte) {
        const auto x = static_cast<float>(byte);
        EXPECT_EQ(divided[0][byte], x / 255.0F);
        EXPECT_EQ(multiplied[0][byte], x * (1.0F / 255.0F));
    }
    EXPECT_NE(divided, multiplied);
    p.scale = 0.003921569;  // the usual formula, which divides
    EXPECT_EQ(byte_values(p), divided);
}

}  // namespace
}  // namespace assay
