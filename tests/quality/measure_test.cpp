// Compares the nine dimensions with slow implementations of their definitions.
#include "assay/quality/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/file.h"
#include "core/statistics.h"
#include "expected.h"
#include "measured_world.h"
#include "message_of.h"
#include "quality/cues.h"

namespace assay::quality {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using D = Dimension;

double square(double x) {
    return x * x;
}
double mean_of(const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
}
/// The error of the mean of one number per image. `divisor` is n or n - 1.
double error_by_images(const std::vector<double>& x, double divisor) {
    double squares = 0;
    for (const double v : x) squares += square(v - mean_of(x));
    return std::sqrt(squares / divisor / static_cast<double>(x.size()));
}

/// One synthetic data set for all tests that do not change it.
class MeasuredQualityOf : public testing::Test {
protected:
    static void SetUpTestSuite() {
        world_ = new World();
        world_->put_all("first", .8, 1000);
        world_->put_all("second", .7, 2000);
        quality_ = new MeasuredQuality(measured(world_->options()));
    }
    static void TearDownTestSuite() {
        delete quality_;
        delete world_;
    }
    const WorldSet& set(const std::string& dataset, const std::string& store = "first") const {
        return world_->sets.at(dataset).at(store);
    }
    static World* world_;
    static MeasuredQuality* quality_;
};
World* MeasuredQualityOf::world_ = nullptr;
MeasuredQuality* MeasuredQualityOf::quality_ = nullptr;

TEST_F(MeasuredQualityOf, ModelsAreThoseOfValWithoutTheirAttacks) {
    ASSERT_EQ(quality_->models.size(), 2U);
    EXPECT_EQ(quality_->models[0].model, "first");
    EXPECT_EQ(quality_->table.models[1].label, "second");
    EXPECT_FALSE(quality_->partial);
    EXPECT_THAT(quality_->warnings, ElementsAre());
}

TEST_F(MeasuredQualityOf, Accuracy) {
    const double a = set("val").accuracy();
    const QualityCell& cell = cell_of(*quality_, D::accuracy);
    EXPECT_DOUBLE_EQ(*cell.value, a);
    EXPECT_NEAR(*cell.standard_error, std::sqrt(a * (1 - a) / 300), 1e-15);
    EXPECT_EQ(cell.n, 300U);
    EXPECT_EQ(cell.definition, "the classifier's own 5 classes; 300 images of val");
    EXPECT_EQ(value_of(*quality_, D::accuracy).interval->method, "wilson");
}

TEST_F(MeasuredQualityOf, AdversarialRobustness) {
    const WorldSet &clean = set("val"), &fgsm = set("val", "first@fgsm-linf-8_255"),
                   &pgd = set("val", "first@pgd-linf-8_255");
    const double a = clean.accuracy(), f = fgsm.accuracy(), p = pgd.accuracy();
    std::vector<double> logs;
    for (std::size_t i = 0; i < 300; ++i)
        logs.push_back((fgsm.hit(i) / f + pgd.hit(i) / p) / 2 - clean.hit(i) / a);
    const double value = std::sqrt(f / a * (p / a));
    const QualityCell& cell = cell_of(*quality_, D::adversarial_robustness);
    EXPECT_NEAR(*cell.value, value, 1e-14);
    EXPECT_NEAR(*cell.standard_error, value * error_by_images(logs, 300), 1e-14);
    EXPECT_THAT(cell.definition, HasSubstr("attacked in pixels (published: normalised units)"));
    EXPECT_EQ(cell.note, "the attacks are not checked for masked gradients");
    EXPECT_DOUBLE_EQ(*part_named(*quality_, "fgsm").value.value, f);
    EXPECT_DOUBLE_EQ(*part_named(*quality_, "pgd").value.value, p);
}

TEST_F(MeasuredQualityOf, OutOfDistribution) {
    double product = 1, variance = 0;
    const double a = set("val").accuracy();
    for (const char* name : {"r", "sketch", "stylized", "edges", "outlines"}) {
        const double q = set(name).accuracy();
        product *= q / a;
        variance += (1 - q) / (q * static_cast<double>(set(name).truth.size())) / 25;
    }
    variance += (1 - a) / (a * 300);
    const double value = std::pow(product, .2);
    const QualityCell& cell = cell_of(*quality_, D::ood_robustness);
    EXPECT_NEAR(*cell.value, value, 1e-14);
    EXPECT_NEAR(*cell.standard_error, value * std::sqrt(variance), 1e-14);
    EXPECT_EQ(cell.shares.size(), 6U);
    const Interval& interval = *value_of(*quality_, D::ood_robustness).interval;
    EXPECT_LT(interval.low, value);
    EXPECT_GT(interval.high, value);
    EXPECT_NEAR(std::log(interval.high / interval.low) / 2, 1.96 * std::sqrt(variance), .04);
    EXPECT_DOUBLE_EQ(*part_named(*quality_, "edge").value.value, set("edges").accuracy());
}

TEST_F(MeasuredQualityOf, CalibrationAndBalanceAreTheMetrics) {
    const PredictionStore store = PredictionStore::open(world_->scratch / "runs/val/first");
    ScoreOptions options;
    for (const char* text : {"calibration_error", "class_balance", "class_balance:spread=between"})
        options.metrics.push_back(parse_metric(text));
    const std::vector<Measurement> all = scored(store, options).measurements;
    EXPECT_EQ(*cell_of(*quality_, D::calibration_error).value, *all[0].value);
    EXPECT_EQ(*cell_of(*quality_, D::class_balance).value, *all[1].value);
    EXPECT_EQ(*part_named(*quality_, "between").value.value, *all[2].value);
    // The interval follows from the error with Student's t with 127 degrees of freedom.
    const double t = student_t_quantile(.975, 127);
    EXPECT_NEAR(*cell_of(*quality_, D::calibration_error).standard_error * t, half_width(all[0]),
                1e-12);
    EXPECT_NEAR(*cell_of(*quality_, D::class_balance).standard_error * t, half_width(all[1]),
                1e-12);
}

TEST_F(MeasuredQualityOf, BalanceWithoutTheNoise) {
    // There are 60 images per class.
    std::vector<double> accuracy(5), noise;
    for (std::size_t i = 0; i < 300; ++i) accuracy[i / 60] += set("val").hit(i) / 60.0;
    for (const double p : accuracy) noise.push_back(p * (1 - p) / 59);
    const double spread = square(error_by_images(accuracy, 4)) * 5;
    const double even = 1 - std::sqrt(std::max(0.0, spread - mean_of(noise)));
    const double whole = *cell_of(*quality_, D::class_balance).value;
    EXPECT_NEAR(*part_named(*quality_, "without_noise").value.value,
                std::sqrt(even * square(whole) / (1 - std::sqrt(spread))), 1e-12);
}

TEST_F(MeasuredQualityOf, ObjectFocus) {
    std::vector<double> gap;
    for (std::size_t i = 0; i < 150; ++i) gap.push_back(set("same").hit(i) - set("rand").hit(i));
    const QualityCell& cell = cell_of(*quality_, D::object_focus);
    EXPECT_NEAR(*cell.value, 1 - mean_of(gap), 1e-14);
    EXPECT_NEAR(*cell.standard_error, error_by_images(gap, 149), 1e-14);
    EXPECT_EQ(cell.n, 150U);
    EXPECT_NEAR(*part_named(*quality_, "divided").value.value,
                1 - mean_of(gap) / set("val").accuracy(), 1e-14);
    EXPECT_DOUBLE_EQ(*part_named(*quality_, "mixed_rand").value.value, set("rand").accuracy());
}

/// The value F / (F - 1) sum of squares, by names.
double by_names(const std::vector<std::string>& names, const std::vector<double>& influence) {
    std::map<std::string, double> sums;
    for (std::size_t i = 0; i < names.size(); ++i) sums[names[i]] += influence[i];
    double squares = 0;
    for (const auto& sum : sums) squares += square(sum.second);
    const auto count = static_cast<double>(sums.size());
    return squares * count / (count - 1);
}

TEST_F(MeasuredQualityOf, ShapeBias) {
    const WorldSet& cues = set("cues");
    std::vector<std::string> shapes, textures, images;
    std::vector<double> follows;
    double s = 0, t = 0;
    for (std::size_t i = 0; i < cues.ids.size(); ++i) {
        if (cues.shape[i] == cues.texture[i]) continue;
        const std::string predicted = fmt::format("c{}", cues.predicted[i]);
        if (predicted != cues.shape[i] && predicted != cues.texture[i]) continue;
        (predicted == cues.shape[i] ? s : t) += 1;
        follows.push_back(predicted == cues.shape[i] ? 1 : 0);
        images.push_back(cues.ids[i]);
        shapes.push_back(cues.ids[i].substr(3, 3));    // the shape of "c0/c01-c23.png" is c01
        textures.push_back(cues.ids[i].substr(7, 3));  // the texture is c23
    }
    const double bias = s / (s + t);
    std::vector<double> influence;
    for (const double f : follows) influence.push_back((f - bias) / (s + t));
    const double of_images = by_names(images, influence);
    const double variance = std::max(
        of_images, by_names(shapes, influence) + by_names(textures, influence) - of_images);
    const QualityCell& cell = cell_of(*quality_, D::shape_bias);
    EXPECT_DOUBLE_EQ(*cell.value, bias);
    EXPECT_NEAR(*cell.standard_error, std::sqrt(variance), 1e-14);
    EXPECT_EQ(cell.n, static_cast<std::uint64_t>(s + t));
    const Interval wilsons =
        wilson(static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(s + t), .95);
    EXPECT_EQ(part_named(*quality_, "wilson").value.interval, wilsons);
}

double squares_of(const ErrorShare& share) {
    double squares = 0;
    for (const double part : share.parts) squares += square(part);
    return squares;
}

TEST_F(MeasuredQualityOf, EachSetOfTheGeometricMeanHasItsOwnShare) {
    for (const char* model : {"first", "second"}) {
        const std::size_t m = model == std::string_view("second") ? 1 : 0;
        const QualityCell& cell = cell_of(*quality_, D::ood_robustness, m);
        ASSERT_EQ(cell.shares.size(), 6U);
        const char* const names[] = {"r", "sketch", "stylized", "edges", "outlines"};
        for (std::size_t k = 0; k < 5; ++k) {
            // The variance of log(q) / 5 for this number of images, times the square of the mean.
            const double q = set(names[k], model).accuracy();
            const auto n = static_cast<double>(set(names[k], model).truth.size());
            const double variance = square(*cell.value) * (1 - q) / (q * n) / 25;
            EXPECT_EQ(cell.shares[k].parts.size(), group_count);
            EXPECT_NEAR(squares_of(cell.shares[k]) / variance, 1, 1e-12) << names[k];
        }
        const double a = set("val", model).accuracy();
        EXPECT_NEAR(squares_of(cell.shares[5]) / (square(*cell.value) * (1 - a) / (a * 300)), 1,
                    1e-12);
    }
}

TEST_F(MeasuredQualityOf, AllDimensionsHaveShares) {
    for (std::size_t m = 0; m < 2; ++m) {
        for (const DimensionFacts& facts : dimension_facts()) {
            if (facts.dimension == D::parameters || facts.dimension == D::c_robustness) continue;
            EXPECT_FALSE(cell_of(*quality_, facts.dimension, m).shares.empty()) << facts.name;
        }
    }
}

TEST_F(MeasuredQualityOf, SharesNameTheImages) {
    const auto id = [&](const char* dataset) {
        return PredictionStore::open(world_->scratch / "runs" / dataset / "first")
            .spec()
            .dataset_id;
    };
    for (const D d :
         {D::accuracy, D::adversarial_robustness, D::calibration_error, D::class_balance}) {
        for (std::size_t m = 0; m < 2; ++m)
            EXPECT_EQ(cell_of(*quality_, d, m).shares.at(0).data, id("val"));
    }
    EXPECT_EQ(cell_of(*quality_, D::ood_robustness).shares.at(3).data, id("edges"));
    EXPECT_EQ(cell_of(*quality_, D::ood_robustness).shares.at(5).data, id("val"));
    EXPECT_EQ(cell_of(*quality_, D::object_focus).shares.at(0).data, id("same"));
    EXPECT_EQ(cell_of(*quality_, D::shape_bias).shares.at(0).data, id("cues"));
}

TEST_F(MeasuredQualityOf, TheCsvIsATable) {
    const std::string csv = render(report_of(*quality_), ReportFormat::csv);
    const QualityTable read = parse_quality_table(csv, "quality.csv");
    ASSERT_EQ(read.models.size(), 2U);
    EXPECT_TRUE(read.tags.empty());
    for (std::size_t m = 0; m < 2; ++m) {
        for (std::size_t d = 0; d < dimension_count; ++d) {
            const QualityCell &one = read.models[m].cells[d],
                              &other = quality_->table.models[m].cells[d];
            EXPECT_EQ(one.value, other.value);
            EXPECT_EQ(one.standard_error, other.standard_error);
            EXPECT_EQ(one.n, other.n);
            EXPECT_EQ(one.definition, other.definition);
            if (other.value) {
                EXPECT_EQ(one.note, other.note);
            }
        }
    }
    const nlohmann::json result = report_of(*quality_).result;
    EXPECT_EQ(result["schema"], "assay.quality/1");
    EXPECT_EQ(result["models"][1]["dimensions"]["shape_bias"]["value"],
              *cell_of(*quality_, D::shape_bias, 1).value);
}

TEST_F(MeasuredQualityOf, SameBitsForAnyThreadsAndRanks) {
    const std::string expected = report_of(*quality_).result.dump();
    for (const int threads : {2, 5}) {
        MeasureQualityOptions options = world_->options();
        options.threads = threads;
        EXPECT_EQ(report_of(measured(options)).result.dump(), expected);
    }
    run_thread_ranks(3, [&](Comm& comm) {
        EXPECT_EQ(report_of(measure_quality(world_->options(), comm)).result.dump(), expected);
    });
}

TEST_F(MeasuredQualityOf, TheCalibratedNullIsAPart) {
    MeasureQualityOptions options = world_->options();
    options.null_draws = 50;
    options.models = {"second"};
    const MeasuredQuality quality = measured(options);
    ASSERT_EQ(quality.models.size(), 1U);
    const Estimate& null = part_named(quality, "calibrated").value;
    EXPECT_GT(*null.value, 0);
    EXPECT_LT(*null.value, *cell_of(quality, D::calibration_error).value);
    EXPECT_THAT(null.note, HasSubstr("p = "));
}

TEST_F(MeasuredQualityOf, ParametersAreGiven) {
    MeasureQualityOptions options = world_->options();
    add_parameters(options.parameters, "first=25.6");
    add_parameters(options.parameters, "third=1");
    const MeasuredQuality quality = measured(options);
    EXPECT_EQ(cell_of(quality, D::parameters).value, 25.6);
    EXPECT_THAT(value_of(quality, D::parameters, 1).undefined, HasSubstr("not given"));
    EXPECT_THAT(quality.warnings, ElementsAre(HasSubstr("`third`")));
    const auto refused = [](const char* text) {
        return message_of(
            [&] {
                std::map<std::string, double> parameters;
                add_parameters(parameters, text);
            },
            ErrorCode::usage);
    };
    EXPECT_THAT(refused("first=25,600,000"), HasSubstr("MODEL=MILLIONS"));
    EXPECT_THAT(refused("first=25600000"), HasSubstr("0 to 100000"));
    EXPECT_THAT(refused("first"), HasSubstr("no file"));
    EXPECT_THAT(refused("=3"), HasSubstr("MODEL=MILLIONS"));
    EXPECT_THAT(refused("first=nan"), HasSubstr("MODEL=MILLIONS"));
}

TEST_F(MeasuredQualityOf, OnlyWhatIsThere) {
    MeasureQualityOptions options = world_->options();
    options.data.erase(Role::edge);
    options.data.erase(Role::mixed_rand);
    options.data.erase(Role::cue_conflict);
    options.eps = 4.0 / 255;
    const MeasuredQuality quality = measured(options);
    EXPECT_FALSE(cell_of(quality, D::ood_robustness).value);
    EXPECT_EQ(value_of(quality, D::ood_robustness).undefined,
              "edge: no data set is assigned to it");
    EXPECT_EQ(value_of(quality, D::object_focus).undefined,
              "mixed-rand: no data set is assigned to it");
    EXPECT_EQ(value_of(quality, D::shape_bias).undefined, "no data set is assigned to it");
    EXPECT_THAT(value_of(quality, D::adversarial_robustness).undefined,
                HasSubstr("fgsm-linf-4_255 and pgd-linf-4_255"));
    EXPECT_EQ(value_of(quality, D::c_robustness).undefined,
              "no predictions on corrupted versions of `val`");
}

TEST_F(MeasuredQualityOf, WhatMakesNoSenseIsRefused) {
    const auto refused = [&](auto&& change) {
        MeasureQualityOptions options = world_->options();
        change(options);
        return message_of([&] { measured(options); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused([](auto& o) { o.data.erase(Role::val); }), HasSubstr("`val`"));
    EXPECT_THAT(refused([](auto& o) { o.data[Role::sketch] = "sketches"; }),
                HasSubstr("`sketches`, which is not a data set"));
    EXPECT_THAT(refused([](auto& o) { o.data[Role::sketch] = "edges"; }),
                HasSubstr("`edges` cannot be both sketch and edge"));
    EXPECT_THAT(refused([](auto& o) { o.models = {"frist"}; }),
                testing::AllOf(HasSubstr("first"), Not(HasSubstr("@"))));
    EXPECT_THAT(refused([](auto& o) { o.attacked = "nowhere"; }), HasSubstr("`nowhere`"));
}

/// The correlation of the errors of two cells of two classifiers, from the shares.
double correlation_of(const QualityCell& one, const QualityCell& other) {
    double sum = 0;
    for (const ErrorShare& a : one.shares) {
        for (const ErrorShare& b : other.shares) {
            if (a.data != b.data) continue;
            for (std::size_t g = 0; g < group_count; ++g) sum += a.parts[g] * b.parts[g];
        }
    }
    return sum / (*one.standard_error * *other.standard_error);
}

TEST_F(MeasuredQualityOf, SharesCorrelateAsABootstrapOfTheImagesDoes) {
    const WorldSet &one = set("val"), &two = set("val", "second");
    const WorldSet &fgsm = set("val", "first@fgsm-linf-8_255"),
                   &pgd = set("val", "first@pgd-linf-8_255");
    RandomStream random(5, "images");
    std::vector<double> first, second, robust;
    for (int r = 0; r < 4000; ++r) {
        double a = 0, b = 0, f = 0, p = 0;
        for (int k = 0; k < 300; ++k) {
            const auto i = static_cast<std::size_t>(random.below(300));
            a += one.hit(i);
            b += two.hit(i);
            f += fgsm.hit(i);
            p += pgd.hit(i);
        }
        first.push_back(a / 300);
        second.push_back(b / 300);
        robust.push_back(std::sqrt(f * p) / a);
    }
    const auto correlation = [](const std::vector<double>& x, const std::vector<double>& y) {
        double sum = 0, xx = 0, yy = 0;
        const double of_x = mean_of(x), of_y = mean_of(y);
        for (std::size_t i = 0; i < x.size(); ++i) {
            sum += (x[i] - of_x) * (y[i] - of_y);
            xx += square(x[i] - of_x);
            yy += square(y[i] - of_y);
        }
        return sum / std::sqrt(xx * yy);
    };
    // With 128 groups, the error of a correlation is about (1 - rho^2) / sqrt(128) = .09.
    const QualityCell& accuracy = cell_of(*quality_, D::accuracy);
    const double by_images = correlation(first, second);
    EXPECT_GT(by_images, .15);  // otherwise, there would be nothing to test
    EXPECT_NEAR(correlation_of(accuracy, cell_of(*quality_, D::accuracy, 1)), by_images, .18);
    EXPECT_NEAR(correlation_of(accuracy, cell_of(*quality_, D::adversarial_robustness)),
                correlation(first, robust), .18);
    EXPECT_EQ(correlation_of(accuracy, cell_of(*quality_, D::object_focus)), 0);
}

TEST(MeasuredExtremes, NothingSurvivesTheAttack) {
    World world;
    world.put_val("m", .8, 1, 100);
    world.put_attacks("m", .5, 0, 2);
    const MeasuredQuality quality =
        measured({.runs = world.scratch / "runs", .data = {{Role::val, "val"}}, .null_draws = 0});
    const QualityCell& cell = cell_of(quality, D::adversarial_robustness);
    EXPECT_EQ(*cell.value, 0);
    const double trials = 100 * world.sets["val"]["m"].accuracy();
    const double hits = 100 * world.sets["val"]["m@fgsm-linf-8_255"].accuracy();
    // 1 - .05^(1/n), which is about 3 / n, and Wilson's upper limit of the other.
    const double bound = std::sqrt((1 - std::pow(.05, 1 / trials)) *
                                   wilson(static_cast<std::uint64_t>(std::lround(hits)),
                                          static_cast<std::uint64_t>(std::lround(trials)))
                                       .high);
    EXPECT_NEAR(value_of(quality, D::adversarial_robustness).interval->high, bound, 1e-12);
    EXPECT_NEAR(*cell.standard_error, bound / 2, 1e-12);
    EXPECT_THAT(cell.note, HasSubstr("at most"));
    EXPECT_TRUE(cell.shares.empty());
}

/// `left` says which of the correct images remain correct under each attack.
Estimate attacked_of(std::size_t correct, std::function<bool(std::size_t, bool)> left) {
    World world;
    WorldSet clean = world_set(correct, 1, 1);
    for (const bool fgsm : {true, false}) {
        WorldSet attacked = clean;
        for (std::size_t i = 0; i < correct; ++i) {
            if (!left(i, fgsm)) attacked.predicted[i] = (clean.truth[i] + 1) % 5;
        }
        world.put("val", fgsm ? "m@fgsm-linf-8_255" : "m@pgd-linf-8_255", attacked);
    }
    world.put("val", "m", clean);
    return value_of(
        measured({.runs = world.scratch / "runs", .data = {{Role::val, "val"}}, .null_draws = 0}),
        D::adversarial_robustness);
}

TEST(MeasuredExtremes, EachAttackFoolsTheHalfThatTheOtherLeaves) {
    // The value is sqrt(1/2 x 1/2) for any sample of images, so the delta method gives an error of
    // 0. Instead, the error is that of a proportion of n images, sqrt(.25 / n), with Wilson's
    // interval.
    for (const std::size_t n : {4U, 14U}) {
        const Estimate half =
            attacked_of(n, [&](std::size_t i, bool fgsm) { return (i < n / 2) == fgsm; });
        EXPECT_DOUBLE_EQ(*half.value, .5);
        EXPECT_NEAR(*half.standard_error, std::sqrt(.25 / static_cast<double>(n)), 1e-12);
        EXPECT_NEAR(half.interval->low, wilson(n / 2, n).low, 1e-12);
        EXPECT_NEAR(half.interval->high, wilson(n / 2, n).high, 1e-12);
    }
    const Estimate all = attacked_of(4, [](std::size_t, bool) { return true; });
    EXPECT_EQ(*all.value, 1);
    EXPECT_EQ(all.interval, wilson(4, 4));
}

TEST(MeasuredExtremes, AllOrNoneCorrect) {
    World world;
    WorldSet all = world_set(50, 1, 1);
    WorldSet none = all;
    for (std::size_t i = 0; i < 50; ++i) none.predicted[i] = (none.truth[i] + 1) % 5;
    world.put("val", "all", all);
    world.put("val", "none", none);
    for (const char* name : {"r", "sketch", "stylized", "edges"}) {
        world.put(name, "all", all);
        world.put(name, "none", none);
    }
    world.put("outlines", "all", none);
    world.put("outlines", "none", none);
    for (const char* name : {"same", "rand"}) world.put(name, "all", all);
    WorldSet cues = cue_set(1, 0, 1);
    world.put("cues", "all", cues);
    const MeasuredQuality quality = measured(world.options());
    EXPECT_EQ(*cell_of(quality, D::accuracy).value, 1);
    const double bound = 1 - std::pow(.05, 1.0 / 50);
    EXPECT_NEAR(*cell_of(quality, D::accuracy).standard_error, bound / 2, 1e-12);
    EXPECT_EQ(*cell_of(quality, D::accuracy, 1).value, 0);
    // One of five corruptions has no correct image, so the value is 0. Its upper limit is (bound x
    // 1^4)^(1/5) / Wilson's lower limit.
    const QualityCell& ood = cell_of(quality, D::ood_robustness);
    EXPECT_EQ(*ood.value, 0);
    EXPECT_NEAR(*ood.standard_error, std::pow(bound, .2) / wilson(50, 50).low / 2, 1e-12);
    EXPECT_THAT(ood.note, HasSubstr("at most"));
    EXPECT_EQ(value_of(quality, D::ood_robustness, 1).undefined, "the clean accuracy is 0");
    EXPECT_EQ(*cell_of(quality, D::object_focus).value, 1);
    EXPECT_NEAR(*cell_of(quality, D::object_focus).standard_error, bound / 2, 1e-12);
    EXPECT_EQ(*cell_of(quality, D::shape_bias).value, 1);
    EXPECT_EQ(value_of(quality, D::shape_bias).interval, wilson(60, 60));
    EXPECT_GT(*cell_of(quality, D::shape_bias).standard_error, 0);
}

TEST(MeasuredExtremes, NeitherCueIsUndefined) {
    World world;
    world.put_val("m", .8, 1, 50);
    world.put("cues", "m", cue_set(0, 0, 1));
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::cue_conflict, "cues"}};
    EXPECT_EQ(value_of(measured(options), D::shape_bias).undefined,
              "no prediction names the class of the shape or of the texture");
}

TEST(MeasuredExtremes, WhatIsMissingIsNamed) {
    World world;
    world.put_val("m", .8, 1, 50);
    world.put("few", "other", world_set(20, .8, 1));
    const WorldSet cues = cue_set(.3, .4, 1);
    save_world_set(world.scratch, "cues", "m", cues, {}, false,
                   std::vector<RowState>(cues.ids.size(), RowState::unreadable));
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::cue_conflict, "cues"}};
    EXPECT_EQ(value_of(measured(options), D::shape_bias).undefined, "no image has a score");
    options.corrupted = "few";
    EXPECT_EQ(value_of(measured(options), D::c_robustness).undefined,
              "no predictions on `few`, the clean images of the corrupted ones");
}

