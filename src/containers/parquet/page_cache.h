// A cache of recently read pages, because the rows of a page are usually read in sequence.
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

/// Threads share the cache. Among pages that no thread is reading, it keeps the most recently used,
/// up to a number of bytes.
class PageCache {
public:
    using Pointer = std::shared_ptr<const Page>;

    explicit PageCache(std::uint64_t bytes) : most_(bytes) {}

    /// The page with this key, from make() if it is not cached. One thread makes it while the
    /// others wait. An exception of make() is thrown to all of them. The cache also remembers that
    /// a page is damaged, so that not every row of it unpacks it again.
    Pointer get(std::uint64_t key, const std::function<Pointer()>& make);
    std::uint64_t bytes() const;

private:
    struct Entry {
        std::shared_future<Pointer> page;
        std::uint64_t bytes = 0;  ///< 0 until the page is made
        std::list<std::uint64_t>::iterator used;
    };
    void forget(std::uint64_t key);
    void keep(std::uint64_t key, std::uint64_t bytes);

    const std::uint64_t most_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Entry> entries_;
    std::list<std::uint64_t> used_;  ///< keys, the most recently used first
    std::uint64_t bytes_ = 0;
};

}  // namespace assay::parquet
