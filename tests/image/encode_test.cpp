#include "assay/image/encode.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "assay/error.h"
#include "assay/image/image.h"
#include "core/random.h"
#include "data/temp_folder.h"

namespace assay {
namespace {

Image noise(int width, int height, std::uint64_t seed) {
    RandomStream random(seed, "encode_test");
    Image image{width, height, {}};
    for (int i = 0; i < 4 * width * height; ++i) {
        image.pixels.push_back(i % 4 == 3 ? 255 : static_cast<std::uint8_t>(random.below(256)));
    }
    return image;
}

TEST(EncodePng, ComesBackPixelForPixel) {
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 7}, {7, 1}, {33, 20}, {300, 5}}) {
        const Image image = noise(width, height, 1);
        const Image back = decode_image(encode_png(image));
        EXPECT_EQ(back.width, width);
        EXPECT_EQ(back.height, height);
        EXPECT_EQ(back.pixels, image.pixels) << width << " x " << height;
    }
}

TEST(EncodePng, TheFourthByteDoesNotMatter) {
    Image image = noise(9, 4, 2);
    const auto bytes = encode_png(image);
    for (std::size_t i = 3; i < image.pixels.size(); i += 4) image.pixels[i] = 17;
    EXPECT_EQ(encode_png(image), bytes);
}

TEST(EncodePng, EqualBytesFromEveryThread) {
    const Image image = noise(64, 64, 3);
    const auto expected = encode_png(image);
    std::vector<std::vector<std::byte>> got(4);
    {
        std::vector<std::jthread> threads;
        for (auto& bytes : got) threads.emplace_back([&] { bytes = encode_png(image); });
    }
    for (const auto& bytes : got) EXPECT_EQ(bytes, expected);
}

TEST(EncodePng, RefusesWhatIsNoImage) {
    EXPECT_THROW(encode_png(Image{}), Error);
    EXPECT_THROW(encode_png(Image{2, 2, std::vector<std::uint8_t>(15)}), Error);
    EXPECT_THROW(encode_png(Image{-1, 2, {}}), Error);
}

TEST(EncodeJpeg, OneColourComesBackAndQualityCounts) {
    // In constant blocks, only the color conversion rounds.
    Image flat{40, 24, {}};
    for (int i = 0; i < 40 * 24; ++i) flat.pixels.insert(flat.pixels.end(), {200, 30, 90, 255});
    const Image back = decode_image(encode_jpeg(flat, 95));
    ASSERT_EQ(back.width, 40);
    ASSERT_EQ(back.height, 24);
    for (std::size_t i = 0; i < flat.pixels.size(); ++i)
        ASSERT_NEAR(back.pixels[i], flat.pixels[i], 2) << i;
    // Color is not subsampled, so a column of pixels with another color stays one column.
    for (int y = 0; y < 24; ++y) flat.pixels[4 * (40 * static_cast<std::size_t>(y) + 9) + 2] = 255;
    const Image line = decode_image(encode_jpeg(flat, 100));
    EXPECT_NEAR(line.pixels[4 * (40 * 5 + 9) + 2], 255, 6);
    EXPECT_NEAR(line.pixels[4 * (40 * 5 + 8) + 2], 90, 6);
    const Image rough = noise(64, 64, 5);
    EXPECT_LT(encode_jpeg(rough, 50).size(), encode_jpeg(rough, 95).size());
    EXPECT_EQ(encode_jpeg(rough, 95), encode_jpeg(rough, 95));
}

TEST(EncodeJpeg, RefusesWhatIsNoImage) {
    EXPECT_THROW(encode_jpeg(Image{}, 95), Error);
    EXPECT_THROW(encode_jpeg(Image{2, 2, std::vector<std::uint8_t>(15)}, 95), Error);
    EXPECT_THROW(encode_jpeg(noise(2, 2, 6), 0), Error);
    EXPECT_THROW(encode_jpeg(noise(2, 2, 6), 101), Error);
}

TEST(SavePng, WritesAFileThatDecodes) {
    const TempFolder folder;
    const Image image = noise(5, 6, 4);
    save_png(image, folder.path() / "a.png");
    EXPECT_EQ(load_image(folder.path() / "a.png").pixels, image.pixels);
    EXPECT_THROW(save_png(image, folder.path() / "absent" / "a.png"), Error);
}

}  // namespace
}  // namespace assay
