// Lists of labels in the formats of tools: how each column is read, and when an option is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "data/label_columns.h"
#include "data/label_rows.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Cells = std::vector<std::vector<std::string>>;

/// The cells of a table. The header is first, if there is one.
struct Table {
    std::string name;
    char separator;
    Cells cells;
    bool header = true;
    std::size_t image = 0, label = 0;
};

std::string text_of(const Table& table) {
    std::string text;
    for (const auto& row : table.cells) {
        for (std::size_t c = 0; c < row.size(); ++c)
            text += (c == 0 ? "" : std::string(1, table.separator)) + row[c];
        text += "\n";
    }
    return text;
}

Table with_separator(Table table, char separator) {
    table.separator = separator;
    return table;
}

Table without(Table table, std::size_t column) {
    for (auto& row : table.cells) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    return table;
}

Table twice(Table table, std::size_t column) {
    for (auto& row : table.cells) row.push_back(row[column]);
    return table;
}

Table reversed(Table table) {
    for (auto& row : table.cells) std::reverse(row.begin(), row.end());
    return table;
}

const ClassList& birds() {
    static const ClassList list({"big bird", "cat", "dog"});
    return list;
}

/// Layouts with the images a.png, b.png, c.png and d.png, and the labels 0, 0, 1, 2.
std::vector<Table> layouts() {
    const auto rows = [](const Cells& cells) { return cells; };
    return {
        {"keras.csv", ',',
         rows({{"filename", "class"},
               {"a.png", "big bird"},
               {"b.png", "big bird"},
               {"c.png", "cat"},
               {"d.png", "dog"}}),
         true, 0, 1},
        {"metadata.csv", ',',
         rows({{"file_name", "label"},
               {"a.png", "0"},
               {"b.png", "0"},
               {"c.png", "1"},
               {"d.png", "2"}}),
         true, 0, 1},
        {"kaggle.csv", ',',
         rows({{"id", "breed"}, {"a", "big bird"}, {"b", "big bird"}, {"c", "cat"}, {"d", "dog"}}),
         true, 0, 1},
        {"semi.csv", ';',
         rows({{"path", "label"}, {"a.png", "0"}, {"b.png", "0"}, {"c.png", "1"}, {"d.png", "2"}}),
         true, 0, 1},
        {"float.csv", ',',
         rows({{"path", "label"},
               {"a.png", "0.0"},
               {"b.png", "0.0"},
               {"c.png", "1.0"},
               {"d.png", "2.0"}}),
         true, 0, 1},
        {"GT-final_test.csv", ';',
         rows({{"Filename", "Width", "Height", "Roi.X1", "Roi.Y1", "Roi.X2", "Roi.Y2", "ClassId"},
               {"a.png", "8", "8", "1", "1", "7", "7", "0"},
               {"b.png", "8", "8", "1", "1", "7", "7", "0"},
               {"c.png", "8", "8", "1", "1", "7", "7", "1"},
               {"d.png", "8", "8", "1", "1", "7", "7", "2"}}),
         true, 0, 7},
        {"pandas.csv", ',',
         rows({{"", "image_id", "target"},
               {"0", "a", "0"},
               {"1", "b", "0"},
               {"2", "c", "1"},
               {"3", "d", "2"}}),
         true, 1, 2},
        {"ham.csv", ',',
         rows({{"lesion_id", "image_id", "dx", "dx_type", "age"},
               {"L1", "a", "big bird", "histo", "80.0"},
               {"L1", "b", "big bird", "histo", "80.0"},
               {"L2", "c", "cat", "follow_up", "55.0"},
               {"L3", "d", "dog", "histo", ""}}),
         true, 1, 2},
        {"box.txt", ' ',
         rows({{"a.png", "0", "1", "1", "2", "2"},
               {"b.png", "0", "1", "1", "2", "2"},
               {"c.png", "1", "1", "1", "2", "2"},
               {"d.png", "2", "1", "1", "2", "2"}}),
         false, 0, 1},
        {"tiny.txt", '\t',
         rows({{"a.png", "big bird", "26", "18", "60", "37"},
               {"b.png", "big bird", "4", "2", "61", "37"},
               {"c.png", "cat", "3", "3", "54", "49"},
               {"d.png", "dog", "20", "1", "42", "39"}}),
         false, 0, 1},
        {"medmnist.csv", ',',
         rows({{"TEST", "a.png", "0"},
               {"TEST", "b.png", "0"},
               {"TEST", "c.png", "1"},
               {"TEST", "d.png", "2"}}),
         false, 1, 2},
        {"celeba_like.txt", ' ',
         rows({{"image_id", "label"},
               {"a.png", "0"},
               {"b.png", "0"},
               {"c.png", "1"},
               {"d.png", "2"}}),
         true, 0, 1},
    };
}

