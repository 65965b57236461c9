// Whole studies: decomposition, intervals compared with slow implementations, the bootstrap, and
// errors.
#include "assay/replication/adjust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/replication/npmle.h"
#include "assay/replication/simulation.h"
#include "assay/replication/steps.h"
#include "assay/report.h"
#include "containers/csv.h"
#include "core/file.h"
#include "scratch.h"

namespace assay::replication {
namespace {

using testing::HasSubstr;

Study small_study(World world = World::beta, std::uint32_t classes = 60, std::uint64_t seed = 3) {
    SimulationOptions options;
    options.world = world;
    options.classes = classes;
    options.classifiers = 4;
    options.annotators = 24;
    options.seed = seed;
    return study_of(simulate(options));
}

/// The adjusted accuracy of classifier m from its definition, with its influence values for each
/// image.
struct Slow {
    double a = 0;
    std::vector<double> psi1, psi2;
};
Slow slow_moments(const Study& s, std::size_t m, const std::vector<int>& e) {
    const auto u = [](int k, int n, int j) {
        double p = 1;
        for (int i = 0; i < j; ++i) p *= static_cast<double>(k - i) / (n - i);
        return p;
    };
    const std::size_t p = e.size();
    std::vector<double> m1(p), b(p);
    std::vector<std::vector<double>> g(p, std::vector<double>(p + 2, 0.0));
    const double n1 = static_cast<double>(s.first.size()),
                 n2 = static_cast<double>(s.second.size());
    for (std::size_t i = 0; i < s.first.size(); ++i) {
        for (std::size_t j = 0; j < p; ++j)
            m1[j] += u(s.first.selected[i], s.first.annotators[i], e[j]) / n1;
    }
    for (std::size_t i = 0; i < s.second.size(); ++i) {
        const int k = s.second.selected[i], n = s.second.annotators[i];
        for (std::size_t j = 0; j < p; ++j) {
            b[j] += s.second.hits[i * s.row_bytes + m] * u(k, n, e[j]) / n2;
            for (std::size_t l = 0; l < p; ++l) g[j][l] += u(k, n, e[j] + e[l]) / n2;
        }
    }
    for (std::size_t j = 0; j < p; ++j) {
        g[j][p] = m1[j];
        g[j][p + 1] = b[j];
    }
    const auto gram = g;
    for (std::size_t c = 0; c < p; ++c) {  // Gauss-Jordan elimination with both right sides
        for (std::size_t r = 0; r < p; ++r) {
            if (r == c) continue;
            const double f = g[r][c] / g[c][c];
            for (std::size_t l = c; l < p + 2; ++l) g[r][l] -= f * g[c][l];
        }
    }
    Slow slow;
    std::vector<double> x(p), w(p);
    for (std::size_t j = 0; j < p; ++j) {
        x[j] = g[j][p] / g[j][j];
        w[j] = g[j][p + 1] / g[j][j];
        slow.a += b[j] * x[j];
    }
    for (std::size_t i = 0; i < s.first.size(); ++i) {
        double psi = -slow.a;
        for (std::size_t j = 0; j < p; ++j)
            psi += w[j] * u(s.first.selected[i], s.first.annotators[i], e[j]);
        slow.psi1.push_back(psi);
    }
    for (std::size_t i = 0; i < s.second.size(); ++i) {
        const int k = s.second.selected[i], n = s.second.annotators[i];
        double psi = 0;
        for (std::size_t j = 0; j < p; ++j) {
            psi += s.second.hits[i * s.row_bytes + m] * x[j] * u(k, n, e[j]);
            for (std::size_t l = 0; l < p; ++l) psi -= x[j] * w[l] * u(k, n, e[j] + e[l]);
        }
        slow.psi2.push_back(psi);
    }
    return slow;
}

/// Options for only the moments, and the methods reported next to them by default.
AdjustOptions of_moments() {
    AdjustOptions options;
    options.likelihood = false;
    return options;
}

TEST(Adjust, AgreesWithTheDefinitionImageByImage) {
    const Study study = small_study(World::lenient);
    for (const Units units : {Units::classes, Units::images}) {
        AdjustOptions options = of_moments();
        options.units = units;
        const AdjustReport report = adjust(study, options);
        const MethodResult& moments = report.methods.front();
        ASSERT_EQ(moments.id, "moments");
        EXPECT_EQ(moments.exponents, (std::vector<int>{0, 1, 2, 5, 12}));
        const double n1 = static_cast<double>(study.first.size()),
                     n2 = static_cast<double>(study.second.size());
        for (std::size_t m = 0; m < 4; ++m) {
            const Slow slow = slow_moments(study, m, moments.exponents);
            EXPECT_NEAR(*moments.adjusted[m].value, slow.a, 1e-9);
            const double a1 = *report.first[m].value;
            std::vector<double> adjusted(60, 0.0), remaining(60, 0.0);
            double image_adjusted = 0, image_remaining = 0;
            for (std::size_t i = 0; i < study.first.size(); ++i) {
                const double f = (study.first.hits[i * study.row_bytes + m] - a1) / n1,
                             p = slow.psi1[i] / n1;
                adjusted[study.first.classes[i]] += p;
                remaining[study.first.classes[i]] += f - p;
                image_adjusted += p * p;
                image_remaining += (f - p) * (f - p);
            }
            for (std::size_t i = 0; i < study.second.size(); ++i) {
                const double p = slow.psi2[i] / n2;
                adjusted[study.second.classes[i]] += p;
                remaining[study.second.classes[i]] -= p;
                image_adjusted += p * p;
                image_remaining += p * p;
            }
            const auto by_class = [](const std::vector<double>& x) {
                return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) * 60 / 59);
            };
            const bool classes = units == Units::classes;
            EXPECT_NEAR(*moments.adjusted[m].standard_error,
                        classes ? by_class(adjusted) : std::sqrt(image_adjusted), 1e-9);
            EXPECT_NEAR(*moments.gaps[m].remaining.standard_error,
                        classes ? by_class(remaining) : std::sqrt(image_remaining), 1e-9);
            // The quantiles are from tables of Student's t with 59 and 1199 degrees of freedom.
            const Interval& interval = *moments.adjusted[m].interval;
            EXPECT_EQ(interval.method, classes ? "t.by_class" : "t.by_image");
            EXPECT_NEAR((interval.high - interval.low) / 2 / *moments.adjusted[m].standard_error,
                        classes ? 2.00100 : 1.96194, 2e-5);
            const GapParts& g = moments.gaps[m];
            EXPECT_NEAR(*g.gap.value, *g.remaining.value + *g.bias.value, 1e-12);
        }
    }
}

