// Saved predictions in common forms: in other orders, without extensions, with labels next to the
// scores, or with only the predicted class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "assay/store/import.h"
#include "assay/store/row_reader.h"
#include "containers/npy.h"
#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class PeoplesImports : public testing::Test {
protected:
    ImportReport import(const std::string& name, const std::string& text,
                        ImportOptions options = {}, const std::string& runs = "runs") {
        put_text(scratch_ / name, text);
        if (options.dataset_name.empty()) options.dataset_name = "val";
        if (options.model_name.empty()) options.model_name = "net";
        return import_predictions(scratch_ / name, scratch_ / runs, options);
    }
    std::string refusal(const std::string& name, const std::string& text,
                        const ImportOptions& options = {}) {
        const auto [code, message] = error_of([&] { import(name, text, options, "refused"); });
        EXPECT_TRUE(code == ErrorCode::bad_input || code == ErrorCode::usage);
        return message;
    }
    ImportOptions with_items(const std::string& text, const std::string& name = "items.csv") {
        put_text(scratch_ / name, text);
        ImportOptions options;
        options.ids = scratch_ / name;
        return options;
    }
    static std::vector<std::string> ids(const PredictionStore& store) {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < store.dataset().size(); ++i)
            out.emplace_back(store.dataset().ids[i]);
        return out;
    }
    static std::vector<std::int32_t> labels(const PredictionStore& store) {
        std::vector<std::int32_t> out;
        for (std::size_t i = 0; i < store.dataset().size(); ++i)
            out.push_back(store.dataset().single_label(i));
        return out;
    }
    static std::vector<std::int32_t> predicted(const PredictionStore& store) {
        const RowReader reader(store);
        std::vector<std::int32_t> out;
        for (std::uint64_t row = 0; row < store.rows(); ++row) {
            RowPrediction prediction;
            EXPECT_EQ(reader.read(row, {}, prediction), RowStatus::ok);
            out.push_back(prediction.predicted);
        }
        return out;
    }
    Scratch scratch_;
};

// Row i predicts class i.
constexpr const char* shuffled = "image_id,c0,c1,c2\nval/b,-1,5,0\nval/c,0,-2,5\nval/a,5,0,-1\n";

TEST_F(PeoplesImports, RowsAreMatchedByTheirIds) {
    const ImportReport report =
        import("m.csv", shuffled,
               with_items("filename,label,size\nval/a.jpg,0,9\nval/b.jpg,1,8\nval/c.jpg,2,7\n"));
    EXPECT_THAT(report.notes,
                Contains(HasSubstr("sorted by their ids into the order of `items.csv`")));
    const PredictionStore store = PredictionStore::open(report.store);
    EXPECT_THAT(ids(store), ElementsAre("val/a.jpg", "val/b.jpg", "val/c.jpg"));
    EXPECT_THAT(predicted(store), ElementsAre(0, 1, 2));
    EXPECT_THAT(labels(store), ElementsAre(0, 1, 2));
    EXPECT_EQ(store.dataset().attributes.at(0).values[2], "7");
    EXPECT_EQ(store.shard(0).f32()[8], 5);  // the whole row of c is imported

    // Scores without ids are in the order of the list, and need the same number of rows.
    EXPECT_THAT(refusal("m.csv", "c0,c1,c2\n1,2,3\n", with_items("id\na\nb\n")),
                HasSubstr("has 2 ids, the scores have 1 rows"));
}

TEST_F(PeoplesImports, LabelsWithoutNamesAreInTheOrderOfTheScores) {
    put_text(scratch_ / "labels.txt", "1\n2\n0\n");
    ImportOptions options = with_items("val/a.jpg\nval/b.jpg\nval/c.jpg\n", "items.txt");
    options.labels = scratch_ / "labels.txt";
    const PredictionStore store = PredictionStore::open(import("m.csv", shuffled, options).store);
    EXPECT_THAT(predicted(store), ElementsAre(0, 1, 2));
    EXPECT_THAT(labels(store), ElementsAre(0, 1, 2));
}

