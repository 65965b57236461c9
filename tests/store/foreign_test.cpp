// Files of one store or data set replace those of another one. Each file names the store that it
// belongs to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

struct MadeStore {
    std::string dataset = "val";
    std::string model = "net";
    float more = 0;  ///< added to the numbers, so that those of two stores differ
    bool finished = true;
};

fs::path make_store(const fs::path& runs, const MadeStore& made,
                    const Dataset& dataset = made_up_dataset(24)) {
    StoreSpec spec = made_up_spec(24);
    spec.dataset_name = made.dataset;
    spec.model_name = made.model;
    StoreWriter writer = StoreWriter::open(runs, spec, dataset);
    for (std::size_t s = 0; s < writer.shards(); ++s) write_made_up_shard(writer, s, made.more);
    if (made.finished) writer.finish();
    return runs / made.dataset / made.model;
}

/// The files that a store consists of.
std::vector<std::vector<std::string>> parts_of_a_store() {
    return {{"manifest.json"},
            {"shards/000000.npy", "shards/000000.json"},
            {"shards/000001.npy", "shards/000001.json"},
            {"shards/000002.npy", "shards/000002.json"}};
}

void swap_files(const fs::path& one, const fs::path& two, const std::string& name) {
    fs::rename(one / name, one / "aside");
    fs::rename(two / name, one / name);
    fs::rename(one / "aside", two / name);
}

/// Both stores are damaged, and neither can be read.
void expect_both_refused(const fs::path& one, const fs::path& two) {
    for (const fs::path& store : {one, two}) {
        EXPECT_FALSE(verify_store(store).empty()) << store;
        EXPECT_THROW(everything_in(store), Error) << store;
    }
}

void expect_both_sound(const fs::path& one, const fs::path& two) {
    for (const fs::path& store : {one, two}) EXPECT_TRUE(verify_store(store).empty()) << store;
}

TEST(StoreForeign, EveryFileAlone) {
    const Scratch scratch(in_memory());
    const fs::path one = make_store(scratch.path(), {.model = "one"});
    const fs::path two = make_store(scratch.path(), {.model = "two", .more = 1});
    for (const auto& [name, text] : all_files(one)) {
        SCOPED_TRACE(name);
        swap_files(one, two, name);
        expect_both_refused(one, two);
        swap_files(one, two, name);
    }
    expect_both_sound(one, two);
}

// Two models on one data set, and two stores with the same identity but different numbers. The
// numbers are from two processors, or from other images with the same names. Only finished
// manifests distinguish those two stores.
TEST(StoreForeign, EveryMixtureOfTwoStores) {
    const Scratch scratch(in_memory());
    const fs::path one = make_store(scratch / "a", {.model = "one"});
    const fs::path two = make_store(scratch / "a", {.model = "two", .more = 1});
    const fs::path twin = make_store(scratch / "b", {.model = "one", .more = 2});
    EXPECT_EQ(PredictionStore::open(one).spec().id, PredictionStore::open(twin).spec().id);
    const auto parts = parts_of_a_store();
    for (const fs::path& other : {two, twin}) {
        const std::string left = everything_in(one), right = everything_in(other);
        ASSERT_NE(left, right);
        for (unsigned chosen = 1; chosen < 1U << parts.size(); ++chosen) {
            SCOPED_TRACE(fmt::format("parts {:04b} of {}", chosen, other.string()));
            const auto swap_chosen = [&] {
                for (std::size_t p = 0; p < parts.size(); ++p) {
                    if ((chosen >> p & 1U) == 0) continue;
                    for (const std::string& name : parts[p]) swap_files(one, other, name);
                }
            };
            swap_chosen();
            // all files were exchanged, so both stores are sound
            if (chosen + 1 == 1U << parts.size()) {
                expect_both_sound(one, other);
                EXPECT_EQ(everything_in(one), right);
                EXPECT_EQ(everything_in(other), left);
            } else {
                expect_both_refused(one, other);
            }
            swap_chosen();
        }
    }
}

