#include "demo/world/canvas.h"

namespace assay::world {

void fill(Canvas& canvas, const Mask& mask, PixelBox box, Colour colour, float strength) {
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
            const float share = mask.at(x, y);
            if (share > 0) canvas.at(x, y) = mix(canvas.at(x, y), colour, share * strength);
        }
    }
}

namespace {

/// Filters one line with a box filter by running sums, with zeros outside.
void box_filter(const float* in, float* out, int count, int step, int radius) {
    const float share = 1.0F / static_cast<float>(2 * radius + 1);
    float sum = 0;
    for (int i = 0; i < std::min(radius, count); ++i) sum += in[i * step];
    for (int i = 0; i < count; ++i) {
        if (i + radius < count) sum += in[(i + radius) * step];
        if (i - radius - 1 >= 0) sum -= in[(i - radius - 1) * step];
        out[i * step] = sum * share;
    }
}

}  // namespace

void blur(Mask& mask, PixelBox box, int radius, std::vector<float>& scratch) {
    if (box.empty() || radius < 1) return;
    scratch.resize(mask.value.size());
    for (int pass = 0; pass < 2; ++pass) {
        for (int y = box.y0; y < box.y1; ++y) {
            const auto at = static_cast<std::size_t>(y * mask.width + box.x0);
            box_filter(&mask.value[at], &scratch[at], box.width(), 1, radius);
        }
        for (int x = box.x0; x < box.x1; ++x) {
            const auto at = static_cast<std::size_t>(box.y0 * mask.width + x);
            box_filter(&scratch[at], &mask.value[at], box.height(), mask.width, radius);
        }
    }
}

void blur(Canvas& canvas, float amount, Canvas& scratch) {
    const int w = canvas.width, h = canvas.height;
    scratch.width = w;
    scratch.height = h;
    scratch.pixels.resize(canvas.pixels.size());
    for (; amount > 0.01F; amount -= 1) {
        const float side = 0.25F * std::min(amount, 1.0F), middle = 1 - 2 * side;
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < w; ++x) {
                scratch.at(x, y) = side * (canvas.at(std::max(x - 1, 0), y) +
                                           canvas.at(std::min(x + 1, w - 1), y)) +
                                   middle * canvas.at(x, y);
            }
        }
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < w; ++x) {
                canvas.at(x, y) = side * (scratch.at(x, std::max(y - 1, 0)) +
                                          scratch.at(x, std::min(y + 1, h - 1))) +
                                  middle * scratch.at(x, y);
            }
        }
    }
}

void to_image(const Canvas& canvas, Image& image) {
    image.width = canvas.width;
    image.height = canvas.height;
    image.pixels.resize(4 * canvas.pixels.size());
    std::uint8_t* out = image.pixels.data();
    const auto byte = [](float v) { return static_cast<std::uint8_t>(clamp01(v) * 255.0F + 0.5F); };
    for (const Colour& c : canvas.pixels) {
        *out++ = byte(c.r);
        *out++ = byte(c.g);
        *out++ = byte(c.b);
        *out++ = 255;
    }
}

}  // namespace assay::world
