// Changes the class list of existing stores.
#include "assay/store/relabel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/store/verify.h"
#include "made_up.h"
#include "scratch.h"
#include "store/dataset_files.h"
#include "store/same_data.h"

namespace assay {
namespace {

using testing::HasSubstr;

const ClassList birds({"crane", "duck", "finch", "gull", "heron", "jay", "kiwi"});

void write_store(const std::filesystem::path& runs, const Dataset& dataset,
                 const std::string& model = "net") {
    StoreSpec spec = made_up_spec(dataset.size());
    spec.model_name = model;
    StoreWriter writer = StoreWriter::open(runs, spec, dataset);
    write_missing_shards(writer);
}

ClassList classes_of(const std::filesystem::path& store) {
    return PredictionStore::open(store).dataset().classes;
}

TEST(Relabel, AllModelsOfTheDataSetHaveTheListAndNothingElseChanges) {
    const Scratch scratch;
    const Dataset dataset = made_up_dataset(30);
    write_store(scratch.path(), dataset);
    write_store(scratch.path(), dataset, "other");
    auto before = all_files(scratch.path());
    const auto done = relabel_stores({scratch / "val/net"}, birds);
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].stores, 2U);
    EXPECT_EQ(done[0].classes, 7U);
    EXPECT_EQ(done[0].changed, 7U);
    EXPECT_EQ(done[0].first_change, "class 0 was `c0` and is now `crane`");
    EXPECT_FALSE(done[0].reordered);
    for (const char* model : {"net", "other"}) {
        EXPECT_EQ(classes_of(scratch / "val" / model), birds);
        EXPECT_EQ(PredictionStore::open(scratch / "val" / model).dataset().single_label(3), 3);
    }
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
    auto after = all_files(scratch.path());
    EXPECT_NE(before["val/dataset.json"], after["val/dataset.json"]);
    before.erase("val/dataset.json");
    after.erase("val/dataset.json");
    EXPECT_EQ(before, after);
}

TEST(Relabel, TheListOfBeforeIsRecordedAndItsRunsGoOn) {
    const Scratch scratch;
    const Dataset dataset = made_up_dataset(30);
    write_store(scratch.path(), dataset);
    const std::string first = store::read_dataset_record(scratch / "val").id;
    relabel_stores({scratch.path()}, birds);
    const store::DatasetRecord record = store::read_dataset_record(scratch / "val");
    ASSERT_EQ(record.former.size(), 1U);
    EXPECT_EQ(record.former[0].classes, dataset.classes);
    EXPECT_EQ(record.former[0].id, first);
    EXPECT_NE(record.id, first);
    // The same command as before is run, and then a model with the new list.
    write_store(scratch.path(), dataset);
    write_store(scratch.path(), dataset, "late");
    Dataset named = dataset;
    named.classes = birds;
    write_store(scratch.path(), named, "later");
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
    const PredictionStore one = PredictionStore::open(scratch / "val/net"),
                          two = PredictionStore::open(scratch / "val/later");
    EXPECT_EQ(one.spec().dataset_id, record.id);
    EXPECT_EQ(store::difference(one, two, {.classes = true, .labels = true}), "");
    // A list that was never used is refused, because it differs.
    named.classes = ClassList({"a", "b", "c", "d", "e", "f", "g"});
    EXPECT_THAT(error_of([&] { write_store(scratch.path(), named, "foreign"); }).second,
                HasSubstr("different classes"));
    // Changing back gives the first identity.
    relabel_stores({scratch.path()}, dataset.classes);
    EXPECT_EQ(store::read_dataset_record(scratch / "val").id, first);
    EXPECT_EQ(store::read_dataset_record(scratch / "val").former.size(), 1U);
    EXPECT_EQ(classes_of(scratch / "val/later"), dataset.classes);
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
}

// The manifest keeps the identity of the data set with the first list.
TEST(Relabel, DamageIsStillFound) {
    const Scratch scratch;
    write_store(scratch.path(), made_up_dataset(30));
    relabel_stores({scratch.path()}, birds);
    const std::filesystem::path file = scratch / "val/net/shards/000000.npy";
    std::string text = file_text(file);
    text.back() = static_cast<char>(text.back() ^ 1);
    put_text(file, text);
    EXPECT_TRUE(any_damaged(verify_stores(scratch.path())));
    const PredictionStore opened = PredictionStore::open(scratch / "val/net");
    EXPECT_EQ(error_of([&] { opened.shard(0); }).first, ErrorCode::bad_input);
}