/// Moves the first column to the end.
Table rotated(Table table) {
    for (auto& row : table.cells) std::rotate(row.begin(), row.begin() + 1, row.end());
    return table;
}

class Layouts : public testing::Test {
protected:
    Layouts() {
        for (const char* name : {"a.png", "b.png", "c.png", "d.png"})
            folder_.write(std::string("images/") + name);
    }
    Dataset read(const Table& table, const std::string& begin = {},
                 DatasetOptions options = {.classes = birds()}) {
        notes_.clear();
        options.list = folder_.write(table.name, begin + text_of(table));
        return open_dataset(folder_ / "images", options, &notes_);
    }
    /// Returns "0 0 1 2" with the ids in that order, or the error.
    std::string labels(const Table& table, const std::string& begin = {},
                       const DatasetOptions& options = {.classes = birds()}) {
        try {
            const Dataset dataset = read(table, begin, options);
            std::string text;
            for (std::size_t i = 0; i < dataset.size(); ++i)
                text += std::string(dataset.ids[i]) + " " +
                        std::to_string(dataset.single_label(i)) + "; ";
            return text;
        } catch (const Error& error) {
            return error.message();
        }
    }

    TempFolder folder_;
    std::vector<std::string> notes_;
    const std::string right_ = "a.png 0; b.png 0; c.png 1; d.png 2; ";
};

TEST_F(Layouts, AreReadRightly) {
    for (const Table& table : layouts()) {
        EXPECT_EQ(labels(table), right_) << table.name;
        EXPECT_THAT(notes_, Contains(HasSubstr(table.name + ": labels: column ")));
    }
}

TEST_F(Layouts, WithAByteOrderMark) {
    for (const Table& table : layouts())
        EXPECT_EQ(labels(table, "\xEF\xBB\xBF"), right_) << table.name;
}

TEST_F(Layouts, WithSemicolonsAndTabs) {
    for (const Table& table : layouts()) {
        for (const char separator : {';', '\t'})
            EXPECT_EQ(labels(with_separator(table, separator)), right_) << table.name << separator;
    }
}

TEST_F(Layouts, InAnotherOrder) {
    for (const Table& table : layouts()) EXPECT_EQ(labels(rotated(table)), right_) << table.name;
}

// Labels without images are assigned in order with a note, or the file is refused.
TEST_F(Layouts, WithoutTheColumnOfImages) {
    for (const Table& table : layouts()) {
        const std::string found = labels(without(table, table.image));
        if (found != right_) {
            EXPECT_THAT(found, AnyOf(HasSubstr("--label-column"), HasSubstr("labels for"),
                                     HasSubstr("is not one of the 3 classes"),
                                     HasSubstr("out of range"), HasSubstr("no column named")))
                << table.name;
        } else {
            EXPECT_THAT(notes_, Contains(HasSubstr("one label per line, assigned in byte order")))
                << table.name;
        }
    }
}

// No other column becomes the label.
TEST_F(Layouts, WithoutTheColumnOfLabels) {
    for (const Table& table : layouts()) {
        const std::string found = labels(without(table, table.label));
        if (found.find("--label-column") == std::string::npos) {
            EXPECT_EQ(found, "a.png -1; b.png -1; c.png -1; d.png -1; ") << table.name;
            EXPECT_THAT(notes_, Contains(table.name + ": no labels"));
        }
    }
}

