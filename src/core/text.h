// Small helpers for names, lines and numbers in text files, independent of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

inline char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The whole text must be digits and in range.
inline bool parse_number(std::string_view text, std::uint64_t& number) {
    const char* const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (text.empty() || problem != std::errc() || stop != end) return false;
    number = value;
    return true;
}

/// Formats "1 image", "3 images", "0 images". Pass `plural` if it is not the noun with an s.
std::string how_many(std::uint64_t n, std::string_view noun, std::string_view plural = {});

/// The last component of a path with '/'.
inline std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// The path without its extension, but with its folders.
inline std::string_view without_extension(std::string_view path) {
    const std::size_t dot = base_name(path).rfind('.');
    if (dot == std::string_view::npos || dot == 0) return path;
    return path.substr(0, path.size() - base_name(path).size() + dot);
}

/// The extension ".jpeg" of "a/b.JPEG"; "" if there is none.
std::string lower_extension(std::string_view path);
/// True if it ends in .jpg .jpeg .png .webp .bmp .tif .tiff .gif .ppm .pgm .pbm .pnm, in any case.
bool has_image_extension(std::string_view path);
/// True if the text is "n" and eight digits.
bool is_wnid(std::string_view text);
/// The number in a name such as "ILSVRC2012_val_00000017.JPEG" (17), or 0.
std::uint64_t imagenet_val_number(std::string_view path);
/// Lower case (ASCII), with '_', '-' and blanks treated as equal: "Great_white-shark" and "great
/// white shark" give the same.
std::string loose_name(std::string_view name);
/// Shortens a text for messages to at most `most` bytes. Control characters become "?".
std::string shortened(std::string_view text, std::size_t most = 60);

/// Removes the sign of a number that was rounded to zero: "-0.00" becomes "0.00".
inline std::string without_sign_of_zero(std::string number) {
    if (number.starts_with('-') && number.find_first_not_of("-0.") == std::string::npos)
        number.erase(0, 1);
    return number;
}
/// The number of characters (code points) in UTF-8.
std::size_t text_width(std::string_view text);
/// Breaks the text at blanks into lines of at most `width` characters. A longer word stays whole.
/// Lines after the first begin with `indent` blanks. A width of 0 gives one line.
std::vector<std::string> folded_lines(std::string_view text, std::size_t width,
                                      std::size_t indent = 0);
/// The same lines, joined to one text.
std::string folded(std::string_view text, std::size_t width, std::size_t indent = 0);

/// Calls visit(part) for each non-empty, trimmed part between any of the characters
/// `separators`.
template <class Visit>
void for_each_part(std::string_view text, std::string_view separators, Visit&& visit) {
    while (!text.empty()) {
        const std::size_t end = text.find_first_of(separators);
        const std::string_view part = trimmed(text.substr(0, end));
        if (!part.empty()) visit(part);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

/// Calls visit(line, number from 1) for each line, without the line end (LF, CRLF) and without a
/// byte order mark. A line end at the end of the text begins no further line.
template <class Visit>
void for_each_line(std::string_view text, Visit&& visit) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        visit(line, number);
    }
}

}  // namespace assay
