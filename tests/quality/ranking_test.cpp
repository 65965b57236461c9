// Rankings by columns of numbers, single columns and products.
#include "assay/quality/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/quality/choose.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using testing::HasSubstr;

/// Five models: gmacs without errors, auroc with standard errors, lat_ms with intervals.
constexpr std::string_view five =
    R"(model,gmacs,auroc,auroc_se,lat_ms,lat_ms_low,lat_ms_high,same,odd
a,1,0.80,0.01,10,9,11,1,3
b,2,0.82,0.01,12,11,13,1,-1
c,3,0.84,0.02,9,8,11,1,2
d,4,0.90,0.01,30,29,33,1,4
e,5,0.89,0.02,28,20,29,1,
)";

QualityTable cost_table(std::string_view text = five) {
    return parse_quality_table(text, "costs.csv", TableColumns::any);
}

RankingOptions weighted(const std::string& weights) {
    RankingOptions options;
    options.score.weights = weights;
    options.score.trim = 0;
    options.score.replicates = 200;
    return options;
}

TEST(Ranking, TheScoreByHand) {
    RankingOptions options = weighted("gmacs=1,auroc=2");
    options.columns.scales = {"auroc=0.8:0.05"};
    const RankingResult found = rank_models(cost_table(), options);
    ASSERT_EQ(found.models.size(), 5U);
    // gmacs: mean 3, population deviation sqrt(2), low is better. d: -1/sqrt(2); auroc of d: 2.
    const RankedModel& first = found.models.front();
    EXPECT_EQ(first.label, "d");
    EXPECT_NEAR(*first.score.value, (-1 / std::sqrt(2.0) + 2 * 2) / 3, 1e-12);
    EXPECT_NEAR(first.parts.at("gmacs"), -1 / std::sqrt(2.0) / 3, 1e-12);
    EXPECT_NEAR(first.parts.at("gmacs") + first.parts.at("auroc"), *first.score.value, 1e-12);
    // Only auroc has errors: 2 / 3 * .01 / .05, within four of its errors with 200 draws.
    EXPECT_NEAR(*first.score.standard_error, 2.0 / 3 * .2, 2.0 / 3 * .2 * .2);
    ASSERT_EQ(found.columns.size(), 2U);
    EXPECT_EQ(found.columns[0].scale_from, "these models");
    EXPECT_EQ(found.columns[0].exact, 5U);
    EXPECT_EQ(found.columns[1].scale_from, "given");
    EXPECT_EQ(found.columns[1].exact, 0U);
}

TEST(Ranking, ACopyOfADimensionHasTheScoreOfTheDimension) {
    QualityTable table = published_models();
    table.tags.push_back("my_accuracy");
    for (QualityModel& model : table.models)
        model.tags.push_back(fmt::format("{:.17g}", *model.cell(Dimension::accuracy).value));
    const QubaConstants& constants = published_constants();
    RankingOptions options = weighted("accuracy=0,my_accuracy=1");
    options.columns.scales = {
        fmt::format("my_accuracy={:.17g}:{:.17g}", constants.mean[0], constants.deviation[0])};
    const RankingResult found = rank_models(table, options);
    QubaOptions usual;
    usual.replicates = 200;
    const QubaResult quba = score_quality(published_models(), usual);
    ASSERT_EQ(found.models.size(), 326U);
    std::map<std::size_t, const ScoredModel*> by_model;
    for (const ScoredModel& m : quba.models) by_model[m.model] = &m;
    for (const RankedModel& m : found.models) {
        const ScoredModel& same = *by_model.at(m.model);
        EXPECT_NEAR(*m.score.value, *same.score.value, 1e-12) << m.label;
        EXPECT_EQ(*m.rank.value, *same.rank.value) << m.label;
    }
}