// Columns of two annotators, and two columns of images. Options select them by name.
TEST_F(PeoplesImports, ColumnsOfTheLabelsFileAreNamed) {
    put_text(scratch_ / "people.csv",
             "first,second,old_file,new_file\n1,2,b.jpg,a.jpg\n2,0,c.jpg,b.jpg\n0,1,a.jpg,c.jpg\n");
    ImportOptions options = with_items("a.jpg\nb.jpg\nc.jpg\n", "items.txt");
    options.labels = scratch_ / "people.csv";
    const std::string scores = "c0,c1,c2,first\n9,1,2,7\n1,9,2,7\n1,2,9,7\n";
    options.columns.ignored = {"first"};  // for the scores, which have no column `second`
    EXPECT_THAT(refusal("m.csv", scores, options),
                AllOf(HasSubstr("people.csv"), HasSubstr("give one of them, --image-column NAME")));
    options.image_column = "new_file";
    options.columns.label = "second";
    EXPECT_THAT(labels(PredictionStore::open(import("m.csv", scores, options).store)),
                ElementsAre(2, 0, 1));
    options.image_column = "old_file";
    options.columns.label = "first";
    EXPECT_THAT(labels(PredictionStore::open(import("m.csv", scores, options, "other").store)),
                ElementsAre(0, 1, 2));
    options.columns.label = "third";
    EXPECT_THAT(refusal("m.csv", scores, options),
                AllOf(HasSubstr("--label-column"), HasSubstr("`third`")));
    put_text(scratch_ / "sets.json", "[[0], [1], [2]]");
    options.labels = scratch_ / "sets.json";
    EXPECT_THAT(refusal("m.csv", scores, options), HasSubstr("sets.json has no columns"));
    options = {};
    options.image_column = "file";
    EXPECT_THAT(refusal("m.csv", scores, options),
                HasSubstr("--image-column is for a table of labels or of items"));
}

// With an array, the options name columns of the list of items. With a table, --label-column names
// a column of the table.
TEST_F(PeoplesImports, ColumnsOfTheListOfItemsAreNamed) {
    const std::string items = "name,first,second\na.jpg,1,2\nb.jpg,2,0\n";
    ImportOptions options = with_items(items);
    options.image_column = "name";
    options.columns.label = "second";
    const std::uint64_t shape[] = {2, 3};
    const std::vector<float> numbers = {9, 1, 2, 1, 9, 2};
    std::string npy = npy_header("<f4", shape);
    npy.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    const PredictionStore store = PredictionStore::open(import("m.npy", npy, options).store);
    EXPECT_THAT(ids(store), ElementsAre("a.jpg", "b.jpg"));
    EXPECT_THAT(labels(store), ElementsAre(2, 0));
    options.columns.label = "truth";
    EXPECT_THAT(labels(PredictionStore::open(
                    import("m.csv", "c0,c1,c2,truth\n9,1,2,1\n1,9,2,0\n", options, "table").store)),
                ElementsAre(1, 0));
}

TEST_F(PeoplesImports, RowsOfNoItemAreLeftOutAndCounted) {
    const ImportReport report = import("m.csv", shuffled, with_items("id\nval/c.png\nval/a.png\n"));
    EXPECT_EQ(report.rows, 2U);
    EXPECT_EQ(report.left_out, 1U);
    EXPECT_THAT(report.notes,
                Contains(HasSubstr(
                    "skipped 1 of 3 rows of the scores, which are not items of `items.csv`")));
    EXPECT_THAT(predicted(PredictionStore::open(report.store)), ElementsAre(2, 0));

    EXPECT_THAT(refusal("m.csv", shuffled, with_items("id\na\nb\nc\nd\nval/e\n")),
                HasSubstr("2 of the 5 items of `items.csv` have no row among the 3 of the scores "
                          "(the first: `d`)"));
    EXPECT_THAT(
        refusal("m.csv", "id,c0,c1\na.jpg,1,2\na.png,2,1\n", with_items("id\na\n")),
        HasSubstr("rows 0 and 1 of the scores, `a.jpg` and `a.png`, both match the item `a`"));
}