TEST_F(Layouts, WithAColumnTwice) {
    for (const Table& table : layouts()) {
        for (const std::size_t column : {table.image, table.label}) {
            const std::string found = labels(twice(table, column));
            EXPECT_THAT(found,
                        AnyOf(HasSubstr("two columns are named"), HasSubstr("several columns")))
                << table.name << " " << column;
        }
    }
}

TEST_F(Layouts, OptionsNameTheColumns) {
    const Table table{
        "two.csv", ',', {{"file", "old", "new"}, {"a.png", "cat", "dog"}, {"b.png", "dog", "dog"}}};
    EXPECT_THAT(labels(table), AllOf(HasSubstr("several columns may hold the labels (old, new)"),
                                     HasSubstr("--label-column NAME")));
    EXPECT_EQ(labels(table, "", {.classes = birds(), .label_column = "OLD"}), "a.png 1; b.png 2; ");
    EXPECT_THAT(notes_,
                Contains("two.csv: labels: column old; images: column file; attributes: new"));
    EXPECT_EQ(labels(table, "", {.classes = birds(), .label_column = "none"}),
              "a.png -1; b.png -1; ");
    EXPECT_THAT(labels(table, "", {.classes = birds(), .label_column = "odl"}),
                HasSubstr("two.csv has no column `odl` (--label-column; known: file, old, new)"));
    const Table files{
        "files.csv",
        ',',
        {{"front", "back", "class"}, {"a.png", "b.png", "cat"}, {"c.png", "d.png", "dog"}}};
    EXPECT_THAT(labels(files), HasSubstr("--image-column NAME"));
    EXPECT_EQ(labels(files, "", {.classes = birds(), .image_column = "back"}),
              "b.png 1; d.png 2; ");
    const Table numbers{"numbers.txt", ' ', {{"a.png", "0", "2"}, {"b.png", "1", "0"}}, false};
    EXPECT_THAT(labels(numbers), HasSubstr("--label-column NUMBER"));
    EXPECT_EQ(labels(numbers, "", {.classes = birds(), .label_column = "2"}), "a.png 0; b.png 1; ");
    EXPECT_THAT(labels({"lines.txt", ' ', {{"a.png"}, {"b.png"}}, false}, "",
                       {.classes = birds(), .label_column = "2"}),
                HasSubstr("has no columns"));
}

TEST_F(Layouts, AColumnPerClass) {
    const Table table{"onehot.csv",
                      ',',
                      {{"image", "big bird", "cat", "dog"},
                       {"a.png", "1.0", "0.0", "0.0"},
                       {"b.png", "1.0", "0.0", "0.0"},
                       {"c.png", "0.0", "1.0", "0.0"},
                       {"d.png", "0.0", "0.0", "1.0"}}};
    EXPECT_EQ(labels(table), right_);
    EXPECT_EQ(labels(reversed(table)), right_);
    EXPECT_EQ(labels(with_separator(table, ';'), "\xEF\xBB\xBF"), right_);
    EXPECT_EQ(labels(table, "", {}), right_);  // without class names, the columns give them
    EXPECT_EQ(labels(table, "", {.classes = numbered_classes(3)}), right_);
    EXPECT_THAT(labels(reversed(table), "", {.classes = numbered_classes(3)}),
                HasSubstr("--classes FILE"));
    EXPECT_THAT(labels(twice(table, 2)), HasSubstr("are both the class cat"));
    // An image whose column is missing has no label.
    EXPECT_EQ(labels(without(table, 3)), "a.png 0; b.png 0; c.png 1; d.png -1; ");
    EXPECT_EQ(labels(without(table, 0)), right_);
    EXPECT_THAT(notes_, Contains(HasSubstr("3 columns of 0 and 1 (big bird, cat, dog); images: not "
                                           "named")));
}

