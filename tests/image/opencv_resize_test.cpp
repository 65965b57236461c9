// Compares the resize of OpenCV with OpenCV's own results (make_opencv_fixtures.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "image/resize_fixtures.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(OpenCvResize, GivesOpenCvsPixels) {
    const std::vector<ResizeCase> cases = resize_cases("opencv_resize");
    ASSERT_EQ(cases.size(), 124U);
    for (const ResizeCase& c : cases) {
        const Image found =
            resize(c.from, interpolation_named(c.filter),
                   {.width = c.to.width, .height = c.to.height}, {0, 0, 0}, ResizeRule::opencv);
        EXPECT_EQ(found.pixels, c.to.pixels) << c.text();
    }
}

TEST(OpenCvResize, AWindowIsAPartOfTheWhole) {
    for (const ResizeCase& c : resize_cases("opencv_resize")) {
        if (c.to.width < 8 || c.to.height < 8) continue;
        const ResizeWindow window{.width = c.to.width,
                                  .height = c.to.height,
                                  .crop_x = 3,
                                  .crop_y = -1,
                                  .crop_w = c.to.width - 4,
                                  .crop_h = c.to.height};
        const Image part =
            resize(c.from, interpolation_named(c.filter), window, {7, 8, 9}, ResizeRule::opencv);
        EXPECT_EQ(part.pixels[0], 7);
        for (int y = 1; y < part.height; ++y) {
            const auto* whole = c.to.pixels.data() + 4 * ((y - 1) * c.to.width + 3);
            const auto* row = part.pixels.data() + 4 * (y * part.width);
            EXPECT_TRUE(std::equal(row, row + 4 * part.width, whole)) << c.text() << " row " << y;
        }
    }
}

TEST(OpenCvResize, IsNotPillows) {
    std::set<std::string> different;
    for (const ResizeCase& c : resize_cases("opencv_resize")) {
        const Image pillow = resize(c.from, interpolation_named(c.filter),
                                    {.width = c.to.width, .height = c.to.height});
        if (pillow.pixels != c.to.pixels) different.insert(c.filter);
    }
    EXPECT_EQ(different, (std::set<std::string>{"bicubic", "bilinear", "box", "nearest"}));
}

TEST(OpenCvResize, RefusesWhatIsTooLargeAndOtherFilters) {
    const Image image{1, 1, {1, 2, 3, 255}};
    const auto message = [&](Interpolation filter, const ResizeWindow& window, ErrorCode code) {
        return message_of(
            [&] {
                resize(image, filter, window, {0, 0, 0}, ResizeRule::opencv);
            },
            code);
    };
    const ResizeWindow large{.width = 1, .height = 200'000'000, .crop_w = 1, .crop_h = 1};
    EXPECT_THAT(
        message(Interpolation::box, large, ErrorCode::bad_input),
        HasSubstr(
            "1 x 200000000 pixels with OpenCV's method exceeds the limit of 178956970 pixels"));
    for (const Interpolation filter : {Interpolation::lanczos, Interpolation::hamming}) {
        EXPECT_THAT(message(filter, {.width = 2, .height = 2}, ErrorCode::usage),
                    HasSubstr("nearest, bilinear, bicubic, or box (INTER_AREA)"));
    }
    Preprocess p;
    p.resize_as = ResizeRule::opencv;
    p.interpolation = Interpolation::bilinear;
    EXPECT_THAT(describe(p), HasSubstr("OpenCV's bilinear"));
    EXPECT_EQ(preprocess_from_json(to_json(p)), p);
}

}  // namespace
}  // namespace assay
