// Data sets in the layouts that torchvision leaves on disk. The expected values are those of
// torchvision's own classes (tests/python/test_layouts.py compares both).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "assay/data/dataset.h"
#include "data/layouts/layout.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::StartsWith;

using Files = std::vector<std::pair<std::string, std::string>>;

struct Kept {
    std::string layout;
    Files files;                      ///< files that describe the layout
    std::vector<std::string> images;  ///< files that exist
    std::vector<std::string> ids;     ///< the expected items
    std::vector<int> labels;
    std::vector<std::string> classes;
    std::string note;
    std::string label_column{}, split{};
};

const std::vector<Kept>& kept() {
    static const std::vector<Kept> all = {
        {"Oxford-IIIT Pets",
         {{"annotations/test.txt", "shiba_inu_3 3 2 1\nAbyssinian_2 1 1 1\nbull_dog_9 2 2 2\n"},
          {"annotations/trainval.txt", "Abyssinian_100 1 1 1\n"}},
         {"images/Abyssinian_2.jpg", "images/bull_dog_9.jpg", "images/shiba_inu_3.jpg",
          "images/Abyssinian_100.jpg"},
         {"images/shiba_inu_3.jpg", "images/Abyssinian_2.jpg", "images/bull_dog_9.jpg"},
         {2, 0, 1},
         {"Abyssinian", "Bull Dog", "Shiba Inu"},
         "Oxford-IIIT Pets: annotations/test.txt, 3 classes, split test of test, trainval "
         "(--split)"},
        {"FGVC Aircraft",
         {{"data/variants.txt", "707-320\nA340-200\nCessna 172\n"},
          {"data/images_variant_test.txt", "1514522 Cessna 172\n0747566 707-320\n"},
          {"data/images_variant_train.txt", "0000001 A340-200\n"}},
         {"data/images/1514522.jpg", "data/images/0747566.jpg", "data/images/0000001.jpg"},
         {"data/images/1514522.jpg", "data/images/0747566.jpg"},
         {2, 0},
         {"707-320", "A340-200", "Cessna 172"},
         "FGVC Aircraft: data/images_variant_test.txt, 3 classes, split test of test, train "
         "(--split)"},
        {"FGVC Aircraft",
         {{"data/variants.txt", "707-320\n"},
          {"data/families.txt", "A340\nBoeing 707\n"},
          {"data/images_variant_val.txt", "0747566 707-320\n"},
          {"data/images_family_val.txt", "0747566 Boeing 707\n"}},
         {"data/images/0747566.jpg"},
         {"data/images/0747566.jpg"},
         {1},
         {"A340", "Boeing 707"},
         "FGVC Aircraft: data/images_family_val.txt, 2 classes, split val",
         "family",
         "valid"},
        {"CUB-200-2011",
         {{"images.txt", "1 001.Auk/a.jpg\n2 002.Crow/b.jpg\n3 001.Auk/c.jpg\n"},
          {"image_class_labels.txt", "1 1\n2 2\n3 1\n"},
          {"classes.txt", "1 001.Auk\n2 002.Crow\n"},
          {"train_test_split.txt", "1 0\n2 0\n3 1\n"}},
         {"images/001.Auk/a.jpg", "images/002.Crow/b.jpg", "images/001.Auk/c.jpg"},
         {"images/001.Auk/a.jpg", "images/002.Crow/b.jpg"},
         {0, 1},
         {"001.Auk", "002.Crow"},
         "CUB-200-2011: image_class_labels.txt, 2 classes, split test of test, train, all "
         "(--split)"},
        {"DTD",
         {{"labels/test1.txt", "zigzagged/z_2.jpg\nbanded/b_1.jpg\n"},
          {"labels/train1.txt", "banded/b_2.jpg\n"}},
         {"images/zigzagged/z_2.jpg", "images/banded/b_1.jpg", "images/banded/b_2.jpg"},
         {"images/zigzagged/z_2.jpg", "images/banded/b_1.jpg"},
         {1, 0},
         {"banded", "zigzagged"},
         "DTD: labels/test1.txt, 2 classes, split test of test, train (--split)"},
        {"CelebA",
         {{"list_attr_celeba.txt",
           "3\nBald Smiling Young \n000001.jpg -1  1  1\n000002.jpg -1 -1  1\n"
           "000003.jpg  1  1 -1\n"},
          {"list_eval_partition.txt", "000001.jpg 0\n000002.jpg 2\n000003.jpg 2\n"}},
         {"img_align_celeba/000001.jpg", "img_align_celeba/000002.jpg",
          "img_align_celeba/000003.jpg"},
         {"img_align_celeba/000002.jpg", "img_align_celeba/000003.jpg"},
         {0, 1},
         {"not Smiling", "Smiling"},
         "CelebA: list_attr_celeba.txt, 2 classes, split test of test, valid, train, all "
         "(--split); labels: attribute Smiling",
         "Smiling"},
        {"Food-101",
         {{"meta/test.json", R"({"waffles": ["waffles/7"], "apple_pie": ["apple_pie/9",
           "apple_pie/3"]})"},
          {"meta/classes.txt", "apple_pie\nwaffles\n"}},
         {"images/waffles/7.jpg", "images/apple_pie/9.jpg", "images/apple_pie/3.jpg"},
         {"images/waffles/7.jpg", "images/apple_pie/9.jpg", "images/apple_pie/3.jpg"},
         {1, 0, 0},
         {"apple_pie", "waffles"},
         "Food-101: meta/test.json, 2 classes, split test"},
        {"EuroSAT",
         {},
         {"2750/AnnualCrop/1.jpg", "2750/SeaLake/2.jpg", "2750/Forest/1.jpg"},
         {"AnnualCrop/1.jpg", "Forest/1.jpg", "SeaLake/2.jpg"},
         {0, 1, 2},
         {"AnnualCrop", "Forest", "SeaLake"},
         "EuroSAT: 2750, class folders"},
        {"Places365",
         {{"categories_places365.txt", "/a/airfield 0\n/a/alley 1\n/b/bar 2\n"},
          {"places365_val.txt", "Places365_val_00000001.jpg 2\nPlaces365_val_00000002.jpg 0\n"}},
         {"val_256/Places365_val_00000001.jpg", "val_256/Places365_val_00000002.jpg"},
         {"val_256/Places365_val_00000001.jpg", "val_256/Places365_val_00000002.jpg"},
         {2, 0},
         {"/a/airfield", "/a/alley", "/b/bar"},
         "Places365: places365_val.txt, 3 classes, split val; images of val_256"},
        {"SUN397",
         {{"ClassName.txt", "/a/abbey\n/a/apse/indoor\n/z/zoo\n"}},
         {"a/abbey/sun_a.jpg", "a/apse/indoor/sun_b.jpg", "z/zoo/sun_c.jpg", "z/zoo/other.jpg"},
         {"a/abbey/sun_a.jpg", "a/apse/indoor/sun_b.jpg", "z/zoo/sun_c.jpg"},
         {0, 1, 2},
         {"abbey", "apse/indoor", "zoo"},
         "SUN397: ClassName.txt, 3 classes; without 1 image not named sun_*.jpg"},
    };
    return all;
}

