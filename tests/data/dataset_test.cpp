#include "assay/data/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "assay/error.h"
#include "core/random.h"
#include "data/dataset_name.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> texts(const StringColumn& column) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < column.size(); ++i) out.emplace_back(column[i]);
    return out;
}

std::vector<std::int32_t> single_labels(const Dataset& dataset) {
    std::vector<std::int32_t> out;
    for (std::size_t i = 0; i < dataset.size(); ++i) out.push_back(dataset.single_label(i));
    return out;
}

std::string refused(const fs::path& path, const DatasetOptions& options = {},
                    ErrorCode code = ErrorCode::bad_input) {
    return message_of([&] { open_dataset(path, options); }, code);
}

TEST(StringColumn, EmptyTextsKeepTheirPlace) {
    StringColumn column;
    EXPECT_EQ(column.size(), 0U);
    for (const char* text : {"", "ab", "", "c"}) column.append(text);
    EXPECT_THAT(texts(column), ElementsAre("", "ab", "", "c"));
}

// An option without effect is refused, and the error says what it is for.
TEST(OptionsOfData, ThatSayNothingAboutItAreRefused) {
    const TempFolder folder;
    for (const char* name : {"val/a/1.png", "val/b/2.png", "flat/1.png"}) folder.write(name);
    folder.write("list.csv", "path,label\nflat/1.png,a\n");
    folder.write("flat/labels.csv", "path,label\n1.png,a\n");
    DatasetOptions label, image, layout;
    label.label_column = image.image_column = "x";
    layout.layout = DatasetOptions::Layout::flat;
    EXPECT_THAT(
        refused(folder / "val", label, ErrorCode::usage),
        HasSubstr(
            "--label-column is for lists of labels, Parquet, .npz and HDF5 files, and tars; "));
    EXPECT_THAT(refused(folder / "val", image, ErrorCode::usage),
                HasSubstr("--image-column is for lists of labels, Parquet, .npz and HDF5 files; "));
    for (const char* list : {"flat", "list.csv"}) {
        for (const DatasetOptions& options : {label, image})
            EXPECT_THAT(refused(folder / list, options, ErrorCode::usage),
                        HasSubstr(" has no column `x` ("))
                << list;
    }
    EXPECT_THAT(refused(folder / "list.csv", layout, ErrorCode::usage),
                HasSubstr("--layout is for folders of images; "));
    EXPECT_EQ(open_dataset(folder / "val", layout).size(), 2U);
}

TEST(ImageFolder, NamesInByteOrder) {
    const TempFolder folder;
    for (const char* name : {"b/2.jpg", "b/10.PNG", "B/x.jpeg", "a-b/y.webp", "a/z.tif",
                             "b/deep/er/w.bmp", "b/notes.md", ".hidden/h.jpg", "b/.h.jpg"}) {
        folder.write(name);
    }
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {}, &notes);
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("B", "a", "a-b", "b"));
    // The order is the byte order of whole ids: '-' < '/'.
    EXPECT_THAT(texts(dataset.ids), ElementsAre("B/x.jpeg", "a-b/y.webp", "a/z.tif", "b/10.PNG",
                                                "b/2.jpg", "b/deep/er/w.bmp"));
    const auto ids = texts(dataset.ids);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    EXPECT_THAT(single_labels(dataset), ElementsAre(0, 2, 1, 3, 3, 3));
    EXPECT_EQ(dataset.path_of(0), folder.path() / "B/x.jpeg");
    EXPECT_EQ(dataset.name, folder.path().filename().string());
    EXPECT_THAT(notes, Contains(HasSubstr("4 class folders: their names, sorted by bytes,")));
    EXPECT_THAT(notes, Contains(HasSubstr("skipped 1 file without an image's extension")));
}

// Any tree is listed in byte order of the ids, also after the folder was moved.
TEST(ImageFolder, OrderIsByteOrderForAnyTree) {
    constexpr std::string_view letters = "aA0-.~ ";
    const TempFolder folder;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomStream random(seed, "tree");
        const fs::path root = folder / ("r" + std::to_string(seed));
        for (int f = 0; f < 30; ++f) {
            std::string path = "c";
            for (auto d = random.below(4); d > 0; --d) {
                for (auto n = random.below(3); n > 0; --n)
                    path += letters[random.below(letters.size())];
                path += "/d";
            }
            folder.write("r" + std::to_string(seed) + "/" + path + "/x" +
                         std::string(1, letters[random.below(letters.size())]) + ".jpg");
        }
        const Dataset dataset = open_dataset(root, {});
        const auto ids = texts(dataset.ids);
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end())) << seed;
        EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
        const fs::path moved = folder / ("m" + std::to_string(seed));
        fs::rename(root, moved);
        EXPECT_EQ(open_dataset(moved, {}).ids_fingerprint(), dataset.ids_fingerprint());
    }
}

