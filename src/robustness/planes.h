// Image channels as floats, in levels (0 to 255), and the kernel that most corruptions use.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/image/image.h"

namespace assay::robustness {

/// The treatment of pixels outside an image.
enum class Border {
    replicate,    ///< aaa|abcd|ddd
    reflect,      ///< cba|abcd|dcb
    reflect_101,  ///< dcb|abcd|cba
};
/// The place in [0, n) that index `i` maps to.
inline int inside(int i, int n, Border border) {
    if (i >= 0 && i < n) return i;
    if (border == Border::replicate || n == 1) return i < 0 ? 0 : n - 1;
    const int period = border == Border::reflect ? 2 * n : 2 * (n - 1);
    int at = i % period;
    if (at < 0) at += period;
    if (at < n) return at;
    return border == Border::reflect ? period - 1 - at : period - at;
}

/// Row y has its channels one after another, each with `width` floats. So rows of all channels can
/// be blended at once.
struct Planes {
    int width = 0, height = 0, channels = 3;
    std::vector<float> values;

    Planes() = default;
    Planes(int w, int h, int c)
        : width(w), height(h), channels(c), values(static_cast<std::size_t>(w) * h * c) {}
    std::size_t row_size() const { return static_cast<std::size_t>(width) * channels; }
    float* row(int y) { return values.data() + row_size() * y; }
    const float* row(int y) const { return values.data() + row_size() * y; }
};

Planes to_planes(const Image& image);
/// The same planes with a border of `pad` pixels on each side.
Planes to_padded_planes(const Image& image, int pad, Border border);
Planes padded(const Planes& planes, int pad, Border border);
/// Clips and truncates to bytes, for three channels.
void to_image(const Planes& planes, Image& out);

/// Sets out[i] to the sum over k, in order, of weights[k] * rows[k][i]. Results with and without
/// AVX2 are bit-identical.
void weighted_sum(std::span<const float* const> rows, std::span<const float> weights, std::size_t n,
                  float* out);
void weighted_sum_plain(std::span<const float* const> rows, std::span<const float> weights,
                        std::size_t n, float* out);
/// Call this only if cpu_has_avx2().
void weighted_sum_avx2(std::span<const float* const> rows, std::span<const float> weights,
                       std::size_t n, float* out);

/// scipy.ndimage's Gaussian, with normalised weights exp(-x^2 / (2 sigma^2)) up to int(truncate *
/// sigma + 0.5). Filters rows, then columns.
void gaussian(Planes& planes, double sigma, double truncate, Border border);

/// Weights of a correlation over a grid of `side` x `side`, centered on the pixel.
struct Kernel {
    int side = 1;
    std::vector<double> weights{1};
    double& at(int x, int y) { return weights[static_cast<std::size_t>(y) * side + x]; }
    double at(int x, int y) const { return weights[static_cast<std::size_t>(y) * side + x]; }
};
/// Borders use reflect_101.
Planes correlate(const Image& image, const Kernel& kernel);

/// The mean along a line that starts at each pixel. Offset i of 0 to 2 * radius, rounded to whole
/// pixels, has weight exp(-i^2 / (2 sigma^2)), normalized. `angle` is in degrees from the x axis,
/// with y down.
Planes line_blur(const Planes& planes, int radius, double sigma, double angle);

/// Adds the middle of the planes, enlarged by `factor` >= 1, to `sum`, which has the planes' size:
/// bilinear, with aligned corners.
void add_zoomed(const Planes& planes, double factor, Planes& sum);
/// The rows that a zoom reads.
struct ZoomAxis {
    int first = 0, inputs = 0;
    std::vector<int> at;         ///< by output: the first of two inputs, from `first` on
    std::vector<float> further;  ///< weight of the second input
};
ZoomAxis zoom_axis(int n, double factor);

}  // namespace assay::robustness