/// GTSRB: 43 classes without names, and images that other tests decode.
Kept signs() {
    return {"GTSRB",
            {{"GT-final_test.csv",
              "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\n"
              "00000.ppm;53;54;6;5;48;49;16\n00001.ppm;42;45;5;5;36;40;1\n"}},
            {"GTSRB/Final_Test/Images/00000.ppm", "GTSRB/Final_Test/Images/00001.ppm"},
            {"GTSRB/Final_Test/Images/00000.ppm", "GTSRB/Final_Test/Images/00001.ppm"},
            {16, 1},
            numbered_classes(43).ids(),
            "GTSRB: GT-final_test.csv, 43 classes, split test"};
}

std::vector<Kept> every_kept() {
    std::vector<Kept> all = kept();
    all.push_back(signs());
    return all;
}

DatasetOptions options_of(const Kept& one) {
    DatasetOptions options;
    options.label_column = one.label_column;
    options.split = one.split;
    return options;
}

void write(const TempFolder& folder, const Kept& one, const std::string& below = "") {
    for (const auto& [name, text] : one.files) folder.write(below + name, text);
    for (const std::string& image : one.images) folder.write(below + image);
}

void expect_read(const Dataset& dataset, const Kept& one) {
    std::vector<std::string> ids;
    std::vector<int> labels;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        ids.emplace_back(dataset.ids[i]);
        labels.push_back(dataset.single_label(i));
    }
    EXPECT_THAT(ids, ElementsAreArray(one.ids)) << one.layout;
    EXPECT_THAT(labels, ElementsAreArray(one.labels)) << one.layout;
    EXPECT_THAT(dataset.classes.ids(), ElementsAreArray(one.classes)) << one.layout;
    for (std::size_t i = 0; i < dataset.size(); ++i)
        EXPECT_TRUE(fs::exists(dataset.path_of(i))) << dataset.path_of(i);
}