TEST(MeasuredFocus, ForegroundsThatOccurSeveralTimesAreOne) {
    World world;
    world.put_val("m", .8, 1, 50);
    WorldSet same = world_set(60, .9, 3, 8), rand = world_set(60, .5, 4, 8);
    for (std::size_t i = 0; i < 60; ++i) {
        same.ids[i] = fmt::format("s/fg_f{}_bg_{}.png", i / 3, i);
        rand.ids[i] = fmt::format("r/fg_f{}_bg_{}.png", i / 3, i + 1);
    }
    rand.ids[59] = "r/alone.png";
    world.put("same", "m", same);
    world.put("rand", "m", rand);
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::mixed_same, "same"}, {Role::mixed_rand, "rand"}};
    const MeasuredQuality quality = measured(options);
    double s = 0, r = 0;
    for (std::size_t i = 0; i < 60; ++i) s += same.hit(i) / 60.0;
    for (std::size_t i = 0; i < 59; ++i) r += rand.hit(i) / 59.0;
    std::vector<std::string> names;
    std::vector<double> influence;
    for (std::size_t i = 0; i < 60; ++i) {
        names.push_back(fmt::format("f{}", i / 3));
        influence.push_back((same.hit(i) - s) / 60);
        if (i == 59) continue;
        names.push_back(fmt::format("f{}", i / 3));
        influence.push_back(-(rand.hit(i) - r) / 59);
    }
    const QualityCell& cell = cell_of(quality, D::object_focus);
    EXPECT_NEAR(*cell.value, 1 - (s - r), 1e-14);
    EXPECT_NEAR(*cell.standard_error, std::sqrt(by_names(names, influence)), 1e-14);
    EXPECT_THAT(cell.note, HasSubstr("1 image has no partner"));
}

