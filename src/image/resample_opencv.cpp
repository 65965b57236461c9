// OpenCV's weights are integers with 11 fractional bits, and columns come before rows, with
// integers between them. INTER_AREA sums floats. Pixels have three channels, R, G and B, without
// the X byte of Image.
#include "image/resample_opencv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::pixels {
namespace {

constexpr int channels = 3;
constexpr int one = 1 << 11;
/// The number of bytes that OpenCV's x86-64 build computes at once. It rounds the rest of a row
/// differently.
constexpr int together = 8;

std::uint8_t to_byte(int value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}
/// Rounds half to even, as OpenCV's cvRound, for |value| < 2^22: no bits remain for a fraction.
int nearest_int(float value) {
    constexpr float shift = 1.5F * (1 << 23);
    return static_cast<int>((value + shift) - shift);
}
int floor_int(double value) {
    return static_cast<int>(std::floor(value));
}

/// Pixels without the X byte.
struct Packed {
    int width, height;
    std::vector<std::uint8_t> bytes;

    std::size_t stride() const { return static_cast<std::size_t>(width) * channels; }
    const std::uint8_t* row(int y) const {
        return bytes.data() + stride() * static_cast<std::size_t>(y);
    }
    std::uint8_t* row(int y) { return bytes.data() + stride() * static_cast<std::size_t>(y); }
};

Packed packed(int width, int height) {
    Packed out{width, height, {}};
    out.bytes.resize(out.stride() * static_cast<std::size_t>(height));
    return out;
}

Packed packed(const Image& image) {
    Packed out = packed(image.width, image.height);
    std::uint8_t* to = out.bytes.data();
    for (std::size_t i = 0; i < image.pixels.size(); i += 4)
        for (int c = 0; c < channels; ++c) *to++ = image.pixels[i + c];
    return out;
}

Image unpacked(const Packed& from) {
    Image out{from.width, from.height, {}};
    out.pixels.reserve(from.bytes.size() / channels * 4);
    for (std::size_t i = 0; i < from.bytes.size(); i += channels) {
        for (int c = 0; c < channels; ++c) out.pixels.push_back(from.bytes[i + c]);
        out.pixels.push_back(255);
    }
    return out;
}

/// The step from one output to the next, in inputs. OpenCV divides twice, so this code does too.
double step_of(int inputs, int size) {
    return 1.0 / (static_cast<double>(size) / inputs);
}

// INTER_NEAREST

Packed nearest_of(const Packed& in, int width, int height) {
    Packed out = packed(width, height);
    const double columns = step_of(in.width, width);
    const double rows = step_of(in.height, height);
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* from = in.row(std::min(floor_int(y * rows), in.height - 1));
        std::uint8_t* to = out.row(y);
        for (int x = 0; x < width; ++x, to += channels)
            std::copy_n(from + channels * std::min(floor_int(x * columns), in.width - 1), channels,
                        to);
    }
    return out;
}

// INTER_LINEAR and INTER_CUBIC

/// For one output: its first input, which may be outside the image, and the weights from there on.
struct Taps {
    int first = 0;
    std::array<int, 4> weights{};
};

