// Shards that are being filled, batch by batch, by several threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"
#include "store/image_check.h"

namespace assay {

/// An image's file as it was read.
struct ReadImage {
    std::uint64_t bytes = 0;
    std::string hash = "";  ///< hash_bytes(); "": it could not be read
};

/// Collects batches until a shard is whole, then writes it. Batches may come in any order; a batch
/// lies within one shard, because a shard is a multiple of the batch size. Memory: the shards that
/// have begun and are not yet whole.
class ShardBuffers {
public:
    /// `images`: of the writer's data set; both outlive this.
    ShardBuffers(StoreWriter& writer, const store::ImageCheck& images)
        : writer_(writer), images_(images) {}

    /// Rows [first_row, first_row + states.size()).
    /// `images`: each row's file and the whole hash of its bytes, as they were read; "" where it
    /// was not. Thread-safe; the thread that completes a shard writes it. Throws bad_input where
    /// another store of the data set was made from other images meanwhile.
    void add(std::uint64_t first_row, std::span<const float> scores,
             std::span<const RowState> states, std::span<const RowError> errors,
             std::span<const ReadImage> images);

    /// Rows added so far.
    std::uint64_t rows() const;

private:
    struct Shard {
        std::vector<float> scores;
        std::vector<RowState> states;
        std::vector<RowError> errors;
        std::vector<ReadImage> images;
        std::uint32_t rows_left = 0;
    };
    void write(std::size_t index, Shard& shard);

    StoreWriter& writer_;
    const store::ImageCheck& images_;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::unique_ptr<Shard>> shards_;
    std::uint64_t rows_ = 0;
};

}  // namespace assay
