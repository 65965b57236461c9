// PyTorch's resize of float32 tensors on a CPU (2.14, ATen/native/cpu/UpSampleKernel.cpp), bit for
// bit as its builds with AVX2 and AVX-512 compute it. Columns come before rows. The order in which
// products are added, and which additions are fused with their product, is that of the compiled
// code (FloatAxis). Pixels are four floats here, R, G, B and one that nothing reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "assay/image/preprocess.h"

namespace assay::pixels {

/// Which inputs each output of one axis weighs, and how much.
struct FloatAxis {
    int inputs = 0;
    int outputs = 0;
    int taps = 0;  ///< the row length of `weights`
    bool antialias = true;
    /// Per output: its first input. Inputs outside of the image stand for the nearest one in it;
    /// at most float_margin of them lie on each side.
    std::vector<int> first;
    std::vector<int> count;      ///< per output: how many inputs
    std::vector<float> weights;  ///< outputs x taps, in the order in which products are added
};

inline constexpr int float_margin = 2;

/// Which input is the t-th to be added, from the first on. Without antialias the second comes
/// before the first.
inline int place_of_tap(bool antialias, int t) {
    return antialias || t > 1 ? t : 1 - t;
}
/// How many of the additions that follow the first product round the product first. With antialias
/// GCC computes four products at a time; what remains is fused.
inline int unfused_taps(bool antialias, int count) {
    return antialias ? (count - 1) / 4 * 4 : 0;
}

/// The weights of outputs [begin, end) of an axis that takes `inputs` to `size`: bilinear or
/// bicubic.
void make_float_axis(FloatAxis& axis, Interpolation filter, bool antialias, int inputs, int size,
                     int begin, int end);

/// What a byte becomes before the resize.
struct ByteScale {
    float factor = 1.0F;
    bool divides = false;  ///< by 255, instead of the factor

    float of(std::uint8_t byte) const {
        return divides ? static_cast<float>(byte) / 255.0F : static_cast<float>(byte) * factor;
    }
};

/// Columns [x0, x1) and rows [y0, y1) of an image that is resized to width x height.
struct FloatResize {
    Interpolation filter;  ///< bilinear or bicubic
    bool antialias;
    bool one_channel;  ///< gray: the order of the sums is another in places
    int width, height;
    int x0, x1, y0, y1;
    ByteScale scale;
};

/// Gives each row y, from y0 on, to `take`: x1 - x0 pixels.
void resize_floats(const Image& image, const FloatResize& how,
                   const std::function<void(int y, const float* row)>& take);

// The kernels, twice: those of AVX2 are only for where cpu_has_avx2(), and give the same bits. Two
// rows of inputs lie in turn, the first pixel of one, the first of the other, with float_margin
// pixels more of each at both ends.

/// `pixels` pixels of two rows to floats, in turn, without margins.
void two_rows_to_floats_plain(const std::uint8_t* one, const std::uint8_t* other,
                              std::size_t pixels, const ByteScale& scale, float* out);
void two_rows_to_floats_avx2(const std::uint8_t* one, const std::uint8_t* other, std::size_t pixels,
                             const ByteScale& scale, float* out);
/// Of two rows in turn, to two rows.
void blend_two_float_rows_plain(const FloatAxis& axis, const float* in, float* one, float* other);
void blend_two_float_rows_avx2(const FloatAxis& axis, const float* in, float* one, float* other);
/// `count` rows in the order in which they are added to one; `unfused` of the additions are not
/// fused. `numbers` is a multiple of four.
void blend_float_rows_plain(const float* const* rows, const float* weights, int count, int unfused,
                            std::size_t numbers, float* out);
void blend_float_rows_avx2(const float* const* rows, const float* weights, int count, int unfused,
                           std::size_t numbers, float* out);
/// Of two rows in turn, whose weights `down` has in the order of FloatAxis, to one: bilinear.
void blend_corners_plain(const FloatAxis& axis, const float* down, const float* in, float* out);
void blend_corners_avx2(const FloatAxis& axis, const float* down, const float* in, float* out);

/// (x - mean) / std of a row of pixels, as planes.
struct Normaliser {
    float mean[3], std[3];
};
void normalise_floats(const float* row, std::size_t pixels, const Normaliser& by,
                      float* const planes[3]);
void normalise_floats_plain(const float* row, std::size_t begin, std::size_t pixels,
                            const Normaliser& by, float* const planes[3]);
/// All but the last few pixels: how many.
std::size_t normalise_floats_avx2(const float* row, std::size_t pixels, const Normaliser& by,
                                  float* const planes[3]);

}  // namespace assay::pixels