TEST_F(Layouts, AttributesOfCelebA) {
    const std::string text = "2\nBald Smiling Young\na.png -1  1  1\nb.png  1 -1 -1\n";
    const auto list = folder_.write("list_attr_celeba.txt", text);
    const ClassList three({"Bald", "Smiling", "Young"});
    const Dataset all = open_dataset(folder_ / "images", {.list = list, .classes = three});
    EXPECT_THAT(all.labels[0], ElementsAre(1, 2));
    EXPECT_THAT(all.labels[1], ElementsAre(0));
    const fs::path signs = folder_.write("signs.txt", "-1\n1\n");
    const auto smiling = [&](const ClassList& classes) {
        return open_dataset(folder_ / "images",
                            {.list = list, .classes = classes, .label_column = "Smiling"});
    };
    EXPECT_THAT(message_of([&] { smiling(numbered_classes(2)); }),
                HasSubstr("the only labels are -1 (1 rows) and 1."));
    const Dataset two = smiling(read_class_list(signs));
    EXPECT_EQ(two.single_label(0), 1);
    EXPECT_EQ(two.single_label(1), 0);
}

TEST_F(Layouts, TheFourFilesOfCub) {
    folder_.write("cub/images.txt", "1 001.Jay/a.png\n2 002.Owl/b.png\n3 002.Owl/c.png\n");
    const auto labels_file = folder_.write("cub/image_class_labels.txt", "1 1\n2 2\n3 2\n");
    folder_.write("cub/classes.txt", "1 001.Jay\n2 002.Owl\n");
    folder_.write("cub/train_test_split.txt", "1 0\n2 1\n3 1\n");
    folder_.write("cub/images/001.Jay/a.png");
    for (const fs::path& list : {labels_file, folder_ / "cub/images.txt"}) {
        const Dataset dataset =
            open_dataset(folder_ / "cub/images", {.list = list, .classes = numbered_classes(2)});
        EXPECT_EQ(dataset.ids[2], "002.Owl/c.png");
        EXPECT_EQ(dataset.single_label(0), 0);
        EXPECT_EQ(dataset.single_label(2), 1);
        EXPECT_EQ(dataset.classes.id(1), "002.Owl");
        ASSERT_EQ(dataset.attributes.size(), 1U);
        EXPECT_EQ(dataset.attributes[0].values[1], "1");
    }
    const auto message = [&] {
        return message_of([&] { open_dataset(folder_ / "cub/images", {.list = labels_file}); });
    };
    folder_.write("cub/image_class_labels.txt", "1 1\n4 2\n");
    EXPECT_THAT(message(), HasSubstr("image_class_labels.txt line 2: images.txt has no image 4"));
    folder_.write("cub/image_class_labels.txt", "1 1\n1 2\n");
    EXPECT_THAT(message(), HasSubstr("line 2: number 1 appears twice"));
    folder_.write("cub/image_class_labels.txt", "1 1 1\n2 2 2\n");
    EXPECT_THAT(message(), HasSubstr("line 1: `1 1` is not the number of a class"));
    folder_.write("cub/image_class_labels.txt", "1 1\n2\n");
    EXPECT_THAT(message(), HasSubstr("line 2: `2` is not a number followed by its meaning"));
}

TEST_F(Layouts, MinusOneMeansNoLabelAndIsCounted) {
    const Table table{
        "marked.csv",
        ',',
        {{"path", "label"}, {"a.png", "-1"}, {"b.png", "2"}, {"c.png", "1"}, {"d.png", "-1.0"}}};
    EXPECT_EQ(labels(table), "a.png -1; b.png 2; c.png 1; d.png -1; ");
    EXPECT_THAT(notes_, Contains("marked.csv: -1 means no label: 2 of 4 rows"));
    const Table signs{"signs.csv", ',', {{"path", "label"}, {"a.png", "-1"}, {"b.png", "1"}}};
    EXPECT_THAT(labels(signs, "", {}), HasSubstr("--classes FILE"));
    EXPECT_EQ(labels(signs), "a.png -1; b.png 1; ");  // with three classes, these are not two
}

