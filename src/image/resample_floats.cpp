#include "image/resample_floats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/cpu.h"

namespace assay::pixels {
namespace {

constexpr std::size_t in_pixel = 4;  ///< floats

// Multiply-adds that GCC fuses in PyTorch's sources are explicit here, because the bits depend on
// them.

float keys_near(float x, float a) {  // |x| < 1
    const float p = std::fma(a + 2.0F, x, -(a + 3.0F));
    return std::fma(p * x, x, 1.0F);
}
float keys_far(float x, float a) {  // 1 <= |x| < 2
    const float p = std::fma(std::fma(a, x, -5.0F * a), x, 8.0F * a);
    return std::fma(p, x, -4.0F * a);
}

float filter_of_antialias(Interpolation filter, float x) {
    x = std::abs(x);
    if (filter == Interpolation::bilinear) return x < 1.0F ? 1.0F - x : 0.0F;
    constexpr float a = -0.5F;
    return x < 1.0F ? keys_near(x, a) : x < 2.0F ? keys_far(x, a) : 0.0F;
}

/// Without antialias, GCC computes the four last additions at once, after the products.
std::array<float, 4> cubic_of_plain(float t) {
    constexpr float a = -0.75F;
    const auto near = [](float x) {
        const float product = std::fma(a + 2.0F, x, -(a + 3.0F)) * x * x;
        return product + 1.0F;
    };
    const auto far = [](float x) {
        const float product = std::fma(std::fma(a, x, -5.0F * a), x, 8.0F * a) * x;
        return product - 4.0F * a;
    };
    const float u = 1.0F - t;
    return {far(t + 1.0F), near(t), near(u), far(u + 1.0F)};
}

void make_antialias_axis(FloatAxis& axis, Interpolation filter, int size, int begin) {
    const float scale = static_cast<float>(axis.inputs) / static_cast<float>(size);
    const float reach = filter == Interpolation::bilinear ? 1.0F : 2.0F;
    const float support = scale >= 1.0F ? reach * scale : reach;
    const float inverse = scale >= 1.0F ? static_cast<float>(1.0 / scale) : 1.0F;
    axis.taps = static_cast<int>(
        std::min(std::ceil(support) * 2.0F + 1.0F, static_cast<float>(axis.inputs)));
    axis.weights.assign(static_cast<std::size_t>(axis.outputs) * axis.taps, 0.0F);
    for (int i = 0; i < axis.outputs; ++i) {
        const auto centre = static_cast<float>(static_cast<double>(scale) * (begin + i + 0.5));
        const int low = std::max(static_cast<int>((centre - support) + 0.5), 0);
        const int high = std::min(static_cast<int>((centre + support) + 0.5), axis.inputs);
        const int count = std::clamp(high - low, 0, axis.taps);
        float* weights = axis.weights.data() + static_cast<std::size_t>(i) * axis.taps;
        float sum = 0.0F;
        for (int t = 0; t < count; ++t) {
            const double at = (static_cast<float>(t + low) - centre) + 0.5;
            weights[t] = filter_of_antialias(filter, static_cast<float>(at * inverse));
            sum += weights[t];
        }
        if (sum != 0.0F) {
            for (int t = 0; t < count; ++t) weights[t] /= sum;
        }
        axis.first[static_cast<std::size_t>(i)] = low;
        axis.count[static_cast<std::size_t>(i)] = count;
    }
}

void make_plain_axis(FloatAxis& axis, Interpolation filter, int size, int begin) {
    const bool cubic = filter == Interpolation::bicubic;
    const float scale = static_cast<float>(axis.inputs) / static_cast<float>(size);
    axis.taps = cubic ? 4 : 2;
    axis.weights.assign(static_cast<std::size_t>(axis.outputs) * axis.taps, 0.0F);
    std::fill(axis.count.begin(), axis.count.end(), axis.taps);
    for (int i = 0; i < axis.outputs; ++i) {
        // A side that keeps its size is copied, because the position is then exactly begin + i.
        float at = std::fma(scale, static_cast<float>(begin + i) + 0.5F, -0.5F);
        if (!cubic) at = std::max(at, 0.0F);
        const int input = std::min(static_cast<int>(std::floor(at)), axis.inputs - 1);
        const float rest = std::clamp(at - static_cast<float>(input), 0.0F, 1.0F);
        float* weights = axis.weights.data() + static_cast<std::size_t>(i) * axis.taps;
        const std::array<float, 4> by_place =
            cubic ? cubic_of_plain(rest) : std::array<float, 4>{1.0F - rest, rest};
        for (int t = 0; t < axis.taps; ++t) weights[t] = by_place[place_of_tap(false, t)];
        axis.first[static_cast<std::size_t>(i)] = cubic ? input - 1 : input;
    }
}

float added(float sum, float value, float weight, bool rounds_product) {
    const float product = value * weight;
    return rounds_product ? sum + product : std::fma(value, weight, sum);
}

/// The inputs inside the image that contribute to the outputs.
struct Inputs {
    int begin, end;
};
Inputs inputs_of(const FloatAxis& axis) {
    return {std::clamp(axis.first.front(), 0, axis.inputs - 1),
            std::clamp(axis.first.back() + axis.count.back(), 1, axis.inputs)};
}

const std::uint8_t* row_of(const Image& image, int y) {
    return image.pixels.data() +
           in_pixel * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(y);
}

void to_floats(const std::uint8_t* in, std::size_t pixels, const ByteScale& scale, float* out) {
    for (std::size_t i = 0; i < in_pixel * pixels; ++i) out[i] = scale.of(in[i]);
}

/// Fills the margins of a row of `pixels` pixels, each `step` floats long.
void fill_margins(float* row, std::size_t pixels, std::size_t step) {
    for (int i = 0; i < float_margin; ++i) {
        std::copy_n(row + float_margin * step, step, row + static_cast<std::size_t>(i) * step);
        float* const end = row + (float_margin + pixels) * step;
        std::copy_n(end - step, step, end + static_cast<std::size_t>(i) * step);
    }
}

/// Buffers that a thread keeps between calls, unless one grew large.
struct FloatScratch {
    FloatAxis columns, rows;
    std::vector<float> source;  ///< the input rows that are being blended, with margins
    std::vector<float> ring;
    std::vector<float> row;
    std::vector<const float*> pointers;

