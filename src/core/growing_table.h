// A built-in table to which plug-ins add rows while the program runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/refuse.h"

namespace assay {

/// Rows never move, so a reference to one stays valid while others are added. Thread-safe.
template <class Row>
class GrowingTable {
public:
    static constexpr std::size_t most_added = 1024;

    explicit GrowingTable(std::vector<Row> built_in)
        : rows_(std::move(built_in)), count_(rows_.size()) {
        rows_.reserve(count_ + most_added);
    }
    std::span<const Row> rows() const {
        return {rows_.data(), count_.load(std::memory_order_acquire)};
    }
    /// Throws bad_input if the table is full.
    const Row& add(Row row) {
        const std::scoped_lock lock(mutex_);
        if (rows_.size() == rows_.capacity())
            refuse("plug-ins may add at most " + std::to_string(most_added) + " rows in all");
        rows_.push_back(std::move(row));
        count_.store(rows_.size(), std::memory_order_release);
        return rows_.back();
    }

private:
    std::vector<Row> rows_;
    std::atomic<std::size_t> count_;
    std::mutex mutex_;
};

}  // namespace assay
