// What a corruption gets, and the list of them; each writes an image of the same size.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/robustness/corruption.h"
#include "core/growing_table.h"
#include "core/random.h"

namespace assay::robustness {

struct Work {
    const Image& image;
    int severity;  ///< 1 to 5
    RandomStream& draws;
    const FrostPhotographs* frost;

    std::size_t level() const { return static_cast<std::size_t>(severity - 1); }
    std::size_t pixels() const { return image.pixels.size() / 4; }
};

/// What one corruption takes at most beside the image, per pixel: measured on images of 6 and 24
/// megapixels (bench/corruption_memory.py).
inline constexpr std::uint64_t bytes_per_pixel = 48;

/// Throws bad_input: an image of these sides is smaller than min_side or larger than a photograph.
void check_size(const Corruption& corruption, int severity, int width, int height,
                const FrostPhotographs* frost);

/// All corruptions, to which plug-ins add.
GrowingTable<Corruption>& whole_table();

/// A parameter at each severity.
using Levels = std::array<double, corruption_severities>;

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

/// Sums that should be whole numbers are, in floats, a little less half of the time; cutting would
/// take a level from them.
inline constexpr float cut_slack = 1.0F / 1024;

/// A level (0 to 255) to a byte: clipped, then cut.
inline std::uint8_t cut(float level) {
    // min and max are instructions; std::clamp() is branches, and noise is hard to predict.
    return static_cast<std::uint8_t>(std::min(std::max(level + cut_slack, 0.0F), 255.0F));
}

}  // namespace assay::robustness