std::string refused(const fs::path& path, const DatasetOptions& options = {},
                    ErrorCode code = ErrorCode::bad_input) {
    return message_of([&] { open_dataset(path, options); }, code);
}

/// The message about a layout if one file is replaced by other contents.
std::string refused_with(const std::string& layout, const std::string& file,
                         const std::string& text) {
    const TempFolder folder;
    const std::vector<Kept> all = every_kept();
    const Kept& one = *std::ranges::find(all, layout, &Kept::layout);
    write(folder, one);
    folder.write(file, text);
    return refused(folder.path(), options_of(one));
}

TEST(Layouts, EachRowIsRead) {
    for (const layouts::Layout& row : layouts::layouts()) {
        const std::array in_mat_files = {"Flowers102", "Stanford Cars", "ImageNet"};
        if (std::ranges::find(in_mat_files, row.name) != in_mat_files.end())
            continue;  // this layout is in mat_layouts_test.cpp
        EXPECT_THAT(every_kept(), Contains(testing::Field(&Kept::layout, row.name)));
    }
    for (const Kept& one : every_kept()) {
        const TempFolder folder;
        write(folder, one);
        std::vector<std::string> notes;
        expect_read(open_dataset(folder.path(), options_of(one), &notes), one);
        EXPECT_THAT(notes, Contains(one.note));
    }
}

TEST(Layouts, AreFoundBelowTorchvisionsRoot) {
    for (const Kept& one : every_kept()) {
        const auto& row =
            *std::ranges::find(layouts::layouts(), one.layout, &layouts::Layout::name);
        const TempFolder folder;
        write(folder, one, row.place.empty() ? "" : std::string(row.place) + "/");
        expect_read(open_dataset(folder.path(), options_of(one)), one);
    }
    const TempFolder folder;
    write(folder, kept().front(), "oxford-iiit-pet/");
    write(folder, signs(), "gtsrb/");
    EXPECT_THAT(refused(folder.path()),
                AllOf(HasSubstr("holds several data sets; name one: "),
                      HasSubstr("oxford-iiit-pet (Oxford-IIIT Pets)"), HasSubstr("gtsrb (GTSRB)")));
}

TEST(Layouts, LinesMayEndAsOnWindows) {
    for (Kept one : every_kept()) {
        for (auto& [name, text] : one.files) {
            std::string written = "\xEF\xBB\xBF";
            for (const char letter : text)
                written += letter == '\n' ? "\r\n" : std::string(1, letter);
            if (!name.ends_with(".json")) text = written;
        }
        const TempFolder folder;
        write(folder, one);
        expect_read(open_dataset(folder.path(), options_of(one)), one);
    }
}

