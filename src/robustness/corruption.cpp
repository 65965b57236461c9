// The table of corruptions.
#include "assay/robustness/corruption.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/refuse.h"
#include "data/name_hash.h"
#include "robustness/work.h"

namespace assay {
GrowingTable<Corruption>& robustness::whole_table() {
    namespace r = robustness;
    constexpr std::array<int, 5> any = {1, 1, 1, 1, 1};
    static GrowingTable<Corruption> table(std::vector<Corruption>{
        // Name, group, extra, random, photographs, min_side, AlexNet's error, parameters, function.
        {"gaussian_noise", "noise", false, true, false, any, .886428,
         "standard deviation .08 .12 .18 .26 .38", r::gaussian_noise},
        {"shot_noise", "noise", false, true, false, any, .894468, "photons 60 25 12 5 3",
         r::shot_noise},
        {"impulse_noise", "noise", false, true, false, any, .922640,
         "proportion of values .03 .06 .09 .17 .27", r::impulse_noise},
        {"defocus_blur",
         "blur",
         false,
         false,
         false,
         {9, 9, 9, 9, 11},
         .819880,
         "radius 3 4 6 8 10",
         r::defocus_blur},
        {"glass_blur",
         "blur",
         false,
         true,
         false,
         {7, 9, 9, 9, 13},
         .826268,
         "sigma .7 .9 1 1.1 1.5, distance 1 2 2 3 4, passes 2 1 3 2 2",
         r::glass_blur},
        {"motion_blur",
         "blur",
         false,
         true,
         false,
         {21, 31, 31, 31, 41},
         .785948,
         "radius 10 15 15 15 20, sigma 3 5 8 12 15",
         r::motion_blur},
        {"zoom_blur",
         "blur",
         false,
         false,
         false,
         {8, 8, 8, 8, 8},
         .798360,
         "zoom up to 1.11 1.15 1.20 1.24 1.30",
         r::zoom_blur},
        {"snow",
         "weather",
         false,
         true,
         false,
         {21, 25, 25, 25, 25},
         .866816,
         "mean .1 .2 .55 .55 .55, zoom 3 2 4 4.5 2.5, blend .8 .7 .7 .65 .55",
         r::snow},
        {"frost", "weather", false, true, true, any, .826572,
         "image 1 .8 .7 .65 .6, frost .4 .6 .7 .7 .75", r::frost},
        {"fog", "weather", false, true, false, any, .819324,
         "amount 1.5 2 2.5 2.5 3, decay 2 2 1.7 1.5 1.4", r::fog},
        {"brightness", "weather", false, false, false, any, .564592, "value + .1 .2 .3 .4 .5",
         r::brightness},
        {"contrast", "digital", false, false, false, any, .853204, "factor .4 .3 .2 .1 .05",
         r::contrast},
        {"elastic_transform",
         "digital",
         false,
         true,
         false,
         {8, 8, 8, 8, 8},
         .646056,
         "244 x (amount 2 2 .05 .07 .12, sigma .7 .08 .01 .01 .01, affine .1 .2 .02 .02 .02)",
         r::elastic_transform},
        {"pixelate",
         "digital",
         false,
         false,
         false,
         {2, 2, 3, 4, 4},
         .717840,
         "side x .6 .5 .4 .3 .25",
         r::pixelate},
        {"jpeg_compression", "digital", false, false, false, any, .606500, "quality 25 18 15 10 7",
         r::jpeg_compression},
        {"speckle_noise", "noise", true, true, false, any, std::nullopt,
         "standard deviation .15 .2 .35 .45 .6 x value", r::speckle_noise},
        {"gaussian_blur",
         "blur",
         true,
         false,
         false,
         {5, 9, 13, 17, 25},
         std::nullopt,
         "sigma 1 2 3 4 6",
         r::gaussian_blur},
        {"spatter",
         "weather",
         true,
         true,
         false,
         {17, 13, 9, 7, 7},
         std::nullopt,
         "water .65 .65 .65, mud .65 .67",
         r::spatter},
        {"saturate", "digital", true, false, false, any, std::nullopt,
         "saturation x .3 .1 2 5 20 + 0 0 0 .1 .2", r::saturate},
        {"frost_synthetic", "weather", true, true, false, any, std::nullopt,
         "like frost, with computed crystals", r::frost_synthetic},
    });
    return table;
}

std::span<const Corruption> corruptions() {
    return robustness::whole_table().rows();
}

const Corruption& corruption_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Corruption& c : corruptions()) {
        if (c.name == name) return c;
        names.emplace_back(c.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown corruption `{}`{}", name, suggest(name, names)));
}

void robustness::check_size(const Corruption& corruption, int severity, int width, int height,
                            const FrostPhotographs* frost, CorruptionProfile profile) {
    const int least = min_side_of(corruption, severity, profile);
    if (width < least || height < least) {
        refuse(
            fmt::format("{} at severity {} needs images of {} x {} pixels or more; this one has "
                        "{} x {}",
                        corruption.name, severity, least, least, width, height));
    }
    if (!corruption.photographs || frost == nullptr) return;
    for (const Image& photograph : frost->images) {
        const int across = scaled_frost(photograph.width, profile);
        const int down = scaled_frost(photograph.height, profile);
        if (across < width || down < height) {
            refuse(fmt::format(
                "a photograph of frost has {} x {} pixels{}, fewer than the image ({} x {})",
                across, down,
                profile == CorruptionProfile::imagenet
                    ? std::string()
                    : fmt::format(", scaled as in {}", published_set(profile)),
                width, height));
        }
    }
}

Image corrupt(const Image& image, const Corruption& corruption, int severity,
              const CorruptionSeed& seed, const FrostPhotographs* frost,
              CorruptionProfile profile) {
    if (severity < 1 || severity > corruption_severities) {
        throw Error(ErrorCode::usage,
                    fmt::format("severity {}; allowed: 1 to {}", severity, corruption_severities));
    }
    if (corruption.photographs && (frost == nullptr || frost->images.empty())) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} needs a folder of photographs; frost_synthetic needs none",
                                corruption.name));
    }
    robustness::check_size(corruption, severity, image.width, image.height, frost, profile);
    if (image.pixels.size() != std::size_t{4} * image.width * image.height) {
        refuse(fmt::format("an image of {} x {} pixels cannot have {} bytes", image.width,
                           image.height, image.pixels.size()));
    }
    RandomStream draws(seed.seed, fmt::format("corrupt.{}.{}", corruption.name, severity),
                       name_hash(seed.image).first);
    Image out{image.width, image.height, std::vector<std::uint8_t>(image.pixels.size())};
    corruption.apply({image, severity, draws, frost, profile}, out);
    return out;
}

}  // namespace assay
