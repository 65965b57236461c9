// Pages that were just read: the rows of one are asked for one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "containers/parquet/data_page.h"

namespace assay::parquet {

/// Shared by threads. Of pages of which nobody reads at the moment it keeps those asked for last,
/// up to a number of bytes.
class PageCache {
public:
    using Pointer = std::shared_ptr<const Page>;

    explicit PageCache(std::uint64_t bytes) : most_(bytes) {}

    /// The page called `key`, from make() where it is not kept. One thread makes it, the others
    /// wait. What make() throws is thrown to all of them; that a page is damaged is kept, too, so
    /// that not every row of it is a reason to unpack it.
    Pointer get(std::uint64_t key, const std::function<Pointer()>& make);
    std::uint64_t bytes() const;

private:
    struct Entry {
        std::shared_future<Pointer> page;
        std::uint64_t bytes = 0;  ///< 0 until it is made
        std::list<std::uint64_t>::iterator used;
    };
    void forget(std::uint64_t key);
    void keep(std::uint64_t key, std::uint64_t bytes);

    const std::uint64_t most_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Entry> entries_;
    std::list<std::uint64_t> used_;  ///< keys, the last used one in front
    std::uint64_t bytes_ = 0;
};

}  // namespace assay::parquet
