// Waiting for an event of another thread or process.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace assay {

/// Looks again and again until `happened()`. The limit is no part of what is tested: it is far
/// beyond what the event takes on a busy machine, and only keeps a broken test from hanging. False
/// when it passed. Looks less often as time passes: a server that is asked a thousand times a
/// second answers that this is too often.
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
