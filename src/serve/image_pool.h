// A few threads that read images, so that a large image does not delay other answers.
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
    /// Drops waiting tasks, and finishes tasks in progress.
    ~ImagePool();

    /// Returns false if too many tasks are waiting, or if the pool is ending. The task is then
    /// dropped. Tasks must not throw.
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
