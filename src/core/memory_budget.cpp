#include "core/memory_budget.h"

#include <algorithm>
#include <chrono>

#include "core/parallel.h"

namespace assay {

MemoryBudget::Share::~Share() {
    if (budget_ != nullptr) budget_->give_back(bytes_);
}

MemoryBudget::Share MemoryBudget::take(std::uint64_t bytes) {
    const std::uint64_t wanted = std::min(bytes, bytes_);
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = asked_++;
    const auto may = [&] { return served_ == turn && wanted <= bytes_ - in_use_; };
    // Polls, because a stop request comes from a signal handler, which cannot wake threads. All
    // waiting threads then leave, in any order.
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), may)) throw_if_stopped();
    ++served_;
    in_use_ += wanted;
    changed_.notify_all();
    return {this, wanted};
}

std::uint64_t MemoryBudget::in_use() const {
    const std::scoped_lock lock(mutex_);
    return in_use_;
}

std::uint64_t MemoryBudget::waiting() const {
    const std::scoped_lock lock(mutex_);
    return asked_ - served_;
}

void MemoryBudget::give_back(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    in_use_ -= bytes;
    changed_.notify_all();
}

}  // namespace assay
