// Resizes columns first, then rows, with bytes between, as Pillow does. A ring buffer has only the
// rows that one output row needs, so that they stay in the cache.
#include "image/resample.h"

#include <algorithm>
#include <climits>
#include <cstring>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/cpu.h"
#include "image/decode.h"
#include "image/resample_floats.h"
#include "image/resample_opencv.h"

namespace assay {
namespace pixels {
namespace {

/// Buffers that a thread keeps between calls, unless one grew large.
struct Scratch {
    Axis columns;
    Axis rows;
    PairedAxis paired;
    std::vector<std::int32_t> row_pairs;
    std::vector<std::uint8_t> ring;
    std::vector<const std::uint8_t*> pointers;
};

constexpr std::size_t kept_bytes = std::size_t{8} << 20;

/// The part [x0, x1) x [y0, y1) of the resized image, written at `out`.
struct Part {
    int x0, x1, y0, y1;
    std::uint8_t* out;
    std::size_t stride;

    int width() const { return x1 - x0; }
    std::uint8_t* row(int y) const { return out + static_cast<std::size_t>(y - y0) * stride; }
};

class Resampler {
public:
    Resampler(const Image& image, Interpolation filter, ResizeRule rule, bool antialias, int width,
              int height, const Part& part, Scratch& scratch)
        : image_(image), part_(part), scratch_(scratch), fast_(cpu_has_avx2()) {
        // A pass that keeps the size would have no effect, so it is skipped.
        columns_ = width != image.width;
        rows_ = height != image.height;
        if (columns_) {
            make_axis(scratch.columns, filter, image.width, width, part.x0, part.x1, rule,
                      antialias);
            paired_ = fast_ && make_paired(scratch.paired, scratch.columns);
        }
        if (rows_) {
            make_axis(scratch.rows, filter, image.height, height, part.y0, part.y1, rule,
                      antialias);
            scratch.pointers.resize(static_cast<std::size_t>(scratch.rows.taps) + 1);
            paired_rows_ = fast_ && part.width() >= 8;
            if (paired_rows_) make_row_pairs(scratch.row_pairs, scratch.rows);
        }
    }

    void run() {
        if (rows_) {
            columns_ ? through_ring() : blend_from_source();
        } else if (columns_) {
            for (int y = part_.y0; y < part_.y1; y += 4) {
                std::uint8_t* out[4];
                for (int i = 0; i < 4; ++i) out[i] = part_.row(std::min(y + i, part_.y1 - 1));
                blend_columns(y, part_.y1, out);
            }
        } else {
            for (int y = part_.y0; y < part_.y1; ++y)
                std::memcpy(part_.row(y), source(y), 4 * static_cast<std::size_t>(part_.width()));
        }
    }

private:
    const std::uint8_t* source_row(int y) const {
        return image_.pixels.data() +
               4 * static_cast<std::size_t>(image_.width) * static_cast<std::size_t>(y);
    }
    const std::uint8_t* source(int y) const {
        return source_row(y) + 4 * static_cast<std::size_t>(part_.x0);
    }

    /// Source rows y to y + 3. The last row before `end` is repeated.
    void blend_columns(int y, int end, std::uint8_t* const out[4]) const {
        const std::uint8_t* in[4];
        for (int i = 0; i < 4; ++i) in[i] = source_row(std::min(y + i, end - 1));
        if (paired_) return blend_columns_avx2(scratch_.paired, in, out);
        for (int i = 0; i < std::min(4, end - y); ++i)
            blend_columns_plain(scratch_.columns, in[i], out[i]);
    }

    /// Computes output row `index` from the rows in `pointers`.
    void blend_rows(int index) {
        const Axis& rows = scratch_.rows;
        const int count = rows.count[index];
        const auto at = static_cast<std::size_t>(index);
        std::uint8_t* out = part_.row(part_.y0 + index);
        const std::uint8_t** from = scratch_.pointers.data();
        if (paired_rows_) {
            from[count] = from[count - 1];  // an odd count is padded with a row of weight 0
            const std::size_t numbers = static_cast<std::size_t>(rows.taps + 1) / 2 * 2;
            blend_rows_avx2(from, scratch_.row_pairs.data() + at * numbers, count, part_.width(),
                            out);
        } else {
            blend_rows_plain(from, rows.weights.data() + at * rows.taps, count, part_.width(), out);
        }
    }

    void blend_from_source() {
        const Axis& rows = scratch_.rows;
        for (int i = 0; i < rows.outputs; ++i) {
            for (int t = 0; t < rows.count[i]; ++t)
                scratch_.pointers[t] = source(rows.first[i] + t);
            blend_rows(i);
        }
    }

