// Data sets in arrays: .npy, .npz, idx and batches of CIFAR, and damaged or inconsistent files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "array_files.h"
#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/image/image.h"
#include "data/archives.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Shape = std::vector<std::uint64_t>;

class Arrays : public testing::Test {
protected:
    Dataset open(const std::string& path, const DatasetOptions& options = {}) {
        said_.clear();
        std::vector<std::string> notes;
        Dataset dataset = open_dataset(folder_ / path, options, &notes);
        for (const std::string& note : notes) said_ += note + "\n";
        return dataset;
    }
    std::string refusal(const std::string& path, const DatasetOptions& options = {},
                        ErrorCode code = ErrorCode::bad_input) {
        return message_of([&] { open(path, options); }, code);
    }
    std::string refusal_of(const std::string& name, const std::string& bytes) {
        folder_.write(name, bytes);
        return refusal(name);
    }
    static std::vector<std::string> ids(const Dataset& dataset) {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < dataset.size(); ++i) all.emplace_back(dataset.ids[i]);
        return all;
    }
    static std::vector<int> labels(const Dataset& dataset) {
        std::vector<int> all;
        for (std::size_t i = 0; i < dataset.size(); ++i)
            all.push_back(dataset.labels[i].empty() ? -1 : dataset.labels[i][0]);
        return all;
    }
    /// Returns "WxH" and the R, G, B bytes.
    static std::string pixels(const Dataset& dataset, std::size_t item) {
        const Image image = load_image(dataset, item);
        std::string text = std::to_string(image.width) + "x" + std::to_string(image.height) + " ";
        for (std::size_t i = 0; i < image.pixels.size(); ++i)
            if (i % 4 != 3) text += static_cast<char>(image.pixels[i]);
        return text;
    }
    static std::string grey(const std::string& levels) {
        std::string text;
        for (const char c : levels) text += std::string(3, c);
        return text;
    }
    TempFolder folder_;
    std::string said_;
};

TEST_F(Arrays, LayoutsOfImages) {
    // Two images of 2 rows and 5 columns.
    folder_.write("grey.npy", npy_file("|u1", {2, 2, 5}, samples(20)));
    Dataset dataset = open("grey.npy", {.label_column = "none"});
    EXPECT_EQ(dataset.name, "grey");
    EXPECT_THAT(ids(dataset), ElementsAre("grey.npy/0", "grey.npy/1"));
    EXPECT_EQ(pixels(dataset, 0), "5x2 " + grey(samples(10)));
    EXPECT_EQ(pixels(dataset, 1), "5x2 " + grey(samples(10, 10)));
    EXPECT_THAT(said_, HasSubstr("images are `grey.npy` (2 grey images of 5 x 2 pixels), labels "
                                 "none (--label-column)"));
    for (const Shape& shape : {Shape{2, 2, 5, 1}, Shape{2, 1, 2, 5}}) {
        folder_.write("one.npy", npy_file("|u1", shape, samples(20)));
        EXPECT_EQ(pixels(open("one.npy"), 1), "5x2 " + grey(samples(10, 10)));
    }
    folder_.write("last.npy", npy_file("|u1", {2, 2, 5, 3}, samples(60)));
    EXPECT_EQ(pixels(open("last.npy"), 1), "5x2 " + samples(30, 30));
    folder_.write("first.npy", npy_file("|u1", {2, 3, 2, 5}, samples(60)));
    dataset = open("first.npy");
    std::string expected = "5x2 ";
    for (std::size_t pixel = 0; pixel < 10; ++pixel)
        for (std::size_t c = 0; c < 3; ++c) expected += samples(1, 30 + c * 10 + pixel);
    EXPECT_EQ(pixels(dataset, 1), expected);
    EXPECT_THAT(said_, HasSubstr("2 RGB images of 5 x 2 pixels"));
    EXPECT_TRUE(has_archived_images(dataset));
    dataset.archive = nullptr;
    EXPECT_TRUE(has_archived_images(dataset));
    const auto archive = archive_of(dataset);
    ASSERT_NE(archive, nullptr);
    EXPECT_EQ(archive->read("first.npy/1").size(), std::string("P6\n5 2\n255\n").size() + 30);
    EXPECT_THAT(message_of([&] { archive->read("first.npy/2"); }), HasSubstr("first.npy/2"));
    EXPECT_EQ(ids(open("first.npy", {.limit = 1})).size(), 1U);
}

