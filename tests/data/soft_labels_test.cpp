// Which files are soft labels, which are label sets, and which are refused.
#include "assay/data/soft_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/error.h"
#include "containers/npy.h"
#include "data/soft_labels_read.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SoftLabels, KeepWhatIsNotZero) {
    SoftLabels labels;
    labels.append(std::vector<double>{1, 0, 3});
    labels.append(std::vector<double>{0, 0, 0});
    labels.append(std::vector<double>{});
    EXPECT_EQ(labels.size(), 3U);
    EXPECT_EQ(labels.labelled(), 1U);
    EXPECT_EQ(labels.classes(), 3U);
    EXPECT_DOUBLE_EQ(labels.probability(0, 0), .25);
    EXPECT_DOUBLE_EQ(labels.probability(0, 1), 0);
    EXPECT_DOUBLE_EQ(labels.greatest(0), .75);
    EXPECT_DOUBLE_EQ(labels.greatest(1), 0);
    const SoftLabels turned =
        labels.of_items(std::vector<std::uint64_t>{1, SoftLabels::no_item, 0});
    EXPECT_EQ(turned.labelled(), 1U);
    EXPECT_DOUBLE_EQ(turned.greatest(2), .75);
}

/// Three images and three classes.
class SoftLabelFiles : public testing::Test {
protected:
    SoftLabelFiles() {
        data_.name = "val";
        data_.classes = ClassList({"cat", "dog", "bird"});
        for (const char* id : {"a.png", "b.png", "c.png"}) {
            data_.ids.append(id);
            data_.labels.append({});
        }
    }
    std::filesystem::path csv(const std::string& text) const {
        std::ofstream(scratch_ / "soft.csv", std::ios::binary) << text;
        return scratch_ / "soft.csv";
    }
    template <class T>
    std::filesystem::path npy(std::string_view descr, const std::vector<T>& values,
                              std::vector<std::uint64_t> shape, bool fortran = false) const {
        std::ofstream file(scratch_ / "soft.npy", std::ios::binary);
        file << npy_header(descr, shape, fortran);
        file.write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(T)));
        return scratch_ / "soft.npy";
    }
    std::optional<SoftLabels> read(const std::filesystem::path& path, bool votes = false) {
        notes_.clear();
        return read_soft_labels(path, data_, data_.classes, votes, match_, notes_);
    }
    std::string refused(const std::filesystem::path& path, bool votes = false) {
        return message_of([&] { read(path, votes); });
    }

    Dataset data_;
    LabelMatch match_;
    std::vector<std::string> notes_;
    Scratch scratch_;
};

TEST_F(SoftLabelFiles, AnArrayIsInTheOrderOfTheImages) {
    const std::vector<double> rows = {.5, .25, .25, 0, 1, 0, .1, .2, .7};
    const auto labels = read(npy("<f8", rows, {3, 3}));
    ASSERT_TRUE(labels);
    EXPECT_DOUBLE_EQ(labels->probability(0, 2), .25);
    EXPECT_DOUBLE_EQ(labels->probability(1, 1), 1);
    EXPECT_DOUBLE_EQ(labels->greatest(2), .7);
    EXPECT_THAT(notes_, IsEmpty());
    // The same labels in columns.
    const std::vector<double> columns = {.5, 0, .1, .25, 1, .2, .25, 0, .7};
    EXPECT_EQ(read(npy("<f8", columns, {3, 3}, true)), labels);
}

TEST_F(SoftLabelFiles, SetsAndNumbersAreLeftToLabelSets) {
    EXPECT_FALSE(read(npy<float>("<f4", {1, 0, 1, 0, 1, 0, 0, 0, 1}, {3, 3})));
    EXPECT_FALSE(read(npy<float>("<f4", {1, -1, 1, -1, 1, -1, 0, 0, 1}, {3, 3})));
    EXPECT_FALSE(read(npy<std::int64_t>("<i8", {0, 1, 2}, {3})));
    EXPECT_FALSE(read(npy<float>("<f4", {.5F, .5F, .5F, .5F, .5F, .5F}, {3, 2})));
    EXPECT_FALSE(read(csv("path,label\na.png,cat\nb.png,dog\nc.png,bird\n")));
    EXPECT_FALSE(read(csv("path,cat,dog,bird\na.png,1,0,1\nb.png,0,1,0\nc.png,0,0,1\n")));
    EXPECT_FALSE(read(csv("path,cat,dog,bird\na.png,true,false,false\n")));
    // Columns of scores next to labels are not labels.
    EXPECT_FALSE(read(csv("path,label,cat,dog,bird\na.png,cat,.5,.25,.25\n")));
    EXPECT_FALSE(read(csv("")));
    std::ofstream(scratch_ / "l.json") << "{\"a.png\": 0}";
    EXPECT_FALSE(read(scratch_ / "l.json"));
}

