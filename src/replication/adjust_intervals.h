// Estimates with errors and intervals. Those for the raw accuracies and the moments are analytic.
// Every method can use percentiles of the replicates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/replication/adjust.h"
#include "replication/estimator.h"
#include "replication/influence.h"
#include "replication/study_bootstrap.h"

namespace assay::replication {

/// With fewer replicates there is no percentile interval.
inline constexpr std::uint32_t min_replicates = 20;

double mean_of(const std::vector<double>& x);

/// The input of every method: a study counted into cells, with its raw accuracies.
struct CountedStudy {
    CountedStudy(const Study& study, const AdjustOptions& options);

    const Study& study;
    const AdjustOptions& options;
    UnitPlan plan;
    CellCounts first, second;
    Correct correct;
    std::vector<double> accuracy1, accuracy2;  ///< by classifier

    /// The number of annotators that almost every image of both sets has: usual_annotators().
    int annotators() const;
    /// Proportions whose n counts the images of one set or of both sets.
    Estimate of_first(double value) const;
    Estimate of_second(double value) const;
    Estimate of_both(double value) const;
    Estimate with_error(Estimate estimate, double error) const;
    /// "t.by_class"
    std::string interval_name(const char* kind) const;
    /// The line of `y` on the original's accuracies; empty for one classifier or equal accuracies.
    std::optional<LineFit> line(const std::vector<double>& y, double slope_error,
                                double intercept_error, std::optional<double> covariance) const;
};

/// Makes every estimate of the method undefined, for this reason.
void make_undefined(const CountedStudy& counted, MethodResult& result, const std::string& reason);
void fill_analytic(const CountedStudy& counted, MethodResult& result, const CellEffects& effects);
/// `method` is an index in the replicates. Without replicates there are no intervals.
void fill_bootstrap(const CountedStudy& counted, const Replicates& replicates, MethodResult& result,
                    const std::vector<double>& values, std::size_t method);
/// Intervals of a line from replicates, with both axes resampled.
void bootstrap_line(const CountedStudy& counted, const Replicates& replicates, LineFit& fit,
                    const std::vector<std::vector<double>>& y);

}  // namespace assay::replication
