// Images in Parquet files give the same scores as the same images in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/evaluate/predict.h"
#include "coloured_images.h"
#include "core/file.h"
#include "core/hash.h"
#include "data/archives.h"
#include "data/parquet_writer.h"
#include "evaluate/prediction_run.h"
#include "image/decoder_version.h"
#include "image/pixel_fixtures.h"
#include "message_of.h"
#include "store/begun_rows.h"
#include "store/image_check.h"

namespace assay {
namespace {

class PredictParquet : public PredictImages {
protected:
    /// Image i is red with i + `shift`.
    static std::vector<made_parquet::Image> reds(std::size_t n, std::size_t shift = 0) {
        std::vector<made_parquet::Image> images;
        for (std::size_t i = 0; i < n; ++i)
            images.emplace_back(bmp(static_cast<std::uint8_t>(i + shift), 0, 0));
        return images;
    }
    Dataset parquet(const std::vector<made_parquet::Image>& images,
                    const std::string& name = "x.parquet") {
        std::vector<std::int64_t> labels;
        for (std::size_t i = 0; i < images.size(); ++i)
            labels.push_back(static_cast<std::int64_t>(i % 2));
        const fs::path file = scratch_ / name;
        write_file_atomically(file, made_parquet::file_of(images, labels));
        return open_dataset(file, {.classes = ClassList({"red", "batch"})});
    }
    std::vector<float> scores_of(const Dataset& dataset, const std::string& runs) {
        const LoadedModel model = loaded("m", std::make_shared<Fake>());
        return kept(predict({&model, 1}, dataset, options(runs)).at(0).store);
    }
};

TEST_F(PredictParquet, ScoresAreThoseOfTheSameImagesAsFiles) {
    const std::vector<float> of_files = scores_of(images(22), "files");
    ASSERT_EQ(of_files.size(), 44U);
    EXPECT_EQ(scores_of(parquet(reds(22)), "rows"), of_files);
}

TEST_F(PredictParquet, RowsWithoutAReadableImageAreRecorded) {
    std::vector<made_parquet::Image> images = reds(10);
    images[3] = std::nullopt;
    images[6] = "no image";
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    const PredictResult result = predict({&model, 1}, parquet(images), options("runs")).at(0);
    EXPECT_EQ(result.bad_rows, 2U);
    EXPECT_THAT(result.first_error,
                testing::AllOf(testing::StartsWith("x.parquet/3: "),
                               testing::HasSubstr("x.parquet row 3: there is no image")));
}

TEST_F(PredictParquet, ASampleHasTheImagesOfItsRows) {
    const Dataset all = parquet(reds(20));
    const std::vector<std::uint32_t> chosen = {3, 4, 11, 19};
    const std::vector<float> scores = scores_of(take_items(all, chosen), "runs");
    for (std::size_t i = 0; i < chosen.size(); ++i)
        EXPECT_EQ(scores[2 * i], static_cast<float>(chosen[i]) / 255.0F);
}

TEST_F(PredictParquet, OtherImagesUnderTheSameNamesAreRefused) {
    scores_of(parquet(reds(22)), "runs");
    EXPECT_EQ(scores_of(parquet(reds(22)), "runs").size(), 44U);
    // The new image has as many bytes as the old one.
    const Dataset other = parquet(reds(22, 1));
    EXPECT_THAT(message_of([&] { scores_of(other, "runs"); }),
                testing::HasSubstr("has different bytes of the same number"));
}

TEST_F(PredictParquet, AStoreFindsItsImagesAgain) {
    const Dataset dataset = parquet(reds(6));
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    const PredictResult result = predict({&model, 1}, dataset, options("runs")).at(0);
    Dataset read_back = PredictionStore::open(result.store).dataset();
    ASSERT_EQ(read_back.archive, nullptr);
    EXPECT_TRUE(has_archived_images(read_back));
    read_back.archive = archive_of(read_back);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(read_back.read_image(i), dataset.read_image(i));
    EXPECT_FALSE(has_archived_images(images(3)));
    EXPECT_EQ(archive_of(images(3)), nullptr);
}

/// A store from before photographs were rotated by their EXIF data. Its manifest names no decoder,
/// and its hashes are those of the images without rotation. Only the first of its two shards
/// exists.
class FormerDecoder : public PredictParquet {
protected:
    static constexpr std::size_t count = 10;
    static std::vector<made_parquet::Image> photographs(std::size_t turned) {
        std::vector<made_parquet::Image> images = reds(count);
        if (turned < count) {
            const auto file = test::pixel_fixture("jpeg exif turned").file;
            images[turned] = std::string(reinterpret_cast<const char*>(file.data()), file.size());
        }
        return images;
    }
    /// Images in a column that `datasets` declares as images.
    Dataset declared(const std::vector<made_parquet::Image>& images) {
        made_parquet::Claims claims;
        claims.huggingface = R"({"info": {"features": {"image": {"_type": "Image"}}}})";
        const fs::path file = scratch_ / "x.parquet";
        write_file_atomically(
            file, made_parquet::file_of(images, std::vector<std::int64_t>(count, 0), claims));
        return open_dataset(file, {.classes = ClassList({"red", "batch"})});
    }
    StoreSpec spec_of(const Dataset& dataset) {
        StoreSpec spec = prediction::store_spec(model(), dataset, options("runs"));
        EXPECT_EQ(spec.decoder, decoder_version);
        spec.decoder = 0;
        return spec;
    }
    static LoadedModel model() { return loaded("m", std::make_shared<Fake>()); }
    /// `recorded` has the bytes of image i as that version read them.
    void begin_store(const Dataset& dataset, const std::vector<made_parquet::Image>& recorded,
                     bool single_images = true) {
        StoreWriter writer = StoreWriter::open(scratch_ / "runs", spec_of(dataset), dataset);
        const std::size_t rows = writer.rows_in(0);
        Hasher all;
        std::vector<ImageFile> files;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::string hash = hash_text(recorded[i].value());
            all.add_field(hash);
            files.push_back(store::image_file(recorded[i]->size(), hash));
        }
        if (!single_images) files.clear();
        writer.write_shard(0, std::vector<float>(rows * 2, 0.5F),
                           std::vector<RowState>(rows, RowState::ok), {}, all.digest(), files);
    }
    std::string manifest() { return read_text(scratch_ / "runs/x/m/manifest.json"); }
};

TEST_F(FormerDecoder, AStoreOfTurnedPhotographsIsReadAndNotResumed) {
    for (const bool single_images : {true, false}) {
        fs::remove_all(scratch_ / "runs");
        const std::vector<made_parquet::Image> images = photographs(3);
        const Dataset dataset = declared(images);
        begin_store(dataset, images, single_images);
        const PredictionStore store = PredictionStore::open(scratch_ / "runs/x/m");
        EXPECT_EQ(store.spec().decoder, 0U);
        EXPECT_EQ(store.shard(0).f32().size(), 16U);
        const LoadedModel m = model();
        const std::string said = message_of([&] { predict({&m, 1}, dataset, options("runs")); });
        EXPECT_THAT(said,
                    testing::HasSubstr(
                        "Now 1 of its 8 images has different pixels; the first is `x.parquet/3`"));
        EXPECT_THAT(said, testing::HasSubstr("runs-turned"));
        // Another model's store is refused in that folder as well, because its images would differ.
        const LoadedModel other = loaded("n", std::make_shared<Fake>());
        EXPECT_EQ(message_of([&] { predict({&other, 1}, dataset, options("runs")); }), said);
        EXPECT_FALSE(fs::exists(scratch_ / "runs/x/n"));
    }
}

TEST_F(FormerDecoder, AStoreWithoutTurnedPhotographsGoesOn) {
    // The second shard has one rotated image, and none of its rows is scored yet.
    for (const std::size_t turned : {count, count - 1}) {
        fs::remove_all(scratch_ / "runs");
        const std::vector<made_parquet::Image> images = photographs(turned);
        const Dataset dataset = declared(images);
        begin_store(dataset, images);
        const LoadedModel m = model();
        const PredictResult result = predict({&m, 1}, dataset, options("runs")).at(0);
        EXPECT_EQ(result.predicted, 2U);
        EXPECT_TRUE(PredictionStore::open(result.store).complete());
        EXPECT_THAT(manifest(), testing::Not(testing::HasSubstr("decoder")));
        EXPECT_EQ(predict({&m, 1}, dataset, options("runs")).at(0).predicted, 0U);
    }
}

TEST_F(FormerDecoder, AStoreOfABuildThatTurnedThemGoesOn) {
    const Dataset dataset = declared(photographs(3));
    std::vector<made_parquet::Image> as_read;
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::byte> bytes = dataset.read_image(i);
        as_read.emplace_back(
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    ASSERT_NE(as_read[3], photographs(3)[3]);
    begin_store(dataset, as_read);
    const LoadedModel m = model();
    EXPECT_EQ(predict({&m, 1}, dataset, options("runs")).at(0).predicted, 2U);
}

TEST_F(FormerDecoder, BegunRowsOfTurnedPhotographsAreComputedAgain) {
    for (const std::size_t turned : {std::size_t{2}, count}) {
        fs::remove_all(scratch_ / "runs");
        const std::vector<made_parquet::Image> images = photographs(turned);
        const Dataset dataset = declared(images);
        const LoadedModel m = model();
        {
            const StoreWriter begun =
                StoreWriter::open(scratch_ / "runs", spec_of(dataset), dataset);
            store::BegunRows rows{.first_row = 0,
                                  .states = std::vector<RowState>(4, RowState::ok),
                                  .errors = {},
                                  .images = {},
                                  .scores = std::vector<float>(8, 0.5F)};
            for (std::size_t i = 0; i < 4; ++i)
                rows.images.push_back({images[i]->size(), hash_text(*images[i])});
            store::keep_rows(begun.folder(), begun.spec(), prediction::computed_on(m), 0,
                             {&rows, 1});
        }
        EXPECT_EQ(predict({&m, 1}, dataset, options("runs")).at(0).predicted,
                  turned < count ? 10U : 6U);
    }
}

TEST_F(FormerDecoder, ANewStoreNamesItsDecoder) {
    const LoadedModel m = model();
    const Dataset dataset = declared(photographs(3));
    predict({&m, 1}, dataset, options("runs"));
    EXPECT_THAT(manifest(), testing::HasSubstr("\"decoder\": 1"));
    EXPECT_EQ(PredictionStore::open(scratch_ / "runs/x/m").spec().decoder, 1U);
    // A store with a later version of the decoder is not resumed.
    StoreSpec later = spec_of(dataset);
    later.decoder = decoder_version + 1;
    fs::remove_all(scratch_ / "runs");
    StoreWriter::open(scratch_ / "runs", later, dataset);
    EXPECT_THAT(message_of([&] {
                    predict({&m, 1}, dataset, options("runs"));
                }),
                testing::HasSubstr("a newer Assay decoded the images (decoder 2; this one has 1"));
}

}  // namespace
}  // namespace assay
