// JSON that Assay writes for itself alone to read back: caches, and what stands beside a file. Its
// struct is described by assay/describe.h; what writes it and what reads it are made of that.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "assay/describe.h"

namespace assay {

/// `assay.tar_index/1`: a file with other fields has another number.
struct RecordSchema {
    std::string_view name;
};

/// False where a field is missing, or is of another type. Fields that are not described are passed
/// over.
bool read_fields(const nlohmann::json& record, void* object, std::span<const Field> fields);

/// With `schema` beside the fields.
template <Described S>
nlohmann::json record_of(const RecordSchema& schema, const S& object) {
    nlohmann::json out = json_of_fields(&object, description<S>);
    out["schema"] = schema.name;
    return out;
}
/// False: of another schema, or as read_fields(); `out` may be filled in part then.
template <Described S>
bool read_record(const nlohmann::json& record, const RecordSchema& schema, S& out) {
    return record.is_object() && record.value("schema", nlohmann::json()) == schema.name &&
           read_fields(record, &out, description<S>);
}

/// A described struct as a field of another one.
template <Described S>
struct Kind<S> {
    static constexpr ValueShape shape = {.allowed = "an object"};
    static void to(const S& value, nlohmann::json& out) {
        out = json_of_fields(&value, description<S>);
    }
    static bool from(const nlohmann::json& value, S& out) {
        return read_fields(value, &out, description<S>);
    }
};

}  // namespace assay