TEST_F(PeoplesImports, AnotherOrderFollowsTheDataSetThatIsThere) {
    import("first.csv",
           "id,c0,c1,c2,label\nval/a.jpg,5,0,0,0\nval/b.jpg,0,5,0,1\n"
           "val/c.jpg,0,0,5,2\n");
    ImportOptions options;
    options.model_name = "second";
    const ImportReport second = import("m.csv", shuffled, options);
    EXPECT_THAT(second.notes, Contains(HasSubstr("order of the existing data set")));
    const PredictionStore store = PredictionStore::open(second.store);
    EXPECT_THAT(ids(store), ElementsAre("val/a.jpg", "val/b.jpg", "val/c.jpg"));
    EXPECT_THAT(predicted(store), ElementsAre(0, 1, 2));
    EXPECT_THAT(labels(store), ElementsAre(0, 1, 2));
    // Then best-k files need no number of classes, either.
    options.model_name = "third";
    const ImportReport top =
        import("top.csv", "filename,index,prob\nc,2,0.9\na,0,0.8\nb,1,0.7\n", options);
    EXPECT_THAT(predicted(PredictionStore::open(top.store)), ElementsAre(0, 1, 2));
    // Rows without ids are not matched to existing items. The printed command matches them.
    options.model_name = "unnamed";
    const std::string refused =
        error_of([&] { import("n.csv", "c0,c1,c2\n5,1,1\n1,5,1\n1,1,5\n", options); }).second;
    EXPECT_THAT(refused, HasSubstr("--items " + (scratch_ / "runs/val/items.csv").string()));
    options.ids = scratch_ / "runs/val/items.csv";
    const ImportReport unnamed = import("n.csv", "c0,c1,c2\n5,1,1\n1,5,1\n1,1,5\n", options);
    EXPECT_THAT(labels(PredictionStore::open(unnamed.store)), ElementsAre(0, 1, 2));
    options.ids.clear();
    // Other items make another data set.
    options.model_name = "fourth";
    EXPECT_THAT(error_of([&] {
                    import("m.csv", "id,c0,c1,c2\na,1,2,3\nz,3,2,1\nb,1,3,2\n", options);
                }).second,
                HasSubstr("has other items"));
}

TEST_F(PeoplesImports, AColumnOfLabelsIsUsedOrNamed) {
    const ImportReport used = import("m.csv", "id,c0,c1,target\na,2,1,1\nb,1,2,1.0\n");
    EXPECT_THAT(used.notes, Contains(HasSubstr("`target` of the scores holds the items' labels")));
    EXPECT_THAT(labels(PredictionStore::open(used.store)), ElementsAre(1, 1));
    const std::string not_classes = "id,c0,c1,label\na,2,1,cat\nb,1,2,dog\n";
    EXPECT_THAT(refusal("m.csv", not_classes),
                HasSubstr("the label `cat` in `label` of row 0 is none of the 2 classes: 0, 1. To "
                          "import the scores without labels, pass --label-column none"));
    ImportOptions without;
    without.columns.label = no_column;
    const ImportReport unlabelled = import("m.csv", not_classes, without, "other");
    EXPECT_THAT(labels(PredictionStore::open(unlabelled.store)), ElementsAre(-1, -1));
    const ImportReport list = import("m.csv", "id,c0,c1,label\na,2,1,1\nb,1,2,1\n",
                                     with_items("id,label\na,0\nb,0\n"), "list");
    EXPECT_THAT(list.notes, Contains(HasSubstr("the labels of `items.csv` are used, not those of "
                                               "the scores' own `label`")));
    EXPECT_THAT(labels(PredictionStore::open(list.store)), ElementsAre(0, 0));
    // A text column that is neither ids nor labels is named, too. A single text column next to the
    // scores must be the ids.
    const ImportReport other =
        import("m.csv", "fname,split,c0,c1\na,val,2,1\nb,val,1,2\n", {}, "third");
    EXPECT_THAT(other.notes, Contains("ids: column fname; scores: 2 columns c0, c1; not used: "
                                      "split"));
    const ImportReport named = import("m.csv", "ref,c0,c1\na,2,1\nb,1,2\n", {}, "fourth");
    EXPECT_THAT(named.notes, Contains("the column `ref` is used as the ids"));
    EXPECT_THAT(ids(PredictionStore::open(named.store)), ElementsAre("a", "b"));
}

