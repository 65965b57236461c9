// What another component records of a store, in a file of its own beside the manifest: versioned,
// with a checksum, and naming the store that it is of.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// What one file is called, and its schema.
struct SideRecord {
    std::string_view file, schema;
};
/// What the controls of an attack found (assay/robustness/attack_verdict.h).
inline constexpr SideRecord attack_control_record = {"control.json", "assay.attack_control"};

/// `value`: an object, which gets `schema`, `schema_version` and `store`. Throws io.
void write_side_record(const PredictionStore& store, const SideRecord& record,
                       nlohmann::json value);
/// Nothing where there is no such file, or the store is in memory. Throws bad_input: damaged, of
/// another store, or of another version.
std::optional<nlohmann::json> read_side_record(const PredictionStore& store,
                                               const SideRecord& record);

}  // namespace assay::store
