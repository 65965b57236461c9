// The penalized likelihood: equality with the reference implementation, influences, and effects
// that it cannot detect.
#include "assay/replication/penalised_likelihood.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "assay/replication/adjust.h"
#include "assay/replication/simulation.h"
#include "message_of.h"

namespace assay::replication {
namespace {

using testing::HasSubstr;

/// x <- (1103515245 x + 12345) mod 2^31. Any language can generate a study from these numbers.
class Congruential {
public:
    explicit Congruential(std::uint64_t seed) : x_(seed) {}
    double operator()() {
        x_ = (1103515245 * x_ + 12345) % 2147483648U;
        return static_cast<double>(x_) / 2147483648.0;
    }

private:
    std::uint64_t x_;
};

struct Drawn {
    std::uint64_t seed;
    std::size_t images;
    std::vector<int> annotators;
    std::uint32_t classes;
    std::size_t classifiers;
};

Study draw(const Drawn& how) {
    Congruential random(how.seed);
    Study study;
    for (std::size_t m = 0; m < how.classifiers; ++m)
        study.classifiers.push_back(std::to_string(m));
    for (std::uint32_t c = 0; c < how.classes; ++c) study.classes.push_back(std::to_string(c));
    study.row_bytes = 16;
    for (StudySet* set : {&study.first, &study.second}) {
        const bool first = set == &study.first;
        for (std::size_t i = 0; i < how.images; ++i) {
            const double u = random(), v = random();
            const double s =
                first ? (u < .6 ? std::pow(v, 1. / 6) : v) : (u < .4 ? std::pow(v, .25) : v * v);
            const int n = how.annotators[i % how.annotators.size()];
            int k = 0;
            for (int a = 0; a < n; ++a) k += random() < s ? 1 : 0;
            set->classes.push_back(static_cast<std::uint32_t>(i % how.classes));
            set->annotators.push_back(static_cast<std::uint16_t>(n));
            set->selected.push_back(static_cast<std::uint16_t>(k));
            set->hits.resize(set->hits.size() + study.row_bytes, 0);
            for (std::size_t m = 0; m < how.classifiers; ++m) {
                const double slope = 4 + 8 * static_cast<double>(m % 4);
                const double g = .1 + .8 / (1 + std::exp(-slope * (s - .5)));
                set->hits[i * study.row_bytes + m] = random() < g ? 1 : 0;
            }
        }
    }
    return study;
}

AdjustOptions alone() {
    AdjustOptions options;
    options.moments = options.naive = false;
    options.jackknife.clear();
    return options;
}

struct Reference {
    double adjusted, sandwich, prior;
};

/// The numbers are those of a numpy implementation of the same formulas, on the same draws. It has
/// 56 functions for the densities, and penalties of curves up to .05.
TEST(PenalisedLikelihood, EqualsTheReference) {
    const std::vector<std::pair<Drawn, std::vector<Reference>>> studies = {
        {{1, 2000, {40}, 50, 4},
         {{0.639005062899, 0.0118138860027, 0.00163908933177},
          {0.708431788657, 0.0118165767471, 0.00147248541399},
          {0.740671153422, 0.0104772352507, 0.001514452294},
          {0.739815201298, 0.0108784837963, 0.00136801449561}}},
        {{2, 1500, {5, 40, 10, 20}, 30, 3},
         {{0.617315519022, 0.0145349889312, 0.00131490152602},
          {0.699413198024, 0.0131488652654, 0.0011951368968},
          {0.7122414941, 0.0136018922459, 0.00175437647404}}},
        {{3, 600, {10}, 20, 2},
         {{0.625842253253, 0.0206097406217, 0.00235315230998},
          {0.733358887559, 0.022627397617, 0.00193129407335}}}};
    for (const auto& [how, expected] : studies) {
        const AdjustReport report = adjust(draw(how), alone());
        const MethodResult& pl = report.methods.front();
        ASSERT_EQ(pl.id, "pl");
        for (std::size_t m = 0; m < expected.size(); ++m) {
            EXPECT_NEAR(*pl.adjusted[m].value, expected[m].adjusted, 1e-8) << how.seed << " " << m;
            EXPECT_NEAR(*pl.adjusted[m].standard_error,
                        std::hypot(expected[m].sandwich, expected[m].prior), 1e-8)
                << how.seed << " " << m;
        }
    }
}

/// The influences sum to 0 over the fitted images, except for the effect of the penalties.
TEST(PenalisedLikelihood, TheMeanTakesPriorErrorsAsOne) {
    // With the same classifier twice, the mean has the same interval as each, and not a narrower
    // one.
    Study study = draw({7, 1000, {20}, 25, 1});
    study.classifiers.push_back("again");
    for (StudySet* set : {&study.first, &study.second}) {
        for (std::size_t i = 0; i < set->size(); ++i)
            set->hits[i * study.row_bytes + 1] = set->hits[i * study.row_bytes];
    }
    const AdjustReport report = adjust(study, alone());
    const MethodResult& pl = report.methods.front();
    EXPECT_DOUBLE_EQ(*pl.mean_adjusted.standard_error, *pl.adjusted[0].standard_error);
    EXPECT_DOUBLE_EQ(*pl.mean_gap.bias.standard_error, *pl.gaps[0].bias.standard_error);
    EXPECT_FALSE(pl.line.has_value());  // both are equal on the original set, so there is no line
}

/// The variance of an accuracy equals that of a jackknife over classes, even if one class has many
/// of the images.
TEST(PenalisedLikelihood, ErrorsLeaveOutClassesOfAnySize) {
    Study study = draw({13, 600, {10}, 12, 2});
    for (StudySet* set : {&study.first, &study.second}) {
        for (std::size_t i = 0; i < set->size(); ++i)
            set->classes[i] = static_cast<std::uint32_t>(i % 5 == 0 ? i % 12 : i % 3);
    }
    const AdjustReport report = adjust(study, alone());
    for (std::size_t m = 0; m < 2; ++m) {
        std::vector<double> images(12), hits(12);
        double all = 0, correct = 0, squares = 0;
        for (std::size_t i = 0; i < study.first.size(); ++i) {
            images[study.first.classes[i]] += 1;
            hits[study.first.classes[i]] += study.first.hits[i * study.row_bytes + m];
        }
        for (std::size_t c = 0; c < 12; ++c) {
            all += images[c];
            correct += hits[c];
        }
        for (std::size_t c = 0; c < 12; ++c) {
            const double moved = (correct - hits[c]) / (all - images[c]) - correct / all;
            squares += moved * moved;
        }
        EXPECT_NEAR(*report.first[m].standard_error, std::sqrt(squares * 11 / 12), 1e-12);
    }
}

TEST(PenalisedLikelihood, TheBootstrapAgreesAndThreadsDoNotMatter) {
    const Study study = draw({11, 2000, {20}, 100, 3});
    AdjustOptions options = alone();
    options.bootstrap = 200;
    options.threads = 2;
    const AdjustReport report = adjust(study, options);
    const MethodResult* drawn = report.method("pl.bootstrap");
    ASSERT_NE(drawn, nullptr);
    for (std::size_t m = 0; m < 3; ++m) {
        // 200 replicates give a standard error to 5 %. They leave out the variance of the prior.
        EXPECT_NEAR(
            *drawn->adjusted[m].standard_error / *report.methods.front().adjusted[m].standard_error,
            1, .2);
    }
    options.threads = 1;
    EXPECT_EQ(to_json(adjust(study, options)).dump(), to_json(report).dump());
}

/// Compares the missed part of a jump with the estimate after the hits of the
/// jump are added.
TEST(PenalisedLikelihood, MissedJumpsAreDerivatives) {
    const Study study = draw({5, 4000, {30}, 50, 1});
    const CellCounts first = study.first.cells(), second = study.second.cells();
    const PenalisedLikelihood model(first, second);
    const std::vector<double> hits = study.correct(study.second, second.grid);
    const PenalisedLikelihood::Fit fit = model.fit(hits);
    const std::vector<double> missed = model.missed_of_jump(fit);
    const auto& s = model.rates();
    for (const std::size_t part : {60U, 74U, 90U}) {
        std::vector<double> more = hits;
        double above = 0;
        constexpr double size = .002;
        for (std::size_t c = 0; c < more.size(); ++c) {
            double in = 0, all = 0;
            for (std::size_t j = 0; j < s.size(); ++j) {
                const double p = model.second_density()[j] * std::pow(s[j], second.grid.k(c)) *
                                 std::pow(1 - s[j], second.grid.n(c) - second.grid.k(c));
                all += p;
                if (j > part) in += p;
            }
            more[c] += size * second.images[c] * in / all;
        }
        for (std::size_t j = part + 1; j < s.size(); ++j) above += model.first_density()[j];
        const double answer = (model.fit(more).accuracy - fit.accuracy) / size;
        EXPECT_NEAR(missed[part], above - answer, .02) << s[part];
        EXPECT_GT(above, .3);
    }
}

TEST(PenalisedLikelihood, BlindSpotsAreToldForEachClassifier) {
    // Set 1 has images at rates where set 2 has almost none, so jumps at the top are not detected.
    SimulationOptions simulation;
    simulation.classes = 100;
    simulation.classifiers = 3;
    const AdjustReport report = adjust(study_of(simulate(simulation)), {});
    const MethodResult& pl = report.methods.front();
    ASSERT_TRUE(pl.blind_spots.has_value());
    const BlindSpots& spots = *pl.blind_spots;
    EXPECT_GT(spots.rate_99, .9);
    ASSERT_EQ(spots.top_jump.size(), 3U);
    for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_GE(std::abs(spots.worst_jump[m]), std::abs(spots.top_jump[m]));
        EXPECT_LE(std::abs(spots.worst_jump[m]), .1);
        EXPECT_NEAR(spots.companion_difference[m],
                    *report.method("moments")->adjusted[m].value - *pl.adjusted[m].value, 1e-15);
    }
    // Classifiers whose estimate would miss more than half of its interval are counted and named.
    int beyond = 0;
    for (std::size_t m = 0; m < 3; ++m) {
        const Interval& i = *pl.adjusted[m].interval;
        beyond += std::abs(spots.top_jump[m]) > (i.high - i.low) / 2 ? 1 : 0;
    }
    std::string warnings;
    for (const std::string& w : report.warnings) warnings += w + "\n";
    const std::string counted =
        "would not cover a 10-point jump" + std::to_string(beyond) + " of 3 classifiers";
    EXPECT_EQ(warnings.find(counted) != std::string::npos, beyond > 0) << warnings;
    EXPECT_EQ(warnings.find("would not cover a 10-point jump") != std::string::npos, beyond > 0)
        << warnings;
    const auto json = to_json(report);
    EXPECT_EQ(json["methods"][0]["classifiers"][1]["blind_spots"]["worst_jump"],
              spots.worst_jump[1]);
    EXPECT_FALSE(json["methods"][1]["classifiers"][1].contains("blind_spots"));
}

TEST(PenalisedLikelihood, RefusesReadingsThatSayNothing) {
    const auto counts = [](std::vector<int> n, std::vector<double> images) {
        return CellCounts{CellGrid(std::move(n)), std::move(images)};
    };
    const CellCounts good = counts({2}, {3, 2, 4});
    for (const auto& [bad, text] : std::vector<std::pair<CellCounts, std::string>>{
             {counts({2}, {0, 0, 0}), "without images"},
             {counts({2}, {5, 0, 0}), "no annotator selected any image"},
             {counts({2}, {0, 0, 5}), "all of its"}}) {
        EXPECT_THAT(message_of([&, &bad = bad] { PenalisedLikelihood(good, bad); }),
                    HasSubstr(text));
        EXPECT_THAT(message_of([&, &bad = bad] { PenalisedLikelihood(bad, good); }),
                    HasSubstr(text));
    }
    EXPECT_THROW(PenalisedLikelihood(good, counts({1}, {3, 4})), Error);
    // Classifiers with all hits or no hits are handled.
    const PenalisedLikelihood model(good, good);
    EXPECT_NEAR(model.fit(good.images).accuracy, 1, .06);
    EXPECT_NEAR(model.fit(std::vector<double>(3, 0.0)).accuracy, 0, .06);
}

}  // namespace
}  // namespace assay::replication