TEST(Adjust, BootstrapAgreesWithTheFormula) {
    const Study study = small_study(World::beta, 100, 5);
    AdjustOptions options = of_moments();
    // this estimator is stable for few images; with 12 of 24 annotators it is not
    options.exponents = {0, 1, 3, 8};
    options.bootstrap = 1000;
    options.threads = 2;
    const AdjustReport report = adjust(study, options);
    const MethodResult& moments = *report.method("moments.bootstrap");
    EXPECT_EQ(moments.adjusted[0].value, report.methods.front().adjusted[0].value);
    EXPECT_EQ(moments.adjusted[0].interval->method, "bootstrap.percentile.by_class");
    EXPECT_NEAR(
        *moments.adjusted[0].standard_error / *report.methods.front().adjusted[0].standard_error, 1,
        0.15);
    // The error of the slope by the delta method and by resampling classes must agree within about
    // a tenth.
    AdjustOptions analytic = of_moments();
    analytic.exponents = options.exponents;
    const AdjustReport plain = adjust(study, analytic);
    ASSERT_TRUE(moments.line && plain.methods.front().line);
    EXPECT_NEAR(
        *moments.line->slope.standard_error / *plain.methods.front().line->slope.standard_error, 1,
        0.15);
    EXPECT_NEAR(*report.raw_line->slope.standard_error / *plain.raw_line->slope.standard_error, 1,
                0.12);
    // A band around the line needs the correlation of slope and intercept, which is close to -1
    // here.
    const auto correlation = [](const LineFit& fit) {
        return *fit.covariance / (*fit.slope.standard_error * *fit.intercept.standard_error);
    };
    EXPECT_NEAR(correlation(*moments.line), correlation(*plain.methods.front().line), 0.05);
    EXPECT_NEAR(correlation(*report.raw_line), correlation(*plain.raw_line), 0.05);
    EXPECT_LT(correlation(*plain.raw_line), -0.5);
    // The bits are the same for any number of threads, and differ for another seed.
    options.threads = 1;
    EXPECT_EQ(to_json(adjust(study, options)).dump(), to_json(report).dump());
    options.seed = 2;
    EXPECT_NE(to_json(adjust(study, options)).dump(), to_json(report).dump());
}

