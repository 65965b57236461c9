// Images that assay inspect reports as dark, nearly white, blurred, without detail or odd in size.
#include "evaluate/inspect/unusual_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assay/image/encode.h"
#include "assay/report.h"
#include "core/random.h"
#include "data/temp_folder.h"
#include "evaluate/inspect/pixel_measures.h"
#include "image/luma.h"

namespace assay::inspect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = UnusualImages::Kind;

/// The level of the pixel at (x, y).
using LevelAt = std::function<int(int x, int y)>;

Image grey_levels(int width, int height, const LevelAt& level_at) {
    Image image{.width = width, .height = height, .pixels = {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const auto level = static_cast<std::uint8_t>(level_at(x, y));
            image.pixels.insert(image.pixels.end(), {level, level, level, 255});
        }
    }
    return image;
}

/// Levels from `least` to `most`, drawn for each pixel.
Image noise(int width, int height, int least, int most) {
    RandomStream random(static_cast<std::uint64_t>(width * 1000 + least), "levels of tests");
    return grey_levels(width, height, [&](int, int) {
        return least + static_cast<int>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    });
}

int checkered(int x, int y) {
    return (x + y) % 2 == 0 ? 0 : 255;
}

// Each Laplacian is +-4 * 255 with mean 0, and the variance of the luma is 127.5^2: the ratio is
// 1020^2 / 127.5^2 = 64.
TEST(PixelMeasures, AreThoseOfACheckerboardAtAnyResolution) {
    const PixelMeasures small = pixel_measures(grey_levels(128, 64, checkered));
    EXPECT_EQ(small.sharpness, 64);
    EXPECT_EQ(small.entropy, 1);
    EXPECT_EQ(small.percentile_5, 0);
    EXPECT_EQ(small.percentile_99, 1);
    const PixelMeasures large =
        pixel_measures(grey_levels(384, 192, [](int x, int y) { return checkered(x / 3, y / 3); }));
    EXPECT_EQ(large.sharpness, 64);
    EXPECT_EQ(large.entropy, 1);
}

// Of 256 levels, 5 % are 12.8 pixels and 99 % are 253.44 pixels.
TEST(PixelMeasures, AreThoseOfAllLevels) {
    const PixelMeasures all =
        pixel_measures(grey_levels(16, 16, [](int x, int y) { return 16 * y + x; }));
    EXPECT_EQ(all.entropy, 8);
    EXPECT_EQ(all.percentile_5, 12.0 / 255);
    EXPECT_EQ(all.percentile_99, 253.0 / 255);
    EXPECT_EQ(all.sharpness, 0);  // a plane
}

TEST(PixelMeasures, HaveNoSharpnessWithoutContrastOrInnerPixels) {
    const PixelMeasures flat = pixel_measures(noise(20, 20, 7, 7));
    EXPECT_TRUE(std::isnan(flat.sharpness));
    EXPECT_EQ(flat.entropy, 0);
    EXPECT_TRUE(std::isnan(pixel_measures(noise(50, 2, 0, 255)).sharpness));
    EXPECT_TRUE(std::isnan(pixel_measures(noise(1, 1, 9, 9)).sharpness));
    // Reduced to 128 x 1 pixels.
    EXPECT_TRUE(std::isnan(pixel_measures(noise(900, 2, 0, 255)).sharpness));
}

