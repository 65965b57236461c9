// A memory limit that threads share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace assay {

/// A number of bytes that threads share. A thread that requests more than the remaining bytes waits
/// until others return theirs. Requests are granted in order, so that a large request does not wait
/// forever. A request above the total waits until it gets the whole total.
class MemoryBudget {
public:
    explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

    /// One thread's share, returned at destruction. A thread that holds one must not ask for
    /// another.
    class Share {
    public:
        Share() = default;
        Share(Share&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
        Share& operator=(Share&& other) noexcept {
            std::swap(budget_, other.budget_);
            std::swap(bytes_, other.bytes_);
            return *this;
        }
        ~Share();

    private:
        friend class MemoryBudget;
        Share(MemoryBudget* budget, std::uint64_t bytes) : budget_(budget), bytes_(bytes) {}
        MemoryBudget* budget_ = nullptr;
        std::uint64_t bytes_ = 0;
    };

    /// Waits for the share. Throws interrupted if a stop is requested meanwhile.
    Share take(std::uint64_t bytes);
    std::uint64_t in_use() const;
    /// The number of threads that are waiting for a share.
    std::uint64_t waiting() const;

private:
    void give_back(std::uint64_t bytes);

    const std::uint64_t bytes_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t in_use_ = 0;
    std::uint64_t asked_ = 0, served_ = 0;  ///< counts of requests, to grant them in order
};

}  // namespace assay
