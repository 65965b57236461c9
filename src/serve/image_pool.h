// A few threads that read images, so that a large one keeps no answer waiting.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::serve {

class ImagePool {
public:
    explicit ImagePool(int threads);
    /// What waits is dropped; what is under way is finished.
    ~ImagePool();

    /// False where too many wait already, or it is ending: the task is dropped. Tasks throw
    /// nothing.
    bool add(std::function<void()> task);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace assay::serve
