// Tables of scores with a column that is missing, duplicated or moved. The numbers stay the same,
// or the import is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imports.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ChangedTables : public Imports {
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
};

TEST_F(ChangedTables, ALabelWithoutItsColumnIsNamed) {
    EXPECT_THAT(refusal("f.csv", "id,label,cat,emu\n1,cat,2.5,1\n2,dog,0.5,1.5\n3,emu,1,3.5\n"),
                AllOf(HasSubstr("the label `dog` in `label` of row 1 is none of the 2 classes: "
                                "cat, emu"),
                      HasSubstr("pass --label-column none")));
    // The class numbers in the names differ from the column positions.
    EXPECT_THAT(refusal("f.csv", "id,label,logit_1,logit_2\n1,0,2.5,1\n2,1,0.5,1.5\n3,2,1,3.5\n"),
                HasSubstr("the label `0` in `label` of row 0 is none of the 2 classes: 1, 2"));
    const ImportReport from_1 =
        import("f.csv", "id,label,c2,c1\n1,1,2.5,1\n2,2.0,0.5,1.5\n3,1,1,3.5\n");
    EXPECT_THAT(classes(from_1), ElementsAre("1", "2"));
    EXPECT_THAT(labels_of(from_1), ElementsAre(0, 1, 0));
    EXPECT_THAT(scores(from_1), ElementsAre(1, 2.5F, 1.5F, .5F, 3.5F, 1));
}

TEST_F(ChangedTables, NumbersOfUnsortedColumnsAreAskedAbout) {
    const std::string rows = "1,0,2.5,1,7.5\n2,1,0.5,1.5,3\n3,2,1,3.5,2\n";
    EXPECT_THAT(labels_of(import("f.csv", "id,label,Cat,dog,Emu\n" + rows)), ElementsAre(0, 1, 2));
    const std::string unsorted = "id,label,dog,emu,cat\n" + rows;
    EXPECT_THAT(refusal("f.csv", unsorted),
                AllOf(HasSubstr("class 0 may be the first column, `dog`, or the first name, `cat`"),
                      HasSubstr("pass --classes FILE")));
    // The same is done in a file of labels. Labels that are names are not ambiguous.
    const std::string scores_alone = "id,dog,cat\n1,2.5,1\n2,0.5,1.5\n3,1,3.5\n";
    ImportOptions beside;
    beside.labels = scratch_ / "labels.csv";
    put_text(beside.labels, "id,label\n1,0\n2,1\n3,1\n");
    EXPECT_THAT(refusal("f.csv", scores_alone, beside),
                HasSubstr("the labels in `labels.csv` are numbers. The columns of scores are not"));
    put_text(beside.labels, "id,label\n1,dog\n2,cat\n3,cat\n");
    EXPECT_THAT(labels_of(import("f.csv", scores_alone, beside)), ElementsAre(0, 1, 1));
    ImportOptions options;
    options.classes = ClassList({"cat", "dog", "emu"});
    const ImportReport told = import("f.csv", unsorted, options);
    EXPECT_THAT(classes(told), ElementsAre("cat", "dog", "emu"));
    EXPECT_THAT(scores(told), ElementsAre(7.5F, 2.5F, 1, 3, .5F, 1.5F, 2, 1, 3.5F));
}

TEST_F(ChangedTables, ANumberThatIsNotThereIsAskedAbout) {
    const std::string rows = "1,2.5,1,7\n2,0.5,1.5,3\n3,1,3.5,2.5\n";
    for (const auto& [header, missing] :
         {std::pair("id,c0,c1,c3\n", "c2"), std::pair("id,prob_1,prob_2,prob_4\n", "prob_3"),
          std::pair("id,0,2,3\n", "1")}) {
        EXPECT_THAT(refusal("f.csv", header + rows),
                    AllOf(HasSubstr("none is called `" + std::string(missing) + "`"),
                          HasSubstr("--score-columns '*'")));
    }
    ImportOptions all;
    all.columns.scores = {"c*"};
    EXPECT_THAT(classes(import("f.csv", "id,c0,c1,c3\n" + rows, all)), ElementsAre("0", "1", "3"));
    // Most numbers are missing here, so the columns are some classes of many.
    EXPECT_THAT(classes(import("f.csv", "id,c7,c100,c12\n" + rows)), ElementsAre("7", "12", "100"));
}

TEST_F(ChangedTables, ASecondColumnOfOneNameIsAskedAbout) {
    const std::string rows = "1,2.5,1,7\n2,0.5,1.5,3\n3,1,3.5,2.5\n";
    // the names that pandas and DuckDB give it
    for (const char* name : {"cat.1", "cat_1", "cat:1"}) {
        EXPECT_THAT(refusal("f.csv", "id,cat,dog," + std::string(name) + "\n" + rows),
                    AllOf(HasSubstr("`" + std::string(name) + "` (a second `cat`)"),
                          HasSubstr("--ignore-columns")));
    }
    // Columns that sum to 1 are scores of different classes.
    EXPECT_THAT(classes(import("f.csv", "id,b,b.1\n1,0.25,0.75\n2,0.5,0.5\n3,0.125,0.875\n")),
                ElementsAre("b", "b.1"));
}

TEST_F(ChangedTables, OneNameOfTwoColumnsIsRefused) {
    for (const char* header : {"id,y_true,y_true,cat,dog", "id,id,y_true,cat,dog",
                               "id,y_true,cat,dog,cat", "id,pred,y_true,pred,target"}) {
        EXPECT_THAT(refusal("f.csv", std::string(header) + "\n1,0,1,2.5,1\n2,1,0,0.5,1.5\n"),
                    AllOf(HasSubstr("the column `"), HasSubstr("appears twice (columns ")));
    }
}

TEST_F(ChangedTables, NamesThatEndInNumbersAreKept) {
    const std::string rows = "1,grade2,2.5,1,7\n2,grade0,0.5,1.5,3\n3,grade1,1,3.5,2\n";
    const ImportReport report = import("f.csv", "id,label,grade1,grade0,grade2\n" + rows);
    EXPECT_THAT(classes(report), ElementsAre("grade0", "grade1", "grade2"));
    EXPECT_THAT(labels_of(report), ElementsAre(2, 0, 1));
    EXPECT_THAT(scores(report), ElementsAre(1, 2.5F, 7, 1.5F, .5F, 3, 3.5F, 1, 2));
}

TEST_F(ChangedTables, OneScoreBesideOthersInJson) {
    const ImportReport report = import(
        "f.jsonl", R"({"id": "a", "label": "cat", "confidence": 0.75, "cat": 0.75, "dog": 0.25}
{"id": "b", "label": "dog", "confidence": 0.5, "cat": 0.5, "dog": 0.5}
)");
    EXPECT_THAT(classes(report), ElementsAre("cat", "dog"));
    EXPECT_THAT(labels_of(report), ElementsAre(0, 1));
    EXPECT_THAT(scores(report), ElementsAre(.75F, .25F, .5F, .5F));
    const ImportReport binary = import("b.jsonl", R"({"id": "a", "y_true": 1, "prob": 0.75}
{"id": "b", "y_true": 0, "prob": 0.5}
)");
    EXPECT_THAT(labels_of(binary), ElementsAre(1, 0));
    EXPECT_THAT(scores(binary), ElementsAre(.25F, .75F, .5F, .5F));
    EXPECT_THAT(refusal("l.jsonl", "{\"id\": \"a\", \"label\": \"cat\"}\n"),
                HasSubstr("may be the predicted class or the image's label"));
}

}  // namespace
}  // namespace assay
