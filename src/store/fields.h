// Checked reading of JSON objects: a field that is missing, of another type or out of range is an
// error that names it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace assay::store {

/// The object in `path`, of schema `schema` (field "schema") and the version `version`
/// ("schema_version"). Throws bad_input: not JSON, not that schema, written by a newer or older
/// Assay; a missing file likewise.
nlohmann::json read_object(const std::filesystem::path& path, std::string_view schema, int version);
/// The same from text.
nlohmann::json parse_object(std::string_view text, std::string_view schema, int version);

/// Invalid UTF-8 (a file name may hold it) is replaced, not refused.
std::string dump(const nlohmann::json& value);

std::uint64_t uint_field(const nlohmann::json& object, const char* key, std::uint64_t low,
                         std::uint64_t high);
std::string text_field(const nlohmann::json& object, const char* key);
bool bool_field(const nlohmann::json& object, const char* key);
const nlohmann::json& array_field(const nlohmann::json& object, const char* key);
const nlohmann::json& object_field(const nlohmann::json& object, const char* key);
std::vector<std::string> text_list_field(const nlohmann::json& object, const char* key);

}  // namespace assay::store
