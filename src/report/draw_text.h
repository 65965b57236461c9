// Texts of others on paper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// One line that any font library takes: control characters as "\x1b", line ends and tabs as
/// blanks, bytes that are not UTF-8 as "\xff", code points that are no characters as U+FFFD; cut
/// after a few hundred characters, far more than a plot has room for.
std::string plot_text(std::string_view text);

/// Without its last character and, at its end, "…".
std::string one_shorter(std::string_view text);

/// The code point at `at` of valid UTF-8, and how many bytes it takes.
std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t& bytes);

}  // namespace assay