TEST(Ranking, DimensionsHaveTheDrawsOfTheirScore) {
    // A column of weight 0 changes neither a score nor its errors.
    QualityTable table = published_models();
    table.tags.push_back("gmacs");
    for (QualityModel& model : table.models) model.tags.emplace_back("1");
    RankingOptions options = weighted("gmacs=0");
    options.score.where = {"rows=1-40"};
    const RankingResult found = rank_models(table, options);
    const QubaResult quba = score_quality(published_models(), [&] {
        QubaOptions usual = options.score;
        usual.weights = "balanced";
        return usual;
    }());
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(found.models[i].model, quba.models[i].model);
        EXPECT_NEAR(*found.models[i].score.standard_error, *quba.models[i].score.standard_error,
                    1e-12);
        EXPECT_EQ(to_json(found.models[i].rank), to_json(quba.models[i].rank));
        EXPECT_EQ(found.models[i].best, quba.models[i].best);
    }
}

TEST(Ranking, ASingleColumnHasTheErrorsOfTheTable) {
    RankingOptions options;
    options.by = "lat_ms";
    const RankingResult found = rank_models(cost_table(), options);
    EXPECT_FALSE(found.higher_is_better);
    EXPECT_EQ(found.models[0].label, "c");
    EXPECT_EQ(found.models[4].label, "d");
    // The interval of c is 8 to 11: half of its width, around the value.
    EXPECT_NEAR(found.models[0].score.interval->low, 9 - 1.5, 1e-9);
    EXPECT_NEAR(found.models[0].score.interval->high, 9 + 1.5, 1e-9);
    EXPECT_TRUE(found.models[0].best.has_value());
    options.by = "gmacs";  // exact: the ranks have no intervals
    const RankingResult exact = rank_models(cost_table(), options);
    EXPECT_FALSE(exact.models[0].rank.interval.has_value());
    EXPECT_FALSE(exact.models[0].best.has_value());
    EXPECT_FALSE(exact.models[0].score.interval.has_value());
}

TEST(Ranking, AProductByHand) {
    RankingOptions options;
    options.by = "auroc / lat_ms";
    options.score.replicates = 4000;
    const RankingResult found = rank_models(cost_table(), options);
    EXPECT_EQ(found.models[0].label, "c");
    EXPECT_NEAR(*found.models[0].score.value, .84 / 9, 1e-12);
    EXPECT_EQ(found.columns[1].power, -1);
    // The delta method for b: relative errors .01 / .82 and (1 / 1.96) / 12.
    for (const RankedModel& m : found.models) {
        if (m.label != "b") continue;
        const double relative = std::hypot(.01 / .82, 1 / 1.959964 / 12);
        EXPECT_NEAR(*m.score.standard_error, relative * .82 / 12, .05 * relative * .82 / 12);
    }
    // The fifteen best by raw OOD accuracy begin with this model of the published table.
    RankingOptions raw;
    raw.by = "accuracy*ood_robustness";
    const RankingResult ood = rank_models(published_models(), raw);
    double most = 0;
    for (const QualityModel& model : published_models().models) {
        most = std::max(most, *model.cell(Dimension::accuracy).value *
                                  *model.cell(Dimension::ood_robustness).value);
    }
    EXPECT_NEAR(*ood.models[0].score.value, most, 1e-12);
}

