// Saved predictions with more columns than scores. Columns that may not be classes need an option,
// and a note says how each column was read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "containers/npy.h"
#include "imports.h"
#include "store/score_columns.h"
#include "store/score_names.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ImportedColumns : public Imports {
protected:
    static std::vector<std::string> classes(const ImportReport& report) {
        return PredictionStore::open(report.store).dataset().classes.ids();
    }
    static std::vector<float> scores(const ImportReport& report) {
        const PredictionStore store = PredictionStore::open(report.store);
        const PredictionStore::Shard shard = store.shard(0);
        const auto all = shard.f32();
        return {all.begin(), all.end()};
    }
    static ImportOptions ignoring(const std::string& column) {
        ImportOptions options;
        options.columns.ignored = {column};
        return options;
    }
};

/// A table with `column` between the labels and the scores. In `value`, `#` becomes the row.
std::string frame(const std::string& column, const std::vector<std::string>& values,
                  const std::string& labels = "abab") {
    const std::vector<std::string> rows = {"0.5,-1.5,0.25", "-0.5,2.5,1", "3.5,1.25,0.5",
                                           "0.125,0.5,-2"};
    std::string text = "id,label," + column + ",a,b,c\n";
    for (std::size_t r = 0; r < rows.size(); ++r)
        text += "i" + std::to_string(r) + "," + labels[r] + "," + values[r] + "," + rows[r] + "\n";
    return text;
}

TEST_F(ImportedColumns, PercentSignsAreRead) {
    const std::string text = "id,label,a,b,c\ni0,a,87.5%,12.5 %,0\ni1,b,25%,50.0%,25%\n";
    for (const bool told : {false, true}) {
        ImportOptions options;
        if (told) take_kind(options, "percent");
        const ImportReport report = import("p.csv", text, options);
        EXPECT_THAT(scores(report), ElementsAre(0.875F, 0.125F, 0, 0.25F, 0.5F, 0.25F)) << told;
        EXPECT_THAT(report.notes, Contains("scores have percent signs: `87.5%` is read as 0.875"));
    }
}

TEST_F(ImportedColumns, SomePercentSignsAreRefused) {
    ImportOptions told;
    take_kind(told, "percent");
    for (const ImportOptions& options : {ImportOptions(), told}) {
        EXPECT_THAT(refusal("p.csv", "id,a,b,c\ni0,0,100%,0%\ni1,87.5%,12.5,0\n", options),
                    HasSubstr("p.csv line 3: the score `12.5` in the column `b` has no percent "
                              "sign, but `100%` in the column `b` has one"));
        EXPECT_THAT(refusal("p.csv", "id,a,b\ni0,87,13\ni1,97,3%\n", options),
                    HasSubstr("line 3: the score `3%` in the column `b` has a percent sign, but "
                              "`87` in the column `a` has none"));
    }
}

TEST_F(ImportedColumns, RoundedRowsWithOneFaultAreNoLogits) {
    std::string text = "id,a,b,c\n";
    for (int i = 0; i < 100; ++i) {
        const char* sound = i % 3 == 0 ? ".33,.33,.33" : i % 3 == 1 ? ".2,.3,.5" : ".25,.25,.5";
        text += "i" + std::to_string(i) + "," + (i == 57 ? "1.33,.33,.33" : sound) + "\n";
    }
    EXPECT_THAT(refusal("r.csv", text),
                HasSubstr("99 of 100 rows are probabilities (2 decimals), but row 57 has scores "
                          "from 0.33 to 1.33"));
}

TEST_F(ImportedColumns, RoundedProbabilitiesShowThatAllColumnsAreClasses) {
    const auto table = [](const std::string& name, const std::string& cell) {
        return "id,label" + name + ",a,b,c\ni0,a" + cell + ",.33,.33,.33\ni1,b" + cell +
               ",.17,.66,.17\ni2,a" + cell + ",.37,.31,.32\n";
    };
    EXPECT_THAT(classes(import("p.csv", table("", ""))), ElementsAre("a", "b", "c"));
    // Rounding may also explain a small number beside them.
    EXPECT_THAT(refusal("p.csv", table(",rate", ",.01")),
                HasSubstr("`rate` (the same number in all rows"));
}

