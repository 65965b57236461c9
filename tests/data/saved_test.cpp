// Folders from save_to_disk() of datasets 5.2.0 (make_saved_fixtures.py), and damaged ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/image/image.h"
#include "core/file.h"
#include "data/archives.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const fs::path saved_fixtures = fs::path(__FILE__).parent_path() / "fixtures/saved";

class Saved : public testing::Test {
protected:
    Dataset open(const fs::path& path, const DatasetOptions& options = {}) {
        said_.clear();
        std::vector<std::string> notes;
        Dataset dataset = open_dataset(path, options, &notes);
        for (const std::string& note : notes) said_ += note + "\n";
        return dataset;
    }
    std::string refusal(const fs::path& path, const DatasetOptions& options = {}) {
        return message_of([&] { open(path, options); });
    }
    /// The R, G, B of the image that make_saved_fixtures.py drew with this number.
    static void expect_pixels(const Dataset& dataset, std::size_t item, std::size_t number) {
        const Image image = load_image(dataset, item);
        ASSERT_EQ(image.width, 5);
        ASSERT_EQ(image.height, 4);
        for (std::size_t i = 0; i < 60; ++i)
            ASSERT_EQ(image.pixels[i / 3 * 4 + i % 3], (i + 60 * number) % 251) << item << " " << i;
    }
    TempFolder folder_;
    std::string said_;
};

TEST_F(Saved, ImagesAndLabelsAreThoseThatWereSaved) {
    const Dataset dataset = open(saved_fixtures / "one");
    ASSERT_EQ(dataset.size(), 7U);
    EXPECT_EQ(dataset.ids[4], "data-00001-of-00002.arrow/0");
    EXPECT_EQ(dataset.classes.name(2), "emu");
    for (std::size_t item = 0; item < 7; ++item) {
        expect_pixels(dataset, item, item);
        EXPECT_EQ(dataset.single_label(item), item == 5 ? -1 : static_cast<int>(item % 3)) << item;
    }
    EXPECT_THAT(said_, HasSubstr("images are the column `image`, labels the column `label`"));
    EXPECT_THAT(said_, HasSubstr("EXIF"));
    // Ids in the form that a store has.
    Dataset known;
    known.root = dataset.root;
    known.ids = dataset.ids;
    EXPECT_TRUE(has_archived_images(known));
    EXPECT_EQ(archive_of(known)->read("data-00001-of-00002.arrow/2", 10'000),
              dataset.read_image(6));
    DatasetOptions options;
    options.limit = 5;
    EXPECT_EQ(open(saved_fixtures / "one", options).size(), 5U);
}

TEST_F(Saved, LabelsMayBeTextsOrAbsentOrAnotherColumn) {
    const Dataset texts = open(saved_fixtures / "texts");
    EXPECT_EQ(texts.classes.id(static_cast<std::size_t>(texts.single_label(3))), "dog");
    EXPECT_EQ(open(saved_fixtures / "unlabelled").labels.labels(), 0U);
    EXPECT_THAT(said_, HasSubstr("labels none"));
    DatasetOptions options;
    options.label_column = "number";
    EXPECT_EQ(open(saved_fixtures / "unlabelled", options).single_label(6), 6);
    options.label_column = "none";
    EXPECT_EQ(open(saved_fixtures / "one", options).labels.labels(), 0U);
    options.label_column = "image";
    EXPECT_THAT(refusal(saved_fixtures / "one", options), HasSubstr("holds structures"));
    options.label_column = "labl";
    EXPECT_THAT(refusal(saved_fixtures / "one", options),
                HasSubstr("no column `labl` (--label-column)"));
    EXPECT_EQ(open(saved_fixtures / "shuffled").size(), 7U);
}

TEST_F(Saved, SeveralSplitsAreAskedAbout) {
    EXPECT_THAT(refusal(saved_fixtures / "splits"),
                AllOf(HasSubstr("splits/test  or  "), HasSubstr("splits/train")));
    DatasetOptions options;
    options.split = "test";
    EXPECT_EQ(open(saved_fixtures / "splits", options).size(), 2U);
    EXPECT_EQ(open(saved_fixtures / "splits/train").size(), 7U);
    options.split = "val";
    EXPECT_THAT(refusal(saved_fixtures / "splits", options), HasSubstr("splits/train"));
}

TEST_F(Saved, WithoutImagesOrFilesIsRefused) {
    EXPECT_THAT(refusal(saved_fixtures / "no_images"),
                AllOf(HasSubstr("none of its columns"), HasSubstr("number, caption, label")));
    DatasetOptions options;
    options.image_column = "caption";
    EXPECT_THAT(refusal(saved_fixtures / "one", options), HasSubstr("none of its columns"));
    folder_.write("x/dataset_info.json", "{}");
    folder_.write("x/data.arrow", "no Arrow file");
    for (const auto& [state, what] :
         {std::pair("{}", "name no files"), std::pair("{", "state.json"),
          std::pair(R"({"_data_files": [{"filename": "../data.arrow"}]})", "not a file next to it"),
          std::pair(R"({"_data_files": [{"filename": "other.arrow"}]})", "other.arrow"),
          std::pair(R"({"_data_files": [{"filename": "data.arrow"}]})",
                    "data.arrow: it is not an Arrow stream")}) {
        folder_.write("x/state.json", state);
        EXPECT_THAT(refusal(folder_ / "x"), HasSubstr(what)) << state;
    }
}

TEST_F(Saved, DamagedFilesAreReadOrRefused) {
    const MappedFile good(saved_fixtures / "one/data-00000-of-00002.arrow");
    folder_.write("x/dataset_info.json", "{}");
    folder_.write("x/state.json", R"({"_data_files": [{"filename": "data.arrow"}]})");
    std::size_t refused = 0, read = 0;
    const auto attempt = [&](const std::string& bytes) {
        folder_.write("x/data.arrow", bytes);
        try {
            const Dataset dataset = open(folder_ / "x");
            for (std::size_t i = 0; i < dataset.size(); ++i) dataset.read_image(i);
            ++read;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
            ++refused;
        }
    };
    const std::string text(good.text());
    for (std::size_t size = 0; size + 8 < text.size(); size += 29) attempt(text.substr(0, size));
    EXPECT_EQ(read, 0U);
    for (std::size_t at = 0; at < text.size(); at += 5) {
        for (const int flip : {0x01, 0xff}) {
            std::string damaged = text;
            damaged[at] = static_cast<char>(damaged[at] ^ flip);
            attempt(damaged);
        }
    }
    EXPECT_GT(refused, 100U);
    EXPECT_GT(read, 100U);
}

}  // namespace
}  // namespace assay
