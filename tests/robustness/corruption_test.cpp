// Properties of all corruptions, and of single corruptions by their definitions.
#include "assay/robustness/corruption.h"

#include <gmock/gmock.h>

#include <numeric>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "message_of.h"
#include "robustness/images.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::HasSubstr;

FrostPhotographs made_frost() {
    FrostPhotographs frost;
    frost.images = {wavy_image(120, 110, 7), wavy_image(90, 130, 8)};
    return frost;
}

/// The mean and standard deviation of all colour values.
std::pair<double, double> moments(const Image& image) {
    double sum = 0, squares = 0, n = 0;
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
        if (i % 4 == 3) continue;
        sum += image.pixels[i];
        squares += double{1} * image.pixels[i] * image.pixels[i];
        ++n;
    }
    return {sum / n, std::sqrt(squares / n - sum / n * sum / n)};
}

TEST(Corruption, TheTableHasThePaperFifteenFourMoreAndOneOfItsOwn) {
    int paper = 0, extra = 0;
    double errors = 0;
    for (const Corruption& c : corruptions()) {
        (c.extra ? extra : paper) += 1;
        EXPECT_EQ(c.alexnet_error.has_value(), !c.extra) << c.name;
        errors += c.alexnet_error.value_or(0);
        EXPECT_EQ(&corruption_named(c.name), &c);
    }
    EXPECT_EQ(paper, 15);
    EXPECT_EQ(extra, 5);
    // The mean error of AlexNet, as published: 78.9 %.
    EXPECT_NEAR(errors / 15, .789, .0005);
    EXPECT_THAT(message_of([] { corruption_named("gausian_noise"); }, ErrorCode::usage),
                HasSubstr("did you mean `gaussian_noise`"));
}

TEST(CorruptionProfiles, HaveNamesSizesAndParameters) {
    using Profile = CorruptionProfile;
    EXPECT_EQ(corruption_profile_for(48, 1), Profile::cifar);
    EXPECT_EQ(corruption_profile_for(33, 57), Profile::tiny_imagenet);
    EXPECT_EQ(corruption_profile_for(96, 96), Profile::tiny_imagenet);
    EXPECT_EQ(corruption_profile_for(2, 300), Profile::imagenet);
    for (const Profile profile : {Profile::imagenet, Profile::tiny_imagenet, Profile::cifar})
        EXPECT_EQ(corruption_profile_named(name_of(profile)), profile);
    EXPECT_THAT(message_of([] { corruption_profile_named("cifra"); }, ErrorCode::usage),
                HasSubstr("unknown profile `cifra`; known: imagenet, tiny-imagenet, cifar"));
    for (const Corruption& c : corruptions()) {
        if (c.name == "frost_synthetic") continue;
        EXPECT_NE(parameters_of(c, Profile::cifar), parameters_of(c, Profile::imagenet)) << c.name;
        EXPECT_LE(min_side_of(c, 5, Profile::cifar), 32) << c.name;
        EXPECT_LE(min_side_of(c, 5, Profile::tiny_imagenet), 64) << c.name;
    }
}

class CorruptionOfProfile : public testing::TestWithParam<CorruptionProfile> {};
INSTANTIATE_TEST_SUITE_P(All, CorruptionOfProfile,
                         testing::Values(CorruptionProfile::imagenet,
                                         CorruptionProfile::tiny_imagenet,
                                         CorruptionProfile::cifar));

