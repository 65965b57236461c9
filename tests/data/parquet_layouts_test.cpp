// Parquet files and tables of `datasets` that hold paths of images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "data/label_rows.h"
#include "data/temp_folder.h"
#include "message_of.h"
#include "parquet_of.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class PathsInParquet : public testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"a.png", "b.png", "sub/c.png"}) folder_.write(name, name);
    }
    Dataset open(const std::string& name, const DatasetOptions& options = {}) {
        notes_.clear();
        return open_dataset(folder_.path() / name, options, &notes_);
    }
    std::string refused(const std::string& name, const DatasetOptions& options = {}) {
        return message_of([&] { open(name, options); });
    }
    static std::vector<std::int32_t> labels_of(const Dataset& dataset) {
        std::vector<std::int32_t> labels;
        for (std::size_t i = 0; i < dataset.size(); ++i) labels.push_back(dataset.single_label(i));
        return labels;
    }
    TempFolder folder_;
    std::vector<std::string> notes_;
};

const std::string three_paths = "file_name,label\nb.png,dog\na.png,cat\nsub/c.png,dog\n";

TEST_F(PathsInParquet, AreReadAsACsvListIs) {
    folder_.write("list.csv", three_paths);
    folder_.write("list.parquet", parquet_of(three_paths));
    for (const char* name : {"list.csv", "list.parquet"}) {
        const Dataset dataset = open(name);
        ASSERT_EQ(dataset.size(), 3U) << name;
        EXPECT_EQ(dataset.ids[2], "sub/c.png");
        EXPECT_EQ(dataset.archive, nullptr);
        EXPECT_THAT(dataset.classes.ids(), ElementsAre("cat", "dog"));
        EXPECT_THAT(labels_of(dataset), ElementsAre(1, 0, 1));
        EXPECT_THAT(notes_,
                    Contains(HasSubstr(std::string(name) +
                                       ": labels: column label; images: column file_name")));
    }
    // Integers are as pandas writes them in a column with nulls, in another order, and no labels.
    folder_.write("numbers.parquet", parquet_of("label,image\n1,a.png\n,b.png\n0,sub/c.png\n"));
    EXPECT_THAT(labels_of(open("numbers.parquet")), ElementsAre(1, -1, 0));
    folder_.write("bare.parquet", parquet_of("image,width\na.png,3\nb.png,3\n"));
    EXPECT_THAT(refused("bare.parquet"), HasSubstr("--label-column none"));
    DatasetOptions none;
    none.label_column = "none";
    EXPECT_THAT(labels_of(open("bare.parquet", none)), ElementsAre(-1, -1));
    EXPECT_THAT(notes_, Contains(HasSubstr("no labels")));
    folder_.write("others.parquet", parquet_of("label,epoch\n1,2\n"));
    EXPECT_THAT(refused("others.parquet"), HasSubstr("no column `image` or `img`"));
    folder_.write("twice.parquet", parquet_of("image,label,label\na.png,x,x\n"));
    EXPECT_THAT(refused("twice.parquet"), HasSubstr("label"));
    DatasetOptions told;
    told.label_column = "kind";
    folder_.write("told.parquet", parquet_of("image,kind,label\na.png,x,1\nb.png,y,2\n"));
    EXPECT_THAT(open("told.parquet", told).classes.ids(), ElementsAre("x", "y"));
    EXPECT_THAT(message_of([&] { open("list.parquet", told); }, ErrorCode::usage),
                HasSubstr("list.parquet has no column `kind`"));
}

TEST_F(PathsInParquet, LabelsOfImagesThatAreThere) {
    folder_.write("labels.parquet", parquet_of(three_paths));
    const Dataset images = open("", {.layout = DatasetOptions::Layout::flat});
    LabelMatch match;
    std::vector<std::string> notes;
    const LabelSets sets = read_label_sets(folder_.path() / "labels.parquet", images,
                                           ClassList({"cat", "dog"}), match, notes);
    ASSERT_EQ(sets.size(), images.size());
    EXPECT_EQ(sets[0][0], 0);  // the first image is a.png
    EXPECT_EQ(sets[1][0], 1);
    EXPECT_EQ(match.unnamed, 0U);
}