TEST_F(PeoplesImports, APredictionIsNotTheLabelBesideIt) {
    // If the label were read as the class of the entry, it would get the prediction's score.
    for (const char* text :
         {"id,label,prediction,prob\na,0,2,0.9\nb,1,1,0.5\n",
          "id,y_true,y_pred,confidence\na,0,2,0.9\nb,1,1,0.5\n", "id,label,pred\na,0,2\nb,1,1\n",
          "image_id,ground_truth,predicted_class\na,0,2\nb,1,1\n"}) {
        SCOPED_TRACE(text);
        const Scratch runs;
        put_text(scratch_ / "p.csv", text);
        ImportOptions options;
        options.dataset_name = "val";
        options.class_count = 3;
        const ImportReport report = import_predictions(scratch_ / "p.csv", runs.path(), options);
        const PredictionStore store = PredictionStore::open(report.store);
        EXPECT_THAT(predicted(store), ElementsAre(2, 1));
        EXPECT_THAT(labels(store), ElementsAre(0, 1));
    }
}

TEST_F(PeoplesImports, ALineWithoutALabelHasNone) {
    // The value of the previous line must not be used.
    const char* full =
        "{\"id\": \"a\", \"label\": 1, \"logits\": [1, 2, 3]}\n"
        "{\"id\": \"b\", \"logits\": [3, 2, 1]}\n"
        "{\"id\": \"c\", \"label\": null, \"logits\": [1, 3, 2]}\n"
        "{\"id\": \"d\", \"label\": 2.0, \"logits\": [1, 3, 2]}\n";
    EXPECT_THAT(labels(PredictionStore::open(import("l.jsonl", full).store)),
                ElementsAre(1, -1, -1, 2));
    // The first line has no value.
    const char* later =
        "{\"id\": \"a\", \"logits\": [1, 2, 3]}\n"
        "{\"id\": \"b\", \"target\": 0, \"logits\": [3, 2, 1]}\n";
    EXPECT_THAT(labels(PredictionStore::open(import("l.jsonl", later, {}, "later").store)),
                ElementsAre(-1, 0));
    // With one line for each entry, at least one entry of an image has its label.
    ImportOptions options;
    options.class_count = 3;
    const char* entries =
        "{\"id\": \"a\", \"target\": 2, \"index\": 0, \"prob\": 0.6}\n"
        "{\"id\": \"a\", \"index\": 1, \"prob\": 0.4}\n"
        "{\"id\": \"b\", \"index\": 1, \"prob\": 0.7}\n"
        "{\"id\": \"b\", \"index\": 2, \"prob\": 0.3}\n"
        "{\"id\": \"c\", \"index\": 1, \"prob\": 0.7}\n"
        "{\"id\": \"c\", \"target\": 0, \"index\": 2, \"prob\": 0.3}\n";
    EXPECT_THAT(labels(PredictionStore::open(import("e.jsonl", entries, options, "e").store)),
                ElementsAre(2, -1, 0));
    // A column without any label does not count as labels.
    const ImportReport none =
        import("l.jsonl", "{\"id\": \"a\", \"label\": null, \"logits\": [1, 2, 3]}\n", {}, "none");
    EXPECT_THAT(none.notes, Not(Contains(HasSubstr("holds the items' labels"))));
}

TEST_F(PeoplesImports, AMissingScoreIsNoCertainty) {
    // If it were read as a predicted class, the second line would have probability 1.
    ImportOptions options;
    options.class_count = 3;
    EXPECT_THAT(
        refusal("p.jsonl",
                "{\"id\": \"a\", \"pred\": 2, \"prob\": 0.6}\n{\"id\": \"b\", \"pred\": 1}\n",
                options),
        AllOf(HasSubstr("some rows have scores and others a class only"),
              HasSubstr("p.jsonl line 2")));
    EXPECT_THAT(
        refusal("p.jsonl",
                "{\"id\": \"a\", \"pred\": 2}\n{\"id\": \"b\", \"pred\": 1, \"prob\": 0.6}\n",
                options),
        HasSubstr("some rows have scores and others a class only"));
}

