#include "assay/replication/adjust.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/ranges.h>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "replication/influence.h"
#include "replication/resample.h"

namespace assay::replication {
namespace {

/// A companion set of exponents with a standard error so many times the main one's tells its own
/// noise, not what the choice of exponents does. In simulated studies of 10,000 images the factor
/// is about 1.3.
constexpr double undetermined = 3;
constexpr std::uint32_t min_replicates = 20, max_replicates = 100000;

double mean_of(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// `estimate` with an error and an interval from the replicates, where there are any.
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
    return estimate;
}

Estimate proportion(double value, std::size_t images) {
    Estimate estimate;
    estimate.value = value;
    estimate.unit = Unit::proportion;
    estimate.n = images;
    return estimate;
}

/// 1 for an accuracy that is none; sums of weights round.
std::size_t outside(double accuracy) {
    constexpr double rounding = 1e-9;
    return accuracy < -rounding || accuracy > 1 + rounding ? 1 : 0;
}

/// Everything one call of adjust() works on.
class Adjustment {
public:
    Adjustment(const Study& study, const AdjustOptions& options, const ProgressCallback& progress)
        : study_(study),
          options_(options),
          progress_(progress),
          plan_(plan_units(study, options.units)),
          first_(study.first.cells()),
          second_(study.second.cells()),
          correct_{study.models(), study.correct(study.second, second_.grid)},
          accuracy1_(study.accuracies(study.first)),
          accuracy2_(study.accuracies(study.second)) {}

    AdjustReport report() {
        estimators_ = make_estimators(options_, first_, second_);
        describe_study();
        add_raw();
        if (options_.bootstrap > 0) {
            replicates_ =
                resample(study_, plan_, first_.grid, second_.grid, estimators_, options_.bootstrap,
                         options_.seed, resolve_threads(options_.threads), progress_);
            report_.bootstrap = options_.bootstrap;
            add_raw_bootstrap();
        }
        for (std::size_t e = 0; e < estimators_.size(); ++e) add_method(e);
        if (report_.methods.front().defined()) add_sensitivity();
        return std::move(report_);
    }

private:
    /// Student's t, one degree less than units: with 20 classes the normal's intervals cover 93 %,
    /// these 95.
    Estimate with_error(Estimate estimate, double error) const {
        estimate.standard_error = error;
        estimate.interval =
            symmetric_interval(*estimate.value, error, options_.level, interval_name("t"),
                               std::max(1.0, static_cast<double>(plan_.count) - 1));
        return estimate;
    }

    Estimate of_first(double value) const { return proportion(value, study_.first.size()); }
    Estimate of_second(double value) const { return proportion(value, study_.second.size()); }
    Estimate of_both(double value) const {
        return proportion(value, study_.first.size() + study_.second.size());
    }

    std::string interval_name(const char* kind) const {
        return fmt::format("{}.{}", kind, plan_.units == Units::classes ? "by_class" : "by_image");
    }

    void describe_study() {
        report_.classifiers = study_.classifiers;
        report_.first_images = study_.first.size();
        report_.second_images = study_.second.size();
        std::vector<bool> seen(study_.classes.size(), false);
        for (const auto* set : {&study_.first, &study_.second}) {
            for (const std::uint32_t c : set->classes) seen[c] = true;
        }
        report_.classes = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
        report_.units = plan_.units;
        report_.first_cells = first_;
        report_.second_cells = second_;
        report_.correct = correct_.by_cell;
        report_.warnings = study_.warnings;
        if (plan_.units != options_.units) {
            report_.warnings.push_back(
                "the study has one class only: the intervals take images as independent, though "
                "the same people "
                "judged "
                "them, and are too narrow");
        } else if (plan_.units == Units::images && report_.classes > 1) {
            report_.warnings.push_back(
                "the intervals take images as independent of each other; images of a class judged "
                "by the same "
                "people "
                "are not, and the intervals are too narrow where they are alike");
        } else if (plan_.units == Units::classes && plan_.count < 20) {
            report_.warnings.push_back(
                fmt::format("only {} classes: an interval from the spread between so few of them "
                            "is itself unsure",
                            plan_.count));
        }
        warn_of_few_annotators();
    }

    void warn_of_few_annotators() {
        const int n = std::min(first_.grid.min_n(), second_.grid.min_n());
        const int most = std::max(first_.grid.max_n(), second_.grid.max_n());
        const auto used = default_exponents(n), possible = default_exponents(most);
        if (options_.exponents.empty() && used != possible) {
            report_.warnings.push_back(
                fmt::format("the image with the fewest annotators has {} (others up to {}), which "
                            "limits the moments "
                            "to exponents "
                            "{}; leaving such images out (`min_annotators`) would allow {}",
                            n, most, fmt::join(used, ","), fmt::join(possible, ",")));
        }
        if (n < 6) {
            report_.warnings.push_back(
                fmt::format("with {} annotators per image only straight lines and parabolas can be "
                            "told apart: the "
                            "adjusted accuracy "
                            "may be biased by several points",
                            n));
        }
    }

