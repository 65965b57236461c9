// Files from scikit-learn, Keras, torchmetrics, transformers, pandas, NumPy and joblib
// (make_tool_fixtures.py; docs/formats.md has the versions). All hold the predictions of one
// classifier.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/store/row_reader.h"
#include "containers/npy_stream.h"
#include "core/file.h"
#include "imports.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const fs::path tools = fs::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures/tools";
constexpr std::size_t tool_rows = 12, tool_classes = 3;

/// The results of predict_proba() and predict().
std::vector<float> scores_in(const char* npy) {
    const MappedFile file(tools / npy);
    const NpyView view = parse_npy(file.bytes());
    std::vector<float> scores(static_cast<std::size_t>(view.count()));
    view.values.floats(0, scores);
    return scores;
}

class ToolFiles : public Imports {
protected:
    ImportReport read(const std::string& file, ImportOptions options = {}) {
        options.dataset_name = "val";
        options.model_name = "net";
        return import_predictions(tools / file, scratch_ / ("tool" + std::to_string(++runs_)),
                                  options);
    }
    std::string refused(const std::string& file, const ImportOptions& options = {}) {
        return error_of([&] { read(file, options); }).second;
    }
    static void expect_scores(const ImportReport& report, const std::vector<float>& expected) {
        constexpr double rounding = 1e-6;  // for 32-bit numbers, and for 15 digits
        const PredictionStore store = PredictionStore::open(report.store);
        ASSERT_EQ(store.rows(), tool_rows);
        ASSERT_EQ(store.classes(), tool_classes);
        const RowReader reader(store);
        std::vector<float> buffer;
        for (std::size_t r = 0; r < tool_rows; ++r) {
            const std::span<const float> row = reader.scores(r, buffer);
            for (std::size_t c = 0; c < tool_classes; ++c)
                EXPECT_NEAR(row[c], expected[r * tool_classes + c], rounding) << r << " " << c;
        }
    }

private:
    int runs_ = 0;
};

struct ToolFile {
    const char* file;
    const char* npy;  ///< another file that has the same scores
    bool labelled, named;
    std::vector<std::string> classes{};  ///< class list that the user gives
};

class ToolScores : public ToolFiles, public testing::WithParamInterface<ToolFile> {};

TEST_P(ToolScores, AreThoseOfTheModel) {
    const ToolFile& tool = GetParam();
    ImportOptions options;
    if (!tool.classes.empty()) options.classes = ClassList(tool.classes);
    const ImportReport report = read(tool.file, options);
    EXPECT_EQ(report.kind, ScoreKind::probabilities);
    expect_scores(report, scores_in(tool.npy));
    const std::vector<std::int32_t> labels = labels_of(report);
    for (std::size_t r = 0; r < tool_rows; ++r)
        EXPECT_EQ(labels[r], tool.labelled ? static_cast<std::int32_t>(r % 3) : -1) << r;
    const Dataset dataset = PredictionStore::open(report.store).dataset();
    EXPECT_EQ(dataset.ids[3], tool.named ? "img_03.jpg" : "3");
}

