// HDF5 files from h5py 3.16.0 (HDF5 2.0.0) (make_hdf5_fixtures.py), and damaged files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <tuple>

#include "array_files.h"
#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/image/image.h"
#include "containers/npy_stream.h"
#include "data/archives.h"
#include "hdf5_fixtures.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

double made_score(std::uint64_t element) {
    return (static_cast<double>(element * 7 % 32) - 16) / 8;
}

class Hdf5Scores : public testing::TestWithParam<const char*> {};

TEST_P(Hdf5Scores, AreThoseThatWereWritten) {
    const std::string bytes = bytes_of(GetParam());
    const std::vector<Hdf5Array> arrays = arrays_in(bytes);
    EXPECT_EQ(arrays.size(), 8U);
    for (const auto& [name, sign, type] :
         {std::tuple("val/big", 1, NumberType::f8), std::tuple("test/big", -1, NumberType::f8),
          std::tuple("val/halves", 1, NumberType::f2),
          std::tuple("test/halves", -1, NumberType::f2)}) {
        const std::vector<std::byte> npy = npy_bytes(array_in(arrays, name));
        const NpyView view = parse_npy(npy);
        EXPECT_EQ(view.type(), type);
        EXPECT_THAT(view.shape, ElementsAre(20, 3));
        for (std::uint64_t i = 0; i < view.count(); ++i)
            ASSERT_EQ(view.values.number(i), sign * made_score(i)) << name << " " << i;
    }
    const std::vector<std::string> ids = texts_of(npy_bytes(array_in(arrays, "ids")));
    ASSERT_EQ(ids.size(), 20U);
    EXPECT_EQ(ids[0], "d/0.png");
    EXPECT_EQ(ids[19], "d/xxxx19.png");
    EXPECT_EQ(texts_of(npy_bytes(array_in(arrays, "label")))[5], "c2");
    const std::vector<std::byte> seen = npy_bytes(array_in(arrays, "seen"));
    EXPECT_EQ(parse_npy(seen).values.integer(18), 1);
    EXPECT_EQ(parse_npy(seen).values.integer(19), 0);
    const std::vector<std::byte> epoch = npy_bytes(array_in(arrays, "epoch"));
    EXPECT_EQ(parse_npy(epoch).values.integer(0), 3);
}

TEST_P(Hdf5Scores, ThatAreCutOffAreRefused) {
    const std::string bytes = bytes_of(GetParam());
    for (std::size_t size = 0; size < bytes.size(); size += 97)
        EXPECT_THAT(message_of([&] { arrays_in(bytes.substr(0, size)); }), HasSubstr("cut"))
            << size;
}

// Every error names the file, and no bytes beyond its end are read.
TEST_P(Hdf5Scores, WithADamagedByteAreReadOrRefused) {
    std::string bytes = bytes_of(GetParam());
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 23) {
        for (const int flip : {0x01, 0xff}) {
            const char before = bytes[at];
            bytes[at] = static_cast<char>(before ^ flip);
            try {
                for (const Hdf5Array& array : arrays_in(bytes)) {
                    if (array.problem.empty()) {
                        npy_bytes(array);
                    } else {
                        ++refused;
                    }
                }
            } catch (const Error& error) {
                ASSERT_EQ(error.code(), ErrorCode::bad_input) << at << " " << error.what();
                ++refused;
            }
            bytes[at] = before;
        }
    }
    EXPECT_GT(refused, 50U);
}

INSTANTIATE_TEST_SUITE_P(Formats, Hdf5Scores, testing::Values("scores_first.h5", "scores_v108.h5"));

TEST(Hdf5, ChunksPackedByLzf) {
    std::string bytes = bytes_of("not_read.h5");
    const std::vector<std::byte> npy = npy_bytes(array_in(arrays_in(bytes), "lzf"));
    const NpyView view = parse_npy(npy);
    EXPECT_THAT(view.shape, ElementsAre(20, 3));
    for (std::uint64_t i = 0; i < view.count(); ++i)
        ASSERT_EQ(view.values.number(i), made_score(i)) << i;
    std::size_t refused = 0, read = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const char before = bytes[at];
        bytes[at] = static_cast<char>(before ^ 0x61);
        try {
            for (const Hdf5Array& array : arrays_in(bytes)) {
                if (array.name != "lzf" || !array.problem.empty()) continue;
                std::vector<std::byte> values(static_cast<std::size_t>(array.npy->size()));
                array.npy->read(0, values);
                ++read;
            }
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << at << error.what();
            ++refused;
        }
        bytes[at] = before;
    }
    EXPECT_GT(read, 0U);
    EXPECT_GT(refused, 0U);
}

