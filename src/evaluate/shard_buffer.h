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

/// Collects batches until a shard is whole, then writes it. Batches may come in any order; a batch
/// lies within one shard, because a shard is a multiple of the batch size. Batches of shards that
/// take longer are kept beside the shards every 15 seconds, and when the run is stopped: see
/// store/begun_rows.h. Memory: the shards that have begun and are not yet whole.
class ShardBuffers {
public:
    /// `images`: of the writer's data set; both outlive this. `on`: what computes the scores.
    ShardBuffers(StoreWriter& writer, const store::ImageCheck& images, ComputedOn on)
        : writer_(writer), images_(images), on_(std::move(on)) {}

    /// Takes over what a run that was stopped has kept of the shard. Batches of which an
    /// image has another size now, or the first one other bytes, are computed again. Of a shard
    /// that is written and computed again it takes over what has scores. `retry_failed`: so it does
    /// of what was kept. Not thread-safe; before the first add().
    void resume(std::size_t shard, const Dataset& dataset, bool retry_failed);
    /// Whether the batch that begins with this row was taken over.
    bool has(std::uint64_t first_row) const { return found_.contains(first_row); }
    std::uint64_t found_rows() const { return found_rows_; }
    /// Keeps all batches of the shards that are not whole: the run is stopped. Thread-safe.
    void keep();
    /// How long batches are in memory alone.
    void keep_every(std::chrono::steady_clock::duration time) { every_ = time; }

    /// Rows [first_row, first_row + states.size()).
    /// `images`: each row's file and the whole hash of its bytes, as they were read; "" where it
    /// was not. Thread-safe; the thread that completes a shard writes it. Throws bad_input where
    /// another store of the data set was made from other images meanwhile.
    void add(std::uint64_t first_row, std::span<const float> scores,
             std::span<const RowState> states, std::span<const RowError> errors,
             std::span<const ReadImage> images);

    /// Rows added so far, without those that were taken over.
    std::uint64_t rows() const;
    /// Of those, without batches of unfinished shards that have an unreadable image.
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
        std::uint64_t unreadable = 0;  ///< rows of batches that are not kept
    };
    /// The shard if it is whole now. Under the lock.
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
    std::set<std::uint64_t> found_;  ///< first rows of batches
    std::uint64_t found_rows_ = 0;
    std::chrono::steady_clock::duration every_ = store::keep_rows_every;
    std::chrono::steady_clock::time_point kept_ = std::chrono::steady_clock::now();
    std::mutex keeping_;  ///< one thread appends
};

}  // namespace assay