TEST(Ranking, FaultsSayWhatIsAllowed) {
    const auto refused = [](const RankingOptions& options, ErrorCode code) {
        return message_of([&] { rank_models(cost_table(), options); }, code);
    };
    const auto by = [](const std::string& text) {
        RankingOptions options;
        options.by = text;
        return options;
    };
    EXPECT_THAT(refused(weighted("gmac=1"), ErrorCode::usage), HasSubstr("did you mean `gmacs`?"));
    EXPECT_THAT(refused(weighted("balanced"), ErrorCode::usage),
                HasSubstr("--weights NAME=1; it has: gmacs, auroc"));
    EXPECT_THAT(refused(weighted("gmacs=-1"), ErrorCode::usage), HasSubstr("0 or more"));
    EXPECT_THAT(refused(weighted("gmacs=0"), ErrorCode::usage), HasSubstr("all weights are 0"));
    EXPECT_THAT(refused(weighted("odd=1"), ErrorCode::usage), HasSubstr("--better \"odd=low\""));
    RankingOptions odd = weighted("odd=1");
    odd.columns.better = {"odd=high"};
    EXPECT_THAT(
        refused(odd, ErrorCode::bad_input),
        testing::AllOf(HasSubstr("1 of 5 models has no odd (e)"), HasSubstr("--drop-missing")));
    odd.score.drop_missing = true;
    EXPECT_EQ(rank_models(cost_table(), odd).models.size(), 4U);
    RankingOptions same = weighted("same=1");
    same.columns.better = {"same=low"};
    EXPECT_THAT(refused(same, ErrorCode::bad_input),
                HasSubstr("all 5 models have the same value of same"));
    EXPECT_THAT(refused(by("auroc*lat_ms"), ErrorCode::usage), HasSubstr("divide by lat_ms"));
    EXPECT_THAT(refused(by("auroc*"), ErrorCode::usage), HasSubstr("a column is missing"));
    EXPECT_THAT(refused(by("auroc*auroc"), ErrorCode::usage), HasSubstr("appears twice"));
    RankingOptions idle = weighted("gmacs=1");
    idle.by = "auroc";
    EXPECT_THAT(refused(idle, ErrorCode::usage), HasSubstr("--weights sets the weighted score"));
    RankingOptions scale = weighted("gmacs=1");
    scale.columns.scales = {"gmacs=1:0"};
    EXPECT_THAT(refused(scale, ErrorCode::usage), HasSubstr("NAME=MEAN:DEVIATION"));
    scale.columns.scales = {"gmac=1:1"};
    EXPECT_THAT(refused(scale, ErrorCode::usage), HasSubstr("did you mean `gmacs`?"));
    const QualityTable outside =
        cost_table("model,lat_ms,lat_ms_low,lat_ms_high\na,1,2,3\nb,2,1,3\nc,3,2,4\n");
    EXPECT_THAT(
        message_of([&] { rank_models(outside, weighted("lat_ms=1")); }, ErrorCode::bad_input),
        HasSubstr("column `lat_ms` of a: 1 is outside its interval from 2 to 3"));
}

TEST(Ranking, IsNeededForOtherColumnsOnly) {
    EXPECT_FALSE(needs_ranking(published_models(), weighted("balanced")));
    EXPECT_FALSE(needs_ranking(published_models(), weighted("none,accuracy=1,params=2")));
    EXPECT_TRUE(needs_ranking(published_models(), weighted("gmacs=1")));
    EXPECT_TRUE(needs_ranking(cost_table(), weighted("balanced")));
    RankingOptions options;
    options.by = "accuracy";
    EXPECT_TRUE(needs_ranking(published_models(), options));
}

TEST(Ranking, OnlyNamedColumnsCountAfterNone) {
    const PerDimension<double> weights = weights_named("none, accuracy=1, params=2");
    EXPECT_EQ(weights, (PerDimension<double>{1, 0, 0, 0, 0, 0, 0, 0, 2}));
    EXPECT_EQ(weights_named("accuracy,params=0")[0], 2);  // a profile, then a change
    EXPECT_THAT(message_of([] { weights_named("none"); }, ErrorCode::usage),
                HasSubstr("all weights are 0"));
    EXPECT_THAT(message_of([] { weights_named("accuracy=1,none"); }, ErrorCode::usage),
                HasSubstr("is not a number"));
}

TEST(Ranking, AMissingEndOfAnIntervalIsRefused) {
    const auto refused = [](std::string_view text) {
        return message_of([&] { rank_models(cost_table(text), weighted("lat_ms=1")); },
                          ErrorCode::bad_input);
    };
    EXPECT_THAT(refused("model,lat_ms,lat_ms_low\na,1,0\nb,2,1\nc,3,2\n"),
                HasSubstr("add the column `lat_ms_high`"));
    EXPECT_THAT(refused("model,lat_ms,lat_ms_low,lat_ms_high\na,1,0,\nb,2,1,3\nc,3,2,4\n"),
                HasSubstr("column `lat_ms` of a: only one end"));
    EXPECT_THAT(refused("model,lat_ms,lat_ms_se\na,1,-1\nb,2,1\nc,3,2\n"),
                HasSubstr("the standard error -1 is negative"));
}

