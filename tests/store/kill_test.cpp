// After kill -9 at any moment, committed shards remain, others are written again, and the final
// bytes are the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "assay/store/prediction_store.h"
#include "made_up.h"
#include "may_trace.h"
#include "scratch.h"

namespace assay {
namespace {

constexpr std::uint64_t rows = 24;

void write_all(const std::filesystem::path& runs, StorageFormat storage) {
    StoreWriter writer =
        StoreWriter::open(runs, made_up_spec(rows, storage), made_up_dataset(rows));
    write_missing_shards(writer);
}

/// Runs a function in a child. It exits directly, without the clean-up of the tests.
template <class Body>
pid_t in_child(Body&& body) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    int status = 0;
    try {
        body();
    } catch (...) {
        status = 3;
    }
    ::_exit(status);
}

/// Runs the writer in a child that is stopped at the entry and the exit of every system call, and
/// killed at the n-th stop. Returns true if it finished before that.
bool run_until_stop(const std::filesystem::path& runs, StorageFormat storage, int n) {
    const pid_t child = in_child([&] {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(42);
        ::raise(SIGSTOP);
        write_all(runs, storage);
    });
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

/// Checks the files of a killed writer. Each committed shard must be complete and correct.
void expect_sound(const std::filesystem::path& runs,
                  const std::map<std::string, std::string>& expected) {
    if (!std::filesystem::exists(runs)) return;
    const auto files = all_files(runs);
    for (const auto& [name, text] : files) {
        const auto file = expected.find(name);
        if (file == expected.end()) {
            EXPECT_TRUE(name.ends_with(".tmp")) << name;
            // the manifest changes when the store is finished
        } else if (name != "val/net/manifest.json") {
            EXPECT_EQ(text, file->second) << name;
        }
    }
    if (!files.contains("val/net/manifest.json")) return;
    const PredictionStore store = PredictionStore::open(runs / "val/net");
    std::size_t there = 0;
    for (std::size_t s = 0; s < store.shards(); ++s) {
        const bool recorded = files.contains(fmt::format("val/net/shards/{:06}.json", s));
        if (recorded) {
            EXPECT_NO_THROW(store.shard(s));
        }
        there += recorded ? 1U : 0U;
    }
    EXPECT_EQ(store.missing_shards(), store.shards() - there);
}

class StoreKill : public ::testing::TestWithParam<StorageFormat> {};

TEST_P(StoreKill, AtEverySystemCall) {
    if (!may_trace()) GTEST_SKIP() << "this machine does not let a process trace its children";
    const Scratch whole(in_memory());
    write_all(whole.path(), GetParam());
    const auto expected = all_files(whole.path());
    int n = 0;
    for (;; ++n) {
        const Scratch scratch(in_memory());
        const bool done = run_until_stop(scratch / "runs", GetParam(), n);
        expect_sound(scratch / "runs", expected);
        ASSERT_NO_THROW(write_all(scratch / "runs", GetParam())) << "after a kill at stop " << n;
        ASSERT_EQ(all_files(scratch / "runs"), expected) << "after a kill at stop " << n;
        if (done) break;
    }
    EXPECT_GT(n,
              // at least three shards of two files are written, so fewer stops would mean that
              // nothing was traced
              100);
}

TEST_P(StoreKill, AgainAndAgainAtRandomTimes) {
    const Scratch whole(in_memory());
    write_all(whole.path(), GetParam());
    const auto expected = all_files(whole.path());
    std::mt19937 random(7);
    int killed = 0;
    for (int round = 0; round < 12; ++round) {
        const Scratch scratch(in_memory());
        for (int attempt = 0; attempt < 200; ++attempt) {
            const pid_t child = in_child([&] { write_all(scratch / "runs", GetParam()); });
            // Any moment is valid. The times only spread the kills over the writes.
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
            ::kill(child, SIGKILL);
            int status = 0;
            ::waitpid(child, &status, 0);
            if (WIFEXITED(status)) {
                EXPECT_EQ(WEXITSTATUS(status), 0);
                break;
            }
            ++killed;
        }
        write_all(scratch / "runs", GetParam());
        ASSERT_EQ(all_files(scratch / "runs"), expected);
    }
    EXPECT_GT(killed, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, StoreKill,
                         ::testing::Values(StorageFormat::full_f32, StorageFormat::top_k),
                         [](const auto& p) { return std::string(name_of(p.param)); });

}  // namespace
}  // namespace assay
