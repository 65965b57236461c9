// Filters of whole planes, all based on weighted_sum().
#include <algorithm>
#include <cmath>

#include "robustness/planes.h"

namespace assay::robustness {
namespace {

std::vector<float> gaussian_weights(double sigma, int radius) {
    if (radius == 0) return {1};  // sigma may be 0
    std::vector<double> w;
    double sum = 0;
    for (int x = -radius; x <= radius; ++x) {
        w.push_back(std::exp(-0.5 * x * x / (sigma * sigma)));
        sum += w.back();
    }
    std::vector<float> out;
    for (const double value : w) out.push_back(static_cast<float>(value / sum));
    return out;
}

/// Equal rows are read once, with the sum of their weights.
Planes blur_columns(const Planes& in, const std::vector<float>& weights, Border border) {
    const int radius = static_cast<int>(weights.size() / 2);
    Planes out(in.width, in.height, in.channels);
    std::vector<const float*> rows;
    std::vector<float> sums(static_cast<std::size_t>(in.height)), used;
    for (int y = 0; y < in.height; ++y) {
        rows.clear();
        if (y >= radius && y + radius < in.height) {
            for (int k = -radius; k <= radius; ++k) rows.push_back(in.row(y + k));
            weighted_sum(rows, weights, in.row_size(), out.row(y));
            continue;
        }
        std::fill(sums.begin(), sums.end(), 0.0F);
        used.clear();
        for (int k = -radius; k <= radius; ++k)
            sums[inside(y + k, in.height, border)] += weights[k + radius];
        for (int row = 0; row < in.height; ++row) {
            if (sums[row] == 0) continue;
            rows.push_back(in.row(row));
            used.push_back(sums[row]);
        }
        weighted_sum(rows, used, in.row_size(), out.row(y));
    }
    return out;
}

Planes blur_rows(const Planes& in, const std::vector<float>& weights, Border border) {
    const int radius = static_cast<int>(weights.size() / 2);
    Planes out(in.width, in.height, in.channels);
    std::vector<float> line(static_cast<std::size_t>(in.width + 2 * radius));
    std::vector<const float*> rows;
    for (std::size_t k = 0; k < weights.size(); ++k) rows.push_back(line.data() + k);
    for (int y = 0; y < in.height; ++y) {
        for (int c = 0; c < in.channels; ++c) {
            const float* from = in.row(y) + static_cast<std::size_t>(c) * in.width;
            std::copy_n(from, in.width, line.data() + radius);
            for (int x = 1; x <= radius; ++x) {
                line[radius - x] = from[inside(-x, in.width, border)];
                line[radius + in.width - 1 + x] = from[inside(in.width - 1 + x, in.width, border)];
            }
            weighted_sum(rows, weights, static_cast<std::size_t>(in.width),
                         out.row(y) + static_cast<std::size_t>(c) * in.width);
        }
    }
    return out;
}

/// One channel.
Planes transposed(const Planes& in) {
    Planes out(in.height, in.width, 1);
    for (int y = 0; y < in.height; ++y) {
        for (int x = 0; x < in.width; ++x) out.row(x)[y] = in.row(y)[x];
    }
    return out;
}

}  // namespace

void gaussian(Planes& planes, double sigma, double truncate, Border border) {
    const auto weights =
        gaussian_weights(sigma, static_cast<int>(std::floor(truncate * sigma + 0.5)));
    // A kernel that is wider than the plane reads each column many times.
    if (planes.channels == 1 && weights.size() > static_cast<std::size_t>(planes.width)) {
        planes = transposed(
            blur_columns(transposed(blur_columns(planes, weights, border)), weights, border));
        return;
    }
    planes = blur_columns(blur_rows(planes, weights, border), weights, border);
}

Planes correlate(const Image& image, const Kernel& kernel) {
    const int pad = kernel.side / 2;
    const Planes in = to_padded_planes(image, pad, Border::reflect_101);
    Planes out(image.width, image.height, 3);
    std::vector<std::size_t> offsets;
    std::vector<float> weights;
    for (int y = 0; y < kernel.side; ++y) {
        for (int x = 0; x < kernel.side; ++x) {
            if (kernel.at(x, y) == 0) continue;
            offsets.push_back(in.row_size() * y + x);
            weights.push_back(static_cast<float>(kernel.at(x, y)));
        }
    }
    std::vector<const float*> rows(offsets.size());
    for (int y = 0; y < image.height; ++y) {
        for (int c = 0; c < 3; ++c) {
            const float* base = in.row(y) + static_cast<std::size_t>(c) * in.width;
            for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = base + offsets[k];
            weighted_sum(rows, weights, static_cast<std::size_t>(image.width),
                         out.row(y) + static_cast<std::size_t>(c) * image.width);
        }
    }
    return out;
}

Planes line_blur(const Planes& planes, int radius, double sigma, double angle) {
    const int taps = 2 * radius + 1;
    const double turn = angle * 3.14159265358979323846 / 180;
    std::vector<double> weights;
    double sum = 0;
    for (int i = 0; i < taps; ++i) {
        weights.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
        sum += weights.back();
    }
    std::vector<float> scaled;
    for (const double w : weights) scaled.push_back(static_cast<float>(w / sum));
    const Planes in = padded(planes, taps, Border::replicate);
    std::vector<std::ptrdiff_t> offsets;
    for (int i = 0; i < taps; ++i) {
        const int dx = static_cast<int>(std::ceil(i * std::cos(turn) - 0.5));
        const int dy = static_cast<int>(std::ceil(i * std::sin(turn) - 0.5));
        offsets.push_back(static_cast<std::ptrdiff_t>(in.row_size()) * (taps + dy) + taps + dx);
    }
    Planes out(planes.width, planes.height, planes.channels);
    std::vector<const float*> rows(offsets.size());
    for (int y = 0; y < planes.height; ++y) {
        for (int c = 0; c < planes.channels; ++c) {
            const float* base = in.row(y) + static_cast<std::size_t>(c) * in.width;
            for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = base + offsets[k];
            weighted_sum(rows, scaled, static_cast<std::size_t>(planes.width),
                         out.row(y) + static_cast<std::size_t>(c) * planes.width);
        }
    }
    return out;
}

ZoomAxis zoom_axis(int n, double factor) {
    ZoomAxis axis;
    axis.inputs = static_cast<int>(std::ceil(n / factor));
    axis.first = (n - axis.inputs) / 2;
    const int size = static_cast<int>(std::nearbyint(axis.inputs * factor));
    const int trim = (size - n) / 2;
    const double step = size > 1 ? (axis.inputs - 1.0) / (size - 1.0) : 0.0;
    for (int i = 0; i < n; ++i) {
        const double at = std::clamp((i + trim) * step, 0.0, axis.inputs - 1.0);
        const int low = std::clamp(static_cast<int>(at), 0, std::max(axis.inputs - 2, 0));
        axis.at.push_back(low);
        axis.further.push_back(static_cast<float>(at - low));
    }
    return axis;
}

void add_zoomed(const Planes& planes, double factor, Planes& sum) {
    const ZoomAxis rows = zoom_axis(planes.height, factor);
    const ZoomAxis columns = zoom_axis(planes.width, factor);
    std::vector<float> line(planes.row_size() + 1);
    for (int y = 0; y < planes.height; ++y) {
        const int at = rows.first + rows.at[y];
        const float* const two[] = {planes.row(at),
                                    planes.row(std::min(at + 1, planes.height - 1))};
        const float weights[] = {1 - rows.further[y], rows.further[y]};
        weighted_sum(two, weights, planes.row_size(), line.data());
        float* out = sum.row(y);
        for (int c = 0; c < planes.channels; ++c, out += planes.width) {
            const float* from =
                line.data() + static_cast<std::size_t>(c) * planes.width + columns.first;
            for (int x = 0; x < planes.width; ++x) {
                const float* p = from + columns.at[x];
                out[x] += p[0] + (p[1] - p[0]) * columns.further[x];
            }
        }
    }
}

}  // namespace assay::robustness