TEST_F(ImportedColumns, ASmallNumberBesideRoundedProbabilitiesIsAskedAbout) {
    // Both a, b, c and all four columns sum to 1 within the rounding of two decimals.
    const std::string text =
        "id,label,rate,a,b,c\ni0,a,.01,.33,.33,.33\ni1,b,.02,.17,.66,.16\ni2,c,.01,.2,.3,.5\n";
    EXPECT_THAT(refusal("p.csv", text), HasSubstr("`rate` (no label has its name)"));
}

TEST_F(ImportedColumns, RoundedProbabilitiesAreProbabilities) {
    const std::string text = "id,label,a,b,c\ni0,a,.33,.33,.33\ni1,b,.17,.67,.17\ni2,c,.2,.3,.5\n";
    const std::string said = "probabilities rounded to 2 decimals: rows sum to 0.99 to 1.01.";
    const ImportReport report = import("p.csv", text);
    EXPECT_THAT(scores(report), ElementsAre(.33F, .33F, .33F, .17F, .67F, .17F, .2F, .3F, .5F));
    EXPECT_THAT(report.notes,
                Contains(AllOf(HasSubstr("assuming the scores are " + said), HasSubstr("--kind"))));
    ImportOptions told;
    told.kind = ScoreKind::probabilities;
    EXPECT_THAT(import("p.csv", text, told).notes, Contains(HasSubstr(said)));
    told.kind = ScoreKind::logits;
    EXPECT_THAT(refusal("p.csv", text, told), HasSubstr("softmax would be applied twice"));
    // The message names the row that is wrong, and not the first that is rounded.
    EXPECT_THAT(refusal("p.csv", text + "i3,a,.33,.33,.36\n"), HasSubstr("row 3 sums to 1.02"));
    // A sum that rounding to two decimals cannot make, and scores that were not rounded.
    for (const char* row : {"i1,b,.17,.67,.18\n", "i1,b,.17,.67,.171234\n"}) {
        EXPECT_THAT(
            refusal("p.csv", "id,label,a,b,c\ni0,a,.33,.33,.33\ni2,c,0,0,1\n" + std::string(row)),
            HasSubstr("or rounded to few decimals"));
    }
}

TEST_F(ImportedColumns, LabelsFrom0BesideColumnsFrom1) {
    const std::string text = "id,label,class_1,class_2,class_3\ni0,0,.5,.25,.25\ni1,2,.25,0,.75\n";
    EXPECT_THAT(refusal("c.csv", text),
                AllOf(HasSubstr("labels count from 0 and the columns from 1"),
                      HasSubstr("seq 0 2 > classes.txt")));
    ImportOptions listed;
    listed.classes = ClassList({"0", "1", "2"});
    const ImportReport report = import("c.csv", text, listed);
    EXPECT_THAT(classes(report), ElementsAre("0", "1", "2"));
    EXPECT_THAT(report.notes, Contains("the columns class_1 to class_3 are the classes of the "
                                       "list by their numbers: class_1 is `0`"));
    const Dataset items = PredictionStore::open(report.store).dataset();
    EXPECT_EQ(items.single_label(0), 0);
    EXPECT_EQ(items.single_label(1), 2);
    listed.classes = ClassList({"cat", "dog", "emu"});
    EXPECT_THAT(classes(import("c.csv", text, listed)), ElementsAre("cat", "dog", "emu"));
    EXPECT_THAT(refusal("c.csv", "id,label,class_1,class_2\ni0,7,.5,.5\ni1,0,1,0\n"),
                Not(HasSubstr("count from 0")));
}

