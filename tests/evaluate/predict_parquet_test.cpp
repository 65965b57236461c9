// Images in Parquet files give what the same images give as files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/evaluate/predict.h"
#include "coloured_images.h"
#include "core/file.h"
#include "data/archives.h"
#include "data/parquet_writer.h"
#include "message_of.h"

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
    // As many bytes as before.
    const Dataset other = parquet(reds(22, 1));
    EXPECT_THAT(message_of([&] { scores_of(other, "runs"); }),
                testing::HasSubstr("has other bytes now, as many as then"));
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

}  // namespace
}  // namespace assay
