// The input and list of corruptions. Each corruption writes an image of the same size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/robustness/corruption.h"
#include "core/growing_table.h"
#include "core/random.h"

namespace assay::robustness {

/// A parameter for each profile (ImageNet-C, Tiny-ImageNet-C, CIFAR-10-C) and each severity.
template <typename T>
using ByProfile = std::array<std::array<T, corruption_severities>, corruption_profiles>;
using Levels = ByProfile<double>;

struct Work {
    const Image& image;
    int severity;  ///< 1 to 5
    RandomStream& draws;
    const FrostPhotographs* frost;
    CorruptionProfile profile = CorruptionProfile::imagenet;

    std::size_t level() const { return static_cast<std::size_t>(severity - 1); }
    /// The parameter for this profile and severity.
    template <typename T>
    const T& of(const ByProfile<T>& parameters) const {
        return parameters[static_cast<std::size_t>(profile)][level()];
    }
    std::size_t pixels() const { return image.pixels.size() / 4; }
};

/// The most memory per pixel that one corruption needs in addition to the image, measured on images
/// of 6 and 24 megapixels (bench/corruption_memory.py).
inline constexpr std::uint64_t bytes_per_pixel = 48;

/// Throws bad_input if an image with these sides is smaller than min_side_of() or larger than a
/// photograph.
void check_size(const Corruption& corruption, int severity, int width, int height,
                const FrostPhotographs* frost, CorruptionProfile profile);
/// The side in pixels of a photograph of frost that a profile scales.
int scaled_frost(int side, CorruptionProfile profile);
/// The recorded revision of the pixels that was_made_otherwise() describes.
inline constexpr int pixel_revision = 2;
/// True if earlier versions, which only had ImageNet-C's parameters, made different pixels under
/// this name from a window of this crop.
bool was_made_otherwise(const Corruption& corruption, CorruptionProfile profile, int crop);

/// The table of all corruptions. Plug-ins add to it.
GrowingTable<Corruption>& whole_table();

void gaussian_noise(const Work& work, Image& out);
void shot_noise(const Work& work, Image& out);
void impulse_noise(const Work& work, Image& out);
void speckle_noise(const Work& work, Image& out);
void defocus_blur(const Work& work, Image& out);
void glass_blur(const Work& work, Image& out);
void motion_blur(const Work& work, Image& out);
void zoom_blur(const Work& work, Image& out);
void gaussian_blur(const Work& work, Image& out);
void snow(const Work& work, Image& out);
void frost(const Work& work, Image& out);
void frost_synthetic(const Work& work, Image& out);
void fog(const Work& work, Image& out);
void brightness(const Work& work, Image& out);
void contrast(const Work& work, Image& out);
void elastic_transform(const Work& work, Image& out);
void pixelate(const Work& work, Image& out);
void jpeg_compression(const Work& work, Image& out);
void spatter(const Work& work, Image& out);
void saturate(const Work& work, Image& out);

/// In floats, half of the sums that should be whole numbers are slightly smaller. Truncation would
/// lose a level.
inline constexpr float cut_slack = 1.0F / 1024;

/// Converts a level (0 to 255) to a byte: clips, then truncates.
inline std::uint8_t cut(float level) {
    // min and max are instructions. std::clamp() uses branches, and noise is hard to predict.
    return static_cast<std::uint8_t>(std::min(std::max(level + cut_slack, 0.0F), 255.0F));
}

}  // namespace assay::robustness
