#include "assay/data/label_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "containers/npy.h"
#include "data/label_texts.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Dataset three_items() {
    Dataset dataset;
    dataset.name = "three";
    for (const char* id : {"x/a.jpg", "x/b.jpg", "y/c.jpg"}) dataset.ids.append(id);
    return dataset;
}

const ClassList& animals() {
    static const ClassList list({"n1", "n2", "n3", "n4"},
                                {"cat", "great white shark", "dog", "ant"});
    return list;
}

std::vector<std::vector<std::int32_t>> read(const TempFolder& folder, const std::string& name,
                                            std::string_view text) {
    const LabelSets sets = read_label_sets(folder.write(name, text), three_items(), animals());
    std::vector<std::vector<std::int32_t>> out;
    for (std::size_t i = 0; i < sets.size(); ++i) out.emplace_back(sets[i].begin(), sets[i].end());
    return out;
}

std::string refused(const TempFolder& folder, const std::string& name, std::string_view text) {
    const std::string message = message_of([&] { read(folder, name, text); });
    EXPECT_THAT(message, HasSubstr(name));
    return message;
}

using Sets = std::vector<std::vector<std::int32_t>>;

TEST(LabelSets, SortedWithoutDuplicates) {
    LabelSets sets;
    EXPECT_EQ(sets.size(), 0U);
    EXPECT_TRUE(sets.is_single());
    sets.append(std::array{5, 1, 5, 3});
    sets.append({});
    EXPECT_THAT(sets[0], ElementsAre(1, 3, 5));
    EXPECT_THAT(sets[1], IsEmpty());
    EXPECT_TRUE(sets.contains(0, 3));
    EXPECT_FALSE(sets.contains(0, 2));
    EXPECT_FALSE(sets.contains(1, 0));
    EXPECT_FALSE(sets.is_single());
    EXPECT_EQ(sets.labels(), 3U);
    EXPECT_THROW(sets.append(std::array{2, -1}), Error);
    EXPECT_EQ(sets.labels(), 3U);  // the file is complete or unchanged
}

TEST(LabelSets, FromSingle) {
    const LabelSets sets = LabelSets::from_single(std::array{2, -1, 0});
    EXPECT_THAT(sets[0], ElementsAre(2));
    EXPECT_THAT(sets[1], IsEmpty());
    EXPECT_THAT(sets[2], ElementsAre(0));
    EXPECT_TRUE(sets.is_single());
    EXPECT_NE(sets.fingerprint(), LabelSets::from_single(std::array{2, 0, -1}).fingerprint());
    EXPECT_EQ(sets.fingerprint(), LabelSets::from_single(std::array{2, -1, 0}).fingerprint());
}

TEST(LabelCells, SeparatorsByTheWholeClassList) {
    const std::array both{0, 1};
    EXPECT_EQ(LabelCells(ClassList({"dog", "hot"})).text(both), "dog hot");
    EXPECT_EQ(LabelCells(ClassList({"dog", "hot"})).text({}), "");
    EXPECT_EQ(LabelCells(ClassList({"dog", "hot", "ice cream"})).text(both), "dog;hot;");
    // A cell may also have the name of a class. ImageNet's names contain spaces, and none of them
    // consists of ids.
    EXPECT_EQ(LabelCells(ClassList({"dog", "hot", "x"}, {"a", "b", "dog hot"})).text(both),
              "dog;hot;");
    EXPECT_EQ(LabelCells(imagenet_classes()).text(both), "n01440764 n01443537");
}

TEST(ReadLabelSets, ItemsThatAreNotNamedAreCounted) {
    const TempFolder folder;
    const auto unnamed = [&](const std::string& name, std::string_view text) {
        LabelMatch match{.unnamed = 9, .others = 9, .rows = 9, .first_other = "old"};
        read_label_sets(folder.write(name, text), three_items(), animals(), &match);
        EXPECT_EQ(match.others, 0U);
        return match.unnamed;
    };
    EXPECT_EQ(unnamed("a.csv", "image,label\nx/a.jpg,cat\nx/a.jpg,dog\n"), 2U);
    EXPECT_EQ(unnamed("a.csv", "image,labels\nx/a.jpg,cat\nc.jpg,\n"),
              1U);  // an item with a name and without a label
    EXPECT_EQ(unnamed("a.json", R"({"y/c.jpg": []})"), 2U);
    EXPECT_EQ(unnamed("a.json", "[[], [], []]"), 0U);  // labels by position
    EXPECT_EQ(unnamed("a.txt", "cat\ndog\n\n"), 0U);
}

