// Water or mud on the lens. The water's rims are computed as in the published code with OpenCV:
// Canny's edges and the distance to them, equalised and embossed.
#include <array>
#include <cmath>
#include <vector>

#include "robustness/planes.h"
#include "robustness/work.h"

namespace assay::robustness {
namespace {

/// An image with one byte per pixel.
struct Grey {
    int width, height;
    std::vector<std::uint8_t> values;
};

/// A padded image, with one more pixel on each side, so that 3 x 3 neighbors need no special cases.
/// The neighbors of pixel (x, y) are at row(y)[x + 0 .. x + 2] and in the two rows below.
struct Bordered {
    int stride;
    std::vector<std::uint8_t> values;

    Bordered(const Grey& grey, Border border) : stride(grey.width + 2) {
        values.reserve(static_cast<std::size_t>(stride) * (grey.height + 2));
        for (int y = -1; y <= grey.height; ++y) {
            const std::uint8_t* row =
                grey.values.data() + std::ptrdiff_t{grey.width} * inside(y, grey.height, border);
            values.push_back(row[inside(-1, grey.width, border)]);
            values.insert(values.end(), row, row + grey.width);
            values.push_back(row[inside(grey.width, grey.width, border)]);
        }
    }
    const std::uint8_t* around(int x, int y) const {
        return values.data() + std::ptrdiff_t{stride} * y + x;
    }
    /// The weighted sum over the 3 x 3 neighbors.
    int sum(int x, int y, const std::array<int, 9>& weights) const {
        const std::uint8_t *a = around(x, y), *b = a + stride, *c = b + stride;
        return weights[0] * a[0] + weights[1] * a[1] + weights[2] * a[2] + weights[3] * b[0] +
               weights[4] * b[1] + weights[5] * b[2] + weights[6] * c[0] + weights[7] * c[1] +
               weights[8] * c[2];
    }
};

/// Calls f(x, y, i) for each pixel.
template <typename F>
void each_place(int width, int height, F&& f) {
    std::size_t i = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) f(x, y, i++);
    }
}

/// Canny's edges as 1 or 0: 3 x 3 Sobel, |gx| + |gy|, thinned across the gradient's direction, and
/// connected to a strong edge.
std::vector<std::uint8_t> canny(const Grey& in, int low, int high) {
    const int width = in.width, height = in.height, stride = width + 2;
    std::vector<int> gx(in.values.size()), gy(in.values.size());
    std::vector<int> size(static_cast<std::size_t>(stride) * (height + 2));
    const auto place = [stride](int x, int y) {
        return static_cast<std::size_t>(y + 1) * stride + static_cast<std::size_t>(x + 1);
    };
    const Bordered bordered(in, Border::replicate);
    each_place(width, height, [&](int x, int y, std::size_t i) {
        gx[i] = bordered.sum(x, y, {-1, 0, 1, -2, 0, 2, -1, 0, 1});
        gy[i] = bordered.sum(x, y, {-1, -2, -1, 0, 0, 0, 1, 2, 1});
        size[place(x, y)] = std::abs(gx[i]) + std::abs(gy[i]);
    });
    std::vector<std::uint8_t> edge(size.size());  // with its own border; 1 means weak, 2 means edge
    std::vector<std::size_t> strong;
    constexpr double tan_22 = 0.41421356237309503;
    each_place(width, height, [&](int x, int y, std::size_t i) {
        const std::size_t p = place(x, y);
        const int m = size[p];
        if (m <= low) return;
        const double across = std::abs(gx[i]), down = std::abs(gy[i]);
        bool top = false;
        if (down < across * tan_22) {
            top = m > size[p - 1] && m >= size[p + 1];
        } else if (down > across * (tan_22 + 2)) {
            top = m > size[p - stride] && m >= size[p + stride];
        } else {
            const std::ptrdiff_t s = (gx[i] ^ gy[i]) < 0 ? -1 : 1;
            top = m > size[p - stride - s] && m > size[p + stride + s];
        }
        if (!top) return;
        edge[p] = m > high ? 2 : 1;
        if (m > high) strong.push_back(p);
    });
    while (!strong.empty()) {
        const std::size_t p = strong.back();
        strong.pop_back();
        for (std::ptrdiff_t dy = -stride; dy <= stride; dy += stride) {
            for (std::ptrdiff_t dx = -1; dx <= 1; ++dx) {
                if (edge[p + dy + dx] != 1) continue;
                edge[p + dy + dx] = 2;
                strong.push_back(p + dy + dx);
            }
        }
    }
    std::vector<std::uint8_t> out(in.values.size());
    each_place(width, height,
               [&](int x, int y, std::size_t i) { out[i] = edge[place(x, y)] == 2 ? 1 : 0; });
    return out;
}

/// Borgefors' 5 x 5 chamfer distance to the nearest edge, at most `most`.
Planes distance_to(const std::vector<std::uint8_t>& edges, int width, int height, float most) {
    constexpr float straight = 1, diagonal = 1.4F, knight = 2.1969F;
    struct Step {
        int dx, dy;
        float length;
    };
    constexpr std::array<Step, 8> before = {{{-1, -2, knight},
                                             {1, -2, knight},
                                             {-2, -1, knight},
                                             {-1, -1, diagonal},
                                             {0, -1, straight},
                                             {1, -1, diagonal},
                                             {2, -1, knight},
                                             {-1, 0, straight}}};
    const int stride = width + 4;
    std::vector<float> d(static_cast<std::size_t>(stride) * (height + 4), 1e6F);
    const auto place = [stride](int x, int y) {
        return static_cast<std::size_t>(y + 2) * stride + static_cast<std::size_t>(x + 2);
    };
    const auto relax = [&](std::size_t p, int sign) {
        for (const Step& s : before) {
            const std::ptrdiff_t step = sign * (std::ptrdiff_t{stride} * s.dy + s.dx);
            d[p] = std::min(d[p], d[p + step] + s.length);
        }
    };
    each_place(width, height, [&](int x, int y, std::size_t i) {
        if (edges[i] != 0) d[place(x, y)] = 0;
        relax(place(x, y), 1);
    });
    for (int y = height - 1; y >= 0; --y) {
        for (int x = width - 1; x >= 0; --x) relax(place(x, y), -1);
    }
    Planes out(width, height, 1);
    each_place(width, height, [&](int x, int y, std::size_t i) {
        out.values[i] = std::min(d[place(x, y)], most);
    });
    return out;
}