TEST(Layouts, AMissingImageIsNamed) {
    for (const Kept& one : every_kept()) {
        if (one.layout == "EuroSAT" || one.layout == "SUN397") continue;  // no list of images
        const TempFolder folder;
        write(folder, one);
        fs::remove(folder / one.ids.front());
        const std::string said = refused(folder.path(), options_of(one));
        EXPECT_THAT(said, AllOf(HasSubstr(one.ids.front() + " is missing"),
                                HasSubstr("while reading"), HasSubstr("as " + one.layout)));
        const bool lines = one.layout != "Food-101";
        EXPECT_EQ(said.find(" line ") != std::string::npos, lines) << said;
    }
}

TEST(Layouts, TheFirstImagesAlone) {
    const TempFolder folder;
    write(folder, kept().front());
    fs::remove(folder / "images/bull_dog_9.jpg");  // the third image
    EXPECT_EQ(open_dataset(folder.path(), {.limit = 2}).size(), 2U);
}

TEST(Layouts, DamagedFilesAreRefusedByLine) {
    const auto pets = [](const std::string& text) {
        return refused_with("Oxford-IIIT Pets", "annotations/test.txt", text);
    };
    EXPECT_THAT(
        pets("Abyssinian_2 1 1 1\nbull_dog_9 2 2\n"),
        HasSubstr("annotations/test.txt line 2: `bull_dog_9 2 2` has 3 words instead of 4"));
    EXPECT_THAT(pets("Abyssinian_2 1 1 1\nbull_dog_9 9 2 1\n"),
                HasSubstr("annotations/test.txt line 2: class `9` is not a number from 1 to 1"));
    EXPECT_THAT(pets("Abyssinian_2 0 1 1\n"),
                HasSubstr("annotations/test.txt line 1: `0` is not the number of a class, from 1"));
    EXPECT_THAT(pets("Abyssinian_2 1 1 1\nAbyssinian_2 1 1 1\n"),
                HasSubstr("line 2: the image images/Abyssinian_2.jpg is listed twice (first in "
                          "line 1)"));
    EXPECT_THAT(pets("bull_dog_9 1 1 1\n"), HasSubstr("class 1 is named `Abyssinian` here"));
    EXPECT_THAT(pets("\n"), HasSubstr("annotations/test.txt: no image of the split test in it"));

    EXPECT_THAT(
        refused_with("FGVC Aircraft", "data/images_variant_test.txt", "1514522 Cesna 172\n"),
        HasSubstr("images_variant_test.txt line 1: `Cesna 172` is not one of the 3 classes of "
                  "variants.txt; did you mean `Cessna 172`?"));
    EXPECT_THAT(refused_with("FGVC Aircraft", "data/variants.txt", "707-320\n707-320\n"),
                HasSubstr("variants.txt line 2: the class `707-320` appears twice"));
    EXPECT_THAT(refused_with("FGVC Aircraft", "data/images_variant_test.txt", "1514522\n"),
                HasSubstr("line 1: `1514522` is not an image and its class"));

    EXPECT_THAT(refused_with("DTD", "labels/test1.txt", "banded/b_1.jpg\nb_2.jpg\n"),
                HasSubstr("labels/test1.txt line 2: `b_2.jpg` is not class/image"));
    EXPECT_THAT(refused_with("Places365", "places365_val.txt", "Places365_val_00000001.jpg 3\n"),
                HasSubstr("places365_val.txt line 1: class `3` is not a number from 0 to 2"));
    EXPECT_THAT(refused_with("Places365", "categories_places365.txt", "/a/airfield 0\n/b/bar 2\n"),
                HasSubstr("no line names class 1, but one names class 2"));
    EXPECT_THAT(refused_with("SUN397", "ClassName.txt", "/a/abbey\n/z/zoo\n"),
                HasSubstr("its folder `apse/indoor` is not one of the 2 classes of ClassName.txt"));

    EXPECT_THAT(refused_with("GTSRB", "GT-final_test.csv", "Filename;ClassId\n00000.ppm;43\n"),
                HasSubstr("GT-final_test.csv line 2: class `43` is not a number from 0 to 42"));
    EXPECT_THAT(refused_with("GTSRB", "GT-final_test.csv", "Filename;Width\n00000.ppm;43\n"),
                HasSubstr("ClassId"));
    EXPECT_THAT(refused_with("Food-101", "meta/test.json", R"({"a": ["a/1"], "b": [3]})"),
                HasSubstr("test.json: `b` is not a class with a list of images"));
    EXPECT_THAT(
        refused_with("Food-101", "meta/test.json", R"({"waffles": ["waffles/7", "waffles/7"]})"),
        HasSubstr("test.json: the image images/waffles/7.jpg is listed twice"));
    EXPECT_THAT(refused_with("Food-101", "meta/test.json", R"({"waffles": ["waffles/7")"),
                HasSubstr("test.json"));
}

