#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "pixel_fixtures.h"

namespace assay {
namespace {

using test::pixel_fixtures;
using test::PixelFixture;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// The error's message; "" when there is none. Anything but Error{bad_input} fails the test.
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

const PixelFixture& fixture(std::string_view name) {
    for (const PixelFixture& f : pixel_fixtures()) {
        if (f.name == name) return f;
    }
    throw std::out_of_range("no fixture " + std::string(name));
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
    EXPECT_THAT(refusal(fixture("jpeg half").file), HasSubstr("truncated JPEG"));
    EXPECT_THAT(refusal(fixture("jpeg without its end").file),
                HasSubstr("it ends after 14 of 21 rows"));
    EXPECT_THAT(refusal(fixture("jpeg 65000 x 65000").file), HasSubstr("65000 x 65000"));
    EXPECT_THAT(refusal(fixture("jpeg 13000 x 13000").file),
                HasSubstr("cannot hold 13000 x 13000"));
    EXPECT_THAT(refusal(fixture("png half").file), HasSubstr("truncated PNG"));
    EXPECT_THAT(refusal(fixture("png bad data crc").file), HasSubstr("CRC"));
    EXPECT_THAT(refusal(fixture("png 13000 x 13000").file), HasSubstr("cannot hold 13000 x 13000"));
    EXPECT_THAT(refusal(fixture("webp half").file), HasSubstr("100 of "));
    EXPECT_THAT(refusal(fixture("bmp 24 short").file), HasSubstr("truncated BMP"));
    EXPECT_THAT(refusal(fixture("tiff 13000 x 13000").file),
                HasSubstr("cannot hold 13000 x 13000"));
    EXPECT_THAT(refusal(fixture("tiff lab").file), HasSubstr("unsupported TIFF"));
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

TEST(Decode, ReusesAImageThatHeldAnotherOne) {
    const PixelFixture& small = fixture("jpeg one pixel");
    const PixelFixture& large = fixture("png filters");
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
