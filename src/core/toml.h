// TOML read into JSON values, so that settings are checked in one way whatever their file's syntax.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace assay {

/// Tables become objects, arrays arrays. Throws bad_input with line and column; dates and times are
/// refused.
nlohmann::json parse_toml(std::string_view text);

}  // namespace assay
