#include "core/memory_budget.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "assay/error.h"
#include "core/parallel.h"
#include "until.h"

namespace assay {
namespace {

TEST(MemoryBudget, NoMoreThanThereIs) {
    MemoryBudget budget(100);
    std::atomic<int> in_use{0}, most{0};
    parallel_blocks(200, 8, [&](std::size_t i) {
        const int bytes = static_cast<int>(i % 60);
        const MemoryBudget::Share share = budget.take(static_cast<std::uint64_t>(bytes));
        const int now = in_use += bytes;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();  // frees memory for other requests
        in_use -= bytes;
    });
    EXPECT_LE(most, 100);
    EXPECT_EQ(budget.in_use(), 0U);
}

TEST(MemoryBudget, SeveralHaveTheirSharesAtOnce) {
    MemoryBudget budget(100);
    const MemoryBudget::Share first = budget.take(40);
    std::thread([&] {
        const MemoryBudget::Share second = budget.take(60);
        EXPECT_EQ(budget.in_use(), 100U);
    }).join();
    EXPECT_EQ(budget.in_use(), 40U);
}

TEST(MemoryBudget, WhoAsksForMoreThanAllGetsAllAndIsNotPassedOver) {
    MemoryBudget budget(100);
    MemoryBudget::Share first = budget.take(60);
    std::atomic<bool> large_done{false}, small_done{false};
    std::jthread large([&] {
        const MemoryBudget::Share share = budget.take(1000);
        EXPECT_EQ(budget.in_use(), 100U);
        EXPECT_FALSE(small_done);
        large_done = true;
    });
    EXPECT_TRUE(until([&] { return budget.waiting() == 1; }));
    // The memory would be enough, but this request came later.
    std::jthread small([&] {
        const MemoryBudget::Share share = budget.take(10);
        EXPECT_TRUE(large_done);
        small_done = true;
    });
    EXPECT_TRUE(until([&] { return budget.waiting() == 2; }));
    EXPECT_FALSE(large_done);
    EXPECT_FALSE(small_done);
    first = {};
    large.join();
    small.join();
    EXPECT_TRUE(small_done);
    EXPECT_EQ(budget.in_use(), 0U);
}

TEST(MemoryBudget, AStopIsHeardByThoseThatWait) {
    const pid_t child = ::fork();  // a request to stop is valid until the process ends
    if (child == 0) {
        MemoryBudget budget(100);
        const MemoryBudget::Share all = budget.take(100);
        std::jthread stopper([&] {
            if (!until([&] { return budget.waiting() == 1; })) ::_exit(3);
            request_stop();
        });
        try {
            const MemoryBudget::Share more = budget.take(1);
        } catch (const Error& error) {
            stopper.join();
            ::_exit(error.code() == ErrorCode::interrupted ? 0 : 2);
        }
        ::_exit(1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace assay
