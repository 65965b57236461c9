#include "core/text.h"

#include <algorithm>
#include <array>

namespace assay {

std::string lower_extension(std::string_view path) {
    std::string extension(path.substr(without_extension(path).size()));
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return lower(c); });
    return extension;
}

bool has_image_extension(std::string_view path) {
    constexpr std::array<std::string_view, 12> known = {".jpg", ".jpeg", ".png",  ".webp",
                                                        ".bmp", ".tif",  ".tiff", ".gif",
                                                        ".ppm", ".pgm",  ".pbm",  ".pnm"};
    const std::string_view extension = path.substr(without_extension(path).size());
    return std::any_of(known.begin(), known.end(), [&](std::string_view k) {
        return std::equal(k.begin(), k.end(), extension.begin(), extension.end(),
                          [](char a, char b) { return a == lower(b); });
    });
}

bool is_wnid(std::string_view text) {
    return text.size() == 9 && text[0] == 'n' &&
           std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t imagenet_val_number(std::string_view path) {
    constexpr std::string_view prefix = "ILSVRC2012_val_";
    const std::string_view stem = without_extension(base_name(path));
    std::uint64_t number = 0;
    if (!stem.starts_with(prefix) || stem.size() != prefix.size() + 8) return 0;
    return parse_number(stem.substr(prefix.size()), number) ? number : 0;
}

std::string loose_name(std::string_view name) {
    std::string out;
    for (const char c : trimmed(name)) {
        const bool blank = c == ' ' || c == '_' || c == '-';
        if (blank && out.ends_with(' ')) continue;
        out += blank ? ' ' : lower(c);
    }
    return out;
}

std::string how_many(std::uint64_t n, std::string_view noun, std::string_view plural) {
    std::string text = std::to_string(n) + ' ';
    text += n != 1 && !plural.empty() ? plural : noun;
    if (n != 1 && plural.empty()) text += 's';
    return text;
}

std::string shortened(std::string_view text, std::size_t most) {
    std::string out(text.substr(0, most));
    for (char& c : out) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    }
    if (text.size() > most) out += "...";
    return out;
}

std::size_t text_width(std::string_view text) {
    // Counts all bytes except those that continue a code point.
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

std::vector<std::string> folded_lines(std::string_view text, std::size_t width,
                                      std::size_t indent) {
    if (width == 0 || text_width(text) <= width) return {std::string(text)};
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view word = text.substr(begin, end - begin);
        const bool empty = line.find_first_not_of(' ') == std::string::npos;
        if (!empty && text_width(line) + 1 + text_width(word) > width) {
            lines.push_back(std::move(line));
            line = std::string(indent, ' ');
        } else if (!empty) {
            line += ' ';
        }
        line += word;
        begin = end + 1;
    }
    lines.push_back(std::move(line));
    return lines;
}

std::string folded(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    for (const std::string& line : folded_lines(text, width, indent))
        out += (out.empty() ? "" : "\n") + line;
    return out;
}

}  // namespace assay
