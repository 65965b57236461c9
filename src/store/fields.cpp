#include "store/fields.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "assay/error.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/json_text.h"
#include "core/refuse.h"
#include "store/layout.h"

namespace assay::store {

bool may_be_judged(const std::filesystem::path& path) {
    return ::access(path.c_str(), R_OK) == 0 || errno == ENOENT || errno == ENOTDIR;
}

namespace {

using nlohmann::json;

/// Provenance may be nested, and printing JSON is recursive.
constexpr int max_depth = 64;

constexpr const char* checksum_key = "xxh128";
constexpr std::string_view before_checksum = "\"xxh128\": \"";
constexpr std::string_view after_checksum = "\"\n}\n";

/// True if the text ends with a checksum. Throws if the checksum does not match the other bytes.
bool check_checksum(std::string_view text) {
    static const std::size_t hash_size = hash_text("").size();
    const std::size_t size = before_checksum.size() + hash_size + after_checksum.size();
    if (text.size() < size) return false;
    const std::string_view body = text.substr(0, text.size() - size);
    const std::string_view end = text.substr(body.size());
    if (!end.starts_with(before_checksum) || !end.ends_with(after_checksum)) return false;
    const std::string found = hash_text(body);
    const std::string_view written = end.substr(before_checksum.size(), hash_size);
    if (written == found) return true;
    refuse(
        fmt::format("damaged, or changed since it was written: the checksum of the text is {}, but "
                    "it ends with {}",
                    found, shortened(written)));
}

}  // namespace

VersionedObject parse_object(std::string_view text, std::string_view schema) {
    const bool has_checksum = check_checksum(text);
    json value = parse_json(text, max_depth);
    if (!value.is_object()) refuse("damaged JSON: an object is expected");
    const JsonReader fields(value);
    const std::string& found = fields["schema"].text();
    if (found != schema)
        refuse(fmt::format("the schema is `{:.60}`; `{}` is expected", found, schema));
    const std::uint64_t version = fields["schema_version"].whole(1, UINT32_MAX);
    if (version > std::uint64_t{schema_version}) {
        throw OtherVersion(
            ErrorCode::bad_input,
            fmt::format("written by a newer Assay: {} version {}; this one reads {} to {}; "
                        "update Assay, or use another folder",
                        schema, version, oldest_schema_version, schema_version));
    }
    if (version < std::uint64_t{oldest_schema_version}) {
        throw OtherVersion(
            ErrorCode::bad_input,
            fmt::format("written by an older Assay: {} version {}; this one reads {} to {}; "
                        "predict or import again into another folder",
                        schema, version, oldest_schema_version, schema_version));
    }
    // A file from before checksums has no such field. If it has one, its version was changed.
    if (!has_checksum && (version >= 3 || value.contains(checksum_key))) {
        refuse(
            fmt::format("damaged: the text does not end with its checksum (`{}`), as it was "
                        "written",
                        checksum_key));
    }
    return {std::move(value), static_cast<int>(version)};
}

std::string dump(const json& value) {
    return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string dump_with_checksum(const json& value) {
    constexpr std::string_view end_of_object = "\n}\n";
    std::string text = dump(value);
    text.resize(text.size() - end_of_object.size());
    text += ",\n ";
    return text + fmt::format("{}{}{}", before_checksum, hash_text(text), after_checksum);
}

std::string shown_field(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() ? "not set" : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string field_differences(const json& there, const json& now) {
    json all = there;  // either side may omit a field with its default value
    all.update(now);
    std::string text;
    for (const auto& entry : all.items()) {
        const json before = there.value(entry.key(), json());
        const json value = now.value(entry.key(), json());
        if (before == value) continue;
        text += fmt::format("{}{} was `{}` and is now `{}`", text.empty() ? "" : ", ", entry.key(),
                            shown_field(before), shown_field(value));
    }
    return text;
}

}  // namespace assay::store