std::array<float, 4> cubic_weights(float x) {
    constexpr float a = -0.75F;
    std::array<float, 4> w{};
    w[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    w[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    w[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
    w[3] = 1.F - w[0] - w[1] - w[2];
    return w;
}

enum class Place {
    centre,  ///< an output is located at its center
    area     ///< INTER_AREA for an enlarged side
};

/// `across` is set for columns, where a linear output at an edge uses only the edge's input.
std::vector<Taps> taps_of(int inputs, int size, int count, Place place, bool across) {
    const double inverse = static_cast<double>(size) / inputs;
    const double step = 1.0 / inverse;
    std::vector<Taps> out(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
        int input = 0;
        float rest = 0.F;
        if (place == Place::area) {
            input = floor_int(i * step);
            rest = static_cast<float>((i + 1) - (input + 1) * inverse);
            rest = rest <= 0 ? 0.F : rest - std::floor(rest);
        } else {
            rest = static_cast<float>((i + 0.5) * step - 0.5);
            input = floor_int(rest);
            rest -= static_cast<float>(input);
        }
        if (across && count == 2 && (input < 0 || input >= inputs - 1)) {
            input = std::clamp(input, 0, inputs - 1);
            rest = 0.F;
        }
        std::array<float, 4> weights = {1.F - rest, rest};
        if (count == 4) weights = cubic_weights(rest);
        Taps& taps = out[static_cast<std::size_t>(i)];
        taps.first = count == 4 ? input - 1 : input;
        for (int t = 0; t < count; ++t) taps.weights[t] = nearest_int(weights[t] * one);
    }
    return out;
}

void blend_row(const std::uint8_t* in, int inputs, const std::vector<Taps>& columns, int count,
               std::vector<int>& out) {
    out.resize(columns.size() * channels);
    int* to = out.data();
    for (const Taps& taps : columns) {
        std::array<int, channels> sums{};
        for (int t = 0; t < count; ++t) {
            const std::uint8_t* from = in + channels * std::clamp(taps.first + t, 0, inputs - 1);
            for (int c = 0; c < channels; ++c) sums[c] += from[c] * taps.weights[t];
        }
        for (const int sum : sums) *to++ = sum;
    }
}

void add_linear(const std::array<const int*, 4>& rows, const Taps& taps, std::size_t numbers,
                std::uint8_t* out) {
    for (std::size_t i = 0; i < numbers; ++i) {
        const int sum = ((taps.weights[0] * (rows[0][i] >> 4)) >> 16) +
                        ((taps.weights[1] * (rows[1][i] >> 4)) >> 16);
        out[i] = static_cast<std::uint8_t>((sum + 2) >> 2);
    }
}

/// Eight numbers at a time are computed in floats, and the rest in integers.
void add_cubic(const std::array<const int*, 4>& rows, const Taps& taps, std::size_t numbers,
               std::uint8_t* out) {
    constexpr float scale = 1.F / (one * one);
    std::array<float, 4> weights{};
    for (int t = 0; t < 4; ++t) weights[t] = static_cast<float>(taps.weights[t]) * scale;
    const std::size_t whole = numbers / together * together;
    for (std::size_t i = 0; i < whole; ++i) {
        float sum = static_cast<float>(rows[3][i]) * weights[3];
        for (int t = 2; t >= 0; --t) {
            const float product = static_cast<float>(rows[t][i]) * weights[t];
            sum = product + sum;
        }
        out[i] = to_byte(nearest_int(sum));
    }
    for (std::size_t i = whole; i < numbers; ++i) {
        int sum = 0;
        for (int t = 0; t < 4; ++t) sum += rows[t][i] * taps.weights[t];
        out[i] = to_byte((sum + (1 << 21)) >> 22);
    }
}

Packed blended(const Packed& in, int width, int height, int count, Place place) {
    Packed out = packed(width, height);
    const std::vector<Taps> columns = taps_of(in.width, width, count, place, true);
    const std::vector<Taps> rows = taps_of(in.height, height, count, place, false);
    // Rows after blending their columns: the last four that were used, by input row.
    std::array<std::vector<int>, 4> made;
    std::array<int, 4> made_of = {-1, -1, -1, -1};
    for (int y = 0; y < height; ++y) {
        const Taps& taps = rows[static_cast<std::size_t>(y)];
        std::array<const int*, 4> from{};
        for (int t = 0; t < count; ++t) {
            const int row = std::clamp(taps.first + t, 0, in.height - 1);
            const auto slot = static_cast<std::size_t>(row % 4);
            if (made_of[slot] != row) {
                blend_row(in.row(row), in.width, columns, count, made[slot]);
                made_of[slot] = row;
            }
            from[t] = made[slot].data();
        }
        const std::size_t numbers = columns.size() * channels;
        count == 2 ? add_linear(from, taps, numbers, out.row(y))
                   : add_cubic(from, taps, numbers, out.row(y));
    }
    return out;
}

// INTER_AREA if both sides shrink

/// The proportion of an input that falls on each output.
struct Portion {
    int output, input;
    float weight;
};

std::vector<Portion> portions_of(int inputs, int size) {
    const double step = step_of(inputs, size);
    std::vector<Portion> out;
    for (int i = 0; i < size; ++i) {
        const double begin = i * step;
        const double end = begin + step;
        const double cell = std::min(step, inputs - begin);
        const int last = std::min(floor_int(end), inputs - 1);
        const int first = std::min(static_cast<int>(std::ceil(begin)), last);
        if (first - begin > 1e-3)
            out.push_back({i, first - 1, static_cast<float>((first - begin) / cell)});
        for (int input = first; input < last; ++input)
            out.push_back({i, input, static_cast<float>(1.0 / cell)});
        if (end - last > 1e-3) {
            const double part = std::min(std::min(end - last, 1.0), cell);
            out.push_back({i, last, static_cast<float>(part / cell)});
        }
    }
    return out;
}

Packed area_of(const Packed& in, int width, int height) {
    Packed out = packed(width, height);
    const std::vector<Portion> columns = portions_of(in.width, width);
    const std::vector<Portion> rows = portions_of(in.height, height);
    std::vector<float> sums(out.stride()), row(out.stride());
    const auto write = [&](int y) {
        std::uint8_t* to = out.row(y);
        for (std::size_t i = 0; i < sums.size(); ++i) to[i] = to_byte(nearest_int(sums[i]));
    };
    int at = rows.front().output;
    for (const Portion& down : rows) {
        const std::uint8_t* from = in.row(down.input);
        std::fill(row.begin(), row.end(), 0.F);
        for (const Portion& across : columns) {
            for (int c = 0; c < channels; ++c) {
                const float product =
                    static_cast<float>(from[channels * across.input + c]) * across.weight;
                row[static_cast<std::size_t>(channels * across.output + c)] += product;
            }
        }
        if (down.output != at) {
            write(at);
            std::fill(sums.begin(), sums.end(), 0.F);
            at = down.output;
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const float product = row[i] * down.weight;
            sums[i] = product + sums[i];
        }
    }
    write(at);
    return out;
}

/// Computes means of blocks, for sides that shrink to an integer fraction.
Packed blocks_of(const Packed& in, int width, int height, int columns, int rows) {
    Packed out = packed(width, height);
    const float scale = 1.F / static_cast<float>(columns * rows);
    for (int y = 0; y < height; ++y) {
        std::uint8_t* to = out.row(y);
        for (int i = 0; i < width * channels; ++i) {
            std::int64_t sum = 0;
            for (int r = 0; r < rows; ++r) {
                const std::uint8_t* from =
                    in.row(y * rows + r) + i / channels * columns * channels + i % channels;
                for (int c = 0; c < columns; ++c) sum += from[c * channels];
            }
            to[i] = columns == 2 && rows == 2
                        ? static_cast<std::uint8_t>((sum + 2) >> 2)
                        : to_byte(nearest_int(static_cast<float>(sum) * scale));
        }
    }
    return out;
}

Packed shrunk(const Packed& in, int width, int height) {
    const double across = step_of(in.width, width), down = step_of(in.height, height);
    const int columns = static_cast<int>(std::nearbyint(across));
    const int rows = static_cast<int>(std::nearbyint(down));
    constexpr double least = std::numeric_limits<double>::epsilon();
    const bool whole = std::abs(across - columns) < least && std::abs(down - rows) < least;
    return whole ? blocks_of(in, width, height, columns, rows) : area_of(in, width, height);
}

Packed resized_by(const Packed& in, Interpolation filter, int width, int height) {
    if (width == in.width && height == in.height) return in;
    if (filter == Interpolation::nearest) return nearest_of(in, width, height);
    if (filter == Interpolation::bicubic) return blended(in, width, height, 4, Place::centre);
    const bool halves = in.width == 2 * width && in.height == 2 * height;
    if (filter == Interpolation::bilinear && !halves)
        return blended(in, width, height, 2, Place::centre);
    if (width <= in.width && height <= in.height) return shrunk(in, width, height);
    return blended(in, width, height, 2, Place::area);
}

}  // namespace

Image resize_as_opencv(const Image& image, Interpolation filter, int width, int height) {
    return unpacked(resized_by(packed(image), filter, width, height));
}

}  // namespace assay::pixels
