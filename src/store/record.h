// A shard's record, shards/000042.json. It is written last: a shard without one does not exist.
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
    std::string xxh128;  ///< "xxh128:<32 hex digits>" of the whole file
};

struct ShardRecord {
    std::size_t shard = 0;
    std::vector<FileRecord> files;
    std::vector<RowState> states;  ///< one per row
    std::vector<RowError> errors;  ///< ascending rows of the store; not every bad row needs one
    std::string images_hash;
    ComputedOn computed_on;
    std::vector<ImageFile> images;  ///< one per row, or none
    std::string xxh128;             ///< of the record's own text, where it was read
};

std::string_view name_of(RowState);

/// In the format of before records named their store where `spec` has no id.
std::string record_text(const ShardRecord& record, const StoreSpec& spec);
/// Checks that the record is that of `shard` in the store of `spec`: its name, row numbers, files,
/// their sizes.
ShardRecord parse_record(std::string_view text, const StoreSpec& spec, std::size_t shard);
/// Reads it, and checks that a finished store had this one and that the files are there with the
/// recorded sizes. Throws bad_input.
ShardRecord read_record(const std::filesystem::path& folder, const Manifest& manifest,
                        std::size_t shard);
/// The record of a shard of a store that need not be whole: nothing where it is not there, half
/// written or of another kind, which opening the store says.
std::optional<ShardRecord> record_if_there(const std::filesystem::path& store,
                                           const StoreSpec& spec, std::size_t shard);
/// Throws bad_input where a file of the shard does not have the recorded checksum. Reads all of
/// them.
void check_data(const std::filesystem::path& folder, const ShardRecord& record);
/// What to do about a damaged shard: the end of a message.
std::string shard_remedy(const std::filesystem::path& folder, std::size_t shard);

}  // namespace assay::store