TEST_F(ImportedColumns, AListSortedAsTextDoesNotOrderNumberedColumns) {
    for (const int first : {0, 1}) {
        std::string header = "id", row = "i0", other = "i1";
        std::vector<std::string> ids;
        for (int c = first; c < first + 11; ++c) {
            header += ",class_" + std::to_string(c);
            row += "," + std::to_string(c) + ".5";
            other += ",-" + std::to_string(c) + ".25";
            ids.push_back(std::to_string(c));
        }
        const std::string text = header + "\n" + row + "\n" + other + "\n";
        ImportOptions listed;
        listed.classes = ClassList(ids);
        EXPECT_THAT(classes(import("c.csv", text, listed)), Contains("10")) << first;
        std::ranges::sort(ids);  // 1, 10, 11, 2, ...
        listed.classes = ClassList(ids);
        EXPECT_THAT(refusal("c.csv", text, listed),
                    HasSubstr("the column `class_2` may be the class `2` by its number or `10` by "
                              "its position"))
            << first;
    }
    // Numbers in order may have gaps if the columns count from 0.
    ImportOptions gaps;
    gaps.classes = ClassList({"1", "2", "4"});
    EXPECT_THAT(classes(import("c.csv", "id,c0,c1,c2\na,1.5,2,3\n", gaps)),
                ElementsAre("1", "2", "4"));
    EXPECT_THAT(refusal("c.csv", "id,c1,c2,c3\na,1.5,2,3\n", gaps),
                HasSubstr("column 2 of the scores is `3`; class 2 of the list is `4`"));
}

TEST_F(ImportedColumns, SignsBesideOneScoreAreTheImagesLabels) {
    const std::string text = "id,label,score\ni0,-1,-1.5\ni1,1,2.5\n";
    EXPECT_THAT(refusal("s.csv", text), AllOf(HasSubstr("--label-column label --minus-one class"),
                                              HasSubstr("no predicted class is -1")));
    ImportOptions told;
    told.columns.label = "label";
    told.minus_one = MinusOne::first_class;
    told.kind = ScoreKind::logits;
    const Dataset items = PredictionStore::open(import("s.csv", text, told).store).dataset();
    EXPECT_EQ(items.single_label(0), 0);
    EXPECT_EQ(items.single_label(1), 1);
    EXPECT_THAT(refusal("s.csv", text + "i2,0,.5\n"),
                AllOf(HasSubstr("--label-column label"), Not(HasSubstr("--minus-one class"))));
}

TEST_F(ImportedColumns, AColumnBesideTheScoresIsAskedAbout) {
    struct Case {
        const char* column;
        std::vector<std::string> values;
        const char* labels;
        const char* why;
    };
    for (const Case& c : {Case{"epoch", {"10", "10", "10", "10"}, "0101", "same number in all"},
                          Case{"fold", {"0", "1", "2", "0"}, "0101", "whole numbers"},
                          Case{"loss", {"0.5", "0.25", "0.75", "0.1"}, "0101", "its name"},
                          Case{"q", {"0.5", "0.25", "0.75", "0.1"}, "abac", "no label has its"},
                          Case{"time_ms", {"7.5", "8.25", "6", "9"}, "0101", "its name"}}) {
        SCOPED_TRACE(c.column);
        const std::string text = frame(c.column, c.values, c.labels);
        const std::string column = c.column;
        EXPECT_THAT(
            refusal("f.csv", text),
            AllOf(HasSubstr("the column `" + column + "`"), HasSubstr(c.why),
                  HasSubstr("--ignore-columns " + column), HasSubstr("--score-columns '*'")));
        const ImportReport report = import("f.csv", text, ignoring(column));
        EXPECT_THAT(classes(report), ElementsAre("a", "b", "c"));
        EXPECT_THAT(report.notes, Contains("ids: column id; labels: column label; scores: 3 "
                                           "columns a, b, c; not used: " +
                                           column));
        ImportOptions all;
        all.columns.scores = {"*"};
        all.columns.label = no_column;
        EXPECT_THAT(classes(import("f.csv", text, all)), ElementsAre(column, "a", "b", "c"));
        // The user names the columns, which may be in any position.
        ImportOptions some;
        some.columns.scores = {"c", "a"};
        some.columns.label = no_column;
        EXPECT_THAT(classes(import("f.csv", text, some)), ElementsAre("a", "c"));
        // A class list with the names of the columns also decides.
        ImportOptions listed;
        listed.classes = ClassList({"a", "b", "c"});
        EXPECT_THAT(classes(import("f.csv", text, listed)), ElementsAre("a", "b", "c"));
    }
    // The printed option can be pasted into a shell.
    EXPECT_THAT(refusal("f.csv", frame("day's", {"10", "10", "10", "10"}, "0101")),
                HasSubstr(R"(--ignore-columns 'day'\''s'; if)"));
}

