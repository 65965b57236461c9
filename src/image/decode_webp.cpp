// WebP through libwebp. For an animation, the image is its first frame on a black canvas.
#include <memory>

#include <webp/decode.h>
#include <webp/demux.h>

#include <fmt/format.h>

#include "core/parallel.h"
#include "image/decode.h"

namespace assay::pixels {
namespace {

struct DeleteDemuxer {
    void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

struct FirstFrame {
    explicit FirstFrame(const WebPDemuxer* demuxer)
        : found(WebPDemuxGetFrame(demuxer, 1, &iterator) != 0) {}
    ~FirstFrame() { WebPDemuxReleaseIterator(&iterator); }
    FirstFrame(const FirstFrame&) = delete;
    FirstFrame& operator=(const FirstFrame&) = delete;

    WebPIterator iterator{};
    bool found;
};

std::string_view meaning(VP8StatusCode status) {
    switch (status) {
        case VP8_STATUS_OUT_OF_MEMORY:
            return "libwebp ran out of memory";
        case VP8_STATUS_BITSTREAM_ERROR:
            return "its bit stream is broken";
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            return "it uses a feature that libwebp does not know";
        case VP8_STATUS_NOT_ENOUGH_DATA:
            return "its bit stream ends too early";
        default:
            return "libwebp refuses it";
    }
}

/// RIFF records its length. If bytes are missing, the file is truncated; otherwise it is
/// damaged.
[[noreturn]] void refuse_container(Bytes bytes) {
    if (bytes.size() >= 12) {
        std::uint32_t riff = 0;
        for (int i = 3; i >= 0; --i) riff = (riff << 8) | static_cast<std::uint32_t>(bytes[4 + i]);
        if (std::uint64_t{riff} + 8 > bytes.size()) {
            truncated("WebP",
                      fmt::format("it has {} of {} bytes", bytes.size(), std::uint64_t{riff} + 8));
        }
    }
    damaged("WebP", "its chunks do not fit together");
}

struct DeleteDecoder {
    void operator()(WebPIDecoder* decoder) const { WebPIDelete(decoder); }
};

/// A gigabyte of pixels takes ten seconds, so large files are decoded in parts, and a stop request
/// can take effect in between.
VP8StatusCode decode_parts(const WebPData& frame, WebPDecoderConfig& config) {
    constexpr std::size_t part = std::size_t{1} << 20;
    throw_if_stopped();
    if (frame.size <= part) return WebPDecode(frame.bytes, frame.size, &config);
    const std::unique_ptr<WebPIDecoder, DeleteDecoder> decoder(WebPIDecode(nullptr, 0, &config));
    if (!decoder) return VP8_STATUS_OUT_OF_MEMORY;
    VP8StatusCode status = VP8_STATUS_SUSPENDED;
    for (std::size_t there = 0; status == VP8_STATUS_SUSPENDED && there < frame.size;) {
        throw_if_stopped();
        there = std::min(there + part, frame.size);
        status = WebPIUpdate(decoder.get(), frame.bytes, there);
    }
    return status == VP8_STATUS_SUSPENDED ? VP8_STATUS_NOT_ENOUGH_DATA : status;
}

}  // namespace

void decode_webp(Bytes bytes, Image& image, const DecodeLimits& limits) {
    const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
    const std::unique_ptr<WebPDemuxer, DeleteDemuxer> demuxer(WebPDemux(&data));
    if (!demuxer) refuse_container(bytes);
    const FirstFrame first(demuxer.get());
    if (!first.found) damaged("WebP", "it has no frame");
    const WebPIterator& frame = first.iterator;
    const std::int64_t width = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH);
    const std::int64_t height = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT);
    if (frame.width <= 0 || frame.height <= 0 || frame.x_offset < 0 || frame.y_offset < 0 ||
        std::int64_t{frame.x_offset} + frame.width > width ||
        std::int64_t{frame.y_offset} + frame.height > height) {
        damaged("WebP", "its first frame is not within the image");
    }
    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0)
        unsupported("WebP", "the loaded libwebp differs from the one that Assay was built with");
    check_size("WebP", width, height, limits);
    // For a lossless frame, libwebp makes its own copy.
    reserve_memory("WebP", width, height, 4 * static_cast<std::uint64_t>(width * height), limits);
    set_size(image, width, height);
    const std::size_t stride = 4 * static_cast<std::size_t>(width);
    if (frame.width < width || frame.height < height)
        std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{0});
    const std::size_t at = stride * static_cast<std::size_t>(frame.y_offset) +
                           4 * static_cast<std::size_t>(frame.x_offset);
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = image.pixels.data() + at;
    config.output.u.RGBA.stride = static_cast<int>(stride);
    config.output.u.RGBA.size = image.pixels.size() - at;
    const VP8StatusCode status = decode_parts(frame.fragment, config);
    if (status != VP8_STATUS_OK) damaged("WebP", meaning(status));
    for (std::size_t i = 3; i < image.pixels.size(); i += 4) image.pixels[i] = 255;
}

}  // namespace assay::pixels
