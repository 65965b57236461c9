// Rows of an incomplete shard, saved next to the shards. The next run does not repeat this work of
// a stopped or killed run.
//
// `shards/.000042.begun` is a log of batches of rows, each with a checksum. It is never read as
// scores. Writing the shard removes the log.
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
    std::string hash = "";        ///< hash_bytes(); "" if it could not be read
    std::uint8_t left_aside = 0;  ///< the same field as in ImageFile
};
/// The entry for a file with these bytes.
ReadImage image_read(std::span<const std::byte> bytes);

namespace store {

/// A killed run loses at most the rows of this time, and the batches that are being computed.
inline constexpr auto keep_rows_every = std::chrono::seconds(15);

/// Rows [first_row, first_row + states.size()) of one shard.
struct BegunRows {
    std::uint64_t first_row = 0;  ///< row of the store
    std::vector<RowState> states;
    std::vector<RowError> errors;
    std::vector<ReadImage> images;  ///< one per row, or empty
    std::vector<float> scores;      ///< the classifier's scores, row after row
};

/// Appends the rows to the shard's log. `on` describes the device that computed them. Throws io.
void keep_rows(const std::filesystem::path& folder, const StoreSpec& spec, const ComputedOn& on,
               std::size_t shard, std::span<const BegunRows> rows);
/// Returns the saved rows of a shard of this store from the same device, in the order of saving.
/// Damaged, incomplete or foreign batches are skipped, and their rows are computed again.
std::vector<BegunRows> kept_rows(const std::filesystem::path& folder, const StoreSpec& spec,
                                 const ComputedOn& on, std::size_t shard);
/// Does nothing if no rows are saved.
void forget_rows(const std::filesystem::path& folder, std::size_t shard);

}  // namespace store
}  // namespace assay