TEST_F(ImportedColumns, TheRestOfARowThatSumsToOneIsTheScores) {
    const std::string text =
        "id,u,x,y,v\n1,0.3,0.25,0.75,0.9\n2,1.5,0.5,0.5,0.2\n3,0.7,0.125,0.875,0.1\n";
    EXPECT_THAT(refusal("s.csv", text), AllOf(HasSubstr("`u` (the other columns sum to 1), `v`"),
                                              HasSubstr("--ignore-columns u,v")));
    // If all columns of a row sum to 1, every column is a class, even if no label names it.
    EXPECT_THAT(classes(import("s.csv", "id,label,x,y,z\n1,x,0.25,0.5,0.25\n2,x,0.5,0.5,0\n")),
                ElementsAre("x", "y", "z"));
    // A column that is always 0, such as a fold, is an exception.
    EXPECT_THAT(refusal("s.csv", "id,fold,x,y\n1,0,0.25,0.75\n2,0,0.5,0.5\n3,0,0.125,0.875\n"),
                HasSubstr("`fold` (0 in all rows)"));
}

TEST_F(ImportedColumns, NumbersBehindOneNameAreTheClasses) {
    EXPECT_THAT(refusal("n.csv", "id,c0,c1,q\na,1,2.5,3\nb,2,1.5,1\n"),
                HasSubstr("`q` (not one of c0 to c1)"));
    // Then integers and constants are accepted as scores.
    const ImportReport report =
        import("n.csv", "id,label,c0,c1,c2\na,0,9,0.5,0\nb,1,9,0.25,0\nc,2,9,0.75,0\n");
    EXPECT_EQ(report.classes, 3U);
    EXPECT_THAT(labels_of(report), ElementsAre(0, 1, 2));
}

TEST_F(ImportedColumns, AClassMayHaveTheNameOfIds) {
    EXPECT_THAT(classes(import("i.csv", "photo,species,c\n0.25,0.5,0.25\n0.5,0.25,0.25\n")),
                ElementsAre("photo", "species", "c"));
}

TEST_F(ImportedColumns, ATableWithoutAHeader) {
    const std::string text = "0,0.5,-1.5,0.25\n2,-0.5,2.5,1\n1,3.5,1.25,0.5\n";
    EXPECT_THAT(refusal("n.csv", text),
                AllOf(HasSubstr("the column `1` (whole numbers)"), HasSubstr("no header"),
                      HasSubstr("--label-column 1")));
    ImportOptions options;
    options.columns.label = "1";
    const ImportReport report = import("n.csv", text, options);
    EXPECT_THAT(labels_of(report), ElementsAre(0, 2, 1));
    EXPECT_THAT(scores(report), ElementsAre(.5F, -1.5F, .25F, -.5F, 2.5F, 1, 3.5F, 1.25F, .5F));
    options.columns.label = "5";
    EXPECT_THAT(refusal("n.csv", text, options),
                HasSubstr("--label-column: no column is named `5`"));
    EXPECT_THAT(refusal("n.csv", "0,0.5,1.5\n1,0.5\n2,0.25,1\n", ignoring("1")),
                HasSubstr("2 fields, but the first row has 3"));
}

TEST_F(ImportedColumns, APrefixOfScoresIsNoPartOfTheClass) {
    const std::string text =
        "epoch,prob_a,prob_b,y_true,y_pred\n3,0.25,0.75,b,b\n3,0.5,0.5,a,b\n3,1,0,a,a\n";
    const ImportReport report = import("p.csv", text);
    EXPECT_THAT(classes(report), ElementsAre("a", "b"));
    EXPECT_THAT(labels_of(report), ElementsAre(1, 0, 0));
    EXPECT_EQ(report.kind, ScoreKind::probabilities);
    EXPECT_THAT(report.notes, Contains("labels: column y_true; scores: 2 columns prob_a, prob_b; "
                                       "not used: epoch, y_pred"));
    const std::string two = "prob_a,prob_b,logit_a,logit_b\n0.25,0.75,1.5,2\n0.5,0.5,1,1\n";
    EXPECT_THAT(refusal("p.csv", two), HasSubstr("--score-columns 'logit*' or 'prob*'"));
    ImportOptions options;
    options.columns.scores = {"logit_*"};
    EXPECT_THAT(scores(import("p.csv", two, options)), ElementsAre(1.5F, 2, 1, 1));
}