TEST_F(PathsInParquet, MetadataOfImagefolder) {
    const std::string lines =
        "{\"file_name\": \"b.png\", \"label\": \"dog\", \"objects\": [1, 2]}\n"
        "{\"file_name\": \"a.png\", \"label\": \"cat\"}\n\n"
        "{\"label\": \"dog\", \"file_name\": \"sub/c.png\"}\n";
    for (const auto& [name, text] :
         {std::pair<std::string, std::string>{"metadata.csv", three_paths},
          {"metadata.jsonl", lines},
          {"metadata.parquet", parquet_of(three_paths)}}) {
        SCOPED_TRACE(name);
        folder_.write(name, text);
        const Dataset dataset = open("");
        ASSERT_EQ(dataset.size(), 3U);
        EXPECT_EQ(dataset.ids[0], "b.png");
        EXPECT_THAT(labels_of(dataset), ElementsAre(1, 0, 1));
        EXPECT_THAT(notes_, Contains("using the images and labels in " + name +
                                     " of the folder (3 items)"));
        EXPECT_THAT(notes_, Contains(HasSubstr("images: column file_name")));
        std::filesystem::remove(folder_.path() / name);
    }
    EXPECT_THAT(notes_, Not(Contains(HasSubstr("objects"))));  // the last file was Parquet
    folder_.write("metadata.jsonl", lines);
    open("");
    EXPECT_THAT(notes_, Contains(HasSubstr("not read: objects (a list or an object)")));
}

TEST_F(PathsInParquet, MetadataWithoutTheColumnOrLabelsAreNoLabels) {
    folder_.write("flat/a.png");
    folder_.write("flat/metadata.csv", "name,made\nx,y\n");
    EXPECT_THAT(refused("flat"), AllOf(HasSubstr("--list"), HasSubstr("--layout flat")));
    for (const char* text : {"filename,label\nb.png,3\n", ""}) {
        folder_.write("flat/metadata.csv", text);
        EXPECT_EQ(open("flat").labels.labels(), 0U) << text;
        EXPECT_THAT(notes_, Contains(HasSubstr("without labels")));
    }
}

TEST_F(PathsInParquet, MetadataOfTwoUnknownColumnsAreAskedAbout) {
    folder_.write("flat/a.png");
    folder_.write("flat/b.png");
    const std::string one = "{\"file_name\": \"a.png\", \"kind\": \"x\", \"tone\": \"y\"}\n";
    const std::string two = "{\"file_name\": \"b.png\", \"kind\": \"u\", \"tone\": \"v\"}\n";
    for (const std::string& lines : {one, one + two}) {
        folder_.write("flat/metadata.jsonl", lines);
        EXPECT_THAT(refused("flat"),
                    AllOf(HasSubstr("several columns may hold the labels (kind, tone)"),
                          HasSubstr("--label-column NAME")));
    }
    DatasetOptions tone;
    tone.label_column = "tone";
    EXPECT_THAT(open("flat", tone).classes.ids(), ElementsAre("v", "y"));
}

TEST_F(PathsInParquet, MetadataThatAreDamagedAreAnError) {
    folder_.write("flat/a.png");
    folder_.write("flat/metadata.csv", "file_name,label\na.png\n");
    EXPECT_THAT(refused("flat"), AllOf(HasSubstr("metadata.csv"), HasSubstr("line 2")));
    std::filesystem::remove(folder_.path() / "flat/metadata.csv");
    folder_.write("flat/metadata.jsonl",
                  "{\"file_name\": \"a.png\", \"label\": 1}\n{\"file_name\"");
    EXPECT_THAT(refused("flat"), HasSubstr("metadata.jsonl line 2"));
    folder_.write("flat/metadata.jsonl",
                  "{\"file_name\": \"a.png\", \"label\": 1}\n[\"file_name\"]\n");
    EXPECT_THAT(refused("flat"), HasSubstr("metadata.jsonl line 2: the line is not an object"));
    folder_.write("flat/metadata.jsonl",
                  "{\"file_name\": \"a.png\", \"label\": 1}\n\n\n{\"label\": 2}\n");
    EXPECT_THAT(refused("flat"), HasSubstr("metadata.jsonl line 4: no file_name"));
    folder_.write("flat/list.jsonl", "\n{\"file_name\": \"a.png\"}\n{\"file_name\": \"a.png\"}\n");
    EXPECT_THAT(refused("flat/list.jsonl", {.label_column = "none"}),
                HasSubstr("list.jsonl line 3: item `a.png` appears twice (first in line 2)"));
    std::filesystem::remove(folder_.path() / "flat/metadata.jsonl");
    const std::string whole = parquet_of(three_paths);
    folder_.write("flat/metadata.parquet", whole.substr(0, whole.size() - 3));
    EXPECT_THAT(refused("flat"), AllOf(HasSubstr("metadata.parquet"), HasSubstr("PAR1")));
}

}  // namespace
}  // namespace assay
