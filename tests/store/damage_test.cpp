// Damaged, foreign and unwritable stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay/store/prediction_store.h"
#include "core/hash.h"
#include "made_up.h"
#include "scratch.h"
#include "store/image_check.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void write_shards(const std::filesystem::path& runs,
                  StorageFormat storage = StorageFormat::full_f32) {
    StoreWriter writer = StoreWriter::open(runs, made_up_spec(34, storage), made_up_dataset(34));
    write_missing_shards(writer);
}

void flip_bit(const std::filesystem::path& path, std::size_t at) {
    std::string text = file_text(path);
    text.at(at) = static_cast<char>(text.at(at) ^ 4);
    put_text(path, text);
}

TEST(StoreDamage, AFlippedBitIsNoticed) {
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        const Scratch scratch;
        write_shards(scratch.path(), storage);
        flip_bit(scratch / "val/net/shards/000002.npy", 128 + 3);
        const PredictionStore store = PredictionStore::open(scratch / "val/net");
        store.shard(1);
        for (int again = 0; again < 2; ++again) {  // a failure is not stored as a success
            const auto [code, message] = error_of([&] { store.shard(2); });
            EXPECT_EQ(code, ErrorCode::bad_input);
            EXPECT_THAT(message, AllOf(HasSubstr("000002.npy"),
                                       HasSubstr("damaged: its checksum is xxh128:")));
        }
        const auto problems = verify_store(scratch / "val/net");
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_THAT(problems[0], HasSubstr("shard 2"));
    }
}

// In finished and unfinished stores, a damaged shard must not count as "nothing to do".
TEST(StoreDamage, AWriterDoesNotBuildOnAFlippedBit) {
    for (const char* name : {"000002.npy", "000002.lse.npy"}) {
        const Scratch scratch;
        const std::filesystem::path shards = scratch / "val/net/shards";
        const auto write = [&] { write_shards(scratch.path(), StorageFormat::top_k); };
        write();
        const std::string sound = file_text(shards / name);
        flip_bit(shards / name, 128 + 3);
        const auto [code, message] = error_of(write);
        EXPECT_EQ(code, ErrorCode::bad_input);
        EXPECT_THAT(message, AllOf(HasSubstr("damaged: its checksum is xxh128:"),
                                   HasSubstr("remove `" + (shards / "000002.json").string())));
        const std::string advice = "computes the shard again";
        EXPECT_EQ(message.find(advice), message.rfind(advice)) << "said twice";
        std::filesystem::remove(shards / "000002.json");
        write();
        EXPECT_EQ(file_text(shards / name), sound);
    }
}

TEST(StoreDamage, ItemsThatAreNotThoseDescribedAreNoDataSet) {
    const Scratch scratch;
    write_shards(scratch.path());
    const std::string sound = file_text(scratch / "val/items.csv");
    flip_bit(scratch / "val/items.csv", 20);
    const std::string record = (scratch / "val/dataset.json").string();
    EXPECT_THAT(error_of([&] { write_shards(scratch.path()); }).second,
                AllOf(HasSubstr("is not the file that dataset.json describes"),
                      HasSubstr("or remove `" + record + "`")));
    std::filesystem::remove(record);
    write_shards(scratch.path());
    EXPECT_EQ(file_text(scratch / "val/items.csv"), sound);
    EXPECT_TRUE(verify_store(scratch / "val/net").empty());
}

// A folder that cannot be examined does not count as empty.
TEST(StoreDamage, ShardsThatCannotBeListedAreAFault) {
    const Scratch scratch;
    write_shards(scratch.path());
    const std::filesystem::path net = scratch / "val/net";
    std::filesystem::remove(net / "manifest.json");
    std::filesystem::remove_all(net / "shards");
    std::filesystem::create_symlink("shards", net / "shards");  // the links form a circle
    const StoreFolders found = look_for_stores(scratch.path());
    ASSERT_EQ(found.faults.size(), 1U);
    EXPECT_THAT(found.faults[0].why, AllOf(HasSubstr("cannot examine"), HasSubstr("symbolic")));
    EXPECT_THAT(error_of([&] { find_stores(scratch.path()); }).second, HasSubstr("cannot examine"));
}

// One entry that cannot be examined does not hide the other stores.
TEST(StoreDamage, AnEntryThatCannotBeExaminedIsAFaultOfItsOwn) {
    const Scratch scratch;
    write_shards(scratch.path());
    const std::filesystem::path odd = scratch / "val/odd";
    // the name is longer than the limit of file names
    std::filesystem::create_symlink(std::string(300, 'x'), odd);
    std::filesystem::create_symlink("circle", scratch / "val/circle");
    const StoreFolders found = look_for_stores(scratch.path());
    EXPECT_EQ(found.stores.size(), 1U);
    ASSERT_EQ(found.faults.size(), 1U);
    EXPECT_EQ(found.faults[0].folder, odd);
    EXPECT_THAT(found.faults[0].why, HasSubstr("cannot examine"));
}

