// Prepares foreign texts for plots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// One line that any font library accepts. Control characters become "\x1b", line ends and tabs
/// become blanks, and bytes that are not UTF-8 become "\xff". Code points that are not characters
/// become U+FFFD. The line is truncated after a few hundred characters, which is far more than a
/// plot has space for.
std::string plot_text(std::string_view text);

/// Returns the text without its last character and with "…" at its end.
std::string one_shorter(std::string_view text);

/// The code point at `at` of valid UTF-8, and its number of bytes.
std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t& bytes);

}  // namespace assay
