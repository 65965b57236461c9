#include "image/file_facts.h"

#include <algorithm>
#include <string_view>

#include "image/decode.h"

namespace assay {
namespace {

/// Reads text and numbers at any position. Beyond the end, texts are empty and numbers are 0.
struct FileBytes {
    std::span<const std::byte> bytes;
    bool little = false;  ///< true if numbers are little-endian

    std::size_t size() const { return bytes.size(); }
    std::string_view text(std::size_t at, std::size_t size) const {
        if (at > bytes.size() || size > bytes.size() - at) return {};
        return {reinterpret_cast<const char*>(bytes.data()) + at, size};
    }
    std::uint32_t number(std::size_t at, std::size_t size) const {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t place = at + (little ? size - 1 - i : i);
            value = value << 8 |
                    (place < bytes.size() ? std::to_integer<std::uint32_t>(bytes[place]) : 0);
        }
        return value;
    }
};

/// The first directory of a TIFF file, or of the Exif block of another file, which has the same
/// form.
class TiffTags {
public:
    explicit TiffTags(std::span<const std::byte> bytes) : in_{bytes} {
        in_.little = in_.text(0, 2) == "II";
        constexpr std::uint32_t classic = 42;
        if (in_.number(2, 2) == classic) folder_ = in_.number(4, 4);
    }

    /// The first value of a tag, which has one, two or four bytes.
    std::optional<std::uint32_t> value(std::uint32_t tag) const {
        for (std::uint32_t i = 0; i < entries(); ++i) {
            const std::size_t at = entry(i);
            if (at + entry_size > in_.size()) return {};
            if (in_.number(at, 2) != tag) continue;
            constexpr std::uint32_t byte = 1, four_bytes = 4;
            const std::uint32_t type = in_.number(at + 2, 2);
            const std::size_t size = type == byte ? 1 : type == four_bytes ? 4 : 2;
            const bool inside = in_.number(at + 4, 4) <= 4 / size;
            return in_.number(inside ? at + 8 : in_.number(at + 8, 4), size);
        }
        return {};
    }
    std::uint32_t value(std::uint32_t tag, std::uint32_t otherwise) const {
        return value(tag).value_or(otherwise);
    }
    bool is_read() const { return folder_ != 0; }
    bool has_another_page() const { return is_read() && in_.number(entry(entries()), 4) != 0; }

private:
    static constexpr std::size_t entry_size = 12;
    std::uint32_t entries() const { return is_read() ? in_.number(folder_, 2) : 0; }
    std::size_t entry(std::uint32_t i) const {
        return std::size_t{folder_} + 2 + entry_size * std::size_t{i};
    }

