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

namespace assay {

/// Collects batches until a shard is whole, then writes it. Batches may come in any order; a batch
/// lies within one shard, because a shard is a multiple of the batch size. Memory: the shards that
/// have begun and are not yet whole.
class ShardBuffers {
public:
    explicit ShardBuffers(StoreWriter& writer) : writer_(writer) {}

    /// Rows [first_row, first_row + states.size()).
    /// `hashes`: of each row's image bytes. Thread-safe; the thread that completes a shard writes
    /// it.
    void add(std::uint64_t first_row, std::span<const float> scores,
             std::span<const RowState> states, std::span<const RowError> errors,
             std::span<const std::string> hashes);

    /// Rows added so far.
    std::uint64_t rows() const;

private:
    struct Shard {
        std::vector<float> scores;
        std::vector<RowState> states;
        std::vector<RowError> errors;
        std::vector<std::string> hashes;
        std::uint32_t rows_left = 0;
    };
    void write(std::size_t index, Shard& shard);

    StoreWriter& writer_;
    mutable std::mutex mutex_;
    std::map<std::size_t, std::unique_ptr<Shard>> shards_;
    std::uint64_t rows_ = 0;
};

}  // namespace assay
