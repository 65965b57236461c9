// Compares the data of figures with slow implementations and closed forms.
#include "assay/replication/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/penalised_likelihood.h"
#include "assay/replication/simulation.h"
#include "message_of.h"

namespace assay::replication {
namespace {

using testing::HasSubstr;

Study figure_study(std::uint32_t classes, int annotators, std::uint64_t seed = 6) {
    SimulationOptions options;
    options.classes = classes;
    options.images_per_class = 4;
    options.classifiers = 3;
    options.annotators = annotators;
    options.seed = seed;
    return study_of(simulate(options));
}

/// Skips the likelihood, which most of these tests do not need, and which takes most of the time.
FigureOptions quick_figures() {
    FigureOptions options;
    options.estimates.likelihood = false;
    options.splits = 2;
    return options;
}

const MethodResult& at(const std::vector<FigurePoint>& points, int annotators,
                       const std::string& id) {
    for (const FigurePoint& p : points) {
        if (p.annotators == annotators && p.result.id == id) return p.result;
    }
    throw std::runtime_error("no " + id);
}

/// A falling factorial has the same mean if annotators are omitted at random. So moments of m
/// annotators equal those of all annotators with the exponents of m: values, errors and lines.
TEST(Figures, ThinnedMomentsAreMomentsWithTheirExponents) {
    const Study study = figure_study(40, 12);
    const FigureData data = figure_data(study, quick_figures());
    int compared = 0;
    for (const FigurePoint& point : data.annotators) {
        if (point.result.id != "moments") continue;
        AdjustOptions same;
        same.likelihood = false;
        same.exponents = point.result.exponents;
        const AdjustReport report = adjust(study, same);
        const MethodResult& whole = *report.method("moments");
        const MethodResult& thinned = point.result;
        for (std::size_t m = 0; m < 3; ++m) {
            EXPECT_NEAR(*thinned.adjusted[m].value, *whole.adjusted[m].value, 1e-9);
            EXPECT_NEAR(*thinned.adjusted[m].standard_error, *whole.adjusted[m].standard_error,
                        1e-9);
        }
        EXPECT_NEAR(thinned.mean_gap.remaining.interval->low,
                    whole.mean_gap.remaining.interval->low, 1e-9);
        EXPECT_NEAR(*thinned.line->slope.standard_error, *whole.line->slope.standard_error, 1e-8);
        ++compared;
    }
    EXPECT_EQ(compared, 11);  // the numbers from 2 to 12
}

TEST(Figures, EveryNumberOfAnnotatorsUpToTheStudyItself) {
    const Study study = figure_study(40, 8);
    FigureOptions options = quick_figures();
    options.estimates.likelihood = true;
    options.estimates.bootstrap = 40;
    const FigureData data = figure_data(study, options);
    const AdjustReport report = adjust(study, options.estimates);
    for (const char* id : {"pl", "moments", "naive", "jackknife1"}) {
        const MethodResult& last = at(data.annotators, 8, id);
        const MethodResult& whole = *report.method(id);
        EXPECT_NEAR(*last.mean_adjusted.value, *whole.mean_adjusted.value, 1e-9) << id;
        ASSERT_TRUE(last.mean_adjusted.interval.has_value()) << id;
        EXPECT_NEAR(last.mean_adjusted.interval->low, whole.mean_adjusted.interval->low, 1e-9)
            << id;
        EXPECT_NEAR(last.line->slope.interval->high, whole.line->slope.interval->high, 1e-9) << id;
    }
    for (int m = 1; m <= 8; ++m)
        EXPECT_TRUE(at(data.annotators, m, "naive").mean_gap.remaining.interval.has_value()) << m;
    // with one answer, there are no rates
    EXPECT_THROW(at(data.annotators, 1, "pl"), std::runtime_error);
    EXPECT_LT(*at(data.annotators, 1, "naive").mean_adjusted.value,
              *at(data.annotators, 8, "naive").mean_adjusted.value);
}

TEST(Figures, ManyAnnotatorsTakeEvenSteps) {
    FigureOptions options = quick_figures();
    options.estimates.moments = false;
    const FigureData data = figure_data(figure_study(20, 130), options);
    EXPECT_EQ(data.readings.size(), 64U);
    EXPECT_EQ(data.readings.front().annotators, 2);
    EXPECT_EQ(data.readings.back().annotators, 130);
    EXPECT_EQ(data.annotators.back().annotators, 130);
}

/// A slow reference that uses every subset of the annotators of every image, class by class.
TEST(Figures, ReadingsAreMeansOverAllSubsetsOfAnnotators) {
    constexpr int n = 6;
    const Study study = figure_study(40, n);
    const FigureData data = figure_data(study, quick_figures());
    ASSERT_EQ(data.readings.size(), std::size_t{n});
    for (int m = 1; m <= n; ++m) {
        const FigureReadings& found = data.readings[static_cast<std::size_t>(m) - 1];
        EXPECT_EQ(found.annotators, m);
        for (const bool is_first : {true, false}) {
            const StudySet& set = is_first ? study.first : study.second;
            const auto bins = static_cast<std::size_t>(m) + 1;
            std::vector<std::vector<double>> images(bins, std::vector<double>(40)), hits = images;
            for (std::size_t i = 0; i < set.size(); ++i) {
                const double hit =
                    (set.hits[i * study.row_bytes] + set.hits[i * study.row_bytes + 1] +
                     set.hits[i * study.row_bytes + 2]) /
                    3.0;
                const unsigned answers = (1U << set.selected[i]) - 1;
                double subsets = 0;
                for (unsigned asked = 0; asked < 1U << n; ++asked)
                    subsets += std::popcount(asked) == m ? 1 : 0;
                for (unsigned asked = 0; asked < 1U << n; ++asked) {
                    if (std::popcount(asked) != m) continue;
                    const auto j = static_cast<std::size_t>(std::popcount(asked & answers));
                    images[j][set.classes[i]] += 1 / subsets;
                    hits[j][set.classes[i]] += hit / subsets;
                }
            }
            for (std::size_t j = 0; j < bins; ++j) {
                const FigureBin& bin = (is_first ? found.first : found.second)[j];
                const double all = std::accumulate(images[j].begin(), images[j].end(), 0.0),
                             right = std::accumulate(hits[j].begin(), hits[j].end(), 0.0);
                EXPECT_NEAR(*bin.images.value, all / 160, 1e-12);
                EXPECT_NEAR(*bin.accuracy.value, right / all, 1e-12);
                double of_images = 0, of_hits = 0, squares = 0;
                for (std::size_t c = 0; c < 40; ++c) {
                    of_images += std::pow((images[j][c] - 4 * all / 160) / 160, 2);
                    of_hits += std::pow((hits[j][c] - right / all * images[j][c]) / all, 2);
                    squares += images[j][c] * images[j][c];
                }
                EXPECT_NEAR(*bin.images.standard_error, std::sqrt(of_images * 40 / 39), 1e-12);
                const bool enough = all * all / squares >= 10;
                ASSERT_EQ(bin.accuracy.interval.has_value(), enough) << bin.accuracy.note;
                if (enough) {
                    EXPECT_NEAR(*bin.accuracy.standard_error, std::sqrt(of_hits * 40 / 39), 1e-9);
                    EXPECT_LE(bin.accuracy.interval->high, 1);
                } else {
                    EXPECT_THAT(bin.accuracy.note, HasSubstr("too few classes"));
                }
            }
        }
    }
    // The values are by classifier, with all annotators.
    double images = 0, hits = 0;
    for (std::size_t i = 0; i < study.second.size(); ++i) {
        if (study.second.selected[i] != 5) continue;
        images += 1;
        hits += study.second.hits[i * study.row_bytes + 2];
    }
    EXPECT_NEAR(*data.second_accuracy[2][5].value, hits / images, 1e-12);
    EXPECT_EQ(data.second_accuracy[2][5].n, static_cast<std::uint64_t>(images));
    EXPECT_TRUE(data.first_fitted.empty());
}

TEST(Figures, FittedReadingsAreThoseOfTheDensities) {
    const Study study = figure_study(100, 10);
    FigureOptions options = quick_figures();
    options.estimates.likelihood = true;
    const FigureData data = figure_data(study, options);
    const PenalisedLikelihood model(study.first.cells(), study.second.cells());
    for (int k = 0; k <= 10; ++k) {
        double expected = 0;
        for (std::size_t j = 0; j < model.rates().size(); ++j) {
            const double s = model.rates()[j];
            expected += model.second_density()[j] *
                        std::exp(std::lgamma(11) - std::lgamma(k + 1) - std::lgamma(11 - k)) *
                        std::pow(s, k) * std::pow(1 - s, 10 - k);
        }
        const auto place = static_cast<std::size_t>(k);
        EXPECT_NEAR(data.second_fitted[place], expected, 1e-10);
        // A density that fits is within four standard errors of a count of 400 images.
        EXPECT_NEAR(*data.readings.back().second[place].images.value, expected,
                    4 * std::sqrt(expected * (1 - expected) / 400))
            << k;
    }
}

/// 20 classes of two kinds, with one image in each set and one more for reading 2 of 2. The value
/// for the remaining classes only depends on the numbers of `easy` and `hard` classes.
constexpr int halved_classes = 20;
bool is_easy(int c) {
    return c % 10 < 3;  // 6 of 20 are omitted
}
Study two_kinds() {
    Study study;
    study.classifiers = {"one"};
    study.row_bytes = 16;
    const auto add = [&](StudySet& set, int c, int k, int hit) {
        set.classes.push_back(static_cast<std::uint32_t>(c));
        set.annotators.push_back(2);
        set.selected.push_back(static_cast<std::uint16_t>(k));
        set.hits.resize(set.hits.size() + 16, 0);
        set.hits[set.hits.size() - 16] = static_cast<std::uint8_t>(hit);
    };
    for (int c = 0; c < halved_classes; ++c) {
        study.classes.push_back(std::to_string(c));
        add(study.first, c, 2, 1);
        add(study.first, c, is_easy(c) ? 2 : 1, 1);
        add(study.second, c, is_easy(c) ? 2 : 1, is_easy(c) ? 1 : 0);
        add(study.second, c, 2, is_easy(c) ? 0 : 1);
        add(study.second, c, is_easy(c) ? 1 : 2, 1);
    }
    return study;
}
/// In set 1, 2e + h images read 2, and h read 1. In set 2, 2e + 2h images read 2, and e + 2h of
/// them are correct. In set 2, e + h images read 1, and e of them are correct. All of set 1 is
/// correct.
double remains(double easy, double hard) {
    const double all = 2 * (easy + hard);
    return 1 - (2 * easy + hard) / all * (easy + 2 * hard) / (2 * easy + 2 * hard) -
           hard / all * easy / (easy + hard);
}
double choose(int n, int k) {
    return k < 0 || k > n
               ? 0
               : std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}
/// The mean over splits of 20 classes into halves, after `gone` classes of one kind are omitted,
/// of the mean over both halves.
double mean_of_halves(int easy_gone, int hard_gone, double* squared_difference = nullptr) {
    const int easy = 6 - easy_gone, hard = 14 - hard_gone, gone = easy_gone + hard_gone;
    double mean = 0, squares = 0;
    for (int x = 0; x <= gone; ++x) {  // number of omitted classes in the first half
        const double px = choose(gone, x) * choose(20 - gone, 10 - x) / choose(20, 10);
        for (int e = 0; e <= 10 - x; ++e) {
            const double p =
                px * choose(easy, e) * choose(hard, 10 - x - e) / choose(20 - gone, 10 - x);
            if (p == 0) continue;
            const double a = remains(e, 10 - x - e), b = remains(easy - e, hard - (10 - x - e));
            mean += p * (a + b) / 2;
            squares += p * (a - b) * (a - b);
        }
    }
    if (squared_difference != nullptr) *squared_difference = squares;
    return mean;
}

TEST(Figures, HalvesHaveTheirClosedForm) {
    FigureOptions options;
    options.estimates.likelihood = options.estimates.moments = false;
    options.estimates.jackknife.clear();
    options.splits = 1000;
    const FigureData data = figure_data(two_kinds(), options);
    const FigureHalves& naive = data.halves.back();
    ASSERT_EQ(naive.annotators, 2);
    ASSERT_EQ(naive.method, "naive");
    double squared = 0;
    const double halves = mean_of_halves(0, 0, &squared);
    EXPECT_NEAR(naive.whole, remains(6, 14), 1e-12);
    // The bias is .0083. The mean of halves has a standard deviation of .0112 for one split, and of
    // .00035 for 1000.
    EXPECT_NEAR(naive.halves, halves, .001);
    EXPECT_NEAR(*naive.difference.value, halves - remains(6, 14), .001);
    EXPECT_GT(*naive.difference.value, .007);
    EXPECT_NEAR(naive.error_by_halves, std::sqrt(squared) / 2, .05 * std::sqrt(squared));
    // Three of ten groups are two easy classes, and seven are two hard classes. The error is
    // sqrt(9/10 sum (x - mean)^2) = sqrt(9/10 10 .3 .7) |x_e - x_h|, .00303, from 1000 splits.
    const double without_easy = mean_of_halves(2, 0) - remains(4, 14),
                 without_hard = mean_of_halves(0, 2) - remains(6, 12);
    EXPECT_NEAR(*naive.difference.standard_error,
                std::sqrt(1.89) * std::abs(without_easy - without_hard), .0008);
    EXPECT_EQ(naive.difference.interval->method, "t.jackknife.class_tenths");
}

TEST(Figures, FewClassesAreNotHalved) {
    FigureOptions options = quick_figures();
    const FigureData data = figure_data(figure_study(19, 4), options);
    EXPECT_TRUE(data.halves.empty());
    EXPECT_EQ(data.without_halves, "the study has fewer than 20 classes");
    options.splits = 1;
    EXPECT_THAT(message_of([&] { figure_data(figure_study(20, 4), options); }, ErrorCode::usage),
                HasSubstr("1 splits into halves; allowed: 2 to 1000"));
}

TEST(Figures, TheJsonHoldsAllOfItForAnyNumberOfThreads) {
    const Study study = figure_study(40, 8);
    FigureOptions options;
    options.parts = {2};
    options.splits = 3;
    options.estimates.threads = 1;
    const AdjustReport report = adjust(study, options.estimates);
    const FigureData data = figure_data(study, options);
    const nlohmann::json json = to_json(ReplicateFigures{&data, &report});
    EXPECT_EQ(json["schema"], "assay.replicate_figures/1");
    EXPECT_EQ(json["annotators"].size(), 1U + 7 * 4);
    EXPECT_EQ(json["annotators"][0]["classifiers"].size(), 3U);
    EXPECT_EQ(json["parts"][0]["method"], "mixture2");
    EXPECT_EQ(json["readings"].size(), 8U);
    EXPECT_EQ(json["readings"][7]["original"].size(), 9U);
    EXPECT_EQ(json["readings_by_classifier"]["replication"][1].size(), 9U);
    EXPECT_EQ(json["halves"]["splits"], 3);
    EXPECT_EQ(json["halves"]["points"].size(), 7U + 4);  // naive from 1 to 7, all from 8
    EXPECT_EQ(json["scatter"]["classifiers"][2]["adjusted"]["pl"],
              nlohmann::json(to_json(report.methods[0].adjusted[2])));
    EXPECT_EQ(json["scatter"]["lines"].size(), 1 + report.methods.size());
    EXPECT_EQ(json["curves"]["methods"][0]["method"], "pl");
    EXPECT_EQ(json["curves"]["methods"][0]["accuracy"][2], report.methods[0].drawing.accuracy[2]);
    options.estimates.threads = 3;
    const FigureData again = figure_data(study, options);
    EXPECT_EQ(to_json(ReplicateFigures{&again, &report}).dump(), json.dump());
}

/// One of 160 images has fewer annotators. It is excluded and counted.
TEST(Figures, AFewImagesWithFewAnnotatorsAreLeftOut) {
    Study study = figure_study(40, 8);
    study.second.annotators[0] = 3;
    study.second.selected[0] = 3;
    const FigureData data = figure_data(study, quick_figures());
    EXPECT_EQ(data.annotators.back().annotators, 8);
    EXPECT_THAT(at(data.annotators, 2, "naive").notes,
                testing::Contains(HasSubstr("1 of the replication with fewer than 8 annotators")));
    double images = 0;
    for (const FigureBin& bin : data.readings.back().second)
        images += *bin.images.value * static_cast<double>(bin.images.n);
    EXPECT_NEAR(images, 159, 1e-9);
}

}  // namespace
}  // namespace assay::replication
