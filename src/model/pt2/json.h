// Reading the JSON of an archive: every missing entry or wrong kind is told with its place.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace assay::pt2 {

/// Python's JSON: `Infinity`, `-Infinity` and `NaN` may stand where a number is. They come as
/// texts, as newer exporters write them. Throws bad_input.
nlohmann::json parse_export_json(std::string_view text);

/// All throw bad_input with `where` in front.
const nlohmann::json& field(const nlohmann::json& object, const std::string& key,
                            const std::string& where);
const nlohmann::json& array_of(const nlohmann::json& value, const std::string& where);
std::string text_of(const nlohmann::json& value, const std::string& where);
std::string text_in(const nlohmann::json& object, const std::string& key, const std::string& where);
std::int64_t integer_of(const nlohmann::json& value, const std::string& where);
double real_of(const nlohmann::json& value, const std::string& where);
bool boolean_of(const nlohmann::json& value, const std::string& where);

}  // namespace assay::pt2
