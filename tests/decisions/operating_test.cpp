// Operating points: thresholds and rates by hand, intervals compared with an independent
// computation, and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <variant>

#include "../evaluate/saved_scores.h"
#include "assay/decisions/operating.h"
#include "assay/report.h"
#include "decisions/rates.h"
#include "evaluate/short_threshold.h"
#include "evaluate/threshold_text.h"
#include "message_of.h"

namespace assay::decisions {
namespace {

using evaluate::ThresholdHalves;
using testing::HasSubstr;

std::vector<ScoredImage> ten_images() {
    // The positives are .9 .8 .6 .3, and the negatives .7 .5 .4 .2 .1 .05.
    return {{.9, true},  {.8, true},  {.6, true},  {.3, true},  {.7, false},
            {.5, false}, {.4, false}, {.2, false}, {.1, false}, {.05, false}};
}

TEST(OperatingPoints, ThresholdsByHand) {
    const std::vector<ScoredImage> images = ten_images();
    // Half of six negatives may be above, so the threshold is just above .2.
    const double specific = evaluate::threshold_for_specificity(images, .5);
    EXPECT_GT(specific, .2);
    EXPECT_LT(specific, .2 + 1e-12);
    EXPECT_EQ(evaluate::outcomes_at(images, specific).true_positives, 4U);
    EXPECT_EQ(evaluate::outcomes_at(images, specific).true_negatives, 3U);
    // No negative may be above, so the threshold is just above .7.
    EXPECT_EQ(evaluate::outcomes_at(images, evaluate::threshold_for_specificity(images, .9))
                  .true_positives,
              2U);
    EXPECT_EQ(evaluate::threshold_for_sensitivity(images, .75), .6);
    EXPECT_EQ(evaluate::threshold_for_sensitivity(images, .76), .3);
    // At prevalence .4, a missed positive and a false alarm cost .1 each. The threshold .6 has one
    // miss and one alarm, together 2. The threshold .8 has two misses, also 2. It is higher, so it
    // is chosen.
    EXPECT_EQ(threshold_for_costs(images, 1, 1, .4), .8);
    EXPECT_EQ(threshold_for_costs(images, 1, 100, .4), .3);
    EXPECT_GT(threshold_for_costs(images, 100, 1, .01), .7);
}

TEST(OperatingPoints, ThresholdsNearTheEndsHaveTheDigitsTheyNeed) {
    EXPECT_EQ(evaluate::threshold_text(.76684), "0.7668");
    EXPECT_EQ(evaluate::threshold_text(4.52e-7), "4.5e-07");
    EXPECT_EQ(evaluate::threshold_text(.99999969), "0.99999969");
    EXPECT_EQ(evaluate::threshold_text(0), "0.0000");
    EXPECT_EQ(evaluate::threshold_text(1), "1.0000");
}

TEST(OperatingPoints, CombinedRatesByHand) {
    // The sensitivity is 8/10, and the false alarm rate 5/100.
    const Outcomes found{8, 10, 95, 100};
    const Estimate benefit = combined_rates(found, .1, -.9 * .25, 0, .95);
    EXPECT_NEAR(*benefit.value, .1 * .8 - .9 * .25 * .05, 1e-12);
    // Clopper and Pearson's intervals: 8/10 .44390454-.97478927, 5/100 .01643219-.11283491 (SciPy).
    EXPECT_NEAR(benefit.interval->low,
                *benefit.value - std::hypot(.1 * (.8 - .44390454), .225 * (.11283491 - .05)), 1e-7);
    EXPECT_NEAR(benefit.interval->high,
                *benefit.value + std::hypot(.1 * (.97478927 - .8), .225 * (.05 - .01643219)), 1e-7);
    const Estimate ppv = positive_predictive_value(found, .02, .95);
    EXPECT_NEAR(*ppv.value, .02 * .8 / (.02 * .8 + .98 * .05), 1e-12);
    EXPECT_LT(ppv.interval->low, *ppv.value);
    EXPECT_GT(ppv.interval->high, *ppv.value);
    EXPECT_NEAR(*negative_predictive_value(found, .02, .95).value,
                .98 * .95 / (.98 * .95 + .02 * .2), 1e-12);
    EXPECT_FALSE(positive_predictive_value({0, 10, 100, 100}, .02, .95).value);
    const Estimate sure = positive_predictive_value({9, 10, 100, 100}, .1, .95);
    EXPECT_EQ(*sure.value, 1);
    EXPECT_EQ(sure.interval->high, 1);
    EXPECT_LT(sure.interval->low, .9);
}

Made screening(std::size_t rows, std::size_t classes = 2) {
    Made made;
    made.classes = classes;
    RandomStream random(1, "screening");
    for (std::size_t i = 0; i < rows; ++i) {
        const bool positive = random.uniform() < .3;
        made.labels.push_back({positive ? 1 : 0});
        for (std::size_t c = 0; c < classes; ++c)
            made.scores.push_back(
                static_cast<float>(random.normal() + (c == 1 && positive ? 2 : 0)));
    }
    return made;
}

TEST(OperatingPoints, AThresholdIsChosenOnOnePartAndTestedOnTheOther) {
    const Scratch folder;
    save(folder, screening(4000), "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    options.prevalence = .02;
    const OperatingResult result = operating_points(options);
    ASSERT_EQ(result.points.size(), 1U);
    const OperatingPoint& point = result.points[0];
    EXPECT_EQ(point.rule, "specificity >= 0.95");
    EXPECT_EQ(point.positive, "c1");
    EXPECT_EQ(point.chosen_on + point.positives + point.negatives, 4000U);
    EXPECT_NEAR(*point.specificity.value, .95, .02);
    // The difference of the two logits is normal with mean 2 and variance 2: Phi(sqrt 2 - 1.645).
    EXPECT_NEAR(*point.sensitivity.value, .409, .05);
    EXPECT_FALSE(point.passed);
    EXPECT_FALSE(point.cost.value);
    EXPECT_EQ(result.benefits.size(), 5U);
    options.threads = 3;
    EXPECT_EQ(report_of(operating_points(options)).result, report_of(result).result);
    std::filesystem::create_directories(folder / "runs/val/damaged");
    std::ofstream(folder / "runs/val/damaged/manifest.json") << "{";
    const OperatingResult beside = operating_points(options);
    EXPECT_EQ(beside.points.size(), 1U);
    EXPECT_EQ(beside.refused, 1U);
    EXPECT_THAT(beside.warnings, testing::Contains(HasSubstr("val/damaged` is not used: ")));
    options.stores = {folder / "runs/val/damaged"};
    EXPECT_THAT(message_of([&] { operating_points(options); }), HasSubstr("manifest.json"));
    options.stores = {folder / "runs/val/net"};
    options.require = .6;
    EXPECT_EQ(operating_points(options).points[0].passed, false);
    options.require = .2;
    EXPECT_EQ(operating_points(options).points[0].passed, true);
    options.require = 0;
    options.sensitivity = .9;
    EXPECT_NEAR(*operating_points(options).points[0].sensitivity.value, .9, .03);
    options.sensitivity = 0;
    options.cost_false_positive = 1;
    options.cost_false_negative = 20;
    const OperatingPoint cheap = operating_points(options).points[0];
    ASSERT_TRUE(cheap.cost.value);
    EXPECT_NEAR(*cheap.cost.value,
                20 * .02 * (1 - *cheap.sensitivity.value) + .98 * (1 - *cheap.specificity.value),
                1e-12);
    options.positive = "c0";
    EXPECT_EQ(operating_points(options).points[0].positive, "c0");
}

TEST(OperatingPoints, NetBenefitMovesProbabilitiesToThePrevalence) {
    const Scratch folder;
    const Made made = screening(2000);
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    options.prevalence = .02;
    options.at = {.1};
    const NetBenefit found = operating_points(options).benefits[0];
    double positives = 0, hits = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) positives += made.labels[i][0];
    const double here = positives / 2000 / (1 - positives / 2000);
    for (std::size_t i = 0; i < made.rows(); ++i) {
        // The odds at the prevalence of the images, multiplied by the ratio of the odds of both
        // prevalences.
        const double odds = std::exp(static_cast<double>(made.scores[2 * i + 1]) -
                                     static_cast<double>(made.scores[2 * i])) /
                            here * (.02 / .98);
        hits += made.labels[i][0] == 1 && odds >= .1 / .9 ? 1 : 0;
    }
    EXPECT_NEAR(*found.sensitivity.value, hits / positives, 1e-12);
    options.prevalence = 0;
    EXPECT_GT(*operating_points(options).benefits[0].sensitivity.value,
              *found.sensitivity.value + .1);
    EXPECT_NEAR(found.all_positive, .02 - .98 / 9, 1e-12);
}

/// Logits: 0 and 50 for positives, 40 for half of the negatives, and -40 for the others.
Made confident() {
    Made made;
    made.classes = 2;
    for (std::size_t i = 0; i < 400; ++i) {
        made.labels.push_back({static_cast<std::int32_t>(i % 2)});
        made.scores.push_back(0);
        made.scores.push_back(i % 2 == 1 ? 50.F : i % 4 == 0 ? 40.F : -40.F);
    }
    return made;
}

TEST(OperatingPoints, LogitsAreToldApartWhereProbabilitiesRoundTo1) {
    const Scratch folder;
    // exp(-40) is lost when added to 1, so half of the negatives have the same probability as the
    // positives.
    save(folder, confident(), "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    const OperatingResult result = operating_points(options);
    EXPECT_EQ(*result.points[0].sensitivity.value, 1);
    EXPECT_EQ(*result.points[0].specificity.value, 1);
    EXPECT_FALSE(result.points[0].threshold);
    EXPECT_EQ(result.points[0].log_odds, 40.01);
    EXPECT_THAT(result.warnings, testing::IsEmpty());
    const Table table = std::get<Table>(report_of(result).sections[0].blocks[0]);
    EXPECT_EQ(std::get<std::string>(table.rows[0][2]), "log-odds 40.01");
    EXPECT_THAT(table.notes, testing::Contains(HasSubstr("--threshold \"log-odds 40.01\"")));
    options.threshold = "log-odds 40.01";
    const OperatingPoint again = operating_points(options).points[0];
    EXPECT_EQ(*again.sensitivity.value, 1);
    EXPECT_EQ(*again.specificity.value, 1);
    options.threshold = "1";
    EXPECT_EQ(*operating_points(options).points[0].specificity.value, .5);
}

TEST(OperatingPoints, ProbabilitiesThatRoundTo1AreSaidAndTheOtherClassIsFree) {
    const Scratch folder;
    Made made = confident();
    made.kind = ScoreKind::probabilities;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        made.scores[2 * i + 1] = made.scores[2 * i + 1] > 0 ? 1.F : 0.F;
        made.scores[2 * i] = i % 2 == 1 ? 0.F : i % 4 == 0 ? 1e-20F : 1.F;
    }
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    const OperatingResult result = operating_points(options);
    EXPECT_EQ(*result.points[0].sensitivity.value, 0);
    EXPECT_FALSE(result.points[0].threshold);
    EXPECT_FALSE(result.points[0].log_odds);
    EXPECT_THAT(result.warnings,
                testing::ElementsAre(testing::AllOf(HasSubstr("has specificity >= 0.95"),
                                                    HasSubstr("--positive c0"))));
    options.positive = "c0";
    options.sensitivity = .95;
    const OperatingResult turned = operating_points(options);
    EXPECT_EQ(*turned.points[0].sensitivity.value, 1);
    EXPECT_EQ(*turned.points[0].specificity.value, 1);
    EXPECT_THAT(turned.warnings, testing::IsEmpty());
    options.sensitivity = 0;
    options.threshold = "log-odds 2";
    EXPECT_THAT(message_of([&] { operating_points(options); }), HasSubstr("it has probabilities"));
}

// A rule that no image reaches is no sign of rounding in a store of logits.
TEST(OperatingPoints, LogitsWithoutAPositiveCallAreNotCalledRounded) {
    Made made = confident();
    for (std::size_t i = 0; i < made.rows(); ++i)
        made.scores[2 * i + 1] = i % 2 == 1 ? 45.F : i % 14 == 0 ? 60.F : -40.F;
    const Scratch folder;
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    const OperatingResult result = operating_points(options);
    EXPECT_EQ(*result.points[0].sensitivity.value, 0);
    EXPECT_EQ(result.points[0].log_odds, 60.01);
    EXPECT_FALSE(result.points[0].threshold);
    EXPECT_THAT(result.warnings, testing::IsEmpty());
}

TEST(OperatingPoints, ShortNumbersByHand) {
    constexpr double none = std::numeric_limits<double>::infinity();
    EXPECT_EQ(evaluate::short_number(.21, .9, true, 3), .211);
    EXPECT_EQ(evaluate::short_number(.2104, .9, true, 3), .211);
    EXPECT_EQ(evaluate::short_number(.21, .9, false, 3), .9);
    EXPECT_EQ(evaluate::short_number(.21, .98765, false, 3), .987);
    EXPECT_EQ(evaluate::short_number(.5000001, .5000002, true, 3), .5000002);
    EXPECT_EQ(evaluate::short_number(-3.456, none, true, 2), -3.45);
    EXPECT_EQ(evaluate::short_number(-none, -3.456, false, 2), -3.46);
    EXPECT_EQ(evaluate::short_number(0, 4.56e-30, false, 32), 4.56e-30);
    const double next = std::nextafter(.3, 1.0);
    EXPECT_EQ(evaluate::short_number(.3, next, true, 3), next);
    EXPECT_EQ(evaluate::short_number(.3, next, false, 3), next);
    EXPECT_EQ(evaluate::short_number(1e300, none, true, 2), std::nextafter(1e300, none));
}

/// Logits whose probabilities are near 0 and 1, some of them rounded to 1.
ThresholdHalves made_halves(std::uint64_t seed, double spread) {
    ThresholdHalves halves;
    halves.are_log_odds = true;
    RandomStream random(seed, "short thresholds");
    for (std::size_t i = 0; i < 200; ++i) {
        const bool positive = random.uniform() < .4;
        const double score = static_cast<double>(
            static_cast<float>(spread * (random.normal() + (positive ? 1 : -1))));
        const ScoredImage image{score, positive, 1 / (1 + std::exp(-score))};
        halves.all.push_back(image);
        (i % 2 == 0 ? halves.chosen : halves.tested).push_back(image);
    }
    return halves;
}

TEST(OperatingPoints, ShownThresholdsDecideTheSameAboutEachImage) {
    int rounded = 0, long_texts = 0, all = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const ThresholdHalves halves = made_halves(seed, seed % 3 == 0   ? 30
                                                         : seed % 3 == 1 ? 5
                                                                         : 1);
        for (const double threshold : {evaluate::threshold_for_specificity(halves.chosen, .9),
                                       evaluate::threshold_for_specificity(halves.chosen, .2),
                                       evaluate::threshold_for_sensitivity(halves.chosen, .9),
                                       evaluate::threshold_for_sensitivity(halves.chosen, .1),
                                       threshold_for_costs(halves.chosen, 1, 3, .2),
                                       threshold_for_costs(halves.chosen, 1, 1e-6, .2)}) {
            const auto shown = evaluate::shown_threshold(halves, threshold);
            ASSERT_TRUE(shown.log_odds);
            rounded += shown.probability ? 0 : 1;
            // Both are read back from their texts.
            const double odds = std::stod(fmt::format("{}", *shown.log_odds));
            const double probability = std::stod(fmt::format("{}", shown.probability.value_or(2)));
            for (const ScoredImage& one : halves.all) {
                EXPECT_EQ(one.score >= odds, one.score >= threshold);
                if (shown.probability) {
                    EXPECT_EQ(one.probability >= probability, one.score >= threshold);
                }
            }
            ++all;
            long_texts += fmt::format("{}", *shown.log_odds).size() > 7 ? 1 : 0;
        }
    }
    EXPECT_GT(rounded, 10);
    EXPECT_LT(rounded, 120);
    EXPECT_LT(long_texts, all / 20);
}

TEST(OperatingPoints, APrintedThresholdIsReadBackWithTheSameDecisions) {
    const Scratch folder;
    const Made made = screening(3000);
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    const OperatingPoint chosen = operating_points(options).points[0];
    EXPECT_LE(fmt::format("{}", chosen.threshold.value()).size(), 8U);
    std::uint64_t hits = 0, positives = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        if (made.labels[i][0] != 1) continue;
        ++positives;
        hits +=
            static_cast<double>(made.scores[2 * i + 1]) - static_cast<double>(made.scores[2 * i]) >=
                    chosen.log_odds.value()
                ? 1
                : 0;
    }
    OperatingOptions fixed;
    fixed.stores = options.stores;
    for (const std::string& text :
         {fmt::format("{}", *chosen.threshold), fmt::format("log-odds {}", *chosen.log_odds)}) {
        fixed.threshold = text;
        const OperatingResult result = operating_points(fixed);
        const OperatingPoint& again = result.points[0];
        EXPECT_EQ(*again.sensitivity.value,
                  static_cast<double>(hits) / static_cast<double>(positives));
        EXPECT_EQ(again.positives + again.negatives, 3000U);
        EXPECT_EQ(again.chosen_on, 0U);
        const Table table = std::get<Table>(report_of(result).sections[0].blocks[0]);
        EXPECT_THAT(table.title, HasSubstr(text + ", tested on all images"));
        EXPECT_THAT(table.notes[0], testing::Not(HasSubstr("chosen")));
    }
    for (const char* wrong : {"70%", "1.5", "-0.1", "log-odds", "log-odds x"}) {
        fixed.threshold = wrong;
        EXPECT_THAT(message_of([&] { operating_points(fixed); }, ErrorCode::usage),
                    HasSubstr(fmt::format("--threshold is `{}`; allowed", wrong)));
    }
    fixed.threshold = "0.5";
    fixed.seed = 1;
    EXPECT_THAT(message_of([&] { operating_points(fixed); }, ErrorCode::usage),
                HasSubstr("omit --seed"));
}

