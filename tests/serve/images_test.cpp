// Tests which images are sent unchanged, and which are encoded again.
#include "serve/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "core/file.h"
#include "message_of.h"
#include "scratch.h"
#include "serve/image_facts.h"

namespace assay::serve {
namespace {

using testing::HasSubstr;

Image plain_image(int width, int height) {
    return {width, height,
            std::vector<std::uint8_t>(
                std::size_t{4} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                90)};
}

std::string jpeg_text(int width, int height) {
    const auto bytes = encode_jpeg(plain_image(width, height), 90);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The same image with an Exif block that has this orientation.
std::string turned_jpeg(char orientation) {
    std::string exif("Exif\0\0II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 24);
    exif += std::string{orientation, 0, 0, 0} + std::string(4, '\0');
    const std::string jpeg = jpeg_text(40, 20);
    const auto size = static_cast<char>(exif.size() + 2);
    return jpeg.substr(0, 2) + std::string("\xff\xe1\0", 3) + size + exif + jpeg.substr(2);
}

Image decoded(const ServedImage& image) {
    return decode_image(
        {reinterpret_cast<const std::byte*>(image.bytes->data()), image.bytes->size()});
}

bool looks_different(const std::string& text) {
    return may_look_different({reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

TEST(ServedImages, SmallEnoughOnesGoOutAsTheyAre) {
    const Scratch scratch;
    ServedImages images;
    write_file_atomically(scratch / "a.png", jpeg_text(60, 40));  // the bytes define the format
    for (int again = 0; again < 3; ++again) {
        const ServedImage image = images.get(scratch / "a.png", false);
        EXPECT_EQ(image.type, "image/jpeg");
        EXPECT_EQ(*image.bytes, jpeg_text(60, 40));
        EXPECT_EQ(*images.get(scratch / "a.png", true).bytes, jpeg_text(60, 40));
    }
    save_png(plain_image(5, 5), scratch / "b.jpg");
    EXPECT_EQ(images.get(scratch / "b.jpg", false).type, "image/png");
    // If the file is replaced, the new image is sent.
    write_file_atomically(scratch / "a.png", jpeg_text(61, 40));
    EXPECT_EQ(*images.get(scratch / "a.png", false).bytes, jpeg_text(61, 40));
}

TEST(ServedImages, WhatIsOnItsWayIsThereOnce) {
    const Scratch scratch;
    ServedImages images;
    write_file_atomically(scratch / "a.jpg", jpeg_text(60, 40));
    const ServedImage first = images.get(scratch / "a.jpg", false);
    EXPECT_EQ(images.get(scratch / "a.jpg", false).bytes, first.bytes);
    EXPECT_EQ(images.get(scratch / "a.jpg", false).type, "image/jpeg");
    write_file_atomically(scratch / "a.jpg", jpeg_text(61, 40));
    EXPECT_NE(images.get(scratch / "a.jpg", false).bytes, first.bytes);
}

TEST(ServedImages, LargeOnesAreReduced) {
    const Scratch scratch;
    ServedImages images;
    save_png(plain_image(3000, 30), scratch / "wide.png");
    for (int again = 0; again < 2; ++again) {
        const ServedImage large = images.get(scratch / "wide.png", false);
        EXPECT_EQ(large.type, "image/jpeg");
        EXPECT_EQ(decoded(large).width, 2048);
        EXPECT_EQ(decoded(large).height, 20);
        EXPECT_EQ(decoded(images.get(scratch / "wide.png", true)).width, 320);
    }
    save_png(plain_image(4000, 1), scratch / "line.png");
    EXPECT_EQ(decoded(images.get(scratch / "line.png", false)).height, 1);
}

TEST(ServedImages, WhatABrowserWouldTurnIsMadeAnew) {
    const Scratch scratch;
    ServedImages images;
    EXPECT_FALSE(looks_different(turned_jpeg(1)));
    EXPECT_TRUE(looks_different(turned_jpeg(6)));
    write_file_atomically(scratch / "turned.jpg", turned_jpeg(6));
    const ServedImage image = images.get(scratch / "turned.jpg", false);
    EXPECT_NE(*image.bytes, turned_jpeg(6));
    EXPECT_EQ(decoded(image).width, 40);  // in the form that the classifiers saw
}

TEST(ServedImages, FactsOfDamagedFilesEnd) {
    for (const std::string& whole : {turned_jpeg(6), jpeg_text(9, 9)}) {
        for (std::size_t size = 0; size < whole.size(); ++size)
            (void)looks_different(whole.substr(0, size));
        for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 200); ++at) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(0xff);
            (void)looks_different(damaged);
        }
    }
    EXPECT_TRUE(looks_different(std::string("\xff\xd8\xff\xe1\xff\xff", 6)));
    (void)looks_different(std::string("RIFF\0\0\0\0WEBPVP8 \xff\xff\xff\xff", 20));
    (void)looks_different(std::string("\x89PNG\r\n\x1a\n\xff\xff\xff\xffIDAT", 16));
    EXPECT_TRUE(looks_different(std::string("\x89PNG\r\n\x1a\n\0\0\0\0acTL\0\0\0\0", 20)));
}

TEST(ServedImages, SayWhatIsWrongWithAFile) {
    const Scratch scratch;
    ServedImages images;
    const auto fault = [&](const std::string& name) {
        return message_of([&] { images.get(scratch / name, false); });
    };
    EXPECT_THAT(fault("none.jpg"), HasSubstr("none.jpg"));
    std::filesystem::create_directory(scratch / "folder");
    EXPECT_THAT(fault("folder"), HasSubstr("not a file"));
    ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(fault("pipe"), HasSubstr("not a file"));
    write_file_atomically(scratch / "empty.jpg", "");
    EXPECT_THAT(fault("empty.jpg"), HasSubstr("empty.jpg"));
    write_file_atomically(scratch / "cut.jpg", jpeg_text(60, 40).substr(0, 300));
    EXPECT_THAT(fault("cut.jpg"), HasSubstr("cut.jpg"));
    write_file_atomically(scratch / "page.svg", "<svg onload='alert(1)'/>");
    EXPECT_THAT(fault("page.svg"), HasSubstr("page.svg"));
    write_file_atomically(scratch / "big.jpg", "");
    std::filesystem::resize_file(scratch / "big.jpg", 65ULL << 20);  // this is a sparse file
    EXPECT_THAT(fault("big.jpg"), HasSubstr("big.jpg"));
}

}  // namespace
}  // namespace assay::serve
