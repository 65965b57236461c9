#include "assay/evaluate/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <set>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/image/preprocess.h"
#include "containers/npy.h"
#include "core/parallel.h"
#include "core/random.h"
#include "data/temp_folder.h"
#include "evaluate/inspect/near_pairs.h"
#include "image/near_hash.h"
#include "image/pixel_fixtures.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An image of random waves with many directions and lengths, so that it has details like a
/// photograph.
Image waves(std::uint64_t seed, int width = 120, int height = 90) {
    constexpr std::size_t count = 14;
    Image image{.width = width, .height = height, .pixels = {}};
    RandomStream random(seed, "waves of tests");
    std::array<std::array<double, 3>, count> f{};
    for (auto& wave : f)
        for (double& v : wave) v = random.uniform() * 50 - 25;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const double u = (x + 0.5) / width, v = (y + 0.5) / height;
            double light = 0;
            for (const auto& wave : f) light += std::sin(wave[0] * u + wave[1] * v + wave[2]);
            const int level = std::clamp(static_cast<int>(128 + 25 * light), 0, 255);
            const std::uint8_t pixel[] = {static_cast<std::uint8_t>(level),
                                          static_cast<std::uint8_t>(level / 2),
                                          static_cast<std::uint8_t>(255 - level / 2), 255};
            image.pixels.insert(image.pixels.end(), std::begin(pixel), std::end(pixel));
        }
    }
    return image;
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string jpeg_of(const Image& image, int quality = 90) {
    return text_of(encode_jpeg(image, quality));
}
std::string fixture(std::string_view name) {
    return text_of(test::pixel_fixture(name).file);
}

InspectResult inspected(const std::filesystem::path& folder, InspectOptions options = {},
                        const std::filesystem::path& against = {}) {
    OpenedDataset data, other;
    data.dataset = open_dataset(folder, {}, &data.notes);
    if (!against.empty()) other.dataset = open_dataset(against, {}, &other.notes);
    return inspect_data(data, against.empty() ? nullptr : &other, options);
}

std::uint64_t images_of(const InspectResult& result, std::string_view kind) {
    for (const ImageKind& k : result.kinds)
        if (k.id == kind) return k.images;
    return 0;
}
std::string first_of(const InspectResult& result, std::string_view kind) {
    for (const ImageKind& k : result.kinds)
        if (k.id == kind) return k.first;
    return "";
}
std::vector<std::string> ids_of(const DuplicateGroup& group) {
    std::vector<std::string> ids;
    for (const InspectedImage& image : group.members) ids.push_back(image.id);
    return ids;
}

/// An image with each kind of finding.
class Inspect : public testing::Test {
protected:
    void SetUp() override {
        const std::string twin = jpeg_of(waves(1));
        folder.write("cat/twin.jpg", twin);
        folder.write("dog/twin.jpg", twin);
        folder.write("cat/large.png", text_of(encode_png(waves(2, 320, 240))));
        folder.write("cat/small.jpg", jpeg_of(resize(waves(2, 320, 240), Interpolation::bicubic,
                                                     {.width = 160, .height = 120}),
                                              80));
        folder.write("cat/cut.jpg", jpeg_of(waves(3)).substr(0, 900));
        folder.write("cat/empty.png", "");
        folder.write("cat/turned.jpg", fixture("jpeg exif turned"));
        folder.write("dog/deep.png", fixture("png rgb 16"));
        folder.write("dog/grey.jpg", fixture("jpeg grey"));
        folder.write("dog/inks.jpg", fixture("jpeg cmyk"));
        folder.write("dog/alpha.png", fixture("png rgb alpha 8"));
        folder.write("dog/moves.webp", fixture("webp animated"));
        folder.write("dog/moves.png", fixture("gif half"));
        folder.write("dog/named.jpg", text_of(encode_png(waves(4))));
        folder.write("dog/plain.png",
                     text_of(encode_png({8, 8, std::vector<std::uint8_t>(8 * 8 * 4, 100)})));
        std::filesystem::create_directory(folder / "eel");
        folder.write("notes.txt", "no image");
    }
    TempFolder folder;
};

