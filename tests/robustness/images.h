// Images for the tests of corruptions.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "assay/image/image.h"
#include "core/random.h"

namespace assay {

inline Image flat_image(int width, int height, std::uint8_t value) {
    Image image{width, height, {}};
    for (int i = 0; i < width * height; ++i)
        image.pixels.insert(image.pixels.end(), {value, value, value, 255});
    return image;
}

/// An image of waves in three colours, with some noise.
inline Image wavy_image(int width, int height, std::uint64_t seed = 1) {
    RandomStream draws(seed, "robustness.test");
    Image image{width, height, {}};
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < 3; ++c) {
                const double wave = 110 * std::sin(.1 * (c + 1) * x + .07 * (3 - c) * y);
                image.pixels.push_back(static_cast<std::uint8_t>(
                    std::clamp(127 + wave + 20 * draws.uniform() - 10, 0.0, 255.0)));
            }
            image.pixels.push_back(255);
        }
    }
    return image;
}

inline int value_at(const Image& image, int x, int y, int c) {
    return image.pixels[4 * (static_cast<std::size_t>(y) * image.width + x) + c];
}

}  // namespace assay
