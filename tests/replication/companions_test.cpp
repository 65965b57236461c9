// Intervals of the methods that are reported next to the main one. Compares influence values with
// differences, and standard errors with the bootstrap and with the spread over simulated studies.
// Also tests which bootstrap intervals are useless.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "assay/replication/adjust.h"
#include "assay/replication/simulation.h"
#include "replication/estimator.h"

namespace assay::replication {
namespace {

Study companion_study(std::uint64_t seed, std::uint32_t classes, std::uint32_t annotators = 24) {
    SimulationOptions simulation;
    simulation.classes = classes;
    simulation.annotators = annotators;
    simulation.classifiers = 4;
    simulation.seed = seed;
    return study_of(simulate(simulation));
}

AdjustOptions companions(const std::vector<std::string>& names) {
    AdjustOptions options;
    options.jackknife = {1, 5};
    choose_methods(options, names);
    return options;
}

/// The ratio of two standard errors, averaged over classifiers.
double error_ratio(const MethodResult& one, const MethodResult& other) {
    double sum = 0;
    for (std::size_t m = 0; m < one.adjusted.size(); ++m)
        sum += *one.adjusted[m].standard_error / *other.adjusted[m].standard_error;
    return sum / static_cast<double>(one.adjusted.size());
}

/// Compares the influences with the effect of one more image in a cell, with or without a hit.
void expect_influences(const Estimator& estimator, const CellCounts& first,
                       const CellCounts& second, const Correct& correct, double tolerance) {
    CellEffects effects;
    const std::vector<double> at = estimator.estimate(first, second, correct, nullptr, &effects);
    ASSERT_EQ(effects.adjusted, at);
    const std::size_t models = correct.models;
    // The effect of `images` more and fewer in a cell of a set (in set 2, with or without hits).
    const auto change = [&](bool of_first, std::size_t c, bool hit) {
        constexpr double step = 1e-3;
        double ends[2];
        for (const int up : {0, 1}) {
            const double images = up == 1 ? step : -step;
            CellCounts one = first, two = second;
            Correct hits = correct;
            (of_first ? one : two).images[c] += images;
            if (hit) hits.by_cell[c * models] += images;
            ends[up] = estimator.estimate(one, two, hits)[0];
        }
        return (ends[1] - ends[0]) / (2 * step);
    };
    double first_sum = 0, second_sum = 0, largest = 0;
    for (std::size_t c = 0; c < first.grid.size(); ++c) {
        if (first.images[c] <= 0) continue;
        first_sum += first.images[c] * effects.first[c * models];
        largest = std::max(largest, std::abs(effects.first[c * models]));
        EXPECT_NEAR(change(true, c, false), effects.first[c * models], tolerance) << c;
    }
    for (std::size_t c = 0; c < second.grid.size(); ++c) {
        if (second.images[c] <= 0) continue;
        const double miss = effects.miss[c * models], hit = effects.hit[c * models];
        second_sum += second.images[c] * miss + correct.by_cell[c * models] * hit;
        EXPECT_NEAR(change(false, c, false), miss, tolerance) << c;
        EXPECT_NEAR(change(false, c, true), miss + hit, tolerance) << c;
    }
    EXPECT_NEAR(first_sum, 0, 1e-10);
    EXPECT_NEAR(second_sum, 0, 1e-10);
    EXPECT_GT(largest, 1000 * tolerance);
}

TEST(CompanionIntervals, InfluencesAreWhatOneMoreImageDoes) {
    const Study study = companion_study(3, 60, 12);
    const CellCounts first = study.first.cells(), second = study.second.cells();
    const Correct correct{study.models(), study.correct(study.second, second.grid)};
    // An image has an effect of about 1e-3. Central differences have a relative error of 1e-6.
    for (const EmptyBins rule : {EmptyBins::renormalise, EmptyBins::count_zero}) {
        for (const int d : {0, 1, 5})
            expect_influences(*make_reweighing(first, second, 12, d, rule), first, second, correct,
                              2e-8);
    }
    // A reading of set 1 is missing in set 2, or images with fewer annotators are excluded.
    CellCounts gap = second;
    Correct without = correct;
    gap.images[gap.grid.cell(12, 12)] = 0;
    for (std::size_t m = 0; m < correct.models; ++m)
        without.by_cell[gap.grid.cell(12, 12) * correct.models + m] = 0;
    for (const EmptyBins rule : {EmptyBins::renormalise, EmptyBins::count_zero})
        expect_influences(*make_reweighing(first, gap, 12, 0, rule), first, gap, without, 2e-8);
}

TEST(CompanionIntervals, AreThoseOfTheBootstrap) {
    const Study study = companion_study(5, 300);
    AdjustOptions options = companions({"naive", "jackknife"});
    options.bootstrap = 300;
    const AdjustReport report = adjust(study, options);
    // Over eight such studies, the ratios are .96 to 1.02 (naive) and .93 to 1.02 (jackknife of 5).
    // The ratios of the jackknife of 1 are .81 to .91: its bootstrap is too wide with 3,000
    // images. With 10,000, they are .85 to 1.1.
    for (const auto& [id, tolerance] :
         {std::pair("naive", .1), std::pair("jackknife1", .25), std::pair("jackknife5", .12)}) {
        const MethodResult *formula = report.method(id),
                           *drawn = report.method(std::string(id) + ".bootstrap");
        ASSERT_TRUE(formula != nullptr && drawn != nullptr) << id;
        EXPECT_EQ(formula->adjusted[0].interval->method, "t.by_class");
        EXPECT_EQ(drawn->adjusted[0].interval->method, "bootstrap.percentile.by_class");
        EXPECT_EQ(formula->adjusted[0].value, drawn->adjusted[0].value);
        EXPECT_NEAR(error_ratio(*formula, *drawn), 1, tolerance) << id;
        EXPECT_NEAR(
            *formula->mean_gap.remaining.standard_error / *drawn->mean_gap.remaining.standard_error,
            1, .2)
            << id;
        EXPECT_EQ(formula->wide_intervals, std::nullopt);
        EXPECT_EQ(drawn->wide_intervals, 0U) << id;
        EXPECT_TRUE(drawn->adjusted[0].note.empty());
    }
}

/// Compares standard errors with the spread of estimates over simulated studies, and counts the
/// intervals that contain the mean of the estimates.
TEST(CompanionIntervals, HoldTheirOwnExpectation) {
    constexpr int studies = 40;
    struct Seen {
        std::vector<std::vector<double>> values, errors, halves;
    };
    std::map<std::string, Seen> seen;
    for (int i = 0; i < studies; ++i) {
        const AdjustReport report =
            adjust(companion_study(700 + static_cast<std::uint64_t>(i), 100),
                   companions({"naive", "jackknife", "npmle"}));
        for (const MethodResult& method : report.methods) {
            Seen& of = seen[method.id];
            of.values.emplace_back();
            of.errors.emplace_back();
            of.halves.emplace_back();
            for (const Estimate& e : method.adjusted) {
                of.values.back().push_back(*e.value);
                ASSERT_TRUE(e.standard_error && e.interval) << method.id;
                of.errors.back().push_back(*e.standard_error);
                of.halves.back().push_back(half_width(e));
            }
        }
    }
    for (const char* id : {"naive", "jackknife1", "jackknife5", "npmle"}) {
        const Seen& of = seen[id];
        double ratio = 0, held = 0;
        const std::size_t models = of.values.front().size();
        for (std::size_t m = 0; m < models; ++m) {
            double mean = 0, squares = 0, error = 0;
            for (const auto& row : of.values) mean += row[m] / studies;
            for (std::size_t i = 0; i < of.values.size(); ++i) {
                squares += (of.values[i][m] - mean) * (of.values[i][m] - mean) / (studies - 1);
                error += of.errors[i][m] / studies;
                held += std::abs(of.values[i][m] - mean) <= of.halves[i][m] ? 1 : 0;
            }
            ratio += error / std::sqrt(squares) / static_cast<double>(models);
        }
        held /= static_cast<double>(models) * studies;
        // A standard deviation from 40 draws has a relative error of .11, common to similar
        // classifiers. If readings are rare, the jackknife's errors are up to 1.2 times too large.
        EXPECT_GT(ratio, .75) << id;
        EXPECT_LT(ratio, 1.5) << id;
        EXPECT_GE(held, .87) << id;
    }
}

TEST(CompanionIntervals, ThatSayNothingAreMarked) {
    // With 300 images and 40 annotators, resamples of the bootstrap have one image or none for
    // most readings. The jackknife multiplies their noise by 40.
    AdjustOptions options = companions({"pl", "jackknife"});
    options.jackknife = {1};
    options.bootstrap = 60;
    const AdjustReport report = adjust(companion_study(11, 30, 40), options);
    const MethodResult& drawn = *report.method("jackknife1.bootstrap");
    ASSERT_TRUE(drawn.wide_intervals.has_value());
    EXPECT_EQ(*drawn.wide_intervals, 4U);
    for (std::size_t m = 0; m < 4; ++m) {
        EXPECT_GT(half_width(drawn.adjusted[m]), 2 * half_width(report.method("pl")->adjusted[m]));
        EXPECT_THAT(drawn.adjusted[m].note, testing::HasSubstr("twice as wide"));
    }
    EXPECT_THAT(drawn.notes, testing::Contains(testing::HasSubstr("4 of 4 classifiers")));
    EXPECT_EQ(to_json(report)["methods"].back()["wide_intervals"], 4);
    EXPECT_EQ(report.method("pl.bootstrap")->wide_intervals, 0U);
}

}  // namespace
}  // namespace assay::replication
