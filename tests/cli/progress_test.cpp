#include "cli/progress.h"

#include <gtest/gtest.h>

namespace assay::cli {
namespace {

TEST(ProgressText, RateAndTimeLeft) {
    // 30 of 120 were there before: 60 in 30 s are 2 a second, and 30 are left. In proportions 1/2
    // of the work took 30 s, 1/4 is left.
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
    // Nothing new yet.
    EXPECT_EQ(progress_text({.done = 4, .total = 8, .skipped = 4}, "images", 9),
              "4 / 8 images  0/s");
    // Units of different cost have no rate.
    EXPECT_EQ(
        progress_text({.done = 4, .total = 8, .work = 0.75, .work_skipped = 0.25}, "images", 20),
        "4 / 8 images  10 s left");
}

TEST(ProgressLine, IsHandedToWhatReports) {
    ProgressLine line("copying", "files", true);
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