TEST(ImageFolder, NumbersInNumericOrder) {
    const TempFolder folder;
    for (const int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
        folder.write(std::to_string(n) + "/x.jpg");
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {}, &notes);
    EXPECT_THAT(texts(dataset.ids), testing::Contains("10/x.jpg"));
    EXPECT_EQ(dataset.ids[2], "10/x.jpg");
    EXPECT_EQ(dataset.single_label(2), 10);
    EXPECT_EQ(dataset.classes, numbered_classes(12));
    EXPECT_THAT(notes,
                Contains(HasSubstr("12 class folders are numbers (0 to 11): sorted as numbers,")));
}

TEST(ImageFolder, NumbersFromOneKeepTheirNames) {
    const TempFolder folder;
    for (const char* name : {"1/x.jpg", "2/x.jpg", "10/x.jpg"}) folder.write(name);
    const Dataset dataset = open_dataset(folder.path(), {});
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("1", "2", "10"));
    EXPECT_THAT(single_labels(dataset), ElementsAre(0, 2, 1));  // the order is 1/, 10/, 2/
    EXPECT_THAT(
        refused(folder.path(), {.classes = numbered_classes(10)}),
        HasSubstr("3 class folders (`1`, ...), but the classifier has 10 classes without names"));
    const ClassList ten({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
    EXPECT_THAT(refused(folder.path(), {.classes = ten}),
                HasSubstr("folders count from 1, classes from 0 to 9"));
}

// Its ids are numbers, because repeated names cannot be ids. The message must not say that there
// are no names.
TEST(ImageFolder, AClassListWithADoubledNameIsNamed) {
    const TempFolder folder;
    for (const char* name : {"ant/x.jpg", "bee/x.jpg", "cat/x.jpg"}) folder.write(name);
    for (const char* lines : {"ant\nbee\ncat\nbee\n", "ant\nbee\nbee\n"}) {
        const ClassList classes = read_class_list(folder.write("classes.txt", lines));
        EXPECT_THAT(refused(folder.path(), {.classes = classes}),
                    HasSubstr("class folder `bee` is ambiguous: the class list has this name twice "
                              "(entries 2 and "));
    }
}

// The same list, for folders that do not have the repeated names.
TEST(ImageFolder, ADoubledNameThatNoFolderHasDoesNoHarm) {
    const TempFolder folder;
    for (const char* name : {"Ant-Hill/x.jpg", "cat/x.jpg"}) folder.write(name);
    const ClassList classes =
        read_class_list(folder.write("classes.txt", "ant hill\nbee\ncat\nbee\n"));
    EXPECT_THAT(single_labels(open_dataset(folder.path(), {.classes = classes})),
                ElementsAre(0, 2));
    const auto list = folder.write("l.csv", "path,label\ncat/x.jpg,cat\nAnt-Hill/x.jpg,Ant Hill\n");
    EXPECT_THAT(single_labels(open_dataset(list, {.classes = classes})), ElementsAre(2, 0));
    const auto bees = folder.write("b.csv", "path,label\ncat/x.jpg,bee\n");
    EXPECT_THAT(refused(bees, {.classes = classes}), HasSubstr("is the name of several classes"));
}

TEST(ImageFolder, SynonymsAndWordNetIdsOfNamedClasses) {
    const TempFolder folder;
    for (const char* name : {"n01440764/x.jpg", "Golden Retriever/x.jpg", "chute/x.jpg"})
        folder.write(name);
    const ClassList names({"parachute, chute", "tench, Tinca tinca", "golden_retriever"});
    // The order is the byte order of the folders: Golden Retriever, chute, n01440764.
    EXPECT_THAT(single_labels(open_dataset(folder.path(), {.classes = names})),
                ElementsAre(2, 0, 1));
    // The reverse case: the list has ids, and the folders are named after the classes.
    const ClassList ids({"n03888257", "n01440764", "n02099601"});
    EXPECT_THAT(single_labels(open_dataset(folder.path(), {.classes = ids})), ElementsAre(2, 0, 1));
    const auto list =
        folder.write("l.csv", "path,label\nchute/x.jpg,parachute\nn01440764/x.jpg,Tinca tinca\n");
    EXPECT_THAT(single_labels(open_dataset(list, {.classes = ids})), ElementsAre(0, 1));
}

// A model file has the number of classes, but rarely their names.
TEST(ImageFolder, NamesForAClassifierThatOnlyCounts) {
    const TempFolder folder;
    for (const char* name : {"cat/x.jpg", "ant/x.jpg"}) folder.write(name);
    fs::create_directories(folder / "bee");
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {.classes = numbered_classes(3)}, &notes);
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("ant", "bee", "cat"));
    EXPECT_THAT(single_labels(dataset), ElementsAre(0, 2));
    EXPECT_THAT(notes,
                Contains(HasSubstr("used as the classifier's 3 classes, which have no names")));
    EXPECT_THAT(
        refused(folder.path(), {.classes = numbered_classes(4)}),
        HasSubstr("3 class folders (`ant`, ...), but the classifier has 4 classes without names"));
    const auto list = folder.write("l.csv", "path,label\ncat/x.jpg,cat\nant/x.jpg,ant\n");
    EXPECT_THAT(single_labels(open_dataset(list, {.classes = numbered_classes(2)})),
                ElementsAre(1, 0));
    EXPECT_THAT(refused(list, {.classes = numbered_classes(3)}),
                HasSubstr("label `cat` is not one of the 3 classes"));
}

