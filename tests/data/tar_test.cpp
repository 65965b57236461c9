// Tar archives of images: the formats of common tools, WebDataset's samples and labels, and damaged
// or inconsistent archives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "core/random.h"
#include "data/archives.h"
#include "data/webdataset/samples.h"
#include "deflated.h"
#include "message_of.h"
#include "tar_writer.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Bytes that no other image has.
std::string image_bytes(const std::string& name, std::size_t size = 700) {
    std::string bytes;
    RandomStream random(1, name);
    while (bytes.size() < size) bytes += static_cast<char>(random.below(256));
    return bytes;
}

std::vector<std::string> ids_of(const Dataset& dataset) {
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < dataset.size(); ++i) ids.emplace_back(dataset.ids[i]);
    return ids;
}

std::string read_text_of(const Dataset& dataset, std::size_t item) {
    const auto bytes = dataset.read_image(item);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Tars : public testing::Test {
protected:
    Dataset open(const std::string& path, const DatasetOptions& options = {}) {
        notes_.clear();
        return open_dataset(folder_ / path, options, &notes_);
    }
    std::string refusal(const std::string& path, const DatasetOptions& options = {}) {
        return message_of([&] { open(path, options); });
    }
    std::string refusal_of(const std::string& bytes) {
        folder_.write("x.tar", bytes);
        return refusal("x.tar");
    }
    std::string said() const {
        std::string all;
        for (const std::string& note : notes_) all += note + "\n";
        return all;
    }
    TempFolder folder_;
    std::vector<std::string> notes_;
};

TEST(WebdatasetNames, AreCutAsTheFormatHasIt) {
    const auto cut = [](const char* name) {
        const auto parts = webdataset::key_and_suffix(name);
        return parts ? std::string(parts->key) + " + " + parts->suffix : std::string("none");
    };
    EXPECT_EQ(cut("a.jpg"), "a + jpg");
    EXPECT_EQ(cut("d.1/a.b/c.left.JPG"), "d.1/a.b/c + left.jpg");
    EXPECT_EQ(cut("a"), "none");
    EXPECT_EQ(cut("d.1/a"), "none");
    EXPECT_EQ(cut("d/.hidden"), "none");
    EXPECT_EQ(cut("__info__"), "none");
    EXPECT_EQ(cut("d/__a.json__"), "none");
    EXPECT_EQ(cut("a."), "a + ");
    EXPECT_EQ(cut(""), "none");
}

TEST_F(Tars, SamplesAreMembersOfOneKeyWithTheirLabels) {
    const std::string one = image_bytes("one"), two = image_bytes("two", 512),
                      three = image_bytes("three", 1);
    folder_.write("val.tar", tar_member("./n01/one.JPG", one) + tar_member("./n01/one.cls", "3\n") +
                                 tar_member("n01", "", '5') +
                                 tar_member("two.json", R"({"label": 1, "x": [1]})") +
                                 tar_member("two.png", two) + tar_member("two.txt", "a caption") +
                                 tar_member("__meta__", "x") + tar_member("only.txt", "no image") +
                                 tar_member("link.jpg", "", '2') + tar_member("three.webp", three) +
                                 tar_end());
    const Dataset dataset = open("val.tar");
    EXPECT_EQ(dataset.name, "val");
    EXPECT_THAT(ids_of(dataset), ElementsAre("val.tar/n01/one", "val.tar/two", "val.tar/three"));
    EXPECT_EQ(dataset.single_label(0), 3);
    EXPECT_EQ(dataset.single_label(1), 1);
    EXPECT_EQ(dataset.single_label(2), -1);
    EXPECT_EQ(dataset.classes.size(), 4U);
    EXPECT_EQ(read_text_of(dataset, 0), one);
    EXPECT_EQ(read_text_of(dataset, 1), two);
    EXPECT_EQ(read_text_of(dataset, 2), three);
    EXPECT_THAT(said(), AllOf(HasSubstr("skipped 1 sample without an image, the first: only"),
                              HasSubstr("skipped 1 member that are not plain files"),
                              HasSubstr("1 row without a label")));
    EXPECT_THROW(dataset.archive->read("val.tar/none.jpg"), Error);
    EXPECT_THROW(dataset.archive->read("other.tar/two.png"), Error);
    EXPECT_THROW(dataset.archive->read("two.png"), Error);
    EXPECT_THROW(dataset.archive->read("val.tar/two.png", 100), Error);
    // A data set that is read back from a store only has names.
    Dataset again = dataset;
    again.archive = nullptr;
    ASSERT_TRUE(has_archived_images(again));
    again.archive = archive_of(again);
    EXPECT_EQ(read_text_of(again, 1), two);
}

TEST_F(Tars, LabelsAreWhatTheOptionNames) {
    folder_.write(
        "val.tar",
        tar_member("a.jpg", "1") + tar_member("a.target", "2") + tar_member("a.cls", "1") +
            tar_member("a.json", R"({"fine": "dog", "none": null, "bad": [1]})") + tar_end());
    DatasetOptions options;
    options.classes = ClassList({"cat", "owl", "dog"});
    EXPECT_EQ(open("val.tar", options).single_label(0), 1);
    options.label_column = "target";
    EXPECT_EQ(open("val.tar", options).single_label(0), 2);
    options.label_column = "fine";
    EXPECT_EQ(open("val.tar", options).single_label(0), 2);
    options.label_column = "none";
    EXPECT_EQ(open("val.tar", options).single_label(0), -1);
    options.label_column = "bad";
    EXPECT_THAT(refusal("val.tar", options),
                AllOf(HasSubstr("a.json"), HasSubstr("`bad` is neither")));
    options.label_column = "";
    options.classes = ClassList({"cat"});
    EXPECT_THAT(refusal("val.tar", options), AllOf(HasSubstr("val.tar: a.cls"), HasSubstr("1")));
}

TEST_F(Tars, ClassFoldersThatWerePackedAsTheyAreAreLabels) {
    const std::string tar = tar_member("train/owl/a.jpg", "1") + tar_member("train/cat/b.jpg", "2");
    folder_.write("x.tar", tar + tar_end());
    Dataset dataset = open("x.tar");
    EXPECT_THAT(said(), HasSubstr("the folders are the classes"));
    EXPECT_EQ(dataset.classes.ids(), (std::vector<std::string>{"cat", "owl"}));
    EXPECT_EQ(dataset.single_label(0), 1);
    DatasetOptions options;
    options.classes = ClassList({"owl", "dog"});
    EXPECT_THAT(refusal("x.tar", options), AllOf(HasSubstr("train/cat/b.jpg"), HasSubstr("cat")));
    // If any image is in no folder or has a label, folders are not classes.
    folder_.write("x.tar", tar + tar_member("c.jpg", "3") + tar_end());
    EXPECT_EQ(open("x.tar").single_label(0), -1);
    folder_.write("x.tar", tar + tar_member("train/cat/b.cls", "1") + tar_end());
    dataset = open("x.tar");
    EXPECT_EQ(dataset.single_label(0), -1);
    EXPECT_EQ(dataset.single_label(1), 1);
}

TEST_F(Tars, LongNamesOfEveryKind) {
    const std::string name = std::string(90, 'a') + "/" + std::string(120, 'b');
    // The ustar header has a prefix and a name.
    std::string split = tar_member("c.jpg", "prefix");
    std::memcpy(split.data() + 345, "folder/of", 9);
    std::memset(split.data() + 148, ' ', 8);
    unsigned sum = 0;
    for (int i = 0; i < 512; ++i) sum += static_cast<unsigned char>(split[i]);
    std::snprintf(split.data() + 148, 8, "%06o", sum);
    // Sizes are in base 256, which GNU tar uses for 8 GiB and more.
    std::string base256(12, '\0');
    base256[0] = '\x80';
    base256[11] = 3;
    folder_.write("x.tar", pax("path", name + "1.jpg") + tar_member("cut", "pax") +
                               long_name(name + "2.jpg") + tar_member("cut", "gnu") + split +
                               tar_member("d.jpg", "256", '0', base256) + pax("size", "4") +
                               tar_member("e.jpg", "size", '0', "00000000000") +
                               tar_member("old.jpg", "v7", '\0') + tar_end());
    const Dataset dataset = open("x.tar");
    EXPECT_THAT(ids_of(dataset),
                ElementsAre("x.tar/" + name + "1", "x.tar/" + name + "2", "x.tar/folder/of/c",
                            "x.tar/d", "x.tar/e", "x.tar/old"));
    const std::vector<std::string> contents = {"pax", "gnu", "prefix", "256", "size", "v7"};
    for (std::size_t i = 0; i < contents.size(); ++i)
        EXPECT_EQ(read_text_of(dataset, i), contents[i]);
}

TEST_F(Tars, OfTheSystemsTarInItsFormats) {
    if (std::system("tar --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no tar here";
    const std::string deep = std::string(80, 'd') + "/" + std::string(60, 'e');
    const std::vector<std::string> names = {"a.jpg", "n01/b.png", deep + ".jpg"};
    for (const std::string& name : names) folder_.write("images/" + name, image_bytes(name));
    for (const char* format : {"gnu", "pax", "ustar", "oldgnu"}) {
        SCOPED_TRACE(format);
        const std::string tar = (folder_ / "all.tar").string();
        const std::string command = "cd '" + (folder_ / "images").string() +
                                    "' && tar --format=" + format + " --sort=name -cf '" + tar +
                                    "' .";
        ASSERT_EQ(std::system(command.c_str()), 0);
        const Dataset dataset = open("all.tar");
        ASSERT_EQ(dataset.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string member = std::string(dataset.paths[i]).substr(8);
            EXPECT_EQ(read_text_of(dataset, i), image_bytes(member));
        }
    }
}

TEST_F(Tars, SeveralByARangeAndAFolderOfThem) {
    for (int i = 0; i < 12; ++i)
        folder_.write("set/" + std::to_string(i) + ".tar",
                      tar_member("x.jpg", "image " + std::to_string(i)) +
                          tar_member("x.cls", std::to_string(i % 3)) + tar_end());
    const Dataset range = open("set/{8..11}.tar");
    EXPECT_THAT(ids_of(range), ElementsAre("8.tar/x", "9.tar/x", "10.tar/x", "11.tar/x"));
    EXPECT_EQ(range.name, "set");
    const Dataset folder = open("set");
    ASSERT_EQ(folder.size(), 12U);  // shards are in the order of their numbers
    EXPECT_EQ(read_text_of(folder, 10), "image 10");
    EXPECT_EQ(folder.single_label(11), 2);
    DatasetOptions first;
    first.limit = 5;
    EXPECT_EQ(open("set", first).size(), 5U);
    EXPECT_THAT(refusal("set/{8..12}.tar"), HasSubstr("12.tar"));
    fs::remove(folder_ / "set/5.tar");
    open("set");
    EXPECT_THAT(said(), HasSubstr("11 archives are numbered 0 to 11: some may be missing"));
    folder_.write("set/train-0.tar", tar_member("x.jpg", "") + tar_end());
    EXPECT_THAT(refusal("set"), AllOf(HasSubstr("different base names"), HasSubstr("{0..11}.tar"),
                                      HasSubstr("train-0.tar")));
}

TEST_F(Tars, FoldersThatSayWhatTheyHold) {
    const auto tar = [](const char* key) {
        return tar_member(key + std::string(".jpg"), "") + tar_end();
    };
    folder_.write("timm/b.tar", tar("first"));
    folder_.write("timm/a.tar", tar("second"));
    folder_.write("timm/_info.json",
                  R"({"filenames": ["b.tar", "a.tar"], "shard_lengths": [1, 1]})");
    EXPECT_THAT(ids_of(open("timm")), ElementsAre("b.tar/first", "a.tar/second"));
    folder_.write("timm/_info.json",
                  R"({"filenames": ["b.tar", "a.tar"], "shard_lengths": [1, 2]})");
    EXPECT_THAT(refusal("timm"), AllOf(HasSubstr("a.tar has 1 images, but its index says 2")));
    folder_.write("timm/_info.json", R"({"filenames": ["b.tar", "c.tar"]})");
    EXPECT_THAT(refusal("timm"), AllOf(HasSubstr("c.tar"), HasSubstr("_info.json")));
    folder_.write("timm/_info.json", R"({"filenames": ["../b.tar"]})");
    EXPECT_THAT(refusal("timm"), HasSubstr("names of files next to it"));
    folder_.write("timm/_info.json", R"({"splits": {"train": {}, "validation": {}}})");
    EXPECT_THAT(refusal("timm"), HasSubstr("several splits (train, validation)"));

    folder_.write("clip/test/0.tar",
                  tar_member("s0.webp", "") + tar_member("s0.cls", "1") + tar_end());
    folder_.write("clip/test/nshards.txt", "1\n");
    folder_.write("clip/classnames.txt", "tench\ngoldfish\n");
    const Dataset clip = open("clip");
    EXPECT_EQ(clip.classes.name(1), "goldfish");
    EXPECT_EQ(clip.single_label(0), 1);
    folder_.write("clip/test/nshards.txt", "2\n");
    EXPECT_THAT(refusal("clip"), AllOf(HasSubstr("1.tar"), HasSubstr("nshards.txt")));
}

TEST_F(Tars, CompressedOnesSayHowToUnpackThem) {
    for (const auto& [name, start, advice] :
         {std::tuple("x.tar", std::string("\x28\xb5\x2f\xfd"), "zstd -d /"),
          std::tuple("x.tar.bz2", std::string("BZh91AY"), "bunzip2 -k /"),
          std::tuple("x.tar.xz", std::string("\xfd\x37zXZ\0\0\0", 8), "unxz -k /")}) {
        folder_.write(name, start + std::string(600, 'x'));
        EXPECT_THAT(refusal(name), AllOf(HasSubstr(name), HasSubstr(advice))) << name;
    }
}

// The same samples are at the same places of the unpacked data. Two archives are read alternately.
TEST_F(Tars, OnesThatGzipPackedAreReadAsTheUnpackedOnes) {
    std::string one, two;
    for (int i = 0; i < 40; ++i) {
        const std::string key = "cat/" + std::to_string(i);
        one += tar_member(key + ".jpg", image_bytes(key, 60'000)) + tar_member(key + ".cls", "1");
        two += tar_member(key + "b.jpg", image_bytes(key + "b")) + tar_member(key + "b.cls", "2");
    }
    folder_.write("plain/a-0.tar", one + tar_end());
    folder_.write("plain/a-1.tar", two + tar_end());
    folder_.write("a-0.tar.gz", deflated(one + tar_end(), 31));
    folder_.write("a-1.tar.gz", deflated(two + tar_end(), 31));
    folder_.write("b.tgz", deflated(two + tar_end(), 31));
    DatasetOptions options;
    options.classes = ClassList({"a", "b", "c"});
    const Dataset plain = open("plain", options);
    const Dataset packed = open("a-{0..1}.tar.gz", options);
    EXPECT_THAT(said(), HasSubstr("2 archives are compressed by gzip"));
    EXPECT_THAT(said(), HasSubstr("gunzip -k /"));
    ASSERT_EQ(packed.size(), 80U);
    EXPECT_EQ(packed.ids[41], "a-1.tar.gz/cat/1b");
    for (const std::size_t i : {79, 0, 39, 40, 1, 78}) {
        EXPECT_EQ(read_text_of(packed, i), read_text_of(plain, i)) << i;
        EXPECT_EQ(packed.single_label(i), plain.single_label(i)) << i;
    }
    EXPECT_EQ(open("b.tgz", options).size(), 40U);
    options.limit = 3;
    EXPECT_EQ(open("b.tgz", options).size(), 3U);
}

// webdataset 1.0.2 wrote these files, plain and compressed, and GNU gzip compressed the plain one.
TEST_F(Tars, OfWebDatasetHaveLabelsAndKeysOfSeveralSuffixes) {
    const fs::path fixtures = fs::path(__FILE__).parent_path() / "fixtures/tars";
    DatasetOptions options;
    options.classes = ClassList({"a", "b", "c"});
    const Dataset plain = open_dataset(fixtures / "webdataset.tar", options);
    ASSERT_EQ(plain.size(), 4U);
    for (const char* name : {"webdataset.tar", "webdataset.tar.gz", "gnu.tgz"}) {
        SCOPED_TRACE(name);
        const Dataset dataset = open((fixtures / name).string(), options);
        ASSERT_EQ(dataset.size(), 4U);
        EXPECT_EQ(dataset.ids[2], std::string(name) + "/002");
        EXPECT_EQ(dataset.name, name == std::string("gnu.tgz") ? "gnu" : "webdataset");
        EXPECT_THAT(said(), HasSubstr("skipped 4 images with a dot in the suffix"));
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_EQ(dataset.single_label(i), static_cast<int>(i % 3));
            EXPECT_EQ(read_text_of(dataset, i), read_text_of(plain, i));
        }
    }
}

TEST_F(Tars, DamagedOnesThatGzipPackedAreRefused) {
    const std::string good = deflated(tar_member("a.jpg", image_bytes("a", 9000)) + tar_end(), 31);
    const auto refused = [&](const std::string& bytes) {
        folder_.write("x.tar.gz", bytes);
        return refusal("x.tar.gz");
    };
    EXPECT_THAT(refused(good.substr(0, good.size() / 2)),
                AllOf(HasSubstr("x.tar.gz"), HasSubstr("cut off")));
    std::string damaged = good;
    damaged[damaged.size() - 5] ^= 1;  // a byte of the checksum of the data
    EXPECT_THAT(refused(damaged), HasSubstr("it is damaged"));
    EXPECT_THAT(refused(good + good), HasSubstr("decompress it and pass the new file"));
    EXPECT_THAT(refused(std::string("\x1f\x8b\x08\x00", 4)), HasSubstr("cut off"));
    EXPECT_THAT(refused(deflated("no tar", 31)), HasSubstr("byte 0"));
}

TEST_F(Tars, DamagedOnesNameTheByte) {
    const std::string good = tar_member("a.jpg", image_bytes("a"));
    folder_.write("x.tar", good + tar_member("b.jpg", "b"));
    open("x.tar");
    EXPECT_THAT(said(), HasSubstr("without an end-of-archive mark,"));
    EXPECT_THAT(refusal_of(good + "text"), AllOf(HasSubstr("x.tar: byte 1536"), HasSubstr("cut")));
    EXPECT_THAT(refusal_of(good.substr(0, 900)),
                AllOf(HasSubstr("`a.jpg` has 700 bytes, but only 388 are left")));
    std::string flipped = good + tar_end();
    flipped[3] ^= 1;
    EXPECT_THAT(refusal_of(flipped), AllOf(HasSubstr("byte 0"), HasSubstr("checksum")));
    EXPECT_THAT(refusal_of(good + tar_end() + good), HasSubstr("joined with cat"));
    EXPECT_THAT(refusal_of(tar_end()), HasSubstr("no image"));
    EXPECT_THAT(refusal_of(""), HasSubstr("no image"));
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "", '0', "99999999999")), HasSubstr("not a number"));
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "", '0', "77777777777")), HasSubstr("are left"));
    std::string negative(12, '\xff');
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "", '0', negative)), HasSubstr("not a number"));
    std::string huge(12, '\x7f');
    huge[0] = '\x80';
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "", '0', huge)), HasSubstr("not a number"));
    for (const char* record : {"x", "5 a=b\n", "99999 path=a\n", "6 path\n", "-1 path=a\n", " =\n"})
        EXPECT_THAT(refusal_of(tar_member("p", record, 'x') + good), HasSubstr("pax")) << record;
    EXPECT_THAT(refusal_of(pax("size", "-5") + good), HasSubstr("size `-5`"));
    EXPECT_THAT(refusal_of(pax("size", "18446744073709551615") + good), HasSubstr("are left"));
    EXPECT_THAT(refusal_of(tar_member("L", std::string(100'000, 'n'), 'L') + good),
                HasSubstr("extension of 100000 bytes"));
}

TEST_F(Tars, ASuffixWithoutADotIsTheImageAmongOthersWithOne) {
    folder_.write("val.tar",
                  tar_member("1.jpg", "one") + tar_member("1.seg.png", "mask") +
                      tar_member("2.depth.png", "deep") + tar_member("2.png", "two") +
                      tar_member("2.seg.png", "mask") + tar_member("3.left.jpg", "three") +
                      tar_member("4.anno.png", "mask") + tar_member("4.depth.png", "deep") +
                      tar_member("4.jpg", "four") + tar_member("4.seg.png", "mask") + tar_end());
    const Dataset dataset = open("val.tar");
    EXPECT_THAT(ids_of(dataset), ElementsAre("val.tar/1", "val.tar/2", "val.tar/3", "val.tar/4"));
    EXPECT_EQ(read_text_of(dataset, 3), "four");
    EXPECT_EQ(read_text_of(dataset, 0), "one");
    EXPECT_EQ(read_text_of(dataset, 1), "two");
    EXPECT_EQ(read_text_of(dataset, 2), "three");
    EXPECT_THAT(said(), HasSubstr("skipped 6 images with a dot in the suffix, because the sample "
                                  "has an image without one; the first: 1.seg.png in "));
}

TEST_F(Tars, KeysThatComeAgainAndSamplesOfTwoImagesAreRefused) {
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "1") + tar_member("b.jpg", "2") +
                           tar_member("a.jpg", "3") + tar_end()),
                AllOf(HasSubstr("x.tar"), HasSubstr("the key `a` appears twice")));
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "1") + tar_member("a.png", "2") + tar_end()),
                HasSubstr("a.jpg and a.png are two images of one sample"));
    EXPECT_THAT(
        refusal_of(tar_member("1.left.jpg", "1") + tar_member("1.right.jpg", "2") + tar_end()),
        HasSubstr("1.left.jpg and 1.right.jpg are two images of one sample"));
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "1") + tar_member("a.cls", std::string(5000, '1')) +
                           tar_end()),
                HasSubstr("a.cls: 5000 bytes"));
    EXPECT_THAT(
        refusal_of(tar_member("a.jpg", "1") + tar_member("a.json", "{\"label\": ") + tar_end()),
        HasSubstr("a.json"));
    EXPECT_THAT(refusal_of(tar_member("a.jpg", "1") + tar_member("a.cls", "1") +
                           tar_member("b.jpg", "1") + tar_member("b.cls", "owl") + tar_end()),
                AllOf(HasSubstr("b.cls"), HasSubstr("its labels are texts")));
}

TEST_F(Tars, AnArchiveThatChangedIsNotRead) {
    folder_.write("x.tar", tar_member("a.jpg", "1") + tar_end());
    const Dataset dataset = open("x.tar");
    folder_.write("x.tar", tar_member("a.jpg", "1") + tar_member("b.jpg", "1") + tar_end());
    EXPECT_THAT(message_of([&] { dataset.read_image(0); }),
                AllOf(HasSubstr("a.jpg in"), HasSubstr("the archive changed")));
    fs::remove(folder_ / "x.tar");
    EXPECT_THROW(dataset.read_image(0), Error);
}

}  // namespace
}  // namespace assay
