// Shards that are being filled, batch by batch, by several threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"
#include "store/begun_rows.h"
#include "store/image_check.h"

namespace assay {

/// Collects batches until a shard is whole, then writes it. Batches may arrive in any order; a
/// batch belongs to one shard, because a shard is a multiple of the batch size. Batches of
/// incomplete shards are saved next to the shards every 15 seconds, and when the run is stopped:
/// see store/begun_rows.h. Memory: the incomplete shards.
class ShardBuffers {
public:
    /// `images` are those of the writer's data set; both must outlive this object. `on` describes
    /// the device and library.
    ShardBuffers(StoreWriter& writer, const store::ImageCheck& images, ComputedOn on)
        : writer_(writer), images_(images), on_(std::move(on)) {}

    /// Loads what a stopped run has saved of the shard. Batches with an image whose size has
    /// changed, or whose first image has changed bytes, are computed again. If the shard is written
    /// and is computed again, the batches with scores are loaded from it. `retry_failed` applies
    /// the same rule to the saved batches. Not thread-safe; call it before the first add().
    void resume(std::size_t shard, const Dataset& dataset, bool retry_failed);
    /// True if the batch that begins with this row was loaded.
    bool has(std::uint64_t first_row) const { return found_.contains(first_row); }
    std::uint64_t found_rows() const { return found_rows_; }
    /// Saves all batches of the incomplete shards: the run is stopped. Thread-safe.
    void keep();
    /// The time that batches are only in memory.
    void keep_every(std::chrono::steady_clock::duration time) { every_ = time; }

    /// Adds rows [first_row, first_row + states.size()). `images` has each row's file and the whole
    /// hash of its bytes, as they were read; "" if it was not read. Thread-safe; the thread that
    /// completes a shard writes it. Throws bad_input if another store of the data set was meanwhile
    /// made from other images.
    void add(std::uint64_t first_row, std::span<const float> scores,
             std::span<const RowState> states, std::span<const RowError> errors,
             std::span<const ReadImage> images);

    /// Number of rows added so far, without loaded ones.
    std::uint64_t rows() const;
    /// The same, without batches with an unreadable image in incomplete shards.
    std::uint64_t kept_rows() const;

private:
    struct Batch {
        std::uint64_t first_row = 0;
        std::size_t rows = 0;
    };
    struct Shard {
        std::vector<float> scores;
        std::vector<RowState> states;
        std::vector<RowError> errors;
        std::vector<ReadImage> images;
        std::uint32_t rows_left = 0;
        std::vector<Batch> unkept;
        std::uint64_t unreadable = 0;  ///< rows of batches that are not saved
    };
    /// Returns the shard if it is now complete. Call it under the lock.
    std::unique_ptr<Shard> put(std::size_t index, std::uint64_t first_row,
                               std::span<const float> scores, std::span<const RowState> states,
                               std::span<const RowError> errors, std::span<const ReadImage> images);
    void take_over(std::size_t index, const store::BegunRows& rows);
    void write(std::size_t index, Shard& shard);
    store::BegunRows rows_of(std::size_t index, const Shard& shard, const Batch& batch) const;

    StoreWriter& writer_;
    const store::ImageCheck& images_;
    const ComputedOn on_;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::unique_ptr<Shard>> shards_;
    std::uint64_t rows_ = 0;
    std::set<std::uint64_t> found_;  ///< first rows of the loaded batches
    std::uint64_t found_rows_ = 0;
    std::chrono::steady_clock::duration every_ = store::keep_rows_every;
    std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
    std::mutex keeping_;  ///< allows one thread to append
};

}  // namespace assay