    void add_raw() {
        raw_errors_ = standard_errors(study_, plan_, first_, second_, correct_, nullptr);
        for (std::size_t m = 0; m < study_.models(); ++m) {
            report_.first.push_back(with_error(of_first(accuracy1_[m]), raw_errors_.first[m]));
            report_.second.push_back(with_error(of_second(accuracy2_[m]), raw_errors_.second[m]));
        }
        const std::size_t mean = study_.models();
        report_.mean_first = with_error(of_first(mean_of(accuracy1_)), raw_errors_.first[mean]);
        report_.mean_second = with_error(of_second(mean_of(accuracy2_)), raw_errors_.second[mean]);
        report_.raw_line = line(accuracy2_, raw_errors_.raw_slope, raw_errors_.raw_intercept,
                                raw_errors_.raw_covariance);
    }

    std::optional<LineFit> line(const std::vector<double>& y, double slope_error,
                                double intercept_error, std::optional<double> covariance) const {
        const auto [low, high] = std::minmax_element(accuracy1_.begin(), accuracy1_.end());
        if (study_.models() < 2 || *low == *high) return std::nullopt;
        LineFit fit = fit_line(accuracy1_, y);
        fit.slope = with_error(fit.slope, slope_error);
        fit.intercept = with_error(fit.intercept, intercept_error);
        fit.covariance = covariance;
        return fit;
    }

    /// Intervals of a line from replicates, both axes drawn again.
    void bootstrap_line(LineFit& fit, const std::vector<std::vector<double>>& y) const {
        std::vector<double> slopes, intercepts;
        for (std::size_t r = 0; r < replicates_.count; ++r) {
            if (y[r].empty() || replicates_.first[r].empty()) continue;
            const auto [low, high] =
                std::minmax_element(replicates_.first[r].begin(), replicates_.first[r].end());
            if (*low == *high) continue;
            const LineFit again = fit_line(replicates_.first[r], y[r]);
            slopes.push_back(*again.slope.value);
            intercepts.push_back(*again.intercept.value);
        }
        const std::string name = interval_name("bootstrap.percentile");
        fit.slope = from_replicates(fit.slope, slopes, options_.level, name);
        fit.intercept = from_replicates(fit.intercept, intercepts, options_.level, name);
        fit.covariance.reset();
        if (!fit.slope.standard_error) return;
        const double mean_slope = mean_of(slopes), mean_intercept = mean_of(intercepts);
        double products = 0;
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            products += (slopes[i] - mean_slope) * (intercepts[i] - mean_intercept);
        }
        fit.covariance = products / static_cast<double>(slopes.size() - 1);
    }

    void add_raw_bootstrap() {
        if (report_.raw_line) bootstrap_line(*report_.raw_line, replicates_.second);
    }

    void add_method(std::size_t e) {
        MethodResult result;
        result.id = estimators_[e]->id();
        result.definition = estimators_[e]->definition();
        if (report_.quoted.empty()) report_.quoted = result.id;
        std::vector<double> values;
        try {
            values = estimators_[e]->estimate(first_, second_, correct_, &result);
        } catch (const Error& error) {
            if (e == 0 || error.code() != ErrorCode::bad_input) throw;
            make_undefined(result, error.message());
            report_.methods.push_back(std::move(result));
            return;
        }
        if (result.id == "moments")
            add_analytic(result, values);
        else
            fill_bootstrap(result, values, e);
        if (result.outside > 0) {
            report_.warnings.push_back(
                fmt::format("{}: {} adjusted accuracies are outside 0 to 100 %: the data do not "
                            "determine them",
                            result.id, result.outside));
        }
        if (result.covered < 1 - 1e-9) {  // sums of proportions round
            report_.warnings.push_back(
                fmt::format("{}: {:.2f} % of the original's images have readings that no image of "
                            "the replication has",
                            result.id, 100 * (1 - result.covered)));
        }
        report_.methods.push_back(std::move(result));
        if (e == 0 && report_.quoted == "moments" && options_.bootstrap > 0)
            add_bootstrap_of_moments(values);
    }

    void make_undefined(MethodResult& result, const std::string& reason) const {
        Estimate nothing = of_both(0);
        nothing.value.reset();
        nothing.undefined = reason;
        result.mean_adjusted = nothing;
        result.mean_gap = {nothing, nothing, nothing};
        result.adjusted.assign(study_.models(), nothing);
        result.gaps.assign(study_.models(), result.mean_gap);
    }

