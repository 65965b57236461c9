// manifest.json: what the numbers of a store are and where they come from.
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
    /// The hash of each shard's record, once finished; none where the store has no id, and "" of
    /// shards of parts that are not finished.
    std::vector<std::string> records;
};

/// Throws bad_input when a value is out of range or makes no sense with the others.
void check_spec(const StoreSpec& spec);

/// What tells stores apart: equal ones may go on with one another's work, and their shards join.
std::string store_id(const StoreSpec& spec);

/// In the format of before stores had ids where it has none.
std::string manifest_text(const Manifest& manifest);
Manifest parse_manifest(std::string_view text);
Manifest read_manifest(const std::filesystem::path& path);

/// Throws bad_input when a finished store had another record of the shard than the one with this
/// hash.
void check_finished(const Manifest& manifest, std::size_t shard, std::string_view record_hash);

/// Of the provenance.
ComputedOn computed_on_of(const StoreSpec& spec);

/// What stands between `recorded` and `wanted`, one sentence each; empty: the one may go on with
/// the other's work. A `wanted` batch_size or shard_rows of 0 agrees with any.
std::vector<std::string> differences(const StoreSpec& recorded, const StoreSpec& wanted);

}  // namespace assay::store
