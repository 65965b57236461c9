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

TEST(SavePng, WritesAFileThatDecodes) {
    const TempFolder folder;
    const Image image = noise(5, 6, 4);
    save_png(image, folder.path() / "a.png");
    EXPECT_EQ(load_image(folder.path() / "a.png").pixels, image.pixels);
    EXPECT_THROW(save_png(image, folder.path() / "absent" / "a.png"), Error);
}

}  // namespace
}  // namespace assay
