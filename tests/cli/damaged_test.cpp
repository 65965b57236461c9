// Commands over stores of which some are damaged or not finished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// RUNS with the models a, b and c on the data set `val`.
class Stores : public testing::Test {
protected:
    void SetUp() override {
        std::string text = "image,cat,dog\n";
        for (int i = 0; i < 6; ++i)
            text += "p" + std::to_string(i) + ",1,-" + std::to_string(i + 1) + "\n";
        write_file_atomically(scratch_ / "scores.csv", text);
        for (const char* name : {"a", "b", "c"}) {
            ASSERT_EQ(assay_run({"import", scratch_ / "scores.csv", "--dataset-name", "val",
                                 "--name", name, "--out", runs_, "--shard-rows", "2"})
                          .status,
                      0);
        }
    }
    Outcome assay(const std::string& command) { return assay_run({command, runs_, "--csv"}); }

    Scratch scratch_;
    fs::path runs_ = scratch_ / "runs";
};

TEST_F(Stores, ThatAreNotFinishedAreSound) {
    fs::remove(runs_ / "val/b/shards/000000.json");
    fs::remove(runs_ / "val/b/shards/000002.json");
    const Outcome verified = assay("verify");
    EXPECT_EQ(verified.status, 3);
    EXPECT_THAT(verified.out, HasSubstr("val/b,3,2,\"sound, not finished\""));
    EXPECT_EQ(std::count(verified.out.begin(), verified.out.end(), '\n'), 4)
        << verified.out;  // a line a store
    // Damage comes before what is missing.
    write_file_atomically(runs_ / "val/b/shards/000001.npy", "short");
    EXPECT_EQ(assay("verify").status, 2);
    EXPECT_THAT(assay("verify").out,
                AllOf(HasSubstr("damaged: `000001.npy`"), Not(HasSubstr("shard 0 of 3"))));
}

TEST_F(Stores, AGarbledManifestHidesNoOther) {
    write_file_atomically(runs_ / "val/b/manifest.json", "{");
    for (const char* command : {"verify", "list"}) {
        const Outcome outcome = assay(command);
        EXPECT_EQ(outcome.status, std::string(command) == "verify" ? 2 : 0);
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("val/a,"), HasSubstr("val/b,?"),
                                       HasSubstr("damaged: "), HasSubstr("val/c,")));
    }
    const Outcome scored = assay("score");
    EXPECT_EQ(scored.status, 2);
    EXPECT_THAT(scored.err, HasSubstr("opening the store `" + (runs_ / "val/b").string()));
}

// For people: a table that fits, and what is wrong below it, in lines of at most 100 columns.
TEST_F(Stores, WhatIsWrongStandsInLines) {
    write_file_atomically(runs_ / "val/b/manifest.json", "{\"schema\": \"assay.store\"");
    const Outcome outcome = assay_run({"verify", runs_});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("damaged\n"), HasSubstr("val/b:\n    damaged JSON")));
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("\xE2\x94\x80")) {
            EXPECT_LE(line.size(), 100U) << line;
        }
    }
}

TEST_F(Stores, WithoutTheirDataSetAreNamed) {
    fs::remove(runs_ / "val/dataset.json");
    const Outcome verified = assay("verify");
    EXPECT_EQ(verified.status, 2);
    for (const char* name : {"val/a,?", "val/b,?", "val/c,?"})
        EXPECT_THAT(verified.out, HasSubstr(name));
    EXPECT_THAT(verified.out, HasSubstr("dataset.json"));
}

TEST_F(Stores, ShardsWithoutAManifestAreNotPassedOver) {
    fs::remove(runs_ / "val/b/manifest.json");
    EXPECT_EQ(assay("verify").status, 2);
    for (const char* command : {"verify", "list"}) {
        EXPECT_THAT(assay(command).out, AllOf(HasSubstr("val/a,"), HasSubstr("val/b,?"),
                                              HasSubstr("no manifest.json")));
    }
    const Outcome scored = assay("score");
    EXPECT_EQ(scored.status, 2);
    EXPECT_THAT(scored.err, AllOf(HasSubstr("val/b"), HasSubstr("no manifest.json")));
}

TEST_F(Stores, ThatMayNotBeReadAreNotPassedOver) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
    fs::permissions(runs_ / "val/b", fs::perms::none);
    EXPECT_EQ(assay("verify").status, 2);
    for (const char* command : {"verify", "list"})
        EXPECT_THAT(assay(command).out, AllOf(HasSubstr("val/b,?"), HasSubstr("cannot be listed")));
    EXPECT_THAT(assay("score").err, AllOf(HasSubstr("val/b"), HasSubstr("cannot be listed")));
    fs::permissions(runs_ / "val/b", fs::perms::owner_all);
}

TEST_F(Stores, DataSetsAreSuggestedOnce) {
    const Outcome outcome = assay_run({"gap", "val", "zz", "--runs", runs_});
    EXPECT_EQ(outcome.status, 2);
    const std::size_t first = outcome.err.find("known: ");
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_THAT(outcome.err.substr(first), AllOf(HasSubstr("val"), Not(HasSubstr("val, val"))));
}

}  // namespace
}  // namespace assay
