#include "assay/collective/comm.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/core.h>

#include "assay/error.h"

namespace assay {
namespace {

class SelfComm final : public Comm {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override {
        return {{mine.begin(), mine.end()}};
    }
    void barrier() override {}
    bool any(bool mine) override { return mine; }
};

// Thrown in ranks that wait for one that failed: an echo, not the cause.
struct RankLeft final : Error {
    RankLeft() : Error(ErrorCode::internal, "another rank failed before this collective step") {}
};

// What the threads share. A rank that throws marks the meeting broken, so that the others leave
// instead of waiting for ever.
struct Meeting {
    explicit Meeting(int ranks) : size(ranks), slots(static_cast<std::size_t>(ranks)) {}

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
    std::vector<std::vector<std::byte>> slots;
};

class ThreadComm final : public Comm {
public:
    ThreadComm(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return meeting_.size; }
    std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> mine) override {
        meeting_.slots[static_cast<std::size_t>(rank_)].assign(mine.begin(), mine.end());
        meeting_.wait();
        auto all = meeting_.slots;
        meeting_.wait();  // nobody writes the next gather's bytes before everybody has copied these
        return all;
    }
    void barrier() override { meeting_.wait(); }
    bool any(bool mine) override {
        const std::byte flag{mine ? std::uint8_t{1} : std::uint8_t{0}};
        bool found = false;
        for (const auto& bytes : all_gather({&flag, 1}))
            found = found || bytes.at(0) != std::byte{0};
        return found;
    }

private:
    Meeting& meeting_;
    int rank_;
};

}  // namespace

std::unique_ptr<Comm> self_comm() {
    return std::make_unique<SelfComm>();
}

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
        for (std::size_t rank = 0; rank < causes.size(); ++rank) {
            threads.emplace_back([&, rank] {
                ThreadComm comm(meeting, static_cast<int>(rank));
                try {
                    body(comm);
                } catch (const RankLeft&) {
                    leave(echoes[rank]);
                } catch (...) {
                    leave(causes[rank]);
                }
            });
        }
    }
    for (const auto& list : {causes, echoes}) {
        for (const auto& failure : list) {
            if (failure) std::rethrow_exception(failure);
        }
    }
}

}  // namespace assay