TEST_F(Arrays, LabelsBesideAnNpyFile) {
    folder_.write("x_test.npy", npy_file("|u1", {2, 2, 5}, samples(20)));
    EXPECT_THAT(labels(open("x_test.npy")), ElementsAre(-1, -1));
    EXPECT_THAT(said_, HasSubstr("labels none (no labels.npy or y_... next to"));
    folder_.write("labels.npy", npy_file("|u1", {2}, {'\1', '\0'}));
    EXPECT_THAT(labels(open("x_test.npy")), ElementsAre(1, 0));
    EXPECT_THAT(said_, AllOf(HasSubstr("labels `labels.npy`"), HasSubstr("2 classes")));
    // Labels with the name of the split are preferred to labels of all splits.
    folder_.write("y_test.npy", npy_file("<i8", {2, 1}, little_end(2, 8) + little_end(1, 8)));
    folder_.write("y_train.npy", npy_file("<i8", {1}, little_end(2, 8)));
    EXPECT_THAT(labels(open("x_test.npy")), ElementsAre(2, 1));
    EXPECT_THAT(said_, HasSubstr("labels `y_test.npy`"));
    EXPECT_THAT(labels(open("x_test.npy", {.list = folder_ / "labels.npy"})), ElementsAre(1, 0));
    folder_.write("test_labels.npy", npy_file("|u1", {2}, {'\1', '\0'}));
    EXPECT_THAT(refusal("x_test.npy"),
                AllOf(HasSubstr("test_labels.npy and "),
                      HasSubstr("y_test.npy may hold its labels"), HasSubstr("--list FILE")));
    fs::remove(folder_ / "test_labels.npy");
    folder_.write("y_test.npy", npy_file("|u1", {3}, {'\1', '\0', '\0'}));
    EXPECT_THAT(refusal("x_test.npy"),
                HasSubstr("y_test.npy` has 3 labels, but there are 2 images; "
                          "--label-column none"));
    folder_.write("y_test.npy",
                  npy_file("<f8", {2}, std::string(6, '\0') + "\xe0\x3f" + std::string(8, '\0')));
    EXPECT_THAT(refusal("x_test.npy"), HasSubstr("element 0 is 0.5, not an integer"));
    folder_.write("y_test.npy", npy_file("|u1", {2, 4}, samples(8)));
    EXPECT_THAT(refusal("x_test.npy"), HasSubstr("shape (2, 4); only N or N x 1 is supported"));
    EXPECT_THAT(labels(open("x_test.npy", {.label_column = "none"})), ElementsAre(-1, -1));
    EXPECT_THAT(refusal("x_test.npy", {.label_column = "y"}, ErrorCode::usage),
                HasSubstr("--list FILE"));
    EXPECT_THAT(refusal("x_test.npy", {.image_column = "x"}, ErrorCode::usage),
                HasSubstr("--image-column"));
}

