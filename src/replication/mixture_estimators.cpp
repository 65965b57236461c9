// The published model and a nonparametric variant as estimators of adjusted accuracies.
#include <fmt/core.h>
#include <algorithm>

#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "assay/replication/mixture.h"
#include "assay/replication/npmle.h"
#include "replication/estimator.h"
#include "replication/npmle_influence.h"

namespace assay::replication {
namespace {

constexpr int warm_rounds = 100;  ///< rounds of EM from the study's own fit, in a bootstrap
constexpr int published_rounds = 200;
constexpr int published_starts = 0;  ///< starts in addition to the fixed one
constexpr int rate_points = 200;
constexpr int curve_functions = 8;
constexpr double curve_penalty = .01;

nlohmann::json mixture_json(const BetaMixture& m) {
    nlohmann::json parts = nlohmann::json::array();
    for (std::size_t j = 0; j < m.parts(); ++j) {
        parts.push_back(
            {{"weight", m.weight[j]}, {"a", m.a[j]}, {"b", m.b[j]}, {"point", m.is_point(j)}});
    }
    return {{"parts", std::move(parts)},
            {"log_likelihood", m.log_likelihood},
            {"rounds", m.rounds},
            {"converged", m.converged}};
}

/// The density of the parts that are not points. Points have a mass (see is_point) and no density.
std::vector<double> densities(const BetaMixture& mixture, const std::vector<double>& rates) {
    std::vector<double> out(rates.size(), 0.0);
    for (std::size_t j = 0; j < mixture.parts(); ++j) {
        if (mixture.is_point(j)) continue;
        const double a = mixture.a[j], b = mixture.b[j], norm = log_beta(a, b);
        for (std::size_t i = 0; i < rates.size(); ++i) {
            out[i] += mixture.weight[j] * std::exp((a - 1) * std::log(rates[i]) +
                                                   (b - 1) * std::log1p(-rates[i]) - norm);
        }
    }
    return out;
}

/// Mixtures of betas for both sets and a constrained spline for each classifier.
class MixtureSpline final : public Estimator {
public:
    MixtureSpline(const AdjustOptions& options, const CellCounts& first, const CellCounts& second)
        : integrals_(options.grid_integrals ? Integrals::grid1000 : Integrals::exact),
          weighted_(!options.grid_integrals),
          first_counts_(first.images),
          second_counts_(second.images) {
        MixtureOptions fit;
        fit.parts = options.mixture_parts;
        fit.seed = options.seed;
        if (options.grid_integrals) {  // as published; sums over a grid are worse when the fit
                                       // improves
            fit.max_rounds = published_rounds;
            fit.random_starts = published_starts;
            fit.newton = false;
        }
        first_ = fit_mixture(first, fit);
        second_ = fit_mixture(second, fit);
    }
    std::string id() const override { return "mixture"; }
    std::string definition() const override {
        return fmt::format("adjusted.mixture{}.spline.{}", first_.parts(),
                           integrals_ == Integrals::exact ? "exact.weighted" : "grid1000");
    }
    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result,
                                 CellEffects* /*effects*/) const override {
        const BetaMixture one = fitted(first, first_counts_, first_),
                          two = fitted(second, second_counts_, second_);
        const SplineFitter fitter(second, two, integrals_, weighted_);
        std::vector<AccuracySpline> splines;
        std::vector<double> out;
        for (std::size_t m = 0; m < correct.models; ++m) {
            splines.push_back(fitter.fit(correct.of(m)));
            out.push_back(mean_under(splines.back(), one));
        }
        if (result != nullptr) describe(one, two, splines, *result);
        return out;
    }

private:
    static void describe(const BetaMixture& one, const BetaMixture& two,
                         const std::vector<AccuracySpline>& splines, MethodResult& result) {
        result.details = {{"original", mixture_json(one)}, {"replication", mixture_json(two)}};
        const std::vector<double> rates = drawing_rates();
        result.drawing.first_density = densities(one, rates);
        result.drawing.second_density = densities(two, rates);
        std::size_t constrained = 0;
        for (const AccuracySpline& spline : splines) {
            constrained += spline.constrained ? 1U : 0U;
            result.details["splines"].push_back({{"w", spline.w}, {"objective", spline.objective}});
            result.drawing.accuracy.emplace_back();
            for (const double s : rates)
                result.drawing.accuracy.back().push_back(std::clamp(spline.at(s), 0.0, 1.0));
        }
        const auto note_fit = [&](const BetaMixture& m, const char* set) {
            if (!m.converged) {
                result.notes.push_back(fmt::format(
                    "{}: the likelihood had not converged after {} rounds", set, m.rounds));
            }
            for (std::size_t j = 0; j < m.parts(); ++j) {
                if (m.is_point(j)) {
                    result.notes.push_back(
                        fmt::format("{}: part {} is a point at {:.3f} of weight {:.2g}", set, j + 1,
                                    m.a[j] / (m.a[j] + m.b[j]), m.weight[j]));
                }
            }
        };
        note_fit(one, "original");
        note_fit(two, "replication");
        if (constrained > 0) {
            result.notes.push_back(fmt::format("the bounds 0 and 1 shape {} of {} curves",
                                               constrained, splines.size()));
        }
    }