TEST_F(PeoplesImports, AClassMayBeCalledY) {
    const ImportReport report = import("m.csv", "id,x,y,z\na,1,2,3\nb,3,2,1\n");
    EXPECT_EQ(report.classes, 3U);
    EXPECT_THAT(predicted(PredictionStore::open(report.store)), ElementsAre(2, 0));
}

TEST_F(PeoplesImports, RowNumbersOfPandasAreNoClasses) {
    ImportOptions options;
    options.class_count = 5;
    const ImportReport report =
        import("p.csv", "index,filename,label,prob\n0,a,4,0.9\n1,b,3,0.8\n2,c,2,0.7\n", options);
    EXPECT_THAT(report.notes, Contains(HasSubstr("the column `index` counts the rows")));
    EXPECT_THAT(predicted(PredictionStore::open(report.store)), ElementsAre(4, 3, 2));
    // Before a matrix, they are not scores.
    const ImportReport matrix = import("m.csv", ",filename,c0,c1\n0,a,1,2\n1,b,2,1\n", {}, "other");
    EXPECT_EQ(matrix.classes, 2U);
    EXPECT_THAT(ids(PredictionStore::open(matrix.store)), ElementsAre("a", "b"));
    const ImportReport numbered = import("n.csv", ",c0,c1\n0,1,2\n1,2,1\n", {}, "third");
    EXPECT_THAT(ids(PredictionStore::open(numbered.store)), ElementsAre("0", "1"));
}

TEST_F(PeoplesImports, PredictedClassesAlone) {
    ImportOptions options;
    options.class_count = 10;
    const auto check = [&](const ImportReport& report) {
        EXPECT_EQ(report.kind, ScoreKind::labels);
        EXPECT_EQ(report.storage, StorageFormat::label);
        EXPECT_THAT(report.notes, Contains(HasSubstr("predicted classes")));
        const PredictionStore store = PredictionStore::open(report.store);
        EXPECT_THAT(predicted(store), ElementsAre(7, 0, 9));
        EXPECT_TRUE(verify_store(report.store).empty());
        const RowReader reader(store);
        EXPECT_FALSE(reader.has_probabilities());
        EXPECT_EQ(reader.depth(), 1U);
        RowPrediction row;
        const std::int32_t seven = 7;
        EXPECT_EQ(reader.read(0, {&seven, 1}, row), RowStatus::ok);
        EXPECT_EQ(row.rank, 0);
        EXPECT_FALSE(row.target_known);  // no probability was given
        EXPECT_EQ(row.confidence, 0);
    };
    const std::string labels_alone = "filename,label\na.jpg,7\nb.jpg,0\nc.jpg,9\n";
    EXPECT_THAT(refusal("a.csv", labels_alone, options),
                AllOf(HasSubstr("the column `label` may hold the predicted classes or the images' "
                                "labels"),
                      HasSubstr("--score-columns label")));
    ImportOptions told = options;
    told.columns.scores = {"label"};
    check(import("a.csv", labels_alone, told, "1"));
    check(import("a.csv", "ImageId,Prediction\na,7\nb,0\nc,9\n", options, "2"));
    check(import("a.csv", "id,top1,pred\na,x,7\nb,y,0\nc,z,9\n", options, "3"));
    check(import("a.jsonl",
                 "{\"id\":\"a\",\"pred\":7}\n{\"id\":\"b\",\"pred\":0}\n"
                 "{\"id\":\"c\",\"pred\":9}\n",
                 options, "4"));
    const std::vector<std::int64_t> classes = {7, 0, 9};
    const std::uint64_t shape[] = {3};
    std::string npy = npy_header("<i8", shape);
    npy.append(reinterpret_cast<const char*>(classes.data()), 24);
    check(import("a.npy", npy, options, "5"));

    EXPECT_THAT(refusal("a.npy", npy), HasSubstr("pass the number of classes"));
    options.class_count = 9;
    EXPECT_THAT(refusal("a.npy", npy, options),
                AllOf(HasSubstr("class 9 is not among the 9 classes"), HasSubstr("row 2")));
    options.class_count = 10;
    options.kind = ScoreKind::logits;
    EXPECT_THAT(refusal("a.npy", npy, options), HasSubstr("not scores: omit --kind"));
    options.kind.reset();
    options.storage = StorageFormat::full_f32;
    EXPECT_THAT(refusal("a.npy", npy, options), HasSubstr("full_f32 cannot be stored"));
}