TEST_P(CorruptionOfProfile, DependsOnSeedImageAndSeverityAlone) {
    const CorruptionProfile profile = GetParam();
    const Image image = wavy_image(83, 61);
    FrostPhotographs frost;
    frost.images = {wavy_image(600, 500, 7), wavy_image(500, 600, 8)};
    for (const Corruption& c : corruptions()) {
        for (int severity = 1; severity <= corruption_severities; ++severity) {
            SCOPED_TRACE(std::string(c.name) + " " + std::to_string(severity));
            const Image out =
                corrupt(image, c, severity, {.seed = 1, .image = "a"}, &frost, profile);
            EXPECT_EQ(out.width, 83);
            EXPECT_EQ(out.height, 61);
            ASSERT_EQ(out.pixels.size(), image.pixels.size());
            for (std::size_t i = 3; i < out.pixels.size(); i += 4) ASSERT_EQ(out.pixels[i], 255);
            EXPECT_NE(out.pixels, image.pixels);
            const auto pixels = [&](std::uint64_t seed, std::string_view id, int level) {
                return corrupt(image, c, level, {.seed = seed, .image = id}, &frost, profile)
                    .pixels;
            };
            EXPECT_EQ(pixels(1, "a", severity), out.pixels);
            EXPECT_EQ(pixels(2, "a", severity) == out.pixels, !c.random);
            EXPECT_EQ(pixels(1, "b", severity) == out.pixels, !c.random);
            if (severity > 1) {
                EXPECT_NE(pixels(1, "a", severity - 1), out.pixels);
            }
        }
    }
}

// The test also runs without SIMD. The expected bytes are fixed, so both give the same result.
TEST(Corruption, BytesAreTheSameEverywhere) {
    const Image image = wavy_image(83, 61);
    const FrostPhotographs frost = made_frost();
    const std::size_t n = corruptions().size() * corruption_severities;
    for (const int threads : {1, 4}) {
        std::vector<std::string> digests(n);
        parallel_blocks(n, threads, [&](std::size_t i) {
            const Image out = corrupt(image, corruptions()[i / 5], static_cast<int>(i % 5) + 1,
                                      {.seed = 3, .image = "n01440764/x.JPEG"}, &frost);
            digests[i] = hash_bytes(std::as_bytes(std::span(out.pixels)));
        });
        EXPECT_EQ(hash_text(std::accumulate(digests.begin(), digests.end(), std::string())),
                  "xxh128:4337d435c2e4ab43e5b90ab327dd945c")
            << threads << " threads";
    }
}

TEST(CorruptionMoments, NoiseHasTheDeviationOfItsDefinition) {
    // Truncation to 8 bit subtracts 1/2 on average, and adds a variance of 1/12.
    const Image grey = flat_image(224, 224, 128);
    const double n = 3 * 224 * 224;
    const auto check = [&](std::string_view name, int severity, double deviation) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(severity));
        const auto [mean, sd] =
            moments(corrupt(grey, corruption_named(name), severity, {.seed = 5, .image = "grey"}));
        EXPECT_NEAR(mean, 127.5, 4 * deviation / std::sqrt(n));
        EXPECT_NEAR(sd, std::sqrt(deviation * deviation + 1.0 / 12),
                    4 * deviation / std::sqrt(2 * n));
    };
    check("gaussian_noise", 1, .08 * 255);
    check("gaussian_noise", 2, .12 * 255);
    check("speckle_noise", 1, .15 * 128);
    check("speckle_noise", 2, .2 * 128);
    // Poisson(x c) / c has variance x / c, here with 60 and 25 photons and x = 128/255.
    check("shot_noise", 1, 255 * std::sqrt(128.0 / 255 / 60));
    check("shot_noise", 2, 255 * std::sqrt(128.0 / 255 / 25));
}

TEST(CorruptionMoments, SmallerImagesHaveMilderNoise) {
    const Image grey = flat_image(224, 224, 128);
    const double n = 3 * 224 * 224;
    const auto check = [&](std::string_view name, int severity, CorruptionProfile profile,
                           double deviation) {
        SCOPED_TRACE(std::string(name) + " " + std::string(name_of(profile)));
        const auto [mean, sd] = moments(corrupt(grey, corruption_named(name), severity,
                                                {.seed = 5, .image = "grey"}, nullptr, profile));
        EXPECT_NEAR(mean, 127.5, 4 * deviation / std::sqrt(n));
        EXPECT_NEAR(sd, std::sqrt(deviation * deviation + 1.0 / 12),
                    4 * deviation / std::sqrt(2 * n));
    };
    using Profile = CorruptionProfile;
    check("gaussian_noise", 5, Profile::cifar, .10 * 255);
    check("gaussian_noise", 3, Profile::tiny_imagenet, .12 * 255);
    check("speckle_noise", 4, Profile::cifar, .16 * 128);
    check("speckle_noise", 2, Profile::tiny_imagenet, .2 * 128);
}