TEST(Layouts, ListsThatBelongTogetherAreJoined) {
    EXPECT_THAT(refused_with("CUB-200-2011", "image_class_labels.txt", "1 1\n2 3\n3 1\n"),
                HasSubstr("image_class_labels.txt line 2: class `3` is not a number from 1 to 2"));
    EXPECT_THAT(refused_with("CUB-200-2011", "image_class_labels.txt", "1 1\n2 2\n"),
                HasSubstr("images.txt line 3: image_class_labels.txt has no label of image 3"));
    EXPECT_THAT(refused_with("CUB-200-2011", "train_test_split.txt", "1 0\n2 2\n3 1\n"),
                HasSubstr("train_test_split.txt line 2: `2` is not 0 (test) or 1 (training)"));
    EXPECT_THAT(refused_with("CUB-200-2011", "classes.txt", "1 001.Auk\n3 002.Crow\n"),
                HasSubstr("classes.txt line 2: class 3, expected class 2"));

    const std::string list = "list_attr_celeba.txt";
    const auto celeba = [&](const std::string& text) { return refused_with("CelebA", list, text); };
    EXPECT_THAT(celeba("2\nBald Smiling\n000002.jpg -1 1\n"),
                HasSubstr(list + ": line 1 says 2 images, but the file has 1: was it cut off?"));
    EXPECT_THAT(celeba("1\nBald Smiling\n000002.jpg -1\n"),
                HasSubstr(list + " line 3: 2 words, expected an image and 2 attributes"));
    EXPECT_THAT(celeba("1\nBald Smiling\n000002.jpg -1 0\n"),
                HasSubstr(list + " line 3: Smiling is `0`, not -1 or 1"));
    EXPECT_THAT(celeba("1\nBald Smiling\n000009.jpg -1 1\n"),
                HasSubstr("list_eval_partition.txt does not have the image `000009.jpg`"));
    EXPECT_THAT(refused_with("CelebA", "list_eval_partition.txt", "000001.jpg 3\n"),
                HasSubstr("list_eval_partition.txt line 1: `3` is not 0 (train), 1 (valid) or 2"));
}

TEST(Layouts, CelebaAsksForTheAttribute) {
    const TempFolder folder;
    for (const Kept& one : kept())
        if (one.layout == "CelebA") write(folder, one);
    EXPECT_THAT(refused(folder.path(), {}, ErrorCode::usage),
                HasSubstr("CelebA has 3 attributes and no classes: name the attribute to predict, "
                          "such as --label-column Young"));
    DatasetOptions options;
    options.label_column = "Smilin";
    EXPECT_THAT(refused(folder.path(), options, ErrorCode::usage),
                HasSubstr("did you mean `Smiling`?"));
}

