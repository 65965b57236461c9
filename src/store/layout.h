// The paths of a store's files, and the division of its rows into shards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

namespace fs = std::filesystem;

/// In version 2, `storage` was `keep`, and `images_hash` was `pictures_hash`. Since version 3,
/// files name their store and data set, and end with a checksum.
inline constexpr int schema_version = 3;
inline constexpr int oldest_schema_version = 2;  ///< the oldest readable version
inline constexpr std::uint64_t max_json_bytes = 256ULL << 20;

fs::path manifest_path(const fs::path& folder);
fs::path lock_path(const fs::path& folder);
fs::path shards_folder(const fs::path& folder);
/// Returns "000042", with more digits above a million shards.
std::string shard_stem(std::size_t shard);
fs::path record_path(const fs::path& folder, std::size_t shard);
/// The number of a record's shard, from a name in the form of record_path(). Nothing for other
/// names.
std::optional<std::size_t> shard_of_record(std::string_view name);

/// The data files of a shard, in the order of the record, with the npy type of each.
struct ShardFile {
    std::string name;   ///< "000042.npy"
    std::string descr;  ///< "<f4", "[('class', '<i4'), ('score', '<f4')]", ...
    std::vector<std::uint64_t> shape;
    std::size_t element_bytes;

    std::string header() const;
    /// The size of header and data.
    std::uint64_t bytes() const;
};
std::vector<ShardFile> shard_files(const StoreSpec& spec, std::size_t shard);

/// Folders inside `folder` that may be stores or data sets, in the byte order of their names.
/// Hidden folders and dangling or circular links are skipped. A folder that cannot be examined may
/// be a store, so it is included. Throws io if `folder` cannot be listed.
std::vector<fs::path> subfolders(const fs::path& folder);

std::size_t shard_count(const StoreSpec& spec);
std::uint64_t shard_begin(const StoreSpec& spec, std::size_t shard);
std::uint32_t shard_size(const StoreSpec& spec, std::size_t shard);
/// The default gives about 4 MiB per shard. It is the largest fitting power of two, at most 8,192
/// for rows that a classifier computes, and at most 262,144 for other rows. It is reduced to a
/// multiple of the batch size, but is at least one batch. It does not depend on the number of rows,
/// so that a longer list of the same images has the same shards.
std::uint32_t default_shard_rows(const StoreSpec& spec);

}  // namespace assay::store
