#include "report/draw_text.h"

#include <cstddef>
#include <cstdint>

#include "core/terminal_text.h"

namespace assay {
namespace {

constexpr std::string_view ellipsis = "…";

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

bool is_no_character(std::uint32_t point) {
    return (point >= 0xFDD0 && point <= 0xFDEF) || (point & 0xFFFE) == 0xFFFE;
}

}  // namespace

std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t& bytes) {
    const auto first = static_cast<unsigned char>(text[at]);
    bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t point = bytes == 1 ? first : first & (0x7Fu >> bytes);
    for (std::size_t i = 1; i < bytes && at + i < text.size(); ++i)
        point = point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
    return point;
}

std::string plot_text(std::string_view text) {
    constexpr std::size_t most_bytes = 1200, most_characters = 300;
    const bool long_text = text.size() > most_bytes;
    if (long_text) {
        text = text.substr(0, most_bytes);
        // The cut is between two characters if possible.
        for (int i = 0; i < 3 && !text.empty() && continues(text.back()); ++i)
            text.remove_suffix(1);
        if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.remove_suffix(1);
    }
    const std::string clean = without_controls(text);
    std::string out;
    std::size_t characters = 0;
    for (std::size_t at = 0, bytes = 1; at < clean.size(); at += bytes) {
        const std::uint32_t point = code_point(clean, at, bytes);
        if (++characters > most_characters) return out + std::string(ellipsis);
        if (point == '\n' || point == '\t') {
            out += ' ';
        } else if (is_no_character(point)) {
            out += "\xEF\xBF\xBD";
        } else {
            out += clean.substr(at, bytes);
        }
    }
    return long_text ? out + std::string(ellipsis) : out;
}

std::string one_shorter(std::string_view text) {
    if (text.ends_with(ellipsis)) text.remove_suffix(ellipsis.size());
    while (!text.empty() && continues(text.back())) text.remove_suffix(1);
    if (!text.empty()) text.remove_suffix(1);
    return std::string(text) + std::string(ellipsis);
}

}  // namespace assay
