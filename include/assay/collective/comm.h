// Ranks that work together: a single one, threads (for tests), or MPI processes.
//
// Every rank calls the same functions in the same order with its own arguments. A call returns when
// every rank has made it. Values are combined in rank order, so results do not depend on timing. A
// rank with nothing to add (an empty part of the data) must still take part, with an empty span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace assay {

class Comm {
public:
    virtual ~Comm() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// True if all ranks run on one machine, so that a file is read only once. Every rank gets the
    /// same answer.
    virtual bool on_one_machine() const { return true; }

    /// Every rank's bytes, in rank order, on every rank. They may differ in length.
    virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) = 0;
    /// Every rank's bytes, in rank order, on rank `root`; nothing on other ranks. Throws usage if
    /// there is no such rank.
    virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine,
                                                       int root) = 0;
    /// The bytes of rank `root`, on every rank. The bytes that other ranks pass are ignored. Throws
    /// usage if there is no such rank.
    virtual std::vector<std::byte> broadcast(std::span<const std::byte> mine, int root) = 0;
    /// Replaces each rank's numbers by the sums over all ranks, number by number. Throws internal
    /// on every rank when lengths differ, or a sum does not fit into 64 bits (the numbers are then
    /// lost). Cost: each rank adds an equal part of the numbers.
    virtual void all_reduce(std::span<std::int64_t> numbers) = 0;
    virtual void barrier() = 0;
};

/// The Comm of a single rank, which never waits.
std::unique_ptr<Comm> self_comm();
/// Runs body(comm) on `ranks` threads that share a Comm. A rank that throws ends all: the other
/// ranks leave their current or next collective call. Rethrows the lowest rank's exception among
/// those that are causes. Throws usage for fewer than one rank.
void run_thread_ranks(int ranks, const std::function<void(Comm&)>& body);

/// True on every rank if `mine` is true on any rank.
bool any(Comm& comm, bool mine);

/// Runs `work` on this rank and waits for the other ranks. Returns if all succeed. Otherwise every
/// rank throws the error of the lowest rank that failed, so that all end alike. An exception that
/// is not an assay::Error becomes one on the other ranks. `work` must not call functions of `comm`.
void agree(Comm& comm, const std::function<void()>& work);

/// Checks that every rank has the same value, such as the fingerprint of a store that each has
/// opened. If a value differs from that of rank 0, every rank throws bad_input, naming `what`.
void agree_on(Comm& comm, std::string_view what, std::string_view value);

/// Every rank's values, in rank order, on every rank.
template <class T>
requires std::is_trivially_copyable_v<T> std::vector<std::vector<T>> all_gather(
    Comm& comm, std::span<const T> mine) {
    std::vector<std::vector<T>> all;
    for (const auto& bytes : comm.all_gather(std::as_bytes(mine))) {
        all.emplace_back(bytes.size() / sizeof(T));
        if (!bytes.empty()) std::memcpy(all.back().data(), bytes.data(), bytes.size());
    }
    return all;
}

}  // namespace assay