TEST(Adjust, SmallStudiesAreToldOfCalmerExponents) {
    std::string all;
    for (const auto& w : adjust(small_study(World::beta, 100, 5), of_moments()).warnings)
        all += w + "\n";
    EXPECT_THAT(all, HasSubstr("Consider `exponents` 0,1,"));
}

TEST(Adjust, SweepEndsAtTheEstimates) {
    const Study study = small_study();
    const AdjustOptions options = of_moments();
    const AdjustReport report = adjust(study, options);
    const auto points = annotator_sweep(study, {1, 5, 24}, options);
    const auto find = [&](int n, const std::string& id) {
        for (const SweepPoint& p : points) {
            if (p.annotators == n && p.method == id) return p.mean;
        }
        return std::nan("");
    };
    for (const char* id : {"moments", "naive", "jackknife1"}) {
        EXPECT_NEAR(find(24, id), *report.method(id)->mean_adjusted.value, 1e-10) << id;
    }
    EXPECT_LT(find(1, "naive"), find(5, "naive"));
    EXPECT_LT(find(5, "naive"), find(24, "naive"));
    EXPECT_TRUE(std::isnan(find(1, "moments")));
    AdjustOptions asked = of_moments();
    asked.exponents = {0, 1, 3};
    const auto three = annotator_sweep(study, {4, 24}, asked);
    EXPECT_EQ(three.front().exponents,
              (std::vector<int>{0, 1, 2}));  // with 4 annotators, 3 is not possible
    for (const SweepPoint& p : three) {
        if (p.annotators != 24 || p.method != "moments") continue;
        EXPECT_EQ(p.exponents, asked.exponents);
        EXPECT_NEAR(p.mean, *adjust(study, asked).methods.front().mean_adjusted.value, 1e-10);
    }
    EXPECT_THROW(annotator_sweep(study, {25}, options), Error);
    EXPECT_THROW(annotator_sweep(study, {0}, options), Error);
}

TEST(Adjust, OneImageWithFewAnnotatorsDoesNotEndTheSweep) {
    Study study = small_study();
    const AdjustOptions options = of_moments();
    const auto whole = annotator_sweep(study, {12, 24}, options);
    EXPECT_EQ(whole.front().second_left_out, 0U);
    study.second.annotators[0] = 2;
    study.second.selected[0] = 2;
    const AdjustReport report = adjust(study, options);
    EXPECT_EQ(eighths(report), (std::vector<int>{3, 6, 9, 12, 15, 18, 21, 24}));
    const auto points = annotator_sweep(study, {12, 24}, options);
    ASSERT_EQ(points.size(), whole.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].method, whole[i].method);
        EXPECT_NEAR(points[i].mean, whole[i].mean, .01) << points[i].method;
        EXPECT_EQ(points[i].first_left_out, 0U);
        EXPECT_EQ(points[i].second_left_out, 1U);
        if (points[i].annotators == 24) {
            EXPECT_NEAR(points[i].mean, *report.method(points[i].method)->mean_adjusted.value,
                        1e-10);
        }
    }
    // With the smallest number of annotators that all images have, no image is excluded.
    EXPECT_EQ(annotator_sweep(study, {2}, options).front().second_left_out, 0U);
    AdjustOutcome outcome;
    outcome.adjusted = report;
    outcome.sweep = points;
    const nlohmann::json result = report_of(outcome).result;
    EXPECT_EQ(result["sweep"][0]["left_out"]["replication"], 1);
    EXPECT_THAT(render(report_of(outcome), ReportFormat::text), HasSubstr("skipped throughout"));
}

TEST(Adjust, ReadingsWithoutSpreadAreRefused) {
    for (const std::uint16_t k : {std::uint16_t{0}, std::uint16_t{24}}) {
        Study study = small_study();
        for (auto& s : study.second.selected) s = k;
        try {
            adjust(study, of_moments());
            ADD_FAILURE() << k;
        } catch (const Error& error) {
            EXPECT_THAT(error.message(), HasSubstr("no more than by chance around one selection"));
        }
    }
}

