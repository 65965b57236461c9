// Texts of files that people are shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::labelling {

constexpr std::size_t most_bytes_of_ids = 1000;    ///< and of names
constexpr std::size_t most_bytes_of_texts = 8000;  ///< definitions; synonyms together

/// "" or what is wrong with the text: "is not UTF-8", "has ... bytes; ...", "has a control
/// character": line ends and tabs are none here.
std::string fault_of_text(std::string_view text, std::size_t most_bytes);
/// Control characters and blanks of every kind become one blank, none at the ends.
std::string on_one_line(std::string_view text);

}  // namespace assay::labelling
