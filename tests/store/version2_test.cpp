// Stores of format 2, from before files named their store and had checksums of
// their own. They are `net` (full_f32, with records of images) and `best` (top_k) of made_up.h, on
// one data set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/store/verify.h"
#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Version2 : public ::testing::Test {
protected:
    Version2() {
        fs::copy(fs::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures/version2", scratch_.path(),
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }
    StoreSpec best() const {
        StoreSpec spec = made_up_spec(24, StorageFormat::top_k);
        spec.model_name = "best";
        return spec;
    }
    Scratch scratch_;
};

TEST_F(Version2, IsRead) {
    const PredictionStore store = PredictionStore::open(scratch_ / "val/net");
    EXPECT_TRUE(store.complete());
    EXPECT_EQ(store.spec().id, "");
    for (std::size_t s = 0; s < 3; ++s) {
        const PredictionStore::Shard shard = store.shard(s);
        for (std::uint32_t r = 0; r < shard.rows; ++r) {
            const std::uint64_t row = shard.first_row + r;
            EXPECT_EQ(shard.images()[r], (ImageFile{1000 + row, 0x123456789abcdef0 + row}));
            for (std::uint32_t c = 0; c < 7 && row != 13; ++c)
                EXPECT_EQ(shard.f32()[r * 7 + c], made_up_score(row, c));
        }
    }
    EXPECT_EQ(store.dataset().ids[23], "item00023");
    // The numbers are the same as in a store of the current format.
    const Scratch now;
    StoreWriter writer = StoreWriter::open(now.path(), best(), made_up_dataset(24));
    write_missing_shards(writer);
    EXPECT_EQ(everything_in(scratch_ / "val/best"), everything_in(now / "val/best"));
}

TEST_F(Version2, IsSoundAsFarAsItTells) {
    const std::vector<StoreCheck> checks = verify_stores(scratch_.path());
    ASSERT_EQ(checks.size(), 2U);
    for (const StoreCheck& check : checks) {
        EXPECT_THAT(check.problems, IsEmpty());
        EXPECT_THAT(check.notes, ElementsAre(HasSubstr("do not name their store"),
                                             HasSubstr("dataset.json is written in format 2")));
    }
    // Files with checksums are checked.
    std::string text = file_text(scratch_ / "val/net/shards/000001.npy");
    text[200] = static_cast<char>(text[200] ^ 1);
    put_text(scratch_ / "val/net/shards/000001.npy", text);
    EXPECT_THAT(verify_store(scratch_ / "val/net"), Contains(HasSubstr("is damaged")));
}

TEST_F(Version2, IsGoneOnWithInItsFormat) {
    const auto before = all_files(scratch_.path());
    const fs::path manifest = scratch_ / "val/best/manifest.json";
    std::string begun = file_text(manifest);
    begun.replace(begun.find("\"finished\": true"), 16, "\"finished\": false");
    put_text(manifest, begun);
    fs::remove(scratch_ / "val/best/shards/000001.json");
    StoreWriter writer = StoreWriter::open(scratch_.path(), best(), made_up_dataset(24));
    EXPECT_EQ(writer.missing(), 1U);
    write_missing_shards(writer);
    auto after = all_files(scratch_.path());
    EXPECT_EQ(after.erase("val/items.columns"), 1U);  // derived, and new in format 3
    // The writer that finishes a store records its version in the manifest.
    std::string& text = after.at("val/best/manifest.json");
    const std::size_t at = text.find("\"written_by\": \"") + 15;
    text.replace(at, text.find('"', at) - at, "assay 0.1.0");
    EXPECT_EQ(after, before);
}

TEST_F(Version2, TakesNewModelsBesideIt) {
    StoreSpec spec = made_up_spec(24);
    spec.model_name = "new";
    StoreWriter writer = StoreWriter::open(scratch_.path(), spec, made_up_dataset(24));
    write_missing_shards(writer);
    EXPECT_NE(PredictionStore::open(scratch_ / "val/new").spec().id, "");
    EXPECT_THAT(verify_store(scratch_ / "val/new"), IsEmpty());
    // Neither store accepts the other's shards.
    for (const auto& [from, to] : {std::pair("net", "new"), std::pair("new", "net")}) {
        const Scratch mixed;
        fs::copy(scratch_.path(), mixed.path(),
                 fs::copy_options::recursive | fs::copy_options::overwrite_existing);
        for (const char* name : {"shards/000002.npy", "shards/000002.json"})
            fs::copy_file(mixed / "val" / from / name, mixed / "val" / to / name,
                          fs::copy_options::overwrite_existing);
        EXPECT_EQ(verify_store(mixed / "val" / to).size(), 1U);
        EXPECT_THROW(everything_in(mixed / "val" / to), Error);
    }
}

}  // namespace
}  // namespace assay