    void shrink() {
        constexpr std::size_t kept = std::size_t{2} << 20;  // floats
        for (std::vector<float>* buffer : {&source, &ring, &row}) {
            if (buffer->capacity() > kept) std::vector<float>().swap(*buffer);
        }
    }
};

class FloatResampler {
public:
    FloatResampler(const Image& image, const FloatResize& how, FloatScratch& scratch)
        : image_(image), how_(how), scratch_(scratch), fast_(cpu_has_avx2()) {
        // PyTorch has a second kernel for bilinear resizes of three channels. It is used on one
        // thread, as in the workers of a loader, and for small results on any number of threads. It
        // multiplies the weights of a column and a row first.
        blends_corners_ = how.filter == Interpolation::bilinear && !how.antialias &&
                          (!how.one_channel || how.width + how.height <= 128) &&
                          (how.width != image.width || how.height != image.height);
        blends_columns_ = blends_corners_ || how.width != image.width;
        blends_rows_ = blends_corners_ || how.height != image.height;
        wanted_ = {how.x0, how.x1};
        if (blends_columns_) {
            make_float_axis(scratch.columns, how.filter, how.antialias, image.width, how.width,
                            how.x0, how.x1);
            wanted_ = inputs_of(scratch.columns);
            for (int& first : scratch.columns.first) first -= wanted_.begin;
        }
        if (blends_rows_) {
            make_float_axis(scratch.rows, how.filter, how.antialias, image.height, how.height,
                            how.y0, how.y1);
        }
        scratch.source.resize(
            2 * in_pixel *
            (static_cast<std::size_t>(wanted_.end - wanted_.begin) + 2 * float_margin));
        scratch.row.resize(numbers());
    }

