#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/plan.h"
#include "core/statistics.h"
#include "replication/estimator.h"
#include "replication/influence.h"

namespace assay::replication {
namespace {

constexpr double min_width = 1e-4;

/// Expected readings of n annotators, a proportion each.
CellCounts expected(const BetaMixture& mixture, int n) {
    CellCounts counts{CellGrid({n}), {}};
    for (int k = 0; k <= n; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < mixture.parts(); ++j) {
            if (mixture.weight[j] > 0)
                sum += mixture.weight[j] *
                       std::exp(log_beta_binomial(n, k, mixture.a[j], mixture.b[j]));
        }
        counts.images.push_back(sum);
    }
    return counts;
}

double median(std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return quantile_sorted(x, 0.5);
}

PlanReport plan_with(const CellCounts& first, const CellCounts& second,
                     const std::vector<AccuracySpline>& curves, double design_effect,
                     const PlanOptions& options, BetaMixture one, BetaMixture two) {
    if (!(options.width >= min_width && options.width < 1)) {
        throw Error(ErrorCode::usage, fmt::format("an interval {} points wide: between {} and 100",
                                                  100 * options.width, 100 * min_width));
    }
    if (!(options.level > 0 && options.level < 1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("confidence level {} is outside (0, 1)", options.level));
    }
    if (std::min(first.grid.max_n(), second.grid.max_n()) < 2) {
        throw Error(
            ErrorCode::bad_input,
            "a pilot with one annotator per image: two are needed to tell rates from chance");
    }
    PlanReport report;
    report.first = std::move(one);
    report.second = std::move(two);
    report.design_effect = design_effect;
    report.first_images = static_cast<std::size_t>(first.total());
    report.second_images = static_cast<std::size_t>(second.total());
    const double z = normal_quantile(0.5 + options.level / 2);
    for (const int n : options.annotators) {
        if (n < 2 || n > max_annotators) {
            throw Error(ErrorCode::usage, fmt::format("{} annotators: 2 to {} can be planned for",
                                                      n, max_annotators));
        }
        PlanRow row;
        row.annotators = n;
        const CellCounts cells1 = expected(report.first, n), cells2 = expected(report.second, n);
        const MomentProjection moments(cells1, cells2, default_exponents(n));
        row.exponents = moments.exponents();
        const CellWeights naive = naive_weights(cells1, cells2, n),
                          jackknife = jackknife_weights(cells1, cells2, 1);
        const CellWeights quarter = jackknife_weights(cells1, cells2, std::max(1, n / 4));
        const double each = 1 / static_cast<double>(curves.size());
        std::vector<double> errors, units;
        for (const AccuracySpline& curve : curves) {
            const double truth = mean_under(curve, report.first);
            std::vector<double> correct;
            double raw = 0;
            for (int k = 0; k <= n; ++k) {
                // Rounding must not leave more correct images than there are.
                const double cell = cells2.images[static_cast<std::size_t>(k)];
                correct.push_back(
                    std::clamp(reading_proportion(curve, report.second, n, k), 0.0, cell));
                raw += correct.back();
            }
            const auto fit = moments.fit(correct);
            row.raw_bias += each * (raw - truth);
            row.naive_bias += each * (naive.of(correct) - truth);
            row.jackknife_bias += each * (jackknife.of(correct) - truth);
            row.quarter_bias += each * (quarter.of(correct) - truth);
            row.moments_bias += each * (fit.accuracy - truth);
            // Shares sum to one, so this is the error of one image in each set.
            const double unit = moments.standard_error(fit, correct) * std::sqrt(design_effect);
            units.push_back(unit);
            double v1 = 0;
            for (std::size_t c = 0; c < cells1.images.size(); ++c) {
                v1 += cells1.images[c] * fit.first_effect[c] * fit.first_effect[c];
            }
            const double v2 = unit * unit / design_effect - v1;
            errors.push_back(
                std::sqrt(design_effect * (v1 / static_cast<double>(report.first_images) +
                                           v2 / static_cast<double>(report.second_images))));
        }
        row.standard_error = median(errors);
        row.worst_standard_error = *std::max_element(errors.begin(), errors.end());
        const auto images = [&](double unit) {
            return std::ceil(std::pow(2 * z * unit / options.width, 2));
        };
        row.images = images(median(units));
        row.worst_images = images(*std::max_element(units.begin(), units.end()));
        report.rows.push_back(std::move(row));
    }
    return report;
}

BetaMixture fitted(const CellCounts& counts, std::uint64_t seed) {
    MixtureOptions options;
    options.seed = seed;
    return fit_mixture(counts, options);
}

}  // namespace