TEST(ReadLabelSets, EveryFormatSaysTheSame) {
    const TempFolder folder;
    const Sets expected = {{0, 2}, {}, {1}};
    EXPECT_EQ(read(folder, "a.json", "[[2, 0], [], [1]]"), expected);
    EXPECT_EQ(read(folder, "b.json", R"([["dog", "n1"], null, "great white shark"])"), expected);
    EXPECT_EQ(read(folder, "c.json", R"({"c.jpg": 1, "x/a.jpg": [2, 0, 0]})"), expected);
    EXPECT_EQ(read(folder, "d.csv", "image,label\na.jpg,2\nc.jpg,1\na.jpg,cat\n"), expected);
    EXPECT_EQ(read(folder, "e.csv", "id,labels\nx/a.jpg,2 0\ny/c.jpg,1\nx/b.jpg,\n"), expected);
    EXPECT_EQ(
        read(folder, "f.tsv", "filename\tlabel\nelsewhere/a.jpg\t0;2\nc.jpg\tgreat white shark\n"),
        expected);
    EXPECT_EQ(read(folder, "g.txt", "0 2\n\n1\n"), expected);
    EXPECT_EQ(read(folder, "h.txt", "c.jpg 1\na.jpg dog cat\n"), expected);
    EXPECT_EQ(read(folder, "i.csv", "labels\n0 2\n-1\nn2\n"), expected);
}

