// Handles a store that several processes write, each in its own part with its own folder. Parts
// share no files, so no lock between machines is needed.
//
//   RUNS/<data set>/<model>/parts/0007-of-0100/   a store's folder: manifest.json, lock, shards
//
// Shards are divided into parts in order. Of S shards, part i of n has [(i - 1) S / n, i S / n). So
// the folder of a shard follows from its number and need not be recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "assay/store/prediction_store.h"
#include "store/manifest.h"

namespace assay::store {

/// The part limit. Each part needs a folder, and more parts would have few shards each.
inline constexpr std::uint32_t max_parts = 100'000;

std::filesystem::path parts_folder(const std::filesystem::path& store);
/// The folder parts/0007-of-0100 below the store.
std::filesystem::path part_folder(const std::filesystem::path& store, const StorePart& part);
/// The part with this folder name, or nothing if the name is not that of a part.
std::optional<StorePart> part_named(const std::string& name);

/// The shards [begin, end) of a part, or all shards for {0, 0}.
struct ShardRange {
    std::size_t begin = 0, end = 0;
    bool contains(std::size_t shard) const { return shard >= begin && shard < end; }
    std::size_t size() const { return end - begin; }
};
ShardRange shards_of(const StorePart& part, std::size_t shards);

/// default_shard_rows(), reduced for a store in parts so that each part has a shard if there are
/// enough batches. It is the same for every part and does not depend on the state of other parts.
std::uint32_t shard_rows_for(const StoreSpec& spec);

/// The part that contains a shard.
StorePart part_of_shard(std::size_t shard, std::size_t shards, std::uint32_t of);

/// The parts of a store that have begun, in order. Throws bad_input for parts with a different n.
std::vector<StorePart> parts_begun(const std::filesystem::path& store);

/// The folder of a shard in a store of spec.part.of parts (0 means no parts): the store's own
/// folder after joining, else the part's folder.
std::filesystem::path shard_home(const std::filesystem::path& store, const StoreSpec& spec,
                                 std::size_t shard);

/// True if a folder is a store, whole or in parts that have begun.
bool is_store_folder(const std::filesystem::path& folder);
/// True if parts of a store have begun there.
bool holds_parts(const std::filesystem::path& folder);
/// The manifest of a store: its own, or else the combined manifest of its parts, which is finished
/// if all parts are. Throws bad_input if no manifest exists or the parts are from different stores
/// (with the difference).
Manifest read_whole_manifest(const std::filesystem::path& store);
/// The manifest with which a new part must agree: the store's or the first part's. Nothing if
/// neither exists.
std::optional<Manifest> any_manifest(const std::filesystem::path& store);

/// Returns text such as "7/100".
std::string part_text(const StorePart& part);

}  // namespace assay::store