TEST_F(Layouts, LabelsThatCountFromOne) {
    const Table table{
        "ones.csv",
        ',',
        {{"path", "label"}, {"a.png", "1"}, {"b.png", "1"}, {"c.png", "2"}, {"d.png", "3"}}};
    EXPECT_THAT(labels(table),
                AllOf(HasSubstr("do the labels count from 1?"), HasSubstr("--classes FILE")));
    EXPECT_EQ(labels(table, "", {.classes = ClassList({"1", "2", "3"}, {"x", "y", "z"})}), right_);
    labels(table, "", {});
    EXPECT_THAT(notes_, Contains(HasSubstr("no label is 0")));
    EXPECT_THAT(unknown_label("0", ClassList({"1", "2", "3"})),
                AllOf(HasSubstr("is none of the 3 classes, whose ids are 1 to 3"),
                      HasSubstr("do the labels count from 0?"), HasSubstr("assay relabel")));
    EXPECT_EQ(unknown_label("7", ClassList({"1", "2", "3"})),
              "label 7 is none of the 3 classes, whose ids are 1 to 3");
}

TEST_F(Layouts, TwoWordsForOneLabelAreOne) {
    const Table table{"both.csv",
                      ',',
                      {{"image", "class_name", "class_id"},
                       {"a.png", "x", "0"},
                       {"b.png", "x", "0"},
                       {"c.png", "y", "1"},
                       {"d.png", "z", "2"}}};
    EXPECT_EQ(labels(table, "", {.classes = numbered_classes(3)}), right_);
    Table other = table;
    other.cells[1][2] = "1";
    EXPECT_THAT(labels(other, "", {.classes = numbered_classes(3)}),
                HasSubstr("several columns may hold the labels (class_id, class_name)"));
}

// If two columns have different values in each row, this does not show that one follows from the
// other.
TEST_F(Layouts, UnknownColumnsAreOneLabelOnlyWhereRowsShowIt) {
    const Cells rows = {{"file", "kind", "tone"},
                        {"a.png", "p", "x"},
                        {"b.png", "p", "x"},
                        {"c.png", "q", "y"},
                        {"d.png", "r", "z"}};
    EXPECT_EQ(labels({"k.csv", ',', rows}, "", {}), right_);
    const auto asked = AllOf(HasSubstr("several columns may hold the labels (kind, tone)"),
                             HasSubstr("--label-column none"));
    EXPECT_THAT(labels({"k.csv", ',', {rows[0], rows[1]}}, "", {}), asked);
    EXPECT_THAT(labels({"k.csv", ',', {rows[0], rows[1], rows[2]}}, "", {}), asked);
    EXPECT_THAT(labels({"k.csv", ',', {rows[0], rows[2], rows[3], rows[4]}}, "", {}), asked);
    // Each row names one of the classifier's classes in both columns, or in neither.
    const Cells named = {
        {"file", "kind", "tone"}, {"a.png", "cat", "cat"}, {"b.png", "dog", "dog"}};
    EXPECT_EQ(labels({"k.csv", ',', named}), "a.png 1; b.png 2; ");
    const Cells other = {
        {"file", "kind", "tone"}, {"a.png", "cat", "dog"}, {"b.png", "dog", "cat"}};
    EXPECT_THAT(labels({"k.csv", ',', other}), asked);
}

TEST_F(Layouts, LabelSetsInTextStayLabelSets) {
    const auto list = folder_.write("sets.txt", "a.png 0 2\nb.png 1\n");
    const Dataset dataset = open_dataset(folder_ / "images", {.list = list, .classes = birds()});
    EXPECT_THAT(dataset.labels[0], ElementsAre(0, 2));
    // Five ascending classes in each row may be five labels, or a label and a box.
    const auto five = folder_.write("five.txt", "a.png 0 1 2 3 4\nb.png 1 2 3 5 6\n");
    EXPECT_THAT(message_of([&] {
                    open_dataset(folder_ / "images",
                                 {.list = five, .classes = numbered_classes(9)});
                }),
                HasSubstr("--label-column NUMBER"));
}

