// How much smaller a gap is by one metric than by another, on the same images.
#pragma once

#include <array>
#include <optional>

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// Variances of two gaps, and what their errors have in common.
struct GapCovariance {
    double aa = 0, ab = 0, bb = 0;
};
/// Errors of one metric on both data sets.
struct MetricFactors {
    const Factor *first, *second;
};
/// Of the mean over the models. Both metrics' shared rows are the same groups of images; rows of
/// one model are not shared between metrics.
GapCovariance covariance_of_means(const MetricFactors& a, const MetricFactors& b);
GapCovariance covariance_of_model(const MetricFactors& a, const MetricFactors& b,
                                  std::size_t model);

/// Of published values, whose errors are known by their size alone: [data set][model].
struct TableErrors {
    std::array<std::span<const double>, 2> a, b;
};
/// `models`: correlation of two models' errors, `metrics`: of two metrics' errors of one model.
GapCovariance covariance_of_means(const TableErrors& errors, double models, double metrics);
GapCovariance covariance_of_model(const TableErrors& errors, std::size_t model, double metrics);

struct GapDifference {
    Range difference;            ///< gap by a less gap by b
    std::optional<Range> share;  ///< by which the gap shrinks, 1 - b / a; none: gap a is not clear
};
/// The interval of the share is Fieller's (1954). Of several covariances, the union of all.
GapDifference difference_of_gaps(double gap_a, double gap_b,
                                 std::span<const GapCovariance> covariances, double level);

}  // namespace assay::statements
