#include "serve/rate_limit.h"

#include <algorithm>

namespace assay::serve {

double RateLimit::filled(const std::string& name, Time now) const {
    const auto found = buckets_.find(name);
    if (found == buckets_.end()) return rate_.burst;
    const std::chrono::duration<double> since = now - found->second.at;
    return std::min(rate_.burst, found->second.filled + since.count() * rate_.per_second);
}

double RateLimit::take(const std::string& name, Time now) {
    const std::lock_guard lock(mutex_);
    const double there = filled(name, now);
    if (there < 1) return (1 - there) / rate_.per_second;
    if (buckets_.size() >= forget_at_) forget(now);
    buckets_[name] = {there - 1, now};
    return 0;
}

double RateLimit::look(const std::string& name, Time now) const {
    const std::lock_guard lock(mutex_);
    const double there = filled(name, now);
    return there < 1 ? (1 - there) / rate_.per_second : 0;
}

std::size_t RateLimit::size() const {
    const std::lock_guard lock(mutex_);
    return buckets_.size();
}

void RateLimit::forget(Time now) {
    std::erase_if(buckets_,
                  [&](const auto& entry) { return filled(entry.first, now) >= rate_.burst; });
    // If there are too many addresses (IPv6), all buckets are reset, so that memory is bounded.
    if (buckets_.size() > (std::size_t{1} << 16)) buckets_.clear();
    forget_at_ = std::max<std::size_t>(1024, 2 * buckets_.size());
}

}  // namespace assay::serve