TEST(ImageFolder, WordNetIdsMeanImagenet) {
    const TempFolder folder;
    folder.write("n15075141/x.JPEG");
    folder.write("n01443537/x.JPEG");
    fs::create_directories(folder / "annotations");
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {}, &notes);
    EXPECT_EQ(dataset.classes, imagenet_classes());
    EXPECT_THAT(single_labels(dataset), ElementsAre(1, 999));
    EXPECT_THAT(notes, Contains("2 class folders are WordNet ids: ImageNet's 1000 classes"));
    EXPECT_THAT(notes, Contains("1 folder holds no image: annotations"));
}

TEST(ImageFolder, SubsetOfTheClassifiersClasses) {
    const TempFolder folder;
    for (const char* name : {"Great_White-Shark/1.jpg", "0003/1.jpg", "n9/1.jpg"})
        folder.write(name);
    fs::create_directories(folder / "unrelated");
    const ClassList classes({"n9", "n8", "n7", "n6"}, {"cat", "great white shark", "dog", "crane"});
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {.classes = classes}, &notes);
    EXPECT_EQ(dataset.classes, classes);
    EXPECT_THAT(single_labels(dataset), ElementsAre(3, 1, 0));
    EXPECT_THAT(notes,
                Contains(HasSubstr("3 class folders, matched to the classifier's 4 classes")));
}

TEST(ImageFolder, UnknownAndDoubleClassesAreRefused) {
    const TempFolder folder;
    folder.write("cat/1.jpg");
    folder.write("elephnt/1.jpg");
    const ClassList classes({"cat", "elephant"});
    EXPECT_THAT(refused(folder.path(), {.classes = classes}),
                HasSubstr("folder `elephnt` is not one of the classifier's 2 classes, by id, name "
                          "or number (1 of 2 folders are unknown); did you mean `elephant`?"));
    folder.write("CAT/1.jpg");
    fs::remove_all(folder / "elephnt");
    EXPECT_THAT(refused(folder.path(), {.classes = classes}),
                HasSubstr("folders `CAT` and `cat` both mean class 0"));
}

TEST(ImageFolder, EmptyClassFoldersKeepTheLabelsOfTheOthers) {
    const TempFolder folder;
    folder.write("a/1.jpg");
    folder.write("c/1.jpg");
    fs::create_directories(folder / "b");
    EXPECT_THAT(single_labels(open_dataset(folder.path(), {})), ElementsAre(0, 2));
}

TEST(ImageFolder, LimitCountsItemsNotClasses) {
    const TempFolder folder;
    for (const char* name : {"a/1.jpg", "a/2.jpg", "b/1.jpg", "c/1.jpg"}) folder.write(name);
    const Dataset dataset = open_dataset(folder.path(), {.limit = 3});
    EXPECT_THAT(texts(dataset.ids), ElementsAre("a/1.jpg", "a/2.jpg", "b/1.jpg"));
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("a", "b", "c"));
    EXPECT_EQ(dataset.labels.size(), 3U);
}

