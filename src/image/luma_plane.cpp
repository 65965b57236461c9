#include "image/luma_plane.h"

#include <limits>

#include "image/luma.h"

namespace assay {

LumaPlane luma_plane(const Image& image) {
    LumaPlane plane{.width = static_cast<std::size_t>(image.width),
                    .height = static_cast<std::size_t>(image.height),
                    .levels = {}};
    plane.levels.resize(plane.width * plane.height);
    for (std::size_t i = 0; i < plane.levels.size(); ++i) {
        const std::uint8_t* const pixel = image.pixels.data() + 4 * i;
        plane.levels[i] = luma(pixel[0], pixel[1], pixel[2]);
    }
    return plane;
}

double laplacian_variance(const LumaPlane& plane) {
    const std::size_t width = plane.width, height = plane.height;
    if (width < 3 || height < 3) return std::numeric_limits<double>::quiet_NaN();
    std::int64_t sum = 0, squares = 0;
    for (std::size_t y = 1; y + 1 < height; ++y) {
        const std::uint8_t* const row = plane.levels.data() + y * width;
        for (std::size_t x = 1; x + 1 < width; ++x) {
            const int around = row[x - 1] + row[x + 1] + *(row + x - width) + row[x + width];
            const int laplacian = around - 4 * row[x];
            sum += laplacian;
            squares += laplacian * laplacian;
        }
    }
    const auto inner = static_cast<double>((width - 2) * (height - 2));
    const double mean = static_cast<double>(sum) / inner;
    return static_cast<double>(squares) / inner - mean * mean;
}

}  // namespace assay
