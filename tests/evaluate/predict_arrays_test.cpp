// Images in arrays give the same scores as the same images in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "assay/evaluate/predict.h"
#include "coloured_images.h"
#include "core/file.h"
#include "data/archives.h"
#include "data/array_files.h"
#include "message_of.h"

namespace assay {
namespace {

class PredictArrays : public PredictImages {
protected:
    /// Image i is red with i + `shift`, stored as a plane for each channel.
    static std::string reds(std::size_t n, std::size_t shift = 0) {
        std::string planes;
        for (std::size_t i = 0; i < n; ++i)
            planes += std::string(4, static_cast<char>(i + shift)) + std::string(8, '\0');
        return npy_file("|u1", {n, 3, 2, 2}, planes);
    }
    Dataset npz(const std::string& images, bool deflate) {
        const fs::path file = scratch_ / "x.npz";
        write_file_atomically(file, ZipWriter().add("x.npy", images, {.deflate = deflate}).bytes());
        return open_dataset(file, {.classes = ClassList({"red", "batch"})});
    }
    std::vector<float> scores_of(const Dataset& dataset, const std::string& runs) {
        const LoadedModel model = loaded("m", std::make_shared<Fake>());
        return kept(predict({&model, 1}, dataset, options(runs)).at(0).store);
    }
};

TEST_F(PredictArrays, ScoresAreThoseOfTheSameImagesAsFiles) {
    const std::vector<float> of_files = scores_of(images(22), "files");
    ASSERT_EQ(of_files.size(), 44U);
    EXPECT_EQ(scores_of(npz(reds(22), false), "stored"), of_files);
    EXPECT_EQ(scores_of(npz(reds(22), true), "deflated"), of_files);
}

TEST_F(PredictArrays, OtherImagesUnderTheSameNamesAreRefused) {
    scores_of(npz(reds(22), false), "runs");
    EXPECT_EQ(scores_of(npz(reds(22), true), "runs").size(), 44U);
    const Dataset other = npz(reds(22, 1), false);
    EXPECT_THAT(message_of([&] { scores_of(other, "runs"); }),
                testing::HasSubstr("has different bytes of the same number"));
}

TEST_F(PredictArrays, AStoreFindsItsImagesAgain) {
    const Dataset dataset = npz(reds(6), true);
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    const PredictResult result = predict({&model, 1}, dataset, options("runs")).at(0);
    Dataset read_back = PredictionStore::open(result.store).dataset();
    ASSERT_EQ(read_back.archive, nullptr);
    EXPECT_TRUE(has_archived_images(read_back));
    read_back.archive = archive_of(read_back);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(read_back.read_image(i), dataset.read_image(i));
}

}  // namespace
}  // namespace assay
