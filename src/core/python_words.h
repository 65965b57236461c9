// JSON in the dialect of Python's json module, which has words for numbers that JSON lacks.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Returns JSON text with NaN, Infinity and -Infinity as strings. `copy` holds the result if the
/// text contains such words.
std::string_view without_python_words(std::string_view text, std::string& copy);

}  // namespace assay