TEST_F(ImportedColumns, TheTruthBesideAConfidenceIsNoPrediction) {
    // In the last row, the label is the second best class. If it were read as the prediction, it
    // would be correct.
    const std::string text =
        "filename,label,confidence,a,b\n1,a,0.75,0.75,0.25\n2,b,0.5,0.5,0.5\n3,a,0.875,0.125,"
        "0.875\n";
    const ImportReport report = import("t.csv", text);
    EXPECT_THAT(labels_of(report), ElementsAre(0, 1, 0));
    EXPECT_EQ(report.classes, 2U);
    EXPECT_EQ(report.top_k, 0U);
    EXPECT_THAT(report.notes, Contains(HasSubstr("not used: confidence")));
    // Without class names, the confidence is the highest of the row's softmax.
    std::string logits = "filename,label,confidence,u,v\n";
    for (const float lead : {1.0F, 2.0F, -1.0F}) {
        logits += std::to_string(lead) + ",1," +
                  std::to_string(1 / (1 + std::exp(-std::fabs(lead)))) + "," +
                  std::to_string(lead / 2) + "," + std::to_string(lead * 1.5F) + "\n";
    }
    EXPECT_EQ(import("t.csv", logits).top_k, 0U);
    // With other numbers, the column is the score of the class, as timm writes it.
    ImportOptions options;
    options.class_count = 2;
    EXPECT_EQ(
        import("t.csv", "filename,label,prob,width\n1,1,0.75,31\n2,0,0.5,32\n", options).top_k, 1U);
}

TEST_F(ImportedColumns, NumbersBesideAPredictedClassAreNoScores) {
    ImportOptions options;
    options.class_count = 2;
    const ImportReport report =
        import("p.csv", "id,label,pred,loss,time_ms\na,0,1,0.25,4.5\nb,1,1,0.5,5\nc,1,0,0.75,6\n",
               options);
    EXPECT_EQ(report.kind, ScoreKind::labels);
    EXPECT_THAT(report.notes, Contains("ids: column id; labels: column label; predicted classes: "
                                       "column pred; not used: loss, time_ms"));
}

TEST_F(ImportedColumns, PercentAndOtherLogarithms) {
    const std::string percent = "x,y\n97.14,2.86\n14.5,85.5\n50,50\n";
    EXPECT_THAT(refusal("k.csv", percent),
                AllOf(HasSubstr("3 of 3 rows"), HasSubstr("percent"), HasSubstr("--kind percent")));
    ImportOptions options;
    take_kind(options, "percent");
    const ImportReport report = import("k.csv", percent, options);
    EXPECT_EQ(report.kind, ScoreKind::probabilities);
    EXPECT_THAT(scores(report), ElementsAre(.9714F, .0286F, .145F, .855F, .5F, .5F));
    // With logits, the option is refused.
    EXPECT_THAT(refusal("k.csv", "x,y\n1.5,-2\n3,4\n", options), HasSubstr("row 0 has scores"));

    for (const auto& [name, text] :
         {std::pair("log2_probabilities", "x,y\n-1,-1\n-2,-0.4150375\n-3,-0.1926451\n"),
          std::pair("log10_probabilities",
                    "x,y\n-1,-0.0457575\n-0.30103,-0.30103\n-2,-0.0043648\n")}) {
        EXPECT_THAT(refusal("k.csv", text), HasSubstr("--kind " + std::string(name)));
        take_kind(options, name);
        const ImportReport logs = import("k.csv", text, options);
        EXPECT_EQ(logs.kind, ScoreKind::log_probabilities);
        EXPECT_NEAR(std::exp(scores(logs)[0]) + std::exp(scores(logs)[1]), 1, 1e-5);
    }
    EXPECT_THAT(error_of([&] { take_kind(options, "percant"); }).second,
                HasSubstr("did you mean `percent`?"));
    // One file that is read in two ways gives two stores.
    put_text(scratch_ / "k.csv", "x,y\n-1,-1\n-2,-0.4150375\n");
    options.dataset_name = "val";
    options.model_name = "net";
    take_kind(options, "log2_probabilities");
    import_predictions(scratch_ / "k.csv", scratch_ / "same", options);
    take_kind(options, "log_probabilities");
    options.force = true;
    EXPECT_EQ(
        error_of([&] { import_predictions(scratch_ / "k.csv", scratch_ / "same", options); }).first,
        ErrorCode::bad_input);
}

