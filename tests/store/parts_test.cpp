// Stores that several processes write in parts. Together they equal the store of one process, and a
// mixture of parts is never read as a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include <nlohmann/json.hpp>

#include "assay/store/join.h"
#include "assay/store/prediction_store.h"
#include "assay/store/verify.h"
#include "core/file.h"
#include "made_up.h"
#include "may_trace.h"
#include "scratch.h"
#include "store/layout.h"
#include "store/parts.h"
#include "store/shared_disk.h"

namespace {

enum class Locks { real, none, unseen };
std::atomic<Locks> locks{Locks::real};

}  // namespace

/// Replaces flock() of the C library, to simulate a file system without locks, or one whose
/// locks other machines do not see.
extern "C" int flock(int descriptor, int operation) {
    if (locks == Locks::none) {
        errno = ENOLCK;
        return -1;
    }
    if (locks == Locks::unseen) return 0;
    return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

namespace assay {
namespace {

namespace fs = std::filesystem;
using store::part_named;
using store::part_of_shard;
using store::shards_of;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t rows = 47;  // five shards, of which the last one is short

StoreSpec spec_of_part(std::uint32_t number, std::uint32_t of,
                       StorageFormat storage = StorageFormat::full_f32) {
    StoreSpec spec = made_up_spec(rows, storage);
    spec.part = {number, of};
    return spec;
}

StoreWriter open_writer(const fs::path& runs, const StoreSpec& spec) {
    return StoreWriter::open(runs, spec, made_up_dataset(rows));
}

void write_own_shards(StoreWriter& writer, float more = 0) {
    for (std::size_t s = 0; s < writer.shards(); ++s)
        if (writer.is_own(s) && !writer.has(s)) write_made_up_shard(writer, s, more);
    writer.finish();
}

void write_part(const fs::path& runs, std::uint32_t number, std::uint32_t of,
                StorageFormat storage = StorageFormat::full_f32) {
    StoreWriter writer = open_writer(runs, spec_of_part(number, of, storage));
    write_own_shards(writer);
}

/// The shard files of a whole store or of its parts, by file name.
std::map<std::string, std::string> shards_in(const fs::path& runs) {
    std::map<std::string, std::string> shards;
    for (auto& [name, text] : all_files(runs))
        if (name.find("shards/") != std::string::npos)
            shards[fs::path(name).filename().string()] = text;
    return shards;
}

class StoreParts : public testing::TestWithParam<StorageFormat> {
protected:
    const Scratch scratch_{in_memory()}, whole_{in_memory()};
    const fs::path runs_ = scratch_ / "runs";
    const fs::path store_ = runs_ / "val/net";
};

TEST(PartOfAStore, EveryShardIsInOnePartAndPartsFollowOneAnother) {
    for (std::size_t shards = 1; shards <= 40; ++shards) {
        for (std::uint32_t of = 1; of <= 50; ++of) {
            std::size_t next = 0;
            for (std::uint32_t number = 1; number <= of; ++number) {
                const auto range = shards_of({number, of}, shards);
                ASSERT_EQ(range.begin, next) << shards << " " << number << "/" << of;
                next = range.end;
                // Parts differ by at most one shard.
                ASSERT_LE(range.size(), shards / of + 1);
                ASSERT_GE(range.size(), shards / of);
                for (std::size_t s = range.begin; s < range.end; ++s)
                    ASSERT_EQ(part_of_shard(s, shards, of), (StorePart{number, of}));
            }
            ASSERT_EQ(next, shards);
        }
    }
    EXPECT_EQ(shards_of({0, 0}, 7).size(), 7U);
}

TEST(PartOfAStore, IsReadFromItsTextAndFromItsFolder) {
    EXPECT_EQ(parse_part("7/100"), (StorePart{7, 100}));
    EXPECT_EQ(parse_part("1/1"), (StorePart{1, 1}));
    for (const char* text : {"", "7", "0/3", "4/3", "1/0", "1/100001", "-1/3", "1/3x", "1/ 3",
                             "+1/3", "1.0/3", "99999999999/99999999999", "/", "1//3"})
        EXPECT_EQ(error_of([&] { parse_part(text); }).first, ErrorCode::usage) << text;
    EXPECT_EQ(part_named("0007-of-0100"), (StorePart{7, 100}));
    EXPECT_EQ(part_named("12345-of-99999"), (StorePart{12345, 99999}));
    for (const char* name : {"7-of-100", "0007-of-0006", "0000-of-0006", "0007-of-0100x",
                             "x0007-of-0100", "-of-", "0007-of-", "shards"})
        EXPECT_FALSE(part_named(name)) << name;
}

TEST(PartOfAStore, ShardsAreOfWhatIsKept) {
    StoreSpec spec = made_up_spec(1000);
    const auto default_rows = [&](StorageFormat storage, std::uint32_t classes, std::uint32_t top_k,
                                  std::uint32_t batch) {
        spec.storage = storage;
        spec.classes = classes;
        spec.top_k = top_k;
        spec.batch_size = batch;
        return store::default_shard_rows(spec);
    };
    EXPECT_EQ(default_rows(StorageFormat::full_f32, 1000, 0, 32), 1024U);
    EXPECT_EQ(default_rows(StorageFormat::full_f32, 1000, 0, 25), 1000U);
    EXPECT_EQ(default_rows(StorageFormat::full_f16, 1000, 0, 32), 2048U);
    EXPECT_EQ(default_rows(StorageFormat::full_f32, 21'843, 0, 0), 32U);
    EXPECT_EQ(default_rows(StorageFormat::full_f32, 10, 0, 64), 8192U);
    EXPECT_EQ(default_rows(StorageFormat::full_f32, 10, 0, 0), 65'536U);
    EXPECT_EQ(default_rows(StorageFormat::top_k, 1000, 20, 64), 8192U);
    EXPECT_EQ(default_rows(StorageFormat::top_k, 1000, 20, 0), 16'384U);
    EXPECT_EQ(default_rows(StorageFormat::label, 1000, 0, 64), 8192U);
    EXPECT_EQ(default_rows(StorageFormat::label, 1000, 0, 0), 262'144U);
    EXPECT_EQ(default_rows(StorageFormat::full_f32, 10'000'000, 0, 32), 32U);  // one batch or more
}

TEST(PartOfAStore, ShardsLeaveEveryPartSomething) {
    StoreSpec spec = made_up_spec(1000);
    spec.shard_rows = 0;
    EXPECT_EQ(store::shard_rows_for(spec), store::default_shard_rows(spec));
    spec.part = {1, 10};
    EXPECT_EQ(store::shard_rows_for(spec), 100U);
    spec.part = {3, 300};  // fewer batches than parts, so the first parts have one batch each
    EXPECT_EQ(store::shard_rows_for(spec), 5U);
    spec.rows = 50'000;
    spec.classes = 1000;
    spec.part = {1, 8};
    EXPECT_EQ(store::shard_rows_for(spec), store::default_shard_rows(spec));
}

TEST_P(StoreParts, TogetherAreWhatOneProcessWritesAndSoIsTheirJoin) {
    const StorageFormat storage = GetParam();
    StoreWriter one = open_writer(whole_ / "runs", made_up_spec(rows, storage));
    write_own_shards(one);
    const auto expected = shards_in(whole_ / "runs");
    const std::string content = everything_in(whole_ / "runs/val/net");
    std::mt19937 random(3);
    for (const std::uint32_t of : {1U, 2U, 3U, 5U, 9U}) {
        SCOPED_TRACE(of);
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 1; i <= of; ++i) order.push_back(i);
        std::shuffle(order.begin(), order.end(), random);
        for (std::size_t k = 0; k < order.size(); ++k) {
            write_part(runs_, order[k], of, storage);
            const PredictionStore store = PredictionStore::open(store_);
            EXPECT_EQ(store.finished(), k + 1 == order.size());
            EXPECT_EQ(store.unfinished_parts().size(), of - k - 1);
        }
        EXPECT_EQ(shards_in(runs_), expected);
        EXPECT_EQ(everything_in(store_), content);
        EXPECT_TRUE(verify_store(store_).empty());

        const auto joined = join_parts(runs_);
        ASSERT_EQ(joined.size(), 1U);
        EXPECT_EQ(joined[0].parts, of);
        EXPECT_EQ(joined[0].moved, 5U);
        EXPECT_EQ(shards_in(runs_), expected);
        EXPECT_EQ(everything_in(store_), content);
        EXPECT_FALSE(fs::exists(store_ / "parts"));
        const PredictionStore store = PredictionStore::open(store_);
        EXPECT_TRUE(store.finished());
        EXPECT_EQ(store.spec().part, StorePart());
        EXPECT_EQ(store.spec().id, one.spec().id);
        // After the join, it is an ordinary store, which the writer of a whole store can resume.
        EXPECT_EQ(open_writer(runs_, made_up_spec(rows, storage)).missing(), 0U);
        EXPECT_EQ(join_parts(runs_)[0].parts, 0U);
        fs::remove_all(runs_);
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, StoreParts,
                         testing::Values(StorageFormat::full_f32, StorageFormat::top_k),
                         [](const auto& p) { return std::string(name_of(p.param)); });

class PartsOnDisk : public testing::Test {
protected:
    void TearDown() override { locks = Locks::real; }
    Scratch scratch_{in_memory()};
    const fs::path runs_ = scratch_ / "runs";
    const fs::path store_ = runs_ / "val/net";
};

TEST_F(PartsOnDisk, TakeOverWhatTheFirstOneSettled) {
    write_part(runs_, 2, 3);
    StoreSpec spec = spec_of_part(1, 3);
    spec.batch_size = 0;
    spec.shard_rows = 0;
    const StoreWriter writer = open_writer(runs_, spec);
    EXPECT_EQ(writer.spec().batch_size, 5U);
    EXPECT_EQ(writer.spec().shard_rows, 10U);
}

TEST_F(PartsOnDisk, AreRefusedWhereTheyDoNotBelongTogether) {
    write_part(runs_, 2, 3);
    const auto refusal = [&](const StoreSpec& spec) {
        const auto [code, message] = error_of([&] { open_writer(runs_, spec); });
        EXPECT_EQ(code, ErrorCode::bad_input) << message;
        return message;
    };
    EXPECT_THAT(refusal(spec_of_part(1, 4)),
                HasSubstr("begun in 3 parts: predict one of them (`assay predict --part I/3`)"));
    EXPECT_THAT(refusal(made_up_spec(rows)), HasSubstr("assay join"));
    StoreSpec other = spec_of_part(1, 3);
    other.batch_size = 10;
    EXPECT_THAT(refusal(other), HasSubstr("the batch size was `5` and is now `10`"));
    other = spec_of_part(1, 3);
    other.model_hash = "xxh128:00000000000000000000000000000009";
    EXPECT_THAT(refusal(other), HasSubstr("the model's file is another one"));
    EXPECT_FALSE(fs::exists(store_ / "parts/0001-of-0003"));

    StoreWriter one = open_writer(scratch_ / "one", made_up_spec(rows));
    write_own_shards(one);
    EXPECT_THAT(error_of([&] { open_writer(scratch_ / "one", spec_of_part(1, 2)); }).second,
                HasSubstr("begun in one piece: predict all of it"));
}

TEST_F(PartsOnDisk, ThatDoNotBelongTogetherAreNoStore) {
    for (std::uint32_t i = 1; i <= 3; ++i) write_part(runs_, i, 3);
    const auto refusal = [&](const fs::path& folder) {
        const auto [code, message] = error_of([&] { PredictionStore::open(folder); });
        EXPECT_EQ(code, ErrorCode::bad_input) << message;
        return message;
    };
    EXPECT_THAT(refusal(store_ / "parts/0002-of-0003"),
                AllOf(HasSubstr("is part 2/3 of the store"), HasSubstr("name that one")));
    // The folder of the store and the folders of its parts open the same store.
    for (const char* path : {"", "/parts", "/parts/0002-of-0003"})
        EXPECT_EQ(find_stores(store_.string() + path).size(), 1U) << path;

    fs::rename(store_ / "parts/0003-of-0003", store_ / "parts/0003-of-0004");
    EXPECT_THAT(refusal(store_), HasSubstr("holds parts of 3 and of 4"));
    fs::rename(store_ / "parts/0003-of-0004", store_ / "parts/0003-of-0003");

    // If parts are exchanged, their folder names are wrong.
    fs::rename(store_ / "parts/0001-of-0003", store_ / "aside");
    fs::copy(store_ / "parts/0002-of-0003", store_ / "parts/0001-of-0003",
             fs::copy_options::recursive);
    EXPECT_THAT(refusal(store_), HasSubstr("belongs to part 2/3, not 1/3"));
    fs::remove_all(store_ / "parts/0001-of-0003");
    fs::rename(store_ / "aside", store_ / "parts/0001-of-0003");

    // The part belongs to another model.
    StoreSpec other = spec_of_part(1, 3);
    other.model_hash = "xxh128:00000000000000000000000000000009";
    StoreWriter writer = open_writer(scratch_ / "other", other);
    write_own_shards(writer);
    fs::remove_all(store_ / "parts/0001-of-0003");
    fs::copy(scratch_ / "other/val/net/parts/0001-of-0003", store_ / "parts/0001-of-0003",
             fs::copy_options::recursive);
    EXPECT_THAT(refusal(store_),
                AllOf(HasSubstr("1/3 and 2/3"), HasSubstr("belong to different stores"),
                      HasSubstr("model's file")));
}

TEST_F(PartsOnDisk, HaveTheirOwnShardsAlone) {
    for (const std::uint32_t i : {1U, 3U}) write_part(runs_, i, 3);
    write_part(scratch_ / "other", 2, 3);
    // Shard 1 belongs to part 2, so a copy in the folder of part 1 is ignored.
    for (const char* file : {"000001.npy", "000001.json"})
        fs::copy(scratch_ / "other/val/net/parts/0002-of-0003/shards" / file,
                 store_ / "parts/0001-of-0003/shards" / file);
    const PredictionStore store = PredictionStore::open(store_);
    EXPECT_FALSE(store.has(1));
    EXPECT_EQ(store.unfinished_parts(), (std::vector<StorePart>{{2, 3}}));
    const auto [code, message] = error_of([&] { join_parts(runs_); });
    EXPECT_EQ(code, ErrorCode::bad_input);
    EXPECT_THAT(message, AllOf(HasSubstr("lacks the part 2 of 3"), HasSubstr("--part 2/3")));
    EXPECT_FALSE(fs::exists(store_ / "manifest.json"));
}

TEST_F(PartsOnDisk, AreNotJoinedWhileOneIsWritten) {
    for (const std::uint32_t i : {1U, 2U, 3U}) write_part(runs_, i, 3);
    const FileLock writer(store_ / "parts/0002-of-0003/lock");
    EXPECT_EQ(error_of([&] { join_parts(runs_); }).first, ErrorCode::busy);
    EXPECT_FALSE(fs::exists(store_ / "manifest.json"));
}

TEST_F(PartsOnDisk, VerifyNamesThoseThatAreMissing) {
    write_part(runs_, 1, 5);
    write_part(runs_, 4, 5);
    { const StoreWriter begun = open_writer(runs_, spec_of_part(5, 5)); }
    const auto checks = verify_stores(runs_);
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_TRUE(checks[0].problems.empty());
    EXPECT_EQ(text_of(checks[0].unfinished), "2, 3, 5 of 5");
    EXPECT_EQ(text_of({{1, 9}, {2, 9}, {3, 9}, {7, 9}}), "1 to 3, 7 of 9");
    const Report report = report_of(checks);
    EXPECT_TRUE(report.partial);
    EXPECT_EQ(report.result["stores"][0]["parts"],
              nlohmann::json({{"of", 5}, {"unfinished", {2, 3, 5}}}));
}

TEST_F(PartsOnDisk, ARecordSaysWhatComputedItsShard) {
    for (std::uint32_t i = 1; i <= 3; ++i) {
        StoreSpec spec = spec_of_part(i, 3);
        spec.provenance_json = i < 3 ? R"({"device":"cpu","framework":"LibTorch 2.6.0"})"
                                     : R"({"device":"NVIDIA H100","framework":"LibTorch 2.6.0"})";
        StoreWriter writer = open_writer(runs_, spec);
        write_own_shards(writer);
    }
    const auto checks = verify_stores(runs_);
    ASSERT_EQ(checks[0].notes.size(), 1U);
    EXPECT_THAT(checks[0].notes[0], AllOf(HasSubstr("NVIDIA H100, LibTorch 2.6.0 (2 shards)"),
                                          HasSubstr("cpu, LibTorch 2.6.0 (3 shards)")));
    join_parts(runs_);
    const PredictionStore store = PredictionStore::open(store_);
    EXPECT_EQ(store.shard(0).computed_on(), (ComputedOn{"cpu", "LibTorch 2.6.0"}));
    EXPECT_EQ(store.shard(4).computed_on().device, "NVIDIA H100");
    const auto parts = nlohmann::json::parse(store.spec().provenance_json)["parts"];
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0]["first"], 1);
    EXPECT_EQ(parts[0]["last"], 2);
    EXPECT_EQ(parts[1]["device"], "NVIDIA H100");
}

TEST_F(PartsOnDisk, ADamagedShardIsFoundBeforeAnythingIsMovedAndIsComputedAgain) {
    const auto damaged_by = [&](auto&& damage) {
        fs::remove_all(runs_);
        for (std::uint32_t i = 1; i <= 3; ++i) write_part(runs_, i, 3);
        const auto whole = shards_in(runs_);
        damage(store_ / "parts/0002-of-0003/shards");
        const auto [code, message] = error_of([&] { join_parts(runs_); });
        EXPECT_EQ(code, ErrorCode::bad_input) << message;
        EXPECT_THAT(message, HasSubstr("000001"));
        EXPECT_FALSE(fs::exists(store_ / "manifest.json"));
        // This follows the advice of the message.
        fs::remove(store_ / "parts/0002-of-0003/shards/000001.json");
        write_part(runs_, 2, 3);
        join_parts(runs_);
        EXPECT_EQ(shards_in(runs_), whole);
        EXPECT_TRUE(verify_store(store_).empty());
    };
    damaged_by([](const fs::path& shards) { fs::remove(shards / "000001.npy"); });
    damaged_by([](const fs::path& shards) { fs::resize_file(shards / "000001.npy", 100); });
    damaged_by([](const fs::path& shards) { put_text(shards / "000001.json", "{}"); });
    // The record is valid, but not the one with which the part was finished.
    damaged_by([&](const fs::path& shards) {
        const std::string text = file_text(shards / "000001.json");
        std::string other = text;
        other.replace(other.find("cut off after 77"), 16, "cut off after 78");
        put_text(shards / "000001.json", with_checksum(other));
    });
}

TEST_F(PartsOnDisk, AShardThatIsLostWhileTheyAreJoinedIsComputedAgain) {
    for (std::uint32_t i = 1; i <= 3; ++i) write_part(runs_, i, 3);
    const auto whole = shards_in(runs_);
    // This is the state after a join that was stopped after shard 1. Then this shard is lost.
    auto manifest = store::read_whole_manifest(store_);
    manifest.finished = false;
    manifest.records.clear();
    fs::create_directories(store_ / "shards");
    put_text(store_ / "manifest.json", store::manifest_text(manifest));
    for (const char* part : {"0001-of-0003/shards/000000", "0002-of-0003/shards/000001"})
        for (const char* ending : {".npy", ".json"})
            fs::rename(store_ / "parts" / (std::string(part) + ending),
                       store_ / "shards" / (fs::path(part).filename().string() + ending));
    EXPECT_TRUE(PredictionStore::open(store_).complete());
    fs::remove(store_ / "shards/000001.json");
    EXPECT_THAT(error_of([&] { join_parts(runs_); }).second, HasSubstr("--part 2/3"));
    write_part(runs_, 2, 3);
    join_parts(runs_);
    EXPECT_EQ(shards_in(runs_), whole);
    EXPECT_FALSE(fs::exists(store_ / "parts"));
}

TEST_F(PartsOnDisk, ADataSetAndAModelMayBeCalledAsTheyAre) {
    StoreSpec spec = made_up_spec(rows);
    spec.dataset_name = "parts";
    for (const char* name : {"0001-of-0002", "0001-of-0003", "parts"}) {
        spec.model_name = name;
        StoreWriter writer = open_writer(runs_, spec);
        write_own_shards(writer);
    }
    StoreWriter other = open_writer(runs_, made_up_spec(rows));
    write_own_shards(other);
    EXPECT_EQ(find_stores(runs_).size(), 4U);
    EXPECT_EQ(find_stores(runs_ / "parts").size(), 3U);
    EXPECT_EQ(find_stores(runs_ / "parts/0001-of-0002").size(), 1U);
    for (const StoreCheck& check : verify_stores(runs_)) EXPECT_TRUE(check.problems.empty());
    EXPECT_EQ(join_parts(runs_).size(), 4U);
}

TEST_F(PartsOnDisk, APartOnAnotherDiskIsNotBegunToBeJoined) {
    const Scratch elsewhere;  // the folder runs_ is in memory
    for (std::uint32_t i = 1; i <= 2; ++i) write_part(runs_, i, 2);
    if (identity_of_file(elsewhere.path()).device == identity_of_file(runs_).device)
        GTEST_SKIP() << "the folder of temporary files is on the same disk";
    fs::copy(store_ / "parts/0002-of-0002", elsewhere / "part", fs::copy_options::recursive);
    fs::remove_all(store_ / "parts/0002-of-0002");
    fs::create_directory_symlink(elsewhere / "part", store_ / "parts/0002-of-0002");
    EXPECT_TRUE(PredictionStore::open(store_).finished());
    EXPECT_THAT(error_of([&] { join_parts(runs_); }).second, HasSubstr("on a different disk"));
    EXPECT_FALSE(fs::exists(store_ / "manifest.json"));
}

/// Runs `body` in a child that is killed at its n-th entry to or exit from a system call. Returns
/// true if it finished before that.
template <class Body>
bool run_until(int n, Body&& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(42);
        ::raise(SIGSTOP);
        try {
            body();
        } catch (...) {
            ::_exit(3);
        }
        ::_exit(0);
    }
    int status = 0;
    for (int stop = 0;; ++stop) {
        if (::waitpid(child, &status, 0) != child) return false;
        if (WIFEXITED(status)) {
            EXPECT_EQ(WEXITSTATUS(status), 0);
            return true;
        }
        if (stop == n) break;
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) == child && !WIFSIGNALED(status)) {
    }
    return false;
}

TEST_F(PartsOnDisk, AJoinThatIsKilledLosesNothingAndTheNextOneEndsIt) {
    if (!may_trace()) GTEST_SKIP() << "this machine does not let a process trace its children";
    for (std::uint32_t i = 1; i <= 3; ++i) write_part(runs_, i, 3);
    const std::string content = everything_in(store_);
    fs::copy(runs_, scratch_ / "joined", fs::copy_options::recursive);
    join_parts(scratch_ / "joined");
    const auto expected = all_files(scratch_ / "joined");
    // ASSAY_EVERY_STOP=1 tries all stops, which takes half a minute.
    const int step = std::getenv("ASSAY_EVERY_STOP") != nullptr ? 1 : 7;
    int n = 0;
    for (;; n += step) {
        const fs::path runs = scratch_ / "killed";
        fs::copy(runs_, runs, fs::copy_options::recursive);
        const bool done = run_until(n, [&] { join_parts(runs); });
        ASSERT_EQ(everything_in(runs / "val/net"), content) << "after a kill at stop " << n;
        ASSERT_NO_THROW(join_parts(runs)) << "after a kill at stop " << n;
        ASSERT_EQ(all_files(runs), expected) << "after a kill at stop " << n;
        ASSERT_FALSE(fs::exists(runs / "val/net/parts")) << "after a kill at stop " << n;
        fs::remove_all(runs);
        if (done) break;
    }
    EXPECT_GT(n, 100);
}

TEST_F(PartsOnDisk, NeedNoLocksWhereAWholeStoreDoes) {
    locks = Locks::none;
    const auto [code, message] = error_of([&] { open_writer(runs_, made_up_spec(rows)); });
    EXPECT_EQ(code, ErrorCode::io);
    EXPECT_THAT(message, AllOf(HasSubstr("no locks"), HasSubstr("--part 1/1")));
    {
        StoreWriter writer = open_writer(scratch_ / "parts", spec_of_part(1, 1));
        EXPECT_THAT(writer.lock_warning(), HasSubstr("no locks"));
        write_own_shards(writer);
    }
    join_parts(scratch_ / "parts");
    EXPECT_TRUE(verify_store(scratch_ / "parts/val/net").empty());
}

TEST_F(PartsOnDisk, TwoWritersThatDoNotSeeEachOtherLeaveNoMixture) {
    locks = Locks::unseen;
    { const StoreWriter begun = open_writer(runs_, spec_of_part(1, 1)); }
    std::size_t noticed = 0;
    // On a busy machine, the two can write one after the other for many rounds.
    for (int round = 0; round < 60 || (noticed == 0 && round < 2000); ++round) {
        std::atomic<int> ready{0};
        std::atomic<std::size_t> busy{0};
        const auto write = [&](float more) {
            StoreWriter writer = open_writer(runs_, spec_of_part(1, 1));
            for (std::size_t s = 0; s < writer.shards(); ++s)
                if (writer.has(s)) writer.redo(s);
            ++ready;
            while (ready < 2) std::this_thread::yield();
            for (std::size_t s = 0; s < writer.shards(); ++s) {
                try {
                    write_made_up_shard(writer, s, more);
                } catch (const Error& error) {
                    // The other writer may have removed the record or renamed the file.
                    EXPECT_TRUE(error.code() == ErrorCode::busy || error.code() == ErrorCode::io)
                        << error.what();
                    ++busy;
                }
            }
        };
        std::thread other([&] { write(1); });
        write(0);
        other.join();
        noticed += busy;
        // Each file is complete and comes from one of the two writers.
        ASSERT_EQ(verify_store(store_), std::vector<std::string>()) << "round " << round;
    }
    EXPECT_GT(noticed, 0U);
}

TEST(SharedDisk, LocksThatOtherMachinesDoNotSeeAreFoundByTheirMount) {
    const std::string mounts =
        "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        "40 22 0:44 / /nfs rw - nfs4 server:/a rw,vers=4.2,local_lock=none,addr=10.0.0.1\n"
        "41 22 0:45 / /nfs/local rw - nfs server:/b rw,vers=3,local_lock=all,addr=10.0.0.1\n"
        "42 22 0:46 / /with\\040blank rw - lustre mgs:/fs rw,localflock,lazystatfs\n"
        "43 22 0:47 / /lustre rw - lustre mgs:/fs rw,flock\n"
        "nonsense\n - \n44 22 0:48 / /half\n";
    const auto why = [&](const char* folder) { return store::why_locks_are_local(mounts, folder); };
    EXPECT_EQ(why("/home/runs"), "");
    EXPECT_EQ(why("/nfs/runs"), "");
    EXPECT_EQ(why("/nfs/localx"), "");
    EXPECT_EQ(why("/nfs/local/runs"), "/nfs/local is mounted as nfs with local_lock=all");
    EXPECT_EQ(why("/with blank"), "/with blank is mounted as lustre with localflock");
    EXPECT_EQ(why("/lustre/runs"), "");
    EXPECT_EQ(store::why_locks_are_local("", "/home"), "");
}

}  // namespace
}  // namespace assay