    static BetaMixture fitted(const CellCounts& counts, const std::vector<double>& own,
                              const BetaMixture& start) {
        if (counts.images == own) return start;
        MixtureOptions options;
        options.max_rounds = warm_rounds;
        options.start = start;
        return fit_mixture(counts, options);
    }
    Integrals integrals_;
    bool weighted_;
    std::vector<double> first_counts_, second_counts_;
    BetaMixture first_, second_;
};

/// A logit curve at the rows of a basis.
std::vector<double> curve_at(const std::vector<double>& w, const std::vector<double>& basis) {
    std::vector<double> out;
    for (auto row = basis.begin(); row != basis.end();
         row += static_cast<std::ptrdiff_t>(w.size())) {
        out.push_back(1 / (1 + std::exp(-std::inner_product(w.begin(), w.end(), row, 0.0))));
    }
    return out;
}

class Nonparametric final : public Estimator {
public:
    std::string id() const override { return "npmle"; }
    std::string definition() const override {
        return fmt::format("adjusted.npmle{}.logit_spline{}", rate_points, curve_functions);
    }
    bool resamples() const override { return false; }
    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result,
                                 CellEffects* effects) const override {
        const RateGrid grid(rate_points);
        const RateDistribution one = fit_rates(first, grid), two = fit_rates(second, grid);
        const std::vector<double> basis = spline_basis(grid, curve_functions);
        const std::vector<double> drawing = spline_basis(RateGrid(drawing_points), curve_functions);
        std::vector<double> out;
        std::vector<LogitCurve> curves;
        for (std::size_t m = 0; m < correct.models; ++m) {
            curves.push_back(
                fit_logit_curve(second, correct.of(m), grid, two.weight, basis, curve_penalty));
            const LogitCurve& curve = curves.back();
            double sum = 0;
            for (std::size_t j = 0; j < grid.s.size(); ++j) sum += one.weight[j] * curve.g[j];
            out.push_back(sum);
            if (result != nullptr) result->drawing.accuracy.push_back(curve_at(curve.w, drawing));
        }
        if (effects != nullptr)
            *effects = nonparametric_influences(first, second, correct, grid, one, two, basis,
                                                curves, curve_penalty);
        if (result != nullptr) {
            result->details = {{"rates", grid.s},
                               {"original", one.weight},
                               {"replication", two.weight},
                               {"gap", {{"original", one.gap}, {"replication", two.gap}}}};
            result->notes.push_back(
                "the curve is smoothed, which costs 0.2 to 0.3 points; skipped in the bootstrap, "
                "because refitting takes too long");
        }
        return out;
    }
};

}  // namespace

std::unique_ptr<Estimator> make_mixture(const AdjustOptions& options, const CellCounts& first,
                                        const CellCounts& second) {
    return std::make_unique<MixtureSpline>(options, first, second);
}

std::unique_ptr<Estimator> make_npmle() {
    return std::make_unique<Nonparametric>();
}

}  // namespace assay::replication