TEST(ImageFolder, SplitsAreNoClasses) {
    const TempFolder folder;
    folder.write("train/cat/1.jpg");
    folder.write("val/cat/1.jpg");
    EXPECT_THAT(open_dataset(folder.path(), {}).classes.ids(), ElementsAre("cat"));
    folder.write("train/1.jpg");  // then it is a class of its own
    EXPECT_THAT(open_dataset(folder.path(), {}).classes.ids(), ElementsAre("train", "val"));
}

TEST(Scan, LinkLoopsEnd) {
    const TempFolder folder;
    folder.write("a/1.jpg");
    fs::create_directory_symlink("..", folder / "a/up");
    fs::create_directory_symlink(".", folder / "a/self");
    fs::create_directory_symlink("a", folder / "b");  // then it is a class with the same images
    fs::create_symlink("nowhere.jpg", folder / "a/dangling.jpg");
    fs::create_symlink("nowhere", folder / "a/dangling");
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder.path(), {}, &notes);
    EXPECT_THAT(texts(dataset.ids),
                ElementsAre("a/1.jpg", "a/dangling.jpg", "b/1.jpg", "b/dangling.jpg"));
    EXPECT_THAT(notes, Contains("4 links to folders already read: not followed"));
}

TEST(Flat, WithoutLabels) {
    const TempFolder folder;
    for (const char* name : {"2.jpg", "10.jpg", "list.csv"}) folder.write(name);
    std::vector<std::string> notes;
    const Dataset dataset =
        open_dataset(folder.path(), {.name = "mine", .classes = numbered_classes(3)}, &notes);
    EXPECT_EQ(dataset.name, "mine");
    EXPECT_THAT(texts(dataset.ids), ElementsAre("10.jpg", "2.jpg"));
    EXPECT_THAT(single_labels(dataset), ElementsAre(-1, -1));
    EXPECT_EQ(dataset.classes.size(), 3U);
    EXPECT_THAT(notes,
                Contains(HasSubstr("2 images without labels (if list.csv is a list of labels")));
}

TEST(Flat, NothingThere) {
    const TempFolder folder;
    EXPECT_THAT(refused(folder.path()), HasSubstr("no image (.jpg"));
    EXPECT_THAT(refused(folder / "nowhere"), HasSubstr("no such folder or list"));
    folder.write("a/readme.txt");
    EXPECT_THAT(refused(folder.path(), {.layout = DatasetOptions::Layout::image_folder}),
                HasSubstr("no class folder with an image"));
}

TEST(List, CsvWithAttributesInFileOrder) {
    const TempFolder folder;
    folder.write("pics/b.jpg");
    const auto list =
        folder.write("list.csv", "Image,group,label\nb.jpg,x,dog\na.jpg,y,cat\nc.jpg,,\n");
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(folder / "pics", {.list = list}, &notes);
    EXPECT_THAT(texts(dataset.ids), ElementsAre("b.jpg", "a.jpg", "c.jpg"));
    EXPECT_THAT(dataset.classes.ids(), ElementsAre("cat", "dog"));
    EXPECT_THAT(single_labels(dataset), ElementsAre(1, 0, -1));
    ASSERT_EQ(dataset.attributes.size(), 1U);
    EXPECT_EQ(dataset.attributes[0].name, "group");
    EXPECT_THAT(texts(dataset.attributes[0].values), ElementsAre("x", "y", ""));
    EXPECT_EQ(dataset.path_of(0), folder / "pics/b.jpg");
    EXPECT_THAT(single_labels(open_dataset(folder / "pics", {.list = list, .limit = 1})),
                ElementsAre(0));
}

TEST(List, CsvAsTheDataSet) {
    const TempFolder folder;
    folder.write("x/a.jpg");
    const auto list = folder.write("mine.csv", "id,path,labels\nA,x/a.jpg,0 2\nB,x/b.jpg,1\n");
    const Dataset dataset = open_dataset(list, {});
    EXPECT_EQ(dataset.name, "mine");
    EXPECT_THAT(texts(dataset.ids), ElementsAre("A", "B"));
    EXPECT_EQ(dataset.path_of(0), folder / "x/a.jpg");
    EXPECT_EQ(dataset.classes, numbered_classes(3));
    EXPECT_THAT(dataset.labels[0], ElementsAre(0, 2));
    EXPECT_EQ(dataset.single_label(0), -1);
    EXPECT_EQ(dataset.single_label(1), 1);
}

