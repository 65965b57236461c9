// The number of threads, and a parallel loop over blocks that keeps the first exception.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace assay {

/// Processors that this process may use: the affinity mask, cut by the cgroup's CPU quota. At
/// least 1.
int available_cores();

/// Returns `requested` if it is positive, else the default, which is available_cores() unless set.
int resolve_threads(int requested);
/// Sets that default, for programs whose processes share cores. 0 restores available_cores().
void set_default_threads(int threads);

/// Calls body(block) once for each block in [0, blocks) on up to `threads` threads (including the
/// caller's; fewer if the system allows no more). Any thread may take any block, so write results
/// by block and merge them in block order. Then they do not depend on `threads`. The exception of
/// the lowest block that threw is rethrown at the end; blocks not begun are skipped.
void parallel_blocks(std::size_t blocks, int threads,
                     const std::function<void(std::size_t block)>& body);

/// Asks every parallel loop and engine to stop. The command's SIGINT/SIGTERM handler calls it
/// (async-signal-safe).
void request_stop() noexcept;
/// True if request_stop() was called, or a StoppableBy of this thread has its flag set.
bool stop_requested() noexcept;
/// While this object exists, its flag stops the work of this thread and of threads that
/// parallel_blocks() starts for it. For programs that run several tasks at once.
class StoppableBy {
public:
    explicit StoppableBy(const std::atomic<bool>* flag) noexcept;
    ~StoppableBy();
    StoppableBy(const StoppableBy&) = delete;
    StoppableBy& operator=(const StoppableBy&) = delete;

private:
    const std::atomic<bool>* before_;
};
/// Throws Error{interrupted} if a stop was requested.
void throw_if_stopped();

}  // namespace assay