TEST(Adjust, DroppedExponentsAreTakenBackEverywhere) {
    // All or none of the annotators select an image, so only s itself can be estimated, with any
    // exponent.
    Study study = small_study();
    for (auto* set : {&study.first, &study.second}) {
        for (auto& k : set->selected) k = k >= 12 ? 24 : 0;
    }
    const AdjustReport report = adjust(study, of_moments());
    EXPECT_EQ(report.methods.front().exponents, (std::vector<int>{0, 1}));
    EXPECT_EQ(report.methods.front().definition, "adjusted.moments.0_1");
    EXPECT_FALSE(report.mean_sensitivity.has_value());  // all other sets give the same result
    for (const MethodResult& m : report.methods) EXPECT_FALSE(m.id.starts_with("moments.")) << m.id;
}

TEST(Adjust, ExponentsThatTheReadingsDoNotDetermineAreNoEvidence) {
    // With 1000 images, s^20 depends on the few images that nearly everybody selected, so this draw
    // does not determine it.
    SimulationOptions options;
    options.classes = 20;
    options.classifiers = 20;
    options.seed = 4;
    const AdjustReport report = adjust(study_of(simulate(options)), of_moments());
    const MethodResult* widest = report.method("moments.0_1_3_8_20");
    ASSERT_NE(widest, nullptr);
    EXPECT_THAT(widest->mean_adjusted.undefined, HasSubstr("do not determine s^20"));
    EXPECT_EQ(widest->adjusted[0].undefined, widest->mean_adjusted.undefined);
    const MethodResult* calm = report.method("moments.0_1_3_8");
    ASSERT_NE(calm, nullptr);
    EXPECT_TRUE(calm->defined());
    // The spread is over the remaining sets of exponents, for the mean and for every classifier.
    const MethodResult& main = report.methods.front();
    EXPECT_EQ(report.mean_sensitivity,
              std::abs(*main.mean_adjusted.value - *calm->mean_adjusted.value));
    for (std::size_t m = 0; m < report.classifiers.size(); ++m)
        EXPECT_EQ(report.sensitivity[m],
                  std::abs(*main.adjusted[m].value - *calm->adjusted[m].value));
    const nlohmann::json json = to_json(report);
    EXPECT_EQ(json["methods"].back()["undefined"], widest->mean_adjusted.undefined);
    EXPECT_FALSE(json["methods"].back().contains("mean"));
}

TEST(Adjust, PerfectClassifiersAreInside) {
    Study study = small_study();
    for (auto* set : {&study.first, &study.second}) {
        for (std::size_t i = 0; i < set->size(); ++i) set->hits[i * study.row_bytes] = 1;
    }
    const AdjustReport report = adjust(study, of_moments());
    EXPECT_NEAR(*report.methods.front().adjusted[0].value, 1, 1e-9);
    EXPECT_EQ(report.methods.front().outside, 0U);
}

TEST(Adjust, TooFewReplicatesAreRefused) {
    AdjustOptions options;
    for (const std::uint32_t replicates : {1U, 19U, 4000000000U}) {
        options.bootstrap = replicates;
        EXPECT_THROW(adjust(small_study(), options), Error) << replicates;
    }
}

/// If images have different numbers of annotators, most cells are empty. The fit must not treat
/// them as cells without hits.
TEST(Adjust, TheMixtureBearsUnequalNumbersOfAnnotators) {
    AdjustOptions options = of_moments();
    options.moments = options.naive = false;
    options.jackknife.clear();
    options.mixture = true;
    constexpr int studies = 8;
    double equal = 0, unequal = 0;
    for (std::uint64_t seed = 0; seed < studies; ++seed) {
        SimulationOptions simulation;
        simulation.classes = 90;
        simulation.annotators = 26;
        simulation.classifiers = 4;
        simulation.seed = 100 + seed;
        const Simulation drawn = simulate(simulation);
        Study study = study_of(drawn);
        const double truth =
            std::accumulate(drawn.truth.adjusted.begin(), drawn.truth.adjusted.end(), 0.0) / 4;
        equal += (*adjust(study, options).methods[0].mean_adjusted.value - truth) / studies;
        for (auto [set, from] :
             {std::pair(&study.first, &drawn.first), std::pair(&study.second, &drawn.second)}) {
            for (std::size_t i = 0; i < set->size(); ++i) {
                const int n = 20 + static_cast<int>(i % 7);
                set->annotators[i] = static_cast<std::uint16_t>(n);
                set->selected[i] = from->k(i, n);
            }
        }
        unequal += (*adjust(study, options).methods[0].mean_adjusted.value - truth) / studies;
    }
    // The mean over classifiers has a standard deviation of 3.2 points in a study of 900 images
    // (from 60 simulations). Over eight studies it is 1.1 points; 4 of these are allowed. Omitting
    // some answers on the same images changes less. With observed proportions the bias is -7.
    EXPECT_NEAR(unequal, 0, .045);
    EXPECT_NEAR(unequal, equal, .03);
}

