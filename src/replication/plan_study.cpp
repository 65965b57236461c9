#include "assay/replication/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/estimators.h"
#include "assay/replication/penalised_likelihood.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "replication/estimator.h"
#include "replication/influence.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication {
namespace {

constexpr double min_width = 1e-4;
constexpr std::size_t parts_left_out = 10, fewest_classes = 20;
/// The number for a part of the pilot, enough for a median.
constexpr std::size_t most_curves = 20;
constexpr double fewest_images = 50, most_images = 1e9;

double median(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return quantile_sorted(x, 0.5);
}

double mean_under(const std::vector<double>& mass, const std::vector<double>& values) {
    return std::inner_product(mass.begin(), mass.end(), values.begin(), 0.0);
}

/// The assumed truth: masses and accuracies on the logit grid.
struct PilotWorld {
    std::vector<double> first, second;
    std::vector<std::vector<double>> curves;
    double first_images = 0, second_images = 0;
};

std::vector<double> scaled(std::vector<double> x, double factor) {
    for (double& v : x) v *= factor;
    return x;
}

enum Figure : std::size_t {
    figure_images,
    figure_worst,
    figure_mean,
    figure_error,
    figure_likelihood,
    figure_moments,
    figure_jackknife,
    figure_quarter,
    figure_naive,
    figure_raw,
    figure_count
};
using Figures = std::array<double, figure_count>;

/// The dependence among the pilot's classes and classifiers.
struct PilotDesign {
    double effect = 1;  ///< variance with classes divided by that with images
    double mean = 0;    ///< variance of the mean over classifiers relative to the median
                        ///< classifier's
};

/// The results for one number of annotators in one world.
class RowPlan {
public:
    RowPlan(const PilotWorld& world, int annotators, const PilotDesign& design, double target)
        : world_(world),
          n_(annotators),
          design_(design),
          target_(target),
          table_(penalised::reading_table(annotators)),
          first_{CellGrid({annotators}),
                 penalised::expected_readings(table_, annotators, world.first)},
          second_{CellGrid({annotators}),
                  penalised::expected_readings(table_, annotators, world.second)} {
        for (const auto& curve : world.curves)
            correct_.push_back(
                penalised::expected_readings(table_, annotators, world.second, &curve));
    }

    Figures figures(std::vector<int>* exponents) const {
        Figures out{};
        add_biases(out, exponents);
        out[figure_error] = median(errors(world_.first_images, world_.second_images).error);
        double images = (world_.first_images + world_.second_images) / 2;
        Errors at;
        for (int round = 0; round < 12; ++round) {
            at = errors(images, images);
            const double factor = std::pow(median(at.error) / target_, 2);
            images = std::clamp(images * std::clamp(factor, .05, 20.0), fewest_images, most_images);
            if (std::abs(std::log(factor)) < .02) break;
        }
        const double typical = median(at.error);
        out[figure_images] = std::ceil(images);
        out[figure_worst] =
            std::ceil(images * std::pow(*std::ranges::max_element(at.error) / typical, 2));
        out[figure_mean] = std::ceil(images * design_.mean);
        // The search ended at its limit, so what follows from it is not known either.
        if (images >= most_images)
            out[figure_worst] = out[figure_mean] = std::numeric_limits<double>::infinity();
        out[figure_likelihood] = at.bias;
        return out;
    }

private:
    struct Errors {
        std::vector<double> error;
        double bias = 0;
    };

    Errors errors(double first_images, double second_images) const {
        const CellCounts one{first_.grid, scaled(first_.images, first_images)},
            two{second_.grid, scaled(second_.images, second_images)};
        const PenalisedLikelihood model(one, two);
        Errors out;
        for (std::size_t m = 0; m < correct_.size(); ++m) {
            const std::vector<double> hits = scaled(correct_[m], second_images);
            const PenalisedLikelihood::Fit fit = model.fit(hits);
            double images = 0, prior = fit.curve_prior * fit.curve_prior;
            for (std::size_t c = 0; c < one.images.size(); ++c)
                images += one.images[c] * fit.first_effect[c] * fit.first_effect[c];
            for (std::size_t c = 0; c < two.images.size(); ++c) {
                const double miss = fit.miss_effect[c], hit = miss + fit.hit_effect[c];
                images += (two.images[c] - hits[c]) * miss * miss + hits[c] * hit * hit;
            }
            for (const auto* parts : {&fit.first_prior, &fit.second_prior})
                prior += std::inner_product(parts->begin(), parts->end(), parts->begin(), 0.0);
            out.error.push_back(std::sqrt(design_.effect * images + prior));
            out.bias += (fit.accuracy - mean_under(world_.first, world_.curves[m])) /
                        static_cast<double>(correct_.size());
        }
        return out;
    }