TEST_F(ImportedColumns, LabelsOfMinusOneAndOne) {
    const std::string text =
        "id,label,neg,pos\na,-1,0.75,0.25\nb,1,0.25,0.75\nc,1.0,0.5,0.5\nd,-1.0,0.25,0.75\n";
    EXPECT_THAT(refusal("m.csv", text),
                AllOf(HasSubstr("-1 (2 of 4 rows) and 1"), HasSubstr("--minus-one class"),
                      HasSubstr("--minus-one unlabelled")));
    ImportOptions options;
    options.minus_one = MinusOne::first_class;
    EXPECT_THAT(labels_of(import("m.csv", text, options)), ElementsAre(0, 1, 1, 0));
    EXPECT_THAT(refusal("m.csv", "id,label,c0,c1\na,0,1,2\nb,-1,2,1\n", options),
                HasSubstr("for labels -1 and 1 of 2 classes"));
    options.minus_one = MinusOne::unlabelled;
    const ImportReport dropped = import("m.csv", text, options);
    EXPECT_THAT(labels_of(dropped), ElementsAre(-1, 1, 1, -1));
    EXPECT_THAT(dropped.notes, Contains("`label`: -1 means no label: 2 of 4 rows"));
    // With other labels, -1 means no label, and a note counts it.
    EXPECT_THAT(import("m.csv", "id,label,c0,c1\na,0,1,2\nb,-1,2,1\n").notes,
                Contains("`label`: -1 means no label: 1 of 2 rows"));

    EXPECT_THAT(refusal("m.csv", "neg,pos\n1,2\n2,1\n", options),
                HasSubstr("--minus-one is for labels"));

    // The same is done for labels in a separate file.
    put_text(scratch_ / "labels.txt", "-1\n1\n1\n-1\n");
    ImportOptions apart;
    apart.labels = scratch_ / "labels.txt";
    const std::string bare = "neg,pos\n0.75,0.25\n0.25,0.75\n0.5,0.5\n0.25,0.75\n";
    EXPECT_THAT(refusal("m.csv", bare, apart), HasSubstr("`labels.txt` are -1 (2 of 4 rows)"));
    apart.minus_one = MinusOne::first_class;
    EXPECT_THAT(labels_of(import("m.csv", bare, apart)), ElementsAre(0, 1, 1, 0));
    put_text(scratch_ / "labels.txt", "-1\n0\n1\n-1\n");
    apart.minus_one.reset();
    EXPECT_THAT(import("m.csv", bare, apart).notes,
                Contains("labels.txt: -1 means no label: 2 of 4 rows"));
    apart.minus_one = MinusOne::first_class;
    EXPECT_THAT(refusal("m.csv", bare, apart), HasSubstr("for labels -1 and 1 of 2 classes"));
}