const std::vector<std::string> animals = {"cat", "dog", "emu"};
constexpr const char* of_sklearn = "sklearn_proba.npy";
INSTANTIATE_TEST_SUITE_P(
    Files, ToolScores,
    testing::Values(ToolFile{"sklearn_proba.npy", of_sklearn, false, false},
                    ToolFile{"sklearn.npz", of_sklearn, true, false},
                    ToolFile{"sklearn_proba.txt", of_sklearn, false, false},
                    ToolFile{"sklearn_proba_header.txt", of_sklearn, false, false},
                    ToolFile{"sklearn_proba.csv", of_sklearn, false, false},
                    ToolFile{"pandas.csv", of_sklearn, true, true},
                    ToolFile{"pandas_index.csv", of_sklearn, true, true},
                    ToolFile{"pandas.csv.gz", of_sklearn, true, true},
                    ToolFile{"pandas.tsv", of_sklearn, true, true},
                    ToolFile{"pandas_excel.csv", of_sklearn, true, true},
                    ToolFile{"pandas.parquet", of_sklearn, true, true},
                    ToolFile{"pandas.feather", of_sklearn, true, true},
                    ToolFile{"pandas_category.feather", of_sklearn, true, true},
                    ToolFile{"polars.arrow", of_sklearn, true, true},
                    ToolFile{"polars_stream.arrow", of_sklearn, true, true},
                    ToolFile{"pandas_records.json", of_sklearn, true, true},
                    ToolFile{"pandas_lines.jsonl", of_sklearn, true, true},
                    ToolFile{"pandas_scores_records.json", of_sklearn, false, false},
                    ToolFile{"pandas_scores_index.json", of_sklearn, false, false},
                    ToolFile{"pandas_scores_values.json", of_sklearn, false, false},
                    ToolFile{"pandas_named_index.json", of_sklearn, false, true},
                    ToolFile{"keras_predict.npy", "keras_predict.npy", false, false},
                    ToolFile{"keras_predict.csv", "keras_predict.npy", false, false},
                    ToolFile{"keras_predict.h5", "keras_predict.npy", true, true},
                    ToolFile{"torchmetrics.npz", of_sklearn, true, false}),
    [](const auto& tool) {
        std::string name = tool.param.file;
        for (char& c : name)
            if (c == '.') c = '_';
        return name;
    });

// These files only have predicted classes.
TEST_F(ToolFiles, PredictedClasses) {
    ImportOptions options;
    options.classes = ClassList(animals);
    for (const char* file : {"sklearn_predict.npy", "keras_results.csv"}) {
        SCOPED_TRACE(file);
        const ImportReport report = read(file, options);
        EXPECT_EQ(report.kind, ScoreKind::labels);
        EXPECT_EQ(report.rows, tool_rows);
    }
}

// These files have all scores of each image (best first), or the best two.
TEST_F(ToolFiles, PipelinesOfTransformers) {
    const ImportReport all = read("transformers_all.json");
    EXPECT_EQ(all.classes, 3U);
    EXPECT_EQ(all.top_k, 0U);
    ImportOptions options;
    options.classes = ClassList(animals);
    EXPECT_EQ(read("transformers_best.json", options).top_k, 2U);
}

// Each error names the file, and the option to type.
TEST_F(ToolFiles, WhatIsNoTableOfPredictionsSaysWhatItIs) {
    struct Refused {
        const char* file;
        const char* what;
    };
    for (const Refused& one : std::initializer_list<Refused>{
             {"sklearn_labelled.txt", "--label-column"},
             {"sklearn_predict.txt", "sed '1i prediction'"},
             {"sklearn_proba.joblib", "joblib.load"},
             {"pandas.pkl", "t.to_csv('pandas.csv')"},
             {"pandas_split.json", "orient='split'"},
             {"pandas_table.json", "orient='table'"},
             {"pandas_scores_split.json", "orient='split'"},
             {"pandas_columns.json", "orient='records', lines=True"},
             {"pandas_scores_columns.json", "--class-count 12"},
             {"pandas_named_columns.json", "a number for each of 12 images"},
             {"torchmetrics.pt", "torch.load"},
             {"keras.weights.h5", "the weights of a Keras model"},
         })
        EXPECT_THAT(refused(one.file), AllOf(HasSubstr(one.file), HasSubstr(one.what))) << one.file;
    // A log, a report and a confusion matrix are not predictions.
    for (const char* file : {"keras_log.csv", "sklearn_report.json", "torchmetrics_compute.json"})
        EXPECT_NE(refused(file), "") << file;
}