    void run(const std::function<void(int y, const float* row)>& take) {
        if (blends_corners_) {
            run_corners(take);
        } else if (blends_rows_) {
            through_ring(take);
        } else {
            std::vector<float>& second = scratch_.ring;
            second.resize(std::max(second.size(), numbers()));
            for (int y = how_.y0; y < how_.y1; y += 2) {
                const int next = std::min(y + 1, how_.y1 - 1);
                make_two(y, next, scratch_.row.data(), second.data());
                take(y, scratch_.row.data());
                if (next > y) take(next, second.data());
            }
        }
        scratch_.shrink();
    }

private:
    std::size_t numbers() const { return in_pixel * static_cast<std::size_t>(how_.x1 - how_.x0); }
    std::size_t inputs() const { return static_cast<std::size_t>(wanted_.end - wanted_.begin); }

    const std::uint8_t* source(int y) const {
        return row_of(image_, y) + in_pixel * static_cast<std::size_t>(wanted_.begin);
    }

    /// Rows y and `next` of the image, with blended columns; `next` may equal y.
    void make_two(int y, int next, float* one, float* other) {
        if (!blends_columns_) {
            to_floats(source(y), inputs(), how_.scale, one);
            if (next != y) to_floats(source(next), inputs(), how_.scale, other);
            return;
        }
        float* const in = scratch_.source.data();
        two_rows_to_floats(y, next, in);
        (fast_ ? blend_two_float_rows_avx2 : blend_two_float_rows_plain)(scratch_.columns, in, one,
                                                                         next == y ? one : other);
    }

    void through_ring(const std::function<void(int y, const float* row)>& take) {
        const FloatAxis& rows = scratch_.rows;
        const int slots = rows.taps + 2;  // two rows are made at a time
        scratch_.ring.resize(
            std::max(scratch_.ring.size(), numbers() * static_cast<std::size_t>(slots)));
        scratch_.pointers.resize(static_cast<std::size_t>(rows.taps));
        const auto slot = [&](int y) {
            return scratch_.ring.data() + numbers() * static_cast<std::size_t>(y % slots);
        };
        const auto inside = [&](int y) { return std::clamp(y, 0, rows.inputs - 1); };
        const int end = inputs_of(rows).end;
        int made = 0;
        for (int i = 0; i < rows.outputs; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int count = rows.count[at];
            made = std::max(made, inside(rows.first[at]));
            const int last = inside(rows.first[at] + count - 1);
            for (; made <= last; made = std::min(made + 2, end)) {
                const int next = std::min(made + 1, end - 1);
                make_two(made, next, slot(made), slot(next));
            }
            for (int t = 0; t < count; ++t)
                scratch_.pointers[static_cast<std::size_t>(t)] =
                    slot(inside(rows.first[at] + place_of_tap(rows.antialias, t)));
            const float* const weights =
                rows.weights.data() + at * static_cast<std::size_t>(rows.taps);
            (fast_ ? blend_float_rows_avx2 : blend_float_rows_plain)(
                scratch_.pointers.data(), weights, count, unfused_taps(rows.antialias, count),
                numbers(), scratch_.row.data());
            take(how_.y0 + i, scratch_.row.data());
        }
    }

    void run_corners(const std::function<void(int y, const float* row)>& take) {
        const FloatAxis& rows = scratch_.rows;
        float* const in = scratch_.source.data();
        int upper = -1, lower = -1;
        for (int i = 0; i < rows.outputs; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const int first = rows.first[at];
            const int second = std::min(first + 1, rows.inputs - 1);
            if (first != upper || second != lower) {
                two_rows_to_floats(first, second, in);
                upper = first;
                lower = second;
            }
            (fast_ ? blend_corners_avx2 : blend_corners_plain)(
                scratch_.columns, rows.weights.data() + 2 * at, in, scratch_.row.data());
            take(how_.y0 + i, scratch_.row.data());
        }
    }

    /// Interleaves two rows, with margins.
    void two_rows_to_floats(int one, int other, float* out) const {
        float* const to = out + 2 * in_pixel * float_margin;
        (fast_ ? two_rows_to_floats_avx2 : two_rows_to_floats_plain)(source(one), source(other),
                                                                     inputs(), how_.scale, to);
        fill_margins(out, inputs(), 2 * in_pixel);
    }

