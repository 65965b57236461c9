// Ranks that work together: one, threads (tests), and later MPI.
//
// Every rank calls the same functions in the same order with arguments of its own; a call returns
// when every rank has made it. Whatever is combined is combined in rank order, so bits do not
// depend on timing. A rank without anything to add (an empty part of the data) takes part all the
// same, with an empty span.
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
    /// Whether all ranks run on one machine, which reads a file once for all of them; the same
    /// answer on each.
    virtual bool on_one_machine() const { return true; }

    /// Every rank's bytes, in rank order, on every rank. They may differ in length.
    virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) = 0;
    /// Every rank's bytes, in rank order, on rank `root`; nothing on the others. Throws usage:
    /// there is no such rank.
    virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine,
                                                       int root) = 0;
    /// The bytes of rank `root` on every rank; what the others pass does not matter. Throws usage:
    /// there is no such rank.
    virtual std::vector<std::byte> broadcast(std::span<const std::byte> mine, int root) = 0;
    /// Puts the sums over the ranks, number by number, in place of every rank's numbers. Throws
    /// internal on every rank when lengths differ, or a sum does not fit into 64 bits (the numbers
    /// are then lost). Cost: each rank adds an equal part of the numbers.
    virtual void all_reduce(std::span<std::int64_t> numbers) = 0;
    virtual void barrier() = 0;
};

/// One rank, no waiting.
std::unique_ptr<Comm> self_comm();
/// Runs body(comm) on `ranks` threads that share a Comm. A rank that throws ends all: the others
/// leave the collective call that they are in or come to. Rethrows the lowest rank's exception
/// among those that are causes. Throws usage: fewer than one rank.
void run_thread_ranks(int ranks, const std::function<void(Comm&)>& body);

/// True on every rank when any rank says so.
bool any(Comm& comm, bool mine);

/// Runs `work` on this rank and waits for the others. Returns when it succeeded on all; else the
/// error of the lowest rank that failed is thrown on every rank, so that all end alike (an
/// exception that is not an assay::Error becomes one on the other ranks). `work` calls no function
/// of `comm`.
void agree(Comm& comm, const std::function<void()>& work);

/// For what every rank must see alike, such as the fingerprint of a store that each has opened:
/// throws bad_input on every rank when a rank's value is not that of rank 0, naming `what`.
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