TEST(StoreForeign, ShardsOfAnotherModelInAStoreThatIsNotFinished) {
    const Scratch scratch(in_memory());
    const fs::path one = make_store(scratch.path(), {.model = "one", .finished = false});
    const fs::path two = make_store(scratch.path(), {.model = "two", .more = 1, .finished = false});
    for (const char* name : {"shards/000001.npy", "shards/000001.json"})
        fs::copy_file(two / name, one / name, fs::copy_options::overwrite_existing);
    const std::string message = error_of([&] { everything_in(one); }).second;
    EXPECT_THAT(message, AllOf(HasSubstr("000001.json"),
                               HasSubstr("it belongs to another store, `two` on `val` (id "),
                               HasSubstr("this one is `one` on `val` (id ")));
    EXPECT_EQ(verify_store(one).size(), 1U);
    // No writer resumes such a store.
    EXPECT_THAT(
        error_of([&] { make_store(scratch.path(), {.model = "one"}); }).second,
        AllOf(HasSubstr("belongs to another store"), HasSubstr("computes the shard again")));
}

TEST(StoreForeign, DataSetFiles) {
    struct Case {
        const char* what;
        const char* message;
        Dataset dataset;
        std::string name = "val";
    };
    std::vector<Case> cases;
    cases.push_back({"labels", "different labels, attributes or classes", made_up_dataset(24)});
    cases.back().dataset.labels = LabelSets();
    for (std::int32_t i = 0; i < 24; ++i) {
        const std::int32_t label = (i + 1) % 5;
        cases.back().dataset.labels.append(std::span(&label, 1));
    }
    cases.push_back({"attributes", "different labels, attributes or classes", made_up_dataset(24)});
    cases.back().dataset.attributes.push_back({"group", {}});
    for (int i = 0; i < 24; ++i) cases.back().dataset.attributes[0].values.append("a");
    cases.push_back({"classes", "different labels, attributes or classes", made_up_dataset(24)});
    cases.back().dataset.classes = ClassList({"c1", "c0", "c2", "c3", "c4", "c5", "c6"});
    cases.push_back({"ids", "other items", made_up_dataset(24, "other")});
    cases.push_back({"name", "is that of `noise_1`", made_up_dataset(24), "noise_1"});
    for (const Case& other : cases) {
        SCOPED_TRACE(other.what);
        const Scratch scratch(in_memory());
        const fs::path one = make_store(scratch / "a", {});
        const fs::path two =
            make_store(scratch / "b", {.dataset = other.name, .more = 1}, other.dataset);
        const std::vector<std::string> both = {"dataset.json", "items.csv"};
        for (const std::string& name : both) swap_files(one.parent_path(), two.parent_path(), name);
        expect_both_refused(one, two);
        EXPECT_THAT(verify_store(one), Contains(HasSubstr(other.message)));
        // A writer does not resume a store with other labels or classes, either.
        EXPECT_THROW(make_store(scratch / "a", {}, other.dataset), Error);
        swap_files(one.parent_path(), two.parent_path(), both[1]);  // the file dataset.json alone
        expect_both_refused(one, two);
        swap_files(one.parent_path(), two.parent_path(), both[0]);
        expect_both_sound(one, two);
        // The store's folder is next to another data set.
        fs::remove_all(two);
        fs::rename(one, two);
        EXPECT_FALSE(verify_store(two).empty());
        EXPECT_THROW(everything_in(two), Error);
    }
}

TEST(StoreForeign, FoldersMayBeMovedAndRenamed) {
    const Scratch scratch(in_memory());
    const fs::path one = make_store(scratch.path(), {.model = "one"});
    const fs::path two = make_store(scratch.path(), {.model = "two", .more = 1, .finished = false});
    const std::string left = everything_in(one), right = everything_in(two);
    fs::rename(one, scratch / "val/third");
    fs::create_directory(scratch / "elsewhere");
    fs::rename(scratch / "val", scratch / "elsewhere/renamed");
    const fs::path folder = scratch / "elsewhere/renamed";
    EXPECT_EQ(everything_in(folder / "third"), left);
    EXPECT_EQ(everything_in(folder / "two"), right);
    expect_both_sound(folder / "third", folder / "two");
    // A new model in that folder belongs to its data set, and can be resumed after it was begun.
    const fs::path fresh =
        make_store(scratch / "elsewhere", {.dataset = "renamed", .model = "new"});
    EXPECT_EQ(PredictionStore::open(fresh).spec().dataset_name, "val");
    EXPECT_TRUE(verify_store(fresh).empty());
    StoreSpec spec = made_up_spec(24);
    spec.dataset_name = "renamed";
    spec.model_name = "two";
    StoreWriter writer = StoreWriter::open(scratch / "elsewhere", spec, made_up_dataset(24));
    EXPECT_EQ(writer.missing(), 0U);
    writer.finish();
    EXPECT_TRUE(verify_store(folder / "two").empty());
}

