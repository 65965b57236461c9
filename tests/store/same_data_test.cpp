// Comparison of the data of two stores, and its messages.
#include "store/same_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/store/memory_store.h"
#include "made_up.h"
#include "scratch.h"
#include "store/data_groups.h"
#include "store/label_fit.h"
#include "store/same_models.h"

namespace assay {
namespace {

using store::Needs;
using store::SameClasses;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Needs everything = {
    .images = true, .classes = true, .labels = true, .name = true, .attributes = true};

class SameDataOfStores : public ::testing::Test {
protected:
    /// A store in its own runs folder.
    PredictionStore made(const std::string& runs, const Dataset& dataset,
                         const std::string& name = "val", std::string_view corruption = {}) {
        StoreSpec spec = made_up_spec(dataset.size());
        spec.dataset_name = name;
        StoreWriter::open(scratch_ / runs, spec, dataset, corruption);
        return PredictionStore::open(scratch_ / runs / name / "net");
    }
    Scratch scratch_;
};

TEST_F(SameDataOfStores, OneDataSetInTwoFolders) {
    const PredictionStore a = made("a", made_up_dataset(12)), b = made("b", made_up_dataset(12));
    EXPECT_TRUE(store::same_data(a, b, everything).meets(everything));
    EXPECT_EQ(store::same_data(a, b, everything).files, std::nullopt);  // no record of images
    EXPECT_EQ(store::difference(a, b, everything), "");
    EXPECT_NO_THROW(store::require_same(a, b, everything));
    EXPECT_EQ(store::data_key(a, everything), store::data_key(b, everything));
}

TEST_F(SameDataOfStores, EachDifferenceIsFoundAndSaid) {
    const PredictionStore first = made("a", made_up_dataset(12));
    const auto found = [&](const std::string& runs, const Dataset& dataset, const Needs& needs,
                           const std::string& name = "val", std::string_view corruption = {}) {
        const PredictionStore other = made(runs, dataset, name, corruption);
        EXPECT_FALSE(store::same_data(first, other, needs).meets(needs)) << runs;
        EXPECT_NE(store::data_key(first, needs), store::data_key(other, needs)) << runs;
        const auto [code, message] = error_of([&] { store::require_same(first, other, needs); });
        EXPECT_EQ(code, ErrorCode::bad_input);
        EXPECT_THAT(message, HasSubstr(first.folder().string()));
        // A caller with fewer requirements accepts these stores.
        EXPECT_EQ(store::same_items(first, other), runs != "ids" && runs != "fewer");
        return store::difference(first, other, needs);
    };
    EXPECT_THAT(
        found("ids", made_up_dataset(12, "other"), {}),
        AllOf(HasSubstr("other items"), HasSubstr("`item00000`"), HasSubstr("`other00000`")));
    EXPECT_THAT(found("fewer", made_up_dataset(11), {}),
                HasSubstr("of 12 items in the first and 11 in the second"));
    Dataset changed = made_up_dataset(12);
    changed.labels = LabelSets::from_single(std::vector<std::int32_t>(12, 6));
    EXPECT_EQ(found("labels", changed, {.labels = true}),
              "other labels: `item00000` is labelled `c0` in the first and `c6` in the second, and "
              "11 more of 12 differ");
    changed = made_up_dataset(12);
    changed.classes = ClassList({"c1", "c0", "c2", "c3", "c4", "c5", "c6"});
    EXPECT_EQ(found("classes", changed, {.classes = true}),
              "other classes: class 0 is `c0` and `c1` (in the first: c0, c1, c2, c3, c4, c5, ...; "
              "in the second: c1, c0, c2, c3, c4, c5, ...)");
    // Equal numbers for different classes are different labels.
    EXPECT_THAT(found("numbers", changed, {.labels = true}), HasSubstr("class 0 is `c0` and `c1`"));
    EXPECT_EQ(found("name", made_up_dataset(12), {.name = true}, "val2"),
              "two data sets, `val` and `val2`");
    EXPECT_THAT(found("corruption", made_up_dataset(12), {}, "val", R"({"corruption":"fog"})"),
                HasSubstr("corrupted"));
    changed = made_up_dataset(12);
    changed.attributes.push_back({"group", changed.ids});
    EXPECT_THAT(found("attributes", changed, {.attributes = true}), HasSubstr("attributes"));
}

TEST_F(SameDataOfStores, LabelsOfOtherClassListsAreShownByNumber) {
    Dataset one = made_up_dataset(2), two = made_up_dataset(2);
    one.classes = ClassList({"cat", "dog"});
    two.classes = ClassList({"dog", "cat"});
    one.labels = LabelSets::from_single(std::vector<std::int32_t>{1, 0});
    two.labels = LabelSets::from_single(std::vector<std::int32_t>{0, 0});
    EXPECT_EQ(
        store::labels_difference(one, two, store::there_and_now),
        "`item00000` is labelled `1 = dog` there and `0 = dog` now; their classes differ, too: "
        "class 0 is `cat` and `dog` (there: cat, dog; now: dog, cat)");
    EXPECT_EQ(store::labels_difference(one, one, store::there_and_now), "");
}

TEST_F(SameDataOfStores, GroupsAreInTheOrderOfTheirFirstStores) {
    Dataset relabelled = made_up_dataset(12);
    relabelled.labels = LabelSets::from_single(std::vector<std::int32_t>(12, 6));
    const PredictionStore a = made("a", made_up_dataset(12)), b = made("b", relabelled),
                          c = made("c", made_up_dataset(12)), d = made("d", made_up_dataset(11));
    const std::vector<const PredictionStore*> stores = {&a, &b, &c, &d};
    EXPECT_THAT(store::groups_of(stores, {.labels = true}),
                ElementsAre(ElementsAre(0, 2), ElementsAre(1), ElementsAre(3)));
    EXPECT_THAT(store::groups_of(stores, {}), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3)));
    EXPECT_THAT(store::groups_of({}, {}), ElementsAre());
}

