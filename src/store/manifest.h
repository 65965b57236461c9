// manifest.json: the meaning and origin of a store's numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

struct Manifest {
    StoreSpec spec;
    bool finished = false;
    /// The hash of each shard's record in a finished store. Empty if the store has no id. "" for
    /// shards in unfinished parts.
    std::vector<std::string> records;
};

/// Throws bad_input if a value is out of range or inconsistent with other values.
void check_spec(const StoreSpec& spec);

/// The store's identity. Writers may continue the work of stores with the same id, and such shards
/// can be joined.
std::string store_id(const StoreSpec& spec);

/// For a store without an id, uses the format from before ids existed.
std::string manifest_text(const Manifest& manifest);
Manifest parse_manifest(std::string_view text);
Manifest read_manifest(const std::filesystem::path& path);

/// Throws bad_input if the finished store recorded another hash for this shard's record.
void check_finished(const Manifest& manifest, std::size_t shard, std::string_view record_hash);

/// Hashes of the provenance.
ComputedOn computed_on_of(const StoreSpec& spec);

/// The differences between `recorded` and `wanted`, one sentence each. If there are none, the work
/// may be continued. A `wanted` batch_size or shard_rows of 0 agrees with any.
std::vector<std::string> differences(const StoreSpec& recorded, const StoreSpec& wanted);

}  // namespace assay::store
