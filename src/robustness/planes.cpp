#include "robustness/planes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>

#include "core/cpu.h"
#include "robustness/work.h"

namespace assay::robustness {

Planes to_planes(const Image& image) {
    Planes planes(image.width, image.height, 3);
    const std::uint8_t* in = image.pixels.data();
    for (int y = 0; y < image.height; ++y) {
        float* red = planes.row(y);
        float* green = red + image.width;
        float* blue = green + image.width;
        for (int x = 0; x < image.width; ++x, in += 4) {
            red[x] = in[0];
            green[x] = in[1];
            blue[x] = in[2];
        }
    }
    return planes;
}

Planes padded(const Planes& planes, int pad, Border border) {
    Planes out(planes.width + 2 * pad, planes.height + 2 * pad, planes.channels);
    std::vector<int> outside;
    for (int x = 0; x < pad; ++x) outside.push_back(x);
    for (int x = planes.width + pad; x < out.width; ++x) outside.push_back(x);
    for (int y = 0; y < out.height; ++y) {
        const float* in = planes.row(inside(y - pad, planes.height, border));
        float* row = out.row(y);
        for (int c = 0; c < planes.channels; ++c, in += planes.width, row += out.width) {
            std::copy_n(in, planes.width, row + pad);
            for (const int x : outside) row[x] = in[inside(x - pad, planes.width, border)];
        }
    }
    return out;
}

Planes to_padded_planes(const Image& image, int pad, Border border) {
    return padded(to_planes(image), pad, border);
}

void to_image(const Planes& planes, Image& out) {
    std::uint8_t* to = out.pixels.data();
    for (int y = 0; y < planes.height; ++y) {
        const float* red = planes.row(y);
        const float* green = red + planes.width;
        const float* blue = green + planes.width;
        for (int x = 0; x < planes.width; ++x, to += 4) {
            to[0] = cut(red[x]);
            to[1] = cut(green[x]);
            to[2] = cut(blue[x]);
            to[3] = 255;
        }
    }
}

void weighted_sum_plain(std::span<const float* const> rows, std::span<const float> weights,
                        std::size_t n, float* out) {
    constexpr std::size_t block = 16;
    std::size_t i = 0;
    for (; i + block <= n; i += block) {
        float sum[block] = {};
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const float* row = rows[k] + i;
            for (std::size_t j = 0; j < block; ++j) sum[j] += weights[k] * row[j];
        }
        std::copy_n(sum, block, out + i);
    }
    for (; i < n; ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) sum += weights[k] * rows[k][i];
        out[i] = sum;
    }
}

#if defined(__x86_64__)
// Products are rounded before the addition, as in the plain form. There is no fused multiply-add.
__attribute__((target("avx2"))) void weighted_sum_avx2(std::span<const float* const> rows,
                                                       std::span<const float> weights,
                                                       std::size_t n, float* out) {
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const __m256 w = _mm256_set1_ps(weights[k]);
            const float* row = rows[k] + i;
            a = _mm256_add_ps(a, _mm256_mul_ps(w, _mm256_loadu_ps(row)));
            b = _mm256_add_ps(b, _mm256_mul_ps(w, _mm256_loadu_ps(row + 8)));
            c = _mm256_add_ps(c, _mm256_mul_ps(w, _mm256_loadu_ps(row + 16)));
            d = _mm256_add_ps(d, _mm256_mul_ps(w, _mm256_loadu_ps(row + 24)));
        }
        _mm256_storeu_ps(out + i, a);
        _mm256_storeu_ps(out + i + 8, b);
        _mm256_storeu_ps(out + i + 16, c);
        _mm256_storeu_ps(out + i + 24, d);
    }
    for (; i + 8 <= n; i += 8) {
        __m256 a = _mm256_setzero_ps();
        for (std::size_t k = 0; k < rows.size(); ++k) {
            a = _mm256_add_ps(
                a, _mm256_mul_ps(_mm256_set1_ps(weights[k]), _mm256_loadu_ps(rows[k] + i)));
        }
        _mm256_storeu_ps(out + i, a);
    }
    for (; i < n; ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) sum += weights[k] * rows[k][i];
        out[i] = sum;
    }
}

#else
void weighted_sum_avx2(std::span<const float* const>, std::span<const float>, std::size_t, float*) {
}
#endif

void weighted_sum(std::span<const float* const> rows, std::span<const float> weights, std::size_t n,
                  float* out) {
    static const bool fast = cpu_has_avx2();
    (fast ? weighted_sum_avx2 : weighted_sum_plain)(rows, weights, n, out);
}

}  // namespace assay::robustness