    const Image& image_;
    const FloatResize how_;
    FloatScratch& scratch_;
    const bool fast_;
    bool blends_corners_ = false;
    bool blends_columns_ = false;
    bool blends_rows_ = false;
    Inputs wanted_{};
};

}  // namespace

void make_float_axis(FloatAxis& axis, Interpolation filter, bool antialias, int inputs, int size,
                     int begin, int end) {
    axis.inputs = inputs;
    axis.outputs = end - begin;
    axis.antialias = antialias;
    axis.first.resize(static_cast<std::size_t>(axis.outputs));
    axis.count.resize(static_cast<std::size_t>(axis.outputs));
    antialias ? make_antialias_axis(axis, filter, size, begin)
              : make_plain_axis(axis, filter, size, begin);
}

void two_rows_to_floats_plain(const std::uint8_t* one, const std::uint8_t* other,
                              std::size_t pixels, const ByteScale& scale, float* out) {
    for (std::size_t i = 0; i < pixels; ++i, out += 2 * in_pixel) {
        for (std::size_t c = 0; c < in_pixel; ++c) {
            out[c] = scale.of(one[in_pixel * i + c]);
            out[in_pixel + c] = scale.of(other[in_pixel * i + c]);
        }
    }
}

void blend_two_float_rows_plain(const FloatAxis& axis, const float* in, float* one, float* other) {
    for (std::size_t x = 0; x < axis.first.size(); ++x) {
        const float* weights = axis.weights.data() + x * static_cast<std::size_t>(axis.taps);
        const float* pixel =
            in + 2 * in_pixel * static_cast<std::size_t>(axis.first[x] + float_margin);
        const int unfused = unfused_taps(axis.antialias, axis.count[x]);
        for (std::size_t c = 0; c < 2 * in_pixel; ++c) {
            const auto input = [&](int t) {
                const int place = place_of_tap(axis.antialias, t);
                return pixel[2 * in_pixel * static_cast<std::size_t>(place) + c];
            };
            float sum = input(0) * weights[0];
            for (int t = 1; t < axis.count[x]; ++t)
                sum = added(sum, input(t), weights[t], t <= unfused);
            (c < in_pixel ? one[in_pixel * x + c] : other[in_pixel * x + c - in_pixel]) = sum;
        }
    }
}

void blend_corners_plain(const FloatAxis& axis, const float* down, const float* in, float* out) {
    for (std::size_t x = 0; x < axis.first.size(); ++x) {
        const float* across = axis.weights.data() + 2 * x;
        const float* left =
            in + 2 * in_pixel * static_cast<std::size_t>(axis.first[x] + float_margin);
        const float* right = left + 2 * in_pixel;
        for (std::size_t c = 0; c < in_pixel; ++c) {
            float sum = right[c] * (down[1] * across[0]);
            sum = std::fma(left[c], down[1] * across[1], sum);
            sum = std::fma(left[in_pixel + c], down[0] * across[1], sum);
            out[in_pixel * x + c] = std::fma(right[in_pixel + c], down[0] * across[0], sum);
        }
    }
}

void blend_float_rows_plain(const float* const* rows, const float* weights, int count, int unfused,
                            std::size_t numbers, float* out) {
    for (std::size_t i = 0; i < numbers; ++i) {
        float sum = rows[0][i] * weights[0];
        for (int t = 1; t < count; ++t) sum = added(sum, rows[t][i], weights[t], t <= unfused);
        out[i] = sum;
    }
}

void resize_floats(const Image& image, const FloatResize& how,
                   const std::function<void(int y, const float* row)>& take) {
    thread_local FloatScratch scratch;
    FloatResampler(image, how, scratch).run(take);
}

void normalise_floats_plain(const float* row, std::size_t begin, std::size_t pixels,
                            const Normaliser& by, float* const planes[3]) {
    for (std::size_t i = begin; i < pixels; ++i) {
        for (std::size_t c = 0; c < 3; ++c)
            planes[c][i] = (row[in_pixel * i + c] - by.mean[c]) / by.std[c];
    }
}

void normalise_floats(const float* row, std::size_t pixels, const Normaliser& by,
                      float* const planes[3]) {
    const std::size_t done = cpu_has_avx2() ? normalise_floats_avx2(row, pixels, by, planes) : 0;
    normalise_floats_plain(row, done, pixels, by, planes);
}

}  // namespace assay::pixels
