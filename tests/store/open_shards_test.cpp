// Stores with more shards than a process may keep mapped.
#include "store/open_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Changes the limit for one test.
struct OpenFiles {
    explicit OpenFiles(std::size_t files) : before(store::set_open_files(files)) {}
    ~OpenFiles() { store::set_open_files(before); }
    std::size_t before;
};

/// The number of files below `folder` that this process has mapped.
std::size_t mapped_below(const fs::path& folder) {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);)
        count += line.find(folder.string() + "/") != std::string::npos ? 1 : 0;
    return count;
}

PredictionStore of_single_rows(const fs::path& runs, std::uint64_t rows, StorageFormat storage) {
    StoreSpec spec = made_up_spec(rows, storage);
    spec.shard_rows = 1;
    spec.batch_size = 1;
    StoreWriter writer = StoreWriter::open(runs, spec, made_up_dataset(rows));
    write_missing_shards(writer);
    return PredictionStore::open(runs / "val/net");
}

std::string row_text(const RowReader& reader, std::uint64_t row) {
    const std::int32_t valid = 1;
    RowPrediction out;
    const RowStatus status = reader.read(row, {&valid, 1}, out);
    std::vector<RankedClass> top;
    reader.top(row, 7, top);
    std::string text = fmt::format("{} {} {:a} {:a} {}", static_cast<int>(status), out.predicted,
                                   out.confidence, out.log_target, reader.why_not(row));
    for (const RankedClass& best : top) text += fmt::format(" {}:{:a}", best.cls, best.probability);
    if (reader.full() && status == RowStatus::ok) {
        std::vector<float> buffer;
        for (const float score : reader.scores(row, buffer)) text += fmt::format(" {:a}", score);
    }
    return text;
}

class OpenShards : public ::testing::TestWithParam<StorageFormat> {};

TEST_P(OpenShards, AFewSayTheSameAsAll) {
    constexpr std::uint64_t rows = 400;
    const Scratch scratch(in_memory());
    const PredictionStore store = of_single_rows(scratch.path(), rows, GetParam());
    const std::size_t files = GetParam() == StorageFormat::top_k ? 2 : 1;
    std::vector<std::string> expected;
    {
        const RowReader all(store);
        EXPECT_EQ(all.is_mapped(), GetParam() == StorageFormat::full_f32);
        for (std::uint64_t row = 0; row < rows; ++row) expected.push_back(row_text(all, row));
        EXPECT_EQ(mapped_below(scratch.path()), rows * files);
    }
    EXPECT_EQ(mapped_below(scratch.path()), 0U);
    const OpenFiles limit(rows * files - 1);
    const RowReader few(store);
    EXPECT_FALSE(few.is_mapped());
    std::atomic<int> differ{0};
    std::atomic<std::size_t> most{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 3 * rows; ++i) {
                // The threads read in order, each in its own, and then all the same rows at once.
                const std::uint64_t row = i < rows       ? (i + t * 100) % rows
                                          : i < 2 * rows ? i * (2 * t + 7) % rows
                                                         : i % rows;
                if (row_text(few, row) != expected[row]) ++differ;
                if (i % 64 == 0) most = std::max(most.load(), mapped_below(scratch.path()));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(differ, 0);
    // The reader keeps 64 shards. Each thread also reads one shard, and opens another.
    EXPECT_LE(most, (64U + 4 + 4) * files);
    EXPECT_GE(most, 64U * files);
}

INSTANTIATE_TEST_SUITE_P(Forms, OpenShards,
                         ::testing::Values(StorageFormat::full_f32, StorageFormat::full_f16,
                                           StorageFormat::top_k, StorageFormat::label),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(OpenShardsOfReaders, ShareWhatTheProcessMayKeep) {
    const Scratch scratch(in_memory());
    const PredictionStore store = of_single_rows(scratch.path(), 60, StorageFormat::full_f32);
    const OpenFiles limit(100);
    {
        const RowReader first(store);
        EXPECT_TRUE(first.is_mapped());
        const RowReader second(store);  // 60 more would make 120
        EXPECT_FALSE(second.is_mapped());
        // One thread uses the shards of two readers at once.
        const PredictionStore::Shard *one = first.shard(3), *two = second.shard(4);
        EXPECT_EQ(one->first_row, 3U);
        EXPECT_EQ(two->first_row, 4U);
        const RowReader third(store);
        EXPECT_EQ(third.shard(5)->first_row, 5U);
        EXPECT_EQ(two->first_row, 4U);
    }
    EXPECT_TRUE(RowReader(store).is_mapped());
}

/// The bytes of address space that this process uses.
std::uint64_t address_space() {
    std::ifstream statm("/proc/self/statm");
    std::uint64_t pages = 0;
    statm >> pages;
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

TEST(OpenShardsOfReaders, ALimitOnAddressesIsKept) {
    constexpr std::uint64_t mib = 1U << 20;
    if (address_space() > 4096 * mib) GTEST_SKIP() << "a sanitizer takes all addresses for itself";
    const Scratch scratch(in_memory());
    // There are 192 shards of 1 MiB.
    StoreSpec spec = made_up_spec(192);
    spec.shard_rows = 1;
    spec.batch_size = 1;
    spec.classes = mib / 4;
    Dataset dataset = made_up_dataset(192);
    dataset.classes = ClassList();
    StoreWriter writer = StoreWriter::open(scratch.path(), spec, dataset);
    write_missing_shards(writer);
    const pid_t child = ::fork();
    if (child == 0) {
        // The address space is enough for a third of the store.
        const rlimit limit{address_space() + 64 * mib, address_space() + 64 * mib};
        int status = ::setrlimit(RLIMIT_AS, &limit) == 0 ? 0 : 2;
        try {
            const PredictionStore store = PredictionStore::open(scratch / "val/net");
            const RowReader reader(store);
            RowPrediction out;
            for (std::uint64_t row = 0; row < store.rows(); ++row) {
                if (reader.read(row, {}, out) != RowStatus::ok && row != 13) status = 3;
            }
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            status = 4;
        }
        ::_exit(status);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(OpenShardsOfReaders, DamageIsFoundEachTime) {
    const Scratch scratch(in_memory());
    const PredictionStore store = of_single_rows(scratch.path(), 80, StorageFormat::full_f32);
    std::string text = file_text(scratch / "val/net/shards/000042.npy");
    text.back() = static_cast<char>(text.back() ^ 1);
    put_text(scratch / "val/net/shards/000042.npy", text);
    const OpenFiles limit(0);
    const RowReader reader(store);
    RowPrediction out;
    for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(reader.read(41, {}, out), RowStatus::ok);
        EXPECT_THROW(reader.read(42, {}, out), Error);
        EXPECT_EQ(reader.read(41, {}, out), RowStatus::ok);
    }
}

}  // namespace
}  // namespace assay
