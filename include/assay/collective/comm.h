// Ranks that work together: one, threads (tests), and later MPI. Reductions are in rank order, so
// bits do not depend on timing.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace assay {

class Comm {
public:
    virtual ~Comm() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Every rank's bytes, in rank order, on every rank.
    virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) = 0;
    virtual void barrier() = 0;
    /// True on every rank when any rank says so: ranks agree on failure before they leave a
    /// collective step.
    virtual bool any(bool mine) = 0;
};

/// One rank, no waiting.
std::unique_ptr<Comm> self_comm();
/// Runs body(comm) on `ranks` threads that share a Comm; rethrows the lowest rank's exception.
void run_thread_ranks(int ranks, const std::function<void(Comm&)>& body);

}  // namespace assay
