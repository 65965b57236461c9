// Stores that are read while a writer replaces their shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "assay/store/verify.h"
#include "core/file.h"
#include "made_up.h"
#include "scratch.h"
#include "store/open_shards.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t shards_beside = 200;  // more than a reader keeps open

/// Every score of every shard is `version`.
void write_version(const std::filesystem::path& runs, float version) {
    StoreSpec spec = made_up_spec(shards_beside);
    spec.shard_rows = spec.batch_size = 1;
    StoreWriter writer = StoreWriter::open(runs, spec, made_up_dataset(shards_beside));
    const std::vector<float> scores(spec.classes, version);
    const std::vector<RowState> states(1, RowState::ok);
    for (std::size_t s = 0; s < writer.shards(); ++s) {
        if (writer.has(s)) writer.redo(s);
        writer.write_shard(s, scores, states, {}, "");
    }
    writer.finish();
}

TEST(BesideWriter, NoShardIsMixedWithItsSuccessor) {
    const Scratch scratch(in_memory());
    write_version(scratch.path(), 1);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
        for (float version = 2; !stop; ++version) write_version(scratch.path(), version);
    });
    const std::size_t before = store::set_open_files(1);
    int replaced = 0;
    for (int round = 0; round < 150 || (replaced == 0 && round < 5000); ++round) {
        try {
            const PredictionStore store = PredictionStore::open(scratch / "val/net");
            const RowReader reader(store);
            std::vector<float> seen(shards_beside, 0);
            for (int pass = 0; pass < 2; ++pass) {
                for (std::uint64_t row = 0; row < shards_beside; ++row) {
                    std::vector<float> buffer;
                    if (reader.status(row) != RowStatus::ok) continue;
                    const std::span<const float> scores = reader.scores(row, buffer);
                    for (const float score : scores) ASSERT_EQ(score, scores[0]) << row;
                    if (pass == 1) {
                        ASSERT_EQ(scores[0], seen[row]) << row;
                    }
                    seen[row] = scores[0];
                }
            }
        } catch (const Error& error) {
            ++replaced;
            ASSERT_EQ(error.code(), ErrorCode::busy) << error.what();
            ASSERT_THAT(error.what(), HasSubstr("is still being written by process "));
        }
        // Nothing of it is damage.
        if (round % 10 == 0) {
            EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
        }
    }
    stop = true;
    writer.join();
    store::set_open_files(before);
    EXPECT_GT(replaced, 0);
}

TEST(BesideWriter, WhoWritesIsSaidWhileHeDoes) {
    const Scratch scratch(in_memory());
    write_version(scratch.path(), 1);
    const std::filesystem::path folder = scratch / "val/net";
    EXPECT_EQ(PredictionStore::open(folder).written_by(), "");
    {
        StoreSpec spec = made_up_spec(shards_beside);
        spec.shard_rows = spec.batch_size = 1;
        StoreWriter writer =
            StoreWriter::open(scratch.path(), spec, made_up_dataset(shards_beside));
        EXPECT_EQ(PredictionStore::open(folder).written_by(), "") << "it has changed nothing";
        writer.redo(3);
        writer.write_shard(3, std::vector<float>(spec.classes), std::vector<RowState>(1), {}, "");
        const PredictionStore meanwhile = PredictionStore::open(folder);
        EXPECT_EQ(meanwhile.written_by(), fmt::format("process {}", ::getpid()));
        EXPECT_THAT(writer_warning(meanwhile), HasSubstr("is still being written by process"));
        const std::vector<StoreCheck> checks = verify_stores(scratch.path());
        EXPECT_FALSE(any_damaged(checks));
        EXPECT_TRUE(report_of(checks).partial);
    }
    EXPECT_EQ(PredictionStore::open(folder).written_by(), "");
}

}  // namespace
}  // namespace assay
