// The facts that predict records about decoded images, and its notes about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/evaluate/inspect.h"
#include "assay/evaluate/predict.h"
#include "coloured_images.h"
#include "image/file_facts.h"
#include "image/pixel_fixtures.h"
#include "store/begun_rows.h"
#include "store/fields.h"
#include "store/record.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RecordedImages : public PredictImages {
protected:
    void replace(const Dataset& dataset, std::size_t item, std::string_view bytes) {
        write_file_atomically(dataset.path_of(item), bytes);
    }
    void replace_by(const Dataset& dataset, std::size_t item, std::string_view fixture) {
        const auto file = test::pixel_fixture(fixture).file;
        replace(dataset, item, {reinterpret_cast<const char*>(file.data()), file.size()});
    }
    PredictResult run(const Dataset& dataset, const PredictOptions& how) {
        const LoadedModel model = loaded("m", std::make_shared<Fake>());
        return predict({&model, 1}, dataset, how).at(0);
    }
    /// Ten images, one for each kind of fact.
    Dataset mixed() {
        Dataset dataset = images(10);
        replace_by(dataset, 1, "png rgb 16");
        replace_by(dataset, 2, "png rgb alpha 8");
        replace_by(dataset, 5, "png rgb alpha 8");
        replace_by(dataset, 6, "webp animated");
        replace_by(dataset, 8, "jpeg exif turned");
        replace(dataset, 9, "no image");
        dataset.labels = {};
        for (std::int32_t i = 0; i < 10; ++i) {
            const std::int32_t label = i == 5 ? 1 : 0;
            dataset.labels.append({&label, 1});
        }
        return dataset;
    }
};

TEST_F(RecordedImages, NothingIsSaidWhereNothingIsFound) {
    const PredictResult result = run(images(10), options("runs"));
    EXPECT_THAT(result.image_notes, IsEmpty());
    const std::string record = read_text(result.store / "shards/000000.json");
    EXPECT_THAT(record, testing::Not(HasSubstr("left_aside")));
    EXPECT_THAT(report_of({&result, 1}).result.dump(), testing::Not(HasSubstr("image_notes")));
}

TEST_F(RecordedImages, EachKindIsALine) {
    const PredictResult result = run(mixed(), options("runs"));
    EXPECT_THAT(result.image_notes,
                ElementsAre("2 of 10 images: alpha (dropped); the first is 002.bmp",
                            "1 of 10 images: more than 8 bits a channel (cut to 8); the first is "
                            "001.bmp",
                            "1 of 10 images: several frames or pages (the first is read); the "
                            "first is 006.bmp",
                            "1 of 10 images: EXIF orientation (not applied); the first is 008.bmp",
                            "1 file appears more than once (2 images), 1 with different labels; "
                            "the first is 002.bmp [red] = 005.bmp [batch]"));
    // The notes are the same for any number of threads, and for a run that computes nothing.
    PredictOptions how = options("threads");
    how.threads = 3;
    EXPECT_EQ(run(mixed(), how).image_notes, result.image_notes);
    const PredictResult again = run(mixed(), options("runs"));
    EXPECT_EQ(again.predicted, 0U);
    EXPECT_EQ(again.image_notes, result.image_notes);
}

TEST_F(RecordedImages, AStoreTellsWhatItsModelSaw) {
    const PredictionStore store = PredictionStore::open(run(mixed(), options("runs")).store);
    const std::optional<InspectResult> found = inspect_store(store);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->images, 10U);
    EXPECT_EQ(found->unreadable, 1U);
    ASSERT_EQ(found->unreadable_examples.size(), 1U);
    EXPECT_EQ(found->unreadable_examples[0].id, "009.bmp");
    EXPECT_THAT(found->unreadable_examples[0].why, HasSubstr("not an image that can be read"));
    EXPECT_EQ(found->same_files.groups_of_other_labels, 1U);
    EXPECT_TRUE(has_faults(*found));
    EXPECT_FALSE(found->sizes);
    const nlohmann::json result = report_of(*found).result;
    EXPECT_EQ(result["store"], store.folder().string());
    EXPECT_FALSE(result.contains("near_duplicates"));
    EXPECT_FALSE(result.contains("near"));
    EXPECT_EQ(result["kinds"][0]["id"], "alpha");
    EXPECT_EQ(result["findings"][0]["grade"], "fault");
}