/// Six pairs of foregrounds 1 to 6 in two folders. In `rand`, the last is named like the first.
QualityCell focus_with(const std::function<void(WorldSet& same, WorldSet& rand)>& change) {
    World world;
    world.put_val("m", .8, 1, 50);
    WorldSet same = world_set(6, 1, 3), rand = world_set(6, 1, 4);
    rand.predicted[0] = 1;
    for (std::size_t i = 0; i < 6; ++i) {
        same.ids[i] = fmt::format("{}/fg_{}_bg_7.png", i < 3 ? "cat" : "dog", i + 1);
        rand.ids[i] = fmt::format("{}/fg_{}_bg_8.png", i < 3 ? "cat" : "dog", i + 1);
        same.foreground.push_back(fmt::format("{}", i + 1));
    }
    rand.ids[5] = "dog/fg_1_bg_8.png";
    for (const std::string& id : rand.ids) rand.foreground.push_back(foreground_of(id, true));
    change(same, rand);
    world.put("same", "m", same);
    world.put("rand", "m", rand);
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::mixed_same, "same"}, {Role::mixed_rand, "rand"}};
    return cell_of(measured(options), D::object_focus);
}

TEST(MeasuredFocus, OneRuleForTheNamesOfBothSets) {
    // Each set has its own rule for names ("1", "cat/1"). cat/1 to dog/5 are in both sets.
    const QualityCell named = focus_with([](WorldSet&, WorldSet&) {});
    EXPECT_EQ(named.value, 1 - (1 - 4.0 / 5));
    EXPECT_EQ(named.n, 5U);
    EXPECT_THAT(named.note, HasSubstr("2 images have no partner"));
    // The result is the same as without names.
    const QualityCell unnamed = focus_with([](WorldSet& same, WorldSet& rand) {
        same.foreground.clear();
        rand.foreground.clear();
    });
    EXPECT_EQ(unnamed.value, named.value);
    EXPECT_EQ(unnamed.note, named.note);
    // The names in a table are used as they are, so the last one is the sixth there.
    const QualityCell told = focus_with([](WorldSet& same, WorldSet& rand) {
        same.foreground = rand.foreground = {"a", "b", "c", "d", "e", "f"};
    });
    EXPECT_EQ(told.value, 1 - (1 - 5.0 / 6));
    EXPECT_EQ(told.n, 6U);
}