TEST(OperatingPoints, AStoreThatCannotBeUsedIsAWarningBesideOthers) {
    const Scratch folder;
    save(folder, screening(400), "net", StorageFormat::full_f32, 4000);
    Made three = screening(400, 3);
    three.dataset = "more";
    save(folder, three, "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    const OperatingResult result = operating_points(options);
    ASSERT_EQ(result.points.size(), 1U);
    EXPECT_EQ(result.benefits.size(), 5U);
    EXPECT_THAT(result.warnings,
                testing::ElementsAre(HasSubstr("more/net` is not used: it has 3 classes")));
    EXPECT_TRUE(report_of(result).partial);
    // The same reason is said once.
    save(folder, three, "other", StorageFormat::full_f32, 4000);
    options.stores = {folder / "runs/more"};
    EXPECT_THAT(message_of([&] { operating_points(options); }),
                HasSubstr("more/net: it has 3 classes"));
    three = screening(400);
    for (auto& labels : three.labels) labels = {0};
    three.dataset = "one";
    save(folder, three, "net", StorageFormat::full_f32, 4000);
    options.stores = {folder / "runs/more", folder / "runs/one"};
    EXPECT_THAT(message_of([&] { operating_points(options); }),
                testing::AllOf(HasSubstr("no store can be used. `"), HasSubstr("has 3 classes"),
                               HasSubstr("one/net` is not used: the part to choose on has 0")));
}

TEST(OperatingPoints, TablesSayWhichDataSet) {
    const Scratch folder;
    save(folder, screening(2000), "net", StorageFormat::full_f32, 4000);
    Made other = screening(900);
    other.dataset = "clinic";
    save(folder, other, "net", StorageFormat::full_f32, 4000);
    OperatingOptions options;
    options.stores = {folder / "runs"};
    options.require = .99;
    const Report report = report_of(operating_points(options));
    const Table& points = std::get<Table>(report.sections[0].blocks[0]);
    EXPECT_THAT(points.notes, testing::Contains(testing::StartsWith("clinic: predictive values")));
    EXPECT_THAT(points.notes, testing::Contains(testing::StartsWith("val: predictive values")));
    EXPECT_THAT(points.notes, testing::Contains("net on clinic: the gate FAILED"));
    EXPECT_EQ(std::get<Table>(report.sections[0].blocks[1]).columns[1].name, "data set");
}

TEST(OperatingPoints, RefusesWhatItCannotUse) {
    const Scratch folder;
    save(folder, screening(50, 3), "three");
    OperatingOptions options;
    options.stores = {folder / "runs"};
    EXPECT_THAT(message_of([&] { operating_points(options); }), HasSubstr("has 3 classes"));
    Made one = screening(50);
    for (auto& labels : one.labels) labels = {0};
    save(folder, one, "one", StorageFormat::full_f32, 100, false, "one");
    options.stores = {folder / "one"};
    EXPECT_THAT(message_of([&] { operating_points(options); }), HasSubstr("has 0 positive and"));
    options.positive = "melanoma";
    EXPECT_THAT(message_of([&] { operating_points(options); }), HasSubstr("--positive c1"));
    options.cost_false_positive = 1;
    EXPECT_THAT(message_of([&] { operating_points(options); }, ErrorCode::usage),
                HasSubstr("give both costs"));
    options.specificity = .9;
    EXPECT_THAT(message_of([&] { operating_points(options); }, ErrorCode::usage),
                HasSubstr("costs choose the threshold"));
}

}  // namespace
}  // namespace assay::decisions
