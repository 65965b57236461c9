// JSON as Python's json module writes it: with words for numbers that JSON does not have.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// A whole text of JSON in which NaN, Infinity and -Infinity are texts; `copy` holds it where the
/// text has such words.
std::string_view without_python_words(std::string_view text, std::string& copy);

}  // namespace assay
