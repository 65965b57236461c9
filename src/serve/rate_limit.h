// Limits the rate of requests per client, with a token bucket for each name.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace assay::serve {

struct Rate {
    double per_second = 1;
    double burst = 1;  ///< requests at once
};

/// Thread-safe. Memory is bounded, because a name with a full bucket is equivalent to a new name
/// and is dropped.
class RateLimit {
public:
    using Time = std::chrono::steady_clock::time_point;
    explicit RateLimit(const Rate& rate) : rate_(rate) {}

    /// Takes one token. Returns 0, or the seconds until one is available.
    double take(const std::string& name, Time now = std::chrono::steady_clock::now());
    /// Returns the same without taking a token.
    double look(const std::string& name, Time now = std::chrono::steady_clock::now()) const;
    std::size_t size() const;

private:
    struct Bucket {
        double filled = 0;
        Time at;
    };
    double filled(const std::string& name, Time now) const;
    void forget(Time now);

    const Rate rate_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Bucket> buckets_;
    std::size_t forget_at_ = 1024;
};

}  // namespace assay::serve