    /// The same estimates with percentile intervals, as the paper gives them.
    void add_bootstrap_of_moments(const std::vector<double>& values) {
        MethodResult result;
        result.id = "moments.bootstrap";
        result.definition = report_.methods.front().definition;
        result.exponents = report_.methods.front().exponents;
        fill_bootstrap(result, values, 0);
        report_.methods.push_back(std::move(result));
    }

    void add_analytic(MethodResult& result, const std::vector<double>& values) {
        const MomentProjection projection(first_, second_, wanted_exponents());
        if (!projection.dropped().empty()) {
            report_.warnings.push_back(
                fmt::format("moments: exponents {} were dropped: the readings do not determine "
                            "them",
                            fmt::join(projection.dropped(), ",")));
        }
        fill_analytic(result, projection, values);
    }

    void fill_analytic(MethodResult& result, const MomentProjection& projection,
                       const std::vector<double>& values) const {
        const StandardErrors errors =
            standard_errors(study_, plan_, first_, second_, correct_, &projection);
        const auto gap_at = [&](double one, double two, double a, std::size_t i) {
            return GapParts{with_error(of_both(one - two), errors.gap[i]),
                            with_error(of_both(one - a), errors.remaining[i]),
                            with_error(of_both(a - two), errors.bias[i])};
        };
        for (std::size_t m = 0; m < values.size(); ++m) {
            result.adjusted.push_back(with_error(of_both(values[m]), errors.adjusted[m]));
            result.gaps.push_back(gap_at(accuracy1_[m], accuracy2_[m], values[m], m));
            result.outside += outside(values[m]);
        }
        const std::size_t last = values.size();
        result.mean_adjusted = with_error(of_both(mean_of(values)), errors.adjusted[last]);
        result.mean_gap = gap_at(mean_of(accuracy1_), mean_of(accuracy2_), mean_of(values), last);
        result.line = line(values, errors.slope, errors.intercept, errors.covariance);
    }

    void fill_bootstrap(MethodResult& result, const std::vector<double>& values, std::size_t e) {
        const std::size_t models = values.size();
        // draws(m, f): f(first, second, adjusted) of classifier m (their means for m == models) in
        // every replicate.
        const auto draws = [&](std::size_t m, auto&& f) {
            std::vector<double> out;
            if (replicates_.count == 0) return out;
            for (std::size_t r = 0; r < replicates_.count; ++r) {
                const auto& a = replicates_.adjusted[e][r];
                if (a.empty()) continue;
                const auto& one = replicates_.first[r];
                const auto& two = replicates_.second[r];
                out.push_back(m == models ? f(mean_of(one), mean_of(two), mean_of(a))
                                          : f(one[m], two[m], a[m]));
            }
            return out;
        };
        const std::string name = interval_name("bootstrap.percentile");
        const auto at = [&](double value, std::size_t m, auto&& f) {
            return from_replicates(of_both(value), draws(m, f), options_.level, name);
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
            result.gaps.push_back(gap_at(accuracy1_[m], accuracy2_[m], values[m], m));
        }
        result.mean_adjusted = adjusted_at(mean_of(values), models);
        result.mean_gap = gap_at(mean_of(accuracy1_), mean_of(accuracy2_), mean_of(values), models);
        const auto fit = line(values, 0, 0, std::nullopt);
        if (fit) {
            result.line = fit;
            for (Estimate* part : {&result.line->slope, &result.line->intercept}) {
                part->standard_error.reset();
                part->interval.reset();
            }
            if (replicates_.count > 0) bootstrap_line(*result.line, replicates_.adjusted[e]);
        }
    }

    std::vector<int> wanted_exponents() const {
        if (!options_.exponents.empty()) return options_.exponents;
        return default_exponents(std::min(first_.grid.min_n(), second_.grid.min_n()));
    }