    void through_ring() {
        const Axis& rows = scratch_.rows;
        const int slots = rows.taps + 4;  // one group of four rows may be made when one more is
                                          // needed
        const std::size_t row_bytes = 4 * static_cast<std::size_t>(part_.width());
        scratch_.ring.resize(
            std::max(scratch_.ring.size(), row_bytes * static_cast<std::size_t>(slots)));
        const auto slot = [&](int y) {
            return scratch_.ring.data() + row_bytes * static_cast<std::size_t>(y % slots);
        };
        const int end = rows.first.back() + rows.count.back();
        int made = rows.first.front();
        for (int i = 0; i < rows.outputs; ++i) {
            for (; made < rows.first[i] + rows.count[i]; made = std::min(made + 4, end)) {
                std::uint8_t* out[4];
                for (int k = 0; k < 4; ++k) out[k] = slot(std::min(made + k, end - 1));
                blend_columns(made, end, out);
            }
            for (int t = 0; t < rows.count[i]; ++t) scratch_.pointers[t] = slot(rows.first[i] + t);
            blend_rows(i);
        }
        if (scratch_.ring.capacity() > kept_bytes) std::vector<std::uint8_t>().swap(scratch_.ring);
    }

    const Image& image_;
    const Part part_;
    Scratch& scratch_;
    const bool fast_;
    bool columns_ = false;
    bool rows_ = false;
    bool paired_ = false;
    bool paired_rows_ = false;
};

/// The input of each output in [begin, end), or -1. Pillow accumulates the steps by addition, so
/// this code does too.
std::vector<int> nearest_inputs(int inputs, int size, int begin, int end) {
    std::vector<int> index(static_cast<std::size_t>(end - begin));
    const double step = static_cast<double>(inputs) / size;
    double at = step * 0.5;
    for (int i = 0; i < end; ++i, at += step) {
        const int input = static_cast<int>(at);
        if (i >= begin) index[i - begin] = input < inputs ? input : -1;
    }
    return index;
}

/// PyTorch's nearest-exact. It computes step * (i + 0.5) - 0.5 in float32 with one rounding (a
/// fused multiply-add). Here the double is exact and is rounded once, which gives the same result.
std::vector<int> nearest_inputs_of_torch(int inputs, int size, int begin, int end) {
    std::vector<int> index;
    const float step = static_cast<float>(inputs) / static_cast<float>(size);
    for (int i = begin; i < end; ++i) {
        const auto at = static_cast<float>(static_cast<double>(step) * (i + 0.5) - 0.5);
        const auto middle = static_cast<float>(std::max(at, 0.0F) + 0.5);
        index.push_back(std::min(static_cast<int>(middle), inputs - 1));
    }
    return index;
}

void resize_nearest(const Image& image, int width, int height, const Part& part, ResizeRule rule) {
    const bool of_pillow = rule == ResizeRule::pillow || rule == ResizeRule::pillow13;
    const auto inputs = of_pillow ? nearest_inputs : nearest_inputs_of_torch;
    const std::vector<int> columns = inputs(image.width, width, part.x0, part.x1);
    const std::vector<int> rows = inputs(image.height, height, part.y0, part.y1);
    for (int y = part.y0; y < part.y1; ++y) {
        const int row = rows[y - part.y0];
        const std::uint8_t* in =
            image.pixels.data() + 4 * static_cast<std::size_t>(image.width) * std::max(row, 0);
        std::uint8_t* out = part.row(y);
        for (std::size_t x = 0; x < columns.size(); ++x) {
            if (row < 0 || columns[x] < 0) {
                put_rgb(out + 4 * x, 0, 0, 0);
            } else {
                std::memcpy(out + 4 * x, in + 4 * columns[x], 4);
            }
        }
    }
}

/// Resizes the whole image and copies the part from it.
void resize_by_opencv(const Image& image, Interpolation filter, const ResizeWindow& window,
                      const Part& part) {
    if (window.width > max_image_pixels / window.height) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "a resize to {} x {} pixels with OpenCV's method exceeds the limit of {} pixels",
                window.width, window.height, max_image_pixels));
    }
    const Image whole = resize_as_opencv(image, filter, window.width, window.height);
    for (int y = part.y0; y < part.y1; ++y) {
        const std::size_t first = static_cast<std::size_t>(whole.width) * y + part.x0;
        std::memcpy(part.row(y), whole.pixels.data() + 4 * first,
                    4 * static_cast<std::size_t>(part.width()));
    }
}

/// Pillow 13 resizes the rows before the columns, so the bytes between the passes differ.
bool rows_come_first(const Image& image, const ResizeWindow& window) {
    const std::int64_t shorter = image.height - window.height;
    const std::int64_t narrower = std::int64_t{image.width} - window.width;
    return shorter > 0 && 2 * narrower < shorter;
}

