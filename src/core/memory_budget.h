// Memory that threads take turns with.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace assay {

/// A number of bytes that threads share. Who asks for more than is left waits until others gave
/// theirs back, in the order of asking, so that a large share does not wait for ever; who asks for
/// more than there is waits until it has all of it alone.
class MemoryBudget {
public:
    explicit MemoryBudget(std::uint64_t bytes) : bytes_(bytes) {}

    /// What one thread has; given back at the end. A thread that has one must not ask for another.
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

    /// Waits. Throws interrupted when a stop was requested meanwhile.
    Share take(std::uint64_t bytes);
    std::uint64_t in_use() const;
    /// Threads that have asked and have no share yet.
    std::uint64_t waiting() const;

private:
    void give_back(std::uint64_t bytes);

    const std::uint64_t bytes_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t in_use_ = 0;
    std::uint64_t asked_ = 0, served_ = 0;  ///< threads, in their order
};

}  // namespace assay
