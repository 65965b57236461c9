// Rows of a shard that is not whole yet, kept beside the shards: what a run that is stopped or
// killed has computed, and the next one need not compute again.
//
// `shards/.000042.begun` is a log: batches of rows one behind the other, each with a checksum. It
// is never read as scores. Writing the shard removes it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

/// An image's file as it was read.
struct ReadImage {
    std::uint64_t bytes = 0;
    std::string hash = "";        ///< hash_bytes(); "": it could not be read
    std::uint8_t left_aside = 0;  ///< as in ImageFile
};
/// Of the bytes of a file.
ReadImage image_read(std::span<const std::byte> bytes);

namespace store {

/// A killed run loses the rows of this time at most, beside the batches that are being computed.
inline constexpr auto keep_rows_every = std::chrono::seconds(15);

/// Rows [first_row, first_row + states.size()) of one shard.
struct BegunRows {
    std::uint64_t first_row = 0;  ///< of the store
    std::vector<RowState> states;
    std::vector<RowError> errors;
    std::vector<ReadImage> images;  ///< one per row, or none
    std::vector<float> scores;      ///< one row behind the other, as the classifier gave them
};

/// Adds them to what is kept of the shard. `on`: what computed them. Throws io.
void keep_rows(const std::filesystem::path& folder, const StoreSpec& spec, const ComputedOn& on,
               std::size_t shard, std::span<const BegunRows> rows);
/// What is kept of the shard of this store, computed on the same, in the order in which it was
/// kept. What is damaged, cut short or of another writer is passed over: it is computed again.
std::vector<BegunRows> kept_rows(const std::filesystem::path& folder, const StoreSpec& spec,
                                 const ComputedOn& on, std::size_t shard);
/// Nothing where none are kept.
void forget_rows(const std::filesystem::path& folder, std::size_t shard);

}  // namespace store
}  // namespace assay
