#include "core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "assay/error.h"

namespace assay {
namespace {

std::atomic<bool> stop_flag{false};
std::atomic<int> default_threads{0};
thread_local const std::atomic<bool>* own_stop_flag = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free,
              "request_stop is called from a signal handler");

/// The number of cores that the cgroup's CPU quota allows (v2, then v1), or a large number.
int quota_cores() {
    constexpr int unlimited = 1 << 20;
    double quota = -1;
    double period = -1;
    if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
        std::string first;
        v2 >> first >> period;
        if (first.empty() || first == "max") return unlimited;
        quota = std::atof(first.c_str());
    } else {
        std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
        std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
    }
    if (quota <= 0 || period <= 0) return unlimited;
    return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

}  // namespace

int available_cores() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    const int allowed = ::sched_getaffinity(0, sizeof mask, &mask) == 0
                            ? CPU_COUNT(&mask)
                            : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return std::max(1, std::min(allowed, quota_cores()));
}

int resolve_threads(int requested) {
    if (requested > 0) return requested;
    const int chosen = default_threads.load();
    return chosen > 0 ? chosen : available_cores();
}

void set_default_threads(int threads) {
    default_threads.store(threads);
}

void parallel_blocks(std::size_t blocks, int threads,
                     const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr first;
    std::size_t first_block = blocks;

    const auto work = [&] {
        for (;;) {
            const std::size_t block = next.fetch_add(1);
            if (block >= blocks) return;
            try {
                throw_if_stopped();
                body(block);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (block < first_block) {
                    first_block = block;
                    first = std::current_exception();
                }
                // Blocks are assigned in order, so every lower block has begun and may still
                // replace `first`.
                next.store(blocks);
                return;
            }
        }
    };

    const auto work_elsewhere = [&, flag = own_stop_flag] {
        const StoppableBy stoppable(flag);
        work();
    };
    const std::size_t helpers =
        std::clamp<std::size_t>(blocks, 1, static_cast<std::size_t>(std::max(1, threads)));
    {
        std::vector<std::jthread> pool;
        pool.reserve(helpers - 1);
        try {
            while (pool.size() + 1 < helpers) pool.emplace_back(work_elsewhere);
        } catch (const std::system_error&) {
            // The system allows no more threads (ulimit -u, a container's pids.max). The existing
            // threads do the work, with the same results.
        }
        work();
    }
    if (first) std::rethrow_exception(first);
}

void request_stop() noexcept {
    stop_flag.store(true, std::memory_order_relaxed);
}
bool stop_requested() noexcept {
    return stop_flag.load(std::memory_order_relaxed) ||
           (own_stop_flag != nullptr && own_stop_flag->load(std::memory_order_relaxed));
}

StoppableBy::StoppableBy(const std::atomic<bool>* flag) noexcept
    : before_(std::exchange(own_stop_flag, flag)) {}

StoppableBy::~StoppableBy() {
    own_stop_flag = before_;
}

void throw_if_stopped() {
    if (stop_requested()) throw Error(ErrorCode::interrupted, "interrupted");
}

}  // namespace assay
