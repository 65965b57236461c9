// A store that several processes write, each its own part in a folder of its own: parts share no
// file, so that they need no lock between machines.
//
//   RUNS/<data set>/<model>/parts/0007-of-0100/   a store's folder: manifest.json, lock, shards
//
// Shards are cut into parts in order: part i of n has shards [(i - 1) S / n, i S / n) of S. So the
// folder of a shard follows from its number, and nothing says where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "assay/store/prediction_store.h"
#include "store/manifest.h"

namespace assay::store {

/// More are as good as one shard each, and a folder for each.
inline constexpr std::uint32_t max_parts = 100'000;

std::filesystem::path parts_folder(const std::filesystem::path& store);
/// parts/0007-of-0100 below the store.
std::filesystem::path part_folder(const std::filesystem::path& store, const StorePart& part);
/// What a folder of this name is; nothing where it is none of ours.
std::optional<StorePart> part_named(const std::string& name);

/// The shards [begin, end) of a part; all of them for {0, 0}.
struct ShardRange {
    std::size_t begin = 0, end = 0;
    bool contains(std::size_t shard) const { return shard >= begin && shard < end; }
    std::size_t size() const { return end - begin; }
};
ShardRange shards_of(const StorePart& part, std::size_t shards);

/// default_shard_rows(), but in parts no more than leave each of them a shard, as far as there are
/// batches enough. The same for every part, whatever the others have done.
std::uint32_t shard_rows_for(const StoreSpec& spec);

/// The part that a shard is in.
StorePart part_of_shard(std::size_t shard, std::size_t shards, std::uint32_t of);

/// The parts that have begun below a store, in order. Throws bad_input: parts of different n.
std::vector<StorePart> parts_begun(const std::filesystem::path& store);

/// Where the shard lies, in a store of spec.part.of parts (0: none): in the store's own folder
/// where it has been joined, else in its part's.
std::filesystem::path shard_home(const std::filesystem::path& store, const StoreSpec& spec,
                                 std::size_t shard);

/// Whether a folder is a store, whole or in parts that have begun.
bool is_store_folder(const std::filesystem::path& folder);
/// Whether parts of a store have begun there.
bool holds_parts(const std::filesystem::path& folder);
/// The manifest of a store: its own, or else that of all its parts together, which is finished
/// where all of them are. Throws bad_input: none is there, or parts that are not of one store
/// (with what differs).
Manifest read_whole_manifest(const std::filesystem::path& store);
/// What a part must agree with: the store's own manifest, or the first part's; nothing where
/// neither has begun.
std::optional<Manifest> any_manifest(const std::filesystem::path& store);

/// "7/100".
std::string part_text(const StorePart& part);

}  // namespace assay::store