TEST_F(SoftLabelFiles, ColumnsAreFoundByTheNamesOfClassesAndRowsByThoseOfImages) {
    const auto labels =
        read(csv("\xEF\xBB\xBF"
                 "image;bird;cat;dog\nc.png;0.5;0.25;0.25\na.png;0;1;0\n"));
    ASSERT_TRUE(labels);
    EXPECT_DOUBLE_EQ(labels->probability(0, 0), 1);
    EXPECT_DOUBLE_EQ(labels->probability(2, 2), .5);
    EXPECT_EQ(labels->labelled(), 2U);
    EXPECT_EQ(match_.unnamed, 1U);
    EXPECT_THAT(
        notes_,
        ElementsAre("soft.csv: soft labels: 3 columns, one per class; images: column image"));
    // A class without a column has probability 0.
    const auto two = read(csv("image,cat,dog\na.png,.5,.5\nb.png,0.5,0.5\nc.png,1,0\n"));
    ASSERT_TRUE(two);
    EXPECT_THAT(notes_, Contains(HasSubstr("(1 classes have no column and count as 0)")));
}

TEST_F(SoftLabelFiles, RowsSumToOne) {
    EXPECT_THAT(refused(csv("image,cat,dog,bird\na.png,.5,.25,.25\nb.png,.5,.5,.5\n")),
                AllOf(HasSubstr("line 3 sums to 1.5"), HasSubstr("sum to 1")));
    EXPECT_THAT(refused(npy<float>("<f4", {.5F, .5F, 0, .5F, 0, 0, 1, 0, 0}, {3, 3})),
                HasSubstr("row 1 sums to 0.5"));
    const auto rounded = read(csv("image,cat,dog,bird\na.png,.33,.33,.33\n"));
    ASSERT_TRUE(rounded);
    EXPECT_DOUBLE_EQ(rounded->greatest(0), .33 / (.33 + .33 + .33));
    EXPECT_THAT(notes_, Contains(HasSubstr("rows sum to 0.9900 to 0.9900")));
}

TEST_F(SoftLabelFiles, NegativeNumbersAndNoNumbersAreRefused) {
    EXPECT_THAT(refused(csv("image,cat,dog,bird\na.png,1.5,-0.5,0\n")),
                AllOf(HasSubstr("line 2, class dog"), HasSubstr("-0.5")));
    EXPECT_THAT(refused(csv("image,cat,dog,bird\na.png,.5,nan,.5\n")), HasSubstr("class dog"));
    EXPECT_THAT(refused(csv("image,cat,dog,bird\na.png,.5,.5,0\nb.png,.5,x,.5\n")),
                AllOf(HasSubstr("line 3"), HasSubstr("`x`")));
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(refused(npy<float>("<f4", {nan, .5F, 0, .5F, .5F, 0, 1, 0, 0}, {3, 3})),
                AllOf(HasSubstr("row 0, class cat"), HasSubstr("nan")));
}

TEST_F(SoftLabelFiles, VotesAreAskedFor) {
    const auto counts = npy<std::int32_t>("<i4", {2, 1, 1, 0, 3, 0, 0, 0, 0}, {3, 3});
    EXPECT_THAT(refused(counts), AllOf(HasSubstr("row 0 sums to 4"), HasSubstr("--label-votes")));
    const auto labels = read(counts, true);
    ASSERT_TRUE(labels);
    EXPECT_DOUBLE_EQ(labels->probability(0, 0), .5);
    EXPECT_DOUBLE_EQ(labels->greatest(1), 1);
    EXPECT_EQ(labels->labelled(), 2U);
    EXPECT_THAT(notes_, AllOf(Contains(HasSubstr("1 of 3 rows are all 0")),
                              Contains(HasSubstr("counts of votes, 3 to 4 per image"))));
    EXPECT_TRUE(read(csv("image,cat,dog,bird\na.png,1,0,0\n"), true));  // a single vote
    EXPECT_THAT(refused(csv("image,cat,dog,bird\na.png,1,-1,0\n"), true), HasSubstr("-1"));
    EXPECT_THAT(refused(csv("path,label\na.png,cat\n"), true), HasSubstr("--label-votes is for"));
}

TEST_F(SoftLabelFiles, ImagesAreFoundOrRefused) {
    EXPECT_THAT(refused(npy<float>("<f4", {.5F, .5F, 0, .5F, .5F, 0}, {2, 3})),
                HasSubstr("2 rows for the 3 items"));
    EXPECT_THAT(refused(csv("image,cat,dog,bird\nx.png,.5,.25,.25\n")), HasSubstr("x.png"));
    EXPECT_THAT(refused(csv("image,cat,dog,bird\na.png,.5,.5,0\na.png,.5,.5,0\n")),
                HasSubstr("a.png"));
}

TEST_F(SoftLabelFiles, ACutFileIsRefused) {
    const auto path = npy<float>("<f4", {.5F, .5F, 0, .5F, .5F, 0, 1, 0, 0}, {3, 3});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
    EXPECT_THAT(refused(path), HasSubstr("soft.npy"));
}

}  // namespace
}  // namespace assay
