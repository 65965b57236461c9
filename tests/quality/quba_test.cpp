#include "assay/quality/quba.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "assay/quality/correlate.h"
#include "core/random.h"
#include "expected.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// Models with random cells around the published constants. Each cell has the same standard error,
/// in units of the constants' deviations.
QualityTable made_up(std::size_t models, double error, std::uint64_t seed) {
    QualityTable table;
    table.source = "made up";
    const QubaConstants& c = published_constants();
    for (std::size_t m = 0; m < models; ++m) {
        RandomStream random(seed, "made up", m);
        QualityModel model;
        model.name = model.label = "m" + std::to_string(m);
        for (std::size_t d = 0; d < dimension_count; ++d) {
            model.cells[d].value = c.mean[d] + c.deviation[d] * random.normal();
            model.cells[d].standard_error = error * c.deviation[d];
        }
        table.models.push_back(model);
    }
    return table;
}

TEST(Quba, TheFormulaByHand) {
    QualityTable table = made_up(2, 0.1, 1);
    for (std::size_t d = 0; d < dimension_count; ++d)
        table.models[0].cells[d].value = published_constants().mean[d];
    const auto at = [](Dimension d) { return static_cast<std::size_t>(d); };
    const auto& c = published_constants();
    // The accuracy is two deviations higher (weight 1 of 6), and the calibration error one
    // deviation higher, which is worse.
    table.models[0].cells[at(Dimension::accuracy)].value = c.mean[0] + 2 * c.deviation[0];
    table.models[0].cells[at(Dimension::calibration_error)].value = c.mean[4] + c.deviation[4];
    QubaOptions options;
    options.where = {"rows=1"};
    const QubaResult found = score_quality(table, options);
    ASSERT_EQ(found.models.size(), 1U);
    EXPECT_NEAR(*found.models[0].score.value, (2 - 1) / 6.0, 1e-12);
    EXPECT_NEAR(*found.models[0].contribution[0], 2 / 6.0, 1e-12);
    EXPECT_NEAR(*found.models[0].contribution[4], -1 / 6.0, 1e-12);
    double sum = 0;
    for (const auto& part : found.models[0].contribution) sum += part.value();
    EXPECT_NEAR(sum, *found.models[0].score.value, 1e-12);
    // For independent cells the error is sqrt(sum (w/6)^2) * .1. 1000 draws give this to a few
    // percent.
    double squares = 0;
    for (const DimensionFacts& facts : dimension_facts()) squares += std::pow(facts.weight / 6, 2);
    EXPECT_NEAR(*found.models[0].score.standard_error, .1 * std::sqrt(squares),
                .1 * .1 * std::sqrt(squares));
    // A doubled weight also changes the denominator.
    options.weights = "accuracy";
    EXPECT_NEAR(*score_quality(table, options).models[0].score.value, (4 - 1) / 7.0, 1e-12);
    options.weights = "accuracy=0, parameters = 3";
    EXPECT_NEAR(*score_quality(table, options).models[0].score.value, -1 / 7.0, 1e-12);
}

TEST(Quba, PublishedModelsHaveNoPlaceAmongThemselves) {
    const QualityTable copy = published_models();
    QubaOptions options;
    options.replicates = 100;
    const QubaResult found = score_quality(copy, options);
    EXPECT_TRUE(found.published);
    for (const ScoredModel& m : found.models) EXPECT_FALSE(m.place.value) << m.label;
}