TEST(Layouts, SplitsAreChosenAndNeverTrainByItself) {
    const TempFolder folder;
    write(folder, kept().front());
    DatasetOptions options;
    options.split = "trainval";
    EXPECT_EQ(open_dataset(folder.path(), options).size(), 1U);
    options.split = "dev";
    EXPECT_THAT(refused(folder.path(), options, ErrorCode::usage),
                HasSubstr("--split dev: Oxford-IIIT Pets has the splits test, trainval"));
    fs::remove(folder / "annotations/test.txt");
    EXPECT_THAT(refused(folder.path()),
                AllOf(HasSubstr("annotations/test.txt, which lists the split test of Oxford-IIIT "
                                "Pets, is missing; --split reads one of: trainval"),
                      HasSubstr("--layout folders")));
    const TempFolder food;
    food.write("meta/train.json", R"({"waffles": ["waffles/7"]})");
    food.write("images/waffles/7.jpg");
    EXPECT_THAT(refused(food.path()),
                HasSubstr("meta/test.json, which lists the split test of Food-101, is missing"));
    options.split = "train";
    EXPECT_EQ(open_dataset(food.path(), options).size(), 1U);
}

TEST(Layouts, OptionsThatCannotActAreRefused) {
    const TempFolder pets, sun, plain;
    for (const Kept& one : kept()) {
        if (one.layout == "Oxford-IIIT Pets") write(pets, one);
        if (one.layout == "SUN397") write(sun, one);
    }
    plain.write("cat/1.jpg");
    plain.write("dog/1.jpg");
    DatasetOptions column, image, split;
    column.label_column = "breed";
    image.image_column = "path";
    split.split = "test";
    EXPECT_THAT(refused(pets.path(), column, ErrorCode::usage), HasSubstr("--label-column is for"));
    EXPECT_THAT(refused(pets.path(), image, ErrorCode::usage), HasSubstr("--image-column is for"));
    EXPECT_THAT(refused(sun.path(), split, ErrorCode::usage),
                HasSubstr("--split test: SUN397 has no splits; omit --split"));
    EXPECT_THAT(refused(plain.path(), split, ErrorCode::usage),
                HasSubstr("is neither: name the file or folder of the split"));
    const fs::path list = plain.write("list.csv", "path,label\ncat/1.jpg,cat\n");
    EXPECT_THAT(refused(list, split, ErrorCode::usage), HasSubstr("--split test is for"));
    // If the layout is given as class folders, it is read as such.
    DatasetOptions folders;
    folders.layout = DatasetOptions::Layout::image_folder;
    EXPECT_THAT(open_dataset(pets.path(), folders).classes.ids(),
                ElementsAre("annotations", "images"));
}

TEST(Layouts, ImagesAloneAreNotReadWithoutLabels) {
    const TempFolder folder;
    write(folder, kept().front());
    EXPECT_THAT(refused(folder / "images"),
                AllOf(HasSubstr("images holds images of Oxford-IIIT Pets, whose labels are in"),
                      HasSubstr("--layout flat to read the images without labels")));
    EXPECT_THAT(refused((folder / "images").string() + "/"), HasSubstr("Oxford-IIIT Pets"));
    DatasetOptions flat;
    flat.layout = DatasetOptions::Layout::flat;
    EXPECT_EQ(open_dataset(folder / "images", flat).single_label(0), -1);
    // Class folders define the classes themselves.
    const TempFolder food;
    for (const Kept& one : kept())
        if (one.layout == "Food-101") write(food, one);
    EXPECT_THAT(open_dataset(food / "images", {}).classes.ids(),
                ElementsAre("apple_pie", "waffles"));
}

