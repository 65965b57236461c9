// The JSON files of a store: their schema, version and checksum, and how two of them differ.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "assay/error.h"

namespace assay::store {

/// The file was written by an Assay version that is not supported.
class OtherVersion : public Error {
public:
    using Error::Error;
};

/// False for an existing file that cannot be opened, because it may not be damaged.
bool may_be_judged(const std::filesystem::path& path);

/// Runs `body`. An error about damage to the file at `path` gets `remedy` at the end of its
/// message.
template <class Body>
decltype(auto) with_remedy(const std::filesystem::path& path, std::string_view remedy,
                           Body&& body) {
    try {
        return std::forward<Body>(body)();
    } catch (const OtherVersion&) {
        throw;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input || !may_be_judged(path)) throw;
        Error advised(error.code(), error.message() + "; " + std::string(remedy));
        for (const std::string& note : error.notes()) advised.add_note(note);
        throw advised;
    }
}

/// The object in `text`, which must have schema `schema` (field "schema"), and its version
/// ("schema_version", which must be supported). Throws bad_input: not JSON, another schema, a
/// checksum that does not match; OtherVersion.
struct VersionedObject {
    nlohmann::json value;
    int version;
};
VersionedObject parse_object(std::string_view text, std::string_view schema);

/// Replaces invalid UTF-8, which a file name may contain, instead of refusing it.
std::string dump(const nlohmann::json& value);
/// The same with one field more at the end: "xxh128", the hash of all bytes before it. The text
/// after the hash has only one possible form, so that no byte of the text can change unnoticed.
std::string dump_with_checksum(const nlohmann::json& value);

/// A value in the form of a sentence: a text without quotes, "not set" for null.
std::string shown_field(const nlohmann::json& value);
/// The fields in which two objects differ: "interpolation is `bicubic` there and `bilinear` now".
std::string field_differences(const nlohmann::json& there, const nlohmann::json& now);

}  // namespace assay::store