    FileBytes in_;
    std::uint32_t folder_ = 0;
};

constexpr std::uint32_t bits_tag = 258, photometric_tag = 262, orientation_tag = 274,
                        samples_tag = 277, extra_samples_tag = 338;
constexpr std::string_view exif_mark("Exif\0\0", 6);

std::optional<std::uint32_t> orientation_of_block(std::span<const std::byte> block) {
    if (FileBytes{block}.text(0, exif_mark.size()) == exif_mark)
        block = block.subspan(exif_mark.size());
    return TiffTags(block).value(orientation_tag);
}

/// True if a marker starts a frame. All codings do, but not tables (C4, CC) or an extension (C8).
bool is_frame(std::uint32_t marker) {
    return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

void read_jpeg(const FileBytes& in, FileFacts& facts) {
    std::size_t exif_blocks = 0;
    bool agree = true;
    for (std::size_t at = 2; at + 4 <= in.size();) {
        if (in.number(at, 1) != 0xFF) return;
        const std::uint32_t marker = in.number(at + 1, 1);
        if (marker == 0xFF) {  // fill
            ++at;
            continue;
        }
        constexpr std::uint32_t scan = 0xDA, end = 0xD9, app1 = 0xE1;
        if (marker == scan || marker == end) {
            facts.whole = agree;
            return;
        }
        const std::size_t size = in.number(at + 2, 2);
        if (size < 2 || size > in.size() - at - 2) return;
        if (marker == app1 && in.text(at + 4, exif_mark.size()) == exif_mark) {
            const auto found = orientation_of_block(in.bytes.subspan(at + 4, size - 2));
            if (++exif_blocks == 1) facts.orientation = found;  // Pillow uses the first block
            agree = agree && found == facts.orientation;
        }
        if (is_frame(marker)) {
            facts.bits = in.number(at + 4, 1);
            const std::uint32_t components = in.number(at + 9, 1);
            facts.colour = components == 1   ? ImageColour::grey
                           : components == 3 ? ImageColour::rgb
                           : components == 4 ? ImageColour::cmyk
                                             : ImageColour::unknown;
        }
        at += 2 + size;
    }
}

/// Calls visit(name, position of the data, size) for each chunk of a PNG or WebP file.
template <class Visit>
void for_each_chunk(const FileBytes& in, bool png, Visit&& visit) {
    for (std::size_t at = png ? 8 : 12; at + 8 <= in.size();) {
        const std::size_t size = in.number(png ? at : at + 4, 4);
        const std::string_view name = in.text(png ? at + 4 : at, 4);
        visit(name, at + 8, std::min(size, in.size() - at - 8));
        const std::size_t whole = png ? size + 12 : size + 8 + size % 2;
        if (name == "IEND" || whole > in.size() - at) return;
        at += whole;
    }
}

void read_exif_chunk(const FileBytes& in, std::size_t at, std::size_t size, FileFacts& facts) {
    facts.exif = true;
    facts.orientation = orientation_of_block(in.bytes.subspan(at, size));
}

void read_png(const FileBytes& in, FileFacts& facts) {
    for_each_chunk(in, true, [&](std::string_view name, std::size_t at, std::size_t size) {
        if (name == "IHDR") {
            facts.bits = in.number(at + 8, 1);
            const std::uint32_t kind = in.number(at + 9, 1);  // 1 palette, 2 colour, 4 alpha
            facts.colour = (kind & 1) != 0   ? ImageColour::palette
                           : (kind & 2) != 0 ? ImageColour::rgb
                                             : ImageColour::grey;
            facts.alpha = (kind & 4) != 0;
        } else if (name == "tRNS") {
            facts.alpha = true;
        } else if (name == "acTL") {
            facts.several = true;
        } else if (name == "eXIf") {
            read_exif_chunk(in, at, size, facts);
        }
    });
}

void read_webp(FileBytes in, FileFacts& facts) {
    in.little = true;
    facts.colour = ImageColour::rgb;
    for_each_chunk(in, false, [&](std::string_view name, std::size_t at, std::size_t size) {
        if (name == "VP8X") {
            constexpr std::uint32_t animated = 2, alpha = 16;
            const std::uint32_t flags = in.number(at, 1);
            facts.several = facts.several || (flags & animated) != 0;
            facts.alpha = facts.alpha || (flags & alpha) != 0;
        } else if (name == "VP8L") {  // 14 bits of width, 14 of height, then alpha
            facts.alpha = facts.alpha || (in.number(at + 1, 4) >> 28 & 1) != 0;
        } else if (name == "ANIM") {
            facts.several = true;
        } else if (name == "EXIF") {
            read_exif_chunk(in, at, size, facts);
        }
    });
}

void read_bmp(FileBytes in, FileFacts& facts) {
    in.little = true;
    constexpr std::uint32_t oldest_header = 12, most_indexed = 8;
    const bool oldest = in.number(14, 4) == oldest_header;
    facts.colour =
        in.number(oldest ? 24 : 28, 2) <= most_indexed ? ImageColour::palette : ImageColour::rgb;
}

void read_tiff(const FileBytes& in, FileFacts& facts) {
    const TiffTags tags(in.bytes);
    if (!tags.is_read()) return;
    constexpr std::uint32_t absent = UINT32_MAX;
    switch (tags.value(photometric_tag, absent)) {
        case 0:
        case 1:
            facts.colour = ImageColour::grey;
            break;
        case 2:
        case 6:  // YCbCr
            facts.colour = ImageColour::rgb;
            break;
        case 3:
            facts.colour = ImageColour::palette;
            break;
        case 5:
            facts.colour = ImageColour::cmyk;
            break;
        default:
            break;
    }
    facts.bits = tags.value(bits_tag, 1);
    // A fourth RGB sample without a declared meaning is treated as alpha.
    facts.alpha = tags.value(extra_samples_tag).has_value() ||
                  (facts.colour == ImageColour::rgb && tags.value(samples_tag, 1) == 4);
    facts.several = tags.has_another_page();
    facts.orientation = tags.value(orientation_tag);
}

/// The number of bytes of a color table, if the flags say that there is one.
std::size_t gif_colours(std::uint32_t flags) {
    constexpr std::uint32_t has_table = 0x80, size_bits = 7;
    return (flags & has_table) != 0 ? std::size_t{3} << ((flags & size_bits) + 1) : 0;
}

void read_gif(const FileBytes& in, FileFacts& facts) {
    facts.colour = ImageColour::palette;
    constexpr std::uint32_t extension = 0x21, frame = 0x2C;
    constexpr std::size_t header = 13, frame_header = 10;
    bool another = false;
    for (std::size_t at = header + gif_colours(in.number(10, 1)); at < in.size();) {
        const std::uint32_t block = in.number(at, 1);
        if (block == frame) {
            facts.several = another;
            if (another) return;
            another = true;
            at += frame_header + gif_colours(in.number(at + 9, 1)) + 1;  // the size of codes
        } else if (block == extension) {
            at += 2;
        } else {
            return;
        }
        std::size_t size = 0;
        do {
            size = in.number(at, 1);
            at += size + 1;
        } while (size > 0 && at < in.size());
    }
}

/// P1 to P6 are bits, grays and colors, first as text (P1 to P3) and then as bytes.
void read_netpbm(const FileBytes& in, FileFacts& facts) {
    const std::uint32_t kind = in.number(1, 1) - '0';
    facts.colour = kind % 3 == 0 ? ImageColour::rgb : ImageColour::grey;
    if (kind % 3 == 1) {
        facts.bits = 1;
        return;
    }
    // Reads width, height and the largest value, with comments between them.
    const std::string_view text = in.text(0, in.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t at = 2;
    std::uint32_t value = 0;
    for (int i = 0; i < 3; ++i) {
        while (at < text.size() && !is_digit(text[at])) {
            if (text[at] == '#')
                at = std::min(text.find('\n', at), text.size());
            else
                ++at;
        }
        for (value = 0; at < text.size() && is_digit(text[at]) && value < 1U << 20; ++at)
            value = 10 * value + static_cast<std::uint32_t>(text[at] - '0');
    }
    constexpr std::uint32_t most_of_a_byte = 255;
    facts.bits = value > most_of_a_byte ? 16 : 8;
}

}  // namespace

ImageFormat image_format(std::span<const std::byte> bytes) {
    using namespace std::string_view_literals;
    const FileBytes in{bytes};
    const auto begins = [&](std::string_view magic) { return in.text(0, magic.size()) == magic; };
    if (begins("\xFF\xD8\xFF"sv)) return ImageFormat::jpeg;
    if (begins("\x89PNG\r\n\x1A\n"sv)) return ImageFormat::png;
    if (begins("RIFF"sv) && in.text(8, 4) == "WEBP"sv) return ImageFormat::webp;
    if (begins("BM"sv)) return ImageFormat::bmp;
    if (begins("II\x2A\0"sv) || begins("MM\0\x2A"sv) || begins("II\x2B\0"sv) ||
        begins("MM\0\x2B"sv)) {
        return ImageFormat::tiff;
    }
    if (begins("GIF87a"sv) || begins("GIF89a"sv)) return ImageFormat::gif;
    if (pixels::is_netpbm(bytes)) return ImageFormat::netpbm;
    return ImageFormat::unknown;
}

FileFacts facts_of_file(std::span<const std::byte> bytes) {
    const FileBytes in{bytes};
    FileFacts facts;
    facts.format = image_format(bytes);
    switch (facts.format) {
        case ImageFormat::jpeg:
            read_jpeg(in, facts);
            break;
        case ImageFormat::png:
            read_png(in, facts);
            break;
        case ImageFormat::webp:
            read_webp(in, facts);
            break;
        case ImageFormat::bmp:
            read_bmp(in, facts);
            break;
        case ImageFormat::tiff:
            read_tiff(in, facts);
            break;
        case ImageFormat::gif:
            read_gif(in, facts);
            break;
        case ImageFormat::netpbm:
            read_netpbm(in, facts);
            break;
        case ImageFormat::unknown:
            break;
    }
    return facts;
}

bool is_left_aside(std::string_view id) {
    return std::ranges::find(left_aside_kinds, id, &LeftAside::id) != left_aside_kinds.end();
}

std::uint8_t left_aside(const FileFacts& facts) {
    constexpr unsigned bits_of_a_byte = 8;
    const bool turned = facts.format != ImageFormat::tiff && facts.orientation.value_or(1) > 1;
    const std::array found = {facts.alpha, facts.bits > bits_of_a_byte, facts.several, turned};
    std::uint8_t bits = 0;
    for (std::size_t k = 0; k < left_aside_kinds.size(); ++k)
        bits = static_cast<std::uint8_t>(bits | (found[k] ? left_aside_kinds[k].bit : 0));
    return bits;
}

}  // namespace assay
