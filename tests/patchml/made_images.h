// Small images with known pixels, and pools of them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "assay/patchml/boxes.h"

namespace assay {

using Rgb = std::array<std::uint8_t, 3>;

inline Rgb pixel(const Image& image, int x, int y) {
    const std::uint8_t* p = image.pixels.data() + 4 * (static_cast<std::size_t>(y) *
                                                           static_cast<std::size_t>(image.width) +
                                                       static_cast<std::size_t>(x));
    return {p[0], p[1], p[2]};
}

inline Image one_colour(int width, int height, Rgb colour) {
    Image image{width, height, {}};
    for (int i = 0; i < width * height; ++i)
        image.pixels.insert(image.pixels.end(), {colour[0], colour[1], colour[2], 255});
    return image;
}

inline void save(const Image& image, const std::filesystem::path& path) {
    std::filesystem::create_directories(path.parent_path());
    save_png(image, path);
}

/// A colour that encodes the number of a patch, and is never black.
inline Rgb colour_of(std::size_t i) {
    return {static_cast<std::uint8_t>(1 + i % 251), static_cast<std::uint8_t>(1 + i / 251 % 251),
            200};
}

/// A pool without images, which is enough for draws and placements. Patch i has class classes[i].
inline PatchPool paper_pool(const std::vector<std::int32_t>& classes, std::size_t class_count,
                            std::int32_t width = 4, std::int32_t height = 4) {
    PatchPool pool;
    pool.classes = numbered_classes(class_count);
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
        pool.images.append("p" + std::to_string(i) + ".png");
        pool.sizes.push_back({width, height});
        pool.patches.push_back(
            {.image = i, .cls = classes[i], .x = 0, .y = 0, .width = width, .height = height});
    }
    pool.read = classes.size();
    return pool;
}

}  // namespace assay
