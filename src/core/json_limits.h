// JSON from files that may be hostile: bounded depth, no duplicate keys, errors of our own.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace assay {

/// Parses a whole text. Throws bad_input: not JSON (with the byte), nested deeper than `max_depth`
/// arrays and objects, a key that stands twice in one object.
nlohmann::json parse_json(std::string_view text, int max_depth);

}  // namespace assay
