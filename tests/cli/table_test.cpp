#include "cli/table.h"

#include <gtest/gtest.h>

#include "cli/progress.h"

namespace assay::cli {
namespace {

TEST(Table, AlignsByCodePointsNotBytes) {
    Table table({{"name"}, {"value", Align::right}});
    table.add({"é", "1"});
    table.add({"abc", "10"});
    EXPECT_EQ(table.text(), "name  value\n───────────\né         1\nabc      10\n");
}

TEST(Table, WithoutRowsStillHasAHeader) {
    EXPECT_EQ(Table({{"a"}}).text(), "a\n─\n");
    EXPECT_EQ(Table({{"a"}}).csv(), "a\n");
}

TEST(Table, AWideTableIsBrokenIntoBlocks) {
    Table table({{"m"}, {"aaa", Align::right}, {"bbb", Align::right}, {"ccc", Align::right}});
    table.add({"x", "1", "2", "3"});
    table.footer("end");
    // "m  aaa  bbb" takes 11; the third column would take 5 more.
    EXPECT_EQ(table.text(false, 12),
              "m  aaa  bbb\n───────────\nx    1    2\n\nm  ccc\n──────\nx    3\nend\n");
    // However narrow, a block has the first column and one other.
    EXPECT_EQ(table.text(false, 1),
              "m  aaa\n──────\nx    1\n\nm  bbb\n──────\nx    2\n\nm  ccc\n──────\nx    3\nend\n");
}

TEST(Table, CsvQuotesWhatNeedsIt) {
    Table table({{"a"}, {"b"}});
    table.add({"plain", "with, comma"});
    table.rule();  // for people only
    table.add({"a \"quoted\" word", "two\nlines"});
    EXPECT_EQ(table.csv(),
              "a,b\nplain,\"with, comma\"\n\"a \"\"quoted\"\" word\",\"two\nlines\"\n");
}

TEST(Bar, FillsInEighths) {
    EXPECT_EQ(bar(0, 4), "    ");
    EXPECT_EQ(bar(0.5, 4), "██  ");
    EXPECT_EQ(bar(0.53125, 4), "██▏ ");  // 17/32 of the width
    EXPECT_EQ(bar(1, 4), "████");
    EXPECT_EQ(bar(7, 4), "████");
}

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