TEST(MeasuredFocus, ATableThatSaysTheFilesBareNamesIsATable) {
    // open_role() would also write the folders. Only a table can say that cat/fg_1 and dog/fg_1 are
    // the same.
    const QualityCell told = focus_with(
        [](WorldSet&, WorldSet& rand) { rand.foreground = {"1", "2", "3", "4", "5", "1"}; });
    EXPECT_EQ(told.value, 1 - (1 - 5.0 / 6));
    EXPECT_EQ(told.n, 5U);
    EXPECT_THAT(told.note, HasSubstr("1 image has no partner"));  // the sixth foreground of `same`
    // If open_role() would write the same names, the table's names are paired with those of the
    // other set.
    const QualityCell with_other = focus_with([](WorldSet& same, WorldSet& rand) {
        for (std::size_t i = 0; i < 6; ++i) rand.ids[i] = fmt::format("{}/{}.png", i, i % 2);
        rand.foreground = same.foreground;
    });
    EXPECT_EQ(with_other.n, 6U);
    // The same is done for names with folders.
    const QualityCell with_folders = focus_with([](WorldSet& same, WorldSet& rand) {
        for (std::size_t i = 0; i < 6; ++i) same.ids[i] = fmt::format("{}.png", i);
        same.foreground = rand.foreground;
    });
    EXPECT_EQ(with_folders.n, 6U);
    // The same if the set with these names would not need folders (as a part of another set).
    const QualityCell part = focus_with([](WorldSet& same, WorldSet& rand) {
        for (std::size_t i = 0; i < 6; ++i) {
            same.foreground[i] = foreground_of(same.ids[i], true);
            rand.ids[i] = fmt::format("{}.png", i);
        }
        rand.foreground = same.foreground;
    });
    EXPECT_EQ(part.n, 6U);
}