/// Rounds a float, which may be slightly outside the range, to a byte (half to even).
std::uint8_t rounded_byte(float value) {
    constexpr float shift = 1.5F * (1 << 23);
    return static_cast<std::uint8_t>((std::clamp(value, 0.0F, 255.0F) + shift) - shift);
}

void resize_rounded(const Image& image, Interpolation filter, bool antialias,
                    const ResizeWindow& window, const Part& part) {
    // For a gray image, PyTorch's sums of one channel could differ in their last bit before
    // rounding.
    const FloatResize how = {.filter = filter,
                             .antialias = antialias,
                             .one_channel = false,
                             .width = window.width,
                             .height = window.height,
                             .x0 = part.x0,
                             .x1 = part.x1,
                             .y0 = part.y0,
                             .y1 = part.y1,
                             .scale = {}};
    resize_floats(image, how, [&part](int y, const float* row) {
        std::uint8_t* out = part.row(y);
        for (int x = 0; x < part.width(); ++x, row += 4, out += 4)
            put_rgb(out, rounded_byte(row[0]), rounded_byte(row[1]), rounded_byte(row[2]));
    });
}

void check(const Image& image, const ResizeWindow& window, std::int64_t crop_w,
           std::int64_t crop_h) {
    const auto bytes =
        4 * static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height);
    if (image.width <= 0 || image.height <= 0 || image.pixels.size() != bytes) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("an image of {} x {} pixels with {} bytes cannot be resized",
                                image.width, image.height, image.pixels.size()));
    }
    if (window.width <= 0 || window.height <= 0 || crop_w <= 0 || crop_h <= 0 ||
        crop_w > max_image_pixels / crop_h) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("a resize to {} x {} pixels and a window of {} x {}: sides must be "
                                "positive, and the limit is {} pixels",
                                window.width, window.height, crop_w, crop_h, max_image_pixels));
    }
}

}  // namespace
}  // namespace pixels

pixels::VisiblePart pixels::visible_part(const Image& image, const ResizeWindow& window) {
    const int crop_w = window.crop_w < 0 ? window.width : window.crop_w;
    const int crop_h = window.crop_h < 0 ? window.height : window.crop_h;
    check(image, window, crop_w, crop_h);
    const auto clip = [](std::int64_t v, int size) {
        return static_cast<int>(std::clamp<std::int64_t>(v, 0, size));
    };
    return {.crop_w = crop_w,
            .crop_h = crop_h,
            .x0 = clip(window.crop_x, window.width),
            .x1 = clip(std::int64_t{window.crop_x} + crop_w, window.width),
            .y0 = clip(window.crop_y, window.height),
            .y1 = clip(std::int64_t{window.crop_y} + crop_h, window.height)};
}

Image resize(const Image& image, Interpolation filter, const ResizeWindow& window,
             std::array<std::uint8_t, 3> fill, ResizeRule rule, bool antialias) {
    using namespace pixels;
    check_filter(rule, filter, antialias);
    const VisiblePart visible = visible_part(image, window);
    if (rule == ResizeRule::pillow13 && filter != Interpolation::nearest &&
        rows_come_first(image, window)) {
        const Image rows = resize(image, filter, {image.width, window.height});
        return resize(rows, filter, window, fill);
    }
    Image result{
        visible.crop_w, visible.crop_h,
        std::vector<std::uint8_t>(4 * static_cast<std::size_t>(visible.crop_w) * visible.crop_h)};
    if (!visible.fills_window()) {
        for (std::size_t i = 0; i < result.pixels.size(); i += 4) {
            put_rgb(result.pixels.data() + i, fill[0], fill[1], fill[2]);
        }
    }
    if (visible.empty()) return result;
    Part part{visible.x0, visible.x1, visible.y0,
              visible.y1, nullptr,    4 * static_cast<std::size_t>(visible.crop_w)};
    part.out = result.pixels.data() +
               part.stride * static_cast<std::size_t>(part.y0 - std::int64_t{window.crop_y}) +
               4 * static_cast<std::size_t>(part.x0 - std::int64_t{window.crop_x});
    if (rule == ResizeRule::opencv) {
        resize_by_opencv(image, filter, window, part);
    } else if (filter == Interpolation::nearest) {
        resize_nearest(image, window.width, window.height, part, rule);
    } else if (rule == ResizeRule::torch_float || rule == ResizeRule::torch_rounded) {
        resize_rounded(image, filter, antialias, window, part);
    } else {
        thread_local Scratch scratch;
        Resampler(image, filter, rule, antialias, window.width, window.height, part, scratch).run();
    }
    return result;
}

}  // namespace assay
