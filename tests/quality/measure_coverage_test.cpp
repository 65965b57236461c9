// The coverage of the intervals of measured dimensions, in repeated simulations with known truth.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "assay/metric/metric.h"
#include "core/statistics.h"
#include "evaluate/attack_cells.h"
#include "evaluate/score_set.h"
#include "measured_world.h"
#include "quality/cues.h"
#include "quality/ratios.h"
#include "robustness/version_means.h"

namespace assay::quality {
namespace {

constexpr double level = .95;

/// Counts how often intervals and values +- 1.96 standard errors contain the truth.
class Coverage {
public:
    Coverage(const char* what, double truth) : what_(what), truth_(truth) {}
    void add(const Estimate& estimate) {
        if (!estimate.value) {
            ++undefined_;
            return;
        }
        ++draws_;
        const Interval& i = *estimate.interval;
        hits_ += i.low <= truth_ && truth_ <= i.high ? 1 : 0;
        normal_ += std::abs(*estimate.value - truth_) <= 1.96 * *estimate.standard_error ? 1 : 0;
        sum_ += *estimate.value;
        squares_ += *estimate.value * *estimate.value;
        errors_ += *estimate.standard_error;
    }
    /// The `documented` percentage minus twice the standard error of this number of draws.
    double least(double documented) const {
        return documented - 2 * std::sqrt(documented * (100 - documented) / draws_);
    }
    /// The coverage in percent. Prints the values of docs/intervals.md.
    double print() const {
        const double mean = sum_ / draws_;
        const double deviation = std::sqrt(squares_ / draws_ - mean * mean);
        std::printf(
            "%-44s truth %.4f mean %.4f  interval %5.1f  normal %5.1f  se/sd %.2f  none %d\n",
            what_, truth_, mean, 100.0 * hits_ / draws_, 100.0 * normal_ / draws_,
            errors_ / draws_ / deviation, undefined_);
        return 100.0 * hits_ / draws_;
    }

private:
    const char* what_;
    double truth_;
    int draws_ = 0, hits_ = 0, normal_ = 0, undefined_ = 0;
    double sum_ = 0, squares_ = 0, errors_ = 0;
};

Hits drawn(RandomStream& random, std::uint64_t n, double p) {
    Hits hits{0, n};
    for (std::uint64_t i = 0; i < n; ++i) hits.hits += random.uniform() < p ? 1 : 0;
    return hits;
}

struct RatioWorld {
    const char* name;
    std::array<double, 5> q;
    std::array<std::uint64_t, 5> n;
    double clean;
    std::uint64_t images;
};

TEST(QualityCoverage, OutOfDistribution) {
    const RatioWorld worlds[] = {
        {"ood: sizes as published, ResNet-50",
         {.36, .59, .37, .18, .54},
         {3000, 800, 800, 160, 160},
         .76,
         5000},
        {"ood: 100 images each", {.3, .3, .3, .2, .4}, {100, 100, 100, 100, 100}, .8, 200},
        {"ood: 20 images each", {.3, .5, .4, .2, .4}, {20, 20, 20, 20, 20}, .8, 40},
        {"ood: 40 images each, nearly none",
         {.05, .05, .05, .05, .05},
         {40, 40, 40, 40, 40},
         .5,
         100},
        {"ood: 30 images each, nearly all",
         {.97, .97, .97, .97, .97},
         {30, 30, 30, 30, 30},
         .98,
         50},
        {"ood: one set of 20, the others large",
         {.5, .5, .5, .5, .1},
         {2000, 2000, 2000, 2000, 20},
         .7,
         2000},
    };
    for (const RatioWorld& world : worlds) {
        double truth = 1 / world.clean;
        for (const double q : world.q) truth *= std::pow(q, .2);
        Coverage coverage(world.name, truth);
        for (std::uint64_t draw = 0; draw < 1500; ++draw) {
            RandomStream random(draw, world.name);
            std::vector<Hits> sets;
            for (std::size_t k = 0; k < 5; ++k)
                sets.push_back(drawn(random, world.n[k], world.q[k]));
            const Hits clean = drawn(random, world.images, world.clean);
            if (clean.hits > 0) coverage.add(geometric_ratio(sets, clean, level));
        }
        EXPECT_GT(coverage.print(), coverage.least(94.2));
    }
}

TEST(QualityCoverage, AdversarialRobustness) {
    struct {
        const char* name;
        std::size_t images;
        double clean, fgsm, pgd;
    } const worlds[] = {{"adversarial: 200 images", 200, .75, .6, .5},
                        {"adversarial: 50 images", 50, .75, .6, .5},
                        {"adversarial: 200 images, hardly any left", 200, .75, .1, .03},
                        {"adversarial: 100 images, nearly all left", 100, .8, .97, .95},
                        {"adversarial: 1000 images, hardly any left", 1000, .75, .05, .01}};
    for (const auto& world : worlds) {
        Coverage coverage(world.name, std::sqrt(world.fgsm * world.pgd));
        for (std::uint64_t draw = 0; draw < 1500; ++draw) {
            RandomStream random(draw, world.name);
            std::vector<RowOutcome> clean, fgsm, pgd;
            for (std::size_t i = 0; i < world.images; ++i) {
                const auto outcome = [](bool hit) {
                    return hit ? RowOutcome::correct : RowOutcome::incorrect;
                };
                const bool right = random.uniform() < world.clean;
                // an image that survives PGD also survives FGSM
                const double u = random.uniform();
                clean.push_back(outcome(right));
                fgsm.push_back(outcome(right && u < world.fgsm));
                pgd.push_back(outcome(right && u < world.pgd));
            }
            coverage.add(attack::geometric_mean_of(clean, fgsm, pgd, level).value);
        }
        EXPECT_GT(coverage.print(), coverage.least(94.0));
    }
}

TEST(QualityCoverage, Corruptions) {
    struct {
        const char* name;
        std::size_t images;
        double clean, kept, documented;
    } const worlds[] = {{"corruptions: 200 images", 200, .75, .6, 92},
                        {"corruptions: 30 images", 30, .75, .6, 92},
                        {"corruptions: 50 images, nearly none", 50, .5, .05, 86},
                        {"corruptions: 50 images, nearly all", 50, .95, .97, 92}};
    for (const auto& world : worlds) {
        // Each image has a probability u^k to be correct in every version, with the mean `kept`.
        const double k = 1 / world.kept - 1;
        Coverage coverage(world.name, world.kept);
        for (std::uint64_t draw = 0; draw < 400; ++draw) {
            RandomStream random(draw, world.name);
            CorruptedModel model;
            robustness::Outcomes clean(world.images);
            std::vector<double> chance;
            for (RowOutcome& outcome : clean) {
                const bool right = random.uniform() < world.clean;
                outcome = right ? RowOutcome::correct : RowOutcome::incorrect;
                chance.push_back(right ? std::pow(random.uniform(), k) : 0);
            }
            std::vector<robustness::Outcomes> versions;
            for (const Corruption& c : corruptions()) {
                for (int severity = 1; !c.extra && severity <= 5; ++severity) {
                    model.versions.push_back({&c, severity, "", {}});
                    robustness::Outcomes& own = versions.emplace_back();
                    for (const double p : chance)
                        own.push_back(random.uniform() < p ? RowOutcome::correct
                                                           : RowOutcome::incorrect);
                }
            }
            robustness::ModelVersions measured(model, clean, std::move(versions), level);
            measured.measure();
            const robustness::CorruptionRatio ratio = measured.ratio();
            Estimate value = ratio.mean.relative;
            if (!value.standard_error) continue;  // all images have the same result
            set_corruption_error(value, ratio.clean_accuracy, level);
            coverage.add(value);
        }
        EXPECT_GT(coverage.print(), coverage.least(world.documented));
    }
}

TEST(QualityCoverage, ObjectFocus) {
    struct {
        const char* name;
        std::size_t foregrounds;
        int each;
        double same, rand;
    } const worlds[] = {{"focus: 150 pairs", 150, 1, .9, .7},
                        {"focus: 20 pairs", 20, 1, .9, .6},
                        {"focus: 100 pairs, nearly all right", 100, 1, .98, .95},
                        {"focus: 50 foregrounds of four", 50, 4, .8, .6},
                        {"focus: 400 pairs, no gap", 400, 1, .8, .8}};
    for (const auto& world : worlds) {
        Coverage coverage(world.name, 1 - (world.same - world.rand));
        for (std::uint64_t draw = 0; draw < 1500; ++draw) {
            RandomStream random(draw, world.name);
            std::vector<ForegroundHits> all;
            for (std::size_t f = 0; f < world.foregrounds; ++f) {
                // difficulty of the image before it gets a background
                const double thing = random.uniform();
                ForegroundHits own{{0, static_cast<std::uint64_t>(world.each)},
                                   {0, static_cast<std::uint64_t>(world.each)}};
                for (int i = 0; i < world.each; ++i) {
                    const auto hit = [&](double p) {
                        return (random.uniform() < .7 ? thing : random.uniform()) < p ? 1U : 0U;
                    };
                    own.same.hits += hit(world.same);
                    own.rand.hits += hit(world.rand);
                }
                all.push_back(own);
            }
            coverage.add(focus_of(all, level).value);
        }
        EXPECT_GT(coverage.print(), coverage.least(94.2));
    }
}

TEST(QualityCoverage, ShapeBias) {
    struct {
        const char* name;
        std::uint32_t shapes, textures, of_shape;  ///< number of textures of each shape
        double shape, texture, effect;
    } const worlds[] = {{"shape bias: 160 shapes x 8, as published", 160, 48, 8, .14, .48, 1},
                        {"shape bias: 19 shapes x 20", 19, 20, 20, .35, .15, 1},
                        {"shape bias: 19 x 20, no clusters", 19, 20, 20, .35, .15, 0},
                        {"shape bias: 19 x 20, few hits", 19, 20, 20, .06, .08, 1},
                        {"shape bias: 10 x 10, nearly all shape", 10, 10, 10, .8, .04, 1}};
    for (const auto& world : worlds) {
        // The bias of image (s, t) is expit(b + u_s + v_t), and its mean over u and v is the truth.
        const double either = world.shape + world.texture;
        const auto bias_at = [&](double shift) {
            return 1 / (1 + std::exp(-(std::log(world.shape / world.texture) + shift)));
        };
        double truth = 0;
        for (int i = 0; i < 2000; ++i) {
            const double z = normal_quantile((i + .5) / 2000);
            truth += bias_at(z * world.effect * std::sqrt(2.0)) / 2000;
        }
        Coverage coverage(world.name, truth);
        for (std::uint64_t draw = 0; draw < 1000; ++draw) {
            RandomStream random(draw, world.name);
            std::vector<double> of_shape, of_texture;
            for (std::uint32_t s = 0; s < world.shapes; ++s)
                of_shape.push_back(world.effect * random.normal());
            for (std::uint32_t t = 0; t < world.textures; ++t)
                of_texture.push_back(world.effect * random.normal());
            std::vector<CueDecision> decisions;
            for (std::uint32_t s = 0; s < world.shapes; ++s) {
                for (std::uint32_t k = 0; k < world.of_shape; ++k) {
                    const std::uint32_t t = (s * 7 + k) % world.textures;
                    const bool decided = random.uniform() < either;
                    const bool shape = random.uniform() < bias_at(of_shape[s] + of_texture[t]);
                    decisions.push_back({s, t, static_cast<std::uint32_t>(decisions.size()),
                                         decided && shape, decided && !shape});
                }
            }
            coverage.add(shape_bias_of(decisions, level).value);
        }
        EXPECT_GT(coverage.print(), coverage.least(94.6));
    }
}

/// Calibration error and class balance have no closed form, and are biased in small samples. So
/// their errors can only be checked by the coverage of the estimator's own mean.
TEST(QualityCoverage, CalibrationAndBalance) {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    struct {
        const char* name;
        std::size_t images, classes;
        double sharpen;
    } const worlds[] = {{"1000 images, 5 classes, overconfident", 1000, 5, 2},
                        {"1000 images, 5 classes, calibrated", 1000, 5, 1},
                        {"300 images, 20 classes, overconfident", 300, 20, 2}};
    for (const auto& world : worlds) {
        const std::vector<MetricRequest> requests = {parse_metric("calibration_error"),
                                                     parse_metric("class_balance")};
        std::vector<std::vector<Measurement>> all(2);
        for (std::uint64_t draw = 0; draw < 300; ++draw) {
            const Scratch scratch(memory ? "/dev/shm" : std::filesystem::temp_directory_path());
            Made made;
            made.classes = world.classes;
            RandomStream random(draw, world.name);
            for (std::size_t i = 0; i < world.images; ++i) {
                std::vector<double> logits;
                double sum = 0;
                for (std::size_t c = 0; c < world.classes; ++c) {
                    const double favoured = c == i % world.classes ? 2.5 : 0;
                    logits.push_back(favoured + 1.5 * random.normal());
                    sum += std::exp(logits.back());
                }
                double u = random.uniform() * sum;  // the label, drawn from the true probabilities
                std::int32_t label = 0;
                while (label + 1 < static_cast<int>(world.classes) &&
                       (u -= std::exp(logits[static_cast<std::size_t>(label)])) > 0)
                    ++label;
                made.labels.push_back({label});
                for (const double x : logits)
                    made.scores.push_back(static_cast<float>(world.sharpen * x));
            }
            const PredictionStore store = save(scratch, made, "m", StorageFormat::full_f32, 4096);
            ScoreOptions options;
            options.metrics = requests;
            options.threads = 1;
            const std::vector<Measurement> measured = scored(store, options).measurements;
            for (std::size_t k = 0; k < 2; ++k) all[k].push_back(measured[k]);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            double mean = 0;
            for (const Measurement& m : all[k])
                mean += *m.value / static_cast<double>(all[k].size());
            const std::string name = requests[k].name() + ": " + world.name;
            Coverage coverage(name.c_str(), mean);
            for (Measurement& m : all[k]) {
                m.standard_error = half_width(m) / student_t_quantile(.975, 127);
                coverage.add(m);
            }
            EXPECT_GT(coverage.print(), coverage.least(95.7));
        }
    }
}

}  // namespace
}  // namespace assay::quality
