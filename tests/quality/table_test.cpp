#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/quality/table.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

QualityTable parsed(std::string_view text) {
    return parse_quality_table(text, "q.csv");
}
std::string refused(std::string_view text) {
    return message_of([&] { parsed(text); });
}

TEST(QualityTable, ReadsValuesErrorsAndTags) {
    const QualityTable table = parsed(
        "model,recipe,accuracy,accuracy_se,accuracy_n,params_m,C-robustness,c_robustness_"
        "definition\n"
        "a,\"new, \"\"fast\"\"\",0.76,0.002,50000,25.6,,\n"
        "b,old,.5,NA,,1.2,0.4,crop only\n");
    ASSERT_EQ(table.models.size(), 2U);
    EXPECT_THAT(table.tags, ElementsAre("recipe"));
    const QualityModel& a = table.models[0];
    EXPECT_EQ(a.tags[0], "new, \"fast\"");
    EXPECT_EQ(a.cell(Dimension::accuracy).value, 0.76);
    EXPECT_EQ(a.cell(Dimension::accuracy).standard_error, 0.002);
    EXPECT_EQ(a.cell(Dimension::accuracy).n, 50000U);
    EXPECT_EQ(a.cell(Dimension::parameters).value, 25.6);
    EXPECT_FALSE(a.cell(Dimension::c_robustness).value);
    EXPECT_FALSE(table.models[1].cell(Dimension::accuracy).standard_error);
    EXPECT_EQ(table.models[1].cell(Dimension::c_robustness).definition, "crop only");
    EXPECT_FALSE(table.models[1].cell(Dimension::shape_bias).value);
}

TEST(QualityTable, EqualNamesAreToldApart) {
    const QualityTable table =
        parsed("model,training,accuracy\nr,one,.5\nr,two,.6\nr,two,.7\nlone,one,.8\n");
    std::vector<std::string> labels;
    for (const QualityModel& model : table.models) labels.push_back(model.label);
    EXPECT_THAT(labels, ElementsAre("r [one]", "r #2", "r #3", "lone"));
    EXPECT_THAT(table.notes, ElementsAre(HasSubstr("3 of 4 rows share a name")));
}

TEST(QualityTable, SaysWhatIsWrongAndWhere) {
    EXPECT_THAT(refused("accuracy\n.5\n"), HasSubstr("no column `model`"));
    EXPECT_THAT(refused("model,recipe\na,b\n"), HasSubstr("no column of a quality dimension"));
    EXPECT_THAT(refused("model,accuracy,top1\na,.5,.5\n"), HasSubstr("two columns of accuracy"));
    EXPECT_THAT(refused("model,accuracy\n"), HasSubstr("no row"));
    EXPECT_THAT(refused("model,accuracy\na,.5\n ,.5\n"),
                testing::AllOf(HasSubstr("line 3"), HasSubstr("without a model's name")));
    EXPECT_THAT(refused("model,accuracy\na,76.13\n"),
                testing::AllOf(HasSubstr("q.csv line 2"), HasSubstr("accuracy is 76.13"),
                               HasSubstr("a percentage?")));
    EXPECT_THAT(refused("model,parameters\na,25557032\n"), HasSubstr("in millions"));
    EXPECT_THAT(refused("model,accuracy\na,good\n"), HasSubstr("`good` is not a number"));
    EXPECT_THAT(refused("model,accuracy\na,inf\n"), HasSubstr("is not a number"));
    EXPECT_THAT(refused("model,accuracy\na,-.1\n"), HasSubstr("must be between 0 and 1"));
    EXPECT_THAT(refused("model,accuracy,accuracy_se\na,.1,-1\n"),
                HasSubstr("standard error of accuracy is -1"));
    EXPECT_THAT(refused("model,accuracy,accuracy_se\na,.1,1.9\n"), HasSubstr("a percentage?"));
    EXPECT_THAT(refused("model,accuracy,accuracy_n\na,.1,2.5\n"),
                HasSubstr("not a number of images"));
    EXPECT_THAT(refused("model,accuracy\na,.1,.2\n"), HasSubstr("line 2"));
}

TEST(QualityTable, SelectorsFindModels) {
    const QualityTable table = parsed(
        "model,training,accuracy\nViT-b/16,A[1],.5\nResNet50,super vised,.6\nvit-s,A[1],.7\n");
    using Rows = std::vector<std::size_t>;
    EXPECT_EQ(select_models(table, {}), (Rows{0, 1, 2}));
    EXPECT_EQ(select_models(table, {"training=a[1]"}), (Rows{0, 2}));
    EXPECT_EQ(select_models(table, {"model=vit*"}), (Rows{0, 2}));
    EXPECT_EQ(select_models(table, {"model=*50"}), (Rows{1}));
    EXPECT_EQ(select_models(table, {"training=A*", "model=*16"}), (Rows{0}));
    EXPECT_EQ(select_models(table, {"rows=3,1-2"}), (Rows{2, 0, 1}));
    EXPECT_EQ(select_models(table, {"training=Super_Vised"}), (Rows{1}));
    const auto message = [&](const char* selector) {
        return message_of([&] { select_models(table, {selector}); }, ErrorCode::usage);
    };
    EXPECT_THAT(message("vit"), HasSubstr("has no `=`"));
    EXPECT_THAT(message("recipe=x"), HasSubstr("no tag `recipe`; it has training"));
    EXPECT_THAT(message("rows=4"), HasSubstr("rows 1 to 3"));
    EXPECT_THAT(message("rows=0"), HasSubstr("rows 1 to 3"));
    EXPECT_THAT(message("rows=2-1"), HasSubstr("rows 1 to 3"));
    EXPECT_THAT(message("rows=x"), HasSubstr("is not a row"));
    EXPECT_THAT(message("model=bert"), HasSubstr("no model matches"));
}

TEST(PublishedModels, AreAllThereWithTheirFaultsNoted) {
    const QualityTable& table = published_models();
    ASSERT_EQ(table.models.size(), 326U);
    EXPECT_THAT(table.tags, ElementsAre("architecture", "dataset", "training", "paper"));
    std::size_t noted = 0;
    for (const QualityModel& model : table.models) {
        for (const DimensionFacts& facts : dimension_facts()) {
            const QualityCell& cell = model.cell(facts.dimension);
            ASSERT_TRUE(cell.value) << model.label;
            if (facts.dimension == Dimension::parameters) {
                EXPECT_FALSE(cell.standard_error);
            } else {
                ASSERT_TRUE(cell.standard_error) << model.label << ' ' << facts.name;
                EXPECT_GE(*cell.standard_error, 0);
                EXPECT_LT(*cell.standard_error, 0.1) << model.label << ' ' << facts.name;
            }
        }
        noted += model.cell(Dimension::c_robustness).note.empty() ? 0 : 1;
    }
    EXPECT_EQ(noted, 82U);  // the rows with a C-robustness below .2
    EXPECT_EQ(table.models[145].name, "ViT-b/32");
    EXPECT_EQ(table.models[145].cell(Dimension::parameters).value, 88.2);
    // The error is that of a binomial proportion of 50,000 images.
    EXPECT_NEAR(*table.models[12].cell(Dimension::accuracy).standard_error,
                std::sqrt(.7613 * .2387 / 50000), 2e-6);
}

}  // namespace
}  // namespace assay::quality
