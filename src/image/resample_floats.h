// PyTorch's resize of float32 tensors on a CPU (2.14, ATen/native/cpu/UpSampleKernel.cpp), bit for
// bit as its builds with AVX2 and AVX-512 compute it. Columns come before rows. The order of
// additions, and which of them are fused with their product, follow the compiled code (FloatAxis).
// A pixel has four floats here: R, G, B and an unused one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "assay/image/preprocess.h"

namespace assay::pixels {

/// The inputs and weights of each output along one axis.
struct FloatAxis {
    int inputs = 0;
    int outputs = 0;
    int taps = 0;  ///< the row length of `weights`
    bool antialias = true;
    /// The first input of each output. Inputs outside the image repeat the nearest one inside; at
    /// most float_margin of these are on each side.
    std::vector<int> first;
    std::vector<int> count;      ///< per output: number of inputs
    std::vector<float> weights;  ///< outputs x taps, in the order in which products are added
};

inline constexpr int float_margin = 2;

/// The position of the t-th input to add, relative to the first input. Without antialias, the
/// second input is added before the first.
inline int place_of_tap(bool antialias, int t) {
    return antialias || t > 1 ? t : 1 - t;
}
/// The number of additions that round their product first. With antialias, GCC computes four
/// products at a time, and fuses the remaining ones.
inline int unfused_taps(bool antialias, int count) {
    return antialias ? (count - 1) / 4 * 4 : 0;
}

/// The weights of outputs [begin, end) of an axis that resizes `inputs` to `size`, bilinear or
/// bicubic.
void make_float_axis(FloatAxis& axis, Interpolation filter, bool antialias, int inputs, int size,
                     int begin, int end);

/// The number for a byte before the resize.
struct ByteScale {
    float factor = 1.0F;
    bool divides = false;  ///< whether to divide by 255, instead of a multiplication

    float of(std::uint8_t byte) const {
        return divides ? static_cast<float>(byte) / 255.0F : static_cast<float>(byte) * factor;
    }
};

/// Columns [x0, x1) and rows [y0, y1) of an image that is resized to width x height.
struct FloatResize {
    Interpolation filter;  ///< bilinear or bicubic
    bool antialias;
    bool one_channel;  ///< for gray images, some sums have another order
    int width, height;
    int x0, x1, y0, y1;
    ByteScale scale;
};

/// Passes each row y, from y0 on, to `take`, with x1 - x0 pixels.
void resize_floats(const Image& image, const FloatResize& how,
                   const std::function<void(int y, const float* row)>& take);

// The kernels in two versions with the same bits. Call the AVX2 versions only if cpu_has_avx2().
// Two input rows are interleaved pixel by pixel, with float_margin more pixels of each at both
// ends.

/// Converts `pixels` pixels of two rows to interleaved floats, without margins.
void two_rows_to_floats_plain(const std::uint8_t* one, const std::uint8_t* other,
                              std::size_t pixels, const ByteScale& scale, float* out);
void two_rows_to_floats_avx2(const std::uint8_t* one, const std::uint8_t* other, std::size_t pixels,
                             const ByteScale& scale, float* out);
/// Blends two interleaved rows into two rows.
void blend_two_float_rows_plain(const FloatAxis& axis, const float* in, float* one, float* other);
void blend_two_float_rows_avx2(const FloatAxis& axis, const float* in, float* one, float* other);
/// Blends `count` rows, in the order of addition, into one. `unfused` of the additions are not
/// fused. `numbers` must be a multiple of four.
void blend_float_rows_plain(const float* const* rows, const float* weights, int count, int unfused,
                            std::size_t numbers, float* out);
void blend_float_rows_avx2(const float* const* rows, const float* weights, int count, int unfused,
                           std::size_t numbers, float* out);
/// Blends two interleaved rows into one, bilinear. `down` has the row weights in the order of
/// FloatAxis.
void blend_corners_plain(const FloatAxis& axis, const float* down, const float* in, float* out);
void blend_corners_avx2(const FloatAxis& axis, const float* down, const float* in, float* out);

/// Computes (x - mean) / std of a row of pixels, as planes.
struct Normaliser {
    float mean[3], std[3];
};
void normalise_floats(const float* row, std::size_t pixels, const Normaliser& by,
                      float* const planes[3]);
void normalise_floats_plain(const float* row, std::size_t begin, std::size_t pixels,
                            const Normaliser& by, float* const planes[3]);
/// Returns the number of pixels processed, which is all except the last few.
std::size_t normalise_floats_avx2(const float* row, std::size_t pixels, const Normaliser& by,
                                  float* const planes[3]);

}  // namespace assay::pixels
