// Waits for an event of another thread or process.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace assay {

/// Checks repeatedly until `happened()` is true. Returns false after a limit, which is far longer
/// than the event takes on a busy machine. It only stops a broken test from hanging. The checks
/// become less frequent, because the server limits the number of requests per second.
template <class Happened>
bool until(Happened&& happened, std::chrono::seconds limit = std::chrono::seconds(120)) {
    const auto late = std::chrono::steady_clock::now() + limit;
    std::chrono::microseconds pause{1000};
    while (!happened()) {
        if (std::chrono::steady_clock::now() > late) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(pause * 5 / 4, std::chrono::milliseconds(50));
    }
    return true;
}

}  // namespace assay
