// Zip files of images: those of common tools, and damaged or inconsistent ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "data/archives.h"
#include "message_of.h"
#include "temp_folder.h"
#include "zip_writer.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Zips : public testing::Test {
protected:
    Dataset open(const std::string& path, const DatasetOptions& options = {}) {
        said_.clear();
        std::vector<std::string> notes;
        Dataset dataset = open_dataset(folder_ / path, options, &notes);
        for (const std::string& note : notes) said_ += note + "\n";
        return dataset;
    }
    std::string refusal(const std::string& path, const DatasetOptions& options = {}) {
        return message_of([&] { open(path, options); });
    }
    std::string refusal_of(const std::string& bytes) {
        folder_.write("x.zip", bytes);
        return refusal("x.zip");
    }
    static std::string image(const Dataset& dataset, std::size_t item) {
        const auto bytes = dataset.read_image(item);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
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
    TempFolder folder_;
    std::string said_;
};

TEST_F(Zips, FoldersAreClassesAndTheOrderIsThatOfTheNames) {
    const std::string text(5000, 'z');
    folder_.write("x.zip", ZipWriter()
                               .add("val/", "")
                               .add("val/dog/2.JPG", "two")
                               .add("val/cat/a/1.png", text, {.deflate = true})
                               .add("__MACOSX/val/dog/._2.JPG", "no")
                               .add("val/.DS_Store", "no")
                               .add("val/read.me", "no")
                               .add("val/dog/1.webp", "", {.deflate = true})
                               .bytes());
    const Dataset dataset = open("x.zip");
    EXPECT_EQ(dataset.name, "x");
    EXPECT_THAT(ids(dataset), ElementsAre("x.zip/val/cat/a/1.png", "x.zip/val/dog/1.webp",
                                          "x.zip/val/dog/2.JPG"));
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("cat", "dog"));
    EXPECT_THAT(labels(dataset), ElementsAre(0, 1, 1));
    EXPECT_EQ(image(dataset, 0), text);
    EXPECT_EQ(image(dataset, 1), "");
    EXPECT_EQ(image(dataset, 2), "two");
    EXPECT_THAT(said_, HasSubstr("skipped entries that are not images: 1 entry"));
    EXPECT_TRUE(has_archived_images(dataset));
    Dataset again = dataset;
    again.archive = nullptr;
    const auto archive = archive_of(again);
    ASSERT_NE(archive, nullptr);
    EXPECT_EQ(archive->read("x.zip/val/dog/2.JPG").size(), 3U);
    EXPECT_EQ(ids(open("x.zip", {.limit = 2})).size(), 2U);
}

TEST_F(Zips, EveryFormOfSizesAndPlacesIsRead) {
    const std::string text = "some bytes, some bytes, some bytes";
    for (const bool deflate : {false, true}) {
        for (const bool zip64 : {false, true}) {
            for (const bool streamed : {false, true}) {
                ZipWriter zip;
                const ZipClaims how{.deflate = deflate, .zip64 = zip64, .streamed = streamed};
                zip.add("a/1.png", text, how).add("b/2.png", text + text, how);
                for (const char* before : {"", "#!/bin/sh\nexit\n"}) {
                    folder_.write("x.zip", zip.bytes(zip64, "a comment", before));
                    const Dataset dataset = open("x.zip");
                    EXPECT_EQ(image(dataset, 0), text);
                    EXPECT_EQ(image(dataset, 1), text + text);
                }
            }
        }
    }
}

