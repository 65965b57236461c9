// BMP: the variants that Pillow 9.4 reads, with the same results. No library accepts the same
// files, and the format is small.
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "image/decode.h"

namespace assay::pixels {
namespace {

constexpr std::string_view bmp = "BMP";
enum Compression : std::uint32_t { raw = 0, rle8 = 1, rle4 = 2, bitfields = 3 };

/// Reads little-endian numbers and checks every read.
class Cursor {
public:
    Cursor(Bytes bytes, std::size_t at) : bytes_(bytes), at_(at) {}

    std::uint32_t number(int count) {
        if (at_ > bytes_.size() || bytes_.size() - at_ < static_cast<std::size_t>(count))
            truncated(bmp, "it ends inside the header");
        std::uint32_t value = 0;
        for (int i = count - 1; i >= 0; --i)
            value = (value << 8) | static_cast<std::uint32_t>(bytes_[at_ + i]);
        at_ += static_cast<std::size_t>(count);
        return value;
    }
    std::uint32_t u32() { return number(4); }
    std::uint32_t u16() { return number(2); }
    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    bool has(std::size_t count) const {
        return at_ <= bytes_.size() && bytes_.size() - at_ >= count;
    }
    void skip(std::size_t count) { at_ += count; }
    std::size_t position() const { return at_; }

private:
    Bytes bytes_;
    std::size_t at_;
};

struct Header {
    std::size_t pixels_at = 0;
    std::size_t palette_at = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    bool top_down = false;
    std::uint32_t bits = 0;
    std::uint32_t compression = raw;
    std::uint32_t colours = 0;
    std::size_t palette_entry = 4;
    std::array<std::uint32_t, 4> masks = {0, 0, 0, 0};
};

Header read_header(Bytes bytes) {
    Header h;
    Cursor in(bytes, 10);
    h.pixels_at = in.u32();
    const std::uint32_t size = in.u32();
    if (size == 12) {
        h.width = in.u16();
        h.height = in.u16();
        in.u16();
        h.bits = in.u16();
        h.palette_entry = 3;
    } else if (size == 40 || size == 64 || size == 108 || size == 124) {
        h.width = in.u32();
        const std::uint32_t height = in.u32();
        h.top_down = (height >> 24) == 0xFF;
        h.height = h.top_down ? (std::int64_t{1} << 32) - height : std::int64_t{height};
        in.u16();
        h.bits = in.u16();
        h.compression = in.u32();
        in.skip(12);
        h.colours = in.u32();
        in.skip(4);
        if (h.compression == bitfields) {
            for (std::size_t i = 0; i < (size == 40 ? 3U : 4U); ++i) h.masks[i] = in.u32();
        }
    } else {
        unsupported(
            bmp, fmt::format("a header of {} bytes; 12, 40, 64, 108 and 124 are supported", size));
    }
    h.palette_at = size == 40 ? in.position() : 14 + std::size_t{size};
    if (h.colours == 0) h.colours = h.bits < 32 ? 1U << h.bits : 0;
    return h;
}

/// The byte positions of R, G and B in a pixel.
using Order = std::array<std::size_t, 3>;

Order byte_order(const Header& h) {
    constexpr Order bgr = {2, 1, 0};
    if (h.compression == raw) return bgr;
    using Masks = std::array<std::uint32_t, 4>;
    static constexpr std::pair<Masks, Order> known[] = {
        {{0xFF0000, 0xFF00, 0xFF, 0x0}, bgr},
        {{0xFF000000, 0xFF0000, 0xFF00, 0x0}, {3, 2, 1}},
        {{0xFF000000, 0xFF0000, 0xFF00, 0xFF}, {3, 2, 1}},
        {{0xFF, 0xFF00, 0xFF0000, 0xFF000000}, {0, 1, 2}},
        {{0xFF0000, 0xFF00, 0xFF, 0xFF000000}, bgr},
        {{0, 0, 0, 0}, bgr},
    };
    for (const auto& [masks, order] : known) {
        if (h.bits == 32 && h.masks == masks) return order;
        if (h.bits == 24 && order == bgr && masks[0] != 0 &&
            std::equal(masks.begin(), masks.begin() + 3, h.masks.begin()))
            return bgr;
    }
    unsupported(bmp, fmt::format("{} bits with the channel masks {:x}, {:x}, {:x}, {:x}", h.bits,
                                 h.masks[0], h.masks[1], h.masks[2], h.masks[3]));
}

/// The number of green bits in a 16-bit pixel: 5 or 6.
int green_bits(const Header& h) {
    if (h.compression == raw || (h.masks[0] == 0x7C00 && h.masks[1] == 0x3E0 && h.masks[2] == 0x1F))
        return 5;
    if (h.masks[0] == 0xF800 && h.masks[1] == 0x7E0 && h.masks[2] == 0x1F) return 6;
    unsupported(bmp, fmt::format("16 bits with the channel masks {:x}, {:x}, {:x}", h.masks[0],
                                 h.masks[1], h.masks[2]));
}

void put_16(std::uint8_t* out, unsigned v, int green) {
    const unsigned most_green = (1U << green) - 1;
    put_rgb(out, static_cast<std::uint8_t>(((v >> (5 + green)) & 31) * 255 / 31),
            static_cast<std::uint8_t>(((v >> 5) & most_green) * 255 / most_green),
            static_cast<std::uint8_t>((v & 31) * 255 / 31));
}

/// 256 R, G, B, X entries. Entries beyond the file's own are gray.
std::array<std::uint8_t, 1024> read_palette(Bytes bytes, const Header& h) {
    if (h.colours > 65536) unsupported(bmp, fmt::format("a palette of {} colours", h.colours));
    std::array<std::uint8_t, 1024> table;
    bool grey = true;
    for (std::uint32_t i = 0; i < 256; ++i) {
        const auto level = static_cast<std::uint8_t>(i);
        std::uint8_t* entry = table.data() + 4 * i;
        put_rgb(entry, level, level, level);
        const std::size_t at = h.palette_at + i * h.palette_entry;
        if (i >= h.colours) continue;
        if (at > bytes.size() || bytes.size() - at < h.palette_entry)
            truncated(bmp, "it ends inside the palette");
        const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data() + at);
        put_rgb(entry, from[2], from[1], from[0]);
        const std::uint8_t ramp = h.colours == 2 && i == 1 ? std::uint8_t{255} : level;
        grey = grey && from[0] == ramp && from[1] == ramp && from[2] == ramp;
    }
    // Pillow treats such a palette as gray and forgets how many bits a pixel has.
    const bool plain_grey = h.colours == 2 ? h.bits == 1 : h.bits == 8;
    if (grey && h.colours <= 256 && !plain_grey) {
        unsupported(bmp,
                    fmt::format("{} bits with a grey palette of {} colours, which Pillow misreads",
                                h.bits, h.colours));
    }
    return table;
}

/// The palette indices of a run-length encoded image, in the order of the file.
std::vector<std::uint8_t> unpack_runs(Bytes bytes, const Header& h) {
    const auto width = static_cast<std::size_t>(h.width);
    const std::size_t total = width * static_cast<std::size_t>(h.height);
    const bool four = h.compression == rle4;
    std::vector<std::uint8_t> out;
    Cursor in(bytes, h.pixels_at);
    std::size_t x = 0;
    while (out.size() < total && in.has(2)) {
        const std::size_t run = in.u8();
        const std::uint8_t value = in.u8();
        if (run > 0) {
            const std::size_t kept = x + run > width ? width - std::min(x, width) : run;
            for (std::size_t i = 0; i < kept; ++i) {
                out.push_back(
                    !four ? value
                          : static_cast<std::uint8_t>(i % 2 == 0 ? value >> 4 : value & 15));
            }
            x += kept;
        } else if (value == 0) {
            out.resize((out.size() + width - 1) / width * width);
            x = 0;
        } else if (value == 1) {
            break;
        } else if (value == 2) {
            unsupported(bmp, "run-length steps that skip pixels, which Pillow misreads");
        } else {
            if (four && value % 2 != 0)
                unsupported(bmp, "an odd count of single 4-bit pixels, which Pillow misreads");
            const std::size_t count = four ? value / 2U : value;
            if (!in.has(count)) break;
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint8_t byte = in.u8();
                if (four) out.push_back(static_cast<std::uint8_t>(byte >> 4));
                out.push_back(four ? static_cast<std::uint8_t>(byte & 15) : byte);
            }
            x += value;
            if (in.position() % 2 != 0) in.skip(1);
        }
    }
    if (out.size() < total)
        truncated(bmp, fmt::format("its runs hold {} of {} pixels", out.size(), total));
    return out;
}

