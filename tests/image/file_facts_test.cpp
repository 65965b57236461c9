#include "image/file_facts.h"

#include <gtest/gtest.h>

#include "pixel_fixtures.h"

namespace assay {
namespace {

using test::pixel_fixtures;
using test::PixelFixture;

FileFacts facts_of(std::string_view name) {
    return facts_of_file(test::pixel_fixture(name).file);
}

TEST(FileFacts, FormatsByTheFirstBytes) {
    EXPECT_EQ(facts_of("jpeg 444").format, ImageFormat::jpeg);
    EXPECT_EQ(facts_of("png rgb 8").format, ImageFormat::png);
    EXPECT_EQ(facts_of("webp lossy").format, ImageFormat::webp);
    EXPECT_EQ(facts_of("bmp 24").format, ImageFormat::bmp);
    EXPECT_EQ(facts_of("tiff rgb raw").format, ImageFormat::tiff);
    EXPECT_EQ(facts_of("gif 87a").format, ImageFormat::gif);
    EXPECT_EQ(facts_of("ppm plain 7").format, ImageFormat::netpbm);
    for (const char* name : {"empty", "one byte", "zeros", "text named .jpg"})
        EXPECT_EQ(facts_of(name).format, ImageFormat::unknown) << name;
}

TEST(FileFacts, ColoursAreThoseOfTheFile) {
    const std::pair<const char*, ImageColour> expected[] = {
        {"jpeg grey", ImageColour::grey},         {"jpeg 420", ImageColour::rgb},
        {"jpeg progressive", ImageColour::rgb},   {"jpeg cmyk", ImageColour::cmyk},
        {"jpeg ycck", ImageColour::cmyk},         {"png grey 1", ImageColour::grey},
        {"png grey alpha 8", ImageColour::grey},  {"png rgb 16", ImageColour::rgb},
        {"png palette 4", ImageColour::palette},  {"bmp 8", ImageColour::palette},
        {"bmp 8 os/2", ImageColour::palette},     {"bmp 24 os/2", ImageColour::rgb},
        {"bmp 24 v5", ImageColour::rgb},          {"webp lossless", ImageColour::rgb},
        {"tiff L raw", ImageColour::grey},        {"tiff CMYK raw", ImageColour::cmyk},
        {"tiff rgb 16 big", ImageColour::rgb},    {"tiff palette 8 little", ImageColour::palette},
        {"tiff ycbcr jpeg", ImageColour::rgb},    {"tiff only its start", ImageColour::unknown},
        {"gif interlaced", ImageColour::palette}, {"ppm 1", ImageColour::rgb},
        {"pgm plain 7", ImageColour::grey},       {"pbm plain", ImageColour::grey}};
    for (const auto& [name, colour] : expected) EXPECT_EQ(facts_of(name).colour, colour) << name;
}

TEST(FileFacts, AlphaAndDepth) {
    for (const char* name :
         {"png grey alpha 8", "png rgb alpha 16", "png palette transparent", "png grey transparent",
          "png rgb transparent", "webp lossy alpha", "webp lossless alpha", "tiff RGBA raw",
          "tiff LA raw", "tiff rgb no name for the fourth big"})
        EXPECT_TRUE(facts_of(name).alpha) << name;
    for (const char* name : {"png grey 16", "png rgb 8", "webp lossy", "webp lossless", "jpeg 444",
                             "tiff rgb raw", "tiff CMYK raw", "bmp 24"})
        EXPECT_FALSE(facts_of(name).alpha) << name;
    EXPECT_EQ(facts_of("png grey 16").bits, 16U);
    EXPECT_EQ(facts_of("png rgb alpha 16 interlaced").bits, 16U);
    EXPECT_EQ(facts_of("png palette 2").bits, 2U);
    EXPECT_EQ(facts_of("jpeg 12 bits").bits, 12U);
    EXPECT_EQ(facts_of("jpeg 444").bits, 8U);
    EXPECT_EQ(facts_of("tiff rgb raw").bits, 8U);  // three numbers after the folder
    EXPECT_EQ(facts_of("tiff rgb 16 big").bits, 16U);
    EXPECT_EQ(facts_of("tiff float little").bits, 32U);
    EXPECT_EQ(facts_of("pbm plain").bits, 1U);
    EXPECT_EQ(facts_of("ppm plain 254").bits, 8U);
    EXPECT_EQ(facts_of("pgm 999").bits, 16U);
}

TEST(FileFacts, FramesAndOrientations) {
    for (const char* name : {"png animated", "png animated after a still", "webp animated",
                             "tiff two pages", "gif animated"})
        EXPECT_TRUE(facts_of(name).several) << name;
    for (const char* name : {"png rgb 8", "webp lossy", "tiff rgb raw", "jpeg 444", "gif 87a",
                             "gif comment", "gif half"})
        EXPECT_FALSE(facts_of(name).several) << name;
    EXPECT_GT(facts_of("jpeg exif turned").orientation.value_or(0), 1U);
    EXPECT_GT(facts_of("webp exif turned").orientation.value_or(0), 1U);
    EXPECT_EQ(facts_of("jpeg 444").orientation, std::nullopt);
    for (std::uint32_t o = 1; o <= 8; ++o)
        EXPECT_EQ(facts_of("tiff orientation " + std::to_string(o)).orientation, o);
}

TEST(FileFacts, OfAnyBytesAreThere) {
    for (const PixelFixture& f : pixel_fixtures()) {
        for (std::size_t size = 0; size < std::min<std::size_t>(f.file.size(), 300); ++size)
            (void)facts_of_file(f.file.first(size));
    }
    // A big-endian TIFF whose orientation is a long number, and one that promises 65535 tags.
    constexpr std::string_view turned("MM\0*\0\0\0\x08\0\1\1\x12\0\4\0\0\0\1\0\0\0\6\0\0\0\0", 26);
    EXPECT_EQ(facts_of_file(std::as_bytes(std::span(turned))).orientation, 6U);
    constexpr std::string_view many("II*\0\x08\0\0\0\xff\xff\1\1\3\0\1\0\0\0\1\0\0\0", 22);
    EXPECT_EQ(facts_of_file(std::as_bytes(std::span(many))).colour, ImageColour::unknown);
}

}  // namespace
}  // namespace assay
