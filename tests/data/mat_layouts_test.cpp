// Data sets with labels in MAT-files, which were written by SciPy (fixtures/mat/make.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "array_files.h"
#include "assay/data/dataset.h"
#include "containers/mat.h"
#include "core/file.h"
#include "message_of.h"
#include "tar_writer.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

fs::path fixture(const std::string& name) {
    return fs::path(ASSAY_SOURCE_DIR) / "tests/data/fixtures/mat" / (name + ".mat");
}

void copy_fixture(const TempFolder& folder, const std::string& name, const std::string& to) {
    folder.write(to, read_text(fixture(name)));
}

std::vector<std::string> ids_of(const Dataset& dataset) {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < dataset.size(); ++i) ids.emplace_back(dataset.ids[i]);
    return ids;
}

std::vector<int> labels_of(const Dataset& dataset) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < dataset.size(); ++i) labels.push_back(dataset.single_label(i));
    return labels;
}

TEST(Mat, NumbersTextCellsAndStructs) {
    const auto labels = read_mat(read_file(fixture("imagelabels")));
    ASSERT_EQ(labels.size(), 1U);
    EXPECT_EQ(labels[0].name, "labels");
    EXPECT_THAT(labels[0].numbers, ElementsAre(77, 1, 102, 5));
    const auto sets = read_mat(read_file(fixture("setid")));
    ASSERT_EQ(sets.size(), 3U);
    EXPECT_THAT(sets[2].numbers, ElementsAre(3, 1));
    const auto names = read_mat(read_file(fixture("cars_meta")));
    ASSERT_EQ(names.size(), 1U);
    ASSERT_EQ(names[0].values.size(), 3U);
    EXPECT_EQ(names[0].values[1].text, "Citroën C3");
    const auto cars = read_mat(read_file(fixture("cars_test_annos_withlabels")));
    ASSERT_EQ(cars.size(), 1U);
    ASSERT_EQ(cars[0].structs(), 2U);
    EXPECT_EQ(cars[0].field(1, "fname")->text, "00002.jpg");
    EXPECT_EQ(cars[0].field(0, "color"), nullptr);
    EXPECT_EQ(cars[0].field(2, "fname"), nullptr);
}

// A file with any contents is read or refused without a crash.
TEST(Mat, DamagedFilesAreRefused) {
    for (const char* name : {"setid", "imagelabels", "cars_meta", "cars_test_annos_withlabels"}) {
        const auto whole = read_file(fixture(name));
        const auto read = [](std::span<const std::byte> bytes) {
            try {
                return read_mat(bytes).size();
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
                return std::size_t{0};
            }
        };
        const std::size_t variables = read(whole);
        EXPECT_GT(variables, 0U) << name;
        for (std::size_t size = 0; size < whole.size(); ++size)
            EXPECT_LE(read(std::span(whole).first(size)), variables);
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const std::byte flip : {std::byte{1}, std::byte{0x80}, std::byte{0xFF}}) {
                auto damaged = whole;
                damaged[at] ^= flip;
                read(damaged);
            }
        }
        EXPECT_THAT(message_of([&] { read_mat(std::span(whole).first(whole.size() - 1)); }),
                    HasSubstr("cut off"));
    }
    std::vector<std::byte> other(200, std::byte{'M'});
    EXPECT_THAT(message_of([&] { read_mat(other); }), HasSubstr("it is not a MAT-file of level 5"));
    const std::string hdf = "MATLAB 7.3 MAT-file";
    EXPECT_THAT(message_of([&] { read_mat(std::as_bytes(std::span(hdf))); }),
                HasSubstr("version 7.3 (HDF5)"));
}

TEST(MatLayouts, Flowers) {
    const TempFolder folder;
    copy_fixture(folder, "setid", "setid.mat");
    copy_fixture(folder, "imagelabels", "imagelabels.mat");
    for (const char* name : {"jpg/image_00001.jpg", "jpg/image_00003.jpg", "jpg/image_00004.jpg"})
        folder.write(name);
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {}, &notes);
    EXPECT_THAT(ids_of(dataset), ElementsAre("jpg/image_00003.jpg", "jpg/image_00001.jpg"));
    EXPECT_THAT(labels_of(dataset), ElementsAre(101, 76));  // 102 and 77, counted from 1
    EXPECT_EQ(dataset.classes.id(76), "passion flower");
    EXPECT_EQ(dataset.classes.size(), 102U);
    EXPECT_THAT(notes, Contains("Flowers102: setid.mat, 102 classes, split test of test, val, "
                                "train (--split)"));
    DatasetOptions options;
    options.split = "val";
    EXPECT_THAT(labels_of(open_dataset(folder.path(), options)), ElementsAre(4));
    options.split = "train";
    EXPECT_THAT(message_of([&] { open_dataset(folder.path(), options); }),
                HasSubstr("jpg/image_00002.jpg is missing"));
    fs::remove(folder / "setid.mat");
    EXPECT_THAT(message_of([&] { open_dataset(folder.path(), {}); }),
                HasSubstr("setid.mat, which lists the split test of Flowers102, is missing"));
    copy_fixture(folder, "imagelabels", "setid.mat");
    EXPECT_THAT(message_of([&] { open_dataset(folder.path(), {}); }),
                HasSubstr("setid.mat has no variable `tstid`; known: labels"));
}