/// Two images whose predictions are from a file of the model "n", or imported if there is none.
void save_of_file(const World& world, const std::string& dataset, const std::string& file,
                  const std::string& store = "n") {
    Made made;
    made.dataset = dataset;
    made.classes = 5;
    made.labels = {{0}, {1}};
    made.scores = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    const Dataset items = dataset_of(made);
    StoreSpec spec;
    spec.dataset_name = dataset;
    spec.model_name = store;
    spec.rows = 2;
    spec.classes = 5;
    spec.ids_hash = items.ids_fingerprint();
    spec.model_hash = "xxh128:0000000000000000000000000000000" + (file.empty() ? "8" : file);
    spec.preprocess_hash = file.empty() ? "" : "xxh128:00000000000000000000000000000009";
    spec.provenance_json = "{}";
    StoreWriter writer = StoreWriter::open(world.scratch / "runs", spec, items);
    writer.write_shard(0, made.scores, std::vector<RowState>(2, RowState::ok), {}, "");
    writer.finish();
}

TEST(MeasuredFocus, NamesThatRepeatAcrossFoldersAreOtherForegrounds) {
    World world;
    world.put_val("m", .8, 1, 50);
    WorldSet same = world_set(60, .9, 3, 8), rand = world_set(60, .5, 4, 8);
    for (std::size_t i = 0; i < 60; ++i)
        same.ids[i] = rand.ids[i] = fmt::format("c{}/{:04}.png", i / 12, i % 12);
    world.put("same", "m", same);
    world.put("rand", "m", rand);
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::mixed_same, "same"}, {Role::mixed_rand, "rand"}};
    const MeasuredQuality quality = measured(options);
    std::vector<double> gap;
    for (std::size_t i = 0; i < 60; ++i) gap.push_back(same.hit(i) - rand.hit(i));
    EXPECT_EQ(value_of(quality, D::object_focus).interval->method, "newcombe.paired");
    EXPECT_NEAR(*cell_of(quality, D::object_focus).standard_error, error_by_images(gap, 59), 1e-14);
}