// A photon is 255 / 500 of a level, so the moments are those of truncated levels. There are more
// photons than a byte can count.
TEST(CorruptionMoments, ShotNoiseOfManyPhotons) {
    const double n = 3 * 224 * 224;
    for (const auto& [severity, photons] : {std::pair{1, 500}, {2, 250}, {5, 50}}) {
        const double lambda = photons * 128 / 255.0;
        double p = std::exp(-lambda), mean = 0, square = 0;
        for (int k = 0; k < 700; p *= lambda / ++k) {
            const double level = std::min(std::floor(255.0 * k / photons + 1e-9), 255.0);
            mean += p * level;
            square += p * level * level;
        }
        const double sd = std::sqrt(square - mean * mean);
        const auto [found, spread] =
            moments(corrupt(flat_image(224, 224, 128), corruption_named("shot_noise"), severity,
                            {.seed = 5, .image = "grey"}, nullptr, CorruptionProfile::cifar));
        EXPECT_NEAR(found, mean, 4 * sd / std::sqrt(n)) << photons;
        EXPECT_NEAR(spread, sd, 4 * sd / std::sqrt(2 * n)) << photons;
    }
}

TEST(CorruptionMoments, FogIsAsThickInSmallImages) {
    const auto deviation = [](int side) {
        double sum = 0;
        for (int i = 0; i < 40; ++i)
            sum += moments(corrupt(flat_image(side, side, 100), corruption_named("fog"), 1,
                                   {.seed = 5, .image = std::to_string(i)}))
                       .second;
        return sum / 40;
    };
    // A 32-pixel part of a 256-pixel fractal would be nearly flat.
    EXPECT_GT(deviation(32), .8 * deviation(256));
}

TEST(CorruptionMoments, ShotNoiseIsPoisson) {
    // With 3 photons and x = 51/255 = 1/5, P(K = 0) = exp(-0.6). 1 photon is 85, 2 are 170, more
    // give white.
    const Image out = corrupt(flat_image(224, 224, 51), corruption_named("shot_noise"), 5,
                              {.seed = 5, .image = "dark"});
    std::array<double, 256> count{};
    for (std::size_t i = 0; i < out.pixels.size(); ++i) count[out.pixels[i]] += i % 4 != 3;
    const double n = 3 * 224 * 224;
    const auto expect = [&](int value, double p) {
        EXPECT_NEAR(count[value] / n, p, 4 * std::sqrt(p * (1 - p) / n)) << value;
    };
    expect(0, std::exp(-.6));
    expect(85, .6 * std::exp(-.6));
    expect(170, .18 * std::exp(-.6));
    expect(255, 1 - 1.78 * std::exp(-.6));
}

TEST(CorruptionMoments, ImpulsesHitTheirProportionHalfBlackHalfWhite) {
    const double n = 3 * 224 * 224;
    const std::array<double, 5> proportion = {.03, .06, .09, .17, .27};
    for (int severity = 1; severity <= 5; ++severity) {
        const Image out = corrupt(flat_image(224, 224, 100), corruption_named("impulse_noise"),
                                  severity, {.seed = 5, .image = "grey"});
        double black = 0, white = 0, kept = 0;
        for (std::size_t i = 0; i < out.pixels.size(); ++i) {
            if (i % 4 == 3) continue;
            black += out.pixels[i] == 0;
            white += out.pixels[i] == 255;
            kept += out.pixels[i] == 100;
        }
        EXPECT_EQ(black + white + kept, n);
        const double half = proportion[severity - 1] / 2;
        EXPECT_NEAR(black / n, half, 4 * std::sqrt(half / n));
        EXPECT_NEAR(white / n, half, 4 * std::sqrt(half / n));
    }
}

