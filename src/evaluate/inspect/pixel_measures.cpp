#include "evaluate/inspect/pixel_measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "assay/image/preprocess.h"
#include "image/luma_plane.h"

namespace assay::inspect {
namespace {

constexpr int longest_side = 128;

using LevelCounts = std::array<std::uint64_t, 256>;

LumaPlane reduced_luma(const Image& image) {
    const int longer = std::max(image.width, image.height);
    if (longer <= longest_side) return luma_plane(image);
    const auto reduced = [&](int side) {
        const std::int64_t rounded =
            (2 * std::int64_t{side} * longest_side + longer) / (2 * std::int64_t{longer});
        return std::max(static_cast<int>(rounded), 1);
    };
    return luma_plane(resize(image, Interpolation::box,
                             {.width = reduced(image.width), .height = reduced(image.height)}));
}

/// The least level that `percent` % of the pixels do not exceed, from 0 to 1.
double percentile_of(const LevelCounts& counts, std::uint64_t pixels, std::uint64_t percent) {
    std::uint64_t up_to = 0;
    std::size_t level = 0;
    for (; level + 1 < counts.size(); ++level) {
        up_to += counts[level];
        if (100 * up_to >= percent * pixels) break;
    }
    return static_cast<double>(level) / 255;
}

double entropy_of(const LevelCounts& counts, std::uint64_t pixels) {
    double bits = 0;
    for (const std::uint64_t count : counts) {
        if (count == 0) continue;
        const double proportion = static_cast<double>(count) / static_cast<double>(pixels);
        bits -= proportion * std::log2(proportion);
    }
    return bits;
}

double variance_of(const LevelCounts& counts, std::uint64_t pixels) {
    std::uint64_t sum = 0, squares = 0;
    for (std::uint64_t level = 0; level < counts.size(); ++level) {
        sum += level * counts[level];
        squares += level * level * counts[level];
    }
    // At most 128 x 128 pixels: the products fit 64 bits.
    const auto square = static_cast<double>(pixels) * static_cast<double>(pixels);
    return static_cast<double>(pixels * squares - sum * sum) / square;
}

}  // namespace

PixelMeasures pixel_measures(const Image& image) {
    const LumaPlane plane = reduced_luma(image);
    LevelCounts counts{};
    for (const std::uint8_t level : plane.levels) ++counts[level];
    const auto pixels = static_cast<std::uint64_t>(plane.levels.size());
    const double variance = variance_of(counts, pixels);
    return {.percentile_5 = percentile_of(counts, pixels, 5),
            .percentile_99 = percentile_of(counts, pixels, 99),
            .entropy = entropy_of(counts, pixels),
            .sharpness = variance > 0 ? laplacian_variance(plane) / variance
                                      : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace assay::inspect