TEST(List, WordsInLabels) {
    const TempFolder folder;
    const ClassList classes({"n1", "n2", "n3"}, {"great white shark", "dog", "cat"});
    const auto label_cells = [&](const char* column, const ClassList& known) {
        const auto list = folder.write(
            "l.csv", std::string("path,") + column +
                         "\na.jpg,great white shark\nb.jpg,dog;cat\nc.jpg,dog cat\nd.jpg,1 2\n");
        return open_dataset(list, {.classes = known});
    };
    for (const char* column : {"label", "labels"}) {
        const Dataset dataset = label_cells(column, classes);
        EXPECT_THAT(dataset.labels[0], ElementsAre(0)) << column;
        EXPECT_THAT(dataset.labels[1], ElementsAre(1, 2));
        EXPECT_THAT(dataset.labels[2], ElementsAre(1, 2));
        EXPECT_THAT(dataset.labels[3], ElementsAre(1, 2));
    }
    // Without classes a `label` cell is one label unless it is all numbers.
    EXPECT_THAT(label_cells("label", {}).classes.ids(),
                ElementsAre("1", "2", "cat", "dog", "dog cat", "great white shark"));
    EXPECT_THAT(label_cells("labels", {}).classes.ids(),
                ElementsAre("1", "2", "cat", "dog", "great", "shark", "white"));
}

TEST(List, Refused) {
    const TempFolder folder;
    folder.write("a.jpg");
    const auto message = [&](std::string_view text, const ClassList& classes = {}) {
        return refused(folder.write("l.csv", text), {.classes = classes});
    };
    EXPECT_THAT(message(""), HasSubstr("the table is empty"));
    EXPECT_THAT(message("path,label\n"), HasSubstr("the list has no rows"));
    EXPECT_THAT(message("x,y\n1,2\n"),
                HasSubstr("no column named path or image or filename or file"));
    EXPECT_THAT(message("path,label\na.jpg,1\nb.jpg,2\na.jpg,3\n"),
                HasSubstr("l.csv line 4: item `a.jpg` appears twice (first in line 2)"));
    EXPECT_THAT(message("path,label\n,1\n"), HasSubstr("l.csv line 2: no path"));
    EXPECT_THAT(
        message("path,label\na.jpg,elephnt\n", ClassList({"cat", "elephant"})),
        HasSubstr(
            "l.csv line 2: label `elephnt` is not one of the 2 classes; did you mean `elephant`?"));
    EXPECT_THAT(message("path,label\na.jpg,2\n", numbered_classes(2)),
                HasSubstr("label 2 is out of range: the 2 classes are numbered 0..1; do the labels "
                          "count from 1?"));
    EXPECT_THAT(message("path,label\na.jpg,99999999\n"), HasSubstr("label 99999999 is too large"));
    EXPECT_THAT(refused(folder / "l.csv", {.list = folder / "l.csv"}, ErrorCode::usage),
                HasSubstr("is already a list"));
    EXPECT_THAT(refused(folder.path(),
                        {.layout = DatasetOptions::Layout::image_folder, .list = folder / "l.csv"},
                        ErrorCode::usage),
                HasSubstr("flat folder"));
}

