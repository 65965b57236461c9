// TIFF through libtiff, first page only. The samples of a pixel first go to its four bytes, reduced
// to 8 bits like in Pillow. Then each pixel is converted to R, G, B in place. Pillow applies the
// orientation tag of a TIFF, so this decoder does too.
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include <tiffio.h>

#include <fmt/format.h>

#include "core/parallel.h"
#include "image/decode.h"
#include "image/decode_tiff.h"

namespace assay::pixels {
namespace {

constexpr std::string_view tiff = "TIFF";
constexpr tmsize_t most_memory = tmsize_t{1} << 30;

/// The bytes in the form that libtiff reads, and its last error message.
struct Source {
    Bytes bytes;
    std::uint64_t at = 0;
    std::string message = "libtiff refuses it";
    std::string lost_tag;
};

tmsize_t read_bytes(thandle_t handle, void* out, tmsize_t count) {
    Source& source = *static_cast<Source*>(handle);
    if (stop_requested()) return 0;
    if (count <= 0 || source.at >= source.bytes.size()) return 0;
    const auto step = std::min(static_cast<std::size_t>(count),
                               source.bytes.size() - static_cast<std::size_t>(source.at));
    std::memcpy(out, source.bytes.data() + source.at, step);
    source.at += step;
    return static_cast<tmsize_t>(step);
}

tmsize_t write_bytes(thandle_t, void*, tmsize_t) {
    return 0;
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
    Source& source = *static_cast<Source*>(handle);
    source.at = whence == SEEK_SET
                    ? offset
                    : offset + (whence == SEEK_CUR ? source.at : source.bytes.size());
    return source.at;
}

int close(thandle_t) {
    return 0;
}
toff_t size_of(thandle_t handle) {
    return static_cast<Source*>(handle)->bytes.size();
}

int keep_error(TIFF*, void* data, const char*, const char* format, va_list arguments) {
    char text[256];
    std::vsnprintf(text, sizeof text, format, arguments);
    static_cast<Source*>(data)->message = text;
    return 1;
}

/// libtiff continues without a tag that it cannot read. Without one of these tags, the pixels would
/// be wrong.
int keep_lost_tag(TIFF*, void* data, const char*, const char* format, va_list arguments) {
    static constexpr std::string_view needed[] = {
        "BitsPerSample", "ColorMap",       "ExtraSamples",        "FillOrder",
        "Orientation",   "Photometric",    "PlanarConfiguration", "RowsPerStrip",
        "SampleFormat",  "SamplesPerPixel"};
    char text[256];
    std::vsnprintf(text, sizeof text, format, arguments);
    const std::string_view message = text;
    if (message.find("tag ignored") == std::string_view::npos) return 1;
    for (const std::string_view name : needed) {
        if (message.find(name) != std::string_view::npos)
            static_cast<Source*>(data)->lost_tag = text;
    }
    return 1;
}

/// A stop request also ends a read early.
[[noreturn]] void refuse_damage(const Source& source) {
    throw_if_stopped();
    damaged(tiff, source.message);
}

struct CloseTiff {
    void operator()(TIFF* file) const { TIFFClose(file); }
};
using File = std::unique_ptr<TIFF, CloseTiff>;

File open(Source& source) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(
        TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    if (!options) throw std::bad_alloc();
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), most_memory);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, &source);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), keep_lost_tag, &source);
    // "m" means no memory map. Only the first directory is read.
    File file(TIFFClientOpenExt("image", "rm", &source, read_bytes, write_bytes, seek, close,
                                size_of, nullptr, nullptr, options.get()));
    if (!file) refuse_damage(source);
    if (!source.lost_tag.empty()) damaged(tiff, source.lost_tag);
    return file;
}

template <class Value>
Value tag(TIFF* file, std::uint32_t name, Value otherwise) {
    Value value{};
    return TIFFGetField(file, name, &value) == 1 ? value : otherwise;
}

