// The orientation in EXIF data of files written by Pillow 9.4 (make_pixel_fixtures.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "image/exif.h"
#include "image/file_facts.h"
#include "pixel_fixtures.h"

namespace assay {
namespace {

std::vector<std::byte> fixture_of(const std::string& name) {
    const auto file = test::pixel_fixture(name).file;
    return {file.begin(), file.end()};
}

/// The offset of the tag's value, which has type SHORT and count 1.
std::size_t place_of_orientation(const std::vector<std::byte>& file, bool big) {
    const std::string tag = big ? std::string("\x01\x12\x00\x03\x00\x00\x00\x01", 8)
                                : std::string("\x12\x01\x03\x00\x01\x00\x00\x00", 8);
    const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
    const std::size_t at = text.find(tag);
    return at == std::string::npos ? at : at + tag.size() + (big ? 1 : 0);
}

TEST(Exif, OrientationSixTurnsClockwise) {
    for (const char* name : {"jpeg exif turned", "webp exif turned"}) {
        const std::vector<std::byte> file = fixture_of(name);
        EXPECT_EQ(exif_orientation(file), 6) << name;
        const auto png = turned_by_exif(file);
        ASSERT_TRUE(png) << name;
        const Image stored = decode_image(file), turned = decode_image(*png);
        ASSERT_EQ(turned.width, stored.height);
        ASSERT_EQ(turned.height, stored.width);
        // The left column of the stored image, read from below, is the top row.
        for (int y = 0; y < turned.height; ++y) {
            for (int x = 0; x < turned.width; ++x) {
                const auto from =
                    static_cast<std::size_t>(4 * ((stored.height - 1 - x) * stored.width + y));
                const auto to = static_cast<std::size_t>(4 * (y * turned.width + x));
                ASSERT_TRUE(
                    std::equal(stored.pixels.begin() + static_cast<std::ptrdiff_t>(from),
                               stored.pixels.begin() + static_cast<std::ptrdiff_t>(from) + 4,
                               turned.pixels.begin() + static_cast<std::ptrdiff_t>(to)))
                    << name << ' ' << x << ' ' << y;
            }
        }
    }
}

TEST(Exif, EveryOtherValueIsReadOrIsNone) {
    std::vector<std::byte> file = fixture_of("jpeg exif turned");
    std::size_t at = place_of_orientation(file, true);
    if (at == std::string::npos) at = place_of_orientation(file, false);
    ASSERT_NE(at, std::string::npos);
    for (int value = 0; value <= 9; ++value) {
        file[at] = static_cast<std::byte>(value);
        EXPECT_EQ(exif_orientation(file), value >= 1 && value <= 8 ? value : 1);
        EXPECT_EQ(turned_by_exif(file).has_value(), value >= 2 && value <= 8) << value;
    }
    for (const char* name : {"jpeg grey", "tiff orientation 6"})
        EXPECT_EQ(exif_orientation(fixture_of(name)), 1) << name;
}

TEST(Exif, OfTwoBlocksTheFirstCounts) {
    const std::vector<std::byte> file = fixture_of("jpeg exif turned");
    EXPECT_TRUE(facts_of_file(file).whole);
    const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
    const std::size_t begin = text.find(std::string("Exif\0\0", 6)) - 4;
    ASSERT_LT(begin, file.size());
    const auto size = 2 + 256 * std::to_integer<std::size_t>(file[begin + 2]) +
                      std::to_integer<std::size_t>(file[begin + 3]);
    std::size_t at = place_of_orientation(file, true);
    if (at == std::string::npos) at = place_of_orientation(file, false);
    ASSERT_LT(at, begin + size);
    for (const int value : {6, 1}) {
        std::vector<std::byte> block(file.begin() + static_cast<std::ptrdiff_t>(begin),
                                     file.begin() + static_cast<std::ptrdiff_t>(begin + size));
        block[at - begin] = static_cast<std::byte>(value);
        std::vector<std::byte> two = file;
        two.insert(two.begin() + static_cast<std::ptrdiff_t>(begin + size), block.begin(),
                   block.end());
        EXPECT_EQ(exif_orientation(two), 6);
        EXPECT_EQ(facts_of_file(two).whole, value == 6);  // other readers may use the second block
    }
}

TEST(Exif, DamagedDataTurnNothingAndDoNoHarm) {
    for (const char* name : {"jpeg exif turned", "webp exif turned"}) {
        const std::vector<std::byte> whole = fixture_of(name);
        for (std::size_t n = 0; n < whole.size(); ++n) {
            const int found = exif_orientation(std::span(whole).first(n));
            EXPECT_TRUE(found == 1 || found == 6) << name << ' ' << n;
        }
        for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
            std::vector<std::byte> damaged = whole;
            damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
            const int found = exif_orientation(damaged);
            EXPECT_TRUE(found >= 1 && found <= 8);
        }
    }
    // For an image that cannot be decoded, the decoder reports the error.
    const std::vector<std::byte> file = fixture_of("jpeg exif turned");
    std::size_t header = 0;
    while (exif_orientation(std::span(file).first(header)) != 6) ++header;
    EXPECT_FALSE(turned_by_exif(std::span(file).first(header)));
}

}  // namespace
}  // namespace assay