TEST(Relabel, StoresElsewhereWithTheOldListAreOthersNow) {
    const Scratch scratch;
    const Dataset dataset = made_up_dataset(30);
    write_store(scratch / "one", dataset);
    write_store(scratch / "two", dataset);
    relabel_stores({scratch / "one"}, birds);
    const PredictionStore one = PredictionStore::open(scratch / "one/val/net"),
                          two = PredictionStore::open(scratch / "two/val/net");
    EXPECT_THAT(store::difference(one, two, {.classes = true}), HasSubstr("other classes"));
}

TEST(Relabel, StoresWithoutNamesGetThem) {
    const Scratch scratch;
    Dataset dataset = made_up_dataset(30);
    dataset.classes = ClassList();
    write_store(scratch.path(), dataset);
    const auto done = relabel_stores({scratch.path()}, birds);
    EXPECT_EQ(done[0].first_change, "class 0 was `0` and is now `crane`");
    EXPECT_EQ(classes_of(scratch / "val/net"), birds);
    write_store(scratch.path(), dataset);  // this call resumes
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
}

TEST(Relabel, AnotherNumberIsRefusedBeforeAnythingIsChanged) {
    const Scratch scratch;
    write_store(scratch.path(), made_up_dataset(30));
    const auto before = all_files(scratch.path());
    const auto [code, text] = error_of([&] {
        relabel_stores({scratch.path()}, ClassList({"a", "b", "c"}));
    });
    EXPECT_EQ(code, ErrorCode::bad_input);
    EXPECT_THAT(text, HasSubstr("scores of 7 classes, but the list has 3"));
    EXPECT_EQ(all_files(scratch.path()), before);
    // Setting the same list again changes no file.
    EXPECT_EQ(relabel_stores({scratch.path()}, made_up_dataset(30).classes)[0].changed, 0U);
    EXPECT_EQ(all_files(scratch.path()), before);
}

TEST(Relabel, TheSameClassesInAnotherOrderAreSaid) {
    const Scratch scratch;
    write_store(scratch.path(), made_up_dataset(30));
    const auto done =
        relabel_stores({scratch.path()}, ClassList({"c1", "c0", "c2", "c3", "c4", "c5", "c6"}));
    EXPECT_TRUE(done[0].reordered);
    EXPECT_EQ(done[0].changed, 2U);
    const Report report = report_of(done);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_THAT(report.warnings[0], HasSubstr("--labels FILE"));
}

// Without an error, scores in the old order would be read with the new list.
TEST(Relabel, AListInTheOldOrderServesOnlyStoresThatAreBegun) {
    const Scratch scratch;
    const Dataset dataset = made_up_dataset(30);
    write_store(scratch.path(), dataset);
    const ClassList moved({"c1", "c0", "c2", "c3", "c4", "c5", "c6"});
    relabel_stores({scratch.path()}, moved);
    const auto [code, text] = error_of([&] { write_store(scratch.path(), dataset, "late"); });
    EXPECT_EQ(code, ErrorCode::bad_input);
    EXPECT_THAT(text, HasSubstr("class 0 is `c1`"));
    EXPECT_THAT(text, HasSubstr("--classes FILE"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "val/late"));
    write_store(scratch.path(), dataset);  // this call continues after the interruption
    Dataset named = dataset;
    named.classes = moved;
    write_store(scratch.path(), named, "late");
    EXPECT_EQ(classes_of(scratch / "val/late"), moved);
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
}

// The last step is a rename. Other files of a killed run are not read, and the next run
// removes them.
TEST(Relabel, WhatAKilledRunLeavesIsNotRead) {
    const Scratch scratch;
    write_store(scratch.path(), made_up_dataset(30));
    const std::string text = file_text(scratch / "val/dataset.json");
    put_text(scratch / "val/.dataset.json.4194303.tmp", text.substr(0, text.size() / 2));
    EXPECT_EQ(classes_of(scratch / "val/net"), made_up_dataset(30).classes);
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
    relabel_stores({scratch / "val"}, birds);
    EXPECT_EQ(classes_of(scratch / "val/net"), birds);
    EXPECT_FALSE(std::filesystem::exists(scratch / "val/.dataset.json.4194303.tmp"));
    EXPECT_FALSE(any_damaged(verify_stores(scratch.path())));
}

}  // namespace
}  // namespace assay
