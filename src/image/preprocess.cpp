#include "assay/image/preprocess.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/refuse.h"
#include "image/luma.h"
#include "image/resample.h"
#include "image/resample_floats.h"

namespace assay {
namespace {

struct Sides {
    std::int64_t height;
    std::int64_t width;
};

/// timm uses floor(side / crop_pct).
std::int64_t scaled(int side, double crop_pct) {
    const double size = std::floor(side / crop_pct);
    if (!(size >= 1 && size <= INT_MAX)) {
        refuse(fmt::format(
            "crop_pct {} turns {} pixels into {}; allowed: in (0, 1], or slightly above", crop_pct,
            side, size));
    }
    return static_cast<std::int64_t>(size);
}

/// torchvision's Resize(int): the short side is given, and the long one is truncated to an integer.
Sides short_side_to(std::int64_t size, int width, int height) {
    const bool upright = width <= height;
    const int shorter = upright ? width : height;
    const int longer = upright ? height : width;
    const double other = static_cast<double>(size * longer) / shorter;
    if (other > INT_MAX)
        refuse(fmt::format("an image of {} x {} pixels cannot be resized to short side {}", width,
                           height, size));
    const auto long_size = static_cast<std::int64_t>(other);
    return upright ? Sides{long_size, size} : Sides{size, long_size};
}

/// timm's ResizeKeepRatio: the larger ratio fits the image into `target` (border), the smaller one
/// covers it.
Sides keep_ratio(Sides target, int width, int height, bool fit) {
    const double rows = static_cast<double>(height) / static_cast<double>(target.height);
    const double columns = static_cast<double>(width) / static_cast<double>(target.width);
    const double ratio = fit ? std::max(rows, columns) : std::min(rows, columns);
    // rounds half to even, as Python's round
    const double new_height = std::nearbyint(height / ratio);
    const double new_width = std::nearbyint(width / ratio);
    if (new_height > INT_MAX || new_width > INT_MAX || new_height < 1 || new_width < 1) {
        refuse(fmt::format("an image of {} x {} pixels would be resized to {} x {}", width, height,
                           new_width, new_height));
    }
    return {static_cast<std::int64_t>(new_height), static_cast<std::int64_t>(new_width)};
}

Sides resized(const Preprocess& p, int width, int height) {
    if (p.crop_mode == CropMode::none) return {p.height, p.width};
    Sides target{};
    if (p.resize_size) {
        if (*p.resize_size < 1)
            refuse(fmt::format("resize_size is {}; it must be positive", *p.resize_size));
        target = {*p.resize_size, *p.resize_size};
    } else {
        target = {scaled(p.height, p.crop_pct), scaled(p.width, p.crop_pct)};
    }
    if (p.crop_mode == CropMode::squash) return target;
    if (p.crop_mode == CropMode::border) return keep_ratio(target, width, height, true);
    if (target.height == target.width) return short_side_to(target.height, width, height);
    return keep_ratio(target, width, height, false);
}

/// torchvision's center_crop: round((size - crop) / 2) half to even; transformers': rounded down.
/// An image smaller than the crop gets a padding of (crop - size) / 2, rounded down, before it.
int crop_start(int size, int crop, CropStart start) {
    const int margin = size - crop;
    if (margin < 0) return -((crop - size) / 2);
    const int half = margin / 2;
    return margin % 2 == 0 || start == CropStart::floor ? half : half + (half & 1);
}

/// The number for a byte, before mean and std.
pixels::ByteScale byte_scale(double scale) {
    return {static_cast<float>(scale), divides_by_255(scale)};
}

/// Table of (byte * scale - mean) / std for every byte, so that an image needs only look-ups.
std::array<float, 256> value_table(double scale, double mean, double std) {
    const pixels::ByteScale bytes = byte_scale(scale);
    std::array<float, 256> table;
    for (int v = 0; v < 256; ++v) {
        table[v] = (bytes.of(static_cast<std::uint8_t>(v)) - static_cast<float>(mean)) /
                   static_cast<float>(std);
    }
    return table;
}

/// A table that maps each byte to itself.
struct TheByte {
    std::uint8_t operator[](std::uint8_t byte) const { return byte; }
};

void check_numbers(std::size_t numbers, std::size_t plane) {
    if (numbers != 3 * plane)
        refuse(fmt::format("the output has {} numbers, but the input has {}", numbers, 3 * plane));
}

/// Writes the window as planes in the order of the input channels, with one table for each channel.
template <class Number, class Table>
void fill_planes(const Image& window, const Preprocess& p, std::span<Number> out,
                 const Table& first, const Table& second, const Table& third) {
    const std::size_t plane =
        static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height);
    if (window.width != p.width || window.height != p.height || window.pixels.size() != 4 * plane) {
        refuse(
            fmt::format("a window of {} x {} pixels is given, but the preprocessing makes {} x {}",
                        window.width, window.height, p.width, p.height));
    }
    check_numbers(out.size(), plane);
    const bool bgr = p.channel_order == ChannelOrder::bgr;
    const int first_byte = bgr ? 2 : 0;
    const int third_byte = bgr ? 0 : 2;
    Number* a = out.data();
    Number* b = a + plane;
    Number* c = b + plane;
    const std::uint8_t* pixel = window.pixels.data();
    for (std::size_t i = 0; i < plane; ++i, pixel += 4) {
        a[i] = first[pixel[first_byte]];
        b[i] = second[pixel[1]];
        c[i] = third[pixel[third_byte]];
    }
}

std::array<std::uint8_t, 3> fill_of(const Preprocess& p) {
    if (p.channel_order != ChannelOrder::gray) return p.fill;
    const std::uint8_t fill = luma(p.fill[0], p.fill[1], p.fill[2]);
    return {fill, fill, fill};
}

/// Scales, resizes and crops floats, then applies mean and std. A gray image was converted before.
void resize_floats_into(const Image& image, const Preprocess& p, std::span<float> out) {
    const std::size_t plane =
        static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height);
    check_numbers(out.size(), plane);
    check_filter(p.resize_as, p.interpolation, p.antialias);
    const ResizeWindow window = window_of(p, image.width, image.height);
    const pixels::VisiblePart part = pixels::visible_part(image, window);
    const pixels::ByteScale scale = byte_scale(p.scale);
    const std::array<std::uint8_t, 3> fill = fill_of(p);
    pixels::Normaliser normaliser{};
    std::array<float*, 3> planes{};  // planes of R, G and B
    for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t at = p.channel_order == ChannelOrder::bgr ? 2 - c : c;
        normaliser.mean[c] = static_cast<float>(p.mean[at]);
        normaliser.std[c] = static_cast<float>(p.std[at]);
        planes[c] = out.data() + at * plane;
        if (!part.fills_window()) {
            std::fill_n(planes[c], plane,
                        (scale.of(fill[c]) - normaliser.mean[c]) / normaliser.std[c]);
        }
    }
    if (part.empty()) return;
    const pixels::FloatResize how = {.filter = p.interpolation,
                                     .antialias = p.antialias,
                                     .one_channel = p.channel_order == ChannelOrder::gray,
                                     .width = window.width,
                                     .height = window.height,
                                     .x0 = part.x0,
                                     .x1 = part.x1,
                                     .y0 = part.y0,
                                     .y1 = part.y1,
                                     .scale = scale};
    pixels::resize_floats(image, how, [&](int y, const float* row) {
        const std::size_t at =
            static_cast<std::size_t>(y - window.crop_y) * static_cast<std::size_t>(p.width) +
            static_cast<std::size_t>(part.x0 - window.crop_x);
        float* const to[3] = {planes[0] + at, planes[1] + at, planes[2] + at};
        pixels::normalise_floats(row, static_cast<std::size_t>(part.x1 - part.x0), normaliser, to);
    });
}

}  // namespace