// A typical data set: images, possibly in folders, with a file of labels next to them.
TEST(OwnList, LabelsCsvInTheFolderSpeaksForIt) {
    const TempFolder folder;
    for (const char* name : {"k2/0.png", "k2/1.png", "k3/0.png", "stray.png"}) folder.write(name);
    folder.write(
        "labels.csv",
        "path,labels,k\nk2/0.png,n01440764 n01443537,2\nk3/0.png,n01440764,3\nk2/1.png,,2\n");
    for (const auto layout : {DatasetOptions::Layout::automatic, DatasetOptions::Layout::flat}) {
        std::vector<std::string> notes;
        const Dataset dataset = open_dataset(folder.path(), {.layout = layout}, &notes);
        EXPECT_EQ(dataset.name, folder.path().filename().string());
        EXPECT_EQ(dataset.root, folder.path());
        EXPECT_THAT(texts(dataset.ids), ElementsAre("k2/0.png", "k3/0.png", "k2/1.png"));
        EXPECT_EQ(dataset.classes, imagenet_classes());
        EXPECT_THAT(dataset.labels[0], ElementsAre(0, 1));
        EXPECT_THAT(dataset.labels[2], IsEmpty());
        ASSERT_EQ(dataset.attributes.size(), 1U);
        EXPECT_THAT(texts(dataset.attributes[0].values), ElementsAre("2", "3", "2"));
        EXPECT_THAT(notes,
                    Contains("using the images and labels in labels.csv of the folder (3 items)"));
    }
    EXPECT_EQ(open_dataset(folder.path(), {.limit = 2}).size(), 2U);
    // If the layout is given, the class folders are used.
    std::vector<std::string> notes;
    const Dataset classes =
        open_dataset(folder.path(), {.layout = DatasetOptions::Layout::image_folder}, &notes);
    EXPECT_THAT(classes.classes.ids(), ElementsAre("k2", "k3"));
    EXPECT_THAT(notes, Contains(HasSubstr("labels.csv in the folder is ignored")));
    // A given list has precedence.
    const auto other = folder.write("other.csv", "path,label\nstray.png,n01440764\n");
    EXPECT_THAT(texts(open_dataset(folder.path(), {.list = other}).ids), ElementsAre("stray.png"));
}

// If there are class folders, a table of that name is ignored.
TEST(OwnList, AnotherTableBesideClassFoldersIsLeftAlone) {
    const TempFolder folder;
    for (const char* name : {"cat/1.jpg", "dog/1.jpg"}) folder.write(name);
    for (const char* table :
         {"class,name\ncat,Katze\n", "path,labels\nelsewhere.jpg,cat\n", "label\ncat\ndog\n", "",
          "ImageId,PredictionString\n1,cat 1 2 3 4\n", "path,labels\n\"1.jpg,cat\n"}) {
        folder.write("labels.csv", table);
        std::vector<std::string> notes;
        const Dataset dataset = open_dataset(folder.path(), {}, &notes);
        EXPECT_THAT(texts(dataset.ids), ElementsAre("cat/1.jpg", "dog/1.jpg")) << table;
        EXPECT_THAT(single_labels(dataset), ElementsAre(0, 1));
        EXPECT_THAT(
            notes,
            Contains(HasSubstr("labels.csv next to the class folders names none of their images")));
    }
}

// Without class folders, only the list has the labels, so a damaged list is an error.
TEST(OwnList, DamagedIsAnErrorInAFlatFolder) {
    const TempFolder folder;
    folder.write("a.jpg");
    folder.write("labels.csv", "");
    EXPECT_THAT(refused(folder.path()), HasSubstr("labels.csv"));
    folder.write("labels.csv", "path,labels\na.jpg,elephnt\n");
    EXPECT_THAT(refused(folder.path(), {.classes = ClassList({"cat", "elephant"})}),
                HasSubstr("labels.csv line 2: label `elephnt`"));
    fs::remove(folder / "labels.csv");
    fs::create_directories(folder / "labels.csv");  // a folder with that name is not a list
    EXPECT_EQ(open_dataset(folder.path(), {}).size(), 1U);
}

TEST(List, ImagesThatAreNotThereAreANote) {
    const TempFolder folder;
    std::vector<std::string> notes;
    EXPECT_EQ(open_dataset(folder.write("l.csv", "path\nx.jpg\n"), {}, &notes).size(), 1U);
    EXPECT_THAT(notes, Contains(HasSubstr("none of the listed images exists (first: ")));
    EXPECT_THAT(notes, Contains("l.csv: no labels"));
}

std::string val_name(int number) {
    const std::string digits = std::to_string(number);
    return "ILSVRC2012_val_" + std::string(8 - digits.size(), '0') + digits + ".JPEG";
}

