// Changes every byte of every file of a store. verify_store() must find the change, and a reader
// must get the correct numbers or an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The slow form of this test flips each bit alone and tries each length. The fast form tries the
// bits in turn, and every fifth length.
#ifdef ASSAY_EVERY_BIT
constexpr std::size_t length_step = 1;
std::vector<int> bits_at(std::size_t) {
    return {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};
}
#else
constexpr std::size_t length_step = 5;
std::vector<int> bits_at(std::size_t at) {
    constexpr std::array<int, 9> all = {0x01, 0x20, 0x02, 0x80, 0x04, 0x08, 0x40, 0x10, 0xff};
    return {all[at % all.size()]};
}
#endif

/// One store of eight items, in two shards, and its data set.
class StoreBytes : public ::testing::TestWithParam<StorageFormat> {
protected:
    StoreBytes() {
        StoreSpec spec = made_up_spec(8, GetParam());
        spec.shard_rows = 5;
        Dataset dataset = made_up_dataset(8);
        dataset.attributes.push_back({"group", {}});
        for (int i = 0; i < 8; ++i) dataset.attributes[0].values.append(i % 2 == 0 ? "a" : "b");
        StoreWriter writer = StoreWriter::open(scratch_.path(), spec, dataset);
        write_missing_shards(writer);
        files_ = all_files(scratch_.path());
        right_ = everything_in(store_);
    }
    /// Checks a reader and verify_store() with `text` in place of the file's own text.
    void expect_noticed(const std::string& name, const std::string& text) {
        put_text(scratch_ / name, text);
        EXPECT_FALSE(verify_store(store_).empty());
        try {
            EXPECT_EQ(everything_in(store_), right_);
        } catch (const Error& error) {
            EXPECT_TRUE(error.code() == ErrorCode::bad_input || error.code() == ErrorCode::io)
                << error.what();
        }
        put_text(scratch_ / name, files_.at(name));
    }

    Scratch scratch_{in_memory()};
    fs::path store_ = scratch_ / "val/net";
    std::map<std::string, std::string> files_;
    std::string right_;
};

TEST_P(StoreBytes, AFlippedBit) {
    ASSERT_GE(files_.size(), 7U);  // dataset.json, items.csv, manifest.json, two shards and records
    ASSERT_TRUE(verify_store(store_).empty());
    for (const auto& [name, good] : files_) {
        for (std::size_t at = 0; at < good.size(); ++at) {
            for (const int bits : bits_at(at)) {
                SCOPED_TRACE(fmt::format("byte {} of {}, bits {:02x}", at, name, bits));
                std::string text = good;
                text[at] = static_cast<char>(text[at] ^ bits);
                ASSERT_NO_FATAL_FAILURE(expect_noticed(name, text));
            }
        }
    }
    EXPECT_TRUE(verify_store(store_).empty());
}

TEST_P(StoreBytes, EveryLengthButItsOwn) {
    for (const auto& [name, good] : files_) {
        for (std::size_t size = 0; size < good.size(); size += length_step) {
            SCOPED_TRACE(fmt::format("{} of {} bytes of {}", size, good.size(), name));
            expect_noticed(name, good.substr(0, size));
        }
        for (const std::string& junk :
             {std::string(" "), std::string("\n"), std::string(1, '\0'), std::string("}"),
              std::string("\r\n"), std::string(4096, ' '), good}) {
            SCOPED_TRACE(fmt::format("{} bytes behind {}", junk.size(), name));
            expect_noticed(name, good + junk);
            expect_noticed(name, junk + good);
        }
    }
}

TEST_P(StoreBytes, FieldsThatAreAddedOrTurnedRound) {
    for (const std::string name :
         {"val/dataset.json", "val/net/manifest.json", "val/net/shards/000000.json"}) {
        SCOPED_TRACE(name);
        std::string text = files_.at(name);
        expect_noticed(name, text.insert(text.find('\n'), "\n \"aside\": 1,"));
        text = files_.at(name);
        // The format is from before checksums, or a later one.
        for (const char digit : {'2', '1', '4'}) {
            text[text.find("\"schema_version\": ") + 18] = digit;
            expect_noticed(name, text);
            std::string without = text;
            without.erase(without.rfind(",\n \"xxh128\""), std::string::npos);
            expect_noticed(name, without + "\n}\n");
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, StoreBytes,
                         ::testing::Values(StorageFormat::full_f32, StorageFormat::top_k),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST(StoreDamage, TheErrorSaysWhereAndWhatToDo) {
    const Scratch scratch;
    {
        StoreWriter writer =
            StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
        write_missing_shards(writer);
    }
    const auto refusal = [&](const std::string& name, const std::string& from,
                             const std::string& to) {
        const std::string good = file_text(scratch / name);
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        put_text(scratch / name, text);
        const std::string message = error_of([&] { everything_in(scratch / "val/net"); }).second;
        put_text(scratch / name, good);
        EXPECT_THAT(message, AllOf(HasSubstr("damaged, or changed since it was written"),
                                   HasSubstr((scratch / name).string()),
                                   HasSubstr("the checksum of the text is xxh128:")));
        return message;
    };
    EXPECT_THAT(refusal("val/dataset.json", "\"root\": \"\"", "\"root\": \"/mnt\""),
                HasSubstr("or remove `" + (scratch / "val/dataset.json").string() +
                          "`: the command that made the first store here writes it"));
    EXPECT_THAT(refusal("val/net/manifest.json", "logits", "probabilities"),
                HasSubstr("restore an earlier copy"));
    EXPECT_THAT(refusal("val/net/shards/000001.json", "unreadable", "ok"),
                HasSubstr("or remove `" + (scratch / "val/net/shards/000001.json").string() +
                          "`, and the command that made the store computes the shard again"));
    // Following the advice works, because the same data set has the same identity.
    fs::remove(scratch / "val/dataset.json");
    fs::remove(scratch / "val/net/shards/000001.json");
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    EXPECT_EQ(writer.missing(), 1U);
    write_missing_shards(writer);
    EXPECT_TRUE(verify_store(scratch / "val/net").empty());
}

}  // namespace
}  // namespace assay