TEST_F(Zips, OfOthersArchivers) {
    folder_.write("in/a b/1.png", std::string(3000, 'q'));
    folder_.write("in/\xc3\xbc/2.png", "two");
    const std::string in = (folder_ / "in").string(), out = (folder_ / "out").string();
    const std::string python =
        "import os,sys,zipfile\n"
        "src,out=sys.argv[1:]\n"
        "for how,name in ((0,'s'),(8,'d')):\n"
        "    with zipfile.ZipFile(out+name+'.zip','w',how) as z:\n"
        "        for d,_,fs in os.walk(src):\n"
        "            for f in fs: "
        "z.write(os.path.join(d,f),os.path.relpath(os.path.join(d,f),src))\n";
    folder_.write("pack.py", python);
    const std::string run =
        "python3 '" + (folder_ / "pack.py").string() + "' '" + in + "' '" + out + "' 2>/dev/null";
    if (std::system(run.c_str()) != 0) GTEST_SKIP() << "no python3 here";
    std::vector<std::string> made = {"outs.zip", "outd.zip"};
    const std::string zip = "cd '" + in + "' && zip -qr '" + out + "z.zip' . 2>/dev/null";
    if (std::system(zip.c_str()) == 0) made.emplace_back("outz.zip");
    for (const std::string& name : made) {
        const Dataset dataset = open(name);
        EXPECT_THAT(ids(dataset), ElementsAre(name + "/a b/1.png", name + "/\xc3\xbc/2.png"));
        EXPECT_EQ(image(dataset, 0), std::string(3000, 'q')) << name;
        EXPECT_EQ(image(dataset, 1), "two") << name;
    }
}

TEST_F(Zips, WhereClassesAre) {
    const auto found = [&](const ZipWriter& zip) {
        folder_.write("x.zip", zip.bytes());
        const Dataset dataset = open("x.zip");
        std::string text;
        for (const int label : labels(dataset))
            text += (label < 0 ? std::string("-")
                               : dataset.classes.ids()[static_cast<std::size_t>(label)]) +
                    " ";
        return text;
    };
    EXPECT_EQ(found(ZipWriter().add("a/b/one/1.png", "1").add("a/b/one/2.png", "2")), "one one ");
    EXPECT_EQ(found(ZipWriter().add("one/1.png", "1")), "one ");
    EXPECT_EQ(found(ZipWriter().add("ab/1.png", "1").add("ac/1.png", "1")), "ab ac ");
    EXPECT_EQ(found(ZipWriter().add("1.png", "1").add("2.png", "2")), "- - ");
    EXPECT_EQ(found(ZipWriter().add("a/1.png", "1").add("2.png", "2")), "- - ");
    EXPECT_EQ(found(ZipWriter().add("v\\a\\1.png", "1").add("v\\b\\1.png", "2")), "a b ");
    EXPECT_THAT(refusal_of(ZipWriter().add("train/a/1.png", "1").add("val/a/1.png", "2").bytes()),
                HasSubstr("the splits of a data set (train, ...)"));
}

TEST_F(Zips, SeveralByARangeAndAFolderOfThem) {
    folder_.write("all/x-0.zip", ZipWriter().add("a/1.png", "1").bytes());
    folder_.write("all/x-1.zip", ZipWriter().add("b/1.png", "2").bytes());
    for (const char* name : {"all/x-{0..1}.zip", "all"}) {
        const Dataset dataset = open(name);
        EXPECT_THAT(ids(dataset), ElementsAre("x-0.zip/a/1.png", "x-1.zip/b/1.png")) << name;
        EXPECT_THAT(labels(dataset), ElementsAre(0, 1));
    }
    folder_.write("all/x-2.tar", "");
    EXPECT_THAT(refusal("all/x-{1.zip,2.tar}"), HasSubstr("different kinds of files"));
}