// The three published forms of the labels of ImageNet's validation images. The folder only has the
// images 2, 3 and 50000.
TEST(ImagenetValidation, EveryListGivesTheSameLabels) {
    const TempFolder folder;
    for (const int n : {2, 3, 50'000}) folder.write("val/" + val_name(n));
    std::string lines, caffe, solution = "ImageId,PredictionString\n";
    for (int n = 1; n <= 50'000; ++n) {
        const std::string label = std::to_string((n * 7) % 1000);
        lines += label + "\n";
        if (n == 2 || n == 3 || n == 50'000) caffe += val_name(n) + " " + label + "\n";
        solution += val_name(n).substr(0, 23) + "," +
                    imagenet_classes().id(static_cast<std::size_t>((n * 7) % 1000)) + " 1 2 3 4 \n";
    }
    for (const auto& list : {folder.write("numbers.txt", lines), folder.write("val.txt", caffe),
                             folder.write("LOC_val_solution.csv", solution)}) {
        std::vector<std::string> notes;
        const Dataset dataset = open_dataset(folder / "val", {.list = list}, &notes);
        EXPECT_THAT(texts(dataset.ids), ElementsAre(val_name(2), val_name(3), val_name(50'000)))
            << list;
        EXPECT_THAT(single_labels(dataset), ElementsAre(14, 21, 0)) << list;
        EXPECT_EQ(dataset.classes, imagenet_classes()) << list;
        EXPECT_THAT(notes, Contains(HasSubstr("ImageNet's 1000 classes")));
    }
    folder.write("val/other.jpg");
    EXPECT_THAT(refused(folder / "val", {.list = folder / "numbers.txt"}),
                HasSubstr("50000 labels for 4 images"));
}

TEST(List, LabelsAloneInOrder) {
    const TempFolder folder;
    for (const char* name : {"p/a.jpg", "p/b.jpg", "p/c.jpg"}) folder.write(name);
    const auto list = folder.write("l.txt", "4\n\n0\n");
    const Dataset dataset = open_dataset(folder / "p", {.list = list});
    EXPECT_THAT(single_labels(dataset), ElementsAre(4, -1, 0));
    EXPECT_EQ(dataset.classes.size(), 5U);
    EXPECT_EQ(open_dataset(folder / "p", {.list = list, .limit = 2}).size(), 2U);
    EXPECT_THAT(refused(folder / "p", {.list = folder.write("m.txt", "1\n2\n")}),
                HasSubstr("2 labels for 3 images"));
}

TEST(List, TextWithFileNamesThatHaveBlanks) {
    const TempFolder folder;
    folder.write("my pic.jpg");
    const Dataset dataset =
        open_dataset(folder.path(),
                     {.list = folder.write("l.txt", "my pic.jpg 3\nother.png\t1 2\nthird.jpg\n")});
    EXPECT_THAT(texts(dataset.ids), ElementsAre("my pic.jpg", "other.png", "third.jpg"));
    EXPECT_THAT(dataset.labels[0], ElementsAre(3));
    EXPECT_THAT(dataset.labels[1], ElementsAre(1, 2));
    EXPECT_THAT(dataset.labels[2], IsEmpty());
    EXPECT_THAT(refused(folder.path(), {.list = folder.write("m.txt", "a.jpg 3\n7\n")}),
                HasSubstr("m.txt line 2: `7` does not begin with an image's file name"));
}

TEST(DatasetName, AsManyFoldersAsTellThemApart) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(dataset_names_of({"C/blur/1", "C/noise/1/", "val"}),
              (Names{"blur_1", "noise_1", "val"}));
    EXPECT_EQ(dataset_names_of({"a/blur/1", "b/blur/1", "b/noise/1"}),
              (Names{"a_blur_1", "b_blur_1", "noise_1"}));
    // The longer name may be in use by another folder.
    EXPECT_EQ(dataset_names_of({"x/blur_1", "C/blur/1", "C/noise/1"}),
              (Names{"x_blur_1", "C_blur_1", "noise_1"}));
    // If the same folder is given twice, it is one data set.
    EXPECT_EQ(dataset_names_of({"C/blur/1", "./C/blur/../blur/1"}), (Names{"1", "1"}));
    EXPECT_EQ(dataset_names_of({}), Names{});
}

TEST(Dataset, SharedSampleIsImagenet) {
    const fs::path sample = fs::path(ASSAY_SOURCE_DIR) / "../shared/data/imagenet_sample";
    if (!fs::exists(sample)) GTEST_SKIP() << sample << " is not there";
    std::vector<std::string> notes;
    const Dataset dataset = open_dataset(sample, {}, &notes);
    EXPECT_EQ(dataset.size(), 700U);
    EXPECT_EQ(dataset.classes, imagenet_classes());
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const auto label = static_cast<std::size_t>(dataset.single_label(i));
        EXPECT_EQ(dataset.ids[i].substr(0, 9), imagenet_classes().id(label));
    }
    EXPECT_THAT(notes, Contains("700 class folders are WordNet ids: ImageNet's 1000 classes"));
}

}  // namespace
}  // namespace assay
