// Implements the blurs: defocus, glass, motion, zoom.
#include <cmath>

#include "robustness/disk.h"
#include "robustness/planes.h"
#include "robustness/work.h"

namespace assay::robustness {
namespace {

void blur_bytes(Image& image, double sigma) {
    Planes planes = to_planes(image);
    gaussian(planes, sigma, 4, Border::replicate);
    to_image(planes, image);
}

}  // namespace

void gaussian_blur(const Work& work, Image& out) {
    constexpr Levels sigma = {{{1, 2, 3, 4, 6}, {.5, .75, 1, 1.25, 1.5}, {.4, .6, .7, .8, 1}}};
    out.pixels = work.image.pixels;
    blur_bytes(out, work.of(sigma));
}

Kernel disk_kernel(double radius, double sigma) {
    const int half = std::max(static_cast<int>(radius), 8);
    Kernel disk;
    disk.side = 2 * half + 1;
    disk.weights.assign(static_cast<std::size_t>(disk.side) * disk.side, 0.0);
    double sum = 0;
    for (int y = -half; y <= half; ++y) {
        for (int x = -half; x <= half; ++x) {
            const double inside_disk = x * x + y * y <= radius * radius ? 1 : 0;
            disk.at(x + half, y + half) = inside_disk;
            sum += inside_disk;
        }
    }
    for (double& w : disk.weights) w /= sum;
    // The kernel is smoothed within its own grid, mirrored at the edge. If the disk touches the
    // edge (radius 8 and more), the weights add up to more than 1. The image then becomes lighter.
    // The published kernel does the same.
    const int reach = radius <= 8 ? 1 : 2;
    std::vector<double> g;
    double total = 0;
    for (int i = -reach; i <= reach; ++i) {
        g.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
        total += g.back();
    }
    for (double& w : g) w /= total;
    const auto smooth = [&](bool along_x) {
        const Kernel from = disk;
        for (int y = 0; y < disk.side; ++y) {
            for (int x = 0; x < disk.side; ++x) {
                double value = 0;
                for (int i = -reach; i <= reach; ++i) {
                    const int at = inside((along_x ? x : y) + i, disk.side, Border::reflect_101);
                    value += g[static_cast<std::size_t>(i) + static_cast<std::size_t>(reach)] *
                             (along_x ? from.at(at, y) : from.at(x, at));
                }
                disk.at(x, y) = value;
            }
        }
    };
    smooth(true);
    smooth(false);
    for (double& w : disk.weights) {
        if (w < 1e-12) w = 0;  // exp(-50) changes no level of any pixel
    }
    return disk;
}

void defocus_blur(const Work& work, Image& out) {
    constexpr Levels radius = {{{3, 4, 6, 8, 10}, {.5, 1, 1.5, 2.5, 3}, {.3, .4, .5, 1, 1.5}}};
    constexpr Levels sigma = {{{.1, .5, .5, .5, .5}, {.6, .1, .1, .01, .1}, {.4, .5, .6, .2, .1}}};
    to_image(correlate(work.image, disk_kernel(work.of(radius), work.of(sigma))), out);
}

void glass_blur(const Work& work, Image& out) {
    struct Glass {
        double sigma;
        int distance, passes;
    };
    constexpr ByProfile<Glass> levels = {
        {{{{.7, 1, 2}, {.9, 2, 1}, {1, 2, 3}, {1.1, 3, 2}, {1.5, 4, 2}}},
         {{{.1, 1, 1}, {.5, 1, 1}, {.6, 1, 2}, {.7, 2, 1}, {.9, 2, 2}}},
         {{{.05, 1, 1}, {.25, 1, 1}, {.4, 1, 1}, {.25, 1, 2}, {.4, 1, 2}}}}};
    const Glass& glass = work.of(levels);
    const int d = glass.distance, width = work.image.width, height = work.image.height;
    out.pixels = work.image.pixels;
    blur_bytes(out, glass.sigma);
    // The published code swaps views of pixels, so both places get the value of the second
    // pixel. This is a copy in place, from the bottom right to the top left, with offsets in
    // [-d, d).
    std::uint8_t* pixels = out.pixels.data();
    std::vector<std::uint32_t> draws(static_cast<std::size_t>(width));
    const auto span = static_cast<std::uint32_t>(2 * d);
    for (int pass = 0; pass < glass.passes; ++pass) {
        for (int y = height - d; y > d; --y) {
            work.draws.fill(draws);
            for (int x = width - d; x > d; --x) {
                const std::uint32_t u = draws[static_cast<std::size_t>(x)];
                const int dx = static_cast<int>(((u & 0xffffU) * span) >> 16U) - d;
                const int dy = static_cast<int>(((u >> 16U) * span) >> 16U) - d;
                std::copy_n(pixels + 4 * (std::ptrdiff_t{width} * (y + dy) + x + dx), 4,
                            pixels + 4 * (std::ptrdiff_t{width} * y + x));
            }
        }
    }
    blur_bytes(out, glass.sigma);
}

void motion_blur(const Work& work, Image& out) {
    constexpr ByProfile<int> radius = {
        {{10, 15, 15, 15, 20}, {10, 10, 10, 10, 12}, {6, 6, 6, 8, 9}}};
    constexpr Levels sigma = {{{3, 5, 8, 12, 15}, {1, 1.5, 2, 2.5, 3}, {1, 1.5, 2, 2, 2.5}}};
    const double angle = -45 + 90 * work.draws.uniform();
    to_image(line_blur(to_planes(work.image), work.of(radius), work.of(sigma), angle), out);
}

void zoom_blur(const Work& work, Image& out) {
    struct Zooms {
        int count;
        double step;
    };
    constexpr std::array<Zooms, corruption_severities> small = {
        {{7, .01}, {12, .01}, {16, .01}, {21, .01}, {26, .01}}};
    constexpr ByProfile<Zooms> levels = {
        {{{{12, .01}, {16, .01}, {11, .02}, {13, .02}, {11, .03}}}, small, small}};
    const Zooms& zooms = work.of(levels);
    // numpy.arange(1, ...) steps by (1 + step) - 1, whose rounding determines the sides of a zoom
    // that are halfway between two pixels.
    const double step = (1 + zooms.step) - 1;
    const Planes planes = to_planes(work.image);
    Planes sum = planes;  // the image itself, counted again as the zoom by 1
    for (int i = 0; i < zooms.count; ++i) add_zoomed(planes, 1 + i * step, sum);
    const float part = 1.0F / static_cast<float>(zooms.count + 1);
    for (float& value : sum.values) value *= part;
    to_image(sum, out);
}

}  // namespace assay::robustness
