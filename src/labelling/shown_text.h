// Checks texts from files that are shown to people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::labelling {

constexpr std::size_t most_bytes_of_ids = 1000;    ///< and of names
constexpr std::size_t most_bytes_of_texts = 8000;  ///< definitions; synonyms together

/// "", or the fault: "is not UTF-8", "has ... bytes; ...", "has a control character". Newlines and
/// tabs are allowed.
std::string fault_of_text(std::string_view text, std::size_t most_bytes);
/// Control characters and all kinds of blanks become single blanks; none remain at the ends.
std::string on_one_line(std::string_view text);

}  // namespace assay::labelling