TEST(Quba, PublishedScoresRanksAndConstants) {
    ASSAY_EXPECTED_QUALITY(expected);
    const QubaResult found = score_quality(published_models(), {});
    ASSERT_EQ(found.models.size(), 326U);
    std::map<std::size_t, const ScoredModel*> by_row;
    for (const ScoredModel& m : found.models) by_row[m.model] = &m;
    QubaOptions by_own;
    by_own.own_constants = true;
    by_own.replicates = 100;
    const QubaResult own_found = score_quality(published_models(), by_own);
    std::map<std::size_t, const ScoredModel*> own_by_row;
    for (const ScoredModel& m : own_found.models) own_by_row[m.model] = &m;
    for (const json& score : expected["scores"]) {
        const ScoredModel& m = *own_by_row.at(score[0].get<std::size_t>());
        EXPECT_NEAR(*m.score.value, score[1].get<double>(), 5.1e-5) << score;  // four decimals each
        EXPECT_EQ(*m.rank.value, score[2].get<double>()) << score;
    }
    for (const json& paper : expected["paper_scores"]) {
        const ScoredModel& m = *by_row.at(paper["row"].get<std::size_t>());
        const double tolerance =
            0.005 + expected["score_tolerance_from_rounded_input"].get<double>();
        EXPECT_NEAR(*m.score.value, paper["score"].get<double>(), tolerance) << paper;
        EXPECT_NEAR(*m.rank.value, paper["rank"].get<double>(), 1) << paper;
    }
    // If constants are estimated from the table again, they equal the published ones.
    std::vector<std::size_t> all(326);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const PerDimension<double> weights = weights_named("balanced");
    const QubaConstants own = constants_of(published_models(), all, weights, .1);
    for (std::size_t d = 0; d < dimension_count; ++d) {
        EXPECT_NEAR(own.mean[d], expected["mean"][d].get<double>(), 1e-8) << d;
        EXPECT_NEAR(own.deviation[d], expected["std"][d].get<double>(), 1e-8) << d;
        EXPECT_EQ(published_constants().mean[d], expected["mean_published_code"][d].get<double>());
        EXPECT_EQ(published_constants().deviation[d],
                  expected["std_published_code"][d].get<double>());
        EXPECT_NEAR(weights[d],
                    (std::array<double, 9>{1, 1 / 3., 1 / 3., 1 / 3., 1, 1, .5, .5, 1})[d], 1e-15);
    }
    // These are the lists of figure 5.
    for (const auto& [profile, rows] : expected["doubled_weight_top5"].items()) {
        QubaOptions options;
        options.weights = profile;
        options.own_constants = true;
        options.replicates = 100;
        const QubaResult top = score_quality(published_models(), options);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(top.models[i].model, rows[i]["row"].get<std::size_t>()) << profile;
            EXPECT_NEAR(*top.models[i].score.value, rows[i]["score"].get<double>(), 6e-4)
                << profile;
        }
    }
}

// Rough figures from the specification, based on the sizes of the test sets.
TEST(Quba, RanksSayHowSureTheyAre) {
    QubaOptions options;
    options.own_constants = false;
    const QubaResult found = score_quality(published_models(), options);
    const auto row = [&](std::size_t r) {
        for (const ScoredModel& m : found.models) {
            if (m.model == r) return m;
        }
        return ScoredModel{};
    };
    const ScoredModel eva = row(187), resnet = row(12);
    EXPECT_EQ(found.models[0].model, 187U);
    EXPECT_NEAR(eva.best, .78, .1);
    EXPECT_LE(eva.rank.interval->high, 4);
    EXPECT_NEAR(*eva.score.standard_error, .037, .006);
    EXPECT_NEAR(resnet.rank.interval->low, 200, 6);
    EXPECT_NEAR(resnet.rank.interval->high, 222, 6);
    // The same seed gives the same bits, and another seed gives other draws.
    EXPECT_EQ(report_of(score_quality(published_models(), options)).result,
              report_of(found).result);
    options.seed = 1;
    EXPECT_NE(*score_quality(published_models(), options).models[0].score.standard_error,
              *eva.score.standard_error);
}

