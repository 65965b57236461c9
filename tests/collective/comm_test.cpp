#include "assay/collective/comm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

#include "assay/error.h"
#include "thread_limit.h"

namespace assay {
namespace {

constexpr int rank_counts[] = {1, 2, 3, 7};

std::vector<std::byte> bytes_of(std::string_view text) {
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

/// Rank r has r bytes, so that rank 0 has none.
std::vector<std::byte> bytes_of_rank(int rank, int round) {
    return std::vector<std::byte>(static_cast<std::size_t>(rank), std::byte(round));
}

bool all_there(const std::vector<std::vector<std::byte>>& all, int ranks, int round) {
    bool good = all.size() == static_cast<std::size_t>(ranks);
    for (int r = 0; good && r < ranks; ++r)
        good = all[static_cast<std::size_t>(r)] == bytes_of_rank(r, round);
    return good;
}

std::string text_of(ErrorCode code, const std::string& message) {
    return std::to_string(static_cast<int>(code)) + " " + message;
}

/// Runs body(comm) on `ranks` threads. Returns the error of each rank, or "".
std::vector<std::string> messages(int ranks, const std::function<void(Comm&)>& body) {
    std::vector<std::string> found(static_cast<std::size_t>(ranks));
    run_thread_ranks(ranks, [&](Comm& comm) {
        try {
            body(comm);
        } catch (const Error& error) {
            found[static_cast<std::size_t>(comm.rank())] = text_of(error.code(), error.what());
        } catch (const std::exception& error) {
            found[static_cast<std::size_t>(comm.rank())] = error.what();
        }
    });
    return found;
}

TEST(Self, IsOneRank) {
    const auto comm = self_comm();
    EXPECT_EQ(comm->rank(), 0);
    EXPECT_EQ(comm->size(), 1);
    const std::vector<std::vector<std::byte>> one = {bytes_of("ab")};
    EXPECT_EQ(comm->all_gather(bytes_of("ab")), one);
    EXPECT_EQ(comm->all_gather({}), (std::vector<std::vector<std::byte>>(1)));
    EXPECT_EQ(comm->gather(bytes_of("ab"), 0), one);
    EXPECT_EQ(comm->broadcast(bytes_of("ab"), 0), one[0]);
    std::vector<std::int64_t> numbers = {3, -4};
    comm->all_reduce(numbers);
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{3, -4}));
    EXPECT_TRUE(any(*comm, true));
    EXPECT_FALSE(any(*comm, false));
    comm->barrier();
    agree(*comm, [] {});
    EXPECT_THROW(agree(*comm, [] { throw std::runtime_error("own"); }), std::runtime_error);
    agree_on(*comm, "seeds", "7");
    EXPECT_THROW(comm->gather({}, 1), Error);
    EXPECT_THROW(comm->broadcast({}, -1), Error);
}

TEST(ThreadRanks, GatherAndBroadcastInRankOrder) {
    for (const int ranks : rank_counts) {
        std::atomic<int> correct = 0;
        run_thread_ranks(ranks, [&](Comm& comm) {
            // Twenty rounds, so that a late copy would be detected.
            for (int round = 0; round < 20; ++round) {
                const auto mine = bytes_of_rank(comm.rank(), round);
                bool good = all_there(comm.all_gather(mine), ranks, round);
                const int root = round % ranks;
                const auto at_root = comm.gather(mine, root);
                good = good &&
                       (comm.rank() == root ? all_there(at_root, ranks, round) : at_root.empty());
                good = good && comm.broadcast(mine, root) == bytes_of_rank(root, round);
                correct += good ? 1 : 0;
            }
        });
        EXPECT_EQ(correct, 20 * ranks);
    }
}

TEST(ThreadRanks, AThreadThatCannotStartIsNamedAndNobodyWaitsForIt) {
    EXPECT_EQ(status_without_threads([] {
                  try {
                      run_thread_ranks(3, [](Comm& comm) { comm.barrier(); });
                  } catch (const Error& error) {
                      const bool named =
                          error.message().find("cannot start thread 1 of 3") != std::string::npos;
                      return error.code() == ErrorCode::io && named ? 0 : 2;
                  }
                  return 1;
              }),
              0);
}

TEST(ThreadRanks, ThereIsNoSuchRank) {
    for (const auto& message : messages(3, [](Comm& comm) { comm.gather({}, 3); }))
        EXPECT_EQ(message,
                  text_of(ErrorCode::usage, "rank 3 of 3 does not exist; ranks start at 0"));
    for (const auto& message : messages(2, [](Comm& comm) { comm.broadcast({}, -1); }))
        EXPECT_EQ(message,
                  text_of(ErrorCode::usage, "rank -1 of 2 does not exist; ranks start at 0"));
}

TEST(ThreadRanks, SumsReplaceEveryRanksNumbers) {
    for (const int ranks : rank_counts) {
        // There are no numbers, fewer than ranks, or more. Rank r adds (r + 1) (k + round), so a
        // sum is ranks (ranks + 1) / 2 times k + round.
        for (const std::int64_t n : {0, 1, 5, 100}) {
            std::atomic<int> correct = 0;
            run_thread_ranks(ranks, [&](Comm& comm) {
                for (int round = 0; round < 20; ++round) {
                    std::vector<std::int64_t> numbers, expected;
                    for (std::int64_t k = 0; k < n; ++k) {
                        numbers.push_back((comm.rank() + 1) * (k + round));
                        expected.push_back(ranks * (ranks + 1) / 2 * (k + round));
                    }
                    comm.all_reduce(numbers);
                    correct += numbers == expected ? 1 : 0;
                }
            });
            EXPECT_EQ(correct, 20 * ranks) << n;
        }
    }
}

TEST(ThreadRanks, SumsAtTheEndsOfTheRange) {
    run_thread_ranks(3, [](Comm& comm) {
        std::vector<std::int64_t> numbers = {comm.rank() == 0 ? INT64_MAX : 0,
                                             comm.rank() == 1 ? INT64_MIN : 0};
        comm.all_reduce(numbers);
        if (numbers != std::vector<std::int64_t>{INT64_MAX, INT64_MIN})
            throw std::runtime_error("wrong sums");
    });
    // One more would overflow, for any rank that adds this number.
    for (const std::size_t place : {0U, 1U, 2U}) {
        const auto found = messages(3, [&](Comm& comm) {
            std::vector<std::int64_t> numbers(3);
            numbers[place] = comm.rank() == 0 ? INT64_MAX : 1;
            comm.all_reduce(numbers);
        });
        for (const auto& message : found)
            EXPECT_NE(message.find("does not fit into 64 bits"), std::string::npos) << message;
    }
}

TEST(ThreadRanks, SumsOfDifferentLengthsAreRefusedOnAllRanks) {
    const auto found = messages(3, [](Comm& comm) {
        std::vector<std::int64_t> numbers(comm.rank() == 1 ? 4 : 2, 5);
        comm.all_reduce(numbers);
    });
    for (const auto& message : found)
        EXPECT_EQ(message, text_of(ErrorCode::internal,
                                   "a sum over processes that have 2 to 4 numbers each"));
}

TEST(ThreadRanks, Any) {
    for (const int ranks : rank_counts) {
        std::atomic<int> agreed = 0;
        run_thread_ranks(ranks, [&](Comm& comm) {
            agreed += any(comm, comm.rank() == ranks - 1) ? 1 : 0;
            agreed += any(comm, false) ? 100 : 0;
            comm.barrier();
        });
        EXPECT_EQ(agreed, ranks);
    }
}

TEST(Agree, AllGoOnOrAllThrowTheLowestRanksError) {
    for (const int ranks : rank_counts) {
        for (const auto& message : messages(ranks, [](Comm& comm) { agree(comm, [] {}); }))
            EXPECT_EQ(message, "");
        // Ranks `first` and above fail, each with its own error.
        for (int first = 0; first < ranks; ++first) {
            const auto found = messages(ranks, [&](Comm& comm) {
                agree(comm, [&] {
                    if (comm.rank() < first) return;
                    with_note("reading", [&] {
                        throw Error(ErrorCode::bad_input, "damaged " + std::to_string(comm.rank()));
                    });
                });
            });
            for (const auto& message : found)
                EXPECT_EQ(message,
                          text_of(ErrorCode::bad_input,
                                  "damaged " + std::to_string(first) + " (while reading)"));
        }
    }
}

TEST(Agree, OtherExceptionsBecomeErrorsElsewhere) {
    const auto found = messages(3, [](Comm& comm) {
        agree(comm, [&] {
            if (comm.rank() == 1) throw std::runtime_error("odd");
        });
    });
    EXPECT_EQ(found, (std::vector<std::string>{text_of(ErrorCode::internal, "odd"), "odd",
                                               text_of(ErrorCode::internal, "odd")}));
    const auto memory = messages(2, [](Comm& comm) {
        agree(comm, [&] {
            if (comm.rank() == 0) throw std::bad_alloc();
        });
    });
    EXPECT_EQ(memory[1], text_of(ErrorCode::out_of_memory, "out of memory"));
}

TEST(Agree, GoesOnAfterwards) {
    const auto found = messages(3, [](Comm& comm) {
        try {
            agree(comm, [&] {
                if (comm.rank() == 2) throw Error(ErrorCode::io, "full");
            });
        } catch (const Error&) {
        }
        std::int64_t one = 1;
        comm.all_reduce({&one, 1});
        if (one != 3) throw std::runtime_error("not 3");
    });
    EXPECT_EQ(found, std::vector<std::string>(3));
}

TEST(AgreeOn, TheSameValueEverywhere) {
    for (const int ranks : rank_counts) {
        for (const auto& message :
             messages(ranks, [](Comm& comm) { agree_on(comm, "the store", "abc"); }))
            EXPECT_EQ(message, "");
        for (const auto& message :
             messages(ranks, [](Comm& comm) { agree_on(comm, "the store", ""); }))
            EXPECT_EQ(message, "");
    }
    const auto found = messages(
        3, [](Comm& comm) { agree_on(comm, "the store", comm.rank() == 2 ? "abd" : "abc"); });
    for (const auto& message : found) {
        EXPECT_EQ(
            message,
            text_of(ErrorCode::bad_input,
                    "the store: rank 0 has `abc`, rank 2 has `abd`; every rank must see the same"));
    }
}

TEST(AllGather, Values) {
    struct Pair {
        std::int32_t a;
        float b;
    };
    run_thread_ranks(3, [](Comm& comm) {
        const std::vector<Pair> mine(static_cast<std::size_t>(comm.rank()), {comm.rank(), 0.5F});
        const auto all = all_gather<Pair>(comm, mine);
        if (all.size() != 3 || !all[0].empty() || all[2].size() != 2 || all[2][1].a != 2 ||
            all[2][1].b != 0.5F)
            throw std::runtime_error("not what was sent");
    });
}

TEST(ThreadRanks, TheCauseIsRethrownAndNobodyWaitsForEver) {
    const std::vector<std::function<void(Comm&)>> steps = {
        [](Comm& comm) { comm.barrier(); },     [](Comm& comm) { comm.all_gather({}); },
        [](Comm& comm) { comm.gather({}, 0); }, [](Comm& comm) { comm.broadcast({}, 2); },
        [](Comm& comm) { any(comm, false); },   [](Comm& comm) { agree(comm, [] {}); },
    };
    for (const auto& step : steps) {
        try {
            run_thread_ranks(3, [&](Comm& comm) {
                if (comm.rank() == 2) throw Error(ErrorCode::bad_input, "damaged");
                step(comm);
            });
            FAIL() << "no exception";
        } catch (const Error& error) {
            EXPECT_EQ(error.message(), "damaged");
        }
    }
}

TEST(ThreadRanks, TheLowestRanksExceptionWins) {
    for (int repeat = 0; repeat < 20; ++repeat) {
        try {
            run_thread_ranks(4, [](Comm& comm) {
                if (comm.rank() > 0) throw std::runtime_error(std::to_string(comm.rank()));
            });
            FAIL() << "no exception";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "1");
        }
    }
}

TEST(ThreadRanks, NeedsAtLeastOne) {
    EXPECT_THROW(run_thread_ranks(0, [](Comm&) {}), Error);
}

}  // namespace
}  // namespace assay
