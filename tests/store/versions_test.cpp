// Stores of every earlier format, as programs of that time wrote them. Each is read correctly, or
// refused with an error that names its format. Format 2 has more tests (version2_test.cpp). For
// format 4, add a folder, and do not change these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/store/verify.h"
#include "made_up.h"
#include "scratch.h"
#include "store/layout.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const fs::path stores_of_versions = fs::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures";

/// The four models of format 3, one for each way of storing rows.
struct StoredAs {
    const char* model;
    StorageFormat storage;
};
constexpr StoredAs stored_as[] = {{"net", StorageFormat::full_f32},
                                  {"half", StorageFormat::full_f16},
                                  {"best", StorageFormat::top_k},
                                  {"class", StorageFormat::label}};

StoreSpec version3_spec(const StoredAs& as) {
    StoreSpec spec = made_up_spec(24, as.storage);
    spec.model_name = as.model;
    return spec;
}

TEST(StoreVersions, EachThatThereWasHasAFixture) {
    for (int version = 1; version <= store::schema_version; ++version) {
        const fs::path folder = stores_of_versions / fmt::format("version{}", version);
        EXPECT_TRUE(fs::exists(folder / "val/dataset.json")) << folder;
    }
}

TEST(StoreVersions, TheFirstIsRefusedByItsNumber) {
    const Scratch scratch;
    fs::copy(stores_of_versions / "version1", scratch.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const auto before = all_files(scratch.path());
    const auto says = AllOf(HasSubstr("written by an older Assay"), HasSubstr("version 1"),
                            HasSubstr("predict or import again"));
    const auto [code, message] = error_of([&] { PredictionStore::open(scratch / "val/best"); });
    EXPECT_EQ(code, ErrorCode::bad_input);
    EXPECT_THAT(message, says);
    StoreSpec spec = made_up_spec(24, StorageFormat::top_k);
    spec.model_name = "best";
    EXPECT_THAT(
        error_of([&] { StoreWriter::open(scratch.path(), spec, made_up_dataset(24)); }).second,
        says);
    const std::vector<std::string> problems = verify_store(scratch / "val/best");
    ASSERT_THAT(problems, SizeIs(1));
    EXPECT_THAT(problems[0], says);
    EXPECT_EQ(all_files(scratch.path()), before);
}

TEST(StoreVersions, TheThirdIsReadWithItsNumbers) {
    for (const StoredAs& as : stored_as) {
        const fs::path folder = stores_of_versions / "version3/val" / as.model;
        EXPECT_THAT(verify_store(folder), IsEmpty()) << as.model;
        const Scratch now;
        StoreWriter writer = StoreWriter::open(now.path(), version3_spec(as), made_up_dataset(24));
        write_missing_shards(writer);
        EXPECT_EQ(everything_in(folder), everything_in(now / "val" / as.model)) << as.model;
        // The values are computed by hand, if the format stores them.
        const PredictionStore store = PredictionStore::open(folder);
        if (as.storage != StorageFormat::full_f32) continue;
        for (std::uint32_t c = 0; c < 7; ++c)
            EXPECT_EQ(store.shard(2).f32()[3 * 7 + c], made_up_score(23, c));
        EXPECT_EQ(store.shard(1).errors().front().message, "cut off after 77 bytes");
    }
}

/// The files of a store, with the program version of the fixtures in its manifests.
std::map<std::string, std::string> signed_as_then(const fs::path& folder) {
    std::map<std::string, std::string> files = all_files(folder);
    files.erase("val/items.columns");  // this file is derived, and was added later
    for (auto& [name, text] : files) {
        if (!name.ends_with("manifest.json")) continue;
        const std::size_t at = text.find("\"written_by\": \"") + 15;
        text.replace(at, text.find('"', at) - at, "assay 0.1.0");
        text = with_checksum(text);
    }
    return files;
}

TEST(StoreVersions, TheThirdIsWhatIsWrittenNow) {
    ASSERT_EQ(store::schema_version, 3)
        << "the fixtures of format 3 stay; add those of the new one";
    const Scratch now;
    for (const StoredAs& as : stored_as) {
        StoreWriter writer = StoreWriter::open(now.path(), version3_spec(as), made_up_dataset(24));
        write_missing_shards(writer);
    }
    EXPECT_EQ(signed_as_then(now.path()), signed_as_then(stores_of_versions / "version3"));
}

}  // namespace
}  // namespace assay