/// The definitions, computed from a sorted list and floating-point sums.
TEST(PixelMeasures, AreThoseOfASlowImplementation) {
    RandomStream random(5, "colours of tests");
    Image image{.width = 41, .height = 29, .pixels = {}};
    for (int i = 0; i < 41 * 29; ++i) {
        for (int c = 0; c < 3; ++c)
            image.pixels.push_back(static_cast<std::uint8_t>(random.below(200)));
        image.pixels.push_back(255);
    }
    std::vector<double> levels;
    for (std::size_t i = 0; i < image.pixels.size(); i += 4)
        levels.push_back(luma(image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]));
    const auto variance = [](const std::vector<double>& values) {
        double mean = 0, squares = 0;
        for (const double v : values) mean += v / static_cast<double>(values.size());
        for (const double v : values) squares += (v - mean) * (v - mean);
        return squares / static_cast<double>(values.size());
    };
    std::vector<double> laplacians;
    const auto at = [&](int x, int y) { return levels[static_cast<std::size_t>(41 * y + x)]; };
    for (int y = 1; y < 28; ++y)
        for (int x = 1; x < 40; ++x)
            laplacians.push_back(at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) -
                                 4 * at(x, y));
    std::map<double, double> proportions;
    for (const double v : levels) proportions[v] += 1.0 / (41 * 29);
    double entropy = 0;
    for (const auto& [level, p] : proportions) entropy -= p * std::log(p) / std::log(2.0);
    const PixelMeasures found = pixel_measures(image);
    EXPECT_NEAR(found.sharpness, variance(laplacians) / variance(levels), 1e-9);
    EXPECT_NEAR(found.entropy, entropy, 1e-9);
    std::sort(levels.begin(), levels.end());
    // 1189 pixels: 5 % are 59.45, 99 % are 1177.11.
    EXPECT_EQ(found.percentile_5, levels[59] / 255);
    EXPECT_EQ(found.percentile_99, levels[1177] / 255);
}

/// A data set of `images` ids without labels.
Dataset named_images(std::size_t images) {
    Dataset dataset;
    for (std::size_t i = 0; i < images; ++i) dataset.ids.append("i" + std::to_string(i));
    return dataset;
}

constexpr PixelMeasures plain = {
    .percentile_5 = 0.1, .percentile_99 = 0.9, .entropy = 7, .sharpness = 1};

const UnusualImages& of_kind(const std::vector<UnusualImages>& all, Kind kind) {
    return *std::ranges::find(all, kind, &UnusualImages::kind);
}

TEST(UnusualTally, ImagesAtALimitAreUsual) {
    UnusualTally tally(5);
    SizeCounts sizes;
    std::uint32_t item = 0;
    const auto add = [&](int width, int height, const PixelMeasures& measures) {
        tally.add(item++, width, height, measures);
        ++sizes[{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)}];
    };
    PixelMeasures at = plain, beyond = plain;
    at.percentile_99 = 0.32, beyond.percentile_99 = 81.0 / 255;
    add(100, 100, at), add(100, 100, beyond);
    at = plain, beyond = plain;
    at.percentile_5 = 0.95, beyond.percentile_5 = 243.0 / 255;
    add(100, 100, at), add(100, 100, beyond);
    at = plain, beyond = plain;
    at.sharpness = 0.02, beyond.sharpness = 0.0199;
    add(100, 100, at), add(100, 100, beyond);
    at = plain, beyond = plain;
    at.entropy = 3, beyond.entropy = 2.9;
    add(100, 100, at), add(100, 100, beyond);
    beyond.percentile_99 = 0;  // dark, and therefore not counted as without information
    add(100, 100, beyond);
    add(100, 35, plain), add(34, 100, plain);
    beyond = plain;
    beyond.sharpness = std::nan("");
    add(100, 100, beyond);
    const std::vector<UnusualImages> found = tally.result(named_images(item), sizes);
    const std::vector<std::uint64_t> expected = {2, 1, 1, 1, 1, 0};
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(found[k].images, expected[k]) << unusual_id(found[k].kind);
    const UnusualImages& dark = of_kind(found, Kind::dark);
    ASSERT_EQ(dark.examples.size(), 2U);
    EXPECT_EQ(dark.examples[0].image.id, "i8");  // the darkest first
    EXPECT_EQ(dark.examples[1].image.id, "i1");
    EXPECT_EQ(dark.below, 0.32);
    EXPECT_FALSE(dark.above);
    EXPECT_EQ(of_kind(found, Kind::long_and_narrow).examples[0].image.id, "i10");
}

UnusualImages odd_sizes_of(const std::vector<std::pair<int, int>>& images, std::size_t examples) {
    UnusualTally tally(examples);
    SizeCounts sizes;
    std::uint32_t item = 0;
    for (const auto& [width, height] : images) {
        tally.add(item++, width, height, plain);
        ++sizes[{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)}];
    }
    return of_kind(tally.result(named_images(images.size()), sizes), Kind::odd_size);
}