    void add_biases(Figures& out, std::vector<int>* exponents) const {
        const MomentProjection moments(first_, second_, default_exponents(n_));
        if (exponents != nullptr) *exponents = moments.exponents();
        const CellWeights naive = naive_weights(first_, second_, n_),
                          jackknife = jackknife_weights(first_, second_, 1),
                          quarter = jackknife_weights(first_, second_, std::max(1, n_ / 4));
        const double each = 1 / static_cast<double>(correct_.size());
        for (std::size_t m = 0; m < correct_.size(); ++m) {
            const double truth = mean_under(world_.first, world_.curves[m]);
            const double raw = std::accumulate(correct_[m].begin(), correct_[m].end(), 0.0);
            out[figure_raw] += each * (raw - truth);
            out[figure_naive] += each * (naive.of(correct_[m]) - truth);
            out[figure_jackknife] += each * (jackknife.of(correct_[m]) - truth);
            out[figure_quarter] += each * (quarter.of(correct_[m]) - truth);
            out[figure_moments] += each * (moments.fit(correct_[m]).accuracy - truth);
        }
    }

    const PilotWorld& world_;
    int n_;
    const PilotDesign& design_;
    double target_;
    std::vector<double> table_;
    CellCounts first_, second_;
    std::vector<std::vector<double>> correct_;
};

/// The curve .05 + .6 s + 9.26 (s - .7)_+^3, which is 90 % at s = 1.
std::vector<double> usual_curve() {
    std::vector<double> g;
    for (const double s : penalised::logit_grid().s)
        g.push_back(.05 + .6 * s + .25 / .027 * std::pow(std::max(0.0, s - .7), 3));
    return g;
}

PilotWorld world_of(const Study& pilot, std::size_t curves) {
    const CellCounts first = pilot.first.cells(), second = pilot.second.cells();
    const PenalisedLikelihood model(first, second);
    PilotWorld world{
        model.first_density(), model.second_density(), {}, first.total(), second.total()};
    const Correct correct{pilot.models(), pilot.correct(pilot.second, second.grid)};
    const std::size_t taken = std::min(pilot.models(), curves);
    for (std::size_t i = 0; i < taken; ++i) {
        world.curves.push_back(model.fit(correct.of(i * pilot.models() / taken)).curve);
        for (double& g : world.curves.back()) g = std::clamp(g, 0.0, 1.0);
    }
    if (world.curves.empty()) world.curves.push_back(usual_curve());
    return world;
}

PilotDesign design_of(const Study& pilot) {
    PilotDesign design;
    if (pilot.models() == 0) return design;
    const CellCounts first = pilot.first.cells(), second = pilot.second.cells();
    const Correct correct{pilot.models(), pilot.correct(pilot.second, second.grid)};
    CellEffects effects;
    MethodResult unused;
    make_penalised_likelihood(0)->estimate(first, second, correct, &unused, &effects);
    const auto errors = [&](Units units) {
        return standard_errors(pilot, plan_units(pilot, units), first, second, &effects).adjusted;
    };
    std::vector<double> by_class = errors(Units::classes);
    design.mean = std::pow(by_class.back(), 2);
    by_class.pop_back();
    design.mean /= std::pow(median(by_class), 2);
    effects.prior.clear();
    effects.curve_prior.clear();
    const std::vector<double> of_classes = errors(Units::classes),
                              of_images = errors(Units::images);
    std::vector<double> ratios;
    for (std::size_t m = 0; m < pilot.models(); ++m) {
        const double ratio = of_classes[m] / of_images[m];
        if (std::isfinite(ratio)) ratios.push_back(ratio * ratio);
    }
    if (!ratios.empty()) design.effect = median(ratios);
    return design;
}

/// The pilot without every tenth occurring class, starting at `part`.
StudySet without(const StudySet& set, const std::vector<std::size_t>& place_of_class,
                 std::size_t part, std::size_t row_bytes) {
    StudySet rest;
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (place_of_class[set.classes[i]] % parts_left_out != part) rest.append(set, i, row_bytes);
    }
    return rest;
}

std::vector<Study> parts_of(const Study& pilot) {
    std::vector<std::size_t> place(pilot.classes.size(), SIZE_MAX);
    std::size_t classes = 0;
    for (const StudySet* set : {&pilot.first, &pilot.second}) {
        for (const std::uint32_t c : set->classes) {
            if (place[c] == SIZE_MAX) place[c] = classes++;
        }
    }
    std::vector<Study> parts;
    for (std::size_t part = 0; classes >= fewest_classes && part < parts_left_out; ++part) {
        Study& rest = parts.emplace_back();
        rest.classifiers = pilot.classifiers;
        rest.classes = pilot.classes;
        rest.row_bytes = pilot.row_bytes;
        rest.first = without(pilot.first, place, part, pilot.row_bytes);
        rest.second = without(pilot.second, place, part, pilot.row_bytes);
    }
    return parts;
}