TEST(MeasuredStores, ThoseOfAnotherFileAreRefused) {
    World world;
    world.put_val("m", .8, 1, 50);
    save_of_file(world, "clean", "1");
    save_of_file(world, "cues", "2");
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "clean"}, {Role::cue_conflict, "cues"}};
    EXPECT_THAT(message_of([&] { measured(options); }), HasSubstr("two files named `n`"));
    options.data = {{Role::val, "clean"}};
    const MeasuredQuality quality = measured(options);
    EXPECT_EQ(quality.table.models.at(0).file_hash, "xxh128:00000000000000000000000000000001");
}

TEST(MeasuredStores, ThoseOfAnotherFileAreRefusedWhereValIsImported) {
    const auto refused = [](const World& world, MeasureQualityOptions options) {
        options.runs = world.scratch / "runs";
        options.null_draws = 0;
        EXPECT_THAT(message_of([&] { measured(options); }), HasSubstr("two files named `n`"));
    };
    {
        World world;  // attacks and cue conflicts
        save_of_file(world, "clean", "");
        save_of_file(world, "clean", "1", "n@fgsm-linf-8_255");
        save_of_file(world, "clean", "1", "n@pgd-linf-8_255");
        save_of_file(world, "cues", "2");
        refused(world, {.data = {{Role::val, "clean"}, {Role::cue_conflict, "cues"}}});
    }
    {
        World world;  // clean images of the attacks, and cue conflicts
        save_of_file(world, "clean", "");
        save_of_file(world, "few", "1", "n");
        save_of_file(world, "few", "1", "n@fgsm-linf-8_255");
        save_of_file(world, "few", "1", "n@pgd-linf-8_255");
        save_of_file(world, "cues", "2");
        refused(world,
                {.data = {{Role::val, "clean"}, {Role::cue_conflict, "cues"}}, .attacked = "few"});
    }
    World world;  // corrupted versions and cue conflicts
    save_of_file(world, "clean", "");
    save_of_file(world, "cues", "2");
    for (const Corruption& c : corruptions()) {
        for (int severity = 1; !c.extra && severity <= 5; ++severity)
            save_of_file(world, fmt::format("clean_{}_{}", c.name, severity), "1");
    }
    refused(world, {.data = {{Role::val, "clean"}, {Role::cue_conflict, "cues"}}});
}

TEST(MeasuredStores, ThoseOfBeforeDataSetsHadAnIdentityGetIt) {
    // Each data set has its own noise, because common noise would make their errors equal.
    const Scratch scratch;
    for (const std::string name : {"val", "same", "rand"}) {
        const auto folder = scratch / "runs" / name;
        std::filesystem::create_directories(folder.parent_path());
        std::filesystem::copy(
            std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures/version2/val", folder,
            std::filesystem::copy_options::recursive);
        std::filesystem::remove_all(folder / "best");
        for (const auto& [file, key] :
             {std::pair{"dataset.json", "name"}, {"net/manifest.json", "dataset"}}) {
            auto value = nlohmann::json::parse(read_text(folder / file, 1 << 20));
            ASSERT_EQ(value.at(key), "val");
            value[key] = name;
            write_file_atomically(folder / file, value.dump());
        }
    }
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::mixed_same, "same"}, {Role::mixed_rand, "rand"}};
    const MeasuredQuality quality = measured(options);
    const auto& of_val = cell_of(quality, D::accuracy).shares;
    const auto& of_same = cell_of(quality, D::object_focus).shares;
    ASSERT_EQ(of_val.size(), 1U);
    write_file_atomically(scratch / "quality.json", report_of(quality).result.dump());
    const QualityTable read = read_quality_table(scratch / "quality.json");
    EXPECT_EQ(read.models.at(0).cell(D::accuracy).shares, of_val);
    EXPECT_NE(of_val[0].data, "");
    for (const ErrorShare& share : of_same) EXPECT_NE(share.data, of_val[0].data);
}

TEST(MeasuredStores, TwoDataSetsOfOneNameAreRefused) {
    World world;
    world.put_val("m", .8, 1, 50);
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const auto with_other = [&](std::size_t images, bool other_labels) {
        const Scratch elsewhere;
        Made made = made_up(images, 5, 3);
        made.ids = world_set(images, .8, 1).ids;
        if (other_labels) made.labels.front() = {4};
        save(elsewhere, made, "n");
        const auto there = world.scratch / "runs/again";
        std::filesystem::remove_all(there);
        std::filesystem::copy(elsewhere / "runs/val", there,
                              std::filesystem::copy_options::recursive);
        return there;
    };
    with_other(40, false);
    EXPECT_THAT(
        message_of([&] { measured(options); }),
        testing::AllOf(HasSubstr("again/n"), HasSubstr("val/m"),
                       HasSubstr("two data sets named `val`, with other items: of 40 items in the "
                                 "first and 50 in the second")));
    with_other(50, true);
    EXPECT_THAT(message_of([&] { measured(options); }),
                HasSubstr("two data sets named `val`, with other labels: `c0/0000.png` is labelled "
                          "`c4` in the first and `c0` in the second: predict one"));
    with_other(50, false);
    EXPECT_EQ(measured(options).models.size(), 2U);
}

TEST(MeasuredStores, OtherImagesUnderTheSameNameAndIdsAreRefused) {
    const Scratch scratch, elsewhere;
    Made made = made_up(50, 5, 3);
    made.images = "xxh128:00000000000000000000000000000001";
    save(scratch, made, "m");
    const auto with = [&](const std::string& images) {
        made.images = images;
        std::filesystem::remove_all(elsewhere / "runs");
        std::filesystem::remove_all(scratch / "runs/zzz");
        save(elsewhere, made, "n");
        std::filesystem::copy(elsewhere / "runs/val", scratch / "runs/zzz",
                              std::filesystem::copy_options::recursive);
    };
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    with("xxh128:00000000000000000000000000000002");
    EXPECT_THAT(message_of([&] { measured(options); }),
                testing::AllOf(HasSubstr("zzz/n"), HasSubstr("val/m"),
                               HasSubstr("named `val`, with different images under the same")));
    for (const char* images : {"xxh128:00000000000000000000000000000001", ""}) {
        with(images);
        EXPECT_EQ(measured(options).models.size(), 2U);
    }
}

