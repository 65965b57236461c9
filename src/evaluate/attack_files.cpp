#include "evaluate/attack_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "containers/npy.h"
#include "core/file.h"
#include "core/paths.h"

namespace assay::attack {
namespace {

/// The whole level closest to `x`, always in [0, 255].
double level_of(float x) {
    return std::nearbyint(std::clamp(static_cast<double>(x), 0.0, 1.0) * 255);
}

/// The image's level for x. It is the closest one within eps of the original (linf), or rounded
/// towards the original (l2). No element therefore changes by more than before.
std::uint8_t rounded_level(float original, float x, Norm norm, double eps) {
    const double from = level_of(original);
    const double to = std::clamp(static_cast<double>(x), 0.0, 1.0) * 255;
    if (norm == Norm::linf) {
        // Budgets are usually whole levels and were converted to float32. The slack is 4e-7 of a
        // pixel, less than allows() accepts.
        constexpr double slack = 1e-4;
        const double least = std::ceil(from - eps * 255 - slack);
        const double most = std::floor(from + eps * 255 + slack);
        return static_cast<std::uint8_t>(
            std::clamp(std::nearbyint(to), std::max(least, 0.0), std::min(most, 255.0)));
    }
    return static_cast<std::uint8_t>(to > from ? std::floor(to) : std::ceil(to));
}

}  // namespace

std::vector<std::byte> AttackFile::encoded(std::span<const float> original,
                                           std::span<const float> image) const {
    const std::size_t pixels = shape.height * shape.width;
    if (form == ImageForm::png) {
        Image out;
        out.width = static_cast<int>(shape.width);
        out.height = static_cast<int>(shape.height);
        out.pixels.assign(4 * pixels, 255);
        for (std::size_t c = 0; c < 3; ++c) {
            for (std::size_t k = 0; k < pixels; ++k) {
                const std::size_t at = plane_of(c) * pixels + k;
                out.pixels[4 * k + c] = rounded_level(original[at], image[at], norm, eps);
            }
        }
        return encode_png(out);
    }
    const std::array<std::uint64_t, 3> extents = {shape.height, shape.width, 3};
    const std::string header = npy_header("<f4", extents);
    std::vector<float> numbers(3 * pixels);
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t k = 0; k < pixels; ++k)
            numbers[3 * k + c] = image[plane_of(c) * pixels + k];
    }
    std::vector<std::byte> bytes(header.size() + numbers.size() * sizeof(float));
    std::memcpy(bytes.data(), header.data(), header.size());
    std::memcpy(bytes.data() + header.size(), numbers.data(), numbers.size() * sizeof(float));
    return bytes;
}

bool AttackFile::read(const std::filesystem::path& file, std::span<float> planes) const {
    if (!is_there(file)) return false;
    const std::size_t pixels = shape.height * shape.width;
    const auto put = [&](auto&& number_at) {
        for (std::size_t c = 0; c < 3; ++c) {
            for (std::size_t k = 0; k < pixels; ++k)
                planes[plane_of(c) * pixels + k] = number_at(k, c);
        }
    };
    try {
        // The limit is larger than any file from encoded(): larger files are not ours.
        const std::uint64_t limit =
            form == ImageForm::png ? 16 * pixels + 65536 : 3 * sizeof(float) * pixels + 4096;
        const std::vector<std::byte> bytes = read_file(file, limit);
        if (form == ImageForm::png) {
            const Image image = decode_image(bytes);
            if (image.width != static_cast<int>(shape.width) ||
                image.height != static_cast<int>(shape.height))
                return false;
            put([&](std::size_t k, std::size_t c) {
                return static_cast<float>(image.pixels[4 * k + c]) / 255.0F;
            });
            return true;
        }
        const NpyView array = parse_npy(bytes);
        if (array.type() != NumberType::f4 || array.fortran ||
            array.shape != std::vector<std::uint64_t>{shape.height, shape.width, 3})
            return false;
        std::vector<float> numbers(3 * pixels);
        array.values.floats(0, numbers);
        put([&](std::size_t k, std::size_t c) { return numbers[3 * k + c]; });
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return false;
    }
}

bool AttackFile::allows(std::span<const float> original, std::span<const float> image) const {
    double largest = 0, squares = 0;
    for (std::size_t k = 0; k < image.size(); ++k) {
        if (!(image[k] >= 0 && image[k] <= 1)) return false;
        const double moved = static_cast<double>(image[k]) - static_cast<double>(original[k]);
        largest = std::max(largest, std::abs(moved));
        squares += moved * moved;
    }
    return norm == Norm::linf ? largest <= eps + 1e-6 : std::sqrt(squares) <= eps + 1e-5;
}

}  // namespace assay::attack