TEST(MatLayouts, StanfordCars) {
    const TempFolder folder;
    copy_fixture(folder, "cars_meta", "devkit/cars_meta.mat");
    copy_fixture(folder, "cars_train_annos", "devkit/cars_train_annos.mat");
    copy_fixture(folder, "cars_test_annos_withlabels", "cars_test_annos_withlabels.mat");
    for (const char* name : {"cars_test/00001.jpg", "cars_test/00002.jpg", "cars_train/00001.jpg"})
        folder.write(name);
    const Dataset dataset = open_dataset(folder.path(), {});
    EXPECT_THAT(ids_of(dataset), ElementsAre("cars_test/00001.jpg", "cars_test/00002.jpg"));
    EXPECT_THAT(labels_of(dataset), ElementsAre(2, 0));
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("AM General Hummer SUV 2000", "Citroën C3",
                                                   "smart fortwo Convertible 2012"));
    DatasetOptions options;
    options.split = "train";
    EXPECT_THAT(labels_of(open_dataset(folder.path(), options)), ElementsAre(1));
    fs::remove(folder / "cars_test_annos_withlabels.mat");
    EXPECT_THAT(message_of([&] { open_dataset(folder.path(), {}); }),
                AllOf(HasSubstr("cars_test_annos_withlabels.mat, which lists"),
                      HasSubstr("--split reads one of: train")));
}

TEST(MatLayouts, ImagenetsTarWithItsDevelopmentKit) {
    const TempFolder folder;
    std::string images;
    for (int i = 1; i <= 3; ++i)
        images += tar_member("ILSVRC2012_val_0000000" + std::to_string(i) + ".JPEG", "x");
    folder.write("ILSVRC2012_img_val.tar", images + std::string(1024, '\0'));
    EXPECT_THAT(message_of([&] { open_dataset(folder.path(), {}); }),
                HasSubstr("ILSVRC2012_devkit_t12.tar.gz, which has the labels of"));
    const std::string kit = "ILSVRC2012_devkit_t12/data/";
    const auto write_kit = [&](const std::string& truth) {
        folder.write(
            "ILSVRC2012_devkit_t12.tar.gz",
            deflated(tar_member(kit + "meta.mat", read_text(fixture("meta"))) +
                         tar_member(kit + "ILSVRC2012_validation_ground_truth.txt", truth) +
                         std::string(1024, '\0'),
                     31));
    };
    // In the usual order, kit fox is 278, tench is 0 and the springer is 217. The development kit
    // has its own numbers.
    write_kit("3\n1\n2\n");
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {}, &notes);
    EXPECT_THAT(labels_of(dataset), ElementsAre(217, 278, 0));
    EXPECT_EQ(dataset.ids[0], "ILSVRC2012_img_val.tar/ILSVRC2012_val_00000001");
    EXPECT_THAT(notes, Contains("ImageNet: ILSVRC2012_img_val.tar, split val"));
    write_kit("3\n4\n2\n");  // this synset is not a class
    EXPECT_THAT(
        message_of([&] { open_dataset(folder.path(), {}); }),
        HasSubstr("ground_truth.txt line 2: `4` is not one of the 3 numbers in data/meta.mat"));
    write_kit("3\n1\n");
    EXPECT_THAT(message_of([&] { open_dataset(folder.path(), {}); }),
                HasSubstr("ILSVRC2012_val_00000003.JPEG is not one of the 2 that"));
    // After unpacking, the class folders are read.
    folder.write("val/n01440764/ILSVRC2012_val_00000001.JPEG");
    EXPECT_THAT(ids_of(open_dataset(folder.path(), {})),
                ElementsAre("n01440764/ILSVRC2012_val_00000001.JPEG"));
}

}  // namespace
}  // namespace assay