/// A row of a table, split into cells.
std::vector<std::string> cells_of(const std::string& line, char between) {
    std::vector<std::string> cells(1);
    for (const char c : line) {
        if (c == between) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

/// The table with columns in another order, with missing ones, or with duplicates.
std::string with_columns(const std::string& text, char between,
                         const std::vector<std::size_t>& columns) {
    std::string out;
    std::string line;
    for (const char c : text) {
        if (c == '\r') continue;
        if (c != '\n') {
            line += c;
            continue;
        }
        const std::vector<std::string> cells = cells_of(line, between);
        for (std::size_t i = 0; i < columns.size(); ++i)
            out += (i > 0 ? std::string(1, between) : "") + cells.at(columns[i]);
        out += '\n';
        line.clear();
    }
    return out;
}

struct Changed {
    const char* file;
    std::vector<std::size_t> columns;
    const char* outcome;  ///< a part of the error, or "" if the file is read
};

/// pandas.csv has filename, cat, dog, emu, label. keras_predict.csv has an index, 0, 1, 2.
/// keras_results.csv has Filename, Predictions. sklearn_proba.txt has three columns without names.
class ChangedTools : public Imports, public testing::WithParamInterface<Changed> {};

TEST_P(ChangedTools, AreReadOrRefused) {
    const Changed& changed = GetParam();
    const MappedFile file(tools / changed.file);
    const std::string name = changed.file;
    const char between = name.ends_with(".tsv") ? '\t' : name.ends_with(".txt") ? ' ' : ',';
    const std::string text = with_columns(std::string(file.text()), between, changed.columns);
    ImportOptions options;
    if (name == "keras_results.csv") options.classes = ClassList(animals);
    if (*changed.outcome != '\0') {
        EXPECT_THAT(refusal(name, text, options), HasSubstr(changed.outcome));
    } else {
        const ImportReport report = import(name, text, options);
        EXPECT_EQ(report.rows, tool_rows);
        EXPECT_EQ(report.classes, tool_classes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Tables, ChangedTools,
    testing::Values(Changed{"pandas.csv", {1, 2, 3, 4}, ""},
                    Changed{"pandas.csv", {0, 1, 2, 3}, ""},
                    Changed{"pandas.csv", {4, 3, 0, 2, 1}, ""},
                    Changed{"pandas.csv", {0, 1, 2, 4}, "kind of scores is not clear"},
                    Changed{"pandas.csv", {0, 0, 1, 2, 3, 4}, "the column `filename`"},
                    Changed{"pandas.csv", {0, 1, 1, 2, 3, 4}, "`cat` appears twice"},
                    Changed{"pandas.csv", {0, 1, 2, 3, 4, 4}, "the column `label`"},
                    Changed{"pandas.tsv", {4, 3, 0, 2, 1}, ""},
                    Changed{"pandas.tsv", {0, 1, 1, 2, 3, 4}, "`cat` appears twice"},
                    Changed{"keras_predict.csv", {1, 2, 3}, ""},
                    Changed{"keras_predict.csv", {3, 0, 2, 1}, ""},
                    Changed{"keras_predict.csv", {0, 1, 2}, "kind of scores is not clear"},
                    Changed{"keras_predict.csv", {0, 1, 1, 2, 3}, "the column `0`"},
                    Changed{"keras_results.csv", {1, 0}, ""}, Changed{"keras_results.csv", {1}, ""},
                    Changed{"keras_results.csv", {0}, "Filename"},
                    Changed{"keras_results.csv", {0, 1, 1}, "`Predictions` appears twice"},
                    Changed{"sklearn_proba.txt", {2, 1, 0}, ""},
                    Changed{"sklearn_proba.txt", {0, 1, 1, 2}, "kind of scores is not clear"},
                    Changed{"sklearn_proba.txt", {0}, "sed"}));

TEST_F(ToolFiles, TablesOfBlanksNameTheLine) {
    EXPECT_THAT(refusal("x.txt", "0.5 0.5\n0.25 0.75\n0.5 0.25 0.25\n"),
                HasSubstr("line 3: 3 columns, but the first row has 2"));
    EXPECT_THAT(refusal("x.txt", "0.5 0.5\n0.25 what\n"), HasSubstr("what"));
    EXPECT_NE(refusal("x.txt", ""), "");
    const ImportReport report =
        import("x.csv", "\xEF\xBB\xBF# made by hand\n# cat dog\n 0.5\t 0.5 \r\n\n1e-1   9e-1\r\n");
    EXPECT_EQ(PredictionStore::open(report.store).dataset().classes.id(1), "dog");
}

}  // namespace
}  // namespace assay
