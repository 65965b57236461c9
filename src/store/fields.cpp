#include "fields.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "layout.h"

namespace assay::store {
namespace {

using nlohmann::json;

/// Provenance may nest; what prints JSON walks it by recursion.
constexpr int max_depth = 64;

const json& field(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end())
        throw Error(ErrorCode::bad_input, fmt::format("the field `{}` is missing", key));
    return *found;
}

[[noreturn]] void refuse_field(const char* key, const json& value, std::string_view allowed) {
    throw Error(ErrorCode::bad_input, fmt::format("the field `{}` is {}; it must be {}", key,
                                                  shown_json(value), allowed));
}

}  // namespace

json parse_object(std::string_view text, std::string_view schema, int version) {
    const json value = parse_json(text, max_depth);
    if (!value.is_object())
        throw Error(ErrorCode::bad_input, "damaged JSON: an object is expected");
    const std::string found = text_field(value, "schema");
    if (found != schema) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the schema is `{:.60}`; `{}` is expected", found, schema));
    }
    const std::uint64_t found_version = uint_field(value, "schema_version", 1, UINT32_MAX);
    if (found_version > static_cast<std::uint64_t>(version)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("written by a newer Assay: {} version {}; this one reads {}; "
                                "update Assay, or use another folder",
                                schema, found_version, version));
    }
    if (found_version < static_cast<std::uint64_t>(version)) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("written by an older Assay: {} version {}; this one reads {}; predict "
                        "or import again into another folder",
                        schema, found_version, version));
    }
    return value;
}

json read_object(const fs::path& path, std::string_view schema, int version) {
    return with_note(fmt::format("reading `{}`", path.string()), [&] {
        return parse_object(read_text(path, max_json_bytes), schema, version);
    });
}

std::string dump(const json& value) {
    return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::uint64_t uint_field(const json& object, const char* key, std::uint64_t low,
                         std::uint64_t high) {
    const json& value = field(object, key);
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() >= low &&
                      value.get<std::uint64_t>() <= high;
    if (!fits) refuse_field(key, value, fmt::format("a whole number from {} to {}", low, high));
    return value.get<std::uint64_t>();
}

std::string text_field(const json& object, const char* key) {
    const json& value = field(object, key);
    if (!value.is_string()) refuse_field(key, value, "a text");
    return value.get<std::string>();
}

bool bool_field(const json& object, const char* key) {
    const json& value = field(object, key);
    if (!value.is_boolean()) refuse_field(key, value, "true or false");
    return value.get<bool>();
}

const json& array_field(const json& object, const char* key) {
    const json& value = field(object, key);
    if (!value.is_array()) refuse_field(key, value, "an array");
    return value;
}

const json& object_field(const json& object, const char* key) {
    const json& value = field(object, key);
    if (!value.is_object()) refuse_field(key, value, "an object");
    return value;
}

std::vector<std::string> text_list_field(const json& object, const char* key) {
    std::vector<std::string> texts;
    for (const json& value : array_field(object, key)) {
        if (!value.is_string()) refuse_field(key, value, "a text in every place");
        texts.push_back(value.get<std::string>());
    }
    return texts;
}

}  // namespace assay::store
