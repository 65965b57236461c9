// Errors of cells that were measured on the same images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/quality/choose.h"
#include "assay/quality/quba.h"
#include "core/random.h"

namespace assay::quality {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

double scale(std::size_t d, const QubaConstants& c) {
    return c.deviation[d];
}

/// Sets a cell to the value mean + `at` deviations, with parts in units of the deviation.
void set_cell(QualityModel& model, Dimension dimension, double at, std::vector<ErrorShare> shares) {
    const auto d = static_cast<std::size_t>(dimension);
    const QubaConstants& c = published_constants();
    QualityCell& cell = model.cells[d];
    cell.value = c.mean[d] + at * scale(d, c);
    double squares = 0;
    for (ErrorShare& share : shares) {
        for (double& part : share.parts) {
            part *= scale(d, c);
            squares += part * part;
        }
    }
    cell.standard_error = std::sqrt(squares);
    cell.shares = std::move(shares);
}

QualityTable named_models(std::size_t count) {
    QualityTable table;
    table.source = "made";
    for (std::size_t m = 0; m < count; ++m) {
        QualityModel model;
        model.name = model.label = std::string(1, static_cast<char>('a' + m));
        table.models.push_back(model);
    }
    return table;
}

QubaOptions own_dimensions(const char* weights) {
    QubaOptions options;
    options.weights = weights;
    options.among_published = false;
    options.replicates = 20'000;
    return options;
}
constexpr auto accuracy_alone =
    "accuracy=1,adv rob=0,c rob=0,ood=0,calibration=0,balance=0,focus=0,shape=0,params=0";
constexpr auto accuracy_and_balance =
    "accuracy=1,adv rob=0,c rob=0,ood=0,calibration=0,balance=1,focus=0,shape=0,params=0";
constexpr auto accuracy_and_calibration =
    "accuracy=1,adv rob=0,c rob=0,ood=0,calibration=1,balance=0,focus=0,shape=0,params=0";

TEST(JointErrors, ModelsThatErrTogetherKeepTheirOrder) {
    QualityTable table = named_models(2);
    const std::vector<ErrorShare> same = {{"val", {.3, -.4}}, {"edge", {1.2}}};
    set_cell(table.models[0], Dimension::accuracy, 0, same);
    set_cell(table.models[1], Dimension::accuracy, .01, same);
    const QubaResult joint = score_quality(table, own_dimensions(accuracy_alone));
    EXPECT_EQ(joint.models[0].label, "b");
    EXPECT_EQ(joint.models[0].best, 1);
    // .3^2 + .4^2 + 1.2^2 = 1.3^2, from 20,000 draws.
    EXPECT_NEAR(*joint.models[0].score.standard_error, 1.3, .03);
    EXPECT_EQ(joint.draws[0].joint, 2U);
    for (QualityModel& model : table.models) model.cells[0].shares.clear();
    const QubaResult independent = score_quality(table, own_dimensions(accuracy_alone));
    EXPECT_NEAR(independent.models[0].best, .5, .02);
    EXPECT_EQ(independent.draws[0].independent, 2U);
}

TEST(JointErrors, DimensionsOfAModelAddUpOrCancel) {
    QualityTable table = named_models(2);
    set_cell(table.models[0], Dimension::accuracy, 0, {{"val", {.6, .8}}});
    set_cell(table.models[0], Dimension::class_balance, 0, {{"val", {.6, .8}}});
    set_cell(table.models[0], Dimension::calibration_error, 0, {{"val", {.6, .8}}});
    table.models[1] = table.models[0];
    const auto error = [&](const char* weights) {
        return score_quality(table, own_dimensions(weights)).models[0].score.standard_error;
    };
    // both have the same part twice, so the value is not 1/sqrt(2)
    EXPECT_NEAR(*error(accuracy_and_balance), 1, .03);
    // lower values are better, so the parts cancel
    EXPECT_LT(error(accuracy_and_calibration).value_or(0), 1e-6);
    ChooseOptions options;
    options.weights = accuracy_and_balance;
    EXPECT_NEAR(*choose_models(table, options).candidates[0].score.standard_error, 1, 1e-12);
}

TEST(JointErrors, DrawsDependOnDataAndSeedAlone) {
    // there are several blocks of draws, with models of each kind
    QualityTable table = named_models(70);
    for (std::size_t m = 0; m < 70; ++m) {
        RandomStream random(3, "parts", m);
        std::vector<ErrorShare> shares = {{"val", {}}};
        for (int g = 0; g < 128; ++g) shares[0].parts.push_back(.05 * random.normal());
        set_cell(table.models[m], Dimension::accuracy, random.normal(), std::move(shares));
        if (m % 3 == 0) table.models[m].cells[0].shares.clear();
    }
    QubaOptions options = own_dimensions(accuracy_alone);
    options.replicates = 777;
    const QubaResult all = score_quality(table, options);
    options.where = {"rows=5,8"};
    for (const ScoredModel& few : score_quality(table, options).models) {
        for (const ScoredModel& model : all.models) {
            if (model.model == few.model) {
                EXPECT_EQ(model.score.standard_error, few.score.standard_error);
            }
        }
    }
    options.where.clear();
    EXPECT_EQ(report_of(score_quality(table, options)).result, report_of(all).result);
    options.seed = 1;
    EXPECT_NE(*score_quality(table, options).models[0].score.standard_error,
              *all.models[0].score.standard_error);
}

TEST(JointErrors, ChooseTakesTheCovariance) {
    QualityTable table = named_models(3);
    set_cell(table.models[0], Dimension::accuracy, 1, {{"val", {.3, .4}}, {"edge", {.5}}});
    set_cell(table.models[1], Dimension::accuracy, .5, {{"val", {.3, .5}}, {"edge", {.5}}});
    set_cell(table.models[2], Dimension::accuracy, 0, {{"val", {-.3, -.4}}, {"r", {.1}}});
    ChooseOptions options;
    options.weights = accuracy_alone;
    const ChooseResult found = choose_models(table, options);
    const auto error = [&](std::size_t c) {
        return found.candidates[c].behind.standard_error.value_or(0);
    };
    EXPECT_EQ(error(0), 0);
    EXPECT_EQ(*found.candidates[0].behind.value, 0);
    EXPECT_NEAR(error(1), .1, 1e-12);
    EXPECT_NEAR(error(2), std::sqrt(.6 * .6 + .8 * .8 + .5 * .5 + .1 * .1), 1e-12);
    EXPECT_NEAR(*found.candidates[1].behind.value, .5, 1e-12);
    EXPECT_FALSE(found.candidates[1].like_best);  // .5 is above 1.96 * .1
    EXPECT_FALSE(found.candidates[1].undominated);
    EXPECT_TRUE(found.candidates[2].like_best);  // 1 is below 1.96 * 1.12
    EXPECT_TRUE(found.candidates[2].undominated);
    const json result = report_of(found).result;
    EXPECT_NEAR(result["candidates"][1]["behind_best"]["standard_error"].get<double>(), .1, 1e-12);
    EXPECT_EQ(result["draws"]["accuracy"]["joint"], 3);
    EXPECT_EQ(result["candidates"][1]["values"]["accuracy"], *table.models[1].cells[0].value);
    // Without shares, the second model does not differ significantly from the first.
    for (QualityModel& model : table.models) model.cells[0].shares.clear();
    const ChooseResult independent = choose_models(table, options);
    EXPECT_TRUE(independent.candidates[1].like_best);
    EXPECT_NEAR(*independent.candidates[1].behind.standard_error,
                std::hypot(std::sqrt(.5), std::sqrt(.59)), 1e-12);
}

TEST(JointErrors, ReportsSayWhichCellsAreJoint) {
    QualityTable table = named_models(2);
    set_cell(table.models[0], Dimension::accuracy, 0, {{"val", {.1}}});
    set_cell(table.models[1], Dimension::accuracy, 1, {{"val", {.1}}});
    table.models[1].cells[0].shares.clear();
    const Report report = report_of(score_quality(table, own_dimensions(accuracy_alone)));
    EXPECT_THAT(render(report, ReportFormat::text), HasSubstr("accuracy (1 of 2 models)"));
    EXPECT_EQ(report.result["draws"]["accuracy"],
              (json{{"joint", 1}, {"independent", 1}, {"exact", 0}}));
}

TEST(JointErrors, OtherImagesAreAWarning) {
    QualityTable table = named_models(2);
    set_cell(table.models[0], Dimension::accuracy, 0, {{"val", {.1}}});
    set_cell(table.models[1], Dimension::accuracy, 1, {{"val", {.1}}});
    const auto warnings = [&] {
        ChooseOptions options;
        options.weights = accuracy_alone;
        EXPECT_EQ(choose_models(table, options).warnings,
                  score_quality(table, own_dimensions(accuracy_alone)).warnings);
        return choose_models(table, options).warnings;
    };
    EXPECT_THAT(warnings(), testing::IsEmpty());
    table.models[1].cells[0].shares[0].data = "another";
    EXPECT_THAT(warnings(), Contains(AllOf(HasSubstr("accuracy: not all models were measured on "
                                                     "the same images"),
                                           HasSubstr("`a` on val"), HasSubstr("`b` on another"))));
    table.models[0].cells[0].n = 50'000;
    table.models[1].cells[0].n = 160;
    EXPECT_THAT(warnings(), Contains(HasSubstr("`b` on 160 images, `a` on 50000 images")));
    // The number of decided cue-conflict images is that of the model itself.
    QualityTable cues = named_models(2);
    for (QualityModel& model : cues.models) {
        QualityCell& cell = model.cells[static_cast<std::size_t>(Dimension::shape_bias)];
        cell.value = .3;
        cell.standard_error = .01;
        cell.n = model.name == "a" ? 700 : 720;
    }
    EXPECT_THAT(score_quality(cues, own_dimensions("shape=1,accuracy=0,adv rob=0,c rob=0,ood=0,"
                                                   "calibration=0,balance=0,focus=0,params=0"))
                    .warnings,
                Not(Contains(HasSubstr("same images"))));
}

/// Tables without shares give the same values as a version of the program from before shares.
TEST(JointErrors, IndependentCellsKeepTheirBits) {
    QubaOptions options;
    options.where = {"rows=1-3"};
    const json result = report_of(score_quality(published_models(), options)).result;
    EXPECT_EQ(result["models"][0]["score"]["standard_error"].get<double>(), 0.03495782030790644);
    ChooseOptions choice;
    choice.where = {"rows=1-3"};
    const json chosen = report_of(choose_models(published_models(), choice)).result;
    EXPECT_EQ(chosen["candidates"][0]["score"]["standard_error"].get<double>(),
              0.03557756387175568);
}

}  // namespace
}  // namespace assay::quality