TEST_F(PeoplesImports, LabelsInAnNpzAreUsed) {
    // From make_import_fixtures.py: logits (30 x 7), labels (30) and epoch (one number).
    ImportOptions options;
    options.dataset_name = "val";
    const ImportReport report = import_predictions(
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures/labelled.npz",
        scratch_ / "runs", options);
    EXPECT_EQ(report.array, "logits");
    EXPECT_THAT(report.notes, AllOf(Contains("`labels` of the scores holds the items' labels"),
                                    Contains(HasSubstr("the array `epoch` () <i8 is not used"))));
    const PredictionStore store = PredictionStore::open(report.store);
    for (std::size_t i = 0; i < 30; ++i)
        EXPECT_EQ(store.dataset().single_label(i), static_cast<std::int32_t>(i * 3 % 7));
}

TEST_F(PeoplesImports, NumpyLabelsBesideScores) {
    const std::vector<std::int64_t> classes = {2, 0};
    const std::uint64_t shape[] = {2};
    std::string npy = npy_header("<i8", shape);
    npy.append(reinterpret_cast<const char*>(classes.data()), 16);
    put_text(scratch_ / "labels.npy", npy);
    ImportOptions options;
    options.labels = scratch_ / "labels.npy";
    const ImportReport report = import("m.csv", "c0,c1,c2\n1,2,3\n3,2,1\n", options);
    EXPECT_THAT(labels(PredictionStore::open(report.store)), ElementsAre(2, 0));
    options = with_items("x\n");
    options.ids = scratch_ / "labels.npy";
    EXPECT_THAT(refusal("m.csv", "c0,c1\n1,2\n", options), HasSubstr("go to --labels"));
}

/// A .npy file with NumPy's fixed-width texts. `descr` is "<U4" or "|S4".
std::string npy_of_texts(const std::vector<std::string>& texts, const std::string& descr) {
    const std::size_t width = std::stoul(descr.substr(2)), size = descr[1] == 'U' ? 4 : 1;
    const std::uint64_t shape[] = {texts.size()};
    std::string out = npy_header(descr, shape);
    for (const std::string& text : texts) {
        for (std::size_t i = 0; i < width; ++i) {
            out += i < text.size() ? text[i] : '\0';
            out.append(size - 1, '\0');
        }
    }
    return out;
}

TEST_F(PeoplesImports, NumpyTextsAreIds) {
    for (const char* descr : {"<U6", "|S6"}) {
        put_text(scratch_ / "ids.npy", npy_of_texts({"b.png", "a.png"}, descr));
        ImportOptions options;
        options.dataset_name = "val";
        options.ids = scratch_ / "ids.npy";
        const ImportReport report = import("m.csv", "c0,c1\n1,2\n3,2\n", options, descr + 1);
        EXPECT_THAT(ids(PredictionStore::open(report.store)), ElementsAre("b.png", "a.png"));
        put_text(scratch_ / "ids.npy", npy_of_texts({"b.png", "a.png", "c.png"}, descr));
        EXPECT_THAT(refusal("m.csv", "c0,c1\n1,2\n3,2\n", options),
                    HasSubstr("has 3 ids, the scores have 2 rows"));
        put_text(scratch_ / "ids.npy", npy_of_texts({"b.png", "a.png"}, descr) + "?");
        EXPECT_THAT(refusal("m.csv", "c0,c1\n1,2\n3,2\n", options), HasSubstr("bytes"));
    }
}

