#include "containers/npy_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/terminal_text.h"

namespace assay {
namespace {

constexpr std::size_t max_streamed_header = (1U << 20) + 12;
constexpr std::size_t max_text_width = 1U << 16;

/// The number of bytes before the elements, or 0 if the available bytes end before that.
std::size_t header_bytes(std::span<const std::byte> bytes) {
    if (bytes.size() < 12) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(bytes[i]); };
    const std::size_t length =
        byte(6) == 1 ? 10 + byte(8) + 256 * byte(9)
                     : 12 + byte(8) + 256 * (byte(9) + 256 * (byte(10) + 256 * byte(11)));
    if (length > max_streamed_header) refuse(fmt::format("npy header claims {} bytes", length));
    return bytes.size() < length ? 0 : length;
}

/// The dtype of texts in the header ("<U28"), or an empty view for other types.
std::string_view text_dtype(std::string_view header) {
    for (const std::string_view kind : {"<U", "|S", "=U", "|U"}) {
        for (const char quote : {'\'', '"'}) {
            const std::string begin = quote + std::string(kind);
            const std::size_t at = header.find(begin);
            if (at == std::string_view::npos) continue;
            const std::size_t end = header.find(quote, at + 1);
            if (end != std::string_view::npos) return header.substr(at + 1, end - at - 1);
        }
    }
    return {};
}

}  // namespace

std::uint64_t ArrayHeader::elements() const {
    return view.count();
}

ArrayHeader array_header(std::span<const std::byte> bytes) {
    ArrayHeader header;
    // The data after the header may contain text that looks like a dtype, so only the header is
    // searched.
    const std::size_t before = header_bytes(bytes);
    header.begin = before;
    std::string text(reinterpret_cast<const char*>(bytes.data()),
                     before == 0 ? bytes.size() : before);
    const std::string_view dtype = text_dtype(text);
    if (dtype.empty()) {
        header.view = parse_npy_header(bytes);
        header.view.values.data = {};
        return header;
    }
    const auto [stop, problem] =
        std::from_chars(dtype.data() + 2, dtype.data() + dtype.size(), header.text.width);
    if (problem != std::errc() || stop != dtype.data() + dtype.size() ||
        header.text.width > max_text_width) {
        refuse(fmt::format("npy array has dtype `{:.40}`", dtype));
    }
    header.text.size = dtype[1] == 'U' ? 4 : 1;
    if (header.text.width == 0) header.text.width = 1;  // NumPy stores <U0 as one character
    // The number parser does the rest: the dtype is overwritten by one that it knows, padded with
    // blanks.
    const std::size_t at = static_cast<std::size_t>(dtype.data() - text.data()),
                      length = dtype.size();
    text.replace(at, length, "|u1");
    text.insert(at + 4, std::string(length - 3, ' '));
    header.view = parse_npy_header(std::as_bytes(std::span(text)));
    header.view.values.data = {};
    if (header.view.count() > std::numeric_limits<std::uint64_t>::max() / header.element_bytes()) {
        refuse(fmt::format("npy shape {} is too large", header.view.shape_text()));
    }
    return header;
}

bool holds_texts(std::span<const std::byte> npy) {
    const std::string_view begin(reinterpret_cast<const char*>(npy.data()),
                                 std::min<std::size_t>(npy.size(), 6));
    return begin == "\x93NUMPY" && npy.size() > 12 && array_header(npy).text.width > 0;
}

void append_text(std::span<const std::byte> element, const TextType& type, std::string& out) {
    std::size_t used = element.size();
    while (used > 0 && element[used - 1] == std::byte{0}) --used;
    used = (used + type.size - 1) / type.size * type.size;
    for (std::size_t i = 0; i < used; i += type.size) {
        std::uint32_t c = 0;
        for (std::size_t b = 0; b < type.size; ++b)
            c |= static_cast<std::uint32_t>(element[i + b]) << (8 * b);
        if (type.size == 1 || (c >= 0x20 && c < 0x80)) {
            out += c == 0 ? '?' : static_cast<char>(c);
        } else if (c < 0x20 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) {
            out += '?';
        } else {
            append_utf8(c, out);
        }
    }
}

std::vector<std::string> texts_of(std::span<const std::byte> npy) {
    const ArrayHeader header = array_header(npy);
    if (header.text.width == 0)
        refuse(
            fmt::format("npy array has dtype {}; texts are needed", name_of(header.view.type())));
    const std::size_t before = header_bytes(npy), size = header.element_bytes();
    const std::span<const std::byte> values = npy.subspan(before);
    if (values.size() / size != header.elements() || values.size() % size != 0) {
        refuse(fmt::format("npy array of shape {} needs {} bytes, found {}",
                           header.view.shape_text(), header.elements() * size, values.size()));
    }
    std::vector<std::string> texts(static_cast<std::size_t>(header.elements()));
    for (std::size_t i = 0; i < texts.size(); ++i)
        append_text(values.subspan(i * size, size), header.text, texts[i]);
    return texts;
}

void stream_array(
    const ZipArchive& archive, const ZipEntry& entry,
    const std::function<void(const ArrayHeader&)>& on_header,
    const std::function<void(std::uint64_t first, std::span<const std::byte>)>& on_elements) {
    ArrayHeader header;
    bool begun = false;
    std::uint64_t done = 0;
    std::size_t element = 1;
    std::vector<std::byte>
        rest;  // the part of the header received so far, then the incomplete last element
    const auto give = [&](std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        on_elements(done, bytes);
        done += bytes.size() / element;
    };
    archive.unpack(entry, [&](std::span<const std::byte> piece) {
        if (!begun) {
            rest.insert(rest.end(), piece.begin(), piece.end());
            const std::size_t length = header_bytes(rest);
            if (length == 0) return;
            header = array_header(std::span(rest).first(length));
            element = header.element_bytes();
            const std::uint64_t needed = length + header.elements() * element;
            if (needed != entry.size) {
                refuse(fmt::format("array `{}` of shape {} needs {} bytes, found {}", entry.name,
                                   header.view.shape_text(), needed, entry.size));
            }
            begun = true;
            on_header(header);
            const std::vector<std::byte> first(rest.begin() + static_cast<std::ptrdiff_t>(length),
                                               rest.end());
            const std::size_t whole = first.size() / element * element;
            give(std::span(first).first(whole));
            rest.assign(first.begin() + static_cast<std::ptrdiff_t>(whole), first.end());
            return;
        }
        if (!rest.empty()) {
            const std::size_t missing = std::min(element - rest.size(), piece.size());
            rest.insert(rest.end(), piece.begin(),
                        piece.begin() + static_cast<std::ptrdiff_t>(missing));
            piece = piece.subspan(missing);
            if (rest.size() < element) return;
            give(rest);
            rest.clear();
        }
        const std::size_t whole = piece.size() / element * element;
        give(piece.first(whole));
        rest.assign(piece.begin() + static_cast<std::ptrdiff_t>(whole), piece.end());
    });
    if (!begun) {
        // The bytes are too short for a header, so the parser reports the error.
        array_header(rest);
        refuse(fmt::format("array `{}` is cut off: {} bytes", entry.name, rest.size()));
    }
}

}  // namespace assay
