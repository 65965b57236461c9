#include "replication/adjust_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "replication/enough_annotators.h"

namespace assay::replication {
namespace {

/// Removes an interval of width 0, which would claim certainty. If every unit has the same value,
/// the data do not show how much another unit would differ.
void drop_without_width(Estimate& estimate) {
    constexpr double rounding = 1e-12;
    if (!estimate.interval || estimate.interval->high - estimate.interval->low > rounding) return;
    estimate.interval.reset();
    estimate.note = "no interval: the units do not vary";
}

/// Returns `estimate` with an error and an interval from the replicates, if there are at least
/// min_replicates.
Estimate from_replicates(Estimate estimate, const std::vector<double>& draws, double level,
                         const std::string& method) {
    estimate.standard_error.reset();
    estimate.interval.reset();
    if (draws.size() < min_replicates) return estimate;
    const double mean = mean_of(draws);
    double squares = 0;
    for (const double x : draws) squares += (x - mean) * (x - mean);
    estimate.standard_error = std::sqrt(squares / static_cast<double>(draws.size() - 1));
    estimate.interval = percentile_interval(draws, level, method);
    drop_without_width(estimate);
    return estimate;
}

Estimate proportion(double value, std::size_t images) {
    Estimate estimate;
    estimate.value = value;
    estimate.unit = Unit::proportion;
    estimate.n = images;
    return estimate;
}

/// Returns 1 for an accuracy outside [0, 1], otherwise 0. Tolerates rounding in sums of weights.
std::size_t outside(double accuracy) {
    constexpr double rounding = 1e-9;
    return accuracy < -rounding || accuracy > 1 + rounding ? 1 : 0;
}

}  // namespace

double mean_of(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

CountedStudy::CountedStudy(const Study& study_to_count, const AdjustOptions& adjust_options)
    : study(study_to_count),
      options(adjust_options),
      plan(plan_units(study, options.units)),
      first(study.first.cells()),
      second(study.second.cells()),
      correct{study.models(), study.correct(study.second, second.grid)},
      accuracy1(study.accuracies(study.first)),
      accuracy2(study.accuracies(study.second)) {}

int CountedStudy::annotators() const {
    return usual_annotators(first, second);
}

Estimate CountedStudy::of_first(double value) const {
    return proportion(value, study.first.size());
}

Estimate CountedStudy::of_second(double value) const {
    return proportion(value, study.second.size());
}

Estimate CountedStudy::of_both(double value) const {
    return proportion(value, study.first.size() + study.second.size());
}

/// Uses Student's t with one degree of freedom less than the effective number of units. With 20
/// classes, intervals from the normal distribution cover 93 %, and these cover 95 %.
Estimate CountedStudy::with_error(Estimate estimate, double error) const {
    estimate.standard_error = error;
    estimate.interval = symmetric_interval(*estimate.value, error, options.level,
                                           interval_name("t"), std::max(1.0, plan.effective - 1));
    drop_without_width(estimate);
    return estimate;
}

std::string CountedStudy::interval_name(const char* kind) const {
    return fmt::format("{}.{}", kind, plan.units == Units::classes ? "by_class" : "by_image");
}

std::optional<LineFit> CountedStudy::line(const std::vector<double>& y, double slope_error,
                                          double intercept_error,
                                          std::optional<double> covariance) const {
    const auto [low, high] = std::minmax_element(accuracy1.begin(), accuracy1.end());
    if (study.models() < 2 || *low == *high) return std::nullopt;
    LineFit fit = fit_line(accuracy1, y);
    fit.slope = with_error(fit.slope, slope_error);
    fit.intercept = with_error(fit.intercept, intercept_error);
    fit.covariance = covariance;
    return fit;
}

void make_undefined(const CountedStudy& counted, MethodResult& result, const std::string& reason) {
    Estimate nothing = counted.of_both(0);
    nothing.value.reset();
    nothing.undefined = reason;
    result.mean_adjusted = nothing;
    result.mean_gap = {nothing, nothing, nothing};
    result.adjusted.assign(counted.study.models(), nothing);
    result.gaps.assign(counted.study.models(), result.mean_gap);
}

void fill_analytic(const CountedStudy& counted, MethodResult& result, const CellEffects& effects) {
    const std::vector<double>& values = effects.adjusted;
    const StandardErrors errors =
        standard_errors(counted.study, counted.plan, counted.first, counted.second, &effects);
    const auto gap_at = [&](double one, double two, double a, std::size_t i) {
        return GapParts{counted.with_error(counted.of_both(one - two), errors.gap[i]),
                        counted.with_error(counted.of_both(one - a), errors.remaining[i]),
                        counted.with_error(counted.of_both(a - two), errors.bias[i])};
    };
    for (std::size_t m = 0; m < values.size(); ++m) {
        result.adjusted.push_back(
            counted.with_error(counted.of_both(values[m]), errors.adjusted[m]));
        result.gaps.push_back(gap_at(counted.accuracy1[m], counted.accuracy2[m], values[m], m));
        result.outside += outside(values[m]);
    }
    const std::size_t last = values.size();
    result.mean_adjusted =
        counted.with_error(counted.of_both(mean_of(values)), errors.adjusted[last]);
    result.mean_gap =
        gap_at(mean_of(counted.accuracy1), mean_of(counted.accuracy2), mean_of(values), last);
    result.line = counted.line(values, errors.slope, errors.intercept, errors.covariance);
}

void fill_bootstrap(const CountedStudy& counted, const Replicates& replicates, MethodResult& result,
                    const std::vector<double>& values, std::size_t method) {
    const std::size_t models = values.size();
    // draws(m, f) is the list of f(first, second, adjusted) in every replicate, for classifier m.
    // For m == models, the arguments are the classifiers' means.
    const auto draws = [&](std::size_t m, auto&& f) {
        std::vector<double> out;
        if (replicates.count == 0) return out;
        for (std::size_t r = 0; r < replicates.count; ++r) {
            const auto& a = replicates.adjusted[method][r];
            if (a.empty()) continue;
            const auto& one = replicates.first[r];
            const auto& two = replicates.second[r];
            out.push_back(m == models ? f(mean_of(one), mean_of(two), mean_of(a))
                                      : f(one[m], two[m], a[m]));
        }
        return out;
    };
    const std::string name = counted.interval_name("bootstrap.percentile");
    const auto at = [&](double value, std::size_t m, auto&& f) {
        return from_replicates(counted.of_both(value), draws(m, f), counted.options.level, name);
    };
    const auto adjusted_at = [&](double a, std::size_t m) {
        return at(a, m, [](double, double, double x) { return x; });
    };
    const auto gap_at = [&](double one, double two, double a, std::size_t m) {
        return GapParts{at(one - two, m, [](double x, double y, double) { return x - y; }),
                        at(one - a, m, [](double x, double, double z) { return x - z; }),
                        at(a - two, m, [](double, double y, double z) { return z - y; })};
    };
    for (std::size_t m = 0; m < models; ++m) {
        result.adjusted.push_back(adjusted_at(values[m], m));
        result.outside += outside(values[m]);
        result.gaps.push_back(gap_at(counted.accuracy1[m], counted.accuracy2[m], values[m], m));
    }
    result.mean_adjusted = adjusted_at(mean_of(values), models);
    result.mean_gap =
        gap_at(mean_of(counted.accuracy1), mean_of(counted.accuracy2), mean_of(values), models);
    const auto fit = counted.line(values, 0, 0, std::nullopt);
    if (fit) {
        result.line = fit;
        for (Estimate* part : {&result.line->slope, &result.line->intercept}) {
            part->standard_error.reset();
            part->interval.reset();
        }
        if (replicates.count > 0)
            bootstrap_line(counted, replicates, *result.line, replicates.adjusted[method]);
    }
}

void bootstrap_line(const CountedStudy& counted, const Replicates& replicates, LineFit& fit,
                    const std::vector<std::vector<double>>& y) {
    std::vector<double> slopes, intercepts;
    for (std::size_t r = 0; r < replicates.count; ++r) {
        if (y[r].empty() || replicates.first[r].empty()) continue;
        const auto [low, high] =
            std::minmax_element(replicates.first[r].begin(), replicates.first[r].end());
        if (*low == *high) continue;
        const LineFit again = fit_line(replicates.first[r], y[r]);
        slopes.push_back(*again.slope.value);
        intercepts.push_back(*again.intercept.value);
    }
    const std::string name = counted.interval_name("bootstrap.percentile");
    fit.slope = from_replicates(fit.slope, slopes, counted.options.level, name);
    fit.intercept = from_replicates(fit.intercept, intercepts, counted.options.level, name);
    fit.covariance.reset();
    if (!fit.slope.standard_error) return;
    const double mean_slope = mean_of(slopes), mean_intercept = mean_of(intercepts);
    double products = 0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        products += (slopes[i] - mean_slope) * (intercepts[i] - mean_intercept);
    }
    fit.covariance = products / static_cast<double>(slopes.size() - 1);
}

}  // namespace assay::replication
