#include "core/terminal_text.h"

#include <fmt/format.h>

#include <iterator>

namespace assay {
namespace {

/// The character at the start of `text` and its length in bytes; 0 bytes if it is not UTF-8.
struct Character {
    std::size_t bytes = 0;
    std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return static_cast<unsigned char>(text[i]);
    };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {1, lead};
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
    std::uint32_t code = lead & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3F);
    }
    const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
    return {bytes, code};
}

/// Characters beyond ASCII that terminals obey: the second set of controls, and marks that reverse
/// the direction of text.
bool is_control(std::uint32_t code) {
    return (code >= 0x80 && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t bytes = first_character(text).bytes;
        if (bytes == 0) return false;
        text.remove_prefix(bytes);
    }
    return true;
}

void append_utf8(std::uint32_t code, std::string& text) {
    const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xE0 | code >> 12);
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
}

std::string without_controls(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character c = first_character(text);
        const bool control =
            (c.code < 0x20 && text.front() != '\n' && text.front() != '\t') || c.code == 0x7F;
        if (c.bytes == 0 || (c.bytes == 1 && control)) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                           static_cast<unsigned char>(text.front()));
        } else if (is_control(c.code)) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", c.code);
        } else {
            out += text.substr(0, c.bytes);
        }
        text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
    }
    return out;
}

}  // namespace assay