// This is the output of transformers' pipeline (4.57, top_k=None), and common ways to save it.
TEST_F(ImportedColumns, ScoresByTheNamesOfClasses) {
    for (const char* text : {R"([[{"label":"b","score":0.75},{"label":"a","score":0.25}],
              [{"label":"a","score":0.625},{"label":"b","score":0.375}]])",
                             R"({"1.jpg":{"b":0.75,"a":0.25},"2.jpg":{"a":0.625,"b":0.375}})",
                             R"({"1.jpg":[{"label":"b","score":0.75},{"label":"a","score":0.25}],
              "2.jpg":[{"label":"a","score":0.625},{"label":"b","score":0.375}]})",
                             R"([{"file":"1.jpg","scores":{"b":0.75,"a":0.25}},
              {"file":"2.jpg","scores":{"b":0.375,"a":0.625}}])",
                             R"([{"id":"1.jpg","label":"b","a":0.25,"b":0.75},
              {"id":"2.jpg","label":"b","b":0.375,"a":0.625}])"}) {
        SCOPED_TRACE(text);
        const ImportReport report = import("n.json", text);
        EXPECT_THAT(classes(report), ElementsAre("a", "b"));
        EXPECT_THAT(scores(report), ElementsAre(.25F, .75F, .625F, .375F));
        EXPECT_THAT(report.notes, Contains(HasSubstr("scores: 2 columns a, b")));
        // The scores are in the order of the classes that the user gives.
        ImportOptions options;
        options.classes = ClassList({"b", "a"});
        EXPECT_THAT(scores(import("n.json", text, options)), ElementsAre(.75F, .25F, .375F, .625F));
        // If the list has more classes, these are the best ones, or a table in which one is
        // missing.
        options.classes = ClassList({"b", "a", "c"});
        const std::string message = error_of([&] { import("n.json", text, options); }).second;
        EXPECT_THAT(message, AnyOf("nothing was thrown", HasSubstr("the list has 3 classes")));
    }
    const std::string line = R"({"image":"1","predictions":[{"label":"b","score":0.75},)"
                             R"({"label":"a","score":0.25}],"target":"a"})";
    EXPECT_THAT(labels_of(import("n.jsonl", line + "\n")), ElementsAre(0));
    EXPECT_THAT(refusal("n.json", R"([[{"label":"b","score":0.5},{"label":"a","score":0.25}],
                                      [{"label":"c","score":0.5},{"label":"a","score":0.25}]])"),
                AllOf(HasSubstr("the row has no `b`"), HasSubstr("top_k=None"),
                      HasSubstr("--classes FILE"), HasSubstr("element 1")));
    // An object with other numbers has no scores.
    ImportOptions two;
    two.class_count = 2;
    EXPECT_EQ(import("n.jsonl", R"({"id":"1","pred":1,"size":{"w":3,"h":4}})", two).kind,
              ScoreKind::labels);
    // A class may have the name of a known column.
    const ImportReport called =
        import("n.json", R"([[{"label":"image","score":0.75},{"label":"photo","score":0.25}]])");
    EXPECT_THAT(classes(called), ElementsAre("image", "photo"));
    EXPECT_THAT(scores(called), ElementsAre(.75F, .25F));
    EXPECT_THAT(refusal("n.jsonl", "{\"id\":\"1\",\"scores\":[1,2]}\n", ignoring("epoch")),
                HasSubstr("--ignore-columns is for tables"));
    EXPECT_THAT(refusal("n.json", R"([[{"label":"b","score":0.5},{"label":"b","score":0.25}]])"),
                HasSubstr("the class `b` appears twice"));
}

TEST_F(ImportedColumns, TablesThatExcelAndGzipWrote) {
    const std::string excel = "\xEF\xBB\xBFid;label;a;b\r\n1;a;0,75;0,25\r\n2;b;0,5;0,5\r\n";
    const ImportReport report = import("e.csv", excel);
    EXPECT_THAT(scores(report), ElementsAre(.75F, .25F, .5F, .5F));
    EXPECT_THAT(labels_of(report), ElementsAre(0, 1));
    EXPECT_THAT(refusal("e.csv", "id;a;b\n1;0,75;0,5\n2;0.75;1.000,5\n"),
                HasSubstr("is not a number"));

    const std::filesystem::path file = scratch_ / "g.csv.gz";
    const gzFile out = gzopen(file.c_str(), "wb");
    const std::string text = "id,a,b\n1,0.75,0.25\n2,0.5,0.5\n";
    ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    ASSERT_EQ(gzclose(out), Z_OK);
    ImportOptions options;
    options.dataset_name = "val";
    EXPECT_THAT(scores(import_predictions(file, scratch_ / "gz", options)),
                ElementsAre(.75F, .25F, .5F, .5F));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 9);
    EXPECT_THAT(error_of([&] { import_predictions(file, scratch_ / "cut", options); }).second,
                HasSubstr("cut off"));
    EXPECT_THAT(refusal("x.csv.gz", "id,a,b\n"), HasSubstr("damaged, or is none"));
    EXPECT_THAT(refusal("x.zip.gz", "id,a,b\n"), HasSubstr(".csv.gz"));
}

