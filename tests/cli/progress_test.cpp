#include "cli/progress.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(ProgressText, RateAndTimeLeft) {
    // 30 of 120 items were done before. 60 in 30 s are 2 per second, and 30 are left. So 1/2 of the
    // work took 30 s, and 1/4 is left.
    EXPECT_EQ(progress_text({.done = 90, .total = 120, .skipped = 30}, "images", 30),
              "90 / 120 images  2/s  15 s left");
    EXPECT_EQ(progress_text({.step = "writing", .done = 1000, .total = 1000}, "rows", 0.5),
              "1,000 / 1,000 rows  2000/s  0.0 s left  writing");
    EXPECT_EQ(progress_text({.done = 4, .total = 8, .failed = 3}, "images", 4),
              "4 / 8 images  1/s  4.0 s left  3 failed");
}

TEST(ProgressText, WithoutATotalOrARate) {
    EXPECT_EQ(progress_text({.done = 10}, "draws", 5), "10 draws  2/s");
    EXPECT_EQ(progress_text({.done = 0, .total = 8}, "images", 0), "0 / 8 images  0/s");
    // No new item is done yet.
    EXPECT_EQ(progress_text({.done = 4, .total = 8, .skipped = 4}, "images", 9),
              "4 / 8 images  0/s");
    // Units of different cost have no rate.
    EXPECT_EQ(
        progress_text({.done = 4, .total = 8, .work = 0.75, .work_skipped = 0.25}, "images", 20),
        "4 / 8 images  10 s left");
}

// The first step takes 50 s for 100 images. After 10 s of the second step 20 images are done: two
// per second, not 20 in 60 s.
TEST(StepClock, EveryStepHasItsOwnRate) {
    const StepClock::Time start{};
    const auto at = [&](int seconds) { return start + std::chrono::seconds(seconds); };
    StepClock clock(start);
    EXPECT_EQ(clock.seconds({.step = "one", .done = 10, .total = 100}, at(5)), 5);
    EXPECT_EQ(clock.seconds({.step = "one", .done = 100, .total = 100}, at(50)), 50);
    EXPECT_EQ(clock.seconds({.step = "two", .done = 1, .total = 100}, at(51)), 0);
    const Progress later{.step = "two", .done = 21, .total = 100};
    const double seconds = clock.seconds(later, at(61));
    EXPECT_EQ(seconds, 10);
    EXPECT_EQ(progress_text(later, "images", seconds), "21 / 100 images  2/s  38 s left  two");
    // If a count continues over several steps, they have one rate.
    StepClock on(start);
    on.seconds({.step = "one", .done = 50, .total = 100}, at(25));
    EXPECT_EQ(on.seconds({.step = "two", .done = 60, .total = 100}, at(30)), 30);
}

TEST(ProgressLine, IsHandedToWhatReports) {
    ProgressLine line("copying", "files");
    const ProgressCallback callback = line;
    callback({.done = 1, .total = 2});
}

TEST(Text, DurationsAndCounts) {
    EXPECT_EQ(duration_text(0.25), "0.2 s");
    EXPECT_EQ(duration_text(59.4), "59 s");
    EXPECT_EQ(duration_text(59.6), "1 min 00 s");
    EXPECT_EQ(duration_text(3780), "1 h 03 min");
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(1234567), "1,234,567");
}

}  // namespace
}  // namespace assay::cli
