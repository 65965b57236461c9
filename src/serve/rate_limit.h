// How many requests one client may make: a bucket of tokens that fills steadily (a token bucket),
// for each name.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>

namespace assay::serve {

struct Rate {
    double per_second = 1;
    double burst = 1;  ///< at once
};

/// Thread-safe. Memory is bounded: a name that has its whole burst again is as good as a new one,
/// and forgotten.
class RateLimit {
public:
    using Time = std::chrono::steady_clock::time_point;
    explicit RateLimit(const Rate& rate) : rate_(rate) {}

    /// Takes one. 0: it was there; else the seconds until it is.
    double take(const std::string& name, Time now = std::chrono::steady_clock::now());
    /// The same without taking it.
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
