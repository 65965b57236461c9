// Counts finished units of work from several threads, and calls the caller's callback one call at a
// time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>

#include "assay/progress.h"

namespace assay::replication {

class Ticker {
public:
    Ticker(const ProgressCallback& callback, std::string_view step, std::uint64_t total)
        : callback_(callback) {
        at_.step = step;
        at_.total = total;
    }
    void add(std::uint64_t units) {
        if (!callback_) return;
        const std::scoped_lock lock(mutex_);
        at_.done += units;
        callback_(at_);
    }

private:
    const ProgressCallback& callback_;
    Progress at_;
    std::mutex mutex_;
};

}  // namespace assay::replication
