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

/// Written by an Assay whose files are not read.
class OtherVersion : public Error {
public:
    using Error::Error;
};

/// False of a file that is there and cannot be opened: whether it is damaged is not known.
bool may_be_judged(const std::filesystem::path& path);

/// Runs `body`; a message that leaves it, of damage to the file at `path`, ends with `remedy`, what
/// to do about it.
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

/// The object in `text`, of schema `schema` (field "schema"), and its version ("schema_version",
/// which is one that is read). Throws bad_input: not JSON, not that schema, other bytes than those
/// that its checksum is of; OtherVersion.
struct VersionedObject {
    nlohmann::json value;
    int version;
};
VersionedObject parse_object(std::string_view text, std::string_view schema);

/// Invalid UTF-8 (a file name may hold it) is replaced, not refused.
std::string dump(const nlohmann::json& value);
/// The same with one field more, the last: "xxh128", the hash of all bytes before it. What follows
/// has one form only, so that no byte of the text can change unnoticed.
std::string dump_with_checksum(const nlohmann::json& value);

/// A value as a sentence has it: a text without quotes, "not set" for null.
std::string shown_field(const nlohmann::json& value);
/// The fields of two objects that differ: "interpolation is `bicubic` there and `bilinear` now".
std::string field_differences(const nlohmann::json& there, const nlohmann::json& now);

}  // namespace assay::store
