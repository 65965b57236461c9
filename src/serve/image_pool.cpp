#include "serve/image_pool.h"

#include <utility>

namespace assay::serve {
namespace {
constexpr std::size_t most_waiting_images = 2048;
}

ImagePool::ImagePool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

ImagePool::~ImagePool() {
    std::deque<std::function<void()>> dropped;
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        dropped.swap(waiting_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool ImagePool::add(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (ending_ || waiting_.size() >= most_waiting_images) return false;
        waiting_.push_back(std::move(task));
    }
    changed_.notify_one();
    return true;
}

void ImagePool::run() {
    for (;;) {
        std::function<void()> task;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (ending_) return;
            task = std::move(waiting_.front());
            waiting_.pop_front();
        }
        task();
    }
}

}  // namespace assay::serve