TEST_F(RecordedImages, TheRecordNamesTheRows) {
    const PredictResult result = run(mixed(), options("runs"));
    const auto record =
        nlohmann::json::parse(read_text(result.store / "shards/000000.json"))["left_aside"];
    EXPECT_EQ(record["alpha"], nlohmann::json({2, 5}));
    EXPECT_EQ(record["more_than_8_bits"], nlohmann::json({1}));
    EXPECT_EQ(record["several_frames"], nlohmann::json({6}));
    EXPECT_FALSE(record.contains("exif_turned"));
    const auto second =
        nlohmann::json::parse(read_text(result.store / "shards/000001.json"))["left_aside"];
    EXPECT_EQ(second, nlohmann::json({{"exif_turned", {8}}}));
    const auto shard = PredictionStore::open(result.store).shard(1);
    const auto read = shard.images();
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].left_aside, left_aside_kinds[3].bit);
}

TEST_F(RecordedImages, RowsOfOtherShardsAreRefusedAndKindsOfLaterVersionsPassedOver) {
    const PredictResult result = run(mixed(), options("runs"));
    const StoreSpec spec = PredictionStore::open(result.store).spec();
    const std::string text = read_text(result.store / "shards/000001.json");
    const auto with = [&](const std::string& kind, const std::string& rows) {
        nlohmann::json record = nlohmann::json::parse(text);
        record.erase("xxh128");
        record["left_aside"] = {{kind, nlohmann::json::parse(rows)}};
        return store::parse_record(store::dump_with_checksum(record), spec, 1);
    };
    EXPECT_EQ(with("alpha", "[9]").images[1].left_aside, left_aside_kinds[0].bit);
    EXPECT_EQ(with("of_2030", "[9]").images[1].left_aside, 0);
    for (const char* rows : {"[7]", "[10]", "[1152921504606846976]", "[-8]", "[\"9\"]", "9"})
        EXPECT_THROW(with("alpha", rows), Error) << rows;
}

TEST_F(RecordedImages, ALogOfBegunRowsKeepsThem) {
    const Scratch folder;
    make_folders(folder / "shards");
    StoreSpec spec;
    spec.dataset_name = "d";
    spec.model_name = "m";
    spec.rows = 4;
    spec.classes = 1;
    spec.shard_rows = 4;
    spec.batch_size = 2;
    store::BegunRows rows{.first_row = 0,
                          .states = {RowState::ok, RowState::ok},
                          .errors = {},
                          .images = {{10, "xxh128:1", 9}, {11, "xxh128:2", 0}},
                          .scores = {1, 2}};
    store::keep_rows(folder.path(), spec, {}, 0, {&rows, 1});
    const std::uintmax_t with = fs::file_size(folder / "shards/.000000.begun");
    const auto found = store::kept_rows(folder.path(), spec, {}, 0);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].images[0].left_aside, 9);
    EXPECT_EQ(found[0].images[1].left_aside, 0);
    // A log without facts has the format from before facts were recorded.
    store::forget_rows(folder.path(), 0);
    rows.images[0].left_aside = 0;
    store::keep_rows(folder.path(), spec, {}, 0, {&rows, 1});
    EXPECT_EQ(fs::file_size(folder / "shards/.000000.begun") + 2, with);
    EXPECT_EQ(store::kept_rows(folder.path(), spec, {}, 0).at(0).images[0].bytes, 10U);
}

}  // namespace
}  // namespace assay