TEST_F(Arrays, WhatIsNoArrayOfImages) {
    const auto of = [&](std::string_view descr, const Shape& shape, std::size_t bytes,
                        bool fortran = false) {
        return refusal_of("x.npy", npy_file(descr, shape, samples(bytes), fortran));
    };
    EXPECT_THAT(
        of("<f4", {2, 2, 5}, 80),
        AllOf(HasSubstr("x.npy: "), HasSubstr("(2, 2, 5) are <f4, whose range is not known"),
              HasSubstr("(255 * x).round().astype('uint8')")));
    EXPECT_THAT(of("<i8", {2, 2, 5}, 160), HasSubstr("x.astype('uint8')"));
    EXPECT_THAT(of("|u1", {2, 2, 5}, 20, true), HasSubstr("ascontiguousarray"));
    EXPECT_THAT(of("|u1", {2, 5, 3}, 30), HasSubstr("(2, 5, 3) may be one image"));
    EXPECT_THAT(of("|u1", {20, 5}, 100), HasSubstr("its shape is (20, 5)"));
    EXPECT_THAT(of("|u1", {2, 2, 5, 5, 3}, 300), HasSubstr("N x H x W x 3"));
    EXPECT_THAT(of("|u1", {2, 5, 5, 4}, 200), HasSubstr("4 channels"));
    EXPECT_THAT(of("|u1", {2, 5, 5, 2}, 100), HasSubstr("its shape is (2, 5, 5, 2)"));
    EXPECT_THAT(of("|u1", {2, 3, 5, 3}, 90), HasSubstr("channels first or last"));
    EXPECT_THAT(of("|u1", {0, 5, 5}, 0), HasSubstr("no images"));
    EXPECT_THAT(of("|u1", {1, 100'000, 100'000}, 9), HasSubstr("pixels"));
    EXPECT_THAT(of("|u1", {4'000'000'000, 28, 28}, 90),
                HasSubstr("3136000000000 bytes; it has 90"));
    EXPECT_THAT(of("|u1", {1ULL << 40, 1ULL << 40, 28}, 90), HasSubstr("x.npy: "));
    EXPECT_THAT(of("|u1", {2, 2, 5}, 19), HasSubstr("takes 20 bytes; it has 19"));
    EXPECT_THAT(of("|u1", {2, 2, 5}, 21), HasSubstr("takes 20 bytes; it has 21"));
    const std::string whole = npy_file("|u1", {2, 2, 5}, samples(20));
    for (std::size_t size = 0; size < 128; size += 7)
        EXPECT_THAT(refusal_of("x.npy", whole.substr(0, size)), HasSubstr("x.npy: ")) << size;
}

TEST_F(Arrays, NpzWithOneSplit) {
    for (const bool deflate : {false, true}) {
        const ZipClaims how{.deflate = deflate};
        folder_.write(
            "m.npz",
            ZipWriter()
                .add("y.npy",
                     npy_file("<i8", {3}, little_end(1, 8) + little_end(0, 8) + little_end(1, 8)),
                     how)
                .add("ids.npy", npy_file("|u1", {3}, samples(3)), how)
                .add("x.npy", npy_file("|u1", {3, 4, 5}, samples(60)), how)
                .add("class_names.npy",
                     npy_file("<U2", {2}, std::string("c\0\0\0a\0\0\0d\0\0\0g\0\0\0", 16)), how)
                .bytes());
        Dataset dataset = open("m.npz");
        EXPECT_THAT(ids(dataset), ElementsAre("m.npz/x/0", "m.npz/x/1", "m.npz/x/2"));
        EXPECT_THAT(labels(dataset), ElementsAre(1, 0, 1));
        EXPECT_THAT(dataset.classes.ids(), ElementsAre("ca", "dg"));
        EXPECT_EQ(pixels(dataset, 2), "5x4 " + grey(samples(20, 40)));
        EXPECT_THAT(said_, HasSubstr("images are `x` (3 grey images of 5 x 4 pixels), labels `y`"));
        dataset.archive = nullptr;
        EXPECT_EQ(archive_of(dataset)->read("m.npz/x/1").size(), 11 + 20U);
        EXPECT_THAT(refusal("m.npz", {.label_column = "ids"}),
                    HasSubstr("image 2: label 2 is out of range: the 2 classes"));
        EXPECT_THAT(refusal("m.npz", {.label_column = "z"}),
                    AllOf(HasSubstr("no array `z` (--label-column)"), HasSubstr("ids (3,) |u1")));
        EXPECT_THAT(refusal("m.npz", {.image_column = "z"}), HasSubstr("no array `z`"));
        EXPECT_THAT(refusal("m.npz", {.list = folder_ / "m.npz"}, ErrorCode::usage),
                    HasSubstr("--label-column names the array"));
    }
}

TEST_F(Arrays, NpzOfSeveralSplitsAsks) {
    const auto images = [](std::uint64_t n) { return npy_file("|u1", {n, 4, 5}, samples(20 * n)); };
    const auto numbers = [](std::uint64_t n) { return npy_file("|u1", {n, 1}, samples(n)); };
    folder_.write("med.npz", ZipWriter()
                                 .add("train_images.npy", images(3))
                                 .add("test_images.npy", images(2))
                                 .add("train_labels.npy", numbers(3))
                                 .add("test_labels.npy", numbers(2))
                                 .bytes());
    EXPECT_THAT(refusal("med.npz"), HasSubstr("several arrays of images: add --image-column "
                                              "train_images  or  --image-column test_images"));
    const Dataset dataset = open("med.npz", {.image_column = "test_images"});
    EXPECT_EQ(dataset.name, "med-test_images");
    EXPECT_THAT(ids(dataset), ElementsAre("med.npz/test_images/0", "med.npz/test_images/1"));
    EXPECT_THAT(labels(dataset), ElementsAre(0, 1));
    EXPECT_THAT(said_, HasSubstr("labels `test_labels`"));
    EXPECT_THAT(refusal("med.npz", {.image_column = "test_images", .label_column = "train_labels"}),
                HasSubstr("`train_labels` has 3 labels, but there are 2 images"));
    // Labels of another split are not used.
    folder_.write("two.npz", ZipWriter()
                                 .add("x_train.npy", images(2))
                                 .add("x_test.npy", images(2))
                                 .add("y_train.npy", numbers(2))
                                 .bytes());
    EXPECT_THAT(labels(open("two.npz", {.image_column = "x_test"})), ElementsAre(-1, -1));
    EXPECT_THAT(said_, HasSubstr("--label-column names one"));
    folder_.write("fine.npz", ZipWriter()
                                  .add("data.npy", images(2))
                                  .add("fine_labels.npy", numbers(2))
                                  .add("coarse_labels.npy", numbers(2))
                                  .bytes());
    EXPECT_THAT(refusal("fine.npz"), HasSubstr("add --label-column fine_labels  or  "
                                               "--label-column coarse_labels"));
    folder_.write("plain.npz",
                  ZipWriter().add("arr_0.npy", images(2)).add("arr_1.npy", numbers(2)).bytes());
    EXPECT_THAT(labels(open("plain.npz")), ElementsAre(0, 1));
    folder_.write("texts.npz", ZipWriter()
                                   .add("images.npy", images(2))
                                   .add("labels.npy", npy_file("|S3", {2}, std::string("dogcat")))
                                   .bytes());
    const Dataset texts = open("texts.npz");
    EXPECT_THAT(texts.classes.ids(), ElementsAre("cat", "dog"));
    EXPECT_THAT(labels(texts), ElementsAre(1, 0));
}

TEST_F(Arrays, DamagedNpz) {
    const std::string x = npy_file("|u1", {3, 4, 5}, samples(60));
    const std::string y = npy_file("|u1", {3}, samples(3));
    for (const bool deflate : {false, true}) {
        const ZipClaims how{.deflate = deflate};
        ZipClaims other = how;
        other.crc = 1234;
        const std::string whole = ZipWriter().add("x.npy", x, how).add("y.npy", y, how).bytes();
        EXPECT_THAT(refusal_of("d.npz", ZipWriter().add("x.npy", x, other).bytes()),
                    AllOf(HasSubstr("d.npz: "), HasSubstr("`x.npy`"), HasSubstr("CRC-32")));
        EXPECT_THAT(refusal_of("d.npz", whole.substr(0, whole.size() - 10)), HasSubstr("d.npz"));
        EXPECT_THAT(
            refusal_of("d.npz", ZipWriter().add("x.npy", x.substr(0, x.size() - 1), how).bytes()),
            HasSubstr("takes 60 bytes; it has 59"));
        EXPECT_THAT(
            refusal_of(
                "d.npz",
                ZipWriter().add("x.npy", npy_file("|u1", {1U << 30, 28, 28}, ""), how).bytes()),
            HasSubstr("bytes; it has 0"));
        EXPECT_THAT(
            refusal_of("d.npz", ZipWriter().add("x.npy", x, how).add("x.npy", x, how).bytes()),
            HasSubstr("two of its arrays are named `x`"));
        EXPECT_THAT(refusal_of("d.npz", ZipWriter().add("x.npy", "no array", how).bytes()),
                    HasSubstr("not a npy file"));
        EXPECT_THAT(refusal_of("d.npz", ZipWriter().add("y.npy", y, how).bytes()),
                    AllOf(HasSubstr("it holds no images"), HasSubstr("y (3,) |u1")));
    }
    // Changes each byte of the compressed array. The file is refused, or has the same pixels.
    const std::string packed = ZipWriter().add("x.npy", x, {.deflate = true}).bytes();
    std::size_t refused = 0;
    for (std::size_t i = 40; i < packed.size(); ++i) {
        std::string damaged = packed;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
        folder_.write("d.npz", damaged);
        try {
            const Dataset dataset = open("d.npz");
            ASSERT_EQ(dataset.size(), 3U);
            EXPECT_EQ(pixels(dataset, 2), "5x4 " + grey(samples(20, 40)));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            ++refused;
        }
    }
    EXPECT_GT(refused, packed.size() / 3);
    EXPECT_THAT(refusal_of("d.npz", "no zip"), HasSubstr("d.npz"));
    EXPECT_THAT(refusal_of("d.npz", ZipWriter().add("a.txt", "x").bytes()), HasSubstr("no arrays"));
}

TEST_F(Arrays, IdxFiles) {
    const std::string images = idx_file({3, 4, 5}, samples(60)), numbers = idx_file({3}, {5, 0, 9});
    folder_.write("raw/t10k-images-idx3-ubyte", images);
    Dataset dataset = open("raw/t10k-images-idx3-ubyte");
    EXPECT_THAT(labels(dataset), ElementsAre(-1, -1, -1));
    EXPECT_THAT(said_, HasSubstr("no ...-labels-idx1-ubyte next to"));
    folder_.write("raw/t10k-labels-idx1-ubyte.gz", deflated(numbers, 31));
    // These are the only images of the folder.
    dataset = open("raw");
    EXPECT_EQ(dataset.name, "raw");
    EXPECT_THAT(ids(dataset), ElementsAre("t10k-images-idx3-ubyte/0", "t10k-images-idx3-ubyte/1",
                                          "t10k-images-idx3-ubyte/2"));
    EXPECT_THAT(labels(dataset), ElementsAre(5, 0, 9));
    EXPECT_EQ(dataset.classes.size(), 10U);
    EXPECT_EQ(pixels(dataset, 1), "5x4 " + grey(samples(20, 20)));
    EXPECT_EQ(ids(open(".")), ids(dataset));
    EXPECT_THAT(said_, HasSubstr("labels `t10k-labels-idx1-ubyte.gz`"));
    EXPECT_THAT(labels(open("raw", {.label_column = "none"})), ElementsAre(-1, -1, -1));
    folder_.write("raw/t10k-images-idx3-ubyte.gz", deflated(images, 31));
    const Dataset packed = open("raw/t10k-images-idx3-ubyte.gz");
    EXPECT_EQ(pixels(packed, 2), pixels(dataset, 2));
    EXPECT_THAT(labels(packed), ElementsAre(5, 0, 9));
    EXPECT_EQ(ids(open("raw")), ids(dataset));
    folder_.write("raw/train-images-idx3-ubyte", images);
    EXPECT_THAT(refusal("raw"),
                AllOf(HasSubstr("2 files with arrays of images"),
                      HasSubstr("raw/t10k-images-idx3-ubyte  or  -d "), HasSubstr("train-images")));
    EXPECT_THAT(refusal("raw/t10k-labels-idx1-ubyte.gz"), HasSubstr("it holds labels"));
    // Some copies have these names.
    folder_.write("dots/t10k-images.idx3-ubyte", images);
    folder_.write("dots/t10k-labels.idx1-ubyte", numbers);
    EXPECT_THAT(labels(open("dots")), ElementsAre(5, 0, 9));
    EXPECT_THAT(refusal("dots/t10k-images.idx3-ubyte", {.image_column = "x"}, ErrorCode::usage),
                HasSubstr("--image-column"));
}

TEST_F(Arrays, DamagedIdx) {
    const std::string images = idx_file({3, 4, 5}, samples(60));
    const std::string name = "t10k-images-idx3-ubyte";
    for (const std::string end : {"", ".gz"}) {
        const auto of = [&](const std::string& bytes) {
            return refusal_of(name + end, end.empty() ? bytes : deflated(bytes, 31));
        };
        EXPECT_THAT(of(images.substr(0, 70)), HasSubstr("its header needs 76 bytes; it has 70"));
        EXPECT_THAT(of(images.substr(0, 10)), HasSubstr("not an idx file, or it was cut off"));
        EXPECT_THAT(of("x" + images), HasSubstr("not an idx file"));
        EXPECT_THAT(of(idx_file({3, 4, 5}, samples(60), 0x0D)), HasSubstr("type 0x0d"));
        EXPECT_THAT(of(idx_file({3, 20}, samples(60))), HasSubstr("2 dimensions"));
        EXPECT_THAT(of(idx_file({0xffffffff, 0xffffffff, 0xffffffff}, "")), HasSubstr("too large"));
        EXPECT_THAT(of(idx_file({0xffffffff, 28, 28}, "")), HasSubstr("it has 16"));
        EXPECT_THAT(of(idx_file({0, 28, 28}, "")), HasSubstr("no images"));
    }
    EXPECT_THAT(refusal_of(name, images + "x"), HasSubstr("it has 77"));
    EXPECT_THAT(refusal_of(name + ".gz", deflated(images + "x", 31)),
                HasSubstr("more than the 76"));
    const std::string packed = deflated(images, 31);
    EXPECT_THAT(refusal_of(name + ".gz", packed.substr(0, packed.size() - 4)),
                HasSubstr("cut off"));
    EXPECT_THAT(refusal_of(name + ".gz", packed + packed), HasSubstr("bytes follow"));
    std::string damaged = packed;
    damaged[packed.size() - 6] ^= 1;
    EXPECT_THAT(refusal_of(name + ".gz", damaged), HasSubstr("incorrect data check"));
    folder_.write(name, images);
    folder_.write("t10k-labels-idx1-ubyte", idx_file({2}, samples(2)));
    EXPECT_THAT(refusal(name), HasSubstr("has 2 labels, but there are 3 images"));
}

constexpr std::size_t cifar_bytes = 3072;

std::string cifar_pickle(std::uint64_t count, std::size_t first) {
    std::vector<std::string> labels;
    for (std::uint64_t i = 0; i < count; ++i)
        labels.push_back(Python2Pickle::number((first + i) % 2));
    return Python2Pickle()
        .add("batch_label", Python2Pickle::text("training batch 1 of 5"))
        .add("labels", Python2Pickle::list(labels))
        .add("data", Python2Pickle::array(count, cifar_bytes, samples(count * cifar_bytes, first)))
        .add("filenames", Python2Pickle::list({Python2Pickle::text("a.png")}))
        .bytes();
}

std::string cifar_pixels(std::size_t first) {
    std::string text = "32x32 ";
    for (std::size_t pixel = 0; pixel < 1024; ++pixel)
        for (std::size_t c = 0; c < 3; ++c) text += samples(1, first + 1024 * c + pixel);
    return text;
}

TEST_F(Arrays, PickledBatchesOfCifar10) {
    const auto names =
        Python2Pickle::list({Python2Pickle::text("cat"), Python2Pickle::text("dog")});
    folder_.write("py/batches.meta", Python2Pickle()
                                         .add("num_cases_per_batch", Python2Pickle::number(10'000))
                                         .add("label_names", names)
                                         .add("num_vis", Python2Pickle::number(3072))
                                         .bytes());
    for (int i = 1; i <= 3; ++i)
        folder_.write("py/data_batch_" + std::to_string(i),
                      cifar_pickle(2, static_cast<std::size_t>(i)));
    // Batches of one split are one data set. If there are batches of two splits, the user must
    // choose.
    Dataset dataset = open("py");
    EXPECT_THAT(ids(dataset), ElementsAre("data_batch_1/0", "data_batch_1/1", "data_batch_2/0",
                                          "data_batch_2/1", "data_batch_3/0", "data_batch_3/1"));
    EXPECT_THAT(labels(dataset), ElementsAre(1, 0, 0, 1, 1, 0));
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("cat", "dog"));
    folder_.write("py/test_batch", cifar_pickle(30, 7));
    EXPECT_THAT(refusal("py"),
                AllOf(HasSubstr("py/test_batch  or  -d '"), HasSubstr("py/data_batch_{1..3}'")));
    EXPECT_EQ(ids(open("py/data_batch_{1..3}")), ids(dataset));
    dataset = open("py/test_batch");
    EXPECT_EQ(dataset.size(), 30U);
    EXPECT_EQ(pixels(dataset, 29), cifar_pixels(7 + 29 * cifar_bytes));
    EXPECT_THAT(said_, HasSubstr("images are `data` (30 RGB images of 32 x 32 pixels), labels "
                                 "`labels`"));
    dataset.archive = nullptr;
    EXPECT_TRUE(has_archived_images(dataset));
    EXPECT_EQ(archive_of(dataset)->read("test_batch/3").size(), 13 + cifar_bytes);
    EXPECT_THAT(refusal("py/test_batch", {.label_column = "coarse_labels"}),
                HasSubstr("no labels `coarse_labels`"));
    EXPECT_THAT(refusal("py/test_batch", {.list = folder_ / "x.csv"}, ErrorCode::usage),
                HasSubstr("omit --list"));
}

TEST_F(Arrays, PickledBatchesOfCifar100) {
    const auto table = [](std::uint64_t fine) {
        return Python2Pickle()
            .add("data", Python2Pickle::array(1, cifar_bytes, samples(cifar_bytes)))
            .add("fine_labels", Python2Pickle::list({Python2Pickle::number(fine)}))
            .add("coarse_labels", Python2Pickle::list({Python2Pickle::number(1)}))
            .bytes();
    };
    using P = Python2Pickle;
    folder_.write("hundred/meta",
                  P().add("fine_label_names", P::list({P::text("a"), P::text("b"), P::text("c")}))
                      .add("coarse_label_names", P::list({P::text("x"), P::text("y")}))
                      .bytes());
    folder_.write("hundred/test", table(2));
    const Dataset fine = open("hundred");
    EXPECT_THAT(ids(fine), ElementsAre("test/0"));
    EXPECT_THAT(labels(fine), ElementsAre(2));
    EXPECT_THAT(fine.classes.ids(), ElementsAre("a", "b", "c"));
    EXPECT_THAT(said_, HasSubstr("the 100 `fine_labels` (--label-column coarse_labels"));
    const Dataset coarse = open("hundred/test", {.label_column = "coarse_labels"});
    EXPECT_THAT(coarse.classes.ids(), ElementsAre("x", "y"));
    EXPECT_THAT(labels(coarse), ElementsAre(1));
    folder_.write("hundred/test", table(3));
    EXPECT_THAT(refusal("hundred"), HasSubstr("label 3 is out of range"));
}

TEST_F(Arrays, DamagedPickles) {
    const std::string whole = cifar_pickle(30, 1);
    for (const std::size_t size : {2U, 3U, 40U, 200U, 400U})
        EXPECT_THAT(refusal_of("test_batch", whole.substr(0, size)),
                    AllOf(HasSubstr("test_batch: "), HasSubstr("cut off")))
            << size;
    EXPECT_THAT(refusal_of("test_batch", whole.substr(0, whole.size() - 30)), HasSubstr("cut off"));
    EXPECT_THAT(refusal_of("test_batch", whole + "x"), HasSubstr("bytes follow its end"));
    EXPECT_THAT(refusal_of("test_batch", "\x80\x02" + std::string("cposix\nsystem\nU\x02lsR.")),
                HasSubstr("the pickle holds `posix.system`"));
    EXPECT_THAT(refusal_of("test_batch", "\x80\x02" + std::string("]q\x01.")),
                HasSubstr("does not hold a table"));
    EXPECT_THAT(refusal_of("test_batch", Python2Pickle().add("labels", "N").bytes()),
                HasSubstr("it holds no array `data`"));
    using P = Python2Pickle;
    const std::string pixels = samples(cifar_bytes);
    const std::string one = P::list({P::number(1)});
    const auto with = [&](const std::string& data, const std::string& labels) {
        return refusal_of("test_batch", P().add("data", data).add("labels", labels).bytes());
    };
    EXPECT_THAT(with(P::array(2, cifar_bytes, pixels), one), HasSubstr("shape (2, 3072)"));
    EXPECT_THAT(with(P::array(1, 3071, pixels), one), HasSubstr("shape (1, 3071)"));
    EXPECT_THAT(with(P::array(1, cifar_bytes, pixels, true), one), HasSubstr("Fortran order"));
    EXPECT_THAT(with(P::array(1, cifar_bytes, pixels), P::list({})),
                HasSubstr("has 0 labels, but there are 1 image"));
    EXPECT_THAT(with(P::array(1, cifar_bytes, pixels), "N"), HasSubstr("no list of numbers"));
    // A few bytes that expand to many, as a list with the same text 5,000 times.
    std::string often = "](" + P::text(std::string(60'000, 'x')) + "q\x05";
    for (int i = 0; i < 5000; ++i) often += "h\x05";
    EXPECT_THAT(with(P::array(1, cifar_bytes, pixels), often + "e"),
                HasSubstr("its lists are too large"));
    // Changes every byte of the structure. The result is an error or a data set.
    const std::string small = cifar_pickle(1, 1);
    const std::size_t end = small.find(samples(20, 1));
    ASSERT_NE(end, std::string::npos);
    for (std::size_t i = 2; i < end; ++i) {
        std::string damaged = small;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
        folder_.write("test_batch", damaged);
        try {
            EXPECT_EQ(open("test_batch").size(), 1U);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
        }
    }
}

TEST_F(Arrays, BinaryBatchesOfCifar) {
    std::string ten, hundred;
    for (std::size_t i = 0; i < 3; ++i) {
        ten += static_cast<char>(2 - i);
        ten += samples(cifar_bytes, i);
        hundred += static_cast<char>(i % 2);
        hundred += static_cast<char>(2 - i);
        hundred += samples(cifar_bytes, i);
    }
    folder_.write("bin/test_batch.bin", ten);
    folder_.write("bin/batches.meta.txt", "airplane\nbird\r\ncat\n\n");
    Dataset dataset = open("bin");
    EXPECT_THAT(ids(dataset),
                ElementsAre("test_batch.bin/0", "test_batch.bin/1", "test_batch.bin/2"));
    EXPECT_THAT(labels(dataset), ElementsAre(2, 1, 0));
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("airplane", "bird", "cat"));
    EXPECT_EQ(pixels(dataset, 2), cifar_pixels(2));
    folder_.write("h/test.bin", hundred);
    EXPECT_THAT(labels(open("h")), ElementsAre(2, 1, 0));
    folder_.write("h/coarse_label_names.txt", "x\ny\n");
    dataset = open("h", {.label_column = "coarse_labels"});
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("x", "y"));
    EXPECT_THAT(labels(dataset), ElementsAre(0, 1, 0));
    EXPECT_EQ(pixels(dataset, 2), cifar_pixels(2));
    EXPECT_THAT(refusal_of("bin/test_batch.bin", ten.substr(1)), HasSubstr("was it cut off?"));
    EXPECT_THAT(refusal_of("bin/test_batch.bin", ""), HasSubstr("it is empty"));
}

TEST_F(Arrays, MatFilesOfSvhn) {
    constexpr int uint8_class = 9, double_class = 6, uint8_type = 2;
    // Two images of 2 rows and 5 columns, in which the row is the fastest index.
    const auto file = [&](bool packed, const std::string& y, const std::string& x) {
        return MatFile()
            .add("X", uint8_class, {2, 5, 3, 2}, uint8_type, x, packed)
            .add("y", double_class, {2, 1}, uint8_type, y, packed)
            .bytes();
    };
    std::string expected = "5x2 ";
    for (std::size_t y = 0; y < 2; ++y)
        for (std::size_t x = 0; x < 5; ++x)
            for (std::size_t c = 0; c < 3; ++c) expected += samples(1, 30 + y + 2 * x + 10 * c);
    for (const bool packed : {false, true}) {
        folder_.write("test.mat", file(packed, "\x0a\x03", samples(60)));
        Dataset dataset = open("test.mat");
        EXPECT_THAT(ids(dataset), ElementsAre("test.mat/0", "test.mat/1"));
        EXPECT_THAT(labels(dataset), ElementsAre(0, 3));
        EXPECT_EQ(pixels(dataset, 1), expected);
        EXPECT_THAT(said_, HasSubstr("labels `y` (10 is the digit 0)"));
        dataset.archive = nullptr;
        EXPECT_EQ(archive_of(dataset)->read("test.mat/1").size(), 11 + 30U);
        EXPECT_THAT(refusal_of("test.mat", file(packed, "\x0b\x03", samples(60))),
                    HasSubstr("hold 11; SVHN's are 1 to 10"));
        EXPECT_THAT(refusal_of("test.mat", file(packed, "\x01\x02", samples(59))),
                    HasSubstr("`X` has 59 bytes of numbers, and 60 numbers"));
        const std::string whole = file(packed, "\x01\x02", samples(60));
        for (std::size_t size = 0; size + 8 < whole.size(); size += 9) {
            EXPECT_THAT(refusal_of("test.mat", whole.substr(0, size)), HasSubstr("test.mat: "))
                << size;
        }
    }
    EXPECT_THAT(refusal_of("test.mat",
                           MatFile()
                               .add("X", uint8_class, {2, 5, 3, 2}, uint8_type, samples(60), true)
                               .add("y", uint8_class, {1, 1}, uint8_type, "\1", true)
                               .bytes()),
                HasSubstr("`y` has 1 label, but there are 2 images"));
    EXPECT_THAT(
        refusal_of("test.mat", MatFile()
                                   .add("X", uint8_class, {0xffffffff, 0xffffffff, 3, 0xffffffff},
                                        uint8_type, samples(60), true)
                                   .bytes()),
        HasSubstr("too large"));
    EXPECT_THAT(refusal_of("test.mat", std::string("MATLAB 7.3 MAT-file") + std::string(500, ' ')),
                HasSubstr("version 7.3 (HDF5)"));
    EXPECT_THAT(refusal("test.mat", {.label_column = "y"}, ErrorCode::usage),
                HasSubstr("omit --list"));
}

TEST_F(Arrays, SeveritiesOfCifar10C) {
    std::string numbers;
    for (int i = 0; i < 50'000; ++i) numbers += static_cast<char>(i % 10'000 % 7);
    folder_.write("c/labels.npy", npy_file("|u1", {50'000}, numbers));
    folder_.write("c/fog.npy", npy_file("|u1", {50'000, 1, 1, 3}, samples(150'000)));
    EXPECT_THAT(refusal("c"), HasSubstr("may")) << "1 x 1 pixels fit both layouts";
    folder_.write("c/fog.npy", npy_file("|u1", {50'000, 2, 2, 3}, samples(600'000)));
    const Dataset dataset = open("c/fog.npy");
    ASSERT_EQ(dataset.attributes.size(), 1U);
    EXPECT_EQ(dataset.attributes[0].name, "severity");
    EXPECT_EQ(dataset.attributes[0].values[9'999], "1");
    EXPECT_EQ(dataset.attributes[0].values[49'999], "5");
    EXPECT_THAT(said_, HasSubstr("severities 1 to 5 in this order"));
    folder_.write("c/frost.npy", npy_file("|u1", {50'000, 2, 2, 3}, samples(600'000)));
    EXPECT_THAT(refusal("c"), HasSubstr("fog.npy  or  -d "));
    numbers[20'000] = 6;
    folder_.write("c/labels.npy", npy_file("|u1", {50'000}, numbers));
    EXPECT_THAT(open("c/fog.npy").attributes, IsEmpty());
}

TEST_F(Arrays, OfOthersWriters) {
    folder_.write("write.py", R"(
import gzip, os, pickle, sys
import numpy as np
os.chdir(sys.argv[1])
rng = np.random.default_rng(1)
x = rng.integers(0, 256, (7, 9, 11, 3), dtype=np.uint8)
y = np.arange(7)
np.save('x_all.npy', x)
np.save('y_all.npy', y)
np.savez('stored.npz', images=x, labels=y)
np.savez_compressed('packed.npz', images=x.transpose(0, 3, 1, 2).copy(), labels=y[:, None])
with gzip.open('t10k-images-idx3-ubyte.gz', 'wb') as f:
    f.write(bytes([0, 0, 8, 3]) + b''.join(int(n).to_bytes(4, 'big') for n in (7, 9, 11)) + x[..., 0].tobytes())
rows = rng.integers(0, 256, (4, 3072), dtype=np.uint8)
for protocol in (2, 3, 4, 5):
    with open('batch%d.pkl' % protocol, 'wb') as f:
        pickle.dump({'data': rows, 'labels': [3, 1, 2, 0]}, f, protocol=protocol)
np.save('rows.npy', rows.reshape(4, 3, 32, 32))
with open('by_hand.pkl', 'rb') as f:
    table = pickle.load(f, encoding='latin1')
assert table['labels'] == [1, 0, 1], table['labels']
np.savez('by_hand.npz', images=table['data'].reshape(3, 3, 32, 32), labels=table['labels'])
)");
    // Python reads the batch that the tests call a batch of Python 2.
    folder_.write("by_hand.pkl", cifar_pickle(3, 1));
    if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0)
        GTEST_SKIP() << "no python3 with NumPy here";
    const std::string run =
        "python3 '" + (folder_ / "write.py").string() + "' '" + folder_.path().string() + "'";
    ASSERT_EQ(std::system(run.c_str()), 0);
    const Dataset npy = open("x_all.npy"), stored = open("stored.npz"), packed = open("packed.npz");
    const Dataset idx = open("t10k-images-idx3-ubyte.gz");
    ASSERT_EQ(npy.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(pixels(npy, i), pixels(stored, i));
        EXPECT_EQ(pixels(npy, i), pixels(packed, i));
        EXPECT_EQ(pixels(npy, i)[5], pixels(idx, i)[5]);
    }
    EXPECT_THAT(labels(npy), ElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_EQ(labels(stored), labels(npy));
    EXPECT_EQ(labels(packed), labels(npy));
    const Dataset rows = open("rows.npy", {.label_column = "none"});
    const Dataset hand = open("by_hand.pkl"), same = open("by_hand.npz");
    EXPECT_EQ(labels(hand), labels(same));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(pixels(hand, i), pixels(same, i));
    for (const std::string protocol : {"3", "4", "5"}) {
        const Dataset batch = open("batch" + protocol + ".pkl");
        EXPECT_THAT(labels(batch), ElementsAre(3, 1, 2, 0));
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(pixels(batch, i), pixels(rows, i));
    }
    EXPECT_THAT(refusal("batch2.pkl"), HasSubstr("pickle.dump(table, file, protocol=4)"));
}

}  // namespace
}  // namespace assay