TEST(Quba, JsonHoldsWhatScoresByOtherWeightsNeed) {
    QubaOptions options;
    options.weights = "accuracy=3,shape_bias=0";
    options.replicates = 100;
    options.level = .9;
    const json written = report_of(score_quality(published_models(), options)).result;
    const json& dimensions = written["dimensions"];
    ASSERT_EQ(dimensions.size(), dimension_count);
    for (std::size_t d = 0; d < dimension_count; ++d) {
        const DimensionFacts& facts = dimension_facts()[d];
        EXPECT_EQ(dimensions[d]["dimension"], facts.name);
        EXPECT_EQ(dimensions[d]["higher_is_better"], facts.higher_is_better);
        EXPECT_EQ(dimensions[d]["mean"], published_constants().mean[d]);
        EXPECT_EQ(dimensions[d]["deviation"], published_constants().deviation[d]);
    }
    // `constants` are the used ones, as before.
    EXPECT_FALSE(written["constants"].contains("shape_bias"));
    EXPECT_EQ(written["level"], .9);
    EXPECT_EQ(written["own_constants"], false);
    ASSERT_EQ(written["profiles"].size(), weight_profiles().size());
    EXPECT_EQ(written["profiles"][0]["profile"], "balanced");
    EXPECT_EQ(written["profiles"][1]["weights"]["accuracy"], 2);
    options.own_constants = true;
    const json own = report_of(score_quality(published_models(), options)).result;
    EXPECT_EQ(own["own_constants"], true);
    EXPECT_TRUE(own["dimensions"][0].contains("mean"));
    EXPECT_FALSE(own["dimensions"][7].contains("mean"));
}

TEST(Quba, IntervalsHoldTheTruthUnderOwnConstantsToo) {
    for (const bool own : {false, true}) {
        const QualityTable truth = made_up(30, 0.3, 5);
        QubaOptions options;
        options.own_constants = own;
        options.replicates = 200;
        options.among_published = false;
        std::map<std::size_t, double> scores;
        for (const ScoredModel& m : score_quality(truth, options).models)
            scores[m.model] = *m.score.value;
        int held = 0, all = 0;
        for (std::uint64_t study = 0; study < 60; ++study) {
            QualityTable measured = truth;
            for (std::size_t m = 0; m < measured.models.size(); ++m) {
                RandomStream random(study, "measured", m);
                for (auto& cell : measured.models[m].cells)
                    *cell.value += *cell.standard_error * random.normal();
            }
            options.seed = study + 7;
            for (const ScoredModel& m : score_quality(measured, options).models) {
                held += m.score.interval->low <= scores[m.model] &&
                                scores[m.model] <= m.score.interval->high
                            ? 1
                            : 0;
                ++all;
            }
        }
        // There are 1,800 intervals. With estimated constants, noise increases the measured
        // deviations by sqrt(1 + .3^2), which shrinks scores. This bias of plug-in estimates is
        // within the width of the interval here.
        EXPECT_GT(held, .92 * all) << own;
        EXPECT_LT(held, .98 * all) << own;
    }
}

TEST(Quba, MissingDimensionsAreRefusedOrNamed) {
    QualityTable table = made_up(4, 0.1, 2);
    table.models[2].cells[3].value.reset();
    const std::string message = message_of([&] { score_quality(table, {}); });
    EXPECT_THAT(message,
                AllOf(HasSubstr("1 of 4 models has no ood_robustness (m2)"),
                      HasSubstr("(--weights ood_robustness=0)"), HasSubstr("(--drop-missing)")));
    QubaOptions options;
    options.drop_missing = true;
    const QubaResult found = score_quality(table, options);
    for (const ScoredModel& m : found.models) {
        EXPECT_EQ(m.missing.size(), m.model == 2 ? 1U : 0U);
        if (m.model != 2) continue;
        EXPECT_EQ(m.score.note, "without ood_robustness");
        EXPECT_FALSE(m.place.value);
        double sum = 0;
        for (const auto& part : m.contribution) sum += part.value_or(0);
        EXPECT_NEAR(sum, *m.score.value, 1e-12);
    }
    EXPECT_THAT(found.warnings, testing::Contains(HasSubstr("1 of 4 scores lacks dimensions")));
    options.drop_missing = false;
    options.weights = "ood_robustness=0";  // the option is that of the message
    EXPECT_EQ(score_quality(table, options).models.size(), 4U);
    // The errors of the cells are unknown.
    for (auto& cell : table.models[0].cells) cell.standard_error.reset();
    EXPECT_THAT(score_quality(table, options).warnings,
                testing::Contains(HasSubstr("7 of 28 values have no standard error")));
}