TEST(Corruption, ContrastShrinksTheDeviationAndKeepsTheMean) {
    const Image image = wavy_image(224, 224);
    const auto [mean, sd] = moments(image);
    const std::array<double, 5> factor = {.4, .3, .2, .1, .05};
    for (int severity = 1; severity <= 5; ++severity) {
        const auto [after, shrunk] =
            moments(corrupt(image, corruption_named("contrast"), severity, {}));
        EXPECT_NEAR(after, mean - .5, .1);
        EXPECT_NEAR(shrunk / sd, factor[severity - 1], .005);
    }
}

TEST(Corruption, BrightnessRaisesTheBrightestChannelByItsAmount) {
    const Image image = wavy_image(100, 100);
    for (int severity = 1; severity <= 5; ++severity) {
        const Image out = corrupt(image, corruption_named("brightness"), severity, {});
        for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
            const int before =
                std::max({image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]});
            const int after = std::max({out.pixels[i], out.pixels[i + 1], out.pixels[i + 2]});
            ASSERT_NEAR(after, std::min(before + 25.5 * severity, 255.0), 1.01);
        }
    }
}

TEST(Corruption, SaturationOfOneColour) {
    // (200, 100, 50) has value 200, saturation 3/4, and hue 1/3 from red to yellow. Times 0.3 is
    // 0.225, so blue is 200 * 0.775 = 155 and green is 200 * (1 - 2/3 * 0.225) = 170.
    Image image = flat_image(1, 1, 0);
    image.pixels = {200, 100, 50, 255};
    const Image out = corrupt(image, corruption_named("saturate"), 1, {});
    EXPECT_EQ(out.pixels[0], 200);
    EXPECT_NEAR(out.pixels[1], 170, 1);
    EXPECT_NEAR(out.pixels[2], 155, 1);
    // Gray has no saturation to scale.
    EXPECT_EQ(corrupt(flat_image(3, 3, 77), corruption_named("saturate"), 3, {}).pixels,
              flat_image(3, 3, 77).pixels);
}

TEST(Corruption, PixelateAveragesBlocks) {
    const Image image = wavy_image(64, 64);
    const Image out = corrupt(image, corruption_named("pixelate"), 5, {});  // 16 x 16, blocks of 4
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int y = 8; y < 12; ++y) {
            for (int x = 20; x < 24; ++x) sum += value_at(image, x, y, c);
        }
        for (int y = 8; y < 12; ++y) {
            for (int x = 20; x < 24; ++x) EXPECT_NEAR(value_at(out, x, y, c), sum / 16, 1.01);
        }
    }
}

TEST(Corruption, JpegIsThatOfPillow) {
    const Image image = wavy_image(64, 48);
    const Image out = corrupt(image, corruption_named("jpeg_compression"), 2, {});
    const auto bytes = encode_jpeg(image, {.quality = 18, .chroma = JpegChroma::halved});
    EXPECT_EQ(out.pixels, decode_image(bytes).pixels);
    // The frame header must say that luma is sampled 2 x 2 (0x22), and the other channels once.
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_NE(text.find(std::string("\x01\x22\x00\x02\x11\x01\x03\x11\x01", 9)), std::string::npos);
    const auto smaller =
        encode_jpeg(image, {.quality = 18, .chroma = JpegChroma::halved, .optimize = true});
    EXPECT_LT(smaller.size(), bytes.size());
    EXPECT_EQ(decode_image(smaller).pixels, out.pixels);
}

