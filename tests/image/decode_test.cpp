#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <webp/encode.h>

#include <atomic>
#include <thread>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "core/parallel.h"
#include "message_of.h"
#include "pixel_fixtures.h"

namespace assay {
namespace {

using test::pixel_fixture;
using test::pixel_fixtures;
using test::PixelFixture;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// The message of the error, or "" if there is none. Any error except Error{bad_input} fails the
/// test.
std::string refusal(std::span<const std::byte> bytes) {
    try {
        const Image image = decode_image(bytes);
        EXPECT_EQ(image.pixels.size(), 4 * static_cast<std::size_t>(image.width) *
                                           static_cast<std::size_t>(image.height));
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        EXPECT_FALSE(error.message().empty());
        return error.message();
    }
}

std::string random_bytes(int bytes) {
    std::string text(static_cast<std::size_t>(bytes), '\0');
    std::uint32_t state = 1;
    for (char& c : text) c = static_cast<char>((state = state * 1'664'525 + 1'013'904'223) >> 24);
    return text;
}

/// random_bytes() as R, G, B in a lossless format.
std::string noise_as_webp(int side) {
    const std::string pixels = random_bytes(3 * side * side);
    std::uint8_t* file = nullptr;
    const std::size_t size = WebPEncodeLosslessRGB(
        reinterpret_cast<const std::uint8_t*>(pixels.data()), side, side, 3 * side, &file);
    const std::string text(reinterpret_cast<const char*>(file), size);
    WebPFree(file);
    return text;
}

/// random_bytes() as one uncompressed strip of gray.
std::string grey_tiff(int side) {
    std::string file = std::string("II\x2A\0\x08\0\0\0", 8);
    const auto put = [&](std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) file += static_cast<char>(value >> (8 * i) & 0xFF);
    };
    const auto n = static_cast<std::uint32_t>(side);
    const std::uint32_t data = 8 + 2 + 9 * 12 + 4;
    const std::pair<std::uint32_t, std::uint32_t> tags[] = {{256, n}, {257, n}, {258, 8},
                                                            {259, 1}, {262, 1}, {273, data},
                                                            {277, 1}, {278, n}, {279, n * n}};
    put(std::size(tags), 2);
    for (const auto& [tag, value] : tags) put(tag, 2), put(4, 2), put(1, 4), put(value, 4);
    put(0, 4);
    return file + random_bytes(side * side);
}

TEST(Decode, GivesPillowsPixelsForEveryKind) {
    int compared = 0;
    for (const PixelFixture& f : pixel_fixtures()) {
        if (f.kind != "same") continue;
        ++compared;
        try {
            EXPECT_EQ(differing_bytes(decode_image(f.file), f), 0) << f.name;
        } catch (const Error& error) {
            ADD_FAILURE() << f.name << ": " << error.what();
        }
    }
    EXPECT_GT(compared, 250);
}

TEST(Decode, RefusesDamagedHostileAndUnsupportedFiles) {
    int refused = 0;
    for (const PixelFixture& f : pixel_fixtures()) {
        if (f.kind != "refuse") continue;
        ++refused;
        EXPECT_NE(refusal(f.file), "") << f.name;
    }
    EXPECT_GT(refused, 60);
}

TEST(Decode, SaysWhatIsWrong) {
    EXPECT_THAT(refusal({}), HasSubstr("empty"));
    EXPECT_THAT(refusal(bytes_of("plain text")),
                HasSubstr("begins with the bytes 70 6c 61 69 6e 20 74 65"));
    EXPECT_THAT(refusal(pixel_fixture("jpeg half").file), HasSubstr("truncated JPEG"));
    EXPECT_THAT(refusal(pixel_fixture("jpeg without its end").file),
                HasSubstr("it ends after 14 of 21 rows"));
    EXPECT_THAT(refusal(pixel_fixture("jpeg 65000 x 65000").file), HasSubstr("65000 x 65000"));
    EXPECT_THAT(refusal(pixel_fixture("jpeg 13000 x 13000").file),
                HasSubstr("cannot hold 13000 x 13000"));
    EXPECT_THAT(refusal(pixel_fixture("png half").file), HasSubstr("truncated PNG"));
    EXPECT_THAT(refusal(pixel_fixture("png bad data crc").file), HasSubstr("CRC"));
    EXPECT_THAT(refusal(pixel_fixture("png 13000 x 13000").file),
                HasSubstr("cannot hold 13000 x 13000"));
    EXPECT_THAT(refusal(pixel_fixture("webp half").file), HasSubstr("100 of "));
    EXPECT_THAT(refusal(pixel_fixture("bmp 24 short").file), HasSubstr("truncated BMP"));
    EXPECT_THAT(refusal(pixel_fixture("tiff 13000 x 13000").file),
                HasSubstr("cannot hold 13000 x 13000"));
    EXPECT_THAT(refusal(pixel_fixture("tiff lab").file), HasSubstr("unsupported TIFF"));
}

TEST(Decode, AJpegThatIsCutAnywhereIsRefused) {
    for (const PixelFixture& f : pixel_fixtures()) {
        if (f.kind != "same" || !f.name.starts_with("jpeg") || f.name == "jpeg junk after the end")
            continue;
        for (std::size_t size = 0; size < f.file.size(); ++size) {
            ASSERT_NE(refusal(f.file.first(size)), "")
                << f.name << " cut to " << size << " of " << f.file.size();
        }
    }
}

TEST(Decode, EveryFileCutAnywhereIsReadOrRefused) {
    for (const PixelFixture& f : pixel_fixtures()) {
        const std::size_t step = f.file.size() / 64 + 1;
        for (std::size_t size = 0; size < f.file.size(); size += step) refusal(f.file.first(size));
    }
}

TEST(Decode, AFileWithWrongBytesIsReadOrRefused) {
    std::uint64_t state = 1;
    const auto next = [&state](std::uint64_t below) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        return (state >> 33) % below;
    };
    for (const PixelFixture& f : pixel_fixtures()) {
        if (f.file.empty()) continue;
        for (int round = 0; round < 20; ++round) {
            std::vector<std::byte> bytes(f.file.begin(), f.file.end());
            for (std::uint64_t i = 0; i <= next(3); ++i)
                bytes[next(bytes.size())] = static_cast<std::byte>(next(256));
            refusal(bytes);
        }
    }
}

std::string refusal_under(std::span<const std::byte> bytes, const DecodeLimits& limits) {
    return message_of([&] { decode_image(bytes, limits); });
}

// Every format reports once how much memory it needs, at least for the pixels, before it allocates
// it.
TEST(DecodeLimits, HoldForEveryKind) {
    for (const PixelFixture& f : pixel_fixtures()) {
        if (f.kind != "same") continue;
        const auto pixels = static_cast<std::uint64_t>(f.width) * static_cast<unsigned>(f.height);
        std::vector<std::uint64_t> reserved;
        DecodeLimits limits;
        limits.pixels = static_cast<std::int64_t>(pixels);
        limits.reserve = [&](std::uint64_t bytes) { reserved.push_back(bytes); };
        EXPECT_EQ(differing_bytes(decode_image(f.file, limits), f), 0) << f.name;
        ASSERT_EQ(reserved.size(), 1U) << f.name;
        EXPECT_GE(reserved[0], 4 * pixels) << f.name;
        limits.bytes = reserved[0];
        EXPECT_EQ(differing_bytes(decode_image(f.file, limits), f), 0) << f.name;
        --limits.bytes;
        EXPECT_THAT(refusal_under(f.file, limits),
                    HasSubstr("need " + std::to_string(reserved[0]) +
                              " bytes of memory; the limit for an image is " +
                              std::to_string(reserved[0] - 1)))
            << f.name;
        limits.bytes = DecodeLimits{}.bytes;
        if (--limits.pixels == 0) continue;
        EXPECT_THAT(refusal_under(f.file, limits),
                    HasSubstr("the limit is " + std::to_string(pixels - 1) + " pixels"))
            << f.name;
    }
}

// Each scan has a few bytes, but decodes all pixels.
TEST(DecodeLimits, AJpegOfManyScansIsRefused) {
    const PixelFixture& f = pixel_fixture("jpeg progressive");
    const std::string file(reinterpret_cast<const char*>(f.file.data()), f.file.size());
    const std::size_t last = file.rfind("\xFF\xDA"), end = file.rfind("\xFF\xD9");
    ASSERT_LT(last, end);
    const auto with_more = [&](int scans) {
        std::string text = file.substr(0, end);
        for (int i = 0; i < scans; ++i) text += file.substr(last, end - last);
        return text + file.substr(end);
    };
    EXPECT_NO_THROW(decode_image(bytes_of(with_more(100))));
    EXPECT_THAT(refusal_under(bytes_of(with_more(3000)), {}),
                HasSubstr("unsupported JPEG image: it has more than 200 scans"));
    DecodeLimits few;
    few.jpeg_scans = 3;
    EXPECT_THAT(refusal_under(f.file, few), HasSubstr("more than 3 scans"));
}

// One strip with all rows has 8 bytes of data. No compression can reduce a gigabyte to that.
TEST(DecodeLimits, ASmallTiffTakesNoLargeMemory) {
    std::string file = std::string("II\x2A\0\x08\0\0\0", 8);
    const auto put = [&](std::uint32_t value, int count) {
        for (int i = 0; i < count; ++i) file += static_cast<char>(value >> (8 * i) & 0xFF);
    };
    const std::uint32_t side = 13'000;
    const std::pair<std::uint32_t, std::uint32_t> tags[] = {{256, side}, {257, side}, {258, 16},
                                                            {259, 8},    {262, 1},    {273, 8},
                                                            {277, 1},    {278, side}, {279, 8}};
    put(std::size(tags), 2);
    for (const auto& [tag, value] : tags) put(tag, 2), put(4, 2), put(1, 4), put(value, 4);
    put(0, 4);
    DecodeLimits limits;
    limits.reserve = [](std::uint64_t) { ADD_FAILURE() << "memory was asked for"; };
    EXPECT_THAT(
        refusal_under(bytes_of(file), limits),
        HasSubstr(std::to_string(file.size()) + " bytes are too few for 13000 x 13000 pixels"));
}

TEST(DecodeLimits, AStopIsHeard) {
    const pid_t child = ::fork();  // a request to stop is valid until the process ends
    if (child == 0) {
        request_stop();
        int heard = 0;
        for (const char* name : {"jpeg progressive", "png filters"}) {
            try {
                decode_image(pixel_fixture(name).file);
            } catch (const Error& error) {
                heard += error.code() == ErrorCode::interrupted;
            }
        }
        ::_exit(heard == 2 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

// The request to stop comes after decoding has begun.
TEST(DecodeLimits, AStopIsHeardWithinAnImage) {
    const std::string large_webp = noise_as_webp(700), one_strip = grey_tiff(4100);
    const std::pair<const char*, std::span<const std::byte>> images[] = {
        {"jpeg", pixel_fixture("jpeg progressive").file},
        {"png", pixel_fixture("png filters").file},
        {"webp", pixel_fixture("webp lossy").file},
        {"large webp", bytes_of(large_webp)},
        {"tiff", pixel_fixture("tiff rgb tiff_lzw").file},
        {"tiff of one strip", bytes_of(one_strip)},
        {"ycbcr tiff", pixel_fixture("tiff ycbcr jpeg").file}};
    for (const auto& [name, image] : images) {
        const pid_t child = ::fork();
        if (child == 0) {
            DecodeLimits limits;
            limits.reserve = [](std::uint64_t) { request_stop(); };
            try {
                decode_image(image, limits);
            } catch (const Error& error) {
                ::_exit(error.code() == ErrorCode::interrupted ? 0 : 2);
            }
            ::_exit(1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0) << name;
    }
}

// More than a megabyte is decoded in parts. The reference is decoded at once.
TEST(Decode, ALargeWebpHasItsPixels) {
    const int side = 700;
    const std::string file = noise_as_webp(side);
    ASSERT_GT(file.size(), 1U << 20);
    const Image image = decode_image(bytes_of(file));
    ASSERT_EQ(image.width, side);
    const std::string pixels = random_bytes(3 * side * side);
    for (std::size_t i = 0; i < std::size_t{side} * side; ++i) {
        for (std::size_t c = 0; c < 3; ++c)
            ASSERT_EQ(image.pixels[4 * i + c], static_cast<std::uint8_t>(pixels[3 * i + c])) << i;
    }
    EXPECT_THAT(refusal(bytes_of(file.substr(0, file.size() - 1000))), HasSubstr("truncated"));
    std::string cut = file.substr(0, file.size() - 100'000);  // the RIFF container is complete
    const auto length = [&](std::size_t at, std::size_t value) {
        for (std::size_t i = 0; i < 4; ++i) cut[at + i] = static_cast<char>(value >> (8 * i));
    };
    length(4, cut.size() - 8);
    length(16, cut.size() - 20);
    EXPECT_THAT(refusal(bytes_of(cut)), HasSubstr("its bit stream"));
}

// A strip of more than 16 MiB is decoded row by row.
TEST(Decode, ATiffOfOneLargeStripHasItsPixels) {
    const int side = 4100;
    const Image image = decode_image(bytes_of(grey_tiff(side)));
    ASSERT_EQ(image.width, side);
    const std::string pixels = random_bytes(side * side);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        for (std::size_t c = 0; c < 3; ++c)
            wrong += image.pixels[4 * i + c] != static_cast<std::uint8_t>(pixels[i]);
    }
    EXPECT_EQ(wrong, 0U);
}

TEST(Decode, ReusesAImageThatHeldAnotherOne) {
    const PixelFixture& small = pixel_fixture("jpeg one pixel");
    const PixelFixture& large = pixel_fixture("png filters");
    Image image;
    for (const PixelFixture* f : {&large, &small, &large}) {
        decode_image_into(f->file, image);
        EXPECT_EQ(differing_bytes(image, *f), 0) << f->name;
    }
}

TEST(Decode, RunsInSeveralThreads) {
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&wrong] {
            for (const PixelFixture& f : pixel_fixtures()) {
                if (f.kind == "resize") continue;
                try {
                    const Image image = decode_image(f.file);
                    if (differing_bytes(image, f) != 0) ++wrong;
                    const Image large = resize(image, Interpolation::bicubic, {40, 30});
                    if (large.pixels.size() != 4800) ++wrong;
                } catch (const Error&) {
                    if (f.kind == "same") ++wrong;
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(Decode, ErrorsOfAFileCarryItsPath) {
    try {
        load_image("/nonexistent/image.jpg");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.what(), HasSubstr("reading the image /nonexistent/image.jpg"));
    }
}

}  // namespace
}  // namespace assay
