// Writes a store from rows in any order, any number at a time, for a caller's own loop.
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

/// A StoreWriter with buffers for the shards that have begun. Rows may come from many threads.
/// Buffered scores are saved next to the shards every 15 seconds and at the end, and the store's
/// next writer loads them. Memory: the incomplete shards that have begun, which is one shard if
/// rows come in order.
class RowWriter {
public:
    /// Begins or resumes as StoreWriter::open() does, with the same errors. An empty
    /// `spec.model_hash` does not identify the model. An existing store is then refused (usage),
    /// because another model's rows would count as this one's.
    RowWriter(const std::filesystem::path& runs, StoreSpec spec, const Dataset& dataset);
    ~RowWriter();
    RowWriter(RowWriter&&) noexcept;

    const StoreSpec& spec() const noexcept;
    const std::filesystem::path& folder() const noexcept;
    /// Rows [begin, end) that are still missing, in order. Buffered rows are not missing.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> missing() const;
    /// Writes rows [first, first + scores.rows). Existing rows do not change. Returns the number of
    /// new rows. A shard is written when its last row arrives. Throws usage for rows beyond the
    /// store, another number of columns; otherwise as StoreWriter::write_shard().
    std::uint64_t write(std::uint64_t first, const ScoreMatrix& scores);
    /// Throws usage if rows are missing, and names the first of them.
    void finish();
    /// A remark about the store's lock; "" if all is well.
    const std::string& lock_warning() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
