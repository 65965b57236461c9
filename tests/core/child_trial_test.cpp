// Runs code that may crash in another process. Also tests the memory that plug-ins write to.
#include "core/child_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "assay/error.h"
#include "core/growing_table.h"
#include "core/plugin_table.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(ChildTrial, WhatComesBackIsFine) {
    int here = 1;
    try_in_child("it", [&] { here = 2; });
    EXPECT_EQ(here, 1);  // the child has its own memory
}

TEST(ChildTrial, SaysHowItEnded) {
    const auto said = [](const std::function<void()>& body, ErrorCode code = ErrorCode::bad_input) {
        return message_of([&] { try_in_child("margin", body); }, code);
    };
    EXPECT_THAT(said([] { ::raise(SIGKILL); }),
                HasSubstr("margin: it crashed in the trial with signal 9"));
    EXPECT_THAT(said([] { ::_exit(3); }),
                HasSubstr("margin: it ended the trial process with status 3"));
    EXPECT_THAT(said([] { throw Error(ErrorCode::usage, "no film"); }), HasSubstr("no film"));
    EXPECT_THAT(said([] { throw 7; }), HasSubstr("an exception of an unknown type"));
    // More bytes than a pipe can hold.
    const std::string text(1 << 17, 'x');
    EXPECT_THAT(said([&] { throw Error(ErrorCode::usage, text); }), HasSubstr(text));
    ::setenv("ASSAY_PLUGIN_SECONDS", "1", 1);
    EXPECT_THAT(said([] { ::pause(); }), HasSubstr("margin: the trial took longer than 1 s"));
    for (const char* wrong : {"0", "-1", "1.5", "86401", "x", "1 "}) {
        ::setenv("ASSAY_PLUGIN_SECONDS", wrong, 1);
        EXPECT_THAT(said([] {}, ErrorCode::usage), HasSubstr("allowed: 1 to 86400")) << wrong;
    }
    ::unsetenv("ASSAY_PLUGIN_SECONDS");
}

TEST(ChildTrial, AsksEveryThread) {
    EXPECT_TRUE(true_on_all_threads([](int) { return true; }));
    for (int wrong = 0; wrong < trial_threads; ++wrong)
        EXPECT_FALSE(true_on_all_threads([&](int thread) { return thread != wrong; }));
    EXPECT_FALSE(true_on_all_threads([](int thread) -> bool {
        if (thread == 2) throw Error(ErrorCode::bad_input, "no");
        return true;
    }));
}

TEST(PluginTable, AWriteOutsideItsArrayIsSeen) {
    for (const std::ptrdiff_t at : {-64, -1, 0, 4, 5, 68}) {
        GuardedArray<std::uint8_t> array(5, 0);
        array.data()[at] = 1;
        EXPECT_EQ(array.is_whole(), at >= 0 && at < 5) << at;
    }
    GuardedArray<double> none(0, 1);
    EXPECT_TRUE(none.is_whole());
    none.data()[0] = 1;
    EXPECT_FALSE(none.is_whole());
}

TEST(PluginTable, RowsOfAGrowingTableDoNotMove) {
    GrowingTable<int> table(std::vector<int>{1, 2});
    const int* const first = table.rows().data();
    for (std::size_t i = 0; i < GrowingTable<int>::most_added; ++i)
        EXPECT_EQ(&table.add(3), first + 2 + i);
    EXPECT_EQ(table.rows().data(), first);
    EXPECT_EQ(table.rows().size(), 2 + GrowingTable<int>::most_added);
    EXPECT_THAT(message_of([&] { table.add(4); }), HasSubstr("1024 rows"));
}

}  // namespace
}  // namespace assay
