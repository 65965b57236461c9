#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "core/cpu.h"
#include "image/resample.h"
#include "pixel_fixtures.h"

namespace assay {
namespace {

constexpr Interpolation filters[] = {Interpolation::nearest,  Interpolation::box,
                                     Interpolation::bilinear, Interpolation::hamming,
                                     Interpolation::bicubic,  Interpolation::lanczos};

Image random_image(std::mt19937& random, int width, int height) {
    Image image{width, height,
                std::vector<std::uint8_t>(4 * static_cast<std::size_t>(width) * height)};
    for (auto& v : image.pixels) v = static_cast<std::uint8_t>(random() >> 8);
    return image;
}

Image grey_image(int width, int height, std::vector<int> levels) {
    Image image{width, height, {}};
    for (const int v : levels) {
        for (int c = 0; c < 4; ++c)
            image.pixels.push_back(static_cast<std::uint8_t>(c < 3 ? v : 255));
    }
    return image;
}

std::vector<int> reds(const Image& image) {
    std::vector<int> values;
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) values.push_back(image.pixels[i]);
    return values;
}

/// A slow version of the definition. It computes each pass separately for each output, with bytes
/// between the passes.
double weight(Interpolation filter, double x) {
    const double d = std::abs(x);
    const auto sinc = [](double v) {
        return v == 0 ? 1.0 : std::sin(v * std::numbers::pi) / (v * std::numbers::pi);
    };
    switch (filter) {
        case Interpolation::box:
            return x > -0.5 && x <= 0.5;
        case Interpolation::bilinear:
            return std::max(0.0, 1 - d);
        case Interpolation::hamming:
            return d >= 1
                       ? 0
                       : sinc(d) * (double{0.54F} + double{0.46F} * std::cos(d * std::numbers::pi));
        case Interpolation::bicubic:
            if (d < 1) return 1.5 * d * d * d - 2.5 * d * d + 1;
            return d < 2 ? -0.5 * (d * d * d - 5 * d * d + 8 * d - 4) : 0;
        case Interpolation::lanczos:
            return x >= -3 && x < 3 ? sinc(d) * sinc(d / 3) : 0;
        case Interpolation::nearest:
            break;
    }
    return 0;
}

double support(Interpolation filter) {
    return filter == Interpolation::box       ? 0.5
           : filter == Interpolation::bicubic ? 2
           : filter == Interpolation::lanczos ? 3
                                              : 1;
}

std::vector<int> slow_line(Interpolation filter, const std::vector<int>& in, int size) {
    const int inputs = static_cast<int>(in.size());
    const double scale = static_cast<double>(inputs) / size;
    const double stretch = std::max(1.0, scale);
    std::vector<int> out;
    for (int i = 0; i < size; ++i) {
        const double centre = (i + 0.5) * scale;
        if (filter == Interpolation::nearest) {
            // Pillow sums the steps, which rounds differently from a product.
            double at = scale * 0.5;
            for (int j = 0; j < i; ++j) at += scale;
            out.push_back(in[static_cast<std::size_t>(at)]);
            continue;
        }
        const double reach = support(filter) * stretch;
        const int low = std::max(0, static_cast<int>(centre - reach + 0.5));
        const int high = std::min(inputs, static_cast<int>(centre + reach + 0.5));
        double sum = 0;
        for (int j = low; j < high; ++j) sum += weight(filter, (j - centre + 0.5) / stretch);
        std::int64_t total = 1 << 21;
        for (int j = low; j < high; ++j) {
            total += in[static_cast<std::size_t>(j)] *
                     static_cast<std::int64_t>(std::round(
                         weight(filter, (j - centre + 0.5) / stretch) / sum * (1 << 22)));
        }
        out.push_back(static_cast<int>(std::clamp<std::int64_t>(total >> 22, 0, 255)));
    }
    return out;
}

Image slow_resize(const Image& image, Interpolation filter, int width, int height) {
    Image result{width, height,
                 std::vector<std::uint8_t>(4 * static_cast<std::size_t>(width) * height, 255)};
    for (std::size_t c = 0; c < 3; ++c) {
        std::vector<std::vector<int>> rows;
        for (int y = 0; y < image.height; ++y) {
            std::vector<int> line;
            for (int x = 0; x < image.width; ++x)
                line.push_back(image.pixels[4 * (std::size_t(y) * image.width + x) + c]);
            rows.push_back(slow_line(filter, line, width));
        }
        for (int x = 0; x < width; ++x) {
            std::vector<int> line;
            for (const auto& row : rows) line.push_back(row[x]);
            line = slow_line(filter, line, height);
            for (int y = 0; y < height; ++y) {
                result.pixels[4 * (std::size_t(y) * width + x) + c] =
                    static_cast<std::uint8_t>(line[y]);
            }
        }
    }
    return result;
}

TEST(Resize, GivesPillowsPixels) {
    Image noise;
    int compared = 0;
    for (const test::PixelFixture& f : test::pixel_fixtures()) {
        if (f.name == "noise") noise = decode_image(f.file);
        if (f.kind != "resize") continue;
        ++compared;
        const Interpolation filter = interpolation_named(f.name.substr(0, f.name.find(' ')));
        EXPECT_EQ(differing_bytes(resize(noise, filter, {f.width, f.height}), f), 0) << f.name;
    }
    EXPECT_EQ(compared, 36);
}

TEST(Resize, EqualsTheDefinition) {
    std::mt19937 random(7);
    const auto side = [&random](unsigned most) { return static_cast<int>(1 + random() % most); };
    for (int round = 0; round < 60; ++round) {
        const Image image = random_image(random, side(60), side(60));
        const int width = round % 7 == 0 ? image.width : side(90);
        const int height = round % 5 == 0 ? image.height : side(90);
        for (const Interpolation filter : filters) {
            const Image expected = slow_resize(image, filter, width, height);
            Image got = resize(image, filter, {width, height});
            for (std::size_t i = 3; i < got.pixels.size(); i += 4)
                got.pixels[i] = 255;  // a copied pixel keeps its X byte
            EXPECT_EQ(got.pixels, expected.pixels)
                << name_of(filter) << " " << image.width << "x" << image.height << " to " << width
                << "x" << height;
        }
    }
}

TEST(Resize, AWindowIsACutOfTheWhole) {
    std::mt19937 random(11);
    const std::array<std::uint8_t, 3> fill = {9, 8, 7};
    for (int round = 0; round < 100; ++round) {
        const Image image = random_image(random, 37, 29);
        const int width = static_cast<int>(10 + random() % 60);
        const int height = static_cast<int>(10 + random() % 60);
        ResizeWindow window{width, height};
        window.crop_x = static_cast<int>(random() % 80) - 40;
        window.crop_y = static_cast<int>(random() % 80) - 40;
        window.crop_w = static_cast<int>(1 + random() % 70);
        window.crop_h = static_cast<int>(1 + random() % 70);
        const Interpolation filter = filters[round % 6];
        const Image whole = resize(image, filter, {width, height});
        const Image part = resize(image, filter, window, fill);
        ASSERT_EQ(part.width, window.crop_w);
        ASSERT_EQ(part.height, window.crop_h);
        int different = 0;
        for (int y = 0; y < part.height; ++y) {
            for (int x = 0; x < part.width; ++x) {
                const int from_x = x + window.crop_x, from_y = y + window.crop_y;
                const bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;
                for (int c = 0; c < 3; ++c) {
                    const int expected =
                        inside ? whole.pixels[4 * (std::size_t(from_y) * width + from_x) + c]
                               : fill[c];
                    different += part.pixels[4 * (std::size_t(y) * part.width + x) + c] != expected;
                }
            }
        }
        EXPECT_EQ(different, 0) << name_of(filter) << " window at " << window.crop_x << ", "
                                << window.crop_y;
    }
}

TEST(Resize, OneColourStaysThatColour) {
    Image image{7, 5, {}};
    for (int i = 0; i < 35; ++i) image.pixels.insert(image.pixels.end(), {0, 255, 131, 255});
    for (const Interpolation filter : filters) {
        for (const auto& [width, height] : {std::pair{1, 1}, {3, 9}, {50, 50}, {7, 5}}) {
            const Image result = resize(image, filter, {width, height});
            for (std::size_t i = 0; i < result.pixels.size(); i += 4) {
                EXPECT_EQ(result.pixels[i], 0);
                EXPECT_EQ(result.pixels[i + 1], 255);
                EXPECT_EQ(result.pixels[i + 2], 131);
                EXPECT_EQ(result.pixels[i + 3], 255);
            }
        }
    }
}

TEST(Resize, SmallCasesByHand) {
    // The means of two, with halves rounded up: (10 + 20) / 2 = 15, (0 + 1) / 2 = 0.5.
    EXPECT_EQ(reds(resize(grey_image(4, 1, {10, 20, 0, 1}), Interpolation::box, {2, 1})),
              (std::vector{15, 1}));
    // floor((i + 0.5) * 4 / 2) = 1, 3 and floor((i + 0.5) * 2 / 3) = 0, 1, 1.
    EXPECT_EQ(reds(resize(grey_image(4, 1, {1, 2, 3, 4}), Interpolation::nearest, {2, 1})),
              (std::vector{2, 4}));
    EXPECT_EQ(reds(resize(grey_image(2, 1, {1, 2}), Interpolation::nearest, {3, 1})),
              (std::vector{1, 2, 2}));
    // The triangle from 2 to 4 has centers 0.25, 0.75, 1.25, 1.75, and 100 * {3/4, 1/4} in between.
    EXPECT_EQ(reds(resize(grey_image(2, 1, {0, 100}), Interpolation::bilinear, {4, 1})),
              (std::vector{0, 25, 75, 100}));
    // The same resize in the vertical direction.
    EXPECT_EQ(reds(resize(grey_image(1, 2, {0, 100}), Interpolation::bilinear, {1, 4})),
              (std::vector{0, 25, 75, 100}));
}

TEST(Resize, TheSameSizeIsACopy) {
    std::mt19937 random(3);
    const Image image = random_image(random, 9, 4);
    for (const Interpolation filter : filters)
        EXPECT_EQ(resize(image, filter, {9, 4}).pixels, image.pixels);
}

TEST(Resize, OnlyTheWindowIsPaidFor) {
    // The whole result would have 3e13 pixels.
    const Image image = grey_image(2, 1, {10, 200});
    ResizeWindow window{2'000'000'000, 16'000};
    window.crop_x = 1'999'999'990;
    window.crop_y = 15'990;
    window.crop_w = window.crop_h = 10;
    // Half a pixel beyond the last center: (0.5625 * 200 - 0.0625 * 10) / 0.5 = 223.75.
    EXPECT_EQ(reds(resize(image, Interpolation::bicubic, window)), std::vector<int>(100, 224));
}

TEST(Resize, RefusesWhatCannotBe) {
    const Image image = grey_image(2, 1, {1, 2});
    const auto code = [](const Image& made, const ResizeWindow& window) {
        try {
            resize(made, Interpolation::bilinear, window);
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::internal;
    };
    EXPECT_EQ(code(image, {0, 5}), ErrorCode::bad_input);
    EXPECT_EQ(code(image, {5, -1}), ErrorCode::bad_input);
    EXPECT_EQ(code(image, {5, 5, 0, 0, 0, 5}), ErrorCode::bad_input);
    EXPECT_EQ(code(image, {5, 5, 0, 0, 2'000'000'000, 2'000'000'000}), ErrorCode::bad_input);
    EXPECT_EQ(code(Image{}, {5, 5}), ErrorCode::bad_input);
    EXPECT_EQ(code(Image{3, 3, std::vector<std::uint8_t>(35)}, {5, 5}), ErrorCode::bad_input);
}

TEST(ResizeKernels, ThePlainAndTheAvx2OnesGiveTheSameBits) {
    if (!cpu_has_avx2()) GTEST_SKIP() << "no AVX2 here, or ASSAY_SIMD=none";
    std::mt19937 random(5);
    int paired_axes = 0;
    for (int round = 0; round < 200; ++round) {
        const int inputs = static_cast<int>(1 + random() % 80),
                  size = static_cast<int>(1 + random() % 80);
        pixels::Axis axis;
        pixels::PairedAxis paired;
        pixels::make_axis(axis, filters[1 + round % 5], inputs, size, 0, size);
        const Image image = random_image(random, inputs, 4);
        const Image columns = random_image(random, size + 8, inputs);
        if (pixels::make_paired(paired, axis)) {
            ++paired_axes;
            std::vector<std::uint8_t> fast(16 * static_cast<std::size_t>(size)), plain(fast);
            const std::uint8_t* in[4];
            std::uint8_t* out[4];
            for (int i = 0; i < 4; ++i) {
                in[i] = image.pixels.data() + std::size_t(4 * i) * inputs;
                out[i] = fast.data() + std::size_t(4 * i) * size;
                pixels::blend_columns_plain(axis, in[i], plain.data() + std::size_t(4 * i) * size);
            }
            pixels::blend_columns_avx2(paired, in, out);
            EXPECT_EQ(fast, plain) << inputs << " to " << size;
        }
        std::vector<std::int32_t> pairs;
        pixels::make_row_pairs(pairs, axis);
        const auto numbers = std::size_t(axis.taps + 1) / 2 * 2;
        std::vector<const std::uint8_t*> rows;
        for (int y = 0; y <= inputs; ++y) {
            rows.push_back(columns.pixels.data() +
                           std::size_t(4 * std::min(y, inputs - 1)) * columns.width);
        }
        std::vector<std::uint8_t> fast(4 * static_cast<std::size_t>(columns.width)), plain(fast);
        for (int i = 0; i < size; ++i) {
            const std::uint8_t* const* from = rows.data() + axis.first[i];
            pixels::blend_rows_avx2(from, pairs.data() + std::size_t(i) * numbers, axis.count[i],
                                    columns.width, fast.data());
            pixels::blend_rows_plain(from, axis.weights.data() + std::size_t(i) * axis.taps,
                                     axis.count[i], columns.width, plain.data());
            EXPECT_EQ(fast, plain);
        }
    }
    EXPECT_GT(paired_axes, 100);
}

// Noise of 3 x 6 pixels, which Pillow 13.0.0 and 9.5.0 resized to 4 x 2 with BICUBIC. The height
// falls by 4, and the width grows by 1.
TEST(ResizePillow13, TakesTheRowsFirstWhereTheHeightShrinksMore) {
    const std::vector<int> noise = {
        139, 74,  229, 241, 169, 65,  6,   160, 149, 106, 38,  175, 188, 205, 175, 229, 98, 249,
        10,  148, 95,  86,  147, 198, 66,  39,  106, 213, 171, 45,  167, 57,  69,  81,  55, 14,
        153, 178, 215, 76,  52,  39,  250, 72,  215, 50,  161, 223, 112, 172, 161, 233, 38, 17};
    const std::vector<int> of_13 = {99,  87,  152, 152, 140, 142, 153, 142, 146, 101, 92, 161,
                                    126, 175, 159, 109, 126, 121, 135, 74,  93,  187, 50, 94};
    const std::vector<int> of_9 = {99,  87,  152, 152, 140, 142, 153, 142, 146, 103, 92, 161,
                                   125, 175, 159, 109, 126, 120, 135, 74,  93,  186, 49, 93};
    const auto image = [](int width, int height, const std::vector<int>& rgb) {
        Image out{width, height, {}};
        for (std::size_t i = 0; i < rgb.size(); ++i) {
            out.pixels.push_back(static_cast<std::uint8_t>(rgb[i]));
            if (i % 3 == 2) out.pixels.push_back(255);
        }
        return out;
    };
    const auto resized = [](const Image& from, ResizeWindow window, ResizeRule rule) {
        return resize(from, Interpolation::bicubic, window, {1, 2, 3}, rule).pixels;
    };
    const Image from = image(3, 6, noise);
    EXPECT_EQ(resized(from, {4, 2}, ResizeRule::pillow13), image(4, 2, of_13).pixels);
    EXPECT_EQ(resized(from, {4, 2}, ResizeRule::pillow), image(4, 2, of_9).pixels);
    // A window may be partly outside of the image, where it is filled. This is column 3 of row 1.
    EXPECT_EQ(resized(from, {4, 2, 3, 1, 2, 1}, ResizeRule::pillow13),
              (std::vector<std::uint8_t>{187, 50, 94, 255, 1, 2, 3, 255}));
    // Twice the 2 columns is not below the 4 rows, so nothing changes.
    EXPECT_EQ(resized(from, {1, 2}, ResizeRule::pillow13),
              resized(from, {1, 2}, ResizeRule::pillow));
    EXPECT_EQ(resized(from, {4, 7}, ResizeRule::pillow13),
              resized(from, {4, 7}, ResizeRule::pillow));
}

}  // namespace
}  // namespace assay
