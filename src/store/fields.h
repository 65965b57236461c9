// Handles a store's JSON files: their schema, version and checksum, and differences between files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "assay/error.h"

namespace assay::store {

/// The error for a file from an unsupported version of Assay.
class OtherVersion : public Error {
public:
    using Error::Error;
};

/// False for an existing file that cannot be opened, because it may not be damaged.
bool may_be_judged(const std::filesystem::path& path);

/// Runs `body`. Appends `remedy` to the message of an error about damage to the file at
/// `path`.
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

/// Returns the object in `text` and its version. The field "schema" must be `schema`, and
/// "schema_version" must be supported. Throws bad_input for invalid JSON, another schema or a wrong
/// checksum. Throws OtherVersion for another version.
struct VersionedObject {
    nlohmann::json value;
    int version;
};
VersionedObject parse_object(std::string_view text, std::string_view schema);

/// Replaces invalid UTF-8, which a file name may contain, instead of refusing it.
std::string dump(const nlohmann::json& value);
/// The same with an additional last field "xxh128", the hash of all bytes before it. The text after
/// the hash has only one possible form, so that every changed byte is detected.
std::string dump_with_checksum(const nlohmann::json& value);

/// A value as part of a sentence: a text without quotes, and "not set" for null.
std::string shown_field(const nlohmann::json& value);
/// Lists the fields that differ: "interpolation is `bicubic` there and `bilinear` now".
std::string field_differences(const nlohmann::json& there, const nlohmann::json& now);

}  // namespace assay::store
