#include "image/decode.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/file.h"
#include "core/parallel.h"
#include "image/file_facts.h"

namespace assay {
namespace pixels {

void damaged(std::string_view format, std::string_view what) {
    throw Error(ErrorCode::bad_input, fmt::format("damaged {} image: {}", format, what));
}

void truncated(std::string_view format, std::string_view what) {
    throw Error(ErrorCode::bad_input, fmt::format("truncated {} image: {}", format, what));
}

void unsupported(std::string_view format, std::string_view what) {
    throw Error(ErrorCode::bad_input, fmt::format("unsupported {} image: {}", format, what));
}

void check_size(std::string_view format, std::int64_t width, std::int64_t height,
                const DecodeLimits& limits) {
    if (width <= 0 || height <= 0)
        damaged(format, fmt::format("its header says {} x {} pixels", width, height));
    const std::int64_t most = std::min(limits.pixels, max_image_pixels);
    if (width > most / height) {
        unsupported(format, fmt::format("its header says {} x {} pixels; the limit is {} pixels",
                                        width, height, most));
    }
}

void reserve_memory(std::string_view format, std::int64_t width, std::int64_t height,
                    std::uint64_t beside, const DecodeLimits& limits) {
    const std::uint64_t bytes =
        4 * static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) + beside;
    if (bytes > limits.bytes) {
        unsupported(format, fmt::format("{} x {} pixels need {} bytes of memory; the limit "
                                        "for an image is {}",
                                        width, height, bytes, limits.bytes));
    }
    if (limits.reserve) limits.reserve(bytes);
}

void set_size(Image& image, std::int64_t width, std::int64_t height) {
    image.width = static_cast<int>(width);
    image.height = static_cast<int>(height);
    image.pixels.resize(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
}

namespace {

std::string first_bytes(Bytes bytes) {
    std::string text;
    for (const std::byte b : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
        text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(b));
    }
    return text;
}

}  // namespace
}  // namespace pixels

void decode_image_into(std::span<const std::byte> bytes, Image& image, const DecodeLimits& limits) {
    using namespace pixels;
    throw_if_stopped();
    if (bytes.empty()) throw Error(ErrorCode::bad_input, "the image is empty (0 bytes)");
    switch (image_format(bytes)) {
        case ImageFormat::jpeg:
            return decode_jpeg(bytes, image, limits);
        case ImageFormat::png:
            return decode_png(bytes, image, limits);
        case ImageFormat::webp:
            return decode_webp(bytes, image, limits);
        case ImageFormat::bmp:
            return decode_bmp(bytes, image, limits);
        case ImageFormat::tiff:
            return decode_tiff(bytes, image, limits);
        case ImageFormat::gif:
            return decode_gif(bytes, image, limits);
        case ImageFormat::netpbm:
            return decode_netpbm(bytes, image, limits);
        case ImageFormat::unknown:
            break;
    }
    throw Error(ErrorCode::bad_input,
                fmt::format("not an image that can be read: it begins with the bytes {}; JPEG, "
                            "PNG, WebP, BMP, TIFF, GIF, PBM, PGM and PPM are supported",
                            first_bytes(bytes)));
}

Image decode_image(std::span<const std::byte> bytes, const DecodeLimits& limits) {
    Image image;
    decode_image_into(bytes, image, limits);
    return image;
}

Image load_image(const std::filesystem::path& path) {
    return with_note(fmt::format("reading the image {}", path.string()),
                     [&] { return decode_image(read_file(path)); });
}

}  // namespace assay
