// The record of a shard, shards/000042.json. The record is written last, so a shard without a
// record does not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::store {

struct Manifest;

struct FileRecord {
    std::string name;
    std::uint64_t bytes = 0;
    std::string xxh128;  ///< hash "xxh128:<32 hex digits>" of the whole file
};

struct ShardRecord {
    std::size_t shard = 0;
    std::vector<FileRecord> files;
    std::vector<RowState> states;  ///< one per row
    std::vector<RowError> errors;  ///< ascending rows of the store; not every bad row needs one
    std::string images_hash;
    ComputedOn computed_on;
    std::vector<ImageFile> images;  ///< one per row, or empty
    std::string xxh128;             ///< hash of the record's own text, if read from a file
};

std::string_view name_of(RowState);

/// For a `spec` without an id, uses the format from before records named their store.
std::string record_text(const ShardRecord& record, const StoreSpec& spec);
/// Checks that the record belongs to `shard` in the store of `spec`: its name, row numbers, files
/// and file sizes.
ShardRecord parse_record(std::string_view text, const StoreSpec& spec, std::size_t shard);
/// Reads the record. Checks that a finished store had this record, and that the files exist with
/// the recorded sizes. Throws bad_input.
ShardRecord read_record(const std::filesystem::path& folder, const Manifest& manifest,
                        std::size_t shard);
/// The record of a shard in a store that may be incomplete. Nothing if it is missing, incomplete or
/// of another kind. Opening the store reports such faults.
std::optional<ShardRecord> record_if_there(const std::filesystem::path& store,
                                           const StoreSpec& spec, std::size_t shard);
/// Throws bad_input if a file of the shard does not match the recorded checksum. Reads all files.
void check_data(const std::filesystem::path& folder, const ShardRecord& record);
/// The advice about a damaged shard, for the end of a message.
std::string shard_remedy(const std::filesystem::path& folder, std::size_t shard);

}  // namespace assay::store