TEST(Ranking, DirectionsComeFromNames) {
    EXPECT_EQ(better_when_high("ood_auroc"), true);
    EXPECT_EQ(better_when_high("top1_v1"), true);
    EXPECT_EQ(better_when_high("latency_ms"), false);
    EXPECT_EQ(better_when_high("peak-memory MiB"), false);
    EXPECT_EQ(better_when_high("top1_error"), std::nullopt);
    EXPECT_EQ(better_when_high("top1_err"), std::nullopt) << "a column of timm's results";
    EXPECT_EQ(better_when_high("top1_rank"), std::nullopt);
    EXPECT_EQ(better_when_high("delta_rank"), std::nullopt);
    for (const std::string_view name : {"accuracy_drop", "robustness_gap", "auroc_std",
                                        "accuracy_variance", "latency_difference"})
        EXPECT_EQ(better_when_high(name), std::nullopt) << name;
    EXPECT_EQ(better_when_high("accuracy_loss"), std::nullopt);
}

TEST(Ranking, ADrawWithoutAScaleIsRefused) {
    // Without the trimmed two of each side, one model differs, and only if it is drawn inside.
    std::string text = "model,gmacs,gmacs_se\n";
    for (int i = 0; i < 20; ++i)
        text += fmt::format("m{},{}\n", i, i < 17 ? "1," : i == 17 ? "2,5" : "3,");
    RankingOptions options = weighted("gmacs=1");
    options.score.trim = .1;
    const auto refused = [&](std::string_view table) {
        return message_of([&] { rank_models(cost_table(table), options); }, ErrorCode::bad_input);
    };
    EXPECT_THAT(refused(text), testing::AllOf(HasSubstr("in a draw, all 20 models have the same"),
                                              HasSubstr("--scale gmacs=MEAN:DEVIATION")));
    options.score.trim = 0;
    constexpr std::string_view huge = "model,gmacs,gmacs_se\na,1,1e308\nb,2,\nc,3,\n";
    EXPECT_THAT(refused(huge), HasSubstr("in a draw, values of gmacs are too large for a scale"));
    options.columns.scales = {"gmacs=1:1"};
    EXPECT_THAT(refused(huge), HasSubstr("it must be between -1e+150 and 1e+150"));
    options = {};
    options.by = "accuracy_a*accuracy_b";
    EXPECT_THAT(refused("model,accuracy_a,accuracy_b\na,1e200,1e200\nb,2,3\n"),
                HasSubstr("a score is inf"));
}

TEST(Ranking, ADivisorNearItsErrorHasNoInterval) {
    RankingOptions options;
    options.by = "auroc/lat_ms";
    options.score.replicates = 200;
    constexpr std::string_view near =
        "model,auroc,auroc_se,lat_ms,lat_ms_se\na,.8,.01,3.9,1\nb,.9,.01,4,1\nc,.02,.01,9,1\n";
    const RankingResult found = rank_models(cost_table(near), options);
    for (const RankedModel& m : found.models) {
        EXPECT_EQ(m.score.interval.has_value(), m.label == "b") << m.label;
        EXPECT_FALSE(m.rank.interval.has_value()) << m.label;
        EXPECT_FALSE(m.best.has_value()) << m.label;
        if (m.label != "a") continue;
        EXPECT_THAT(m.score.note, HasSubstr("lat_ms is below 4 of its standard errors"));
    }
    EXPECT_THAT(found.notes, testing::Contains(HasSubstr("because lat_ms is below 4 of")));
    EXPECT_THAT(found.notes, testing::Contains(HasSubstr("Ranks have no intervals")));
    // A factor that can be negative only concerns its own model.
    constexpr std::string_view factor =
        "model,auroc,auroc_se,lat_ms,lat_ms_se\na,.8,.01,9,1\nb,.9,.01,8,1\nc,.02,.01,9,1\n";
    for (const RankedModel& m : rank_models(cost_table(factor), options).models) {
        EXPECT_EQ(m.score.interval.has_value(), m.label != "c") << m.label;
        EXPECT_EQ(m.rank.interval.has_value(), m.label != "c") << m.label;
        EXPECT_EQ(m.best.has_value(), m.label != "c") << m.label;
    }
}