TEST(Hdf5, ChunksInTheIndexesOfHdf5110) {
    std::string bytes = bytes_of("latest.h5");
    const std::vector<Hdf5Array> arrays = arrays_in(bytes);
    EXPECT_EQ(arrays.size(), 6U);
    for (const Hdf5Array& array : arrays) {
        const std::vector<std::byte> npy = npy_bytes(array);
        const NpyView view = parse_npy(npy);
        EXPECT_THAT(view.shape, ElementsAre(20, 3)) << array.name;
        for (std::uint64_t i = 0; i < view.count(); ++i)
            ASSERT_EQ(view.values.number(i), made_score(i)) << array.name << " " << i;
    }
    const std::string paged = bytes_of("paged.h5");
    const std::vector<std::byte> npy = npy_bytes(array_in(arrays_in(paged), "paged"));
    const NpyView view = parse_npy(npy);
    EXPECT_THAT(view.shape, ElementsAre(1100, 1));
    for (std::uint64_t i = 0; i < view.count(); ++i)
        ASSERT_EQ(view.values.integer(i), static_cast<std::int64_t>(i % 256)) << i;
    // A damaged byte is refused, or the array is still of this shape.
    for (std::size_t at = 0; at < bytes.size(); at += 5) {
        const char before = bytes[at];
        bytes[at] = static_cast<char>(before ^ 0x61);
        try {
            for (const Hdf5Array& array : arrays_in(bytes)) {
                if (!array.problem.empty()) continue;
                std::vector<std::byte> values(static_cast<std::size_t>(array.npy->size()));
                array.npy->read(0, values);
            }
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << at << error.what();
        }
        bytes[at] = before;
    }
}

// One axis without limit has an extensible array, several have a B-tree of version 2.
TEST(Hdf5, ChunksOfArraysThatGrow) {
    const std::string growing = bytes_of("growing.h5");
    for (const char* name : {"scores", "both"}) {
        const std::vector<std::byte> npy = npy_bytes(array_in(arrays_in(growing), name));
        const NpyView view = parse_npy(npy);
        EXPECT_THAT(view.shape, ElementsAre(20, 3)) << name;
        for (std::uint64_t i = 0; i < view.count(); ++i)
            ASSERT_EQ(view.values.number(i), made_score(i)) << name << " " << i;
    }
    const std::string wide = bytes_of("wide.h5");
    const std::vector<std::byte> of_wide = npy_bytes(array_in(arrays_in(wide), "wide"));
    ASSERT_EQ(parse_npy(of_wide).count(), 60U);
    for (std::uint64_t i = 0; i < 60; ++i)
        ASSERT_EQ(parse_npy(of_wide).values.integer(i), static_cast<std::int64_t>(i)) << i;
    const std::string grown = bytes_of("grown.h5");
    for (const auto& [name, count, wraps] :
         {std::tuple("rows", 300, 256), std::tuple("columns", 600, 251),
          std::tuple("axes", 380, 251), std::tuple("axes_packed", 132, 251),
          std::tuple("appended", 148, 251)}) {
        const std::vector<std::byte> npy = npy_bytes(array_in(arrays_in(grown), name));
        const NpyView view = parse_npy(npy);
        ASSERT_EQ(view.count(), static_cast<std::uint64_t>(count)) << name;
        for (std::uint64_t i = 0; i < view.count(); ++i)
            ASSERT_EQ(view.values.integer(i), static_cast<std::int64_t>(i) % wraps)
                << name << " " << i;
    }
    EXPECT_THAT(array_in(arrays_in(grown), "gap").problem,
                HasSubstr("20 of its 50 chunks were never written"));
}

TEST(Hdf5, WhatIsNotReadSaysWhatItIs) {
    const std::string bytes = bytes_of("not_read.h5");
    const std::vector<Hdf5Array> arrays = arrays_in(bytes);
    EXPECT_EQ(arrays.size(), 6U);
    for (const auto& [name, problem] :
         {std::pair("compound", "it holds compounds"), std::pair("lists", "it holds lists"),
          std::pair("empty", "it is empty"), std::pair("unwritten", "never written"),
          std::pair("some", "3 of its 4 chunks were never written")})
        EXPECT_THAT(array_in(arrays, name).problem, HasSubstr(problem)) << name;
    const std::string many = bytes_of("many_links.h5");
    EXPECT_THAT(message_of([&] { arrays_in(many); }), HasSubstr("fractal heap"));
}

TEST(Hdf5, AChecksumThatDiffersIsFound) {
    const std::string bytes = bytes_of("images.h5");
    const std::vector<Hdf5Array> good = arrays_in(bytes);
    const std::vector<std::byte> images = npy_bytes(array_in(good, "images"));
    std::size_t found = 0;
    for (std::size_t at = bytes.size() / 2; at < bytes.size(); at += 97) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        try {
            // The read values equal the written values.
            const std::vector<Hdf5Array> arrays = arrays_in(damaged);
            const Hdf5Array& array = array_in(arrays, "images");
            if (!array.problem.empty()) continue;
            EXPECT_EQ(npy_bytes(array), images) << at;
        } catch (const Error& error) {
            found += std::string(error.what()).find("checksum") != std::string::npos ? 1U : 0U;
        }
    }
    EXPECT_GT(found, 1U);
}

