#include "image/near_hash.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "assay/image/preprocess.h"

namespace assay {
namespace {

constexpr int hashed_side = 32;
constexpr int hashed_frequencies = 8;

/// Rows 1 to 8 of the transform's matrix in 2^-14. Row 0 only measures the mean brightness.
using CosineRows = std::array<std::array<std::int64_t, hashed_side>, hashed_frequencies>;
const CosineRows& cosine_rows() {
    static const CosineRows rows = [] {
        CosineRows made{};
        for (int f = 0; f < hashed_frequencies; ++f) {
            for (int x = 0; x < hashed_side; ++x) {
                const double angle = std::numbers::pi * (2 * x + 1) * (f + 1) / (2.0 * hashed_side);
                made[static_cast<std::size_t>(f)][static_cast<std::size_t>(x)] =
                    std::llround(16384 * std::cos(angle));
            }
        }
        return made;
    }();
    return rows;
}

}  // namespace

std::uint64_t near_hash(const Image& image) {
    const Image small =
        resize(image, Interpolation::box, {.width = hashed_side, .height = hashed_side});
    const CosineRows& cosines = cosine_rows();
    // Transforms along the rows first. Brightness (ITU-R 601, in 2^-10) times 2^14 easily fits 64
    // bits.
    std::array<std::array<std::int64_t, hashed_side>, hashed_frequencies> along{};
    for (std::size_t y = 0; y < hashed_side; ++y) {
        for (std::size_t x = 0; x < hashed_side; ++x) {
            const std::uint8_t* const p = small.pixels.data() + 4 * (y * hashed_side + x);
            const std::int64_t grey = 306 * p[0] + 601 * p[1] + 117 * p[2];
            for (std::size_t f = 0; f < hashed_frequencies; ++f)
                along[f][y] += grey * cosines[f][x];
        }
    }
    std::array<std::int64_t, 64> coefficients{};
    for (std::size_t v = 0; v < hashed_frequencies; ++v) {
        for (std::size_t u = 0; u < hashed_frequencies; ++u) {
            std::int64_t sum = 0;
            for (std::size_t y = 0; y < hashed_side; ++y) sum += along[u][y] * cosines[v][y];
            coefficients[v * hashed_frequencies + u] = sum;
        }
    }
    std::array<std::int64_t, 64> sorted = coefficients;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        // The median is the mean of the two middle values.
        if (2 * coefficients[i] > sorted[31] + sorted[32]) bits |= std::uint64_t{1} << i;
    }
    return bits;
}

}  // namespace assay
