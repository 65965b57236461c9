// JPEG through libjpeg-turbo, straight to R, G, B, X bytes. The library libjpeg reports errors by a
// call that must not return. It jumps back here, so no function in between may hold an object that
// needs a destructor. Warnings are ignored, as Pillow ignores them; a missing end is an error, as
// it is for Pillow.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

#include <jpeglib.h>

#include <jerror.h>

#include <fmt/format.h>

#include "core/parallel.h"
#include "image/decode.h"

namespace assay::pixels {
namespace {

struct ErrorState {
    jpeg_error_mgr manager;
    std::jmp_buf jump;
    char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave(j_common_ptr info) {
    auto* state = reinterpret_cast<ErrorState*>(info->err);
    state->manager.format_message(info, state->message);
    std::longjmp(state->jump, 1);
}

/// Conditions that stop decoding, apart from errors.
struct Watch {
    jpeg_progress_mgr manager;
    int most_scans;
    bool too_many = false, stopped = false;
};

void look(j_common_ptr info) {
    auto* watch = reinterpret_cast<Watch*>(info->progress);
    watch->stopped = stop_requested();
    watch->too_many =
        reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > watch->most_scans;
    if (watch->stopped || watch->too_many)
        std::longjmp(reinterpret_cast<ErrorState*>(info->err)->jump, 1);
}

void ignore_message(j_common_ptr, int) {}
void ignore_source(j_decompress_ptr) {}
boolean no_more_bytes(j_decompress_ptr) {
    return FALSE;
}

void skip_bytes(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    jpeg_source_mgr& source = *info->src;
    const auto step = std::min(static_cast<std::size_t>(count), source.bytes_in_buffer);
    source.next_input_byte += step;
    source.bytes_in_buffer -= step;
}

/// The steps of decoding. Each returns false if libjpeg jumped back with an error, which message()
/// describes.
class JpegReader {
public:
    enum class Step { done, failed, out_of_bytes };

    JpegReader(Bytes bytes, const DecodeLimits& limits) {
        watch_.manager = {};
        watch_.manager.progress_monitor = look;
        watch_.most_scans = limits.jpeg_scans;
        std::memset(&info_, 0, sizeof info_);
        std::memset(&source_, 0, sizeof source_);
        info_.err = jpeg_std_error(&error_.manager);
        error_.manager.error_exit = leave;
        error_.manager.emit_message = ignore_message;
        error_.message[0] = '\0';
        source_.init_source = ignore_source;
        source_.fill_input_buffer = no_more_bytes;
        source_.skip_input_data = skip_bytes;
        source_.resync_to_restart = jpeg_resync_to_restart;
        source_.term_source = ignore_source;
        source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
        source_.bytes_in_buffer = bytes.size();
    }
    ~JpegReader() { jpeg_destroy_decompress(&info_); }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    Step read_header() {
        if (setjmp(error_.jump)) return Step::failed;
        jpeg_create_decompress(&info_);
        info_.src = &source_;
        info_.progress = &watch_.manager;
        return jpeg_read_header(&info_, TRUE) == JPEG_SUSPENDED ? Step::out_of_bytes : Step::done;
    }

    Step start(J_COLOR_SPACE colours) {
        if (setjmp(error_.jump)) return Step::failed;
        info_.out_color_space = colours;
        return jpeg_start_decompress(&info_) ? Step::done : Step::out_of_bytes;
    }

    Step read_rows(std::uint8_t* pixels, std::size_t stride) {
        if (setjmp(error_.jump)) return Step::failed;
        constexpr JDIMENSION at_once = 16;
        JSAMPROW rows[at_once];
        while (info_.output_scanline < info_.output_height) {
            const JDIMENSION count = std::min(at_once, info_.output_height - info_.output_scanline);
            for (JDIMENSION i = 0; i < count; ++i)
                rows[i] = pixels + (info_.output_scanline + i) * stride;
            if (jpeg_read_scanlines(&info_, rows, count) == 0) return Step::out_of_bytes;
        }
        return jpeg_finish_decompress(&info_) ? Step::done : Step::out_of_bytes;
    }

