#include "model/torch/blas.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "assay/error.h"

namespace assay::torch_plugin {
namespace {

/// OpenBLAS's BUFFER_SIZE on x86-64, plus room for other allocations between the trial and
/// OpenBLAS's own request.
constexpr std::size_t blas_buffer = std::size_t{128} << 20;
constexpr std::size_t blas_margin = std::size_t{32} << 20;

bool has_room() {
    void* room = ::mmap(nullptr, blas_buffer + blas_margin, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    ::munmap(room, blas_buffer + blas_margin);
    return true;
}

/// Makes OpenBLAS allocate buffers while no other thread computes, and returns their number.
std::size_t made_blas_buffers() {
    using Allocate = void* (*)(int);
    using Release = void (*)(void*);
    const auto allocate = reinterpret_cast<Allocate>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
    const auto release = reinterpret_cast<Release>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
    if (allocate == nullptr || release == nullptr) return std::numeric_limits<std::size_t>::max();
    const std::size_t wanted = std::max(1U, std::thread::hardware_concurrency());
    // All buffers are held at once, because consecutive requests would get the same buffer.
    std::vector<void*> buffers;
    while (buffers.size() < wanted && has_room()) buffers.push_back(allocate(0));
    for (void* buffer : buffers) release(buffer);
    if (buffers.empty()) {
        throw Error(ErrorCode::out_of_memory,
                    fmt::format("OpenBLAS needs {} MiB of address space for each thread that "
                                "computes, but the system allows less: see `ulimit -v`",
                                blas_buffer >> 20));
    }
    return buffers.size();
}

class BlasTurns {
public:
    BlasTurns() : free_(made_blas_buffers()) {}
    void take() {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [&] { return free_ > 0; });
        --free_;
    }
    void give_back() {
        const std::scoped_lock lock(mutex_);
        ++free_;
        freed_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable freed_;
    std::size_t free_;
};

/// A failed attempt is repeated on the next call.
BlasTurns& blas_turns() {
    static BlasTurns turns;
    return turns;
}

}  // namespace

BlasTurn::BlasTurn() {
    blas_turns().take();
}

BlasTurn::~BlasTurn() {
    blas_turns().give_back();
}

}  // namespace assay::torch_plugin
