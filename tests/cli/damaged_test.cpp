// Commands on stores, some of which are damaged or unfinished.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/store/prediction_store.h"
#include "core/database.h"
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
            text += "p" + std::to_string(i) + "," + std::to_string(i) + ".5,-" +
                    std::to_string(i + 1) + ".5\n";
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

/// A store as left by a writer that is killed before the end.
void interrupt(const fs::path& runs, const fs::path& store) {
    const PredictionStore there = PredictionStore::open(store);
    StoreWriter writer = StoreWriter::open(runs, there.spec(), there.dataset());
    std::vector<float> scores(std::size_t{writer.rows_in(1)} * there.classes());
    there.shard(1).read_rows(0, writer.rows_in(1), scores);
    writer.redo(1);
    writer.write_shard(1, scores, std::vector<RowState>(writer.rows_in(1)), {}, "");
}

TEST_F(Stores, ThatAreNotFinishedAreSound) {
    interrupt(runs_, runs_ / "val/b");
    fs::remove(runs_ / "val/b/shards/000000.json");
    fs::remove(runs_ / "val/b/shards/000002.json");
    const Outcome verified = assay("verify");
    EXPECT_EQ(verified.status, 3);
    EXPECT_THAT(verified.out, HasSubstr("val/b,3,2,\"sound, not finished\""));
    EXPECT_EQ(std::count(verified.out.begin(), verified.out.end(), '\n'), 4)
        << verified.out;  // a line for each store
    // Damaged stores are listed before incomplete ones.
    write_file_atomically(runs_ / "val/b/shards/000001.npy", "short");
    EXPECT_EQ(assay("verify").status, 2);
    EXPECT_THAT(assay("verify").out,
                AllOf(HasSubstr("damaged: `000001.npy`"), Not(HasSubstr("shard 0 of 3"))));
}

TEST_F(Stores, ThatLostAShardAreDamaged) {
    fs::remove(runs_ / "val/b/shards/000000.json");
    const Outcome verified = assay("verify");
    EXPECT_EQ(verified.status, 2);
    EXPECT_THAT(
        verified.out,
        AllOf(HasSubstr("val/b,3,1,\"damaged: 1 of 3 shards is missing from the finished store"),
              HasSubstr("val/a,3,0,sound")));
}

// No command reads shards of one model in the folder of another one.
TEST_F(Stores, WithShardsOfOthersAreDamaged) {
    std::string text = "image,cat,dog\n";
    for (int i = 0; i < 6; ++i)
        text += "p" + std::to_string(i) + ",-" + std::to_string(i) + ".5,3." +
                std::to_string(i + 1) + "\n";
    write_file_atomically(scratch_ / "other.csv", text);
    ASSERT_EQ(assay_run({"import", scratch_ / "other.csv", "--dataset-name", "val", "--name", "d",
                         "--out", runs_, "--shard-rows", "2"})
                  .status,
              0);
    for (const char* name : {"shards/000001.npy", "shards/000001.json"})
        fs::copy_file(runs_ / "val/d" / name, runs_ / "val/b" / name,
                      fs::copy_options::overwrite_existing);
    const Outcome verified = assay("verify");
    EXPECT_EQ(verified.status, 2);
    EXPECT_THAT(verified.out, HasSubstr("it belongs to another store, `d` on `val`"));
    const std::string b = runs_ / "val/b", a = runs_ / "val/a";
    for (const std::vector<std::string>& command : {std::vector<std::string>{"score", b},
                                                    {"compare", a, b},
                                                    {"export", b},
                                                    {"show", "p2", b}}) {
        const Outcome outcome = assay_run(command);
        EXPECT_EQ(outcome.status, 2) << command[0];
        EXPECT_THAT(outcome.err, HasSubstr("belongs to another store")) << command[0];
    }
    EXPECT_EQ(assay_run({"score", runs_ / "val/d"}).status, 0);
}

TEST_F(Stores, OfTheFormatOfBeforeAreReadAndSaySo) {
    const fs::path old = scratch_ / "old";
    fs::copy(fs::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures/version2", old,
             fs::copy_options::recursive);
    EXPECT_EQ(assay_run({"score", old}).status, 3);  // one image could not be read
    const Outcome verified = assay_run({"verify", old});
    EXPECT_EQ(verified.status, 0);
    EXPECT_THAT(verified.out, AllOf(HasSubstr("sound as far as its format can show"),
                                    HasSubstr("\n2 of 2 stores: written in format 2")));
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

// The text output is a table, with the errors below it, in lines of at most 100 columns.
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
        EXPECT_THAT(assay(command).out,
                    AllOf(HasSubstr("val/b,?"), HasSubstr("Permission denied")));
    EXPECT_THAT(assay("score").err, AllOf(HasSubstr("val/b"), HasSubstr("Permission denied")));
    fs::permissions(runs_ / "val/b", fs::perms::owner_all);
}

TEST_F(Stores, DataSetsAreSuggestedOnce) {
    const Outcome outcome = assay_run({"gap", "val", "zz", "--runs", runs_});
    EXPECT_EQ(outcome.status, 2);
    const std::size_t first = outcome.err.find("known: ");
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_THAT(outcome.err.substr(first), AllOf(HasSubstr("val"), Not(HasSubstr("val, val"))));
}

TEST(Studies, ThatAreDamagedNameTheRowAndTheColumn) {
    for (const std::string name : {"competition", "labelling"}) {
        const Scratch scratch;
        const fs::path study = scratch / "study";
        fs::copy(fs::path(ASSAY_SOURCE_DIR) / "tests/study/fixtures/version1" / name, study,
                 fs::copy_options::recursive);
        EXPECT_EQ(assay_run({"verify", study}).status, 0) << name;
        Database(study / (name + ".sqlite"), Database::Access::write)
            .execute(
                "UPDATE answer SET at = 'yesterday' WHERE id = 3; UPDATE annotator SET name = "
                "CAST(x'4ae9' AS TEXT) WHERE id = 1");
        Database(study / "people.sqlite", Database::Access::write)
            .execute("UPDATE person SET token = CAST(x'63e9' AS TEXT) WHERE id = 2");
        const Outcome verified = assay_run({"verify", study, "--csv"});
        EXPECT_EQ(verified.status, 2) << name;
        EXPECT_THAT(verified.out,
                    AllOf(HasSubstr("table answer, row 3: at is `yesterday`; allowed: a time"),
                          HasSubstr("table annotator, row 1: name is `J\\xe9`; allowed: text"),
                          HasSubstr("table person, row 2: token is a text that is not shown"),
                          Not(HasSubstr("`c"))))
            << name;
        EXPECT_EQ(assay_run({"verify", study, "--json"}).status, 2);
    }
}

}  // namespace
}  // namespace assay
