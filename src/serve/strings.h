// The pages' texts: English, and the organizer's texts in another language.
#pragma once

#include <filesystem>
#include <string>

namespace assay::serve {

/// {"lang", "dir", "strings"} as in docs/labelling.md. `file` is a JSON object of texts, with the
/// keys of web/strings/en.json; "" means only English. Throws bad_input, naming file and key: an
/// unknown key (with the nearest), a value that is no text, a placeholder such as {label} that is
/// missing or that the English text lacks, a direction other than ltr or rtl.
std::string strings_json(const std::filesystem::path& file);

}  // namespace assay::serve
