// The pages' texts in English, and the organizer's texts in another language.
#pragma once

#include <filesystem>
#include <string>

namespace assay::serve {

/// Returns {"lang", "dir", "strings"} as in docs/labelling.md. `file` is a JSON object of texts,
/// with the keys of web/strings/en.json; "" means only English. Throws bad_input, naming file and
/// key, for an unknown key (with the nearest key), or a value that is not text. Also throws it for
/// a placeholder such as {label} that is missing or that the English text lacks, and for a
/// direction other than ltr or rtl.
std::string strings_json(const std::filesystem::path& file);

}  // namespace assay::serve
