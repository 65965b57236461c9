// Checks texts from files that people will see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::labelling {

constexpr std::size_t most_bytes_of_ids = 1000;    ///< limit for ids and for names
constexpr std::size_t most_bytes_of_texts = 8000;  ///< limit for definitions and for all synonyms

/// Returns "" or the fault: "is not UTF-8", "has ... bytes; ...", "has a control character".
/// Newlines and tabs are allowed.
std::string fault_of_text(std::string_view text, std::size_t most_bytes);
/// Replaces control characters and all kinds of blanks by single blanks; none at the ends.
std::string on_one_line(std::string_view text);

}  // namespace assay::labelling