TEST(MeasuredStores, OnlyWhatIsMeasuredMustBeTold) {
    // Two data sets called `other` are not used.
    World world;
    world.put_val("m", .8, 1, 50);
    world.put("other", "m", world_set(40, .8, 1));
    std::filesystem::rename(world.scratch / "runs/other", world.scratch / "runs/another");
    world.put("other", "m", world_set(30, .8, 1));
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    EXPECT_EQ(measured(options).models.size(), 1U);
    options.data[Role::edge] = "other";
    EXPECT_THAT(message_of([&] { measured(options); }), HasSubstr("two data sets named `other`"));
}

TEST(MeasuredStores, AttacksOnOtherImagesAreRefused) {
    const Scratch scratch;
    Made made = made_up(50, 5, 3);
    made.images = "xxh128:00000000000000000000000000000001";
    save(scratch, made, "m");
    save(scratch, made, "m@fgsm-linf-8_255");
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    save(scratch, made, "m@pgd-linf-8_255");
    EXPECT_TRUE(cell_of(measured(options), D::adversarial_robustness).value);
    std::filesystem::remove_all(scratch / "runs/val/m@pgd-linf-8_255");
    made.images = "xxh128:00000000000000000000000000000002";
    save(scratch, made, "m@pgd-linf-8_255");
    EXPECT_THAT(message_of([&] { measured(options); }),
                testing::AllOf(HasSubstr("val/m` and `"), HasSubstr("val/m@pgd-linf-8_255"),
                               HasSubstr("different images under the same ids")));
}

TEST(MeasuredStores, OtherClassesAreRefused) {
    World world;
    world.put_val("m", .8, 1, 50);
    Made made = made_up(10, 5, 1);
    made.class_ids = {"c0", "c1", "c3", "c2", "c4"};
    made.dataset = "cues";
    save(world.scratch, made, "m");
    Made few = made_up(10, 4, 1);
    few.dataset = "same";
    save(world.scratch, few, "m");
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::cue_conflict, "cues"}};
    EXPECT_THAT(message_of([&] { measured(options); }), HasSubstr("class 2 is `c2` and `c3`"));
    options.data = {{Role::val, "val"}, {Role::mixed_same, "same"}};
    EXPECT_THAT(message_of([&] { measured(options); }), HasSubstr("5 and 4 classes"));
}

TEST(MeasuredStores, PartialOnesSaySo) {
    World world;
    world.put_val("m", .8, 1, 250);
    save_world_set(world.scratch, "cues", "m", cue_set(.3, .4, 1));
    WorldSet r = world_set(150, .8, 3);
    save_world_set(world.scratch, "clean", "m", r, {}, true);  // the last 50 images are missing
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "clean"}};
    const MeasuredQuality quality = measured(options);
    EXPECT_TRUE(quality.partial);
    EXPECT_TRUE(report_of(quality).partial);
    EXPECT_EQ(cell_of(quality, D::accuracy).n, 100U);
    EXPECT_THAT(cell_of(quality, D::accuracy).note, HasSubstr("50 images without scores"));
}

TEST(MeasuredStores, ScoresThatAreNoNumbersDoNotCount) {
    World world;
    WorldSet set = world_set(60, .8, 3);
    std::vector<RowState> states(60, RowState::ok);
    states[7] = RowState::unreadable;
    save_world_set(world.scratch, "val", "m", set, {}, false, states);
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const MeasuredQuality quality = measured(options);
    EXPECT_EQ(cell_of(quality, D::accuracy).n, 59U);
    EXPECT_THAT(cell_of(quality, D::accuracy).note, HasSubstr("1 image without scores"));
}

TEST(MeasuredStores, AttackedImagesCountWithAllThreeScores) {
    const Scratch scratch;
    Made made = made_up(60, 5, 3);
    made.labels[2] = {};
    const auto put = [&](const char* store, std::size_t unreadable) {
        made.states.assign(60, RowState::ok);
        made.states[2] = made.states[unreadable] = RowState::unreadable;
        save(scratch, made, store);
    };
    put("m", 7);
    put("m@fgsm-linf-8_255", 8);
    put("m@pgd-linf-8_255", 8);
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const QualityCell cell = cell_of(measured(options), D::adversarial_robustness);
    EXPECT_EQ(cell.n, 57U);
    EXPECT_THAT(cell.note, HasSubstr("2 images without scores do not count"));
}

TEST(MeasuredStores, ScoresThatAreNoNumbersUnderAttackAreFooled) {
    // 100 images are correct. Both attacks leave 30 correct, fool 30, and give NaN scores for 40.
    const Scratch scratch;
    WorldSet set = world_set(100, 1, 3);
    save_world_set(scratch, "val", "m", set);
    std::vector<RowState> states(100, RowState::ok);
    for (std::size_t i = 0; i < 70; ++i) {
        if (i < 30) set.predicted[i] = (set.truth[i] + 1) % 5;
        if (i >= 30) states[i] = RowState::not_finite;
    }
    for (const char* store : {"m@fgsm-linf-8_255", "m@pgd-linf-8_255"})
        save_world_set(scratch, "val", store, set, {}, false, states);
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const QualityCell cell = cell_of(measured(options), D::adversarial_robustness);
    EXPECT_NEAR(*cell.value, .3, 1e-15);
    EXPECT_EQ(cell.n, 100U);
    EXPECT_EQ(cell.note, "the attacks are not checked for masked gradients");
}

TEST(MeasuredCorruptions, AllVersionsOfTheSameImages) {
    World world;
    world.put_val("m", .8, 1, 60);
    world.put_corruptions("m", 9);
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const MeasuredQuality quality = measured(options);
    const WorldSet& clean = world.sets.at("val").at("m");
    const double a = clean.accuracy();
    std::vector<double> hits(60);
    for (const auto& [name, stores] : world.sets) {
        if (!name.starts_with("val_")) continue;
        for (std::size_t i = 0; i < 60; ++i) hits[i] += stores.at("m").hit(i) ? 1 : 0;
    }
    const double ratio = mean_of(hits) / 75 / a;
    std::vector<double> influence;
    for (std::size_t i = 0; i < 60; ++i)
        influence.push_back((hits[i] / 75 - ratio * clean.hit(i)) / a);
    const QualityCell& cell = cell_of(quality, D::c_robustness);
    EXPECT_NEAR(*cell.value, ratio, 1e-14);
    EXPECT_NEAR(*cell.standard_error, error_by_images(influence, 59), 1e-14);
    EXPECT_THAT(cell.definition, HasSubstr("frost_synthetic in place of frost"));
    EXPECT_EQ(cell.shares.at(0).data, cell_of(quality, D::accuracy).shares.at(0).data);
    double squares = 0;
    for (const double part : cell.shares[0].parts) squares += square(part);
    EXPECT_NEAR(squares / square(*cell.standard_error), 1, 1e-12);
    // Each of the 60 images is its own group, so the parts are those of the images.
    const std::vector<std::uint16_t> places = group_places(0, 60);
    const double scale = *cell.standard_error / std::sqrt([&] {
        double sum = 0;
        for (const double x : influence) sum += square(x);
        return sum;
    }());
    for (std::size_t i = 0; i < 60; ++i)
        EXPECT_NEAR(cell.shares[0].parts.at(places[i] % group_count), scale * influence[i], 1e-14);

    // The real data set has precedence, and is used completely or not at all.
    for (int severity = 1; severity <= 4; ++severity)
        world.put(fmt::format("val_frost_{}", severity), "m", clean);
    EXPECT_EQ(value_of(measured(options), D::c_robustness).undefined,
              "1 of the 75 versions is missing: frost 5");
    world.put("val_frost_5", "m", clean);
    const MeasuredQuality real = measured(options);
    EXPECT_GT(*cell_of(real, D::c_robustness).value, ratio);
    EXPECT_THAT(cell_of(real, D::c_robustness).definition, Not(HasSubstr("frost")));
}

