// GIF: the first frame on its canvas, as Pillow 9.4 reads it.
#include <array>

#include <fmt/format.h>

#include "image/decode.h"

namespace assay::pixels {
namespace {

constexpr std::string_view gif = "GIF";
constexpr int most_code_bits = 12;

/// Reads bytes in order, and checks every read.
class GifCursor {
public:
    explicit GifCursor(Bytes bytes) : bytes_(bytes) {}

    bool at_end() const { return at_ >= bytes_.size(); }
    std::size_t left() const { return bytes_.size() - at_; }
    std::uint8_t u8() {
        if (at_end()) truncated(gif, "it ends before its pixels");
        return static_cast<std::uint8_t>(bytes_[at_++]);
    }
    std::int64_t u16() {
        const std::uint8_t low = u8();
        return low | u8() << 8;
    }
    void skip(std::size_t n) {
        if (n > left()) truncated(gif, "it ends before its pixels");
        at_ += n;
    }
    void skip_blocks() {
        while (const std::uint8_t size = u8()) skip(size);
    }

private:
    Bytes bytes_;
    std::size_t at_ = 0;
};

/// The bytes R, G, B, 255 of each index.
using Palette = std::array<std::uint8_t, 1024>;

Palette grey_ramp() {
    Palette palette;
    for (std::size_t i = 0; i < 256; ++i) {
        const auto level = static_cast<std::uint8_t>(i);
        put_rgb(palette.data() + 4 * i, level, level, level);
    }
    return palette;
}

/// Entries beyond the file's own are gray, as in Pillow.
Palette read_colours(GifCursor& in, int bits) {
    Palette palette = grey_ramp();
    for (int i = 0; i < 1 << bits; ++i) {
        const std::uint8_t r = in.u8(), g = in.u8(), b = in.u8();
        put_rgb(palette.data() + std::size_t{4} * static_cast<std::size_t>(i), r, g, b);
    }
    return palette;
}

struct Frame {
    std::int64_t left = 0, top = 0, width = 0, height = 0;
    bool interlaced = false;
};

/// Takes the indices of a frame in the order of the file.
class FramePixels {
public:
    FramePixels(const Frame& frame, const Palette& palette, Image& image)
        : frame_(frame), palette_(palette), image_(image) {
        begin_row();
    }

    bool full() const { return y_ >= frame_.height; }
    void put(std::uint8_t index) {
        std::memcpy(row_ + 4 * x_, palette_.data() + std::size_t{4} * index, 4);
        if (++x_ < frame_.width) return;
        x_ = 0;
        next_row();
        if (!full()) begin_row();
    }

private:
    void next_row() {
        static constexpr std::array<std::int64_t, 4> step = {8, 8, 4, 2}, first = {0, 4, 2, 1};
        if (!frame_.interlaced) {
            ++y_;
            return;
        }
        y_ += step[pass_];
        while (y_ >= frame_.height && pass_ < 3) y_ = first[++pass_];
    }
    void begin_row() {
        row_ = image_.pixels.data() + 4 * ((frame_.top + y_) * image_.width + frame_.left);
    }

    const Frame frame_;
    const Palette& palette_;
    Image& image_;
    std::uint8_t* row_ = nullptr;
    std::int64_t x_ = 0, y_ = 0;
    std::size_t pass_ = 0;
};

/// Codes of variable length from blocks of up to 255 bytes.
class CodeReader {
public:
    explicit CodeReader(GifCursor& in) : in_(in) {}