TEST_F(Inspect, FindsEachKind) {
    const InspectResult r = inspected(folder.path(), {.near = 6});
    EXPECT_EQ(r.images, 15U);
    EXPECT_EQ(r.unreadable, 3U);
    ASSERT_EQ(r.unreadable_examples.size(), 3U);
    EXPECT_EQ(r.unreadable_examples[0].id, "cat/cut.jpg");
    EXPECT_THAT(r.unreadable_examples[0].why, HasSubstr("truncated JPEG"));
    EXPECT_EQ(r.unreadable_examples[1].id, "cat/empty.png");
    EXPECT_EQ(r.unreadable_examples[2].id, "dog/moves.png");
    EXPECT_EQ(images_of(r, "jpeg"), 7U);  // 6 images that can be decoded, and the truncated one
    EXPECT_EQ(images_of(r, "gif"), 1U);
    EXPECT_EQ(first_of(r, "exif_turned"), "cat/turned.jpg");
    EXPECT_EQ(first_of(r, "grey"), "dog/grey.jpg");
    EXPECT_EQ(first_of(r, "cmyk"), "dog/inks.jpg");
    EXPECT_EQ(first_of(r, "more_than_8_bits"), "dog/deep.png");
    EXPECT_EQ(first_of(r, "alpha"), "dog/alpha.png");
    EXPECT_EQ(first_of(r, "several_frames"), "dog/moves.webp");
    EXPECT_EQ(first_of(r, "misnamed"), "dog/named.jpg");
    EXPECT_EQ(images_of(r, "misnamed"), 1U);
    EXPECT_EQ(first_of(r, "one_colour"), "dog/plain.png");
    ASSERT_TRUE(r.sizes);
    EXPECT_EQ(r.sizes->width.least, 8U);
    EXPECT_EQ(r.sizes->width.most, 320U);
    EXPECT_EQ(r.sizes->height.most, 240U);

    ASSERT_EQ(r.same_files.groups, 1U);
    EXPECT_EQ(r.same_files.groups_of_other_labels, 1U);
    EXPECT_THAT(ids_of(r.same_files.examples[0]), ElementsAre("cat/twin.jpg", "dog/twin.jpg"));
    EXPECT_TRUE(r.same_files.examples[0].labels_differ);
    EXPECT_TRUE(has_faults(r));
    ASSERT_EQ(r.near_duplicates.examples.size(), r.near_duplicates.groups);
    bool found = false;
    for (const DuplicateGroup& group : r.near_duplicates.examples)
        found =
            found || ids_of(group) == std::vector<std::string>{"cat/large.png", "cat/small.jpg"};
    EXPECT_TRUE(found);
}

TEST_F(Inspect, SaysHowItWasReadAndWhatTheClassesAre) {
    const InspectResult r = inspected(folder.path());
    EXPECT_THAT(r.notes,
                testing::Contains(HasSubstr("their names, sorted by bytes, are the classes")));
    EXPECT_THAT(r.notes, testing::Contains(HasSubstr("skipped 1 file without an image's")));
    EXPECT_EQ(r.labels.classes, 3U);
    EXPECT_THAT(r.labels.order, ElementsAre("cat", "dog", "eel"));
    EXPECT_EQ(r.labels.classes_without_images, 1U);
    EXPECT_THAT(r.labels.without_images, ElementsAre("eel"));
    ASSERT_EQ(r.labels.fewest.size(), 2U);
    EXPECT_EQ(r.labels.fewest[0].name, "cat");
    EXPECT_EQ(r.labels.fewest[0].images, 6U);
    EXPECT_EQ(r.labels.most[0].name, "dog");
    EXPECT_EQ(r.labels.most[0].images, 9U);
    ASSERT_EQ(r.samples.size(), 5U);
    EXPECT_EQ(r.samples.front().id, "cat/cut.jpg");
    EXPECT_THAT(r.samples.front().labels, ElementsAre("cat"));
    EXPECT_EQ(r.samples.back().id, "dog/twin.jpg");
}

