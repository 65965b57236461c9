#include "containers/parquet/page_cache.h"

#include <exception>

#include "assay/error.h"

namespace assay::parquet {

PageCache::Pointer PageCache::get(std::uint64_t key, const std::function<Pointer()>& make) {
    std::promise<Pointer> promise;
    {
        std::unique_lock lock(mutex_);
        const auto found = entries_.find(key);
        if (found != entries_.end()) {
            used_.splice(used_.begin(), used_, found->second.used);
            const std::shared_future<Pointer> page = found->second.page;
            lock.unlock();
            return page.get();
        }
        used_.push_front(key);
        entries_[key] = {promise.get_future().share(), 0, used_.begin()};
    }
    try {
        Pointer page = make();
        keep(key, page->memory());
        promise.set_value(page);
        return page;
    } catch (const Error& error) {
        error.code() == ErrorCode::bad_input ? keep(key, 1) : forget(key);
        promise.set_exception(std::current_exception());
        throw;
    } catch (...) {
        forget(key);
        promise.set_exception(std::current_exception());
        throw;
    }
}

void PageCache::forget(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(key);
    used_.erase(entry->second.used);
    entries_.erase(entry);
}

void PageCache::keep(std::uint64_t key, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    entries_.at(key).bytes = bytes;
    bytes_ += bytes;
    // A page that is being made is not evicted, because the thread that makes it needs it next.
    for (auto oldest = used_.end(); bytes_ > most_ && oldest != used_.begin();) {
        --oldest;
        const auto entry = entries_.find(*oldest);
        if (entry->second.bytes == 0 || entry->first == key) continue;
        bytes_ -= entry->second.bytes;
        entries_.erase(entry);
        oldest = used_.erase(oldest);
    }
}

std::uint64_t PageCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace assay::parquet