TEST(Ranking, AStandardErrorOfZeroIsNoKnownError) {
    constexpr std::string_view zero = "model,gmacs,gmacs_se\na,1,0\nb,2,0\nc,3,0\n";
    RankingOptions options;
    for (const std::string_view by : {"gmacs", ""}) {
        options.by = by;
        options.score.weights = by.empty() ? "gmacs=1" : QubaOptions{}.weights;
        options.score.trim = by.empty() ? 0 : QubaOptions{}.trim;
        const RankingResult found = rank_models(cost_table(zero), options);
        EXPECT_EQ(found.columns[0].exact, 3U);
        EXPECT_FALSE(found.models[0].rank.interval.has_value());
        EXPECT_FALSE(found.models[0].best.has_value());
        EXPECT_THAT(found.notes, testing::Contains(HasSubstr("all values are without")));
    }
}

TEST(Ranking, ANoteSaysThatTheAccuracyCancels) {
    RankingOptions options;
    options.score.replicates = 100;
    const auto too_wide = testing::Contains(HasSubstr("so these intervals are too wide"));
    options.by = "accuracy*ood_robustness";
    EXPECT_THAT(rank_models(published_models(), options).notes, too_wide);
    options.by = "accuracy*shape_bias";
    EXPECT_THAT(rank_models(published_models(), options).notes, testing::Not(too_wide));
}

TEST(Ranking, AMisspeltDimensionIsSuggested) {
    EXPECT_THAT(
        message_of([] { rank_models(cost_table(), weighted("acuracy=2")); }, ErrorCode::usage),
        testing::AllOf(HasSubstr("did you mean `accuracy`?"), HasSubstr("shape_bias"),
                       HasSubstr("columns of numbers are: gmacs, auroc")));
    RankingOptions options;
    options.by = "accuracy";
    options.columns.better = {"gmacs=low"};
    EXPECT_THAT(message_of([&] { rank_models(published_models(), options); }, ErrorCode::usage),
                HasSubstr("omit --better gmacs"));
}

TEST(Choose, CsvNamesOtherColumnsByAPrefix) {
    ChooseOptions options;
    options.weights = "gmacs=1";
    options.columns.scales = {"gmacs=3:1"};
    options.needs = {"score <= 28"};
    const Report report =
        report_of(choose_models(cost_table("model,gmacs,score\na,1,10\nb,2,12\nc,3,9\n"), options));
    std::vector<std::string> names;
    for (const Column& column : report.records.columns) names.push_back(column.name);
    EXPECT_EQ(std::ranges::count(names, "score"), 1);
    EXPECT_EQ(std::ranges::count(names, "value_score"), 1);
}

TEST(Choose, ColumnsCountLikeDimensions) {
    ChooseOptions options;
    options.weights = "gmacs=1,auroc=2";
    options.columns.scales = {"auroc=0.8:0.05", "gmacs=3:1"};
    options.needs = {"lat_ms <= 28"};
    const ChooseResult found = choose_models(cost_table(), options);
    ASSERT_EQ(found.candidates.size(), 4U);
    EXPECT_EQ(found.needs[0].failed, 1U);  // d
    const Candidate& best = found.candidates[0];
    EXPECT_EQ(best.label, "a");
    EXPECT_NEAR(*best.score.value, (2 + 2 * 0) / 3.0, 1e-12);
    EXPECT_NEAR(*best.score.standard_error, 2.0 / 3 * .2, 1e-12);
    EXPECT_EQ(best.more.at("lat_ms"), 10);
    for (const Candidate& c : found.candidates) {
        EXPECT_TRUE(c.undominated) << c.label;  // a smaller one is always worse in auroc
        EXPECT_EQ(c.sure, c.label != "e") << c.label;
    }
    EXPECT_EQ(report_of(found).result["candidates"][0]["values"]["auroc"], .8);
    options.needs = {"lat <= 28"};
    EXPECT_THAT(message_of([&] { choose_models(cost_table(), options); }, ErrorCode::usage),
                HasSubstr("no column `lat`"));
}

}  // namespace
}  // namespace assay::quality
