// Duplicates by decoded pixels: images saved in two formats, saved again, and unreadable ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "core/file.h"
#include "core/random.h"
#include "message_of.h"
#include "planted.h"

namespace assay::audit {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int width = 64, height = 48;

/// Grey waves of many directions, with another pattern for each seed.
Image waves(std::uint64_t seed) {
    RandomStream random(seed, "waves of the audit");
    std::array<std::array<double, 3>, 12> all{};
    for (auto& wave : all)
        for (double& v : wave) v = random.uniform() * 40 - 20;
    Image image{.width = width, .height = height, .pixels = {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            double light = 128;
            for (const auto& wave : all)
                light += 15 * std::sin(wave[0] * x / width + wave[1] * y / height + wave[2]);
            const auto level = static_cast<std::uint8_t>(std::clamp(light, 0.0, 255.0));
            image.pixels.insert(image.pixels.end(), {level, level, level, 255});
        }
    }
    return image;
}

/// A binary PPM file, which has the same pixels as the PNG file of the image.
std::string ppm_of(const Image& image) {
    std::string out = fmt::format("P6\n{} {}\n255\n", image.width, image.height);
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
        if (i % 4 != 3) out += static_cast<char>(image.pixels[i]);
    return out;
}
std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class PixelDuplicates : public testing::Test {
protected:
    static constexpr std::size_t own_images = 12;

    /// Item 1 is item 0 in another format with another label. Item 2 is item 3 saved as JPEG. Items
    /// 4 and 5 are one file. Items 6 and 7 are plain, of different shapes. Item 8 is damaged.
    void SetUp() override {
        std::filesystem::create_directory(folder_ / "images");
        made_ = made_up(own_images, classes, 1, 3);
        made_.root = folder_ / "images";
        for (std::size_t i = 0; i < own_images; ++i) {
            const std::string item = fmt::format("item{:05}", i);
            made_.labels[i] = {i == 1 ? 1 : 0};
            write(item, text_of(encode_png(waves(i))));
        }
        write("item00001", ppm_of(waves(0)));
        write("item00002", text_of(encode_jpeg(waves(3), 90)));
        write("item00005", text_of(encode_png(waves(4))));
        write("item00006", ppm_of({8, 2, std::vector<std::uint8_t>(64, 100)}));
        write("item00007", ppm_of({2, 8, std::vector<std::uint8_t>(64, 100)}));
        write("item00008", "no image");
    }
    void write(const std::string& item, const std::string& bytes) {
        write_file_atomically(folder_ / "images" / item, bytes);
    }
    LabelAudit audited(bool pixels, const std::filesystem::path& moved = {}, int threads = 1) {
        const std::string runs = fmt::format("runs{}", ++runs_);
        save(folder_, made_, "a", StorageFormat::full_f32, 100, false, runs);
        AuditOptions options;
        options.stores = {folder_ / runs};
        options.pixels = pixels;
        options.images = moved;
        options.threads = threads;
        return audit_labels(options);
    }
    static std::vector<std::string> shown(const LabelAudit& audit) {
        std::vector<std::string> out;
        for (const DuplicateGroup& group : audit.listed_duplicates) {
            out.push_back(fmt::format("{}{}:", group.evidence, group.labels_differ ? " !" : ""));
            for (const DuplicateImage& image : group.members) out.back() += image.item.substr(7);
        }
        return out;
    }
    Scratch folder_;
    Made made_;
    int runs_ = 0;
};

TEST_F(PixelDuplicates, ContradictingOnesComeFirst) {
    const std::vector<std::string> expected = {"same pixels, other file !:0001", "same file:0405",
                                               "look alike:0203"};
    for (const int threads : {1, 3}) {
        const LabelAudit audit = audited(true, {}, threads);
        EXPECT_EQ(shown(audit), expected);
        EXPECT_EQ(audit.decoded, own_images - 1);
        EXPECT_EQ(audit.duplicate_groups, 2U);
        EXPECT_EQ(audit.duplicate_images, 4U);
        EXPECT_EQ(audit.contradicting_groups, 1U);
        EXPECT_EQ(audit.alike_groups, 1U);
        EXPECT_EQ(audit.alike_images, 2U);
        EXPECT_EQ(audit.contradicting_alike_groups, 0U);
        EXPECT_LE(audit.listed_duplicates.back().bits, 4);
        EXPECT_THAT(audit.duplicate_notes, Contains(HasSubstr("1 image could not be decoded")));
    }
    made_.labels[2] = {3};
    const LabelAudit audit = audited(true);
    EXPECT_EQ(shown(audit)[1], "look alike !:0203");
    EXPECT_EQ(audit.contradicting_alike_groups, 1U);
    EXPECT_EQ(shown(audited(false)), std::vector<std::string>({"same file:0405"}));
}

TEST_F(PixelDuplicates, EqualScoresAreComparedWithThePixels) {
    for (const std::size_t to : {std::size_t{1}, std::size_t{10}})
        std::copy_n(made_.scores.begin() + static_cast<std::ptrdiff_t>((to - 1) * classes), classes,
                    made_.scores.begin() + static_cast<std::ptrdiff_t>(to * classes));
    const std::vector<std::string> found = shown(audited(true));
    EXPECT_THAT(found, Contains("same pixels, other file !:0001"));
    EXPECT_THAT(found, Contains("same scores, other pixels:0910"));
}

TEST_F(PixelDuplicates, OtherFilesAreOnlyNamedIfAllAreKnown) {
    for (std::size_t i = 0; i < own_images; ++i) made_.files.push_back({.bytes = 1, .hash = i + 1});
    EXPECT_THAT(shown(audited(true)), Contains("same pixels, other file !:0001"));
    made_.files[1] = {};
    EXPECT_THAT(shown(audited(true)), Contains("same pixels !:0001"));
}

// Item 4 has no label, its equal item 5 has another one than item 9, which looks like both.
TEST_F(PixelDuplicates, LabelsOfEqualImagesCountForThoseThatLookAlike) {
    write("item00009", text_of(encode_jpeg(waves(4), 90)));
    made_.labels[4] = {};
    EXPECT_THAT(shown(audited(true)), Contains("look alike:0409"));
    made_.labels[5] = {1};
    const LabelAudit audit = audited(true);
    EXPECT_THAT(shown(audit), Contains("look alike !:0409"));
    EXPECT_EQ(audit.contradicting_alike_groups, 1U);
}

TEST_F(PixelDuplicates, FilesThatChangedSinceThePredictionAreReported) {
    for (std::size_t i = 0; i < own_images; ++i) made_.files.push_back({.bytes = 1, .hash = i + 1});
    const LabelAudit audit = audited(true);
    EXPECT_THAT(audit.warnings, Contains(HasSubstr("12 images have changed since")));
}

TEST_F(PixelDuplicates, MovedImagesAreReadFromTheirFolder) {
    std::filesystem::rename(folder_ / "images", folder_ / "moved");
    EXPECT_THAT(message_of([&] { audited(true); }),
                HasSubstr("--pixels: none of 12 images can be read"));
    EXPECT_EQ(audited(true, folder_ / "moved").alike_groups, 1U);
    EXPECT_EQ(audited(true, folder_ / "moved").images_folder, folder_ / "moved");
    EXPECT_THAT(message_of([&] { audited(false, folder_ / "moved"); }, ErrorCode::usage),
                HasSubstr("Add --pixels"));
    for (std::size_t i = 0; i < own_images; ++i)
        made_.ids.push_back((folder_ / "images" / fmt::format("item{:05}", i)).string());
    EXPECT_THAT(message_of([&] { audited(true, folder_ / "moved"); }, ErrorCode::usage),
                HasSubstr("the data set has absolute paths"));
}

}  // namespace
}  // namespace assay::audit
