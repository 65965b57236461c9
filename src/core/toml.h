// Reads TOML as JSON values, so that settings are checked in the same way for both formats.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace assay {

/// Tables become objects, and arrays stay arrays. Throws bad_input with line and column for dates
/// and times, and for a key that appears twice. More than 64 levels, 32 parts of a key or 16 MiB
/// are refused in the same way.
nlohmann::json parse_toml(std::string_view text);

}  // namespace assay
