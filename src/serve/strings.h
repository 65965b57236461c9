// The pages' texts: English, and what the organiser gives in another language.
#pragma once

#include <filesystem>
#include <string>

namespace assay::serve {

/// {"lang", "dir", "strings"} as docs/labelling.md has it. `file`: a JSON object of texts, keys as
/// in web/strings/en.json; "": English alone. Throws bad_input, naming file and key: an unknown key
/// (with the nearest), a value that is no text, a placeholder as {label} that is missing or that
/// the English text does not have, a direction that is neither ltr nor rtl.
std::string strings_json(const std::filesystem::path& file);

}  // namespace assay::serve