TEST_F(ImportedColumns, ArraysOfOtherTypes) {
    const std::uint64_t shape[] = {2, 2};
    std::string big = npy_header(">f4", shape);
    big += std::string("\x3f\x40\0\0\x3e\x80\0\0\x3f\0\0\0\x3f\0\0\0", 16);  // .75, .25, .5, .5
    const ImportReport report = import("b.npy", big);
    EXPECT_THAT(scores(report), ElementsAre(.75F, .25F, .5F, .5F));
    EXPECT_THAT(report.notes, Contains(HasSubstr("big-endian (>f4)")));
    std::string brain = npy_header("|V2", shape);
    brain += std::string("\x40\x3f\x80\x3e\0\x3f\0\x3f", 8);
    const ImportReport half = import("b.npy", brain);
    EXPECT_THAT(scores(half), ElementsAre(.75F, .25F, .5F, .5F));
    EXPECT_THAT(half.notes, Contains(HasSubstr("assuming bfloat16")));
    EXPECT_THAT(refusal("b.npy", brain.substr(0, brain.size() - 1)), HasSubstr("bytes"));
    EXPECT_THAT(refusal("b.npy", brain, ignoring("1")), HasSubstr("arrays have none"));
}

TEST(ScoreColumns, PatternsAndNumbers) {
    EXPECT_TRUE(store::matches_pattern("prob_a", "prob_*"));
    EXPECT_TRUE(store::matches_pattern("prob_a", "*_*a"));
    EXPECT_FALSE(store::matches_pattern("prob_a", "prob"));
    EXPECT_FALSE(store::matches_pattern("pro", "prob*"));
    EXPECT_FALSE(store::matches_pattern("ab", "ab*b"));
    EXPECT_EQ(store::numbered("prob_12"), std::pair(std::string_view("prob"), std::uint64_t{12}));
    EXPECT_FALSE(store::numbered("prob").has_value());
    EXPECT_EQ(store::listed({"a", "b"}), "a, b");
    EXPECT_EQ(store::listed(std::vector<std::string>(13, "n")), "n, n, n, ..., n");
}

/// 12 rows of a label and four logits, as np.column_stack() joins them.
std::string stacked(bool first, bool whole) {
    std::vector<float> values;
    for (int r = 0; r < 12; ++r) {
        const float label = static_cast<float>(r % 4) + (whole ? 0.0F : 0.5F);
        if (first) values.push_back(label);
        for (int c = 0; c < 4; ++c)
            values.push_back(static_cast<float>(c == r % 4) * 2.5F +
                             0.25F * static_cast<float>(r + c));
        if (!first) values.push_back(label);
    }
    const std::vector<std::uint64_t> shape = {12, 5};
    return npy_header("<f4", shape) +
           std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size());
}

TEST_F(ImportedColumns, AnArrayWithItsLabelsIsAskedAbout) {
    EXPECT_THAT(refusal("stack.npy", stacked(true, true)),
                AllOf(HasSubstr("the first of the array's 5 columns holds whole numbers"),
                      HasSubstr("scores=a[:, 1:], label=a[:, 0].astype(int)"),
                      HasSubstr("--class-count 5")));
    EXPECT_THAT(refusal("stack.npy", stacked(false, true)),
                AllOf(HasSubstr("the last of the array's 5 columns"),
                      HasSubstr("scores=a[:, :-1], label=a[:, -1].astype(int)")));
    ImportOptions told;
    told.class_count = 5;
    EXPECT_EQ(scores(import("stack.npy", stacked(true, true), told)).size(), 60U);
    EXPECT_EQ(scores(import("stack.npy", stacked(true, false))).size(), 60U);
}

}  // namespace
}  // namespace assay