void decode_runs(Bytes bytes, const Header& h, Image& image, const DecodeLimits& limits) {
    if (h.bits != (h.compression == rle8 ? 8U : 4U))
        unsupported(bmp, fmt::format("run-length encoding of {} bits", h.bits));
    const auto palette = read_palette(bytes, h);
    reserve_memory(bmp, h.width, h.height, static_cast<std::uint64_t>(h.width * h.height), limits);
    const std::vector<std::uint8_t> indices = unpack_runs(bytes, h);
    set_size(image, h.width, h.height);
    const auto width = static_cast<std::size_t>(h.width);
    for (std::int64_t y = 0; y < h.height; ++y) {
        const std::uint8_t* from =
            indices.data() + width * static_cast<std::size_t>(h.top_down ? y : h.height - 1 - y);
        std::uint8_t* to = image.pixels.data() + 4 * width * static_cast<std::size_t>(y);
        for (std::size_t x = 0; x < width; ++x)
            std::memcpy(to + 4 * x, palette.data() + 4 * from[x], 4);
    }
}

void decode_raw(Bytes bytes, const Header& h, Image& image, const DecodeLimits& limits) {
    std::array<std::uint8_t, 1024> palette{};
    Order order{};
    int green = 0;
    if (h.bits <= 8) {
        palette = read_palette(bytes, h);
    } else if (h.bits == 16) {
        green = green_bits(h);
    } else {
        order = byte_order(h);
    }
    const auto width = static_cast<std::size_t>(h.width);
    const std::size_t row_bytes = (width * h.bits + 7) / 8;
    const std::size_t stride = (width * h.bits + 31) / 32 * 4;
    const std::size_t needed = stride * static_cast<std::size_t>(h.height - 1) + row_bytes;
    if (h.pixels_at > bytes.size() || bytes.size() - h.pixels_at < needed) {
        truncated(bmp, fmt::format(
                           "{} x {} pixels of {} bits need {} bytes from byte {}; the file has {}",
                           h.width, h.height, h.bits, needed, h.pixels_at, bytes.size()));
    }
    reserve_memory(bmp, h.width, h.height, 0, limits);
    set_size(image, h.width, h.height);
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data()) + h.pixels_at;
    for (std::int64_t y = 0; y < h.height; ++y) {
        const std::uint8_t* from =
            data + stride * static_cast<std::size_t>(h.top_down ? y : h.height - 1 - y);
        std::uint8_t* to = image.pixels.data() + 4 * width * static_cast<std::size_t>(y);
        for (std::size_t x = 0; x < width; ++x, to += 4) {
            if (h.bits <= 8) {
                const std::size_t bit = x * h.bits;
                const unsigned index =
                    (from[bit / 8] >> (8 - h.bits - bit % 8)) & ((1U << h.bits) - 1);
                std::memcpy(to, palette.data() + 4 * index, 4);
            } else if (h.bits == 16) {
                put_16(to, static_cast<unsigned>(from[2 * x] | (from[2 * x + 1] << 8)), green);
            } else {
                const std::uint8_t* pixel = from + x * (h.bits / 8);
                put_rgb(to, pixel[order[0]], pixel[order[1]], pixel[order[2]]);
            }
        }
    }
}

}  // namespace

void decode_bmp(Bytes bytes, Image& image, const DecodeLimits& limits) {
    Header h = read_header(bytes);
    check_size(bmp, h.width, h.height, limits);
    const bool known_bits =
        h.bits == 1 || h.bits == 4 || h.bits == 8 || h.bits == 16 || h.bits == 24 || h.bits == 32;
    if (!known_bits)
        unsupported(bmp,
                    fmt::format("{} bits a pixel; 1, 4, 8, 16, 24 and 32 are supported", h.bits));
    if (h.compression > bitfields || (h.compression == bitfields && h.bits <= 8)) {
        unsupported(bmp, fmt::format("compression {} with {} bits", h.compression, h.bits));
    }
    if (h.pixels_at == 0)
        h.pixels_at =
            h.palette_at + (h.bits <= 8 ? h.palette_entry * std::min(h.colours, 65536U) : 0);
    // Some writers forget to count the palette.
    if (h.bits <= 8 && h.pixels_at == h.palette_at)
        h.pixels_at += 4 * std::size_t{std::min(h.colours, 65536U)};
    h.compression == rle8 || h.compression == rle4 ? decode_runs(bytes, h, image, limits)
                                                   : decode_raw(bytes, h, image, limits);
}

}  // namespace assay::pixels