TEST(Corruption, FrostIsAWeightedSumWithAPartOfAPhotograph) {
    FrostPhotographs frost;
    frost.images = {flat_image(300, 300, 200)};
    // Severity 3 has 0.7 * 100 + 0.7 * 200 = 210.
    const Image out = corrupt(flat_image(50, 40, 100), corruption_named("frost"), 3, {}, &frost);
    EXPECT_EQ(out.pixels, flat_image(50, 40, 210).pixels);
    // CIFAR-10-C scales it to 60 x 60 first, which gives 0.9 * 100 + 0.4 * 200 = 170.
    const auto small = [&](int side) {
        return corrupt(flat_image(side, side, 100), corruption_named("frost"), 3, {}, &frost,
                       CorruptionProfile::cifar);
    };
    EXPECT_EQ(small(60).pixels, flat_image(60, 60, 170).pixels);
    EXPECT_THAT(message_of([&] { small(61); }),
                HasSubstr("has 60 x 60 pixels, scaled as in CIFAR-10-C, fewer than the image"));
}

TEST(Corruption, SaysWhatIsWrong) {
    const Image image = flat_image(40, 30, 100);
    EXPECT_THAT(
        message_of([&] { corrupt(image, corruption_named("fog"), 6, {}); }, ErrorCode::usage),
        HasSubstr("severity 6; allowed: 1 to 5"));
    EXPECT_THAT(
        message_of([&] { corrupt(image, corruption_named("frost"), 1, {}); }, ErrorCode::usage),
        HasSubstr("frost_synthetic needs none"));
    EXPECT_THAT(message_of([&] { corrupt(image, corruption_named("motion_blur"), 5, {}); }),
                HasSubstr("motion_blur at severity 5 needs images of 41 x 41 pixels or more; this "
                          "one has 40 x 30"));
    FrostPhotographs frost;
    frost.images = {flat_image(39, 100, 1)};
    EXPECT_THAT(message_of([&] { corrupt(image, corruption_named("frost"), 1, {}, &frost); }),
                HasSubstr("a photograph of frost has 39 x 100 pixels"));
}

TEST_P(CorruptionOfProfile, TheSmallestImageOfEachSeverityPasses) {
    const CorruptionProfile profile = GetParam();
    FrostPhotographs frost;
    frost.images = {wavy_image(600, 500, 7), wavy_image(500, 600, 8)};
    for (const Corruption& c : corruptions()) {
        for (int severity = 1; severity <= 5; ++severity) {
            const int side = min_side_of(c, severity, profile);
            SCOPED_TRACE(std::string(c.name) + " " + std::to_string(severity));
            EXPECT_NO_THROW(corrupt(wavy_image(side, side), c, severity, {}, &frost, profile));
            EXPECT_NO_THROW(corrupt(wavy_image(side, 3 * side), c, severity, {}, &frost, profile));
        }
    }
}

TEST(FrostPhotographs, AreReadByNameAndTheSixthPublishedOneIsNeverDrawn) {
    const Scratch scratch;
    EXPECT_THAT(message_of([&] { read_frost_photographs(scratch.path()); }),
                HasSubstr("no image (.jpg, .png, .webp, .bmp, .tif, .gif, .ppm) is in"));
    EXPECT_THAT(message_of([&] { read_frost_photographs(scratch / "absent"); }),
                HasSubstr("is not a folder"));
    int shade = 1;
    for (const char* name : {"frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg"})
        save_png(flat_image(8, 8, static_cast<std::uint8_t>(10 * shade++)), scratch / name);
    const auto five = read_frost_photographs(scratch.path());
    ASSERT_EQ(five.images.size(), 5U);
    EXPECT_EQ(five.images[1].pixels[0], 20);
    save_png(flat_image(8, 8, 60), scratch / "frost6.jpg");
    const auto published = read_frost_photographs(scratch.path());
    EXPECT_EQ(published.images.size(), 5U);
    EXPECT_EQ(published.fingerprint, five.fingerprint);
    save_png(flat_image(8, 8, 70), scratch / "mine.png");
    EXPECT_EQ(read_frost_photographs(scratch.path()).images.size(), 7U);
}

}  // namespace
}  // namespace assay
