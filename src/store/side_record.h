// Records of other components about a store, in separate files next to the manifest. Each has a
// version and a checksum, and names its store.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "assay/store/prediction_store.h"

namespace assay::store {

/// The name of a file and its schema.
struct SideRecord {
    std::string_view file, schema;
};
/// The findings of an attack's controls (assay/robustness/attack_verdict.h).
inline constexpr SideRecord attack_control_record = {"control.json", "assay.attack_control"};

/// `value` is an object. `schema`, `schema_version` and `store` are added to it. Throws io.
void write_side_record(const PredictionStore& store, const SideRecord& record,
                       nlohmann::json value);
/// Returns nothing if there is no such file, or if the store is in memory. Throws bad_input if the
/// file is damaged, or is of another store or version.
std::optional<nlohmann::json> read_side_record(const PredictionStore& store,
                                               const SideRecord& record);

}  // namespace assay::store
