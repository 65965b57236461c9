// The kernels without intrinsics. The other kernels must give the same results.
#include <algorithm>

#include "image/decode.h"
#include "image/resample.h"

namespace assay::pixels {
namespace {

/// Three sums of weighted bytes. They are unsigned, because the AVX2 kernels also wrap around; the
/// final sums are in range.
struct Sums {
    std::uint32_t r = 1U << (weight_bits - 1);
    std::uint32_t g = r;
    std::uint32_t b = r;

    void add(const std::uint8_t* pixel, std::int32_t weight) {
        const auto w = static_cast<std::uint32_t>(weight);
        r += pixel[0] * w;
        g += pixel[1] * w;
        b += pixel[2] * w;
    }
    static std::uint8_t byte(std::uint32_t sum) {
        return static_cast<std::uint8_t>(
            std::clamp(static_cast<std::int32_t>(sum) >> weight_bits, 0, 255));
    }
    void put(std::uint8_t* pixel) const { put_rgb(pixel, byte(r), byte(g), byte(b)); }
};

}  // namespace

void blend_columns_plain(const Axis& axis, const std::uint8_t* in, std::uint8_t* out) {
    for (int x = 0; x < axis.outputs; ++x) {
        const std::int32_t* weights = axis.weights.data() + static_cast<std::size_t>(x) * axis.taps;
        const std::uint8_t* pixel = in + 4 * static_cast<std::size_t>(axis.first[x]);
        Sums sums;
        for (int t = 0; t < axis.count[x]; ++t) sums.add(pixel + 4 * t, weights[t]);
        sums.put(out + 4 * x);
    }
}

void blend_rows_plain(const std::uint8_t* const* rows, const std::int32_t* weights, int count,
                      int width, std::uint8_t* out) {
    for (int x = 0; x < width; ++x) {
        Sums sums;
        for (int t = 0; t < count; ++t) sums.add(rows[t] + 4 * x, weights[t]);
        sums.put(out + 4 * x);
    }
}

}  // namespace assay::pixels
