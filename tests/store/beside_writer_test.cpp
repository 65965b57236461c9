// Stores that are read while a writer replaces their shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "assay/store/verify.h"
#include "core/file.h"
#include "made_up.h"
#include "sanitized.h"
#include "scratch.h"
#include "store/open_shards.h"
#include "store/parts.h"

namespace assay {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t shards_beside = 200;  // there are more shards than a reader keeps open

/// Writes stores in which every score is `version`.
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

/// While this object exists, it writes one version after the other, with one open file.
class Rewriter {
public:
    explicit Rewriter(const std::filesystem::path& runs)
        : open_files_(store::set_open_files(1)), thread_([this, runs] {
              for (float version = 2; !stop_; ++version) write_version(runs, version);
          }) {}
    ~Rewriter() {
        stop_ = true;
        thread_.join();
        store::set_open_files(open_files_);
    }

private:
    std::size_t open_files_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

TEST(BesideWriter, NoShardIsMixedWithItsSuccessor) {
    const Scratch scratch(in_memory());
    write_version(scratch.path(), 1);
    std::optional<Rewriter> writer(scratch.path());
    int replaced = 0;
    constexpr int rounds = sanitized ? 15 : 150;
    for (int round = 0; round < rounds || (replaced == 0 && round < 5000); ++round) {
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
            // Between two versions there is no writer, and a writer records its name only after it
            // has the lock.
            ASSERT_THAT(error.what(), AnyOf(HasSubstr("is still being written by process "),
                                            HasSubstr("is still being written by another process"),
                                            HasSubstr("was written to while it was read")));
        }
        // Nothing may count as damage.
        if (round % 10 == 0) {
            for (const StoreCheck& check : verify_stores(scratch.path()))
                EXPECT_THAT(check.problems, testing::IsEmpty());
        }
    }
    writer.reset();
    EXPECT_GT(replaced, 0);
}

// While a reader reads the manifests of many parts, a writer replaces the shard of the first part
// several times.
TEST(BesideWriter, AStoreOfPartsIsWholeOrUnfinished) {
    constexpr std::uint32_t parts = 24;
    const Scratch scratch(in_memory());
    const auto write = [&](std::uint32_t number) {
        StoreSpec spec = made_up_spec(parts);
        spec.shard_rows = spec.batch_size = 1;
        spec.part = {number, parts};
        StoreWriter writer = StoreWriter::open(scratch.path(), spec, made_up_dataset(parts));
        for (std::size_t s = 0; s < writer.shards(); ++s) {
            if (store::part_of_shard(s, writer.shards(), parts).number != number) continue;
            if (writer.has(s)) writer.redo(s);
            const std::vector<float> scores(spec.classes, 1);
            writer.write_shard(s, scores, std::vector<RowState>(1, RowState::ok), {}, "");
        }
        writer.finish();
    };
    for (std::uint32_t number = 1; number <= parts; ++number) write(number);
    std::atomic<bool> stop{false};
    std::thread rewriting([&] {
        while (!stop) write(1);
    });
    constexpr int rounds = sanitized ? 30 : 300;
    int finished = 0, torn = 0;
    for (int round = 0; round < rounds; ++round) {
        const PredictionStore opened = PredictionStore::open(scratch / "val/net");
        finished += opened.finished() ? 1 : 0;
        torn += opened.finished() && !opened.complete() ? 1 : 0;
    }
    stop = true;
    rewriting.join();
    EXPECT_GT(finished, 0);
    EXPECT_EQ(torn, 0);
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

// If the writer finishes meanwhile, real damage must not be taken for a replaced shard.
TEST(BesideWriter, DamageIsDamageWhenTheWriterFinishesMeanwhile) {
    const Scratch scratch(in_memory());
    const std::filesystem::path folder = scratch / "val/net";
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(5), made_up_dataset(5));
    for (std::size_t s = 0; s < writer.shards(); ++s) write_made_up_shard(writer, s);
    const PredictionStore opened = PredictionStore::open(folder);
    ASSERT_FALSE(opened.finished());
    writer.finish();
    const std::filesystem::path file = folder / "shards/000000.npy";
    std::string text = file_text(file);
    text.back() = static_cast<char>(text.back() ^ 1);
    put_text(file, text);
    const auto [code, message] = error_of([&] { opened.shard(0); });
    EXPECT_EQ(code, ErrorCode::bad_input);
    EXPECT_THAT(message, HasSubstr("is damaged"));
}

// A writer removes the mark `finished` before it removes a record.
TEST(BesideWriter, AMissingRecordIsDamageInAFinishedStoreOnly) {
    for (const bool finished : {true, false}) {
        const Scratch scratch(in_memory());
        StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(5), made_up_dataset(5));
        for (std::size_t s = 0; s < writer.shards(); ++s) write_made_up_shard(writer, s);
        if (finished) writer.finish();
        const PredictionStore opened = PredictionStore::open(scratch / "val/net");
        std::filesystem::remove(scratch / "val/net/shards/000000.json");
        const auto [code, message] = error_of([&] { opened.shard(0); });
        EXPECT_EQ(code, finished ? ErrorCode::bad_input : ErrorCode::busy) << message;
        EXPECT_THAT(message, HasSubstr(finished ? "cannot open" : "was replaced"));
    }
}

TEST(BesideWriter, AShardReplacedSinceIsSaidToBeReplaced) {
    const Scratch scratch(in_memory());
    write_version(scratch.path(), 1);
    const PredictionStore opened = PredictionStore::open(scratch / "val/net");
    opened.shard(3);
    write_version(scratch.path(), 2);
    const auto [code, message] = error_of([&] { opened.shard(3); });
    EXPECT_EQ(code, ErrorCode::busy);
    EXPECT_THAT(message, HasSubstr("was written to while it was read: shard 3 of it was replaced"));
    EXPECT_THAT(message, Not(HasSubstr("still being written")));
}

TEST(BesideWriter, AShardThatWasNotReadIsNotSound) {
    StoreCheck check{.folder = "runs/val/net",
                     .shards = 4,
                     .missing = 0,
                     .problems = {},
                     .notes = {},
                     .written_by = {},
                     .unfinished = {}};
    EXPECT_FALSE(report_of({check}).partial);
    check.replaced = 1;
    const Report report = report_of({check});
    EXPECT_TRUE(report.partial);
    EXPECT_FALSE(any_damaged({check}));
    EXPECT_EQ(report.result.at("stores").at(0).at("replaced"), 1);
    EXPECT_THAT(render(report, ReportFormat::csv), HasSubstr("was being written"));
}

}  // namespace
}  // namespace assay
