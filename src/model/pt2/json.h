// Reads the JSON of an archive.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/json_reader.h"

namespace assay::pt2 {

/// Python's JSON allows `Infinity`, `-Infinity` and `NaN` for numbers. They are returned as texts,
/// as newer exporters write them. Throws bad_input.
nlohmann::json parse_export_json(std::string_view text);

/// A number, or one of these texts as a number.
double real_of(const JsonReader& value);

}  // namespace assay::pt2