    const jpeg_decompress_struct& info() const { return info_; }
    const char* message() const { return error_.message; }
    const Watch& watch() const { return watch_; }

private:
    jpeg_decompress_struct info_;
    ErrorState error_;
    jpeg_source_mgr source_;
    Watch watch_{};
};

void require(JpegReader::Step step, const JpegReader& reader, std::string_view where) {
    if (step == JpegReader::Step::failed) {
        if (reader.watch().stopped) throw_if_stopped();
        if (reader.watch().too_many) {
            unsupported("JPEG", fmt::format("it has more than {} scans, each over all its pixels",
                                            reader.watch().most_scans));
        }
        damaged("JPEG", reader.message());
    }
    if (step == JpegReader::Step::out_of_bytes) truncated("JPEG", fmt::format("it ends {}", where));
}

/// The smallest complete Huffman-coded image, because an 8 x 8 block takes at least one bit. The
/// check runs before memory is allocated for the size in the header.
void check_plausible(Bytes bytes, const jpeg_decompress_struct& info) {
    const double pixels = static_cast<double>(info.image_width) * info.image_height;
    if (info.arith_code == FALSE && pixels > 512.0 * static_cast<double>(bytes.size()) + 65536) {
        truncated("JPEG", fmt::format("{} bytes cannot hold {} x {} pixels", bytes.size(),
                                      info.image_width, info.image_height));
    }
}

/// For images with several scans, libjpeg keeps all coefficients, two bytes each, until the last
/// scan is read.
std::uint64_t coefficient_bytes(const jpeg_decompress_struct& info) {
    if (jpeg_has_multiple_scans(const_cast<j_decompress_ptr>(&info)) == FALSE) return 0;
    std::uint64_t bytes = 0;
    for (int c = 0; c < info.num_components; ++c) {
        const jpeg_component_info& component = info.comp_info[c];
        const auto blocks = [](JDIMENSION pixels, int sampling, int most) {
            return (std::uint64_t{pixels} * static_cast<unsigned>(sampling) /
                        static_cast<unsigned>(std::max(1, most)) / DCTSIZE +
                    2);
        };
        bytes += blocks(info.image_width, component.h_samp_factor, info.max_h_samp_factor) *
                 blocks(info.image_height, component.v_samp_factor, info.max_v_samp_factor) *
                 DCTSIZE2 * sizeof(JCOEF);
    }
    return bytes;
}

}  // namespace

void decode_jpeg(Bytes bytes, Image& image, const DecodeLimits& limits) {
    JpegReader reader(bytes, limits);
    require(reader.read_header(), reader, "inside the header");
    const jpeg_decompress_struct& info = reader.info();
    check_size("JPEG", info.image_width, info.image_height, limits);
    if (info.num_components == 2 || info.num_components > 4) {
        unsupported("JPEG", fmt::format("{} colour components; 1, 3 and 4 are supported",
                                        info.num_components));
    }
    check_plausible(bytes, info);
    reserve_memory("JPEG", info.image_width, info.image_height, coefficient_bytes(info), limits);
    const bool cmyk = info.num_components == 4;
    require(reader.start(cmyk ? JCS_CMYK : JCS_EXT_RGBX), reader, "before the first row");
    set_size(image, info.output_width, info.output_height);
    const JpegReader::Step step =
        reader.read_rows(image.pixels.data(), 4 * static_cast<std::size_t>(image.width));
    require(step, reader,
            fmt::format("after {} of {} rows", info.output_scanline, info.output_height));
    if (!cmyk) return;
    // Adobe writes inverted inks, and Pillow assumes that every four-color JPEG is Adobe's.
    for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
        std::uint8_t* p = image.pixels.data() + i;
        put_cmyk(p, 255U - p[0], 255U - p[1], 255U - p[2], 255U - p[3]);
    }
}

}  // namespace assay::pixels
