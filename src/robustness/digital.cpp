// Implements effects of files and sensors: coarse pixels, JPEG, elastic deformation.
#include <cmath>

#include "assay/image/encode.h"
#include "assay/image/preprocess.h"
#include "robustness/planes.h"
#include "robustness/work.h"

namespace assay::robustness {
namespace {

/// Bilinear interpolation of RGBX pixels. Coordinates may be outside the image.
template <typename Value>
std::array<float, 3> sample(const Value* pixels, int width, int height, float x, float y,
                            Border border) {
    constexpr float far = 1 << 30;  // for a map that is almost not invertible
    x = std::clamp(x, -far, far);
    y = std::clamp(y, -far, far);
    const float fx = std::floor(x), fy = std::floor(y);
    const int x0 = static_cast<int>(fx), y0 = static_cast<int>(fy);
    const float dx = x - fx, dy = y - fy;
    const int left = inside(x0, width, border), right = inside(x0 + 1, width, border);
    const std::ptrdiff_t top = 4 * std::ptrdiff_t{width} * inside(y0, height, border);
    const std::ptrdiff_t bottom = 4 * std::ptrdiff_t{width} * inside(y0 + 1, height, border);
    const Value *a = pixels + top + 4 * left, *b = pixels + top + 4 * right,
                *c = pixels + bottom + 4 * left, *d = pixels + bottom + 4 * right;
    std::array<float, 3> out{};
    for (std::size_t k = 0; k < 3; ++k) {
        const auto p = static_cast<float>(a[k]), q = static_cast<float>(c[k]);
        const float upper = p + (static_cast<float>(b[k]) - p) * dx;
        const float lower = q + (static_cast<float>(d[k]) - q) * dx;
        out[k] = upper + (lower - upper) * dy;
    }
    return out;
}

/// The source position of a pixel of the result: x' = a x + b y + c, y' = d x + e y + f.
struct Affine {
    double a, b, c, d, e, f;
};

/// The map from the three moved points back to their original positions.
Affine moved_back(const std::array<std::array<double, 2>, 3>& from,
                  const std::array<std::array<double, 2>, 3>& to) {
    const double x0 = to[0][0], y0 = to[0][1], x1 = to[1][0], y1 = to[1][1], x2 = to[2][0],
                 y2 = to[2][1];
    // Three points on a line have no such map. All pixels then come from one position.
    const double det = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    const double scale = det == 0 ? 0 : 1 / det;
    const auto row = [&](std::size_t k) {
        const double u = from[1][k] - from[0][k], v = from[2][k] - from[0][k];
        const double p = (u * (y2 - y0) - v * (y1 - y0)) * scale;
        const double q = (v * (x1 - x0) - u * (x2 - x0)) * scale;
        return std::array<double, 3>{p, q, from[0][k] - p * x0 - q * y0};
    };
    const auto x = row(0), y = row(1);
    return {x[0], x[1], x[2], y[0], y[1], y[2]};
}

/// Smooth random displacements in pixels.
Planes field(const Work& work, double amount, double sigma) {
    Planes planes(work.image.width, work.image.height, 1);
    std::vector<std::uint32_t> bits(planes.values.size());
    work.draws.fill(bits);
    for (std::size_t i = 0; i < bits.size(); ++i)
        planes.values[i] = static_cast<float>(bits[i] >> 8U) * 0x1.0p-23F - 1;
    gaussian(planes, sigma, 3, Border::reflect);
    for (float& v : planes.values) v *= static_cast<float>(amount);
    return planes;
}

}  // namespace

void elastic_transform(const Work& work, Image& out) {
    struct Elastic {
        double amount, sigma, affine;  ///< in units of the profile for any image
    };
    constexpr ByProfile<Elastic> levels = {
        {{{{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}}},
         {{{0, 0, .08}, {.05, .3, .06}, {.1, .08, .06}, {.1, .03, .03}, {.16, .03, .02}}},
         {{{0, 0, .08}, {.05, .2, .07}, {.08, .06, .06}, {.1, .04, .05}, {.1, .03, .03}}}}};
    constexpr std::array<double, corruption_profiles> units = {244, 64, 32};
    const double unit = units[static_cast<std::size_t>(work.profile)];
    const Elastic& e = work.of(levels);
    const int width = work.image.width, height = work.image.height;
    // These are whole pixels, as published.
    const int middle_x = width / 2, middle_y = height / 2, side = std::min(width, height) / 3;
    const double half_x = middle_x, half_y = middle_y, third = side;
    const std::array<std::array<double, 2>, 3> from = {{{half_x + third, half_y + third},
                                                        {half_x + third, half_y - third},
                                                        {half_x - third, half_y - third}}};
    auto to = from;
    for (auto& point : to) {
        for (double& v : point) v += unit * e.affine * (2 * work.draws.uniform() - 1);
    }
    const Affine m = moved_back(from, to);
    std::vector<float> tilted(4 * work.pixels());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const auto value =
                sample(work.image.pixels.data(), width, height,
                       static_cast<float>(m.a * x + m.b * y + m.c),
                       static_cast<float>(m.d * x + m.e * y + m.f), Border::reflect_101);
            std::copy(value.begin(), value.end(),
                      tilted.begin() + 4 * (std::ptrdiff_t{width} * y + x));
        }
    }
    const Planes dx = field(work, unit * e.amount, unit * e.sigma);
    const Planes dy = field(work, unit * e.amount, unit * e.sigma);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const auto value =
                sample(tilted.data(), width, height, static_cast<float>(x) + dx.row(y)[x],
                       static_cast<float>(y) + dy.row(y)[x], Border::reflect);
            std::uint8_t* p = out.pixels.data() + 4 * (std::ptrdiff_t{width} * y + x);
            for (std::size_t c = 0; c < 3; ++c) p[c] = cut(value[c]);
            p[3] = 255;
        }
    }
}

void pixelate(const Work& work, Image& out) {
    constexpr Levels kept = {
        {{.6, .5, .4, .3, .25}, {.9, .8, .7, .6, .5}, {.95, .9, .85, .75, .65}}};
    const double c = work.of(kept);
    const Image& in = work.image;
    const Image coarse = resize(in, Interpolation::box,
                                {static_cast<int>(in.width * c), static_cast<int>(in.height * c)});
    out = resize(coarse, Interpolation::box, {in.width, in.height});
}

void jpeg_compression(const Work& work, Image& out) {
    constexpr ByProfile<int> quality = {
        {{25, 18, 15, 10, 7}, {65, 58, 50, 40, 25}, {80, 65, 58, 50, 40}}};
    const JpegOptions options{.quality = work.of(quality), .chroma = JpegChroma::halved};
    decode_image_into(encode_jpeg(work.image, options), out);
}

}  // namespace assay::robustness
