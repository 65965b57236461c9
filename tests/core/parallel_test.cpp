#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "assay/error.h"
#include "thread_limit.h"
#include "until.h"

namespace assay {
namespace {

TEST(ParallelBlocks, EveryBlockOnceForAnyThreads) {
    for (const int threads : {1, 2, 3, 7, 64}) {
        std::vector<std::atomic<int>> seen(50);
        parallel_blocks(seen.size(), threads, [&](std::size_t b) { ++seen[b]; });
        for (const auto& count : seen) EXPECT_EQ(count, 1);
    }
}

TEST(ParallelBlocks, NoBlocksMeansNoCall) {
    parallel_blocks(0, 4, [](std::size_t) { FAIL(); });
}

// If a container allows only one thread, the caller's thread does all the work.
TEST(ParallelBlocks, FewerThreadsWhereTheSystemAllowsNoMore) {
    EXPECT_EQ(status_without_threads([] {
                  bool refused = false;
                  try {
                      std::jthread([] {});
                  } catch (const std::system_error&) {
                      refused = true;
                  }
                  std::vector<int> seen(50);
                  parallel_blocks(seen.size(), 8, [&](std::size_t b) { ++seen[b]; });
                  return refused && seen == std::vector<int>(50, 1) ? 0 : 1;
              }),
              0);
}

TEST(ParallelBlocks, LowestFailingBlockWins) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        std::atomic<bool> later_failed{false};
        try {
            parallel_blocks(16, 4, [&](std::size_t b) {
                EXPECT_TRUE(b != 3 || until([&] { return later_failed.load(); }));
                if (b > 3) later_failed = true;
                if (b >= 3) throw Error(ErrorCode::bad_input, std::to_string(b));
            });
            FAIL() << "nothing was thrown";
        } catch (const Error& error) {
            EXPECT_EQ(error.message(), "3");
        }
    }
}

TEST(ResolveThreads, NothingMeansEveryCore) {
    EXPECT_EQ(resolve_threads(5), 5);
    EXPECT_EQ(resolve_threads(0), available_cores());
    EXPECT_GE(available_cores(), 1);
}

}  // namespace
}  // namespace assay