// Equal quartiles of 10,000 pixels: the limits are a factor of 4 away.
TEST(UnusualTally, OddSizesAreFarFromTheQuartiles) {
    std::vector<std::pair<int, int>> images(100, {100, 100});
    images.insert(images.end(), {{50, 50}, {49, 50}, {200, 200}, {201, 200}, {10, 10}});
    const UnusualImages found = odd_sizes_of(images, 2);
    EXPECT_EQ(found.below, 2500);
    EXPECT_EQ(found.above, 40000);
    EXPECT_EQ(found.images, 3U);
    ASSERT_EQ(found.examples.size(), 2U);
    EXPECT_EQ(found.examples[0].image.id, "i104");
    EXPECT_EQ(found.examples[0].value, 100);
    // 40,200 / 40,000 is nearer to 1 than 2,500 / 2,450.
    EXPECT_EQ(found.examples[1].image.id, "i101");
}

// Quartiles of 10,000 and 20,000 pixels: three interquartile ranges of the logarithm are a factor
// of 2^3.
TEST(UnusualTally, TheLimitsOfSizesAreTukeysOuterFences) {
    std::vector<std::pair<int, int>> images(50, {100, 100});
    images.insert(images.end(), 50, {200, 100});
    const UnusualImages found = odd_sizes_of(images, 2);
    EXPECT_EQ(found.below, 1250);
    EXPECT_EQ(found.above, 160000);
    EXPECT_EQ(found.images, 0U);
    EXPECT_EQ(odd_sizes_of({{1, 1}, {900, 900}}, 2).images, 0U);
    EXPECT_TRUE(UnusualTally(5).result(named_images(0), {}).empty());
}

TEST(InspectUnusual, FindsWhatIsPlantedAndNothingElse) {
    TempFolder folder;
    const auto write = [&](const std::string& name, const Image& image) {
        save_png(image, folder.write(name, ""));
    };
    for (int i = 0; i < 12; ++i)
        write("a/plain" + std::to_string(10 + i) + ".png", noise(40, 30, i, 235));
    {
        OpenedDataset data;
        data.dataset = open_dataset(folder.path(), {});
        const InspectResult clean = inspect_data(data);
        EXPECT_EQ(clean.unusual.size(), 6U);
        EXPECT_THAT(render(report_of(clean), ReportFormat::text),
                    HasSubstr("✓ no image is dark, nearly white, blurred"));
    }
    write("b/dark.png", noise(40, 30, 0, 60));
    write("b/flat.png", noise(40, 30, 100, 105));
    write("b/large.png", noise(400, 300, 0, 255));
    write("b/narrow.png", noise(120, 10, 0, 255));
    write("b/smooth.png", grey_levels(40, 30, [](int x, int) { return 6 * x; }));
    write("b/tiny.png", noise(8, 6, 0, 255));
    write("b/white.png", noise(40, 30, 244, 255));
    OpenedDataset data;
    data.dataset = open_dataset(folder.path(), {});
    const InspectResult r = inspect_data(data);
    std::vector<std::string> found;
    for (const UnusualImages& unusual : r.unusual) {
        EXPECT_EQ(unusual.images, unusual.examples.size());
        for (const UnusualImage& example : unusual.examples) {
            EXPECT_THAT(example.image.labels, ElementsAre("b"));
            found.push_back(unusual_id(unusual.kind) + " " + example.image.id);
        }
    }
    EXPECT_THAT(found,
                ElementsAre("dark b/dark.png", "nearly_white b/white.png", "blurred b/smooth.png",
                            "low_information b/flat.png", "long_and_narrow b/narrow.png",
                            "odd_size b/large.png", "odd_size b/tiny.png"));
    EXPECT_FALSE(has_faults(r));
    const Report report = report_of(r);
    const std::string text = render(report, ReportFormat::text);
    EXPECT_THAT(text, HasSubstr("· 1 image is dark (99th percentile of the luma below 0.32)\n"
                                "    b/dark.png [b]: 0.2"));
    EXPECT_THAT(text, HasSubstr("· 2 images have unusual sizes (pixels below 300 or above 4,800)\n"
                                "    b/large.png [b]: 120,000\n    b/tiny.png [b]: 48"));
    EXPECT_THAT(render(report, ReportFormat::csv), HasSubstr("odd_size,,b/tiny.png,b,,,48,\n"));
}

}  // namespace
}  // namespace assay::inspect
