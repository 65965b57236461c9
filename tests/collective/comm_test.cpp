#include "assay/collective/comm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>

#include "assay/error.h"

namespace assay {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

TEST(Self, IsOneRank) {
    const auto comm = self_comm();
    EXPECT_EQ(comm->rank(), 0);
    EXPECT_EQ(comm->size(), 1);
    EXPECT_EQ(comm->all_gather(bytes_of("ab")),
              (std::vector<std::vector<std::byte>>(1, bytes_of("ab"))));
    EXPECT_EQ(comm->all_gather({}), (std::vector<std::vector<std::byte>>(1)));
    EXPECT_TRUE(comm->any(true));
    EXPECT_FALSE(comm->any(false));
    comm->barrier();
}

TEST(ThreadRanks, GatherInRankOrder) {
    for (const int ranks : {1, 2, 3, 7}) {
        std::atomic<int> right = 0;
        run_thread_ranks(ranks, [&](Comm& comm) {
            // Rank r sends r bytes, so that rank 0 sends nothing; twenty rounds, so that a late
            // copy would be seen.
            for (int round = 0; round < 20; ++round) {
                const std::vector<std::byte> mine(static_cast<std::size_t>(comm.rank()),
                                                  std::byte(round));
                const auto all = comm.all_gather(mine);
                bool good = all.size() == static_cast<std::size_t>(ranks);
                for (std::size_t r = 0; good && r < all.size(); ++r) {
                    good = all[r] == std::vector<std::byte>(r, std::byte(round));
                }
                right += good ? 1 : 0;
            }
        });
        EXPECT_EQ(right, 20 * ranks);
    }
}

TEST(ThreadRanks, AgreeOnFailure) {
    std::atomic<int> agreed = 0;
    run_thread_ranks(3, [&](Comm& comm) {
        agreed += comm.any(comm.rank() == 2) ? 1 : 0;
        agreed += comm.any(false) ? 100 : 0;
        comm.barrier();
    });
    EXPECT_EQ(agreed, 3);
}

TEST(ThreadRanks, TheCauseIsRethrownAndNobodyWaitsForEver) {
    try {
        run_thread_ranks(3, [](Comm& comm) {
            if (comm.rank() == 2) throw Error(ErrorCode::bad_input, "damaged");
            comm.barrier();
        });
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.message(), "damaged");
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
