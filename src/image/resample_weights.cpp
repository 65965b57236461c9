#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "image/resample.h"

namespace assay::pixels {
namespace {

double box(double x) {
    return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

double triangle(double x) {
    x = std::abs(x);
    return x < 1.0 ? 1.0 - x : 0.0;
}

// Pillow writes 0.54 and 0.46 as floats; doubles would change some results by one.
double hamming(double x) {
    x = std::abs(x);
    if (x == 0.0) return 1.0;
    if (x >= 1.0) return 0.0;
    x *= std::numbers::pi;
    return std::sin(x) / x * (0.54F + 0.46F * std::cos(x));
}

// Keys, "Cubic convolution interpolation for digital image processing", 1981.
double keys(double x, double a) {
    x = std::abs(x);
    if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
    if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * a;
    return 0.0;
}
double cubic(double x) {
    return keys(x, -0.5);
}
/// PyTorch's cubic weight without antialias.
double sharp_cubic(double x) {
    return keys(x, -0.75);
}

double sinc(double x) {
    if (x == 0.0) return 1.0;
    x *= std::numbers::pi;
    return std::sin(x) / x;
}

double lanczos3(double x) {
    return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
}

struct Filter {
    double (*weight)(double);
    double support;
};

Filter filter_of(Interpolation filter) {
    switch (filter) {
        case Interpolation::box:
            return {box, 0.5};
        case Interpolation::bilinear:
            return {triangle, 1.0};
        case Interpolation::hamming:
            return {hamming, 1.0};
        case Interpolation::bicubic:
            return {cubic, 2.0};
        case Interpolation::lanczos:
            return {lanczos3, 3.0};
        case Interpolation::nearest:
            break;
    }
    return {box, 0.5};
}

/// Packs two 16-bit numbers into one.
std::int32_t pair(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(b) << 16) |
                                     (static_cast<std::uint32_t>(a) & 0xFFFF));
}

}  // namespace

namespace {

/// The weights of one axis before they are rounded.
class ExactAxis {
public:
    ExactAxis(Interpolation filter, int inputs, int size)
        : filter_(filter_of(filter)), inputs_(inputs), scale_(static_cast<double>(inputs) / size) {
        const double stretch = std::max(scale_, 1.0);
        support_ = filter_.support * stretch;
        inverse_ = 1.0 / stretch;
        taps_ =
            static_cast<int>(std::min(std::ceil(support_) * 2 + 1, static_cast<double>(inputs)));
        weights_.resize(static_cast<std::size_t>(taps_));
    }

    int taps() const { return taps_; }

    struct Output {
        int first;
        std::span<const double> weights;  ///< valid until the next call
    };
    Output output(int i) {
        const double centre = (i + 0.5) * scale_;
        const int low = std::max(static_cast<int>(centre - support_ + 0.5), 0);
        const int high = std::min(static_cast<int>(centre + support_ + 0.5), inputs_);
        const int count = std::clamp(high - low, 0, taps_);
        double sum = 0.0;
        for (int t = 0; t < count; ++t) {
            weights_[t] = filter_.weight((t + low - centre + 0.5) * inverse_);
            sum += weights_[t];
        }
        if (sum != 0.0) {
            for (int t = 0; t < count; ++t) weights_[t] /= sum;
        }
        return {low, std::span(weights_).first(static_cast<std::size_t>(count))};
    }

private:
    Filter filter_;
    int inputs_;
    double scale_;
    double support_ = 0;
    double inverse_ = 1;
    int taps_ = 0;
    std::vector<double> weights_;
};

/// The same for PyTorch's resize without antialias, bilinear or bicubic.
class ExactPlainAxis {
public:
    ExactPlainAxis(Interpolation filter, int inputs, int size)
        : reach_(filter == Interpolation::bicubic ? 2 : 1),
          inputs_(inputs),
          scale_(static_cast<double>(inputs) / size) {}

    int taps() const { return 2 * reach_; }

