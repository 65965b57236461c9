#include "replication/exponent_sensitivity.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "assay/error.h"

namespace assay::replication {
namespace {

/// The largest ratio of the standard error of a companion set of exponents to that of the main set.
/// Above this ratio, the companion set shows its own noise instead of the effect of the choice. In
/// simulated studies of 10,000 images the ratio is about 1.3.
constexpr double undetermined = 3;
/// A spread that would be printed as 0.00 points counts as zero.
constexpr double least_told = 5e-5;

/// The estimates with the companion sets of exponents.
std::vector<MethodResult> companions(const CountedStudy& counted, const MethodResult& main) {
    std::vector<MethodResult> all;
    for (const auto& exponents : companion_exponents(counted.annotators())) {
        MethodResult result;
        try {
            CellEffects effects;
            make_moments(exponents, std::min(counted.annotators(), 2 * exponents.back()))
                ->estimate(counted.first, counted.second, counted.correct, &result, &effects);
            // After dropping exponents, the set may equal an existing one.
            const auto same = [&](const MethodResult& other) {
                return other.exponents == result.exponents;
            };
            if (same(main) || std::any_of(all.begin(), all.end(), same)) continue;
            result.id = fmt::format("moments.{}", fmt::join(result.exponents, "_"));
            result.curves.clear();  // curves are only drawn for the main set
            result.drawing = {};
            fill_analytic(counted, result, effects);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            continue;
        }
        const double error = *result.mean_adjusted.standard_error,
                     main_error = *main.mean_adjusted.standard_error;
        if (error > std::max(undetermined * main_error,
                             1e-9)) {  // perfect classifiers have rounding errors on both sides
            MethodResult without;
            without.id = std::move(result.id);
            without.definition = std::move(result.definition);
            without.exponents = std::move(result.exponents);
            make_undefined(
                counted, without,
                fmt::format("the data do not determine s^{}: the mean would have a standard error "
                            "of {:.3g} points; with {} it has {:.3g}",
                            without.exponents.back(), 100 * error, main.id, 100 * main_error));
            result = std::move(without);
        }
        all.push_back(std::move(result));
    }
    return all;
}

/// `sets` has the main estimate first.
void warn_of_exponents(AdjustReport& report, const std::vector<const MethodResult*>& sets) {
    const auto error_of = [](const MethodResult* set) {
        return *set->mean_adjusted.standard_error;
    };
    const double error = error_of(sets.front());
    if (*report.mean_sensitivity > std::max(error, least_told)) {
        report.warnings.push_back(fmt::format(
            "the mean adjusted accuracy changes by {:.2f} points with the choice of exponents, "
            "more than its standard error of {:.2f}. The interval does not cover this",
            100 * *report.mean_sensitivity, 100 * error));
    }
    const auto* calmest =
        *std::min_element(sets.begin(), sets.end(),
                          [&](const auto* x, const auto* y) { return error_of(x) < error_of(y); });
    if (const double calm = error_of(calmest); calm < 0.6 * error) {
        report.warnings.push_back(fmt::format(
            "too few images for the largest exponent: {} have a standard error of {:.2f} points; "
            "the default has {:.2f}. Consider `exponents` {} (decide before looking at the result)",
            calmest->id, 100 * calm, 100 * error, fmt::join(calmest->exponents, ",")));
    }
}

}  // namespace

void add_sensitivity(const CountedStudy& counted, AdjustReport& report) {
    std::vector<MethodResult> others = companions(counted, report.methods.front());
    const auto defined = [](const MethodResult& m) { return m.defined(); };
    if (std::any_of(others.begin(), others.end(), defined)) {
        std::vector<const MethodResult*> sets = {&report.methods.front()};
        for (const MethodResult& m : others) {
            if (defined(m)) sets.push_back(&m);
        }
        const auto spread = [&](auto&& value) {
            const auto [low, high] = std::minmax_element(
                sets.begin(), sets.end(),
                [&](const auto* x, const auto* y) { return value(*x) < value(*y); });
            return value(**high) - value(**low);
        };
        for (std::size_t m = 0; m < report.classifiers.size(); ++m)
            report.sensitivity.push_back(
                spread([m](const MethodResult& set) { return *set.adjusted[m].value; }));
        report.mean_sensitivity =
            spread([](const MethodResult& set) { return *set.mean_adjusted.value; });
        warn_of_exponents(report, sets);
    }
    for (MethodResult& result : others) report.methods.push_back(std::move(result));
}

}  // namespace assay::replication
