// JSON files that only Assay writes and reads: caches, and records next to other files. The
// description (assay/describe.h) of a struct defines both writing and reading.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "assay/describe.h"

namespace assay {

/// A schema such as `assay.tar_index/1`. If the fields change, the number must change.
struct RecordSchema {
    std::string_view name;
};

/// Returns false if a field is missing or has another type. Ignores fields without a description.
bool read_fields(const nlohmann::json& record, void* object, std::span<const Field> fields);

/// JSON of the described fields and `schema`.
template <Described S>
nlohmann::json record_of(const RecordSchema& schema, const S& object) {
    nlohmann::json out = json_of_fields(&object, description<S>);
    out["schema"] = schema.name;
    return out;
}
/// Returns false for another schema, or if read_fields() does. `out` may then be partly filled.
template <Described S>
bool read_record(const nlohmann::json& record, const RecordSchema& schema, S& out) {
    return record.is_object() && record.value("schema", nlohmann::json()) == schema.name &&
           read_fields(record, &out, description<S>);
}

/// Makes a described struct usable as a field of another one.
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