TEST_F(Layouts, IdsThatSeveralImagesHaveAreRefused) {
    folder_.write("images/x/a.png");
    folder_.write("images/y/a.png");
    EXPECT_THAT(labels({"l.csv", ',', {{"id", "breed"}, {"x/a", "cat"}, {"y/a", "dog"}}}),
                "x/a.png 1; y/a.png 2; ");
    fs::remove(folder_ / "images/a.png");
    EXPECT_THAT(labels({"l.csv", ',', {{"id", "breed"}, {"a", "cat"}, {"b", "dog"}}}),
                HasSubstr("several items have a file named `a`"));
}

TEST_F(Layouts, SplitsAreCounted) {
    labels({"s.csv",
            ',',
            {{"path", "label", "split"},
             {"a.png", "0", "train"},
             {"b.png", "1", "train"},
             {"c.png", "2", "val"}}});
    EXPECT_THAT(notes_, Contains("s.csv: the rows of every split are used: 2 of train, 1 of val"));
}

// A file of labels next to images is read, or an option is needed. It is never ignored.
TEST_F(Layouts, BesideTheImagesAreNeverPassedOver) {
    for (const Table& table : layouts()) {
        const fs::path file = folder_.write("images/" + table.name, text_of(table));
        if (table.name == "metadata.csv") {  // in the form that `datasets` reads
            EXPECT_GT(open_dataset(folder_ / "images", {}).labels.labels(), 0U);
            fs::remove(file);
            continue;
        }
        const std::string message = message_of([&] { open_dataset(folder_ / "images", {}); });
        EXPECT_THAT(message,
                    AllOf(HasSubstr("--list " + file.string()), HasSubstr("--layout flat")));
        const Dataset without =
            open_dataset(folder_ / "images", {.layout = DatasetOptions::Layout::flat});
        EXPECT_EQ(without.labels.labels(), 0U);
        fs::remove(file);
    }
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"real.json", R"({"a.png": [0, 2]})"},
             {"lines.txt", "0\n0\n1\n2\n"},
             {"signs.csv", "path,label\na.png,-1\nb.png,1\n"}}) {
        const fs::path file = folder_.write("images/" + name, text);
        EXPECT_THAT(message_of([&] { open_dataset(folder_ / "images", {}); }), HasSubstr(name));
        fs::remove(file);
    }
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"README.txt", "four images\nof birds\n"},
             {"classes.txt", "big bird\ncat\ndog\n"},
             {"x.csv", ""},
             {"meta.json", "{}"},
             {"e.csv", "path,label\nelsewhere.jpg,1\n"}}) {
        const fs::path file = folder_.write("images/" + name, text);
        EXPECT_EQ(open_dataset(folder_ / "images", {}).labels.labels(), 0U) << name;
        fs::remove(file);
    }
}

TEST_F(Layouts, ReadLabelSetsHasTheSameVocabulary) {
    for (const Table& table : layouts()) {
        const Dataset images =
            open_dataset(folder_ / "images", {.layout = DatasetOptions::Layout::flat});
        LabelMatch match;
        std::vector<std::string> notes;
        const LabelSets sets = read_label_sets(folder_.write(table.name, text_of(table)), images,
                                               birds(), match, notes);
        std::string found;
        for (std::size_t i = 0; i < sets.size(); ++i) {
            ASSERT_EQ(sets[i].size(), 1U) << table.name;
            found += std::to_string(sets[i][0]) + " ";
        }
        EXPECT_EQ(found, "0 0 1 2 ") << table.name;
        EXPECT_THAT(notes, Contains(HasSubstr(table.name + ": labels: column ")));
    }
}

