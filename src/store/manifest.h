// manifest.json: what the numbers of a store are and where they come from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

struct Manifest {
    StoreSpec spec;
    bool finished = false;
};

/// Throws bad_input when a value is out of range or makes no sense with the others.
void check_spec(const StoreSpec& spec);

std::string manifest_text(const Manifest& manifest);
Manifest parse_manifest(std::string_view text);
Manifest read_manifest(const std::filesystem::path& path);

/// What stands between `recorded` and `wanted`, one sentence each; empty: the one may go on with
/// the other's work. A `wanted` batch_size or shard_rows of 0 agrees with any.
std::vector<std::string> differences(const StoreSpec& recorded, const StoreSpec& wanted);

}  // namespace assay::store