TEST_F(Zips, ADamagedImageIsItsOwn) {
    const std::string text(3000, 'a');
    for (const bool deflate : {false, true}) {
        std::string bytes =
            ZipWriter().add("a/1.png", text, {.deflate = deflate}).add("b/2.png", "whole").bytes();
        bytes[50] = static_cast<char>(bytes[50] ^ 1);
        folder_.write("x.zip", bytes);
        const Dataset dataset = open("x.zip");
        EXPECT_THAT(message_of([&] { dataset.read_image(0); }),
                    AllOf(HasSubstr("a/1.png in"), HasSubstr("damaged")));
        EXPECT_EQ(image(dataset, 1), "whole");
        EXPECT_THAT(message_of([&] { dataset.archive->read("x.zip/b/2.png", 4); }),
                    HasSubstr("5 bytes; the limit is 4"));
    }
    // The entry has more or fewer bytes than the header claims.
    for (const std::int64_t size : {2999, 3001}) {
        folder_.write("x.zip",
                      ZipWriter().add("a/1.png", text, {.deflate = true, .size = size}).bytes());
        const Dataset dataset = open("x.zip");
        EXPECT_THAT(
            message_of([&] { dataset.read_image(0); }),
            HasSubstr(size < 3000 ? "more than its 2999 bytes" : "decompresses to 3000 bytes"));
    }
}

TEST_F(Zips, WhatCannotBeReadIsRefusedByName) {
    const auto one = [](const ZipClaims& claims) {
        return ZipWriter().add("a/1.png", "1234", claims).bytes();
    };
    EXPECT_THAT(refusal_of(one({.flags = 1})), HasSubstr("`a/1.png` is encrypted"));
    EXPECT_THAT(refusal_of(one({.method = 12})), HasSubstr("compressed with bzip2"));
    EXPECT_THAT(refusal_of(one({.method = 93})), HasSubstr("compressed with zstd"));
    EXPECT_THAT(refusal_of(one({.method = 77})), HasSubstr("compressed with method 77"));
    EXPECT_THAT(refusal_of(one({.size = 5})), HasSubstr("claims 5 bytes from 4"));
    EXPECT_THAT(refusal_of(one({.deflate = true, .size = 4'000'000})), HasSubstr("claims 4000000"));
    EXPECT_THAT(refusal_of(ZipWriter().add("a/1.png", "1").add("a/1.png", "2").bytes()),
                HasSubstr("two of its entries are named `a/1.png`"));
    EXPECT_THAT(refusal_of(ZipWriter().add("a/x.txt", "1").bytes()), HasSubstr("no image in it"));
    EXPECT_THAT(refusal_of(ZipWriter().bytes()), HasSubstr("no image in it"));
    EXPECT_THAT(refusal_of(std::string(4000, 'x')), HasSubstr("not a zip file"));
    EXPECT_THAT(refusal_of(""), HasSubstr("not a zip file"));
    folder_.write("x.zip", one({}));
    DatasetOptions options;
    options.label_column = "label";
    EXPECT_THAT(message_of([&] { open("x.zip", options); }, ErrorCode::usage),
                HasSubstr("labels are the names of the folders in it"));
}

TEST_F(Zips, CutOffAnywhereItIsRefused) {
    for (const bool zip64 : {false, true}) {
        const std::string whole = ZipWriter()
                                      .add("a/1.png", "1234", {.zip64 = zip64})
                                      .add("b/2.png", "5678", {.zip64 = zip64})
                                      .bytes(zip64);
        for (std::size_t size = 0; size < whole.size(); ++size)
            ASSERT_THAT(refusal_of(whole.substr(0, size)), HasSubstr("x.zip")) << size;
        for (std::size_t first = 1; first < whole.size(); ++first)
            ASSERT_THAT(refusal_of(whole.substr(first)), HasSubstr("x.zip")) << first;
        folder_.write("x.zip", whole);
        EXPECT_EQ(open("x.zip").size(), 2U);
    }
}

TEST_F(Zips, AFileThatChangedIsNotRead) {
    folder_.write("x.zip", ZipWriter().add("a/1.png", "1").bytes());
    const Dataset dataset = open("x.zip");
    folder_.write("x.zip", ZipWriter().add("a/1.png", "12").bytes());
    EXPECT_THAT(message_of([&] { dataset.read_image(0); }), HasSubstr("the file changed"));
    EXPECT_THAT(message_of([&] { dataset.archive->read("y.zip/a/1.png"); }),
                HasSubstr("no image is called"));
}

}  // namespace
}  // namespace assay
