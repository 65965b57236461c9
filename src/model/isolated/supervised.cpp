#include "model/isolated/supervised.h"

#include <chrono>

#include "core/parallel.h"

namespace assay::isolated {

void BatchGate::enter(bool alone) {
    const auto is_open = [&] { return !is_alone_ && (alone ? inside_ == 0 : waiting_ == 0); };
    std::unique_lock lock(mutex_);
    waiting_ += alone ? 1 : 0;
    while (!is_open()) {
        // A signal handler cannot wake this thread.
        changed_.wait_for(lock, std::chrono::milliseconds(100));
        if (!stop_requested()) continue;
        waiting_ -= alone ? 1 : 0;
        changed_.notify_all();
        throw_if_stopped();
    }
    waiting_ -= alone ? 1 : 0;
    ++inside_;
    is_alone_ = alone;
}

void BatchGate::leave(bool alone) {
    const std::scoped_lock lock(mutex_);
    --inside_;
    if (alone) is_alone_ = false;
    changed_.notify_all();
}

}  // namespace assay::isolated
