// Describes the parameters for smaller images, and the images for which they are meant. The numbers
// themselves are next to each corruption.
#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/refuse.h"
#include "robustness/work.h"

namespace assay {
namespace {

/// Values are from the published programs for CIFAR-10-C and Tiny-ImageNet-C.
struct SmallImages {
    std::array<int, corruption_severities> min_side;
    std::string_view parameters;
};
struct SmallRow {
    std::string_view name;
    SmallImages tiny, cifar;
};

constexpr std::array<int, corruption_severities> any_size = {1, 1, 1, 1, 1};

constexpr std::array<SmallRow, 20> small_rows = {{
    {"gaussian_noise",
     {any_size, "standard deviation .04 .08 .12 .15 .18"},
     {any_size, "standard deviation .04 .06 .08 .09 .1"}},
    {"shot_noise", {any_size, "photons 250 100 50 30 15"}, {any_size, "photons 500 250 100 75 50"}},
    {"impulse_noise",
     {any_size, "proportion of values .01 .02 .05 .08 .14"},
     {any_size, "proportion of values .01 .02 .03 .05 .07"}},
    {"defocus_blur",
     {{9, 9, 9, 9, 9}, "radius .5 1 1.5 2.5 3"},
     {{9, 9, 9, 9, 9}, "radius .3 .4 .5 1 1.5"}},
    {"glass_blur",
     {{5, 5, 7, 9, 9}, "sigma .1 .5 .6 .7 .9, distance 1 1 1 2 2, passes 1 1 2 1 2"},
     {{5, 5, 5, 5, 5}, "sigma .05 .25 .4 .25 .4, distance 1, passes 1 1 1 2 2"}},
    {"motion_blur",
     {{21, 21, 21, 21, 25}, "radius 10 10 10 10 12, sigma 1 1.5 2 2.5 3"},
     {{13, 13, 13, 17, 19}, "radius 6 6 6 8 9, sigma 1 1.5 2 2 2.5"}},
    {"zoom_blur",
     {{8, 8, 8, 8, 8}, "zoom up to 1.06 1.11 1.15 1.20 1.25"},
     {{8, 8, 8, 8, 8}, "zoom up to 1.06 1.11 1.15 1.20 1.25"}},
    {"snow",
     {{17, 21, 21, 25, 29},
      "mean .1 .1 .15 .25 .3, zoom 1 1 1.75 2.25 1.25, blend .8 .8 .7 .65 .6"},
     {{17, 21, 21, 25, 29},
      "mean .1 .1 .15 .25 .3, zoom 1 1 1.75 2.25 1.25, blend .95 .9 .9 .85 .8"}},
    {"frost",
     {any_size, "image 1 .9 .8 .75 .7, frost .3 .4 .45 .5 .55, photographs x .3"},
     {any_size, "image 1 1 .9 .85 .75, frost .2 .3 .4 .4 .45, photographs x .2"}},
    {"fog",
     {any_size, "amount .4 .7 1 1.5 2, decay 3 3 2.5 2 1.75"},
     {any_size, "amount .2 .5 .75 1 1.5, decay 3 3 2.5 2 1.75"}},
    {"brightness", {any_size, "value + .1 .2 .3 .4 .5"}, {any_size, "value + .05 .1 .15 .2 .3"}},
    {"contrast", {any_size, "factor .4 .3 .2 .1 .05"}, {any_size, "factor .75 .5 .4 .3 .15"}},
    {"elastic_transform",
     {{8, 8, 8, 8, 8},
      "64 x (amount 0 .05 .1 .1 .16, sigma 0 .3 .08 .03 .03, affine .08 .06 .06 .03 .02)"},
     {{8, 8, 8, 8, 8},
      "32 x (amount 0 .05 .08 .1 .1, sigma 0 .2 .06 .04 .03, affine .08 .07 .06 .05 .03)"}},
    {"pixelate",
     {{2, 2, 2, 2, 2}, "side x .9 .8 .7 .6 .5"},
     {{2, 2, 2, 2, 2}, "side x .95 .9 .85 .75 .65"}},
    {"jpeg_compression",
     {any_size, "quality 65 58 50 40 25"},
     {any_size, "quality 80 65 58 50 40"}},
    {"speckle_noise",
     {any_size, "standard deviation .15 .2 .25 .3 .35 x value"},
     {any_size, "standard deviation .06 .1 .12 .16 .2 x value"}},
    {"gaussian_blur",
     {{3, 4, 5, 6, 7}, "sigma .5 .75 1 1.25 1.5"},
     {{3, 4, 4, 5, 5}, "sigma .4 .6 .7 .8 1"}},
    {"spatter",
     {{4, 5, 5, 4, 4}, "water .62 .65 .65, mud .65 .65"},
     {{4, 5, 5, 4, 4}, "water .62 .65 .65, mud .65 .65"}},
    {"saturate",
     {any_size, "saturation x .3 .1 2 5 30 + 0 0 0 .1 .2"},
     {any_size, "saturation x .3 .1 1.5 2 2.5 + 0 0 0 .1 .2"}},
    {"frost_synthetic",
     {any_size, "as frost, with crystals that are computed"},
     {any_size, "as frost, with crystals that are computed"}},
}};

/// Returns nullptr for ImageNet-C, and for corruptions from plug-ins, which have one set of
/// parameters.
const SmallImages* small_images(const Corruption& corruption, CorruptionProfile profile) {
    if (profile == CorruptionProfile::imagenet || !corruption.file.empty()) return nullptr;
    const auto* row = std::ranges::find(small_rows, corruption.name, &SmallRow::name);
    if (row == small_rows.end()) return nullptr;
    return profile == CorruptionProfile::cifar ? &row->cifar : &row->tiny;
}

struct ProfileRow {
    std::string_view name, published;
    int longest_side;  ///< longest side of suitable images; 0 means any
};
constexpr std::array<ProfileRow, corruption_profiles> profile_rows = {
    {{"imagenet", "ImageNet-C", 0},
     {"tiny-imagenet", "Tiny-ImageNet-C", 96},
     {"cifar", "CIFAR-10-C", 48}}};

const ProfileRow& row_of(CorruptionProfile profile) {
    return profile_rows[static_cast<std::size_t>(profile)];
}

}  // namespace

std::string_view name_of(CorruptionProfile profile) {
    return row_of(profile).name;
}

std::string_view published_set(CorruptionProfile profile) {
    return row_of(profile).published;
}

CorruptionProfile corruption_profile_named(std::string_view name) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < profile_rows.size(); ++i) {
        if (profile_rows[i].name == name) return static_cast<CorruptionProfile>(i);
        names.emplace_back(profile_rows[i].name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown profile `{}`{}", name, suggest(name, names)));
}

CorruptionProfile corruption_profile_for(int width, int height) {
    const int side = std::max(width, height);
    for (const auto profile : {CorruptionProfile::cifar, CorruptionProfile::tiny_imagenet})
        if (side <= row_of(profile).longest_side) return profile;
    return CorruptionProfile::imagenet;
}

int min_side_of(const Corruption& corruption, int severity, CorruptionProfile profile) {
    const SmallImages* small = small_images(corruption, profile);
    const auto& sides = small == nullptr ? corruption.min_side : small->min_side;
    return sides[static_cast<std::size_t>(severity - 1)];
}

std::string_view parameters_of(const Corruption& corruption, CorruptionProfile profile) {
    const SmallImages* small = small_images(corruption, profile);
    return small == nullptr ? corruption.parameters : small->parameters;
}

bool robustness::was_made_otherwise(const Corruption& corruption, CorruptionProfile profile,
                                    int crop) {
    if (profile != CorruptionProfile::imagenet || crop == 224) return false;
    // Fractals had a side of at least 256 pixels. A crop of 0 may give a smaller side.
    if (corruption.name == "fog" || corruption.name == "frost_synthetic") return crop <= 128;
    return corruption.name == "zoom_blur";
}

}  // namespace assay
