// JPEG through libjpeg-turbo. As in decode_jpeg.cpp, libjpeg reports errors by a call that must not
// return. So the function that it leaves must not have objects with destructors.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "assay/error.h"
#include "assay/image/encode.h"

namespace assay {
namespace {

struct JpegFailure {
    jpeg_error_mgr manager;
    std::jmp_buf jump;
};

[[noreturn]] void leave_encoder(j_common_ptr info) {
    std::longjmp(reinterpret_cast<JpegFailure*>(info->err)->jump, 1);
}
void ignore_warning(j_common_ptr, int) {}

/// Returns false if libjpeg jumped back with an error. The caller frees what is allocated in `info`
/// and `out`.
bool write_jpeg(const Image& image, const JpegOptions& options, JpegFailure& error,
                jpeg_compress_struct& info, unsigned char*& out, unsigned long& bytes) {
    info.err = jpeg_std_error(&error.manager);
    error.manager.error_exit = leave_encoder;
    error.manager.emit_message = ignore_warning;
    if (setjmp(error.jump) != 0) return false;
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &out, &bytes);
    info.image_width = static_cast<JDIMENSION>(image.width);
    info.image_height = static_cast<JDIMENSION>(image.height);
    info.input_components = 4;
    info.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, options.quality, TRUE);
    info.dct_method = JDCT_ISLOW;
    info.optimize_coding = options.optimize ? TRUE : FALSE;
    for (int c = 0; c < info.num_components; ++c)
        info.comp_info[c].h_samp_factor = info.comp_info[c].v_samp_factor = 1;
    if (options.chroma == JpegChroma::halved)
        info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 2;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        // libjpeg's type of a row is not const, but libjpeg only reads it.
        auto* row = const_cast<JSAMPLE*>(image.pixels.data() +
                                         std::size_t{4} * info.image_width * info.next_scanline);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
}

}  // namespace

std::vector<std::byte> encode_jpeg(const Image& image, int quality) {
    return encode_jpeg(image, JpegOptions{.quality = quality});
}

std::vector<std::byte> encode_jpeg(const Image& image, const JpegOptions& options) {
    constexpr int most = 65'500;  // the largest side that libjpeg writes
    const auto width = static_cast<std::size_t>(std::max(image.width, 0));
    const auto height = static_cast<std::size_t>(std::max(image.height, 0));
    if (width == 0 || height == 0 || image.width > most || image.height > most ||
        image.pixels.size() != 4 * width * height) {
        throw Error(ErrorCode::usage,
                    fmt::format("an image of {} x {} pixels with {} bytes cannot be written",
                                image.width, image.height, image.pixels.size()));
    }
    if (options.quality < 1 || options.quality > 100)
        throw Error(ErrorCode::usage, fmt::format("JPEG quality {}: 1 to 100", options.quality));
    JpegFailure error;
    jpeg_compress_struct info;
    std::memset(&info, 0, sizeof info);
    unsigned char* out = nullptr;
    unsigned long bytes = 0;
    const bool written = write_jpeg(image, options, error, info, out, bytes);
    jpeg_destroy_compress(&info);
    const std::unique_ptr<unsigned char, decltype(&std::free)> owner(out, &std::free);
    if (!written) throw Error(ErrorCode::out_of_memory, "an image could not be written as JPEG");
    const auto* first = reinterpret_cast<const std::byte*>(out);
    return {first, first + bytes};
}

}  // namespace assay
