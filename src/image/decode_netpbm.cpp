// PBM, PGM and PPM (Netpbm), raw and plain, with up to 16 bits per sample, as Pillow 9.4 reads
// them. Samples are scaled to 255. Grey of more than 8 bits becomes a 32-bit integer, which
// convert("RGB") clips at 255.
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "image/decode.h"

namespace assay::pixels {
namespace {

constexpr std::string_view netpbm = "PNM";
/// the value of the only bit in a black-and-white image; otherwise the file gives it
constexpr std::uint32_t black_and_white = 0;

bool is_netpbm_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Numbers in decimal digits. A comment goes up to the end of its line and does not end a number.
class NetpbmText {
public:
    explicit NetpbmText(Bytes bytes)
        : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

    /// The next character outside comments, or 0 at the end.
    char next() {
        while (at_ < text_.size() && text_[at_] == '#') {
            while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
            if (at_ < text_.size()) ++at_;
        }
        return at_ < text_.size() ? text_[at_++] : '\0';
    }
    /// Reads a number, and the one blank after it.
    std::uint64_t number(std::string_view what) {
        constexpr std::size_t most_digits = 10;
        char c = next();
        while (is_netpbm_blank(c)) c = next();
        if (c == '\0' && left() == 0) truncated(netpbm, fmt::format("{} is missing", what));
        std::string digits;
        for (; !(c == '\0' && left() == 0) && !is_netpbm_blank(c); c = next()) {
            digits += c;
            if (digits.size() > most_digits) break;
        }
        std::uint64_t value = 0;
        if (digits.size() > most_digits || !parse_number(digits, value))
            damaged(netpbm, fmt::format("{} is `{}`, not a number", what, shortened(digits)));
        return value;
    }
    void skip(std::size_t n) { at_ += n; }
    std::size_t left() const { return text_.size() - at_; }
    const std::uint8_t* here() const {
        return reinterpret_cast<const std::uint8_t*>(text_.data()) + at_;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

/// The byte for each sample value, as in Pillow's round(value / most * 255).
std::vector<std::uint8_t> levels_of(std::uint32_t most, bool grey) {
    const double top = grey && most > 255 ? 65535.0 : 255.0;
    std::vector<std::uint8_t> levels(most + 1);
    for (std::uint32_t value = 0; value <= most; ++value) {
        const double scaled = std::nearbyint(static_cast<double>(value) / most * top);
        levels[value] = static_cast<std::uint8_t>(std::min(scaled, 255.0));
    }
    return levels;
}

/// Calls put(level) for each sample, row by row.
template <class Put>
void read_raw(NetpbmText& in, const std::vector<std::uint8_t>& levels, std::size_t samples,
              const Put& put) {
    const std::uint8_t* at = in.here();
    const auto most = static_cast<std::uint32_t>(levels.size() - 1);
    for (std::size_t i = 0; i < samples; ++i) {
        // Pillow clips values above the maximum.
        const std::uint32_t value =
            most < 256 ? at[i] : static_cast<std::uint32_t>(at[2 * i] << 8) + at[2 * i + 1];
        put(levels[std::min(value, most)]);
    }
}

template <class Put>
void read_plain(NetpbmText& in, const std::vector<std::uint8_t>& levels, std::size_t samples,
                const Put& put) {
    for (std::size_t i = 0; i < samples; ++i) {
        const std::uint64_t value = in.number("a sample");
        if (value >= levels.size()) {
            damaged(netpbm, fmt::format("a sample is {}; its header allows 0 to {}", value,
                                        levels.size() - 1));
        }
        put(levels[value]);
    }
}

/// A bit per pixel; 1 is black.
template <class Put>
void read_bits(NetpbmText& in, bool plain, std::size_t width, std::size_t height, const Put& put) {
    const std::size_t row_bytes = (width + 7) / 8;
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            bool black = false;
            if (plain) {
                char c = in.next();
                while (is_netpbm_blank(c)) c = in.next();
                if (c == '\0') truncated(netpbm, "pixels are missing");
                if (c != '0' && c != '1')
                    damaged(netpbm, fmt::format("a pixel is `{}`, not 0 or 1",
                                                shortened(std::string(1, c))));
                black = c == '1';
            } else {
                black = (in.here()[y * row_bytes + x / 8] >> (7 - x % 8) & 1) != 0;
            }
            put(black ? std::uint8_t{0} : std::uint8_t{255});
        }
    }
}

}  // namespace

bool is_netpbm(Bytes bytes) {
    const auto byte = [&](std::size_t i) { return static_cast<char>(bytes[i]); };
    return bytes.size() > 2 && byte(0) == 'P' && byte(1) >= '1' && byte(1) <= '6' &&
           is_netpbm_blank(byte(2));
}

void decode_netpbm(Bytes bytes, Image& image, const DecodeLimits& limits) {
    const int kind = static_cast<char>(bytes[1]) - '0';
    const bool plain = kind <= 3, colour = kind % 3 == 0;
    NetpbmText in(bytes);
    in.skip(3);
    const auto width = static_cast<std::int64_t>(in.number("its width"));
    const auto height = static_cast<std::int64_t>(in.number("its height"));
    std::uint32_t most = black_and_white;
    if (kind % 3 != 1) {
        const std::uint64_t largest = in.number("its largest sample");
        if (largest == 0 || largest > 65535) {
            damaged(netpbm,
                    fmt::format("its largest sample is {}; 1 to 65535 are possible", largest));
        }
        most = static_cast<std::uint32_t>(largest);
    }
    check_size(netpbm, width, height, limits);
    const auto pixel_count = static_cast<std::uint64_t>(width * height);
    const std::uint64_t samples = pixel_count * (colour ? 3 : 1);
    // A plain sample takes at least one character.
    const std::uint64_t needed = plain ? samples
                                 : most == black_and_white
                                     ? static_cast<std::uint64_t>((width + 7) / 8 * height)
                                     : samples * (most < 256 ? 1 : 2);
    if (in.left() < needed) {
        truncated(netpbm, fmt::format("{} x {} pixels need {} bytes; it has {}", width, height,
                                      needed, in.left()));
    }
    reserve_memory(netpbm, width, height, 0, limits);
    set_size(image, width, height);
    std::uint8_t* pixel = image.pixels.data();
    std::size_t channel = 0;
    const auto put = [&](std::uint8_t level) {
        if (!colour) {
            put_rgb(pixel, level, level, level);
            pixel += 4;
            return;
        }
        pixel[channel++] = level;
        if (channel < 3) return;
        pixel[3] = 255;
        pixel += 4;
        channel = 0;
    };
    if (most == black_and_white) {
        return read_bits(in, plain, static_cast<std::size_t>(width),
                         static_cast<std::size_t>(height), put);
    }
    const std::vector<std::uint8_t> levels = levels_of(most, !colour);
    plain ? read_plain(in, levels, samples, put) : read_raw(in, levels, samples, put);
}

}  // namespace assay::pixels