TEST(MeasuredStores, OneClassOrNoneHasNoBalance) {
    World world;
    WorldSet set = world_set(20, .8, 3);
    for (std::size_t i = 0; i < 20; ++i) set.predicted[i] = i % 2 == 0 ? 3 : 1;
    set.truth.assign(20, 3);
    save_world_set(world.scratch, "val", "m", set);
    Made unlabelled = made_up(10, 5, 1);
    unlabelled.labels.assign(10, {});
    unlabelled.dataset = "nothing";
    save(world.scratch, unlabelled, "m");
    MeasureQualityOptions options{.runs = world.scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const MeasuredQuality quality = measured(options);
    EXPECT_EQ(*cell_of(quality, D::accuracy).value, .5);
    EXPECT_FALSE(cell_of(quality, D::class_balance).value);
    EXPECT_THAT(value_of(quality, D::class_balance).undefined, HasSubstr("two classes"));
    options.data = {{Role::val, "nothing"}};
    const MeasuredQuality none = measured(options);
    for (const DimensionFacts& facts : dimension_facts()) {
        EXPECT_FALSE(cell_of(none, facts.dimension).value) << facts.name;
        EXPECT_NE(value_of(none, facts.dimension).undefined, "") << facts.name;
    }
}

/// ImageNet's 1000 classes, and label sets with all classes of one of the 16 categories.
TEST(MeasuredStores, ImageNetsClassesAreAskedThroughMaps) {
    const Scratch scratch;
    const ClassMap map = class_map_named("16-class", imagenet_classes());
    const auto members = [&](const char* name) {
        std::vector<std::int32_t> all;
        for (std::size_t c = 0; c < 1000; ++c) {
            if (map.target_of[c] == map.targets.find(name)) all.push_back(static_cast<int>(c));
        }
        return all;
    };
    const std::int32_t dog = members("dog").front(), knife = members("knife").front();
    Made made;
    made.classes = 1000;
    made.class_ids = imagenet_classes().ids();
    made.scores.assign(3000, 0);
    // The arg-max is a dog, but the mean over 109 dogs is below that of the only knife:
    // (e^5 + 108) / 109 = 2.4, compared with e^2 = 7.4.
    made.scores[static_cast<std::size_t>(dog)] = 5;
    made.scores[static_cast<std::size_t>(knife)] = 2;
    made.scores[1000 + static_cast<std::size_t>(knife)] = 2;
    for (const std::int32_t c : members("dog")) made.scores[2000 + static_cast<std::size_t>(c)] = 3;
    made.shape = {"knife", "dog", "knife"};
    made.texture = {"dog", "knife", "dog"};
    made.ids = {"knife/knife1-dog1.png", "dog/dog2-knife1.png", "knife/knife2-dog2.png"};
    made.labels = {members("knife"), members("dog"), members("knife")};
    made.dataset = "cues";
    save(scratch, made, "m");
    save(scratch, made, "short", StorageFormat::top_k);
    made.dataset = "val";
    made.labels = {{dog}, {knife}, {knife}};
    save(scratch, made, "m");
    save(scratch, made, "short");
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}, {Role::cue_conflict, "cues"}};
    const MeasuredQuality quality = measured(options);
    EXPECT_NEAR(*cell_of(quality, D::accuracy).value, 2.0 / 3, 1e-15);
    EXPECT_EQ(cell_of(quality, D::accuracy).definition, "3 images of val");
    // the cues are knife (shape), knife (texture), dog (texture).
    EXPECT_NEAR(*cell_of(quality, D::shape_bias).value, 1.0 / 3, 1e-15);
    EXPECT_EQ(cell_of(quality, D::shape_bias).definition, "3 images of cues");
    EXPECT_EQ(part_named(quality, "shape").definition, "16-class");
    EXPECT_THAT(value_of(quality, D::shape_bias, 1).undefined,
                HasSubstr("do not have the scores of all classes, which `16-class` needs"));
}

/// The fixture of the specification has 24 x 3 probabilities.
TEST(MeasuredReference, CalibrationAndBalance) {
    ASSAY_EXPECTED_QUALITY(expected);
    const nlohmann::json& fixture = expected["calibration_fixture"];
    Made made;
    made.classes = 3;
    made.kind = ScoreKind::probabilities;
    for (const auto& row : fixture["prob_times_64"]) {
        for (const auto& p : row) made.scores.push_back(p.get<float>() / 64);
    }
    for (const auto& label : fixture["labels"]) made.labels.push_back({label.get<int>()});
    const Scratch scratch;
    save(scratch, made, "m");
    MeasureQualityOptions options{.runs = scratch / "runs", .null_draws = 0};
    options.data = {{Role::val, "val"}};
    const MeasuredQuality quality = measured(options);
    const auto number = [&](const char* name) { return fixture[name].get<double>(); };
    EXPECT_NEAR(*cell_of(quality, D::accuracy).value, number("accuracy"), 1e-12);
    EXPECT_NEAR(*part_named(quality, "ece").value.value, number("ece15_left_closed"), 1e-7);
    EXPECT_NEAR(*part_named(quality, "ace").value.value, number("ace15"), 1e-7);
    EXPECT_NEAR(*cell_of(quality, D::calibration_error).value,
                std::sqrt(number("ece15_left_closed") * number("ace15")), 1e-7);
    EXPECT_NEAR(*cell_of(quality, D::class_balance).value,
                std::sqrt(number("f_acc_sample_std") * number("f_conf_within")), 1e-7);
    EXPECT_NEAR(*part_named(quality, "between").value.value,
                std::sqrt(number("f_acc_population_std") * number("f_conf_between")), 1e-7);
}

}  // namespace
}  // namespace assay::quality