TEST_F(SameDataOfStores, DataSetsOfOneNameAreToldApartByWhatWasDoneToTheirImages) {
    const PredictionStore clean = made("a", made_up_dataset(12)),
                          fog = made("b", made_up_dataset(12), "val", R"({"corruption":"fog"})"),
                          same = made("c", made_up_dataset(12));
    store::DataGroups groups;
    EXPECT_EQ(groups.of(clean), 0U);
    EXPECT_EQ(groups.of(fog), 1U);
    EXPECT_EQ(groups.of(same), 0U);
    std::vector<std::string> warnings;
    EXPECT_THAT(groups.names(warnings), ElementsAre("a/val", "b/val"));
    EXPECT_EQ(warnings.size(), 1U);
}

TEST_F(SameDataOfStores, ANameCallsOneDataSet) {
    const PredictionStore val = made("a", made_up_dataset(12)),
                          same = made("b", made_up_dataset(12)),
                          v2 = made("a", made_up_dataset(12), "v2"),
                          other = made("c", made_up_dataset(11));
    store::CalledData called("val");
    EXPECT_TRUE(called.is_of(val));
    EXPECT_TRUE(called.is_of(same));
    EXPECT_FALSE(called.is_of(v2));
    const auto [code, message] = error_of([&] { called.is_of(other); });
    EXPECT_EQ(code, ErrorCode::usage);
    EXPECT_THAT(message, AllOf(HasSubstr("a/val"), HasSubstr("c/val"), HasSubstr("same name")));
}

TEST(SameModelsOfStores, WhatIsNotRecordedIsNoOtherFile) {
    EXPECT_TRUE(store::same_model_file("", "1"));
    EXPECT_TRUE(store::same_model_file("1", "1"));
    EXPECT_FALSE(store::same_model_file("1", "2"));
    StoreSpec one, two;
    one.model_hash = "1";
    two.model_hash = "2";
    // the identity of an import is the hash of its scores
    EXPECT_EQ(store::model_file_of(one), "");
    EXPECT_FALSE(store::same_origin(one, two).file);
    EXPECT_TRUE(store::same_origin(one, two).preprocessing);
    one.preprocess_hash = "3";
    EXPECT_EQ(store::model_file_of(one), "1");
    EXPECT_TRUE(store::same_preprocessing(one, two));
    two.preprocess_hash = "4";
    EXPECT_FALSE(store::same_preprocessing(one, two));
}

TEST(SameClassesOfLists, TheFourCases) {
    using Order = SameClasses::Order;
    const ClassList one({"n1", "n2"}, {"cat", "dog"});
    EXPECT_EQ(store::same_classes(one, one).order, Order::same);
    EXPECT_EQ(store::same_classes(one, ClassList({"cat", "dog"})).order, Order::same);  // by name
    EXPECT_EQ(store::same_classes(one, {}).order, Order::unnamed);
    EXPECT_EQ(store::same_classes(numbered_classes(2), one).order, Order::unnamed);
    const SameClasses moved = store::same_classes(one, ClassList({"dog", "cat"}));
    EXPECT_EQ(moved.order, Order::moved);
    EXPECT_THAT(moved.places, ElementsAre(1, 0));
    EXPECT_FALSE(moved.in_order());
    EXPECT_EQ(store::same_classes(one, ClassList({"cat", "bus"})).order, Order::other);
}

TEST(LabelFitOfFiles, CountsBothSides) {
    const Scratch scratch;
    const Dataset images = made_up_dataset(3);
    put_text(scratch / "l.csv", "id,label\nitem00000,c1\nitem00002,c2\nelse,c1\n");
    const store::LabelFit fit = store::label_fit(scratch / "l.csv", images);
    ASSERT_TRUE(fit.fits()) << fit.misfit();
    EXPECT_EQ(fit.labelled, 2U);
    EXPECT_EQ(fit.match.unnamed, 1U);
    EXPECT_EQ(fit.match.others, 1U);
    EXPECT_THAT(describe(fit, "l.csv"),
                AllOf(HasSubstr("labels of l.csv: 2 of 3 images have some"), HasSubstr("`else`")));
    put_text(scratch / "n.csv", "id,label\nx,c1\ny,c2\n");
    const store::LabelFit none = store::label_fit(scratch / "n.csv", images);
    EXPECT_FALSE(none.fits());
    EXPECT_TRUE(none.names_no_item);
    EXPECT_THAT(none.misfit(), AllOf(HasSubstr("`x`"), HasSubstr("`y`"), HasSubstr("`item00001`")));
    put_text(scratch / "bad.csv", "id,label\nitem00000,zebra\n");
    const store::LabelFit bad = store::label_fit(scratch / "bad.csv", images);
    EXPECT_FALSE(bad.fits());
    EXPECT_FALSE(bad.names_no_item);
}

}  // namespace
}  // namespace assay