// torchvision and Keras number class folders in alphabetical order.
TEST_F(Layouts, NumberedFoldersSayWhichOrderIsTaken) {
    for (int c = 0; c < 12; ++c) folder_.write("numbers/" + std::to_string(c) + "/x.png");
    std::vector<std::string> notes;
    const Dataset dataset =
        open_dataset(folder_ / "numbers", {.classes = numbered_classes(12)}, &notes);
    EXPECT_EQ(dataset.ids[2], "10/x.png");
    EXPECT_EQ(dataset.single_label(2), 10);
    EXPECT_THAT(notes, Contains(AllOf(HasSubstr("(0, 1, 10, ...)"), HasSubstr("--classes FILE"))));
    notes.clear();
    for (int c = 0; c < 3; ++c) folder_.write("few/" + std::to_string(c) + "/x.png");
    open_dataset(folder_ / "few", {.classes = numbered_classes(3)}, &notes);
    EXPECT_THAT(notes, Not(Contains(HasSubstr("--classes"))));
    // The two folders are some of the classes, so the message cannot name a third folder.
    for (const char* image : {"two/10/x.png", "two/2/x.png"}) folder_.write(image);
    open_dataset(folder_ / "two", {.classes = numbered_classes(12)}, &notes);
    EXPECT_THAT(notes, Contains(HasSubstr("as text (10, 2).")));
}

TEST(WholeNumber, OnlyZerosBehindThePoint) {
    EXPECT_EQ(whole_number("3.0"), "3");
    EXPECT_EQ(whole_number("12.00"), "12");
    EXPECT_EQ(whole_number("-1.0"), "-1");
    for (const char* text : {"3.5", "3.", ".0", "3.0.0", "a.0", "", "-.0", "3"})
        EXPECT_EQ(whole_number(text), text);
}

// The lists in the shared data, each with the correct result.
TEST(SharedReports, LabelLists) {
    const fs::path reports = fs::path(ASSAY_SOURCE_DIR) / "../shared/data/reports";
    if (!fs::exists(reports)) GTEST_SKIP() << reports << " is not there";
    const TempFolder folder;
    const ClassList birds_of_list = read_class_list(reports / "c3.txt");
    EXPECT_EQ(birds_of_list.ids(), (std::vector<std::string>{"big bird", "cat", "dog"}));
    EXPECT_EQ(read_class_list(reports / "c4.txt").ids(),
              (std::vector<std::string>{"a", "b", "c", "d"}));
    for (const char* name : {"name.csv", "onehot.csv", "kaggle.csv", "semi.csv", "float.csv"}) {
        const fs::path images = folder / "birds";
        for (const int c : {0, 1, 2}) {
            for (const int i : {0, 1, 2, 3})
                folder.write("birds/im_" + std::to_string(c) + std::to_string(i) + ".png");
        }
        const Dataset dataset =
            open_dataset(images, {.list = reports / name, .classes = birds_of_list});
        ASSERT_GT(dataset.size(), 8U) << name;
        for (std::size_t i = 0; i < dataset.size(); ++i) {
            const std::string id(dataset.ids[i]);
            EXPECT_EQ(dataset.single_label(i), id[3] - '0') << name << " " << id;
        }
    }
    const ClassList tiny = read_class_list(reports / "wn200.txt");
    ASSERT_EQ(tiny.size(), 200U);
    EXPECT_EQ(tiny.id(0), "n01440764");
    folder.write("val/val_0.JPEG");
    const Dataset val =
        open_dataset(folder / "val", {.list = reports / "val_annotations.txt", .classes = tiny});
    EXPECT_TRUE(val.labels.is_single());
    EXPECT_EQ(val.labels.labels(), val.size());
    EXPECT_EQ(tiny.id(static_cast<std::size_t>(val.single_label(0))), "n02965783");
    folder.write("signs/00000.ppm");
    folder.write("boxes/00000.png");
    for (const auto& [list, where] : std::vector<std::pair<std::string, std::string>>{
             {"GT-final_test.csv", "signs"}, {"box.txt", "boxes"}}) {
        const Dataset dataset =
            open_dataset(folder / where, {.list = reports / list, .classes = numbered_classes(3)});
        ASSERT_GT(dataset.size(), 3U) << list;
        for (std::size_t i = 0; i < dataset.size(); ++i)
            EXPECT_EQ(dataset.single_label(i), static_cast<std::int32_t>(i % 3)) << list;
    }
}

}  // namespace
}  // namespace assay