TEST(Layouts, ClassesAreFoundAmongTheClassifiers) {
    const TempFolder folder;
    write(folder, kept().front());
    DatasetOptions options;
    const auto labels = [&] {
        const Dataset dataset = open_dataset(folder.path(), options);
        std::vector<int> all;
        for (std::size_t i = 0; i < dataset.size(); ++i) all.push_back(dataset.single_label(i));
        return all;
    };
    options.classes = numbered_classes(3);
    EXPECT_THAT(labels(), ElementsAre(2, 0, 1));
    options.classes = ClassList({"shiba_inu", "cat", "bull-dog", "abyssinian"});
    EXPECT_THAT(labels(), ElementsAre(0, 3, 2));
    options.classes = numbered_classes(4);
    EXPECT_THAT(
        refused(folder.path(), options),
        HasSubstr("Oxford-IIIT Pets has 3 classes, but the classifier has 4 classes without"));
    options.classes = ClassList({"Abyssinian", "Bull Dog", "Shiba"});
    EXPECT_THAT(
        refused(folder.path(), options),
        HasSubstr("the class `Shiba Inu` of Oxford-IIIT Pets is not one of the classifier's 3"));
}

TEST(SplitFolders, TestOrElseVal) {
    const TempFolder folder;
    for (const char* name : {"train/cat/1.jpg", "train/dog/2.jpg"}) folder.write(name);
    EXPECT_THAT(refused(folder.path()),
                HasSubstr("holds only the training images of a data set (train), no test or val; "
                          "to read them, pass --split train"));
    folder.write("valid/dog/3.jpg");
    folder.write("valid/cat/4.jpg");
    std::vector<std::string> notes;
    const auto ids = [&](const std::string& split) {
        DatasetOptions options;
        options.split = split;
        notes.clear();
        const Dataset dataset = open_dataset(folder.path(), options, &notes);
        std::vector<std::string> all;
        for (std::size_t i = 0; i < dataset.size(); ++i) all.emplace_back(dataset.ids[i]);
        return all;
    };
    EXPECT_THAT(ids(""), ElementsAre("cat/4.jpg", "dog/3.jpg"));
    EXPECT_THAT(notes, Contains("class folders of valid, split valid of valid, train (--split)"));
    EXPECT_THAT(ids("val"), ElementsAre("cat/4.jpg", "dog/3.jpg"));
    EXPECT_THAT(ids("train"), ElementsAre("cat/1.jpg", "dog/2.jpg"));
    DatasetOptions test;
    test.split = "test";
    EXPECT_THAT(refused(folder.path(), test),
                HasSubstr("has no class folders of the split test; it has valid, train"));
    folder.write("test/1.jpg");  // ImageNet's test images, which have no labels
    EXPECT_THAT(ids(""), ElementsAre("cat/4.jpg", "dog/3.jpg"));
    fs::remove(folder / "test/1.jpg");
    folder.write("test/cat/5.jpg");
    EXPECT_THAT(ids(""), ElementsAre("cat/5.jpg"));
    DatasetOptions column;
    column.label_column = "breed";
    EXPECT_THAT(refused(folder.path(), column, ErrorCode::usage),
                HasSubstr("--label-column is for"));
    folder.write("devkit/readme.txt");  // this folder contains no image
    EXPECT_THAT(ids(""), ElementsAre("cat/5.jpg"));
    folder.write("bird/1.jpg");  // then the folders are the classes
    EXPECT_THAT(open_dataset(folder.path(), {}).classes.ids(),
                ElementsAre("bird", "devkit", "test", "train", "valid"));
}

TEST(SplitFolders, WordNetIdsAreImagenetsClasses) {
    const TempFolder folder;  // the layout of Imagenette
    for (const char* name :
         {"train/n01440764/1.JPEG", "val/n02102040/2.JPEG", "val/n01440764/3.JPEG"})
        folder.write(name);
    const Dataset dataset = open_dataset(folder.path(), {});
    EXPECT_EQ(dataset.classes, imagenet_classes());
    EXPECT_EQ(dataset.single_label(0), 0);
    EXPECT_EQ(dataset.single_label(1), 217);
    // Ten classes without names are the folders in order, as in torchvision.
    DatasetOptions two;
    two.classes = numbered_classes(2);
    EXPECT_EQ(open_dataset(folder.path(), two).single_label(1), 1);
}

}  // namespace
}  // namespace assay