TEST(Adjust, OneClassTakesImagesAndSaysSo) {
    SimulationOptions simulation;
    simulation.classes = 1;
    simulation.images_per_class = 500;
    simulation.classifiers = 2;
    const Study study = study_of(simulate(simulation));
    const AdjustReport report = adjust(study, {});
    EXPECT_EQ(report.units, Units::images);
    std::string all;
    for (const auto& w : report.warnings) all += w + "\n";
    EXPECT_THAT(all, HasSubstr("only one class"));
}

TEST(Adjust, OneImageWithFewAnnotatorsDoesNotCoarsenTheMoments) {
    Study study = small_study();
    const AdjustReport whole = adjust(study, of_moments());
    study.second.annotators[0] = 5;
    study.second.selected[0] = 5;
    const AdjustReport report = adjust(study, of_moments());
    const MethodResult& moments = report.methods.front();
    EXPECT_EQ(moments.exponents, (std::vector<int>{0, 1, 2, 5, 12}));
    EXPECT_NEAR(*moments.mean_adjusted.value, *whole.methods.front().mean_adjusted.value, .01);
    ASSERT_EQ(moments.notes.size(), 1U);
    EXPECT_EQ(moments.notes.front(),
              "0 images of the original and 1 of the replication with fewer than 24 annotators are "
              "skipped");
    // There is a weight for each cell of the grid, and they sum to the estimate.
    EXPECT_EQ(moments.weights.size(), report.second_cells.grid.size());
    double sum = 0;
    for (std::size_t c = 0; c < moments.weights.size(); ++c)
        sum += moments.weights[c] * report.correct[c * study.models()];
    EXPECT_NEAR(sum, *moments.adjusted[0].value, 1e-12);
    EXPECT_EQ(report.method("naive")->definition, "adjusted.naive.n24.renormalised");
    // Two in a hundred images are too many to exclude.
    for (std::size_t i = 0; i < study.second.size(); i += 50) {
        study.second.annotators[i] = 5;
        study.second.selected[i] = std::min<std::uint16_t>(study.second.selected[i], 5);
    }
    EXPECT_EQ(adjust(study, of_moments()).methods.front().exponents, (std::vector<int>{0, 1, 2}));
}

