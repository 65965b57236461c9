// Facts that a writer knows about the shards of its store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"
#include "store/manifest.h"
#include "store/record.h"

namespace assay::store {

enum class ShardState : std::uint8_t { missing, writing, committed };

/// The rows of a committed shard that have no scores.
struct Gaps {
    StoreWriter::BadRows bad;
    std::vector<std::uint64_t> unreadable;
};
Gaps gaps_of(const ShardRecord& record, const StoreSpec& spec);

/// Facts that the writer knows about a shard.
struct KnownShard {
    ShardState state = ShardState::missing;
    Gaps gaps;
    std::string record_hash;
};

/// Returns one entry per shard of the store. Shards of other parts count as missing. Reads and
/// checks the files of each shard that has a record, and throws bad_input if they do not match it.
std::vector<KnownShard> find_committed(const std::filesystem::path& folder,
                                       const Manifest& manifest);

}  // namespace assay::store