TiffLayout read_layout(TIFF* file) {
    TiffLayout l;
    l.width = tag<std::uint32_t>(file, TIFFTAG_IMAGEWIDTH, 0);
    l.height = tag<std::uint32_t>(file, TIFFTAG_IMAGELENGTH, 0);
    l.bits = tag<std::uint16_t>(file, TIFFTAG_BITSPERSAMPLE, 1);
    l.samples = tag<std::uint16_t>(file, TIFFTAG_SAMPLESPERPIXEL, 1);
    l.format = tag<std::uint16_t>(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    l.photometric = tag<std::uint16_t>(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
    l.compression = tag<std::uint16_t>(file, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    l.separate = tag<std::uint16_t>(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ==
                 PLANARCONFIG_SEPARATE;
    l.orientation = tag<std::uint16_t>(file, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    l.big_endian = TIFFIsBigEndian(file) != 0;
    std::uint16_t extras = 0;
    std::uint16_t* meanings = nullptr;
    if (TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &extras, &meanings) == 1 && extras > 0) {
        l.extras = extras;
        l.first_extra = meanings[0];
    }
    if (l.compression == COMPRESSION_OJPEG) l.photometric = PHOTOMETRIC_YCBCR;
    return l;
}

/// Pillow leaves the color arithmetic of YCbCr to libtiff, so this decoder does too.
void read_ycbcr(TIFF* file, const Source& source, Image& image) {
    char why[1024] = "";
    TIFFRGBAImage reader;
    if (TIFFRGBAImageOK(file, why) == 0 || TIFFRGBAImageBegin(&reader, file, 1, why) == 0)
        unsupported(tiff, why);
    reader.req_orientation = ORIENTATION_TOPLEFT;
    std::vector<std::uint32_t> raster(static_cast<std::size_t>(image.width) *
                                      static_cast<std::size_t>(image.height));
    const int ok = TIFFRGBAImageGet(&reader, raster.data(), reader.width, reader.height);
    TIFFRGBAImageEnd(&reader);
    if (ok == 0) refuse_damage(source);
    for (std::size_t i = 0; i < raster.size(); ++i) {
        const std::uint32_t v = raster[i];
        put_rgb(image.pixels.data() + 4 * i, TIFFGetR(v), TIFFGetG(v), TIFFGetB(v));
    }
}

/// The size of strips or tiles. libtiff unpacks one at a time.
struct Blocks {
    std::uint32_t width;
    std::uint32_t height;
    tmsize_t bytes;
    bool tiles;
};

Blocks blocks_of(TIFF* file, const TiffLayout& l) {
    Blocks b{};
    b.tiles = TIFFIsTiled(file) != 0;
    b.width = b.tiles ? tag<std::uint32_t>(file, TIFFTAG_TILEWIDTH, 0) : l.width;
    b.height = b.tiles
                   ? tag<std::uint32_t>(file, TIFFTAG_TILELENGTH, 0)
                   : std::min(tag<std::uint32_t>(file, TIFFTAG_ROWSPERSTRIP, l.height), l.height);
    b.bytes = b.tiles ? TIFFTileSize(file) : TIFFStripSize(file);
    const char* what = b.tiles ? "tiles" : "strips";
    if (b.width == 0 || b.height == 0 || b.bytes <= 0 ||
        static_cast<std::uint64_t>(b.bytes) / b.height < row_bytes(l, b.width)) {
        damaged(tiff,
                fmt::format("{} of {} x {} pixels and {} bytes", what, b.width, b.height, b.bytes));
    }
    if (b.bytes > most_memory)
        unsupported(tiff,
                    fmt::format("{} of {} bytes; the limit is {}", what, b.bytes, most_memory));
    return b;
}

bool read_block(TIFF* file, const Blocks& b, std::uint32_t x, std::uint32_t y, int plane,
                std::vector<std::byte>& out) {
    const auto p = static_cast<std::uint16_t>(plane);
    if (b.tiles) return TIFFReadTile(file, out.data(), x, y, 0, p) >= 0;
    return TIFFReadEncodedStrip(file, TIFFComputeStrip(file, y, p), out.data(), b.bytes) >= 0;
}

/// The strongest compression that libtiff knows: zstd's runs take 4 bytes for 128 KiB. The check
/// comes before allocating memory for the size in the tags.
void check_plausible(std::size_t size, const TiffLayout& l, const Blocks& b) {
    constexpr double most_packed = 32768;
    const double unpacked =
        std::max(static_cast<double>(row_bytes(l, l.width)) * l.height * planes(l),
                 static_cast<double>(b.bytes));
    if (unpacked > most_packed * static_cast<double>(size)) {
        truncated(tiff, fmt::format("{} bytes are too few for {} x {} pixels in blocks of {} bytes",
                                    size, l.width, l.height, b.bytes));
    }
}

/// Strips with many rows take long to unpack. Reading row by row lets a stop request take effect in
/// between.
void read_rows(TIFF* file, const Source& source, const TiffLayout& l, Image& image) {
    std::vector<std::byte> row(static_cast<std::size_t>(
        std::max<tmsize_t>(TIFFScanlineSize(file), static_cast<tmsize_t>(row_bytes(l, l.width)))));
    for (int plane = 0; plane < planes(l); ++plane) {
        for (std::uint32_t y = 0; y < l.height; ++y) {
            throw_if_stopped();
            if (TIFFReadScanline(file, row.data(), y, static_cast<std::uint16_t>(plane)) < 0)
                refuse_damage(source);
            take_samples(l, plane, row.data(), l.width,
                         image.pixels.data() + 4 * std::size_t{y} * l.width);
        }
    }
}

void read_blocks(TIFF* file, const Source& source, const TiffLayout& l, const Blocks& b,
                 Image& image) {
    constexpr tmsize_t quickly_unpacked = tmsize_t{16} << 20;
    if (!b.tiles && b.bytes > quickly_unpacked) return read_rows(file, source, l, image);
    std::vector<std::byte> block(static_cast<std::size_t>(b.bytes));
    const std::size_t stride = row_bytes(l, b.width);
    for (int plane = 0; plane < planes(l); ++plane) {
        for (std::uint64_t y = 0; y < l.height; y += b.height) {
            for (std::uint64_t x = 0; x < l.width; x += b.width) {
                throw_if_stopped();
                const auto left = static_cast<std::uint32_t>(x);
                const auto top = static_cast<std::uint32_t>(y);
                if (!read_block(file, b, left, top, plane, block)) refuse_damage(source);
                const std::uint32_t columns = std::min(b.width, l.width - left);
                const std::uint32_t rows = std::min(b.height, l.height - top);
                for (std::size_t r = 0; r < rows; ++r) {
                    take_samples(l, plane, block.data() + r * stride, columns,
                                 image.pixels.data() + 4 * ((y + r) * l.width + x));
                }
            }
        }
    }
}

/// The colour map, reduced to 8 bits: entries of R, G, B, X.
std::array<std::uint8_t, 1024> read_palette(TIFF* file, const TiffLayout& l) {
    std::array<std::uint8_t, 1024> table{};
    std::uint16_t *r = nullptr, *g = nullptr, *b = nullptr;
    if (TIFFGetField(file, TIFFTAG_COLORMAP, &r, &g, &b) != 1)
        damaged(tiff, "it has no colour map");
    for (std::size_t i = 0; i < std::size_t{1} << l.bits; ++i) {
        put_rgb(table.data() + 4 * i, static_cast<std::uint8_t>(r[i] >> 8),
                static_cast<std::uint8_t>(g[i] >> 8), static_cast<std::uint8_t>(b[i] >> 8));
    }
    return table;
}

}  // namespace

void decode_tiff(Bytes bytes, Image& image, const DecodeLimits& limits) {
    Source source;
    source.bytes = bytes;
    const File file = open(source);
    TiffLayout layout = read_layout(file.get());
    check_size(tiff, layout.width, layout.height, limits);
    if (layout.photometric == PHOTOMETRIC_YCBCR && layout.compression == COMPRESSION_JPEG &&
        !layout.separate) {
        TIFFSetField(file.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        layout.photometric = PHOTOMETRIC_RGB;
    }
    check_supported(layout);
    if (layout.compression == COMPRESSION_NONE &&
        std::uint64_t{layout.width} * layout.height * layout.samples * layout.bits / 8 >
            bytes.size()) {
        truncated(tiff, fmt::format("{} bytes cannot hold {} x {} pixels", bytes.size(),
                                    layout.width, layout.height));
    }
    const bool ycbcr = layout.photometric == PHOTOMETRIC_YCBCR;
    const bool turned = layout.orientation > 1 && layout.orientation <= 8;
    const std::uint64_t pixels = 4 * std::uint64_t{layout.width} * layout.height;
    const Blocks blocks = ycbcr ? Blocks{} : blocks_of(file.get(), layout);
    check_plausible(bytes.size(), layout, blocks);
    reserve_memory(
        tiff, layout.width, layout.height,
        std::max(ycbcr ? pixels : static_cast<std::uint64_t>(blocks.bytes), turned ? pixels : 0),
        limits);
    set_size(image, layout.width, layout.height);
    if (ycbcr) {
        read_ycbcr(file.get(), source, image);
    } else {
        read_blocks(file.get(), source, layout, blocks, image);
        std::array<std::uint8_t, 1024> palette{};
        if (layout.photometric == PHOTOMETRIC_PALETTE) palette = read_palette(file.get(), layout);
        samples_to_rgb(layout, palette.data(), image);
    }
    orient(image, layout.orientation);
}

}  // namespace assay::pixels