// A foreign entry that cannot be examined does not stop the comparison of images.
TEST(StoreDamage, ImagesAreComparedBesideAnEntryThatCannotBeExamined) {
    const Scratch scratch;
    write_shards(scratch.path());
    const std::filesystem::path other = scratch / "val/other";
    std::filesystem::create_symlink(std::string(300, 'x'), scratch / "val/odd");
    std::filesystem::create_symlink("circle", scratch / "val/circle");
    std::filesystem::create_directories(other);
    std::filesystem::create_symlink("manifest.json", other / "manifest.json");
    const Dataset dataset = made_up_dataset(34);
    store::ImageCheck check(dataset, scratch / "val", 1);
    EXPECT_NO_THROW(check.before("new"));
    EXPECT_NO_THROW(check.before("other"));
}

// A file that cannot be opened may be intact, so no message advises removing it.
TEST(StoreDamage, NoAdviceToRemoveWhatCannotBeOpened) {
    const Scratch scratch;
    write_shards(scratch.path());
    const auto shards = scratch / "val/net/shards";
    const PredictionStore store = PredictionStore::open(scratch / "val/net");
    const auto into_circle = [](const std::filesystem::path& path) {
        std::filesystem::remove(path);
        std::filesystem::create_symlink(path.filename(), path);
    };
    into_circle(shards / "000000.json");
    into_circle(shards / "000001.npy");
    into_circle(scratch / "val/items.csv");
    EXPECT_THAT(error_of([&] { store.shard(0); }).second,
                AllOf(HasSubstr("000000.json"), Not(HasSubstr("remove"))));
    EXPECT_THAT(error_of([&] { store.shard(1); }).second,
                AllOf(HasSubstr("000001.npy"), Not(HasSubstr("remove"))));
    EXPECT_THAT(error_of([&] { store.dataset(); }).second,
                AllOf(HasSubstr("items.csv"), Not(HasSubstr("remove"))));
    std::filesystem::remove(shards / "000000.json");
    EXPECT_THAT(error_of([&] { store.shard(0); }).second, HasSubstr("or remove"));
    into_circle(scratch / "val/dataset.json");
    EXPECT_THAT(error_of([&] { PredictionStore::open(scratch / "val/net"); }).second,
                AllOf(HasSubstr("dataset.json"), Not(HasSubstr("remove"))));
}

TEST(StoreDamage, TheHeaderIsPartOfTheChecksum) {
    const Scratch scratch;
    write_shards(scratch.path());
    std::string text = file_text(scratch / "val/net/shards/000000.npy");
    text[text.find("<f4")] = '>';
    put_text(scratch / "val/net/shards/000000.npy", text);
    EXPECT_THAT(error_of([&] { PredictionStore::open(scratch / "val/net").shard(0); }).second,
                HasSubstr("not the array that is recorded"));
}

TEST(StoreDamage, CutAndMissingFilesAreNamed) {
    const Scratch scratch;
    write_shards(scratch.path(), StorageFormat::top_k);
    const auto shards = scratch / "val/net/shards";
    std::filesystem::resize_file(shards / "000001.npy", 200);
    std::filesystem::remove(shards / "000002.lse.npy");
    put_text(shards / "000003.json", "{\"schema\": \"assay.sh");
    const PredictionStore store = PredictionStore::open(scratch / "val/net");
    EXPECT_THAT(error_of([&] { store.shard(1); }).second,
                HasSubstr("`000001.npy` has 200 bytes, but 368 are recorded"));
    EXPECT_THAT(error_of([&] { store.shard(2); }).second,
                HasSubstr("`000002.lse.npy` of the shard cannot be read"));
    EXPECT_THAT(error_of([&] { store.shard(3); }).second,
                AllOf(HasSubstr("000003.json"), HasSubstr("damaged JSON")));
    EXPECT_EQ(verify_store(scratch / "val/net").size(), 3U);
    // A writer does not continue such a store, and its error says what to do.
    EXPECT_THAT(error_of([&] { write_shards(scratch.path(), StorageFormat::top_k); }).second,
                AllOf(HasSubstr("`000001.npy` has 200 bytes"),
                      HasSubstr("or remove `" + (shards / "000001.json").string() +
                                "`, and the command that made the store computes the shard again"),
                      HasSubstr("resuming the store")));
    for (const char* name : {"000001.json", "000002.json", "000003.json"})
        std::filesystem::remove(shards / name);
    write_shards(scratch.path(), StorageFormat::top_k);
    EXPECT_TRUE(verify_store(scratch / "val/net").empty());
}