ResizeWindow window_of(const Preprocess& p, int width, int height) {
    if (p.height < 1 || p.width < 1)
        refuse(fmt::format("an input of {} x {} pixels is not possible", p.width, p.height));
    if (width < 1 || height < 1)
        refuse(fmt::format("an image of {} x {} pixels cannot be resized", width, height));
    const Sides size = resized(p, width, height);
    ResizeWindow window{};
    window.width = static_cast<int>(size.width);
    window.height = static_cast<int>(size.height);
    window.crop_w = p.width;
    window.crop_h = p.height;
    window.crop_x = crop_start(window.width, p.width, p.crop_start);
    window.crop_y = crop_start(window.height, p.height, p.crop_start);
    return window;
}

Image in_gray(const Image& image) {
    Image gray = image;
    for (std::size_t i = 0; i + 4 <= gray.pixels.size(); i += 4) {
        std::uint8_t* const pixel = gray.pixels.data() + i;
        pixel[0] = pixel[1] = pixel[2] = luma(pixel[0], pixel[1], pixel[2]);
    }
    return gray;
}

Image crop_window(const Image& image, const Preprocess& p) {
    const ResizeWindow window = window_of(p, image.width, image.height);
    const auto resized = [&](const Image& from) {
        return resize(from, p.interpolation, window, fill_of(p), p.resize_as, p.antialias);
    };
    return p.channel_order == ChannelOrder::gray ? resized(in_gray(image)) : resized(image);
}

void preprocess_into(const Image& image, const Preprocess& p, std::span<float> out) {
    if (resizes_to_bytes(p)) return normalise_into(crop_window(image, p), p, out);
    if (p.channel_order == ChannelOrder::gray) return resize_floats_into(in_gray(image), p, out);
    resize_floats_into(image, p, out);
}

ByteValues byte_values(const Preprocess& p) {
    return {value_table(p.scale, p.mean[0], p.std[0]), value_table(p.scale, p.mean[1], p.std[1]),
            value_table(p.scale, p.mean[2], p.std[2])};
}

void normalise_into(const Image& window, const Preprocess& p, std::span<float> out) {
    const ByteValues values = byte_values(p);
    fill_planes(window, p, out, values[0], values[1], values[2]);
}

void planes_into(const Image& window, const Preprocess& p, std::span<std::uint8_t> out) {
    fill_planes(window, p, out, TheByte(), TheByte(), TheByte());
}

}  // namespace assay