// From make_import_fixtures.py: scores (4 x 3), filenames and labels as texts, authors of 2.
TEST_F(PeoplesImports, TextsInAnNpzAreIdsAndLabels) {
    ImportOptions options;
    options.dataset_name = "val";
    const auto file = std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures/texts.npz";
    options.classes = ClassList({"cat", "dog", "b\xc3\xa4r"});
    const ImportReport report = import_predictions(file, scratch_ / "runs", options);
    EXPECT_THAT(report.notes, Contains(HasSubstr("the array `authors` (2,) of texts is not used")));
    const PredictionStore store = PredictionStore::open(report.store);
    EXPECT_THAT(ids(store), ElementsAre("d/4.png", "c/3.png", "b/2.png", "\xc3\xa4/1.png"));
    EXPECT_THAT(labels(store), ElementsAre(0, 1, 2, 0));
}

TEST_F(PeoplesImports, MaskedScores) {
    const char* csv = "id,c0,c1,c2\na,1.5,-inf,2\nb,-Infinity,3,-inf\nc,-inf,-inf,-inf\n";
    const ImportReport report = import("m.csv", csv);
    EXPECT_EQ(report.kind, ScoreKind::logits);
    EXPECT_EQ(report.bad_rows, 1U);  // class c is fully masked
    EXPECT_THAT(report.first_error, HasSubstr("c: no class has a score above -infinity"));
    // Infinities have the form of Python's json module. The scores are log-probabilities of the
    // softmax over the classes that are not masked.
    const ImportReport json =
        import("m.jsonl",
               "{\"id\": \"a\", \"scores\": [-0.6931472, -Infinity, -0.6931472]}\n"
               "{\"id\": \"NaN b\", \"scores\": [-Infinity, 0.0, -Infinity]}\n"
               "{\"id\": \"c\", \"scores\": [NaN, 0, null]}\n",
               {}, "json");
    EXPECT_EQ(json.kind, ScoreKind::log_probabilities);
    EXPECT_EQ(json.bad_rows, 1U);
    const PredictionStore store = PredictionStore::open(json.store);
    EXPECT_THAT(ids(store), ElementsAre("a", "NaN b", "c"));
    EXPECT_EQ(store.shard(0).f32()[1], -std::numeric_limits<float>::infinity());
}

TEST_F(PeoplesImports, FilesThatPythonAloneReadsAreAnsweredWithACommand) {
    EXPECT_THAT(refusal("logits.pt", "PK"),
                AllOf(HasSubstr("files ending in `.pt` are not supported"),
                      HasSubstr("To convert it: python3 -c \"import numpy, torch; "),
                      HasSubstr("numpy.savez('logits.npz'"), HasSubstr("v.detach()"),
                      HasSubstr("{k: a(v) for k, v in t.items()}"),
                      HasSubstr("; then rerun the command with logits.npz")));
    EXPECT_THAT(refusal("p.feather", "FEA1"),
                AllOf(HasSubstr("version 1 of Feather"), HasSubstr("pandas.read_feather(")));
    EXPECT_THAT(refusal("p.arrow", "ARROW1"), AllOf(HasSubstr("import pyarrow.ipc as a"),
                                                    HasSubstr("to_csv('p.csv', index=False)")));
    EXPECT_THAT(refusal("p.h5.gz", "x"), AllOf(HasSubstr("gunzip -k "), HasSubstr("p.h5")));
    EXPECT_THAT(refusal("p.docx", "x"), Not(HasSubstr("This converts it")));
    // Texts in a printed command are quoted for the shell.
    EXPECT_THAT(refusal("a$(b)'c.pt", "PK"), Not(HasSubstr("To convert it")));
}

TEST_F(PeoplesImports, ATableOfResultsIsNoPrediction) {
    EXPECT_THAT(refusal("results-imagenet-a.csv",
                        "model,img_size,top1,top1_err,top5\nresnet50,224,80.1,19.9,95.2\n"),
                HasSubstr("a table of results with one row per model, but"));
    EXPECT_THAT(
        refusal("list.csv", "id,split,source\na,val,x\n"),
        HasSubstr(
            "no column holds scores or predicted classes; the columns are: id, split, source"));
}

}  // namespace
}  // namespace assay