TEST(Adjust, EveryMethodAnswers) {
    const Study study = small_study(World::probit);
    AdjustOptions options = of_moments();
    options.mixture = options.npmle = true;
    options.jackknife = {1, 6};
    const AdjustReport report = adjust(study, options);
    const double middle = *report.methods.front().mean_adjusted.value;
    for (const char* id : {"moments", "naive", "jackknife1", "jackknife6", "mixture", "npmle"}) {
        const MethodResult* m = report.method(id);
        ASSERT_NE(m, nullptr) << id;
        EXPECT_TRUE(m->defined());
        EXPECT_NEAR(*m->mean_adjusted.value, middle, 0.08) << id;
    }
    // The plotted densities and curves follow from the parameters in the report.
    const MethodResult& mixture = *report.method("mixture");
    const std::vector<double> rates = drawing_rates();
    ASSERT_EQ(mixture.drawing.second_density.size(), rates.size());
    for (std::size_t j = 0; j < rates.size(); ++j) {
        const double s = rates[j];
        double density = 0;
        for (const auto& part : mixture.details["replication"]["parts"]) {
            const double a = part["a"].get<double>(), b = part["b"].get<double>();
            if (part["point"].get<bool>()) continue;
            density += part["weight"].get<double>() * std::pow(s, a - 1) * std::pow(1 - s, b - 1) *
                       std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b));
        }
        EXPECT_NEAR(mixture.drawing.second_density[j], density, 1e-8 * density) << s;
        const auto w = mixture.details["splines"][0]["w"].get<std::vector<double>>();
        double curve = w[0] + s * (w[1] + s * (w[2] + s * w[3]));
        for (const auto& [knot, v] :
             {std::pair(.5, w[4]), std::pair(.7, w[5]), std::pair(.9, w[6])}) {
            curve += s > knot ? v * std::pow(s - knot, 3) : 0;
        }
        EXPECT_NEAR(mixture.drawing.accuracy[0][j], curve, 1e-10) << s;
    }
    const MethodResult& moments = report.methods.front();
    // The curve of the NPMLE is fitted at 200 rates. Each of the hundred plotted rates is halfway
    // between two of them.
    const RateGrid grid(200);
    const CellCounts second = study.second.cells();
    const auto hits = study.correct(study.second, second.grid);
    std::vector<double> of_first;
    for (std::size_t c = 0; c < second.grid.size(); ++c)
        of_first.push_back(hits[c * study.models()]);
    const LogitCurve curve = fit_logit_curve(second, of_first, grid, fit_rates(second, grid).weight,
                                             spline_basis(grid, 8), .01);
    for (std::size_t j = 0; j < rates.size(); ++j) {
        double g = 0;
        for (std::size_t e = 0; e < moments.exponents.size(); ++e) {
            g += moments.curves[0][e] * std::pow(rates[j], moments.exponents[e]);
        }
        EXPECT_NEAR(moments.drawing.accuracy[0][j], std::clamp(g, 0.0, 1.0), 1e-12) << j;
        // Values halfway differ because of the curvature, by at most 6e-5 here.
        EXPECT_NEAR(report.method("npmle")->drawing.accuracy[0][j],
                    (curve.g[2 * j] + curve.g[2 * j + 1]) / 2, 2e-4);
    }
    const auto json = to_json(report);
    EXPECT_EQ(json["rates"].size(), rates.size());
    EXPECT_EQ(json["methods"].size(), 8U);  // the two methods reported with the moments
    options.jackknife = {24};
    EXPECT_THROW(adjust(study, options), Error);
    options = of_moments();
    options.exponents = {0, 1, 20};
    EXPECT_THROW(adjust(study, options), Error);
}

/// More people answered about a third of the images, chosen at random or because the first people
/// disagreed.
TEST(Adjust, NumbersOfAnnotatorsThatDependOnAnswersAreFound) {
    SimulationOptions simulation;
    simulation.classes = 100;
    simulation.classifiers = 2;
    int false_alarms = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        simulation.seed = seed;
        const Simulation drawn = simulate(simulation);
        Study study = study_of(drawn);
        const auto ask = [&](bool by_answers) {
            for (std::size_t i = 0; i < study.second.size(); ++i) {
                const int first = drawn.second.k(i, 10);
                const bool more = by_answers ? first > 2 && first < 8 : i % 3 == 0;
                const int n = more ? 40 : 10;
                study.second.annotators[i] = static_cast<std::uint16_t>(n);
                study.second.selected[i] = drawn.second.k(i, n);
            }
            std::string all;
            for (const auto& w : adjust(study, of_moments()).warnings) all += w + "\n";
            return all.find("replication: the number of annotators of an image depends on their") !=
                   std::string::npos;
        };
        EXPECT_TRUE(ask(true)) << seed;
        false_alarms += ask(false) ? 1 : 0;
    }
    EXPECT_EQ(false_alarms, 0);
}

/// Signs are written in words, with "about" if an interval contains 0.
TEST(Adjust, TheVerdictSaysSignsInWords) {
    const auto points = [](double value, double half) {
        Estimate e;
        e.value = value / 100;
        e.unit = Unit::proportion;
        e.interval = Interval{(value - half) / 100, (value + half) / 100, .95, "t.by_class"};
        return e;
    };
    AdjustReport report;
    report.classifiers = {"a", "b"};
    MethodResult& main = report.methods.emplace_back();
    main.id = "pl";
    main.mean_adjusted = points(70, 1);
    main.mean_gap = {points(12, 1), points(4, 1.5), points(8, 1.2)};
    EXPECT_THAT(
        verdict(report),
        testing::StartsWith(
            "Mean accuracy is 12.0 ±1.0 points lower on the replication than on the "
            "original. With images as easy to select as the original's, mean accuracy would be "
            "4.0 ±1.5 points lower; 8.0 ±1.2 points come from how they were "
            "selected.\nThis uses pl ("));
    EXPECT_THAT(verdict(report), HasSubstr("2 classifiers, with 95 % intervals."));
    main.mean_gap = {points(2, 1), points(3, 4), points(-1, 3)};
    EXPECT_THAT(
        verdict(report),
        HasSubstr(
            "a difference is not shown (from 7.0 points lower to 1.0 points higher); that some of "
            "the difference comes from how they were selected is not shown (from"));
    main.mean_gap = {points(.5, 1), points(.5, 1), points(0, .5)};
    EXPECT_THAT(verdict(report), testing::StartsWith("A difference in mean accuracy between the "
                                                     "original and the replication is not shown"));
    main.mean_gap = {points(-6, 1), points(-9, 1), points(3, 1)};
    EXPECT_THAT(verdict(report), HasSubstr("6.0 ±1.0 points higher on the replication"));
    EXPECT_THAT(verdict(report), HasSubstr("3.0 ±1.0 points come from how they were selected, "
                                           "against the difference."));
    main.mean_gap.gap.interval->low = -.08;
    EXPECT_THAT(verdict(report), HasSubstr("6.0 (5.0 – 8.0) points higher on the replication"));
}