    ExactAxis::Output output(int i) {
        double at = scale_ * (i + 0.5) - 0.5;
        if (reach_ == 1) at = std::max(at, 0.0);
        const int input = std::min(static_cast<int>(std::floor(at)), inputs_ - 1);
        const double rest = std::clamp(at - input, 0.0, 1.0);
        const int low = input - reach_ + 1;
        const int first = std::max(low, 0);
        const int count = std::min(low + taps(), inputs_) - first;
        weights_.fill(0.0);
        for (int t = 0; t < taps(); ++t) {
            // Inputs outside the image repeat the nearest one inside.
            const int place = std::clamp(low + t - first, 0, count - 1);
            const double x = t + 1 - reach_ - rest;
            weights_[static_cast<std::size_t>(place)] += reach_ == 2 ? sharp_cubic(x) : triangle(x);
        }
        return {first, std::span(weights_).first(static_cast<std::size_t>(count))};
    }

private:
    int reach_;
    int inputs_;
    double scale_;
    std::array<double, 4> weights_{};
};

/// The number of fractional bits that PyTorch gives 16-bit weights if none is above `largest`.
int torch_weight_bits(double largest) {
    int bits = 0;
    while (bits < weight_bits && static_cast<int>(0.5 + largest * (1 << (bits + 1))) < 1 << 15)
        ++bits;
    return bits;
}

std::int32_t rounded(double weight, int bits) {
    const double w = weight * (1 << bits);
    return static_cast<std::int32_t>(w < 0 ? w - 0.5 : w + 0.5);
}

template <class Exact>
void fill_axis(Axis& axis, Exact exact, int inputs, int size, int begin, int end, ResizeRule rule) {
    int bits = weight_bits;
    if (rule == ResizeRule::torch) {
        double largest = 0.0;
        for (int i = 0; i < size; ++i) {
            for (const double w : exact.output(i).weights) largest = std::max(largest, w);
        }
        bits = torch_weight_bits(largest);
    }
    axis.inputs = inputs;
    axis.outputs = end - begin;
    axis.taps = exact.taps();
    axis.first.resize(static_cast<std::size_t>(axis.outputs));
    axis.count.resize(static_cast<std::size_t>(axis.outputs));
    axis.weights.assign(static_cast<std::size_t>(axis.outputs) * axis.taps, 0);
    for (int i = 0; i < axis.outputs; ++i) {
        const ExactAxis::Output output = exact.output(begin + i);
        std::int32_t* weights = axis.weights.data() + static_cast<std::size_t>(i) * axis.taps;
        for (const double w : output.weights)
            *weights++ = rounded(w, bits) * (1 << (weight_bits - bits));
        axis.first[i] = output.first;
        axis.count[i] = static_cast<int>(output.weights.size());
    }
}

}  // namespace

void make_axis(Axis& axis, Interpolation filter, int inputs, int size, int begin, int end,
               ResizeRule rule, bool antialias) {
    if (antialias) {
        fill_axis(axis, ExactAxis(filter, inputs, size), inputs, size, begin, end, rule);
    } else {
        fill_axis(axis, ExactPlainAxis(filter, inputs, size), inputs, size, begin, end, rule);
    }
}

bool make_paired(PairedAxis& paired, const Axis& axis) {
    // This is often less than axis.taps, which is an upper bound.
    const int most = *std::max_element(axis.count.begin(), axis.count.end());
    paired.groups = (most + 3) / 4;
    const int taps = 4 * paired.groups;
    if (taps > axis.inputs || axis.outputs < 2) return false;
    paired.first.resize(axis.first.size());
    paired.weights.assign(static_cast<std::size_t>(axis.outputs) * taps, 0);
    std::vector<std::int32_t> row(static_cast<std::size_t>(taps));
    for (int i = 0; i < axis.outputs; ++i) {
        // Near the right edge the window is shifted left, so that no load reads beyond the row.
        const int first = std::min(axis.first[i], axis.inputs - taps);
        const int shift = axis.first[i] - first;
        std::fill(row.begin(), row.end(), 0);
        std::copy_n(axis.weights.data() + static_cast<std::size_t>(i) * axis.taps, axis.count[i],
                    row.begin() + shift);
        paired.first[i] = first;
        std::int32_t* out = paired.weights.data() + static_cast<std::size_t>(i) * taps;
        for (int t = 0; t < taps; t += 4) {
            const std::int32_t* w = row.data() + t;
            out[t] = pair(w[0] & 32767, w[1] & 32767);
            out[t + 1] = pair(w[2] & 32767, w[3] & 32767);
            out[t + 2] = pair(w[0] >> 15, w[1] >> 15);
            out[t + 3] = pair(w[2] >> 15, w[3] >> 15);
        }
    }
    return true;
}

void make_row_pairs(std::vector<std::int32_t>& pairs, const Axis& axis) {
    const int per_row = (axis.taps + 1) / 2;
    pairs.resize(static_cast<std::size_t>(axis.outputs) * per_row * 2);
    std::int32_t* out = pairs.data();
    for (int i = 0; i < axis.outputs; ++i) {
        const std::int32_t* weights = axis.weights.data() + static_cast<std::size_t>(i) * axis.taps;
        for (int t = 0; t < axis.taps; t += 2, out += 2) {
            const std::int32_t next = t + 1 < axis.taps ? weights[t + 1] : 0;
            out[0] = pair(weights[t] & 32767, next & 32767);
            out[1] = pair(weights[t] >> 15, next >> 15);
        }
    }
}

}  // namespace assay::pixels
