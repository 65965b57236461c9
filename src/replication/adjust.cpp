#include "assay/replication/adjust.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/parallel.h"
#include "replication/adjust_intervals.h"
#include "replication/asking.h"
#include "replication/blind_spot_warnings.h"
#include "replication/exponent_sensitivity.h"
#include "replication/wide_intervals.h"

namespace assay::replication {
namespace {

constexpr std::uint32_t max_replicates = 100000;

/// The state of one call of adjust().
class Adjustment {
public:
    Adjustment(const Study& study, const AdjustOptions& options, const ProgressCallback& progress)
        : counted_(study, options), options_(options), progress_(progress) {}

    AdjustReport report() {
        estimators_ = make_estimators(options_, counted_.first, counted_.second);
        describe_study();
        add_raw();
        if (options_.bootstrap > 0) {
            replicates_ = resample(counted_.study, counted_.plan, counted_.first.grid,
                                   counted_.second.grid, estimators_, options_.bootstrap,
                                   options_.seed, resolve_threads(options_.threads), progress_);
            report_.bootstrap = options_.bootstrap;
            add_raw_bootstrap();
        }
        for (std::size_t e = 0; e < estimators_.size(); ++e) add_method(e);
        if (report_.quoted == "moments" && report_.methods.front().defined())
            add_sensitivity(counted_, report_);
        add_blind_spots(report_);
        mark_wide_intervals(report_);
        return std::move(report_);
    }

private:
    void describe_study() {
        report_.classifiers = counted_.study.classifiers;
        report_.first_images = counted_.study.first.size();
        report_.second_images = counted_.study.second.size();
        std::vector<bool> seen(counted_.study.classes.size(), false);
        for (const auto* set : {&counted_.study.first, &counted_.study.second}) {
            for (const std::uint32_t c : set->classes) seen[c] = true;
        }
        report_.classes = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
        report_.units = counted_.plan.units;
        report_.first_cells = counted_.first;
        report_.second_cells = counted_.second;
        report_.correct = counted_.correct.by_cell;
        report_.warnings = counted_.study.warnings;
        if (counted_.plan.units != options_.units) {
            report_.warnings.push_back(
                "the study has only one class: the intervals assume independent images, but the "
                "same people judged them, so they are too narrow");
        } else if (counted_.plan.units == Units::images && report_.classes > 1) {
            report_.warnings.push_back(
                "the intervals assume independent images. Images of a class that the same people "
                "judged are not independent, so the intervals may be too narrow");
        } else if (counted_.plan.units == Units::classes && counted_.plan.count < 20) {
            report_.warnings.push_back(fmt::format(
                "only {} classes: an interval from the spread between so few classes is unreliable",
                counted_.plan.count));
        }
        warn_of_few_annotators();
        warn_of_asking();
    }

    /// Moments and thinned readings require numbers of annotators that are independent of the
    /// answers. A likelihood only requires that no unseen answer affected these numbers.
    void warn_of_asking() {
        const auto warn = [&](const char* name, const StudySet& set) {
            const auto asked = check_asking(set);
            if (!asked || !asked->depends()) return;
            report_.warnings.push_back(fmt::format(
                "{}: the number of annotators of an image depends on their answers. (Two of them "
                "disagree in {:.0f} % of the cases on images with fewer annotators, in {:.0f} % "
                "with more.) Use pl, npmle or mixture, which stay valid if only answers in the "
                "file decided who else was asked; moments, naive and jackknife do not",
                name, 100 * asked->few, 100 * asked->many));
        };
        warn("original", counted_.study.first);
        warn("replication", counted_.study.second);
    }

    void warn_of_few_annotators() {
        if (const int n = counted_.annotators(); n < 6) {
            report_.warnings.push_back(
                fmt::format("with {} annotators per image only straight lines and parabolas can be "
                            "distinguished: the adjusted accuracy may be biased by several points",
                            n));
        }
    }

    void add_raw() {
        raw_errors_ = standard_errors(counted_.study, counted_.plan, counted_.first,
                                      counted_.second, nullptr);
        for (std::size_t m = 0; m < counted_.study.models(); ++m) {
            report_.first.push_back(counted_.with_error(counted_.of_first(counted_.accuracy1[m]),
                                                        raw_errors_.first[m]));
            report_.second.push_back(counted_.with_error(counted_.of_second(counted_.accuracy2[m]),
                                                         raw_errors_.second[m]));
        }
        const std::size_t mean = counted_.study.models();
        report_.mean_first = counted_.with_error(counted_.of_first(mean_of(counted_.accuracy1)),
                                                 raw_errors_.first[mean]);
        report_.mean_second = counted_.with_error(counted_.of_second(mean_of(counted_.accuracy2)),
                                                  raw_errors_.second[mean]);
        report_.raw_line = counted_.line(counted_.accuracy2, raw_errors_.raw_slope,
                                         raw_errors_.raw_intercept, raw_errors_.raw_covariance);
    }

    void add_raw_bootstrap() {
        if (report_.raw_line)
            bootstrap_line(counted_, replicates_, *report_.raw_line, replicates_.second);
    }

    void add_method(std::size_t e) {
        MethodResult result;
        result.id = estimators_[e]->id();
        result.definition = estimators_[e]->definition();
        if (report_.quoted.empty()) report_.quoted = result.id;
        std::vector<double> values;
        CellEffects effects;
        try {
            values = estimators_[e]->estimate(counted_.first, counted_.second, counted_.correct,
                                              &result, &effects);
        } catch (const Error& error) {
            if (e == 0 || error.code() != ErrorCode::bad_input) throw;
            make_undefined(counted_, result, error.message());
            report_.methods.push_back(std::move(result));
            return;
        }
        const bool analytic = !effects.adjusted.empty();
        if (analytic)
            fill_analytic(counted_, result, effects);
        else
            fill_bootstrap(counted_, replicates_, result, values, e);
        if (result.outside > 0) {
            report_.warnings.push_back(fmt::format(
                "{}: {} adjusted accuracies are outside 0 to 100 %: the data do not determine them",
                result.id, result.outside));
        }
        if (result.covered < 1 - 1e-9) {  // sums of proportions have rounding errors
            report_.warnings.push_back(
                fmt::format("{}: {:.2f} % of the original's images have selection frequencies that "
                            "no image of the replication has",
                            result.id, 100 * (1 - result.covered)));
        }
        report_.methods.push_back(std::move(result));
        if (analytic && options_.bootstrap > 0 && estimators_[e]->resamples())
            add_bootstrap(values, e);
    }

    /// The same estimates with percentile intervals, as in the paper.
    void add_bootstrap(const std::vector<double>& values, std::size_t e) {
        MethodResult result;
        result.id = report_.methods.back().id + ".bootstrap";
        result.definition = report_.methods.back().definition;
        result.exponents = report_.methods.back().exponents;
        fill_bootstrap(counted_, replicates_, result, values, e);
        report_.methods.push_back(std::move(result));
    }

    const CountedStudy counted_;
    const AdjustOptions& options_;
    const ProgressCallback& progress_;
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
                    fmt::format("{} replicates of the bootstrap; allowed: {} to {}, or 0 for none",
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