    int next(int bits) {
        while (held_bits_ < bits) {
            if (in_block_ == 0) in_block_ = in_.u8();
            if (in_block_ == 0) truncated(gif, "its blocks end before its pixels");
            held_ |= static_cast<std::uint32_t>(in_.u8()) << held_bits_;
            held_bits_ += 8;
            --in_block_;
        }
        const auto code = static_cast<int>(held_ & ((1U << bits) - 1));
        held_ >>= bits;
        held_bits_ -= bits;
        return code;
    }

private:
    GifCursor& in_;
    std::uint32_t held_ = 0;
    int held_bits_ = 0;
    int in_block_ = 0;
};

/// LZW with GIF's table: a full table stays unchanged until a clear code.
void unpack_frame(GifCursor& in, FramePixels& out) {
    constexpr std::size_t most_codes = std::size_t{1} << most_code_bits;
    const int index_bits = in.u8();
    if (index_bits < 1 || index_bits > 8)
        damaged(gif, fmt::format("its codes begin with {} bits; 1 to 8 are possible", index_bits));
    const int clear = 1 << index_bits, end = clear + 1;
    std::array<std::uint16_t, most_codes> before{};
    std::array<std::uint8_t, most_codes> last{};
    for (int i = 0; i < clear; ++i)
        last[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    std::array<std::uint8_t, most_codes + 1> text{};
    CodeReader codes(in);
    int bits = index_bits + 1, next = end + 1, previous = -1;
    std::uint8_t first = 0;
    while (!out.full()) {
        const int code = codes.next(bits);
        if (code == clear) {
            bits = index_bits + 1;
            next = end + 1;
            previous = -1;
            continue;
        }
        if (code == end) truncated(gif, "its pixels end early");
        if (previous < 0 ? code > clear : code > next)
            damaged(gif, fmt::format("code {} comes before it is defined", code));
        std::size_t at = text.size();
        auto c = static_cast<std::size_t>(code);
        if (code == next && previous >= 0) {
            text[--at] = first;
            c = static_cast<std::size_t>(previous);
        }
        for (; c >= static_cast<std::size_t>(clear); c = before[c]) text[--at] = last[c];
        first = static_cast<std::uint8_t>(c);
        text[--at] = first;
        for (; at < text.size() && !out.full(); ++at) out.put(text[at]);
        if (previous >= 0 && next < static_cast<int>(most_codes)) {
            const auto added = static_cast<std::size_t>(next);
            before[added] = static_cast<std::uint16_t>(previous);
            last[added] = first;
            if (next == (1 << bits) - 1 && bits < most_code_bits) ++bits;
            ++next;
        }
        previous = code;
    }
}

}  // namespace

void decode_gif(Bytes bytes, Image& image, const DecodeLimits& limits) {
    GifCursor in(bytes);
    in.skip(6);
    std::int64_t width = in.u16(), height = in.u16();
    const std::uint8_t screen = in.u8();
    in.skip(2);
    Palette palette = grey_ramp();
    if ((screen & 128) != 0) palette = read_colours(in, (screen & 7) + 1);
    std::uint8_t beneath = 0;  // the index of pixels outside the frame
    for (;;) {
        if (in.at_end()) truncated(gif, "it has no image");
        const std::uint8_t mark = in.u8();
        if (mark == ';') damaged(gif, "it has no image");
        if (mark == '!') {
            constexpr std::uint8_t graphic_control = 249;
            const std::uint8_t label = in.u8();
            if (label == graphic_control) {
                const std::uint8_t size = in.u8();
                if (size < 4) damaged(gif, "a short graphic control extension");
                const bool transparent = (in.u8() & 1) != 0;
                in.skip(2);
                const std::uint8_t index = in.u8();
                if (transparent) beneath = index;
                in.skip(size - 4U);
            }
            in.skip_blocks();
        } else if (mark == ',') {
            break;
        }
    }
    Frame frame;
    frame.left = in.u16(), frame.top = in.u16();
    frame.width = in.u16(), frame.height = in.u16();
    const std::uint8_t flags = in.u8();
    frame.interlaced = (flags & 64) != 0;
    if ((flags & 128) != 0) {
        const Palette own = read_colours(in, (flags & 7) + 1);
        if (own == grey_ramp() && palette != own) {
            unsupported(gif,
                        "a grey palette of the frame and a common palette of other colours, which "
                        "Pillow misreads");
        }
        palette = own;
    }
    width = std::max(width, frame.left + frame.width);
    height = std::max(height, frame.top + frame.height);
    check_size(gif, width, height, limits);
    check_size(gif, frame.width, frame.height, limits);
    // A code stands for at most as many pixels as there are codes, and takes at least 3 bits.
    constexpr std::int64_t most_per_byte = 3 * (std::int64_t{1} << most_code_bits);
    if (frame.width * frame.height / most_per_byte > static_cast<std::int64_t>(in.left())) {
        truncated(gif, fmt::format("{} x {} pixels cannot be in {} bytes", frame.width,
                                   frame.height, in.left()));
    }
    reserve_memory(gif, width, height, 0, limits);
    set_size(image, width, height);
    for (std::size_t i = 0; i < image.pixels.size(); i += 4)
        std::memcpy(image.pixels.data() + i, palette.data() + std::size_t{4} * beneath, 4);
    FramePixels out(frame, palette, image);
    unpack_frame(in, out);
}

}  // namespace assay::pixels