class Hdf5Images : public testing::Test {
protected:
    Dataset open(const std::string& path, const DatasetOptions& options = {}) {
        said_.clear();
        std::vector<std::string> notes;
        Dataset dataset = open_dataset(folder_ / path, options, &notes);
        for (const std::string& note : notes) said_ += note + "\n";
        return dataset;
    }
    void copy(const std::string& name, const std::string& to) { folder_.write(to, bytes_of(name)); }
    /// The R, G, B of an image of the fixtures, whose samples are consecutive numbers.
    static void expect_pixels(const Dataset& dataset, std::size_t item, std::size_t samples_each) {
        const Image image = load_image(dataset, item);
        std::string text;
        for (std::size_t i = 0; i < image.pixels.size(); ++i)
            if (i % 4 != 3) text += static_cast<char>(image.pixels[i]);
        EXPECT_EQ(text, samples(samples_each, item * samples_each)) << item;
    }
    TempFolder folder_;
    std::string said_;
};

TEST_F(Hdf5Images, InChunksOfAllAxes) {
    copy("images.h5", "x.h5");
    const Dataset dataset = open("x.h5");
    ASSERT_EQ(dataset.size(), 12U);
    EXPECT_EQ(dataset.ids[11], "x.h5/images/11");
    EXPECT_EQ(dataset.classes.name(2), "bär");
    for (const std::size_t item : {0, 11, 4, 5, 9, 10, 1}) {
        expect_pixels(dataset, item, 90);
        EXPECT_EQ(dataset.single_label(item), static_cast<int>(item % 3));
    }
    EXPECT_THAT(said_, HasSubstr("images are `images` (12 RGB images of 6 x 5 pixels), labels "
                                 "`labels`"));
}

TEST_F(Hdf5Images, OfPCamHaveTheirLabelsBesideThem) {
    copy("pcam_x.h5", "camelyonpatch_level_2_split_test_x.h5");
    copy("pcam_y.h5", "camelyonpatch_level_2_split_test_y.h5");
    DatasetOptions options;
    options.classes = ClassList({"normal", "tumor"});
    for (const char* name : {"camelyonpatch_level_2_split_test_x.h5", ""}) {
        const Dataset dataset = open(name, options);
        ASSERT_EQ(dataset.size(), 6U);
        for (std::size_t item = 0; item < 6; ++item) {
            expect_pixels(dataset, item, 192);
            EXPECT_EQ(dataset.single_label(item), static_cast<int>(item % 2));
        }
        EXPECT_THAT(said_, HasSubstr("`y` of camelyonpatch_level_2_split_test_y.h5"));
    }
    // The file of labels is missing, or has a different number of labels.
    fs::remove(folder_ / "camelyonpatch_level_2_split_test_y.h5");
    EXPECT_EQ(open("").labels.labels(), 0U);
    folder_.write("labels.npy", npy_file("|u1", {5}, std::string(5, '\1')));
    options.list = folder_ / "labels.npy";
    EXPECT_THAT(message_of([&] { open("camelyonpatch_level_2_split_test_x.h5", options); }),
                HasSubstr("has 5 labels, but there are 6 images"));
}

TEST_F(Hdf5Images, HaveTheirLabelsInOnePlace) {
    copy("pcam_x.h5", "x.h5");
    copy("pcam_y.h5", "labels of x.h5");
    DatasetOptions options;
    options.classes = ClassList({"normal", "tumor"});
    options.list = folder_ / "labels of x.h5";
    EXPECT_EQ(open("x.h5", options).single_label(5), 1);
    options.label_column = "y";
    EXPECT_THAT(message_of([&] { open("x.h5", options); }, ErrorCode::usage),
                HasSubstr("omit one of them"));
}

TEST_F(Hdf5Images, OfSeveralArraysAreAskedAbout) {
    copy("scores_first.h5", "x.h5");
    EXPECT_THAT(message_of([&] { open("x.h5"); }),
                AllOf(HasSubstr("it holds no images"), HasSubstr("val/big (20, 3) <f8")));
    copy("not_read.h5", "x.h5");
    EXPECT_THAT(message_of([&] { open("x.h5"); }), HasSubstr("compound (not read: it holds comp"));
    folder_.write("x.h5", "not an HDF5");
    EXPECT_THAT(message_of([&] { open("x.h5"); }),
                AllOf(HasSubstr("x.h5"), HasSubstr("it is not an HDF5 file")));
}

}  // namespace
}  // namespace assay