TEST(InspectDamaged, FilesThatAppearTwiceAreFoundAllTheSame) {
    TempFolder folder;
    folder.write("a/cut.jpg", jpeg_of(waves(3)).substr(0, 900));
    folder.write("b/again.jpg", jpeg_of(waves(3)).substr(0, 900));
    const InspectResult r = inspected(folder.path());
    EXPECT_EQ(r.unreadable, 2U);
    ASSERT_EQ(r.same_files.groups, 1U);
    EXPECT_TRUE(r.same_files.examples[0].labels_differ);
    EXPECT_EQ(r.near_duplicates.groups, 0U);
}

TEST_F(Inspect, IsTheSameForAnyNumberOfThreads) {
    std::set<std::string> results;
    for (const int threads : {1, 2, 5}) {
        const Report report = report_of(inspected(
            folder.path(), {.near = 10, .examples = 2, .threads = threads}, folder.path()));
        results.insert(report.result.dump() + render(report, ReportFormat::csv));
    }
    EXPECT_EQ(results.size(), 1U);
}

TEST_F(Inspect, ExamplesAreBoundedAndCountsAreNot) {
    const InspectResult all = inspected(folder.path(), {.near = 10, .examples = 100});
    for (const std::size_t examples : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
        const InspectResult few = inspected(folder.path(), {.near = 10, .examples = examples});
        EXPECT_EQ(few.unreadable, 3U);
        EXPECT_EQ(few.unreadable_examples.size(), examples);
        EXPECT_EQ(few.near_duplicates.groups, all.near_duplicates.groups);
        EXPECT_LE(few.near_duplicates.examples.size(), examples);
        EXPECT_EQ(few.samples.size(), examples);
    }
}

TEST_F(Inspect, ComparesWithAnotherFolder) {
    TempFolder train;
    train.write("a/same.jpg", jpeg_of(waves(1)));
    train.write("a/again.jpg", jpeg_of(waves(1)));
    train.write("a/like.jpg", jpeg_of(waves(2, 320, 240), 60));
    train.write("a/new.jpg", jpeg_of(waves(50)));
    train.write("a/cut.jpg", jpeg_of(waves(3)).substr(0, 900));
    const InspectResult r = inspected(folder.path(), {.near = 6}, train.path());
    ASSERT_TRUE(r.against);
    EXPECT_EQ(r.against->images, 5U);
    EXPECT_EQ(r.against->unreadable, 1U);
    EXPECT_EQ(r.against->same, 3U);  // both images of the one file, and the damaged image
    ASSERT_EQ(r.against->same_examples.size(), 3U);
    EXPECT_EQ(r.against->same_examples[0].image.id, "cat/cut.jpg");
    EXPECT_EQ(r.against->same_examples[0].other.id, "a/cut.jpg");
    EXPECT_EQ(r.against->same_examples[1].image.id, "cat/twin.jpg");
    EXPECT_EQ(r.against->same_examples[1].other.id, "a/again.jpg");
    EXPECT_EQ(r.against->near, 2U);
    ASSERT_EQ(r.against->near_examples.size(), 2U);
    EXPECT_EQ(r.against->near_examples[0].image.id, "cat/large.png");
    EXPECT_EQ(r.against->near_examples[1].image.id, "cat/small.jpg");
    EXPECT_EQ(r.against->near_examples[1].other.id, "a/like.jpg");
    // Duplicates that are only in the other data set are not reported here.
    EXPECT_EQ(r.same_files.groups, 1U);
}