TEST(ReadLabelSets, JsonRefused) {
    const TempFolder folder;
    EXPECT_THAT(refused(folder, "x.json", ""), HasSubstr("damaged JSON"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],"), HasSubstr("damaged JSON at line"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[2]]"),
                HasSubstr("2 rows for the 3 items of the data set three"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[2.0],[0]]"),
                HasSubstr("x.json, row 1: label 2.0 is not a whole number"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[1e2],[0]]"), HasSubstr("not a whole number"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[4],[0]]"),
                HasSubstr("label 4 is out of range: the 4 classes are numbered 0..3; do the labels "
                          "count from 1?"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[-1],[0]]"), HasSubstr("label -1 is out of range"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[18446744073709551615],[0]]"),
                HasSubstr("out of range"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[99999999999999999999],[0]]"),
                HasSubstr("not a whole number"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[true],[0]]"), HasSubstr("true is not a label"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[null],[0]]"), HasSubstr("null is not a label"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],{},[0]]"), HasSubstr("an object is not a label"));
    EXPECT_THAT(refused(folder, "x.json", "[[1],[\"great white shrk\"],[0]]"),
                HasSubstr("label `great white shrk` is not one of the 4 classes; did you mean "
                          "`great white shark`?"));
    EXPECT_THAT(refused(folder, "x.json", "3"), HasSubstr("expected a list or an object"));
    EXPECT_THAT(refused(folder, "x.json", std::string(200'000, '[')), HasSubstr("nested deeper"));
    EXPECT_THAT(refused(folder, "x.json", R"({"p.jpg": 1, "q.jpg": 0})"),
                HasSubstr("`p.jpg` is not an item of the data set three (3 items: `x/a.jpg`, "
                          "`x/b.jpg`, `y/c.jpg`), nor 1 other row: `q.jpg`"));
    EXPECT_THAT(refused(folder, "x.json", R"({"a.jpg": 1, "x/a.jpg": 0})"),
                HasSubstr("appears twice"));
    EXPECT_THAT(refused(folder, "x.json", R"({"a.jpg": [[1]]})"), HasSubstr("nested deeper"));
}

TEST(ReadLabelSets, ListsRefused) {
    const TempFolder folder;
    EXPECT_THAT(refused(folder, "x.csv", "image\na.jpg\n"), HasSubstr("no column of labels"));
    EXPECT_THAT(refused(folder, "x.csv", "image,label\na.jpg,0\nb.jpg,bird\n"),
                HasSubstr("x.csv line 3: label `bird`"));
    EXPECT_THAT(refused(folder, "x.csv", "image,label\nq.jpg,0\n"),
                HasSubstr("`q.jpg` is not an item"));
    EXPECT_THAT(refused(folder, "x.txt", "0\n1\n"), HasSubstr("2 rows for the 3 items"));
    EXPECT_THAT(refused(folder, "x.txt", std::string_view("0\n\0\n2\n", 6)),
                HasSubstr("x.txt line 2: a zero byte"));
}

TEST(ReadLabelSets, FileNamesThatSeveralItemsShare) {
    const TempFolder folder;
    Dataset dataset;
    for (const char* id : {"x/a.jpg", "y/a.jpg"}) dataset.ids.append(id);
    const auto by_id =
        read_label_sets(folder.write("l.csv", "image,label\ny/a.jpg,1\n"), dataset, animals());
    EXPECT_THAT(by_id[1], ElementsAre(1));
    const auto path = folder.write("l.csv", "image,label\na.jpg,1\n");
    EXPECT_THAT(message_of([&] { read_label_sets(path, dataset, animals()); }),
                HasSubstr("several items have a file named `a.jpg`"));
}

TEST(ReadLabelSets, ImagesThatAreNotHereAreCounted) {
    const TempFolder folder;
    LabelMatch match;
    const auto path = folder.write("l.csv", "id,label\nx/a.jpg,1\nx/z.jpg,2\ny/c.jpg,0\nq,3\n");
    const LabelSets sets = read_label_sets(path, three_items(), animals(), &match);
    EXPECT_THAT(sets[0], ElementsAre(1));
    EXPECT_THAT(sets[1], IsEmpty());
    EXPECT_THAT(sets[2], ElementsAre(0));
    EXPECT_EQ(match.rows, 4U);
    EXPECT_EQ(match.unnamed, 1U);
    EXPECT_EQ(match.others, 2U);
    EXPECT_EQ(match.first_other, "x/z.jpg");
    EXPECT_EQ(
        describe(match, 3, path),
        "1 of 3 images are not named in l.csv; they count as unlabelled. 2 of 4 rows of l.csv name "
        "images that are not in the data set (the first: `x/z.jpg`); they are skipped");
    EXPECT_EQ(describe({}, 3, path), "");
}

TEST(ReadLabelSets, ImagesOfOneFileNameInOtherFoldersAreOthers) {
    const TempFolder folder;
    Dataset cats;
    for (const char* id : {"cat/1.png", "cat/2.png"}) cats.ids.append(id);
    const auto sets_of = [&](std::string_view text) {
        const LabelSets sets = read_label_sets(folder.write("l.csv", text), cats, animals());
        return Sets{{sets[0].begin(), sets[0].end()}, {sets[1].begin(), sets[1].end()}};
    };
    // Each cat must not get a set with two labels.
    EXPECT_EQ(sets_of("id,label\ncat/1.png,0\ndog/1.png,2\ndog/2.png,2\n"), (Sets{{0}, {}}));
    // Folders before an id are ignored. Other folders are ignored if the file name is unique.
    EXPECT_EQ(sets_of("id,label\n/data/cat/1.png,0\n/data/dog/2.png,2\n"), (Sets{{0}, {}}));
    EXPECT_EQ(sets_of("id,label\nval/1.png,0\nval/2.png,1\n"), (Sets{{0}, {1}}));
    EXPECT_THAT(message_of([&] { sets_of("id,label\na/1.png,0\nb/1.png,2\n"); }),
                HasSubstr("`a/1.png` and `b/1.png` both match the item `cat/1.png`"));
}

TEST(ReadLabelSets, KeysWithoutExtension) {
    const TempFolder folder;
    const Sets expected = {{0, 2}, {}, {1}};
    EXPECT_EQ(read(folder, "a.csv", "id,labels\nx/a,2 0\ny/c,1\n"), expected);
    EXPECT_EQ(read(folder, "b.csv", "image_id,labels\na,2 0\nc,1\n"), expected);
    EXPECT_EQ(read(folder, "c.json", R"({"a": [2, 0], "c": 1})"), expected);
    EXPECT_EQ(read(folder, "d.json", R"({"a.JPEG": [2, 0], "c.png": 1})"), expected);
    Dataset bare;  // the ids of an import, without extensions
    for (const char* id : {"v1.0", "v1.1"}) bare.ids.append(id);
    const LabelSets sets =
        read_label_sets(folder.write("e.csv", "id,label\nv1.1.jpg,1\n"), bare, animals());
    EXPECT_THAT(sets[0], IsEmpty());
    EXPECT_THAT(sets[1], ElementsAre(1));
}

TEST(ReadLabelSets, AColumnPerClass) {
    const TempFolder folder;
    const Sets expected = {{0, 2}, {}, {1}};
    EXPECT_EQ(
        read(folder, "a.csv", "image,cat,great white shark,dog,ant\nx/a,1,0,1,0\ny/c,0,1,0,0\n"),
        expected);
    EXPECT_EQ(read(folder, "b.csv", "n3,n1,n2\n1,1,0\n0,0,0\n0,0,1\n"), expected);
    EXPECT_EQ(read(folder, "c.csv",
                   "filename,split,class_0,class_1,class_2,class_3\nc.jpg,val,0.0,1.0,,0\n"
                   "a.jpg,val,True,False,True,false\n"),
              expected);
    EXPECT_THAT(
        refused(folder, "x.csv", "id,cat,dog\nx/a.jpg,0,0.7\n"),
        HasSubstr("x.csv line 2: column dog is `0.7`; a table of label sets holds 0 and 1"));
    EXPECT_THAT(refused(folder, "x.csv", "image,x1,x2,y1,y2\na.jpg,0,1,2,3\n"),
                HasSubstr("no column has a known name for labels"));
    EXPECT_THAT(refused(folder, "x.csv", "id,cat,n1\nx/a.jpg,0,1\n"),
                HasSubstr("`cat` and `n1` are both the class n1"));
}

TEST(ReadLabelSets, ListsAsPythonPrintsThem) {
    const TempFolder folder;
    const Sets expected = {{0, 2}, {}, {1}};
    for (const char* text :
         {"\"[2, 0]\"\n[]\n[1]\n", "[2 0]\n[]\n[1]\n", "\"(2, 0)\"\n()\n\"(1,)\"\n",
          "\"{2, 0}\"\n{}\n{1}\n", "\"['dog', 'cat']\"\n[]\n['great white shark']\n",
          "\"[\"\"n3\"\", \"\"n1\"\"]\"\n[]\n[n2]\n"}) {
        EXPECT_EQ(read(folder, "l.csv", std::string("labels\n") + text), expected) << text;
        EXPECT_EQ(read(folder, "m.csv", std::string("label\n") + text), expected) << text;
    }
    EXPECT_THAT(refused(folder, "l.csv", "labels\n[0 1 ... 3]\n[]\n[]\n"), HasSubstr("`...`"));
    EXPECT_THAT(refused(folder, "l.csv", "labels\n['dog]\n[]\n[]\n"), HasSubstr("quote"));
}

TEST(ReadLabelSets, NoItems) {
    const TempFolder folder;
    const Dataset none;
    EXPECT_EQ(read_label_sets(folder.write("a.json", "[]"), none, animals()).size(), 0U);
    EXPECT_EQ(read_label_sets(folder.write("a.txt", ""), none, animals()).size(), 0U);
    EXPECT_THROW(read_label_sets(folder.write("b.json", "[[1]]"), none, animals()), Error);
}

template <class Number>
std::string npy(std::string_view descr, std::vector<std::uint64_t> shape,
                const std::vector<Number>& values, bool fortran = false) {
    std::string out = npy_header(descr, shape, fortran);
    const auto* const bytes = reinterpret_cast<const char*>(values.data());
    return out.append(bytes, values.size() * sizeof(Number));
}

TEST(ReadLabelSets, Npy) {
    const TempFolder folder;
    const Sets expected = {{0, 2}, {}, {1}};
    const std::vector<std::uint8_t> bits = {1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    const std::vector<std::uint8_t> columns_first = {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
    EXPECT_EQ(read(folder, "a.npy", npy("|u1", {3, 4}, bits)), expected);
    EXPECT_EQ(read(folder, "b.npy", npy("|b1", {3, 4}, bits)), expected);
    EXPECT_EQ(read(folder, "c.npy", npy("|u1", {3, 4}, columns_first, true)), expected);
    EXPECT_EQ(
        read(folder, "d.npy", npy("<f4", {3, 4}, std::vector<float>(bits.begin(), bits.end()))),
        expected);
    EXPECT_EQ(
        read(folder, "e.npy", npy("<f8", {3, 4}, std::vector<double>(bits.begin(), bits.end()))),
        expected);
    EXPECT_EQ(read(folder, "f.npy",
                   npy("<i8", {3, 4}, std::vector<std::int64_t>(bits.begin(), bits.end()))),
              expected);
    EXPECT_EQ(read(folder, "g.npy", npy("<i4", {3}, std::vector<std::int32_t>{3, -1, 0})),
              (Sets{{3}, {}, {0}}));
    EXPECT_EQ(read(folder, "h.npy", npy("<i8", {3, 1}, std::vector<std::int64_t>{3, -1, 0})),
              (Sets{{3}, {}, {0}}));
    EXPECT_THAT(refused(folder, "x.npy", npy("<i4", {3}, std::vector<std::int32_t>{3, 4, 0})),
                HasSubstr("x.npy, row 1: label 4"));
    EXPECT_THAT(refused(folder, "x.npy", npy("<f4", {3}, std::vector<float>{0, 1, 1.5F})),
                HasSubstr("1.5"));
    EXPECT_THAT(refused(folder, "x.npy", npy("<f4", {1, 4}, std::vector<float>{0, 1, 0.5F, 0})),
                HasSubstr("row 0, column 2 is 0.5"));
    EXPECT_THAT(refused(folder, "x.npy", npy("|u1", {4, 3}, bits)),
                HasSubstr("shape (4, 3); expected (items,) class numbers or (items, 4)"));
    EXPECT_THAT(refused(folder, "x.npy", npy("|u1", {2, 4}, std::vector<std::uint8_t>(8))),
                HasSubstr("2 rows for the 3 items"));
    EXPECT_THAT(refused(folder, "x.npy", "hello"), HasSubstr("x.npy"));
}

Dataset imagenet_val(std::initializer_list<const char*> digits) {
    Dataset dataset;
    for (const char* d : digits)
        dataset.ids.append("val/ILSVRC2012_val_" + std::string(d) + ".JPEG");
    return dataset;
}

// The histogram of label counts equals that of the paper's data. The first four sets are those at
// the beginning of the file.
TEST(ReadLabelSets, SharedRealJson) {
    const auto path = std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data/real/real.json";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    Dataset dataset;
    for (int n = 50'000; n >= 1; --n) {  // items in any order are found by number
        std::string digits = std::to_string(n);
        dataset.ids.append("ILSVRC2012_val_" + digits.insert(0, 8 - digits.size(), '0') + ".JPEG");
    }
    const LabelSets sets = read_label_sets(path, dataset, imagenet_classes());
    std::array<int, 7> histogram{};
    for (std::size_t i = 0; i < sets.size(); ++i)
        ++histogram[std::min<std::size_t>(sets[i].size(), 6)];
    EXPECT_THAT(histogram, ElementsAre(3163, 39'394, 5408, 1319, 411, 161, 144));
    EXPECT_THAT(sets[49'999], IsEmpty());
    EXPECT_THAT(sets[49'998], ElementsAre(795, 970));
    const LabelSets some =
        read_label_sets(path, imagenet_val({"00000003", "00000002"}), imagenet_classes());
    EXPECT_THAT(some[0], ElementsAre(230, 231));
    EXPECT_THAT(some[1], ElementsAre(795, 970));
    EXPECT_THROW(read_label_sets(path, imagenet_val({"00000003", "00050001"}), imagenet_classes()),
                 Error);
}

TEST(ReadLabelSets, ListOfAllServesPartOfImagenetValidation) {
    const TempFolder folder;
    const auto list = folder.write(
        "val.txt", "ILSVRC2012_val_00000001.JPEG 65\nILSVRC2012_val_00000002.JPEG 970\n");
    EXPECT_THAT(read_label_sets(list, imagenet_val({"00000002"}), imagenet_classes())[0],
                ElementsAre(970));
}

}  // namespace
}  // namespace assay