TEST(StoreDamage, RecordsAreCheckedAgainstTheStore) {
    const Scratch scratch;
    write_shards(scratch.path());
    const auto path = scratch / "val/net/shards/000001.json";
    const std::string good = file_text(path);
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        put_text(path, with_checksum(text.replace(at, from.size(), to)));
        const std::string message =
            error_of([&] { PredictionStore::open(scratch / "val/net").shard(1); }).second;
        put_text(path, good);
        return message;
    };
    EXPECT_THAT(refusal("\"shard\": 1", "\"shard\": 2"),
                HasSubstr("`shard` is 2; allowed: a whole number from 1 to 1"));
    EXPECT_THAT(refusal("\"rows\": 10", "\"rows\": -10"), HasSubstr("`rows` is -10"));
    EXPECT_THAT(refusal("000001.npy", "../../../../../../etc/passwd"),
                HasSubstr("expected `000001.npy`"));
    EXPECT_THAT(refusal("\"unreadable\",\n   1", "\"unreadable\",\n   18446744073709551615"),
                HasSubstr("do not add up to 10 rows"));
    EXPECT_THAT(refusal("\"unreadable\",\n   1", "\"unreadable\",\n   0"),
                HasSubstr("do not add up"));
    EXPECT_THAT(refusal("\"unreadable\",", "\"tired\","), HasSubstr("`tired` is not a row state"));
    EXPECT_THAT(refusal("\"row\": 13", "\"row\": 20"),
                HasSubstr("`errors[0].row` is 20; allowed: a whole number from 10 to 19"));
    EXPECT_THAT(refusal("assay.shard", "assay.store"), HasSubstr("the schema is `assay.store`"));
    EXPECT_THAT(refusal("images_xxh128", "images"), HasSubstr("`images_xxh128` is missing"));
    EXPECT_THAT(refusal("\"schema_version\": 3", "\"schema_version\": 4"),
                HasSubstr("newer Assay"));
}

TEST(StoreDamage, ForgedClassesDoNotReachTheMetrics) {
    const Scratch scratch;
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(34, StorageFormat::label),
                                           made_up_dataset(34));
    write_made_up_shard(writer, 0);
    const auto file = scratch / "val/net/shards/000000.npy";
    std::string text = file_text(file);
    const std::size_t first_class = text.size() - 10 * 8;
    text[first_class] = 7;  // classes are 0 to 6
    std::string record = file_text(scratch / "val/net/shards/000000.json");
    const std::string old_hash = hash_file(file);
    put_text(file, text);
    record.replace(record.find(old_hash), old_hash.size(), hash_file(file));
    put_text(scratch / "val/net/shards/000000.json", with_checksum(record));
    EXPECT_THAT(error_of([&] { PredictionStore::open(scratch / "val/net").shard(0); }).second,
                HasSubstr("row 0 of the shard holds class 7 of 7"));
}