void equalise(Grey& grey) {
    std::array<std::size_t, 256> count{};
    for (const std::uint8_t v : grey.values) ++count[v];
    std::size_t first = 0;
    while (count[first] == 0) ++first;
    if (count[first] == grey.values.size()) return;
    const double scale = 255.0 / static_cast<double>(grey.values.size() - count[first]);
    std::array<std::uint8_t, 256> table{};
    std::size_t sum = 0;
    for (std::size_t v = first + 1; v < 256; ++v) {
        sum += count[v];
        table[v] = static_cast<std::uint8_t>(std::nearbyint(static_cast<double>(sum) * scale));
    }
    for (std::uint8_t& v : grey.values) v = table[v];
}

/// The amount of water on each pixel before scaling: the layer times its embossed rims.
Planes water(const Planes& layer) {
    Grey liquid{layer.width, layer.height, {}};
    for (const float v : layer.values) liquid.values.push_back(cut(255 * v));
    const Planes distance = distance_to(canny(liquid, 50, 150), layer.width, layer.height, 20);
    Grey rims{layer.width, layer.height, std::vector<std::uint8_t>(layer.values.size())};
    const Planes around = padded(distance, 1, Border::reflect_101);
    each_place(rims.width, rims.height, [&](int x, int y, std::size_t i) {
        float sum = 0;
        for (int dy = 0; dy < 3; ++dy) {
            for (int dx = 0; dx < 3; ++dx) sum += around.row(y + dy)[x + dx];
        }
        rims.values[i] = cut(sum / 9);
    });
    equalise(rims);
    Grey embossed = rims;
    const Bordered flat(rims, Border::reflect_101);
    each_place(rims.width, rims.height, [&](int x, int y, std::size_t i) {
        embossed.values[i] = static_cast<std::uint8_t>(
            std::clamp(flat.sum(x, y, {-2, -1, 0, -1, 1, 1, 0, 1, 2}), 0, 255));
    });
    const Bordered raised(embossed, Border::reflect_101);
    Planes out(layer.width, layer.height, 1);
    each_place(rims.width, rims.height, [&](int x, int y, std::size_t i) {
        const int sum = raised.sum(x, y, {1, 1, 1, 1, 1, 1, 1, 1, 1});
        const int mean = (2 * sum + 9) / 18;  // rounded
        out.values[i] = static_cast<float>(liquid.values[i]) * static_cast<float>(mean);
    });
    return out;
}

}  // namespace

void spatter(const Work& work, Image& out) {
    struct Spatter {
        double mean, deviation, sigma, threshold, strength;
        bool mud;
    };
    constexpr ByProfile<Spatter> levels = {{{{{.65, .3, 4, .69, .6, false},
                                              {.65, .3, 3, .68, .6, false},
                                              {.65, .3, 2, .68, .5, false},
                                              {.65, .3, 1, .65, 1.5, true},
                                              {.67, .4, 1, .65, 1.5, true}}},
                                            {{{.62, .1, .7, .7, .6, false},
                                              {.65, .1, .8, .7, .6, false},
                                              {.65, .3, 1, .69, .6, false},
                                              {.65, .1, .7, .68, .6, true},
                                              {.65, .1, .5, .67, .6, true}}},
                                            {{{.62, .1, .7, .7, .5, false},
                                              {.65, .1, .8, .7, .5, false},
                                              {.65, .3, 1, .69, .5, false},
                                              {.65, .1, .7, .69, .6, true},
                                              {.65, .1, .5, .68, .6, true}}}}};
    const Spatter& s = work.of(levels);
    Planes layer(work.image.width, work.image.height, 1);
    work.draws.fill_normal(layer.values);
    for (float& v : layer.values)
        v = static_cast<float>(s.mean) + static_cast<float>(s.deviation) * v;
    gaussian(layer, s.sigma, 4, Border::replicate);
    std::array<float, 3> colour = {175, 238, 238};  // pale turquoise
    if (s.mud) {
        colour = {63, 42, 20};
        for (float& v : layer.values) v = v > s.threshold ? 1.0F : 0.0F;
        gaussian(layer, s.strength, 4, Border::replicate);
        for (float& v : layer.values) v = v < .8F ? 0.0F : v;
    } else {
        for (float& v : layer.values) v = v < s.threshold ? 0.0F : v;
        layer = water(layer);
        const float most = *std::max_element(layer.values.begin(), layer.values.end());
        const float scale = most > 0 ? static_cast<float>(s.strength) / most : 0.0F;
        for (float& v : layer.values) v *= scale;
    }
    for (std::size_t p = 0; p < work.pixels(); ++p) {
        const float m = layer.values[p], keep = s.mud ? 1 - m : 1;
        for (std::size_t c = 0; c < 3; ++c)
            out.pixels[4 * p + c] = cut(keep * work.image.pixels[4 * p + c] + m * colour[c]);
        out.pixels[4 * p + 3] = 255;
    }
}

}  // namespace assay::robustness
