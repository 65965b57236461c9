// One column of scores of a binary classifier, for class 1 of two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "imports.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OneColumnImport : public Imports {
protected:
    struct Read {
        ImportReport report;
        std::vector<float> scores;
        std::vector<std::int32_t> labels;
    };
    Read read(const std::string& name, const std::string& text, const ImportOptions& options = {}) {
        Read out{import(name, text, options), {}, {}};
        const PredictionStore store = PredictionStore::open(out.report.store);
        const auto shard = store.shard(0);
        out.scores.assign(shard.f32().begin(), shard.f32().end());
        out.labels = labels_of(out.report);
        EXPECT_EQ(out.report.classes, 2U);
        return out;
    }
    static ImportOptions of_kind(ScoreKind kind) {
        ImportOptions options;
        options.kind = kind;
        return options;
    }
};

TEST_F(OneColumnImport, AProbabilityWithLabelsIsTwoClasses) {
    for (const std::string name : {"prob", "score"}) {
        const Read found = read("b.csv", "id,y_true," + name + "\na,1,0.75\nb,0,0.25\nc,1,0.5\n");
        EXPECT_EQ(found.report.kind, ScoreKind::probabilities);
        EXPECT_THAT(found.scores, ElementsAre(0.25F, 0.75F, 0.75F, 0.25F, 0.5F, 0.5F));
        EXPECT_THAT(found.labels, ElementsAre(1, 0, 1));
        EXPECT_THAT(found.report.notes,
                    Contains(HasSubstr("the probability of class 1 (the positive class) of two")));
    }
}

TEST_F(OneColumnImport, ALogitNeedsToBeCalledOne) {
    const std::string text = "id,y_true,score\na,1,2.5\nb,0,-1.5\n";
    EXPECT_THAT(refusal("b.csv", text), AllOf(HasSubstr("one score per row, from -1.5 to 2.5"),
                                              HasSubstr("--kind logits")));
    const Read told = read("b.csv", text, of_kind(ScoreKind::logits));
    EXPECT_EQ(told.report.kind, ScoreKind::logits);
    EXPECT_THAT(told.scores, ElementsAre(0, 2.5F, 0, -1.5F));
    const Read named = read("c.csv", "id,y_true,logit\na,1,2.5\nb,0,-1.5\n");
    EXPECT_EQ(named.report.kind, ScoreKind::logits);
    EXPECT_THAT(named.scores, ElementsAre(0, 2.5F, 0, -1.5F));
}

TEST_F(OneColumnImport, AColumnThatContradictsItsKindIsRefused) {
    EXPECT_THAT(refusal("b.csv", "id,prob\na,2.5\nb,-1.5\n"),
                HasSubstr("the column's name says probabilities, but they are between -1.5 and"));
    EXPECT_THAT(refusal("b.csv", "id,score\na,2.5\nb,0.5\n", of_kind(ScoreKind::probabilities)),
                HasSubstr("--kind says probabilities, but"));
    EXPECT_THAT(
        refusal("b.csv", "id,score\na,0.5\nb,-0.5\n", of_kind(ScoreKind::log_probabilities)),
        HasSubstr("--kind says log_probabilities, but"));
    // The column may contain predicted classes.
    EXPECT_THAT(refusal("b.csv", "id,score\na,0\nb,1\n"),
                AllOf(HasSubstr("all are whole numbers"), HasSubstr("--kind probabilities")));
    EXPECT_THAT(refusal("b.csv", "id,score\na,15\nb,80.5\n"), HasSubstr("--kind percent"));
}

TEST_F(OneColumnImport, LogarithmsAndPercent) {
    const Read logs = read("b.csv", "id,log_prob\na,-0.25\nb,0\n");
    EXPECT_FLOAT_EQ(logs.scores[0], std::log(1 - std::exp(-0.25F)));
    EXPECT_FLOAT_EQ(logs.scores[1], -0.25F);
    EXPECT_EQ(logs.scores[2], -std::numeric_limits<float>::infinity());
    ImportOptions percent;
    take_kind(percent, "percent");
    EXPECT_THAT(read("c.csv", "id,score\na,75\nb,0\n", percent).scores,
                ElementsAre(0.25F, 0.75F, 1, 0));
}

TEST_F(OneColumnImport, AnyColumnThatIsNamed) {
    const std::string text = "id,y_true,melanoma\na,1,0.75\nb,0,0.25\n";
    EXPECT_THAT(refusal("b.csv", text), HasSubstr("pass --score-columns melanoma"));
    ImportOptions options;
    options.columns.scores = {"melanoma"};
    options.classes = ClassList({"benign", "malignant"});
    const Read found = read("b.csv", text, options);
    EXPECT_THAT(found.scores, ElementsAre(0.25F, 0.75F, 0.75F, 0.25F));
    EXPECT_EQ(PredictionStore::open(found.report.store).dataset().classes.id(1), "malignant");
    options.classes = ClassList({"a", "b", "c"});
    EXPECT_THAT(refusal("b.csv", text, options),
                HasSubstr("the list has 3 classes, the scores have 2"));
}

// A column next to a score may be the label or the prediction, which changes the accuracy.
TEST_F(OneColumnImport, ALabelBesideAScoreIsAskedAbout) {
    const std::string text = "id,label,prob\na,1,0.75\nb,0,0.25\nc,1,0.125\n";
    EXPECT_THAT(refusal("b.csv", text), HasSubstr("pass --label-column label"));
    ImportOptions two;
    two.class_count = 2;
    EXPECT_THAT(refusal("b.csv", text, two),
                AllOf(HasSubstr("--label-column label"), HasSubstr("never below 0.5")));
    ImportOptions told;
    told.columns.label = "label";
    const Read found = read("b.csv", text, told);
    EXPECT_THAT(found.labels, ElementsAre(1, 0, 1));
    EXPECT_THAT(found.scores, ElementsAre(0.25F, 0.75F, 0.75F, 0.25F, 0.875F, 0.125F));
    // There is one row for each class, each with more than one half: the predicted class with its
    // probability.
    EXPECT_EQ(import("d.csv", "id,label,prob\na,1,0.75\na,0,0.25\nb,0,0.5\nb,1,0.5\n", two).top_k,
              2U);
    EXPECT_EQ(import("d.csv", "id,label,prob\na,1,0.75\nb,0,0.875\n", two).top_k, 1U);
    EXPECT_THAT(refusal("e.csv", "id,label,log_prob\na,1,-0.25\nb,0,-2\n", two),
                HasSubstr("--label-column label"));
    EXPECT_EQ(import("f.csv", "id,label,log_prob\na,1,-0.25\nb,0,0\n", two).top_k, 1U);
}

TEST_F(OneColumnImport, BadCellsAndEmptyFiles) {
    const Read found = read("b.csv", "id,prob\na,0.5\nb,\nc,nan\n");
    EXPECT_EQ(found.report.bad_rows, 2U);
    EXPECT_THAT(refusal("b.csv", "id,prob\na,0.5\nb,x\n"), HasSubstr("`x`"));
    EXPECT_THAT(refusal("b.csv", "id,prob\n"), HasSubstr("no rows"));
    EXPECT_THAT(refusal("b.csv", "id,score\na,nan\nb,nan\n"), HasSubstr("none is finite"));
    EXPECT_THAT(read("c.csv", "\xEF\xBB\xBFid;prob\na;0,5\nb;0,25\n").scores,
                ElementsAre(0.5F, 0.5F, 0.75F, 0.25F));
}

}  // namespace
}  // namespace assay