TEST(Quba, WhatWasMeasuredInAnotherWayIsSaid) {
    QualityTable table = made_up(4, 0.1, 2);
    const auto warnings = [&] { return score_quality(table, {}).warnings; };
    table.models[1].cells[0].definition = "300 images of val";
    EXPECT_THAT(warnings(),
                testing::Contains(
                    "accuracy of 1 model was measured differently from the published one (`300 "
                    "images of val`): its place among the 326 models compares different things"));
    table.models[2].cells[0].definition = "300 images of val";
    const auto parameters = static_cast<std::size_t>(Dimension::parameters);
    table.models[2].cells[parameters].definition = "of its file";
    EXPECT_THAT(warnings(),
                AllOf(testing::Contains(HasSubstr("accuracy of 2 models was measured")),
                      testing::Contains(HasSubstr("(millions) of 1 model were measured"))));
    EXPECT_THAT(warnings(), testing::Contains(HasSubstr("their places among the 326 models "
                                                        "compare different things")));
}

TEST(Quba, WhatEntersIsCounted) {
    QualityTable table = made_up(4, 0.1, 2);
    QubaOptions options;
    options.weights = "parameters=0,shape=0";
    EXPECT_EQ(score_quality(table, options).models[0].score.n, 7U);
    // A row that is named twice counts as one model.
    options.where = {"rows=1-3,2"};
    EXPECT_EQ(score_quality(table, options).models.size(), 3U);
    options = {};
    options.drop_missing = true;
    for (auto& cell : table.models[3].cells) cell.value.reset();
    EXPECT_THAT(message_of([&] { score_quality(table, options); }),
                HasSubstr("m3 has no value in any dimension"));
    table.models[3] = made_up(4, 0.1, 2).models[3];
    table.models[1].cells[4].note = table.models[2].cells[4].note = "softmax twice";
    EXPECT_THAT(score_quality(table, {}).notes,
                testing::Contains("calibration error of 2 models: softmax twice"));
    options = {};
    options.replicates = 1'000'000;
    EXPECT_THAT(message_of([&] { score_quality(made_up(101, .1, 1), options); }, ErrorCode::usage),
                HasSubstr("use fewer"));
}