PlanReport plan(const Readings& first, const Readings& second, const PlanOptions& options) {
    const CellCounts one = first.cells(), two = second.cells();
    // .05 + .6 s + 9.26 (s - .7)_+^3: 90 % at s = 1.
    const AccuracySpline assumed{{.05, .6, 0, 0, 0, .25 / .027, 0}, 0, false};
    PlanReport report = plan_with(one, two, {assumed}, 1, options, fitted(one, options.seed),
                                  fitted(two, options.seed));
    report.assumed_curve = true;
    report.warnings.emplace_back(
        "no hits: an accuracy rising from 5 to 90 % with the selection rate is assumed, and images "
        "are taken as "
        "independent; hits of the pilot show what is true of your classifiers and "
        "classes");
    return report;
}

PlanReport plan(const Study& pilot, const PlanOptions& options) {
    const CellCounts first = pilot.first.cells(), second = pilot.second.cells();
    const BetaMixture one = fitted(first, options.seed), two = fitted(second, options.seed);
    const Correct correct{pilot.models(), pilot.correct(pilot.second, second.grid)};
    const SplineFitter fitter(second, two, Integrals::exact, true);
    std::vector<AccuracySpline> curves;
    for (std::size_t m = 0; m < pilot.models(); ++m) curves.push_back(fitter.fit(correct.of(m)));
    // Classes: how much more the mean varies between classes than independent images would make it.
    const int n = std::min(first.grid.min_n(), second.grid.min_n());
    CellEffects effects_of_images;
    make_moments(default_exponents(n), n)
        ->estimate(first, second, correct, nullptr, &effects_of_images);
    const StandardErrors by_class = standard_errors(pilot, plan_units(pilot, Units::classes), first,
                                                    second, &effects_of_images);
    const StandardErrors by_image =
        standard_errors(pilot, plan_units(pilot, Units::images), first, second, &effects_of_images);
    std::vector<double> effects;
    for (std::size_t m = 0; m < pilot.models(); ++m) {
        const double ratio = by_class.adjusted[m] / by_image.adjusted[m];
        if (std::isfinite(ratio)) effects.push_back(ratio * ratio);
    }
    PlanReport report =
        plan_with(first, second, curves, effects.empty() ? 1 : median(effects), options, one, two);
    report.warnings = pilot.warnings;
    return report;
}

nlohmann::json to_json(const PlanReport& report, const PlanOptions& options) {
    using nlohmann::json;
    json out = {{"schema", "assay.replicate_plan/2"},
                {"width", options.width},
                {"level", options.level},
                {"design_effect", report.design_effect},
                {"assumed_curve", report.assumed_curve},
                {"pilot_images",
                 {{"original", report.first_images}, {"replication", report.second_images}}},
                {"warnings", report.warnings},
                {"rows", json::array()}};
    for (const PlanRow& row : report.rows) {
        out["rows"].push_back({{"annotators", row.annotators},
                               {"exponents", row.exponents},
                               {"standard_error", row.standard_error},
                               {"worst_standard_error", row.worst_standard_error},
                               {"images", row.images},
                               {"worst_images", row.worst_images},
                               {"bias",
                                {{"none", row.raw_bias},
                                 {"naive", row.naive_bias},
                                 {"jackknife1", row.jackknife_bias},
                                 {"jackknife_quarter", row.quarter_bias},
                                 {"moments", row.moments_bias}}}});
    }
    return out;
}

}  // namespace assay::replication