TEST(InspectData, CleanImagesHaveNoFaults) {
    TempFolder folder;
    for (int i = 0; i < 6; ++i)
        folder.write("c" + std::to_string(i % 2) + "/" + std::to_string(i) + ".jpg",
                     jpeg_of(waves(100 + static_cast<std::uint64_t>(i))));
    const InspectResult r = inspected(folder.path(), {.near = 2});
    EXPECT_FALSE(has_faults(r));
    EXPECT_EQ(r.same_files.groups + r.near_duplicates.groups + r.unreadable, 0U);
    EXPECT_EQ(r.sizes->sizes, 1U);
    EXPECT_EQ(r.sizes->usual_images, 6U);
    EXPECT_EQ(r.sizes->width.median, 120U);
    EXPECT_FALSE(r.against);
}

TEST(InspectData, ImagesInArraysAreOfNoFormat) {
    TempFolder folder;
    const std::vector<std::uint64_t> shape = {6, 8, 8};
    std::string samples(6 * 64, '\0');
    for (std::size_t i = 0; i < 5 * 64; ++i) samples[i] = static_cast<char>(i * (i / 64 + 1));
    const auto file = folder.write("x.npy", npy_header("|u1", shape) + samples);
    const InspectResult r = inspected(file);
    EXPECT_EQ(r.images, 6U);
    EXPECT_EQ(images_of(r, "array"), 6U);
    EXPECT_EQ(images_of(r, "grey"), 6U);
    EXPECT_EQ(images_of(r, "netpbm"), 0U);
    EXPECT_EQ(images_of(r, "misnamed"), 0U);
    EXPECT_EQ(first_of(r, "one_colour"), "x.npy/5");
    EXPECT_EQ(r.same_files.groups, 0U);
    EXPECT_FALSE(has_faults(r));
}

TEST(InspectData, AGradientIsNotOfOneColour) {
    TempFolder folder;
    Image ramp{.width = 32, .height = 32, .pixels = std::vector<std::uint8_t>(32 * 32 * 4, 255)};
    for (std::size_t p = 0; p < 32 * 32; ++p)
        ramp.pixels[4 * p] = static_cast<std::uint8_t>(8 * (p % 32));
    folder.write("ramp.png", text_of(encode_png(ramp)));
    folder.write("dot.png", text_of(encode_png({1, 1, {9, 9, 9, 255}})));
    const InspectResult r = inspected(folder.path());
    EXPECT_EQ(images_of(r, "one_colour"), 1U);
    EXPECT_EQ(first_of(r, "one_colour"), "dot.png");
}

TEST(InspectData, WithoutLabelsOrImagesThatCanBeRead) {
    TempFolder folder;
    folder.write("a.jpg", "no image");
    folder.write("b.jpg", "nor this");
    const InspectResult r = inspected(folder.path());
    EXPECT_EQ(r.unreadable, 2U);
    EXPECT_FALSE(r.sizes);
    EXPECT_TRUE(r.kinds.empty());
    EXPECT_EQ(r.labels.images_without, 2U);
    EXPECT_EQ(r.labels.classes, 0U);
    EXPECT_THAT(render(report_of(r), ReportFormat::text), HasSubstr("no image has a label"));
}

TEST(InspectData, RefusesADistanceOutOfRange) {
    const OpenedDataset none;
    for (const int near : {-1, 11})
        EXPECT_THAT(
            message_of([&] { inspect_data(none, nullptr, {.near = near}); }, ErrorCode::usage),
            HasSubstr("0 to 10"));
    EXPECT_EQ(inspect_data(none).images, 0U);
}

TEST(InspectData, StopsWhenAsked) {
    TempFolder folder;
    folder.write("a/1.jpg", jpeg_of(waves(1)));
    const std::atomic<bool> stop = true;
    const StoppableBy stoppable(&stop);
    EXPECT_THAT(message_of([&] { inspected(folder.path()); }, ErrorCode::interrupted),
                testing::Not(""));
}

// ---- Pairs of hashes --------------------------------------------------------------------------