/// A classifier that is always correct has no interval of width 0, and no sentence that claims one.
TEST(Adjust, NothingThatDoesNotVaryHasAnInterval) {
    SimulationOptions world;
    world.classes = 40;
    world.annotators = 10;
    world.classifiers = 3;
    Study study = study_of(simulate(world));
    for (StudySet* set : {&study.first, &study.second})
        for (std::size_t i = 0; i < set->size(); ++i) set->hits[i * study.row_bytes] = 1;
    AdjustOptions options;
    options.bootstrap = 30;
    const AdjustReport report = adjust(study, options);
    EXPECT_EQ(*report.first[0].value, 1);
    EXPECT_FALSE(report.first[0].interval.has_value());
    EXPECT_EQ(report.first[0].note, "no interval: the units do not vary");
    EXPECT_TRUE(report.first[1].interval.has_value());
    for (const MethodResult& method : report.methods) {
        for (const Estimate& e : method.adjusted) {
            if (e.interval) {
                EXPECT_GT(e.interval->high, e.interval->low) << method.id;
            }
        }
        for (const GapParts& gap : method.gaps) {
            for (const Estimate* e : {&gap.gap, &gap.remaining, &gap.bias}) {
                if (e->interval) {
                    EXPECT_GT(e->interval->high, e->interval->low) << method.id;
                }
            }
        }
    }
}

TEST(LineFit, KnownLines) {
    const LineFit fit = fit_line({0, 1, 2}, {1, 3, 5});
    EXPECT_DOUBLE_EQ(*fit.slope.value, 2);
    EXPECT_DOUBLE_EQ(*fit.intercept.value, 1);
    EXPECT_NEAR(fit.residual, 0, 1e-15);
    EXPECT_THROW(fit_line({1}, {1}), Error);
    EXPECT_THROW(fit_line({1, 1}, {1, 2}), Error);
}

// These are every 14th of the models by Engstrom et al. The slope was computed in Python.
TEST(LineFit, SomePublishedAccuracies) {
    const LineFit fit =
        fit_line({63.07, 74.47, 76.21, 77.24, 78.02, 78.61, 79.10, 79.74, 80.57, 82.13},
                 {48.27, 61.63, 62.04, 65.09, 65.16, 65.55, 66.71, 66.75, 69.05, 69.92});
    EXPECT_NEAR(*fit.slope.value, 1.1430492663869405, 1e-12);
}

TEST(LineFit, PublishedAccuracies) {
    const auto path = shared_data() / "replication_models.csv";
    if (shared_data().empty() || !std::filesystem::exists(path))
        GTEST_SKIP() << "replication_models.csv is absent";
    const std::string text = read_text(path);
    CsvReader reader(text, "replication_models.csv");
    std::vector<double> x, y;
    double gap = 0;
    while (reader.next()) {
        x.push_back(std::stod(std::string(reader[1])));
        y.push_back(std::stod(std::string(reader[2])));
        gap += x.back() - y.back();
    }
    EXPECT_EQ(x.size(), 136U);
    EXPECT_NEAR(gap / static_cast<double>(x.size()), 12.684, 5e-4);
    EXPECT_NEAR(*fit_line(x, y).slope.value, 1.1431, 5e-5);
}

}  // namespace
}  // namespace assay::replication
