// Decisions with a cost matrix: computed by hand, compared with the likeliest class, and errors.
#include "assay/decisions/cost_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../evaluate/saved_scores.h"
#include "assay/report.h"
#include "message_of.h"

namespace assay::decisions {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Probabilities of three classes.
Made three_images() {
    Made made;
    made.kind = ScoreKind::probabilities;
    made.labels = {{0}, {2}, {1}, {0}};
    made.scores = {.6F, .3F, .1F, .5F, .1F, .4F, .2F, .7F, .1F, .9F, .05F, .05F};
    return made;
}

struct CostFile {
    explicit CostFile(const std::string& text) {
        save(folder, three_images(), "net");
        write(text);
        options.stores = {folder / "runs"};
        options.costs = folder / "costs.csv";
    }
    void write(const std::string& text) { std::ofstream(folder / "costs.csv") << text; }
    std::string fault() {
        return message_of([&] { cost_decisions(options); });
    }
    Scratch folder;
    OperatingOptions options;
};

TEST(CostDecisions, ByHand) {
    CostFile file("truth,c0,c1,c2,abstain\nc0,0,1,1,.5\nc1,1,0,1,.5\nc2,10,10,0,.5\n");
    const CostDecision found = cost_decisions(file.options).models.at(0);
    // The costs of c0, c1, c2, abstain are 1.3 1.6 .9 .5; 4.1 4.5 .6 .5; 1.7 1.2 .9 .5; .55 1.4
    // .95 .5. All images abstain, for .5 each. The likeliest classes 0, 0, 1, 0 cost 0, 10, 0, 0.
    EXPECT_EQ(found.images, 4U);
    EXPECT_DOUBLE_EQ(*found.cost.value, .5);
    EXPECT_DOUBLE_EQ(*found.likeliest_cost.value, 2.5);
    EXPECT_DOUBLE_EQ(*found.difference.value, -2);
    EXPECT_EQ(*found.abstained.value, 1);
    EXPECT_EQ(found.changed, 4U);
    EXPECT_EQ(found.constant, "abstain");
    EXPECT_DOUBLE_EQ(found.constant_cost, .5);
    // One image of cost 10 is added, so the mean is 12 / 5 and the mean square (4 * .25 + 100) / 5.
    const double mean = (4 * .5 + 10) / 5, square = (4 * .25 + 100) / 5;
    EXPECT_NEAR(found.cost.interval->high,
                mean + 1.959963984540054 * std::sqrt((square - mean * mean) / 5), 1e-9);
    // For the lower end, one image of cost 0 is added, so the mean is .4 and the mean square .2.
    EXPECT_NEAR(found.cost.interval->low, .4 - 1.959963984540054 * std::sqrt(.04 / 5), 1e-9);
    ASSERT_EQ(found.cells.size(), 6U);
    EXPECT_EQ(found.cells[0].truth, "c0");
    EXPECT_EQ(found.cells[0].decision, "c0");
    EXPECT_EQ(found.cells[0].images, 0U);
    EXPECT_EQ(found.cells[0].likeliest, 2U);
    EXPECT_EQ(found.cells[1].decision, "abstain");
    EXPECT_EQ(found.cells[1].images, 2U);
}

TEST(CostDecisions, ColumnsAndRowsMayBeInAnyOrder) {
    CostFile file("truth,c0,c1,c2\nc0,0,1,4\nc1,2,0,5\nc2,3,6,-1\n");
    const auto straight = report_of(cost_decisions(file.options)).result;
    file.write(" ,c2 ,c0,c1\nc2,-1,3,6\nc0,4,0,1\n c1,5,2,0\n");
    file.options.threads = 3;
    EXPECT_EQ(report_of(cost_decisions(file.options)).result, straight);
    EXPECT_EQ(straight["schema"], "assay.cost_decisions/1");
}

TEST(CostDecisions, CostsOfOneForEachErrorDecideForTheLikeliestClass) {
    const Scratch folder;
    save(folder, made_up(600, 4, 3, 1), "net");
    std::ofstream(folder / "costs.csv") << "truth,c0,c1,c2,c3\nc0,0,1,1,1\nc1,1,0,1,1\nc2,1,1,0,1\n"
                                           "c3,1,1,1,0\n";
    OperatingOptions options;
    options.stores = {folder / "runs"};
    options.costs = folder / "costs.csv";
    const CostDecision found = cost_decisions(options).models.at(0);
    EXPECT_EQ(found.changed, 0U);
    EXPECT_EQ(*found.difference.value, 0);
    EXPECT_LT(found.difference.interval->low, 0);
    EXPECT_GT(found.difference.interval->high, 0);
    const ScoreReport report = scored(PredictionStore::open(folder / "runs" / "val" / "net"));
    EXPECT_NEAR(*found.cost.value, 1 - *find(report.measurements, "top1").value, 1e-12);
}

TEST(CostDecisions, SayWhatIsWrongWithTheFile) {
    CostFile file("truth,c0,c1\nc0,0,1\nc1,1,0\n");
    EXPECT_THAT(file.fault(), testing::AllOf(HasSubstr("no column is the class `c2`"),
                                             HasSubstr("assay decide RUNS --costs")));
    file.write("truth,c0,c1,cc2\n");
    EXPECT_THAT(file.fault(), testing::AllOf(HasSubstr("`cc2` is no class"),
                                             HasSubstr("and `abstain` are allowed")));
    file.write("truth,c0,c1,c2,c1\n");
    EXPECT_THAT(file.fault(), HasSubstr("two columns are the class `c1`"));
    file.write("truth,c0,c1,c2\nc0,0,1,1\nc1,1,0,1\n");
    EXPECT_THAT(file.fault(), HasSubstr("no row is the class `c2`"));
    file.write("truth,c0,c1,c2\nc0,0,1,1\nc1,1,0,1\nc1,1,0,1\n");
    EXPECT_THAT(file.fault(), testing::AllOf(HasSubstr("line 4"), HasSubstr("second row")));
    file.write("truth,c0,c1,c2\nc0,0,1,high\nc1,1,0,1\nc2,1,0,1\n");
    EXPECT_THAT(file.fault(), testing::AllOf(HasSubstr("line 2"), HasSubstr("`high`")));
    file.write("truth,c0,c1,c2\nc0,1,1,1\nc1,2,2,2\nc2,1,1,1\n");
    EXPECT_THAT(file.fault(), HasSubstr("no decision matters"));
    file.options.prevalence = .1;
    EXPECT_THAT(message_of([&] { cost_decisions(file.options); }, ErrorCode::usage),
                HasSubstr("omit --prevalence"));
}

TEST(CostDecisions, AStoreThatCannotBeUsedIsAWarningBesideOthers) {
    CostFile file("truth,c0,c1,c2\nc0,0,1,1\nc1,1,0,1\nc2,10,10,0\n");
    Made two = three_images();
    two.dataset = "other";
    two.classes = 2;
    two.scores.resize(8);
    two.labels = {{0}, {1}, {1}, {0}};
    for (std::size_t i = 0; i < 8; ++i) two.scores[i] = .5F;
    save(file.folder, two, "another");
    const CostDecisions result = cost_decisions(file.options);
    ASSERT_EQ(result.models.size(), 1U);
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("other/another` is not used: ")));
    EXPECT_TRUE(report_of(result).partial);
    // A file that fits no store is one error.
    save(file.folder, three_images(), "third");
    file.options.stores = {file.folder / "runs/val/net", file.folder / "runs/val/third"};
    file.write("truth,c0,c1,c2\nc0,0,1,1\nc1,1,0,one\nc2,10,10,0\n");
    EXPECT_THAT(file.fault(),
                testing::AllOf(HasSubstr("one"), testing::Not(HasSubstr("is not used"))));
}

}  // namespace
}  // namespace assay::decisions