using Pairs = std::multiset<std::tuple<std::uint32_t, std::uint32_t, int>>;

Pairs fast_pairs(const std::vector<std::uint64_t>& hashes, int bits) {
    Pairs pairs;
    inspect::for_each_near_pair(hashes, bits, [&](std::uint32_t i, std::uint32_t j, int d) {
        pairs.emplace(std::min(i, j), std::max(i, j), d);
    });
    return pairs;
}

/// The reference implementation compares all pairs bit by bit.
Pairs slow_pairs(const std::vector<std::uint64_t>& hashes, int bits) {
    Pairs pairs;
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
        for (std::uint32_t j = i + 1; j < hashes.size(); ++j) {
            int differ = 0;
            for (int b = 0; b < 64; ++b) differ += (hashes[i] >> b & 1) != (hashes[j] >> b & 1);
            if (differ <= bits) pairs.emplace(i, j, differ);
        }
    }
    return pairs;
}

TEST(NearPairs, AreThoseOfComparingEachWithEach) {
    for (int bits = 0; bits <= inspect::most_bits; ++bits) {
        RandomStream random(static_cast<std::uint64_t>(bits), "hashes of tests");
        std::vector<std::uint64_t> hashes = {0, UINT64_MAX, 1, UINT64_MAX >> 1};
        for (int family = 0; family < 60; ++family) {
            const std::uint64_t first = random.below(UINT64_MAX);
            hashes.push_back(first);
            for (int member = 0; member < 5; ++member) {
                std::uint64_t hash = first;
                for (int flips = 0; flips < bits + member - 2; ++flips)
                    hash ^= std::uint64_t{1} << random.below(64);
                hashes.push_back(hash);
            }
        }
        const Pairs expected = slow_pairs(hashes, bits);
        EXPECT_GT(expected.size(), 50U) << bits;
        EXPECT_EQ(fast_pairs(hashes, bits), expected) << bits;
    }
    EXPECT_TRUE(fast_pairs({}, 4).empty());
    EXPECT_TRUE(fast_pairs({5}, 4).empty());
}

/// The groups of a folder, found by a search that goes from image to image.
TEST(NearPairs, GroupsAreThoseOfAWalkFromImageToImage) {
    TempFolder folder;
    std::vector<std::string> names;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        for (const int quality : {95, 30, 5}) {
            names.push_back("a/" + std::to_string(100 + seed) + "_" + std::to_string(quality) +
                            ".jpg");
            folder.write(names.back(), jpeg_of(waves(seed, 60, 50), quality));
        }
    }
    std::sort(names.begin(), names.end());
    constexpr int bits = 4;
    std::vector<std::uint64_t> hashes;
    for (const std::string& name : names) hashes.push_back(near_hash(load_image(folder / name)));
    std::set<std::vector<std::string>> expected;
    std::vector<bool> seen(names.size());
    for (std::size_t first = 0; first < names.size(); ++first) {
        if (seen[first]) continue;
        std::vector<std::size_t> group = {first};
        seen[first] = true;
        for (std::size_t at = 0; at < group.size(); ++at) {
            for (std::size_t other = 0; other < names.size(); ++other) {
                if (seen[other] || std::popcount(hashes[group[at]] ^ hashes[other]) > bits)
                    continue;
                seen[other] = true;
                group.push_back(other);
            }
        }
        std::sort(group.begin(), group.end());
        std::vector<std::string> members;
        for (const std::size_t m : group) members.push_back(names[m]);
        if (members.size() > 1) expected.insert(members);
    }
    ASSERT_FALSE(expected.empty());
    const InspectResult r = inspected(folder.path(), {.near = bits, .examples = 100});
    std::set<std::vector<std::string>> found;
    for (const DuplicateGroup& group : r.near_duplicates.examples) found.insert(ids_of(group));
    EXPECT_EQ(found, expected);
    EXPECT_EQ(r.near_duplicates.groups, expected.size());
}

}  // namespace
}  // namespace assay