TEST(StoreDamage, ManifestsAreChecked) {
    const Scratch scratch;
    EXPECT_THAT(error_of([&] { PredictionStore::open(scratch / "nothing"); }).second,
                HasSubstr("no manifest.json"));
    write_shards(scratch.path());
    const auto path = scratch / "val/net/manifest.json";
    const std::string good = file_text(path);
    const auto refusal = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        put_text(path, with_checksum(text.replace(text.find(from), from.size(), to)));
        const std::string message =
            error_of([&] { PredictionStore::open(scratch / "val/net"); }).second;
        put_text(path, good);
        return message;
    };
    EXPECT_THAT(refusal("\"rows\": 34", "\"rows\": 35"), HasSubstr("belongs to other items"));
    EXPECT_THAT(refusal("\"shard_rows\": 10", "\"shard_rows\": 0"), HasSubstr("`shard_rows` is 0"));
    EXPECT_THAT(refusal("full_f32", "full_f64"), HasSubstr("unknown form of scores `full_f64`"));
    EXPECT_THAT(refusal("\"classes\": 7", "\"classes\": 1e3"), HasSubstr("`classes` is 1000.0"));
    EXPECT_THAT(refusal("\"net\"", "\"../net\""), HasSubstr("cannot name a model"));
    for (std::size_t n = 0; n + 2 < good.size(); n += 5) {
        put_text(path, good.substr(0, n));
        EXPECT_THROW(PredictionStore::open(scratch / "val/net"), Error) << n;
    }
    put_text(path, std::string(200'000, '['));
    EXPECT_THROW(PredictionStore::open(scratch / "val/net"), Error);
}

TEST(StoreDamage, ItemsThatChangedAreNoticed) {
    const Scratch scratch;
    write_shards(scratch.path());
    const std::string good = file_text(scratch / "val/items.csv");
    std::string text = good;
    text.replace(text.find("item00003"), 9, "item00099");
    put_text(scratch / "val/items.csv", text);
    const PredictionStore store = PredictionStore::open(scratch / "val/net");
    EXPECT_THAT(error_of([&] { store.dataset(); }).second,
                HasSubstr("not the file that dataset.json describes"));
    EXPECT_EQ(verify_store(scratch / "val/net").size(), 1U);
    std::filesystem::remove(scratch / "val/items.csv");
    EXPECT_EQ(error_of([&] { store.dataset(); }).first, ErrorCode::bad_input);
    put_text(scratch / "val/items.csv", good);
    EXPECT_EQ(store.dataset().size(), 34U);
    std::filesystem::remove(scratch / "val/dataset.json");
    EXPECT_EQ(error_of([&] { PredictionStore::open(scratch / "val/net"); }).first,
              ErrorCode::bad_input);
}

TEST(StoreDamage, ShardsWithoutAManifestAreNotAdopted) {
    const Scratch scratch;
    write_shards(scratch.path());
    std::filesystem::remove(scratch / "val/net/manifest.json");
    EXPECT_THAT(error_of([&] { write_shards(scratch.path()); }).second,
                HasSubstr("holds shards but no manifest.json"));
}

TEST(StoreDamage, LeftoversOfKilledWritersAreRemoved) {
    const Scratch scratch;
    StoreWriter::open(scratch.path(), made_up_spec(34), made_up_dataset(34));
    put_text(scratch / "val/net/shards/.000000.npy.123.0.tmp", "half a shard");
    put_text(scratch / "val/net/.manifest.json.123.1.tmp", "{");
    put_text(scratch / "val/net/shards/000000.npy", "not committed");
    write_shards(scratch.path());
    EXPECT_FALSE(std::filesystem::exists(scratch / "val/net/shards/.000000.npy.123.0.tmp"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "val/net/.manifest.json.123.1.tmp"));
    EXPECT_TRUE(verify_store(scratch / "val/net").empty());
}

/// The exit status of `body` in a child process, so that its limits and rights only apply there.
template <class Body>
int status_in_child(Body&& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        int status = 90;
        try {
            status = body();
        } catch (const Error& error) {
            std::fprintf(stderr, "%s\n", error.what());
            status = 91;
        }
        ::_exit(status);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

TEST(StoreDamage, AFullDiskLosesNothing) {
    const Scratch scratch;
    // A limit on the size of files simulates a full disk. Shards of 34 x 2000 floats exceed 64 kB,
    // and small files do not.
    StoreSpec spec = made_up_spec(34);
    spec.classes = 2000;
    Dataset dataset = made_up_dataset(34);
    dataset.classes = ClassList();
    const int status = status_in_child([&] {
        StoreWriter writer = StoreWriter::open(scratch.path(), spec, dataset);
        write_made_up_shard(writer, 0);
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{65536, 65536};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        try {
            write_made_up_shard(writer, 1);
        } catch (const Error& error) {
            const bool told = error.code() == ErrorCode::io &&
                              std::string(error.what()).find("000001.npy") != std::string::npos;
            return told && writer.missing() == 3 && !writer.has(1) ? 0 : 2;
        }
        return 1;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(PredictionStore::open(scratch / "val/net").missing_shards(), 3U);
    for (const auto& [name, text] : all_files(scratch.path()))
        EXPECT_FALSE(name.ends_with(".tmp")) << name;
    StoreWriter writer = StoreWriter::open(scratch.path(), spec, dataset);
    EXPECT_EQ(writer.missing(), 3U);
    write_missing_shards(writer);
    EXPECT_TRUE(verify_store(scratch / "val/net").empty());
}

TEST(StoreDamage, AReadOnlyFolderIsAnIoError) {
    const Scratch scratch;
    write_shards(scratch.path());
    std::filesystem::create_directory(scratch / "closed");
    std::filesystem::permissions(scratch / "closed", std::filesystem::perms::owner_read |
                                                         std::filesystem::perms::owner_exec);
    const int status = status_in_child([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;  // root may write anywhere
        try {
            write_shards(scratch / "closed");
        } catch (const Error& error) {
            return error.code() == ErrorCode::io ? 0 : 2;
        }
        return 1;
    });
    std::filesystem::permissions(scratch / "closed", std::filesystem::perms::owner_all);
    if (status == 77) GTEST_SKIP() << "cannot give up the rights of root here";
    EXPECT_EQ(status, 0);
}

TEST(StoreDamage, AFileInTheWayIsAnIoError) {
    const Scratch scratch;
    put_text(scratch / "val", "I am no folder");
    EXPECT_EQ(error_of([&] { write_shards(scratch.path()); }).first, ErrorCode::io);
}

}  // namespace
}  // namespace assay
