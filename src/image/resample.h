// Pillow 9.4's resampling of 8-bit images (src/libImaging/Resample.c) in parts: the weights of one
// axis, and the kernels that apply them. The weights are integers with 22 fractional bits, and the
// sums fit 32 bits. So every order of summing and every instruction set gives the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/image/preprocess.h"

namespace assay::pixels {

inline constexpr int weight_bits = 22;

/// The inputs and weights of each output along one axis.
struct Axis {
    int inputs = 0;
    int outputs = 0;
    int taps = 0;            ///< the most inputs of any output; the row length of `weights`
    std::vector<int> first;  ///< per output: its first input
    std::vector<int> count;  ///< per output: number of inputs
    std::vector<std::int32_t> weights;  ///< outputs x taps, zero beyond `count`
};

/// The weights of outputs [begin, end) of an axis that resizes `inputs` to `size`. Not for
/// `nearest`. PyTorch's weights have 16 bits. The largest weight of the axis determines how many of
/// them are fractional. They are shifted to 22 fractional bits, so that the same kernels give
/// PyTorch's results.
void make_axis(Axis& axis, Interpolation filter, int inputs, int size, int begin, int end,
               ResizeRule rule = ResizeRule::pillow, bool antialias = true);

/// The part of a window inside the resized image: columns [x0, x1) and rows [y0, y1).
struct VisiblePart {
    int crop_w, crop_h;  ///< size of the window
    int x0, x1, y0, y1;

    bool empty() const { return x0 >= x1 || y0 >= y1; }
    bool fills_window() const { return x1 - x0 == crop_w && y1 - y0 == crop_h; }
};

/// Throws bad_input if the sizes cannot be computed.
VisiblePart visible_part(const Image& image, const ResizeWindow& window);

/// The weights in the form of the AVX2 kernels. A weight w is split as (w >> 15) * 2^15 + (w &
/// 32767), so that both parts fit 16 bits. The parts of two neighboring taps share 32 bits.
struct PairedAxis {
    int groups = 0;          ///< number of groups of four taps
    std::vector<int> first;  ///< per output; first + 4 * groups never exceeds the inputs
    std::vector<std::int32_t>
        weights;  ///< outputs x groups x {low 0 1, low 2 3, high 0 1, high 2 3}
};

/// Returns false if the axis has a single output, or fewer inputs than taps. Then use the plain
/// kernel.
bool make_paired(PairedAxis& paired, const Axis& axis);

/// The weights of rows for the AVX2 kernel: outputs x (taps + 1) / 2 x {low part, high part}, with
/// two taps in each number.
void make_row_pairs(std::vector<std::int32_t>& pairs, const Axis& axis);

/// Computes one output row from one input row.
void blend_columns_plain(const Axis& axis, const std::uint8_t* in, std::uint8_t* out);
/// Blends `count` rows of `width` pixels into one.
void blend_rows_plain(const std::uint8_t* const* rows, const std::int32_t* weights, int count,
                      int width, std::uint8_t* out);

/// Call only if cpu_has_avx2(). Processes four rows at once; pointers may repeat.
void blend_columns_avx2(const PairedAxis& axis, const std::uint8_t* const in[4],
                        std::uint8_t* const out[4]);
/// Requires width >= 8 and, if `count` is odd, one more valid pointer in `rows`.
void blend_rows_avx2(const std::uint8_t* const* rows, const std::int32_t* pairs, int count,
                     int width, std::uint8_t* out);

}  // namespace assay::pixels
