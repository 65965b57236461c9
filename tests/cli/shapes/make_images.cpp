// Writes a small labelled data set (ImageFolder, PNG): six kinds of coloured shapes on noisy
// grounds, 64 images each. usage: shape_images FOLDER [IMAGES_A_CLASS] [SEED]
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/file.h"
#include "core/random.h"

namespace {

constexpr int side = 96;
constexpr std::array<const char*, 6> kinds = {"circle", "cross",   "ring",
                                              "square", "stripes", "triangle"};

/// Signed distance-like value: negative inside the shape of half-size 1 around the origin.
double inside(std::size_t kind, double x, double y) {
    const double r = std::hypot(x, y);
    switch (kind) {
        case 0:
            return r - 1;
        case 1:
            return std::max(std::min(std::abs(x), std::abs(y)) - 0.3,
                            std::max(std::abs(x), std::abs(y)) - 1);
        case 2:
            return std::abs(r - 0.8) - 0.2;
        case 3:
            return std::max(std::abs(x), std::abs(y)) - 0.9;
        case 4:
            return std::max(std::max(std::abs(x), std::abs(y)) - 1,
                            0.25 - std::abs(std::fmod(y + 2, 0.8) - 0.4));
        default:
            return std::max(y - 0.7, std::max(-y * 0.5 + x * 0.87, -y * 0.5 - x * 0.87) - 0.55);
    }
}

std::vector<std::uint8_t> draw(std::size_t kind, std::uint64_t seed, std::uint64_t item) {
    assay::RandomStream random(seed, "quickstart", item);
    const auto between = [&](double a, double b) { return a + (b - a) * random.uniform(); };
    const double size = between(12, 34), angle = between(-0.6, 0.6), noise = between(5, 60);
    const double cx = between(28, side - 28), cy = between(28, side - 28);
    std::array<double, 3> front{}, back{};
    do {
        for (double& c : front) c = between(0, 255);
        for (double& c : back) c = between(0, 255);
    } while (std::abs(front[0] - back[0]) + std::abs(front[1] - back[1]) +
                 std::abs(front[2] - back[2]) <
             90);

    std::vector<std::uint8_t> rgb(std::size_t{3} * side * side);
    for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
            const double dx = (column - cx) / size, dy = (row - cy) / size;
            const double x = dx * std::cos(angle) - dy * std::sin(angle),
                         y = dx * std::sin(angle) + dy * std::cos(angle);
            const double cover = std::clamp(0.5 - inside(kind, x, y) * size, 0.0, 1.0);
            for (std::size_t c = 0; c < 3; ++c) {
                const double value =
                    cover * front[c] + (1 - cover) * back[c] + noise * random.normal();
                rgb[static_cast<std::size_t>(row * side + column) * 3 + c] =
                    static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
            }
        }
    }
    return rgb;
}

void write_png(const std::filesystem::path& path, const std::vector<std::uint8_t>& rgb) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = side;
    image.height = side;
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr) == 0) {
        throw assay::Error(assay::ErrorCode::io,
                           fmt::format("cannot write `{}`: {}", path.string(), image.message));
    }
}

}  // namespace

int main(int count, char** words) {
    if (count < 2 || std::string(words[1]).starts_with("-")) {
        std::fputs("usage: shape_images FOLDER [IMAGES_A_CLASS] [SEED]\n", stderr);
        return 2;
    }
    const int each = count > 2 ? std::atoi(words[2]) : 64;
    const std::uint64_t seed = count > 3 ? std::strtoull(words[3], nullptr, 10) : 1;
    try {
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            const std::filesystem::path folder = std::filesystem::path(words[1]) / kinds[kind];
            assay::make_folders(folder);
            for (int i = 0; i < each; ++i) {
                write_png(folder / fmt::format("{}_{:04}.png", kinds[kind], i),
                          draw(kind, seed, kind * 1'000'000 + static_cast<std::uint64_t>(i)));
            }
        }
        std::printf("%zu images in %s\n", kinds.size() * static_cast<std::size_t>(each), words[1]);
    } catch (const assay::Error& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
    return 0;
}