TEST(Quba, BadRequestsAreRefused) {
    const QualityTable table = made_up(12, 0.1, 2);
    const auto refused = [&](auto&& change) {
        QubaOptions options;
        change(options);
        return message_of([&] { score_quality(table, options); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused([](auto& o) { o.weights = "best"; }), HasSubstr("unknown weights `best`"));
    EXPECT_THAT(refused([](auto& o) { o.weights = "accuracy=-1"; }), HasSubstr("not a number"));
    EXPECT_THAT(refused([](auto& o) { o.weights = "speed=1"; }), HasSubstr("unknown dimension"));
    EXPECT_THAT(refused([](auto& o) {
                    o.weights =
                        "acc=0,adv rob=0,c rob=0,ood=0,calibration=0,balance=0,focus=0,"
                        "shape=0,params=0";
                }),
                HasSubstr("all weights are 0; at least one must be above 0"));
    EXPECT_THAT(refused([](auto& o) { o.level = 1; }), HasSubstr("level"));
    EXPECT_THAT(refused([](auto& o) { o.replicates = 3; }), HasSubstr("replicates"));
    QualityTable flat = table;
    for (auto& model : flat.models) model.cells[7].value = .25;
    QubaOptions own;
    own.own_constants = true;
    EXPECT_THAT(message_of([&] { score_quality(flat, own); }),
                HasSubstr("all models have the same shape_bias"));
}

TEST(Quba, AnotherDefinitionIsNoComparison) {
    QualityTable table = made_up(3, 0.1, 2);
    table.models[1].cells[1].definition = "pixels";
    const QubaResult found = score_quality(table, {});
    EXPECT_THAT(found.warnings,
                testing::Contains(testing::AllOf(HasSubstr("adversarial robustness of 1 model was"),
                                                 HasSubstr("`pixels`"))));
    QubaOptions quick;
    quick.replicates = 100;
    const QubaResult published = score_quality(published_models(), quick);
    for (const ScoredModel& m : found.models) {
        std::size_t better = 0;
        for (const ScoredModel& p : published.models)
            better += *p.score.value > *m.score.value ? 1 : 0;
        EXPECT_EQ(*m.place.value, 1.0 + static_cast<double>(better));
        EXPECT_GE(*m.place.value, m.place.interval->low);
        EXPECT_LE(*m.place.value, m.place.interval->high);
    }
}

TEST(Correlations, PublishedTable10) {
    ASSAY_EXPECTED_QUALITY(expected);
    const CorrelateResult found = correlate_dimensions(published_models(), {});
    ASSERT_EQ(found.pairs.size(), 36U);
    std::size_t compared = 0;
    for (const json& want : expected["spearman"]) {
        for (const Correlation& pair : found.pairs) {
            const auto x = dimension_named(want["x"].get<std::string>());
            const auto y = dimension_named(want["y"].get<std::string>());
            if (pair.x != x || pair.y != y) continue;
            ++compared;
            EXPECT_NEAR(*pair.rho.value, want["rho"].get<double>(), 6e-5) << want;
            EXPECT_NEAR(std::log10(pair.p), std::log10(want["p"].get<double>()), .02) << want;
            EXPECT_LT(pair.rho.interval->low, *pair.rho.value);
            EXPECT_GT(pair.rho.interval->high, *pair.rho.value);
            EXPECT_GE(pair.adjusted, pair.p);
        }
    }
    EXPECT_EQ(compared, 36U);
    // With families of models, the interval is wider.
    CorrelateOptions options;
    options.family = "paper";
    options.threads = 1;
    const CorrelateResult by_family = correlate_dimensions(published_models(), options);
    EXPECT_LT(by_family.families, 150U);
    options.threads = 2;
    EXPECT_EQ(report_of(correlate_dimensions(published_models(), options)).result,
              report_of(by_family).result);
    double width = 0, plain = 0;
    for (std::size_t i = 0; i < 36; ++i) {
        width += by_family.pairs[i].rho.interval->high - by_family.pairs[i].rho.interval->low;
        plain += found.pairs[i].rho.interval->high - found.pairs[i].rho.interval->low;
    }
    EXPECT_GT(width, 1.3 * plain);
}

TEST(Correlations, UndefinedOnesSayWhy) {
    QualityTable table = made_up(5, 0.1, 3);
    for (auto& model : table.models) model.cells[8].value = 4;
    for (std::size_t m = 0; m < 2; ++m) table.models[m].cells[1].value.reset();
    const CorrelateResult found = correlate_dimensions(table, {});
    for (const Correlation& pair : found.pairs) {
        if (pair.x == Dimension::parameters && pair.y != Dimension::adversarial_robustness) {
            EXPECT_EQ(pair.rho.undefined, "all models have the same value");
            EXPECT_FALSE(pair.rho.interval);
        }
        if (pair.y == Dimension::adversarial_robustness ||
            pair.x == Dimension::adversarial_robustness) {
            EXPECT_EQ(pair.rho.undefined, "fewer than four models have both");
        }
    }
    // If a test was not made, there is no p-value.
    const json pairs = report_of(found).result["pairs"];
    for (const json& pair : pairs)
        EXPECT_EQ(pair["p"].is_null(), pair["rho"]["value"].is_null()) << pair;
    // There are four models in the same order, and 2 of 24 orders are as extreme.
    QualityTable order = made_up(4, 0.1, 3);
    for (std::size_t m = 0; m < 4; ++m) {
        order.models[m].cells[0].value = .1 * static_cast<double>(m);
        order.models[m].cells[1].value = .1 * static_cast<double>(m * m);
    }
    const Correlation perfect = correlate_dimensions(order, {}).pairs[0];
    EXPECT_DOUBLE_EQ(*perfect.rho.value, 1);
    EXPECT_DOUBLE_EQ(perfect.p, 2.0 / 24);
    EXPECT_FALSE(perfect.rho.interval);
    CorrelateOptions options;
    options.family = "recipe";
    EXPECT_THAT(message_of([&] { correlate_dimensions(table, options); }, ErrorCode::usage),
                HasSubstr("no tag `recipe`"));
}

// For independent models, Fisher's interval covers. For families of copies it does not, but the
// interval for families does.
TEST(Correlations, BySubgroup) {
    CorrelateOptions options;
    options.by = "Architecture";
    options.family = "paper";
    options.replicates = 100;
    const CorrelateResult found = correlate_dimensions(published_models(), options);
    ASSERT_GE(found.groups.size(), 2U);
    CorrelateOptions alone = options;
    alone.by.clear();
    std::size_t tests = found.pairs.size();
    for (const CorrelateGroup& group : found.groups) {
        EXPECT_GE(group.models, 10U);
        alone.where = {"architecture=" + group.value};
        const CorrelateResult chosen = correlate_dimensions(published_models(), alone);
        EXPECT_EQ(group.models, chosen.models);
        EXPECT_EQ(group.families, chosen.families);
        for (std::size_t i = 0; i < 36; ++i) {
            EXPECT_EQ(group.pairs[i].rho.value, chosen.pairs[i].rho.value);
            EXPECT_EQ(group.pairs[i].rho.interval, chosen.pairs[i].rho.interval);
            EXPECT_GE(group.pairs[i].adjusted, chosen.pairs[i].adjusted);
        }
        tests += group.pairs.size();
    }
    // The subgroups of the paper: adversarial robustness and C-robustness are correlated in
    // transformers, but not in CNNs.
    const auto rho_of = [&](const char* value) {
        for (const CorrelateGroup& group : found.groups) {
            if (group.value == value) return *group.pairs[2].rho.value;  // x is 2 and y is 1
        }
        return std::nan("");
    };
    EXPECT_LT(rho_of("CNN"), 0);
    EXPECT_GT(rho_of("Transformer"), 0);
    const Report report = report_of(found);
    EXPECT_EQ(report.records.rows.size(), tests);
    EXPECT_EQ(report.result["groups"].size(), found.groups.size());
    QualityTable few = made_up(9, .1, 1);
    few.tags = {"kind"};
    for (auto& model : few.models) model.tags = {"x"};
    options.by = "kind";
    options.family.clear();
    EXPECT_THAT(message_of([&] { correlate_dimensions(few, options); }, ErrorCode::usage),
                HasSubstr("no value of `kind` has 10 models"));
    options.by = "training";
    EXPECT_THAT(message_of([&] { correlate_dimensions(few, options); }, ErrorCode::usage),
                HasSubstr("no tag `training`"));
}

TEST(Correlations, IntervalsHoldTheTruth) {
    int plain = 0, family = 0;
    constexpr int studies = 150;
    constexpr std::size_t count = 30, copies = 4;
    for (std::uint64_t study = 0; study < studies; ++study) {
        QualityTable table;
        table.tags = {"kin"};
        RandomStream random(study, "kin");
        for (std::size_t f = 0; f < count; ++f) {
            const double x = random.normal(), y = random.normal();
            for (std::size_t k = 0; k < copies; ++k) {
                QualityModel model;
                model.name = model.label = std::to_string(f) + "/" + std::to_string(k);
                model.tags = {std::to_string(f)};
                model.cells[0].value = x + .1 * random.normal();
                model.cells[1].value = y + .1 * random.normal();
                table.models.push_back(model);
            }
        }
        CorrelateOptions options;
        options.threads = 1;
        options.replicates = 200;
        options.seed = study;
        const auto holds = [](const CorrelateResult& r) {
            return r.pairs[0].rho.interval->low <= 0 && 0 <= r.pairs[0].rho.interval->high ? 1 : 0;
        };
        plain += holds(correlate_dimensions(table, options));
        options.family = "kin";
        family += holds(correlate_dimensions(table, options));
    }
    EXPECT_LT(plain, .8 * studies);
    EXPECT_GT(family, .88 * studies);
}

}  // namespace
}  // namespace assay::quality
