// Noise on individual values.
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

#include "robustness/work.h"

namespace assay::robustness {
namespace {

/// Calls f(value, i) for each color value of the image in turn.
template <typename F>
void each_value(const Work& work, Image& out, F&& f) {
    const std::uint8_t* in = work.image.pixels.data();
    std::uint8_t* to = out.pixels.data();
    std::size_t i = 0;
    for (std::size_t p = 0; p < 4 * work.pixels(); p += 4) {
        for (std::size_t c = 0; c < 3; ++c) to[p + c] = f(in[p + c], i++);
        to[p + 3] = 255;
    }
}

std::vector<float> normals(const Work& work) {
    std::vector<float> out(3 * work.pixels());
    work.draws.fill_normal(out);
    return out;
}

std::vector<std::uint32_t> bits(const Work& work) {
    std::vector<std::uint32_t> out(3 * work.pixels());
    work.draws.fill(out);
    return out;
}

/// Poisson draws for each of 256 means, by the inverse distribution function to 32 bits.
class PoissonTable {
public:
    explicit PoissonTable(double photons) {
        for (int v = 0; v < 256; ++v) {
            const double mean = photons * v / 255;
            Row& row = rows_[v];
            double p = std::exp(-mean), sum = p;
            for (int k = 0;; ++k) {
                const double end = std::nearbyint(sum * 0x1.0p32);
                if (k > mean && (end >= 0x1.0p32 || p < 0x1.0p-34)) break;
                row.ends.push_back(static_cast<std::uint32_t>(std::min(end, 0x1.0p32 - 1)));
                p *= mean / (k + 1);
                sum += p;
            }
            row.ends.push_back(0xffffffffU);
            for (std::uint32_t g = 0; g < guides; ++g) {
                std::uint16_t k = 0;
                while (row.ends[k] < (g << shift)) ++k;
                row.guide[g] = k;
            }
            for (std::size_t k = 0; k < row.ends.size(); ++k)
                row.bytes.push_back(
                    cut(static_cast<float>(255.0 * static_cast<double>(k) / photons)));
        }
    }
    /// The new value of byte `v`, for a uniform draw.
    std::uint8_t draw(std::uint8_t v, std::uint32_t u) const {
        const Row& row = rows_[v];
        std::size_t k = row.guide[u >> shift];
        while (row.ends[k] < u) ++k;
        return row.bytes[k];
    }

private:
    static constexpr std::uint32_t guides = 256, shift = 24;
    struct Row {
        std::vector<std::uint32_t> ends;            ///< P(K <= k) * 2^32
        std::vector<std::uint8_t> bytes;            ///< k / photons as a byte
        std::array<std::uint16_t, guides> guide{};  ///< the first k for draws with this prefix
    };
    std::array<Row, 256> rows_;
};

/// Each table is made once, on first use.
const PoissonTable& poisson_table(double photons) {
    static std::mutex mutex;
    static std::map<double, PoissonTable> tables;
    const std::scoped_lock lock(mutex);
    return tables.try_emplace(photons, photons).first->second;
}

}  // namespace

void gaussian_noise(const Work& work, Image& out) {
    constexpr Levels sigma = {
        {{.08, .12, .18, .26, .38}, {.04, .08, .12, .15, .18}, {.04, .06, .08, .09, .10}}};
    const auto scale = static_cast<float>(255 * work.of(sigma));
    const auto z = normals(work);
    each_value(work, out, [&](std::uint8_t v, std::size_t i) { return cut(v + scale * z[i]); });
}

void speckle_noise(const Work& work, Image& out) {
    constexpr Levels sigma = {
        {{.15, .2, .35, .45, .6}, {.15, .2, .25, .3, .35}, {.06, .1, .12, .16, .2}}};
    const auto scale = static_cast<float>(work.of(sigma));
    const auto z = normals(work);
    each_value(work, out, [&](std::uint8_t v, std::size_t i) { return cut(v + v * scale * z[i]); });
}

void shot_noise(const Work& work, Image& out) {
    constexpr Levels photons = {
        {{60, 25, 12, 5, 3}, {250, 100, 50, 30, 15}, {500, 250, 100, 75, 50}}};
    const PoissonTable& table = poisson_table(work.of(photons));
    const auto u = bits(work);
    each_value(work, out, [&](std::uint8_t v, std::size_t i) { return table.draw(v, u[i]); });
}

void impulse_noise(const Work& work, Image& out) {
    constexpr Levels proportion = {
        {{.03, .06, .09, .17, .27}, {.01, .02, .05, .08, .14}, {.01, .02, .03, .05, .07}}};
    const auto hit = static_cast<std::uint32_t>(work.of(proportion) * 0x1.0p32);
    const auto u = bits(work);
    each_value(work, out, [&](std::uint8_t v, std::size_t i) -> std::uint8_t {
        if (u[i] >= hit) return v;
        return u[i] < hit / 2 ? 255 : 0;
    });
}

}  // namespace assay::robustness