TEST(StoreForeign, PartsOfSeveralMachinesJoin) {
    const Scratch scratch(in_memory());
    const fs::path whole = make_store(scratch / "whole", {});
    std::vector<fs::path> parts;
    for (const char* runs : {"a", "b"}) {
        StoreWriter writer =
            StoreWriter::open(scratch / runs, made_up_spec(24), made_up_dataset(24));
        for (std::size_t s = runs[0] == 'a' ? 0 : 1; s < 3; s += 2) write_made_up_shard(writer, s);
        parts.push_back(scratch / runs / "val/net");
    }
    for (const auto& file : fs::directory_iterator(parts[1] / "shards"))
        fs::rename(file.path(), parts[0] / "shards" / file.path().filename());
    EXPECT_TRUE(verify_store(parts[0]).empty());
    make_store(scratch / "c", {});  // other folders have no effect
    StoreWriter writer = StoreWriter::open(scratch / "a", made_up_spec(24), made_up_dataset(24));
    EXPECT_EQ(writer.missing(), 0U);
    writer.finish();
    EXPECT_EQ(all_files(scratch / "a"), all_files(scratch / "whole"));
}

TEST(StoreForeign, AFinishedStoreThatLostAShardSaysSo) {
    const Scratch scratch(in_memory());
    const fs::path store = make_store(scratch.path(), {});
    const auto before = all_files(scratch.path());
    fs::remove(store / "shards/000001.json");
    EXPECT_THAT(verify_store(store),
                Contains(HasSubstr("1 of 3 shards is missing from the finished store, the")));
    fs::remove(store / "shards/000002.json");
    EXPECT_THAT(verify_store(store), Contains(HasSubstr("2 of 3 shards are missing")));
    EXPECT_EQ(PredictionStore::open(store).missing_shards(), 2U);  // the other shards are read
    {
        StoreWriter writer =
            StoreWriter::open(scratch.path(), made_up_spec(24), made_up_dataset(24));
        EXPECT_EQ(writer.missing(), 2U);
        write_made_up_shard(writer, 1);
        EXPECT_FALSE(PredictionStore::open(store).finished());
        EXPECT_TRUE(verify_store(store).empty());
    }  // this run is interrupted
    EXPECT_TRUE(verify_store(store).empty());
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(24), made_up_dataset(24));
    write_missing_shards(writer);
    EXPECT_EQ(all_files(scratch.path()), before);
}

TEST(StoreForeign, AShardThatIsComputedAgainIsTheStoresOwn) {
    const Scratch scratch(in_memory());
    const fs::path store = make_store(scratch.path(), {});
    const std::string before = everything_in(store);
    StoreWriter writer = StoreWriter::open(scratch.path(), made_up_spec(24), made_up_dataset(24));
    EXPECT_EQ(writer.unreadable_rows(1).size(), 1U);
    writer.redo(1);
    EXPECT_TRUE(verify_store(store).empty());
    const std::vector<RowState> states(10, RowState::ok);
    writer.write_shard(1, made_up_scores(10, 10, 7), states, {}, "");  // row 13 can be read now
    EXPECT_TRUE(verify_store(store).empty());
    writer.finish();
    EXPECT_TRUE(verify_store(store).empty());
    EXPECT_NE(everything_in(store), before);
}

TEST(StoreForeign, ClassesAreCountedOnce) {
    const Scratch scratch(in_memory());
    StoreSpec spec = made_up_spec(24);
    spec.classes = 9;
    const auto refused = [&](const Dataset& dataset) {
        return error_of([&] { StoreWriter::open(scratch.path(), spec, dataset); });
    };
    EXPECT_EQ(refused(made_up_dataset(24)).first, ErrorCode::bad_input);
    EXPECT_THAT(refused(made_up_dataset(24)).second,
                HasSubstr("the data set `val` has 7 classes, but the scores of `net` have 9"));
    EXPECT_FALSE(fs::exists(scratch / "val"));
    const fs::path store = make_store(scratch.path(), {});
    Dataset unknown = made_up_dataset(24);
    unknown.classes = ClassList();
    EXPECT_THAT(refused(unknown).second, HasSubstr("has 7 classes, but the scores"));
    // Both files are complete, but disagree.
    std::string text = file_text(store / "manifest.json");
    text.replace(text.find("\"classes\": 7"), 12, "\"classes\": 8");
    put_text(store / "manifest.json", with_checksum(text));
    EXPECT_THAT(verify_store(store),
                Contains(HasSubstr("has scores of 8 classes; dataset.json next to it names 7")));
}

}  // namespace
}  // namespace assay
