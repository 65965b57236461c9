// PNG through libpng. Grey of 16 bits is special. Pillow opens it as 32-bit integers and clips them
// at 255, but keeps the high byte for all other 16-bit kinds. Palettes are looked up here, because
// Pillow shows an index beyond the palette as gray.
#include <csetjmp>
#include <vector>

#include <png.h>

#include <fmt/format.h>

#include "core/parallel.h"
#include "image/decode.h"

namespace assay::pixels {
namespace {

struct State {
    Bytes rest;
    bool out_of_bytes = false;
    char message[128] = {};
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
    auto* state = static_cast<State*>(png_get_error_ptr(png));
    std::strncpy(state->message, message, sizeof state->message - 1);
    png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
    auto* state = static_cast<State*>(png_get_io_ptr(png));
    if (stop_requested()) png_error(png, "stopped");
    if (count > state->rest.size()) {
        state->out_of_bytes = true;
        png_error(png, "the bytes end too early");
    }
    std::memcpy(out, state->rest.data(), count);
    state->rest = state->rest.subspan(count);
}

enum class Layout { rgbx, palette, grey16 };

/// libpng's two structs. The functions that call libpng return false if it jumped back with an
/// error.
class PngReader {
public:
    explicit PngReader(Bytes bytes) {
        state_.rest = bytes;
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &state_, leave, ignore_warning);
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
        if (info_ == nullptr) throw std::bad_alloc();
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    bool read_header() {
        if (setjmp(png_jmpbuf(png_))) return false;
        png_set_read_fn(png_, &state_, read_bytes);
        png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
        // Texts and color profiles do not affect the pixels, so they are skipped without unpacking.
        static constexpr png_byte skipped[] =
            "bKGD\0cHRM\0cICP\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sR"
            "GB\0tEXt\0tIME\0tRNS"
            "\0zTXt";
        png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, skipped,
                                    static_cast<int>(sizeof skipped / 5));
        png_read_info(png_, info_);
        width_ = png_get_image_width(png_, info_);
        height_ = png_get_image_height(png_, info_);
        colour_ = png_get_color_type(png_, info_);
        depth_ = png_get_bit_depth(png_, info_);
        return true;
    }

    Layout layout() const {
        if (colour_ == PNG_COLOR_TYPE_PALETTE) return Layout::palette;
        return colour_ == PNG_COLOR_TYPE_GRAY && depth_ == 16 ? Layout::grey16 : Layout::rgbx;
    }

    /// Reads each row to the start of the image's row, in libpng's layout.
    bool read_rows(std::uint8_t* pixels, std::size_t stride) {
        if (setjmp(png_jmpbuf(png_))) return false;
        if (layout() == Layout::palette) {
            png_set_packing(png_);
        } else if (layout() == Layout::rgbx) {
            if (depth_ == 16) png_set_strip_16(png_);
            if (depth_ < 8) png_set_expand_gray_1_2_4_to_8(png_);
            if ((colour_ & PNG_COLOR_MASK_ALPHA) != 0) png_set_strip_alpha(png_);
            if ((colour_ & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png_);
            png_set_filler(png_, 255, PNG_FILLER_AFTER);
        }
        const int passes = png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        if (png_get_rowbytes(png_, info_) > stride)
            png_error(png_, "rows are longer than they should be");
        for (int pass = 0; pass < passes; ++pass) {
            for (png_uint_32 y = 0; y < height_; ++y) {
                if (stop_requested()) return false;
                png_read_row(png_, pixels + y * stride, nullptr);
            }
        }
        return true;
    }

    /// 256 R, G, B, X entries.
    void palette(std::uint8_t* table) const {
        for (unsigned i = 0; i < 256; ++i) {
            const auto grey = static_cast<std::uint8_t>(i);
            put_rgb(table + 4 * i, grey, grey, grey);
        }
        png_colorp entries = nullptr;
        int count = 0;
        png_get_PLTE(png_, info_, &entries, &count);
        for (int i = 0; i < count; ++i)
            put_rgb(table + 4 * i, entries[i].red, entries[i].green, entries[i].blue);
    }

    void require(bool ok) const {
        if (ok) return;
        throw_if_stopped();
        if (state_.out_of_bytes) truncated("PNG", state_.message);
        damaged("PNG", state_.message);
    }

    /// Deflate shrinks at most 1032-fold. The check comes before allocating memory for the size in
    /// the header.
    void check_plausible(std::size_t size) const {
        const double row = static_cast<double>(width_) * depth_ * png_get_channels(png_, info_) / 8;
        if (row * height_ > 1040.0 * static_cast<double>(size) + 65536) {
            truncated("PNG",
                      fmt::format("{} bytes cannot hold {} x {} pixels", size, width_, height_));
        }
    }

    std::int64_t width() const { return width_; }
    std::int64_t height() const { return height_; }

private:
    State state_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    png_uint_32 width_ = 0;
    png_uint_32 height_ = 0;
    int colour_ = 0;
    int depth_ = 0;
};

/// Widens a row in place, from its end: entry x moves from byte x (or 2x) to byte 4x.
void widen_palette(std::uint8_t* row, int width, const std::uint8_t* table) {
    for (int x = width - 1; x >= 0; --x) std::memcpy(row + 4 * x, table + 4 * row[x], 4);
}

void widen_grey16(std::uint8_t* row, int width) {
    for (int x = width - 1; x >= 0; --x) {
        const std::uint8_t v = row[2 * x] != 0 ? std::uint8_t{255} : row[2 * x + 1];
        put_rgb(row + 4 * x, v, v, v);
    }
}

}  // namespace

void decode_png(Bytes bytes, Image& image, const DecodeLimits& limits) {
    PngReader reader(bytes);
    reader.require(reader.read_header());
    check_size("PNG", reader.width(), reader.height(), limits);
    reader.check_plausible(bytes.size());
    reserve_memory("PNG", reader.width(), reader.height(), 0, limits);
    set_size(image, reader.width(), reader.height());
    const std::size_t stride = 4 * static_cast<std::size_t>(image.width);
    reader.require(reader.read_rows(image.pixels.data(), stride));

    const Layout layout = reader.layout();
    if (layout == Layout::rgbx) return;
    std::uint8_t table[1024];
    reader.palette(table);
    for (int y = 0; y < image.height; ++y) {
        std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(y) * stride;
        layout == Layout::palette ? widen_palette(row, image.width, table)
                                  : widen_grey16(row, image.width);
    }
}

}  // namespace assay::pixels
