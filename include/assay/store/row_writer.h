// Writes a store from rows in any order and of any number at a time: for a loop that is not ours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/store/memory_store.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// A StoreWriter behind buffers of the shards that have begun. Rows may come from many threads.
/// Scores in buffers are kept beside the shards every 15 seconds and at the end, and the next
/// writer of the store takes them over. Memory: the shards that are begun and not whole; in order,
/// one of them.
class RowWriter {
public:
    /// Begins or resumes as StoreWriter::open() does; throws as that. An empty `spec.model_hash`
    /// says nothing of which model it is: then a store that is there is refused (usage), because
    /// another model's rows would be taken for this one's.
    RowWriter(const std::filesystem::path& runs, StoreSpec spec, const Dataset& dataset);
    ~RowWriter();
    RowWriter(RowWriter&&) noexcept;

    const StoreSpec& spec() const noexcept;
    const std::filesystem::path& folder() const noexcept;
    /// Rows [begin, end) that are not there yet, in order; those in buffers are there.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> missing() const;
    /// Rows [first, first + scores.rows). Those that are there stay as they are; returns how many
    /// were not. A shard is written when its last row comes. Throws usage: rows beyond the store,
    /// another number of columns; as StoreWriter::write_shard().
    std::uint64_t write(std::uint64_t first, const ScoreMatrix& scores);
    /// Throws usage where rows are missing, with the first of them.
    void finish();
    /// What to know of the lock of the store; "": all is well.
    const std::string& lock_warning() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