    /// The estimates with the companion sets of exponents.
    std::vector<MethodResult> companions() const {
        const MethodResult& main = report_.methods.front();
        std::vector<MethodResult> all;
        for (const auto& exponents :
             companion_exponents(std::min(first_.grid.min_n(), second_.grid.min_n()))) {
            MethodResult result;
            try {
                const MomentProjection projection(first_, second_, exponents);
                // What is left after dropping may be a set that is there already.
                const auto same = [&](const MethodResult& other) {
                    return other.exponents == projection.exponents();
                };
                if (same(main) || std::any_of(all.begin(), all.end(), same)) continue;
                const auto values = weigh(projection.weights(), correct_);
                result.id = fmt::format("moments.{}", fmt::join(projection.exponents(), "_"));
                result.definition = "adjusted." + result.id;
                result.exponents = projection.exponents();
                result.weights = projection.weights().weight;
                fill_analytic(result, projection, values);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::bad_input) throw;
                continue;
            }
            const double error = *result.mean_adjusted.standard_error,
                         main_error = *main.mean_adjusted.standard_error;
            if (error > std::max(undetermined * main_error,
                                 1e-9)) {  // perfect classifiers: roundings on both sides
                MethodResult without;
                without.id = std::move(result.id);
                without.definition = std::move(result.definition);
                without.exponents = std::move(result.exponents);
                make_undefined(
                    without,
                    fmt::format("the readings do not determine s^{}: the mean would have a "
                                "standard error of {:.3g} points, that of {} has {:.3g}",
                                without.exponents.back(), 100 * error, main.id, 100 * main_error));
                result = std::move(without);
            }
            all.push_back(std::move(result));
        }
        return all;
    }

    /// How far the choice of exponents moves the estimates.
    void add_sensitivity() {
        if (!options_.moments) return;
        std::vector<MethodResult> others = companions();
        const auto defined = [](const MethodResult& m) { return m.defined(); };
        if (std::any_of(others.begin(), others.end(), defined)) {
            std::vector<const MethodResult*> sets = {&report_.methods.front()};
            for (const MethodResult& m : others) {
                if (defined(m)) sets.push_back(&m);
            }
            const auto spread = [&](auto&& value) {
                const auto [low, high] = std::minmax_element(
                    sets.begin(), sets.end(),
                    [&](const auto* x, const auto* y) { return value(*x) < value(*y); });
                return value(**high) - value(**low);
            };
            for (std::size_t m = 0; m < report_.classifiers.size(); ++m)
                report_.sensitivity.push_back(
                    spread([m](const MethodResult& set) { return *set.adjusted[m].value; }));
            report_.mean_sensitivity =
                spread([](const MethodResult& set) { return *set.mean_adjusted.value; });
            warn_of_exponents(sets);
        }
        for (MethodResult& result : others) report_.methods.push_back(std::move(result));
    }

    /// `sets`: the main estimate first.
    void warn_of_exponents(const std::vector<const MethodResult*>& sets) {
        const auto error_of = [](const MethodResult* set) {
            return *set->mean_adjusted.standard_error;
        };
        const double error = error_of(sets.front());
        if (*report_.mean_sensitivity > error) {
            report_.warnings.push_back(
                fmt::format("the mean adjusted accuracy moves by {:.2f} points with the choice of "
                            "exponents, more than "
                            "its standard error of {:.2f}: the interval does not cover this",
                            100 * *report_.mean_sensitivity, 100 * error));
        }
        const auto* calmest = *std::min_element(
            sets.begin(), sets.end(),
            [&](const auto* x, const auto* y) { return error_of(x) < error_of(y); });
        if (const double calm = error_of(calmest); calm < 0.6 * error) {
            report_.warnings.push_back(fmt::format(
                "so few images do not determine the largest exponent: {} have a standard error of "
                "{:.2f} points, the "
                "default's is {:.2f}; consider `exponents` {} (decide before looking at the "
                "result)",
                calmest->id, 100 * calm, 100 * error, fmt::join(calmest->exponents, ",")));
        }
    }

    const Study& study_;
    const AdjustOptions& options_;
    const ProgressCallback& progress_;
    UnitPlan plan_;
    CellCounts first_, second_;
    Correct correct_;
    std::vector<double> accuracy1_, accuracy2_;
    std::vector<std::unique_ptr<Estimator>> estimators_;
    StandardErrors raw_errors_;
    Replicates replicates_;
    AdjustReport report_;
};

}  // namespace

const MethodResult* AdjustReport::method(std::string_view id) const {
    for (const MethodResult& m : methods) {
        if (m.id == id) return &m;
    }
    return nullptr;
}

void check(const AdjustOptions& options) {
    if (options.moments && !options.exponents.empty()) check_exponents(options.exponents);
    if (options.bootstrap > max_replicates ||
        (options.bootstrap > 0 && options.bootstrap < min_replicates)) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} replicates of the bootstrap: {} to {} are possible, 0 for none",
                                options.bootstrap, min_replicates, max_replicates));
    }
}

AdjustReport adjust(const Study& study, const AdjustOptions& options,
                    const ProgressCallback& progress) {
    if (study.models() == 0 || study.first.size() == 0 || study.second.size() == 0) {
        throw Error(ErrorCode::bad_input, "the study has no classifier or no image");
    }
    check(options);
    return Adjustment(study, options, progress).report();
}

}  // namespace assay::replication
