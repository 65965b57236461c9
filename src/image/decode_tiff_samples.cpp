#include <algorithm>
#include <array>
#include <cstring>

#include <tiff.h>

#include <fmt/format.h>

#include "image/decode.h"
#include "image/decode_tiff.h"

namespace assay::pixels {
namespace {

/// The number of color samples of a photometric kind, or 0 if the kind is not supported.
int colours_of(int photometric) {
    switch (photometric) {
        case PHOTOMETRIC_MINISWHITE:
        case PHOTOMETRIC_MINISBLACK:
        case PHOTOMETRIC_PALETTE:
            return 1;
        case PHOTOMETRIC_RGB:
        case PHOTOMETRIC_YCBCR:
            return 3;
        case PHOTOMETRIC_SEPARATED:
            return 4;
        default:
            return 0;
    }
}

bool is_grey(const TiffLayout& l) {
    return l.photometric == PHOTOMETRIC_MINISBLACK || l.photometric == PHOTOMETRIC_MINISWHITE;
}

bool grey_supported(const TiffLayout& l) {
    // Pillow swaps the bytes of these numbers once too often.
    if (l.bits == 32 && l.big_endian && l.compression != COMPRESSION_NONE) return false;
    const bool white_is_zero = l.photometric == PHOTOMETRIC_MINISWHITE;
    if (l.extras > 0)
        return !white_is_zero && l.bits == 8 && l.extras == 1 &&
               l.first_extra == EXTRASAMPLE_UNASSALPHA;
    switch (l.format) {
        case SAMPLEFORMAT_UINT:
            if (l.bits == 16) return !white_is_zero || !l.big_endian;
            if (l.bits == 32) return !white_is_zero && !l.big_endian;
            return l.bits == 1 || l.bits == 2 || l.bits == 4 || l.bits == 8;
        case SAMPLEFORMAT_INT:
            return !white_is_zero && (l.bits == 16 || l.bits == 32);
        case SAMPLEFORMAT_IEEEFP:
            return l.bits == 32;
        default:
            return false;
    }
}

bool is_supported(const TiffLayout& l) {
    const int colours = colours_of(l.photometric);
    // Treats a fourth RGB sample without a declared meaning as alpha.
    const bool unnamed_alpha = l.photometric == PHOTOMETRIC_RGB && l.samples == 4 && l.extras == 0;
    if (colours == 0 || (l.samples != colours + l.extras && !unnamed_alpha) || l.extras > 3)
        return false;
    if (is_grey(l)) return grey_supported(l);
    if (l.format != SAMPLEFORMAT_UINT) return false;
    switch (l.photometric) {
        case PHOTOMETRIC_RGB:
            return l.bits == 8 || (l.bits == 16 && l.extras <= 1);
        case PHOTOMETRIC_PALETTE:
            if (l.extras > 0)
                return l.bits == 8 && l.extras == 1 && l.first_extra == EXTRASAMPLE_UNASSALPHA;
            return l.bits == 1 || l.bits == 2 || l.bits == 4 || l.bits == 8;
        case PHOTOMETRIC_SEPARATED:
            return l.bits == 8 || (l.bits == 16 && !l.big_endian && l.extras == 0);
        case PHOTOMETRIC_YCBCR:
            return l.bits == 8 && l.extras == 0 && l.compression != COMPRESSION_NONE;
        default:
            return false;
    }
}

template <class Value>
Value load(const std::byte* at) {
    Value value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// Reduces numbers wider than a byte: grays are clipped to [0, 255], colors keep their high byte.
std::uint8_t wide_sample(const TiffLayout& l, const std::byte* at) {
    const auto cut = [](auto v) {
        return static_cast<std::uint8_t>(std::clamp<decltype(v)>(v, 0, 255));
    };
    if (l.format == SAMPLEFORMAT_IEEEFP) {
        const auto v = load<float>(at);
        return v > 0.0F ? cut(v) : std::uint8_t{0};  // NaN becomes 0
    }
    if (l.bits == 32) return cut(load<std::int32_t>(at));
    if (l.format == SAMPLEFORMAT_INT) return cut(load<std::int16_t>(at));
    const auto v = load<std::uint16_t>(at);
    return is_grey(l) ? static_cast<std::uint8_t>(std::min<int>(v, 255))
                      : static_cast<std::uint8_t>(v >> 8);
}

std::uint8_t sample(const TiffLayout& l, const std::byte* row, std::size_t index) {
    if (l.bits == 8) return static_cast<std::uint8_t>(row[index]);
    if (l.bits > 8) return wide_sample(l, row + index * static_cast<std::size_t>(l.bits / 8));
    const auto bits = static_cast<std::size_t>(l.bits);
    const std::size_t bit = index * bits;
    return static_cast<std::uint8_t>((static_cast<unsigned>(row[bit / 8]) >> (8 - bits - bit % 8)) &
                                     ((1U << bits) - 1));
}

}  // namespace

void check_supported(const TiffLayout& l) {
    if (is_supported(l)) return;
    unsupported("TIFF", fmt::format("photometric kind {}, {} samples ({} extra, the first of kind "
                                    "{}) of {} bits, sample format {}, "
                                    "compression {}, {}-endian",
                                    l.photometric, l.samples, l.extras, l.first_extra, l.bits,
                                    l.format, l.compression, l.big_endian ? "big" : "little"));
}

void take_samples(const TiffLayout& l, int plane, const std::byte* row, std::uint32_t pixels,
                  std::uint8_t* out) {
    if (l.separate) {
        for (std::size_t x = 0; x < pixels; ++x)
            out[4 * x + static_cast<std::size_t>(plane)] = sample(l, row, x);
        return;
    }
    const auto samples = static_cast<std::size_t>(l.samples);
    const std::size_t taken = std::min<std::size_t>(samples, 4);
    for (std::size_t x = 0; x < pixels; ++x) {
        for (std::size_t s = 0; s < taken; ++s) out[4 * x + s] = sample(l, row, x * samples + s);
    }
}

void samples_to_rgb(const TiffLayout& l, const std::uint8_t* palette, Image& image) {
    std::array<std::uint8_t, 256> levels;
    const bool small = l.bits <= 8;
    const unsigned most = small ? (1U << l.bits) - 1 : 255;
    const bool inverted = small && l.photometric == PHOTOMETRIC_MINISWHITE;
    for (unsigned v = 0; v < 256; ++v) {
        const unsigned level = std::min(v, most) * 255 / most;
        levels[v] = static_cast<std::uint8_t>(inverted ? 255 - level : level);
    }
    const bool premultiplied =
        l.photometric == PHOTOMETRIC_RGB && l.extras > 0 && l.first_extra == EXTRASAMPLE_ASSOCALPHA;
    const auto restored = [](unsigned v, unsigned alpha) {
        return static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(v * 255 / alpha, 255U));
    };
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
        std::uint8_t* p = image.pixels.data() + i;
        if (is_grey(l)) {
            const std::uint8_t level = levels[p[0]];
            put_rgb(p, level, level, level);
        } else if (l.photometric == PHOTOMETRIC_PALETTE) {
            std::memcpy(p, palette + 4 * std::size_t{p[0]}, 4);
        } else if (l.photometric == PHOTOMETRIC_SEPARATED) {
            put_cmyk(p, p[0], p[1], p[2], p[3]);
        } else if (premultiplied) {
            put_rgb(p, restored(p[0], p[3]), restored(p[1], p[3]), restored(p[2], p[3]));
        } else {
            p[3] = 255;
        }
    }
}

void orient(Image& image, int orientation) {
    if (orientation < 2 || orientation > 8) return;
    const bool turned = orientation >= 5;  // rows become columns
    const bool from_right =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_below =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const auto width = static_cast<std::size_t>(image.width);
    const auto height = static_cast<std::size_t>(image.height);
    Image out{turned ? image.height : image.width, turned ? image.width : image.height, {}};
    out.pixels.resize(image.pixels.size());
    std::uint8_t* to = out.pixels.data();
    for (std::size_t y = 0; y < static_cast<std::size_t>(out.height); ++y) {
        for (std::size_t x = 0; x < static_cast<std::size_t>(out.width); ++x, to += 4) {
            const std::size_t column = turned ? y : x;
            const std::size_t row = turned ? x : y;
            const std::size_t from = (from_below ? height - 1 - row : row) * width +
                                     (from_right ? width - 1 - column : column);
            std::memcpy(to, image.pixels.data() + 4 * from, 4);
        }
    }
    image = std::move(out);
}

}  // namespace assay::pixels