/// `again` has the same value without each tenth of the classes. Sizes, which have a
/// `least` one, vary on the log scale.
Estimate planned(double value, std::vector<double> again, std::optional<double> least,
                 double level) {
    Estimate estimate;
    const bool is_size = least.has_value();
    estimate.unit = is_size ? Unit::number : Unit::proportion;
    if (is_size && value >= most_images) {
        estimate.undefined = "more than a billion images";
        return estimate;
    }
    estimate.value = value;
    if (again.size() < 2) {
        estimate.note =
            fmt::format("no interval: the pilot has fewer than {} classes", fewest_classes);
        return estimate;
    }
    if (is_size) {
        if (std::ranges::max(again) >= most_images) {
            estimate.note =
                "no interval: without a tenth of the classes, more than a billion images are "
                "needed";
            return estimate;
        }
        for (double& x : again) x = std::log(x);
    }
    const double parts = static_cast<double>(again.size()), error = jackknife_standard_error(again);
    const double centre = is_size ? std::log(value) : value;
    Interval interval =
        symmetric_interval(centre, error, level, "t.jackknife.class_tenths", parts - 1);
    if (is_size) {
        interval.low = std::max(std::exp(interval.low), std::min(value, *least));
        interval.high = std::exp(interval.high);
    } else {
        estimate.standard_error = error;
    }
    estimate.interval = interval;
    return estimate;
}

void check(const PlanOptions& options, const Study& pilot) {
    if (!(options.width >= min_width && options.width < 1)) {
        throw Error(ErrorCode::usage, fmt::format("an interval {} points wide; allowed: {} to 100",
                                                  100 * options.width, 100 * min_width));
    }
    if (!(options.level > 0 && options.level < 1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("confidence level {} is outside (0, 1)", options.level));
    }
    for (const int n : options.annotators) {
        if (n < 2 || n > max_annotators) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} annotators; allowed: 2 to {}", n, max_annotators));
        }
    }
    for (const StudySet* set : {&pilot.first, &pilot.second}) {
        if (set->size() == 0 || *std::ranges::max_element(set->annotators) < 2)
            throw Error(ErrorCode::bad_input,
                        "a pilot with one annotator per image: two are needed to separate rates "
                        "from chance");
    }
}

PlanReport plan_study(const Study& pilot, const PlanOptions& options) {
    check(options, pilot);
    PlanReport report;
    report.first_images = pilot.first.size();
    report.second_images = pilot.second.size();
    report.warnings = pilot.warnings;
    const PilotDesign design = design_of(pilot);
    report.design_effect = design.effect;
    const double target = options.width / 2 / normal_quantile(0.5 + options.level / 2);
    const std::vector<Study> parts = parts_of(pilot);
    std::vector<PilotWorld> worlds(parts.size() + 1);
    const int threads = resolve_threads(options.threads);
    parallel_blocks(worlds.size(), threads, [&](std::size_t w) {
        throw_if_stopped();
        worlds[w] = w == 0 ? world_of(pilot, pilot.models()) : world_of(parts[w - 1], most_curves);
    });
    const std::size_t rows = options.annotators.size();
    report.rows.resize(rows);
    std::vector<Figures> figures(rows * worlds.size());
    parallel_blocks(figures.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        const std::size_t row = i / worlds.size(), w = i % worlds.size();
        figures[i] = RowPlan(worlds[w], options.annotators[row], design, target)
                         .figures(w == 0 ? &report.rows[row].exponents : nullptr);
    });
    for (std::size_t i = 0; i < rows; ++i) {
        PlanRow& row = report.rows[i];
        row.annotators = options.annotators[i];
        const auto at = [&](Figure figure) {
            std::vector<double> again;
            for (std::size_t w = 1; w < worlds.size(); ++w)
                again.push_back(figures[i * worlds.size() + w][figure]);
            // No search looks below fewest_images.
            std::optional<double> least;
            if (figure <= figure_mean)
                least = fewest_images * (figure == figure_mean ? design.mean : 1);
            return planned(figures[i * worlds.size()][figure], std::move(again), least,
                           options.level);
        };
        row.images = at(figure_images);
        row.worst_images = at(figure_worst);
        row.mean_images = at(figure_mean);
        if (pilot.models() == 0) {
            row.mean_images = {};
            row.mean_images.undefined = "no hits: the correlation of the classifiers is unknown";
        }
        row.standard_error = at(figure_error);
        row.likelihood_bias = at(figure_likelihood);
        row.moments_bias = at(figure_moments);
        row.jackknife_bias = at(figure_jackknife);
        row.quarter_bias = at(figure_quarter);
        row.naive_bias = at(figure_naive);
        row.raw_bias = at(figure_raw);
    }
    return report;
}

StudySet set_of(const Readings& readings) {
    StudySet set;
    set.classes = readings.classes;
    set.annotators = readings.annotators;
    set.selected = readings.selected;
    return set;
}

}  // namespace

PlanReport plan(const Readings& first, const Readings& second, const PlanOptions& options) {
    Study pilot;
    pilot.first = set_of(first);
    pilot.second = set_of(second);
    std::uint32_t classes = 0;
    for (const Readings* set : {&first, &second}) {
        for (const std::uint32_t c : set->classes) classes = std::max(classes, c + 1);
    }
    pilot.classes.resize(classes);
    PlanReport report = plan_study(pilot, options);
    report.assumed_curve = true;
    report.warnings.emplace_back(
        "no hits: Assay assumes independent images, and an accuracy that rises from 5 to 90 % with "
        "the selection rate. To use your own classifiers and classes, pass --hits");
    return report;
}

PlanReport plan(const Study& pilot, const PlanOptions& options) {
    return plan_study(pilot, options);
}

}  // namespace assay::replication
