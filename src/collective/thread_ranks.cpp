// Ranks as threads of one process, as a stand-in for MPI processes in tests.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/core.h>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "collective/root.h"

namespace assay {
namespace {

using Slots = std::vector<std::vector<std::byte>>;

// Thrown in ranks that wait for a failed one. It is a consequence, not the cause.
struct RankLeft final : Error {
    RankLeft() : Error(ErrorCode::internal, "another rank failed before this collective step") {}
};

// The state that the threads share. A rank that throws marks the meeting as broken, so that the
// other ranks do not wait forever.
struct Meeting {
    explicit Meeting(int ranks)
        : size(ranks),
          slots(static_cast<std::size_t>(ranks)),
          numbers(slots.size()),
          overflow(slots.size()) {}

    void wait() {
        std::unique_lock lock(mutex);
        if (!broken) {
            const std::size_t mine = round;
            if (++waiting == size) {
                waiting = 0;
                ++round;
                everyone.notify_all();
            } else {
                everyone.wait(lock, [&] { return round != mine || broken; });
                if (round != mine) return;
            }
        }
        if (broken) throw RankLeft();
    }

    const int size;
    std::mutex mutex;
    std::condition_variable everyone;
    int waiting = 0;
    std::size_t round = 0;
    bool broken = false;
    /// Each rank writes its own entry before a wait(). All read the entries after it, and nobody
    /// writes again before the next wait().
    Slots slots;
    std::vector<std::span<std::int64_t>> numbers;
    std::vector<std::uint8_t> overflow;
};

class ThreadComm final : public Comm {
public:
    ThreadComm(Meeting& meeting, int rank)
        : meeting_(meeting), rank_(rank), index_(static_cast<std::size_t>(rank)) {}
    int rank() const override { return rank_; }
    int size() const override { return meeting_.size; }
    Slots all_gather(std::span<const std::byte> mine) override {
        return exchange<Slots>(mine, true, [](const Slots& slots) { return slots; });
    }
    Slots gather(std::span<const std::byte> mine, int root) override {
        check_root(root, meeting_.size);
        return exchange<Slots>(mine, true,
                               [&](const Slots& slots) { return rank_ == root ? slots : Slots(); });
    }
    std::vector<std::byte> broadcast(std::span<const std::byte> mine, int root) override {
        check_root(root, meeting_.size);
        return exchange<std::vector<std::byte>>(mine, rank_ == root, [&](const Slots& slots) {
            return slots[static_cast<std::size_t>(root)];
        });
    }
    void all_reduce(std::span<std::int64_t> numbers) override {
        meeting_.numbers[index_] = numbers;
        meeting_.wait();
        std::size_t least = numbers.size(), most = least;
        for (const auto& other : meeting_.numbers) {
            least = std::min(least, other.size());
            most = std::max(most, other.size());
        }
        // Exceptions are not allowed before the next wait, because a rank's numbers would be freed.
        meeting_.overflow[index_] = least == most && add_part() ? 1 : 0;
        meeting_.wait();
        if (least != most) {
            throw Error(
                ErrorCode::internal,
                fmt::format("a sum over processes that have {} to {} numbers each", least, most));
        }
        for (const std::uint8_t overflow : meeting_.overflow) {
            if (overflow != 0)
                throw Error(ErrorCode::internal, "a sum over the ranks does not fit into 64 bits");
        }
    }
    void barrier() override { meeting_.wait(); }

private:
    /// Computes this rank's part of all sums and writes it to every rank's numbers. Returns true on
    /// overflow.
    bool add_part() const noexcept {
        const std::size_t ranks = meeting_.numbers.size(), all = meeting_.numbers[0].size();
        bool overflow = false;
        for (std::size_t k = all * index_ / ranks; k < all * (index_ + 1) / ranks; ++k) {
            std::int64_t sum = 0;
            for (const auto& numbers : meeting_.numbers)
                overflow |= __builtin_add_overflow(sum, numbers[k], &sum);
            for (const auto& numbers : meeting_.numbers) numbers[k] = sum;
        }
        return overflow;
    }

    template <class Result, class Read>
    Result exchange(std::span<const std::byte> mine, bool write, const Read& read) {
        if (write) meeting_.slots[index_].assign(mine.begin(), mine.end());
        meeting_.wait();
        Result found = read(meeting_.slots);
        meeting_.wait();  // no rank may write the next bytes before all have copied these
        return found;
    }

    Meeting& meeting_;
    int rank_;
    std::size_t index_;
};

}  // namespace

void run_thread_ranks(int ranks, const std::function<void(Comm&)>& body) {
    if (ranks < 1)
        throw Error(ErrorCode::usage, fmt::format("{} ranks; at least 1 is needed", ranks));
    Meeting meeting(ranks);
    std::vector<std::exception_ptr> causes(static_cast<std::size_t>(ranks)),
        echoes(static_cast<std::size_t>(ranks));
    const auto leave = [&](std::exception_ptr& kept) {
        const std::lock_guard lock(meeting.mutex);
        kept = std::current_exception();
        meeting.broken = true;
        meeting.everyone.notify_all();
    };
    {
        std::vector<std::jthread> threads;
        const auto be_rank = [&](std::size_t rank) {
            ThreadComm comm(meeting, static_cast<int>(rank));
            try {
                body(comm);
            } catch (const RankLeft&) {
                leave(echoes[rank]);
            } catch (...) {
                leave(causes[rank]);
            }
        };
        for (std::size_t rank = 0; rank < causes.size(); ++rank) {
            try {
                threads.emplace_back(be_rank, rank);
            } catch (const std::system_error& error) {
                // The existing ranks wait for this one, so it must be marked as gone, as after an
                // error.
                try {
                    throw Error(
                        ErrorCode::io,
                        fmt::format(
                            "cannot start thread {} of {} (one per rank): {}; see `ulimit -u`",
                            rank + 1, ranks, error.code().message()));
                } catch (...) {
                    leave(causes[rank]);
                }
                break;
            }
        }
    }
    for (const auto& list : {causes, echoes}) {
        for (const auto& failure : list) {
            if (failure) std::rethrow_exception(failure);
        }
    }
}

}  // namespace assay
