// Pillow 9.4's resampling of 8-bit images (src/libImaging/Resample.c) in parts: the weights of one
// axis, and the kernels that apply them. The weights are integers with 22 fractional bits, and sums
// of products with bytes fit 32 bits, so every order of summing and every instruction set gives the
// same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/image/preprocess.h"

namespace assay::pixels {

inline constexpr int weight_bits = 22;

/// Which inputs each output of one axis weighs, and how much.
struct Axis {
    int inputs = 0;
    int outputs = 0;
    int taps = 0;            ///< the most inputs that an output weighs; the row length of `weights`
    std::vector<int> first;  ///< per output: its first input
    std::vector<int> count;  ///< per output: how many inputs
    std::vector<std::int32_t> weights;  ///< outputs x taps, zero beyond `count`
};

/// The weights of outputs [begin, end) of an axis that takes `inputs` to `size`. Not for `nearest`.
/// PyTorch's have 16 bits, of which the largest weight of the whole axis says how many are
/// fractional. They are moved up to 22 fractional bits, so that the same kernels give PyTorch's
/// bits.
void make_axis(Axis& axis, Interpolation filter, int inputs, int size, int begin, int end,
               ResizeRule rule = ResizeRule::pillow, bool antialias = true);

/// What of a window lies in the resized image: columns [x0, x1) and rows [y0, y1).
struct VisiblePart {
    int crop_w, crop_h;  ///< of the window
    int x0, x1, y0, y1;

    bool empty() const { return x0 >= x1 || y0 >= y1; }
    bool fills_window() const { return x1 - x0 == crop_w && y1 - y0 == crop_h; }
};

/// Throws bad_input if the sizes are none that can be computed.
VisiblePart visible_part(const Image& image, const ResizeWindow& window);

/// The weights as the AVX2 kernels take them. A weight w is split as (w >> 15) * 2^15 + (w &
/// 32767), so that both parts fit 16 bits, and those of two neighbouring taps share 32 bits.
struct PairedAxis {
    int groups = 0;          ///< of four taps each
    std::vector<int> first;  ///< per output; first + 4 * groups never exceeds the inputs
    std::vector<std::int32_t>
        weights;  ///< outputs x groups x {low 0 1, low 2 3, high 0 1, high 2 3}
};

/// False when the axis has fewer inputs than taps to read, or a single output: the plain kernel is
/// the one to use then.
bool make_paired(PairedAxis& paired, const Axis& axis);

/// The weights of rows for the AVX2 kernel: outputs x (taps + 1) / 2 x {low part, high part}, two
/// taps in each number.
void make_row_pairs(std::vector<std::int32_t>& pairs, const Axis& axis);

/// One input row to one output row.
void blend_columns_plain(const Axis& axis, const std::uint8_t* in, std::uint8_t* out);
/// `count` rows of `width` pixels to one.
void blend_rows_plain(const std::uint8_t* const* rows, const std::int32_t* weights, int count,
                      int width, std::uint8_t* out);

/// Only where cpu_has_avx2(). Four rows at once; pointers may repeat.
void blend_columns_avx2(const PairedAxis& axis, const std::uint8_t* const in[4],
                        std::uint8_t* const out[4]);
/// Needs width >= 8 and, when `count` is odd, one more valid pointer in `rows`.
void blend_rows_avx2(const std::uint8_t* const* rows, const std::int32_t* pairs, int count,
                     int width, std::uint8_t* out);

}  // namespace assay::pixels
