// Compares a gap by one metric with the gap by another, on the same images.
#pragma once

#include <array>
#include <optional>

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// Variances and covariance of two gaps.
struct GapCovariance {
    double aa = 0, ab = 0, bb = 0;
};
/// Errors of one metric on both data sets.
struct MetricFactors {
    const Factor *first, *second;
};
/// The moments for the mean over the models. The shared rows of both metrics are the same groups of
/// images; a model's own rows are not shared between metrics.
GapCovariance covariance_of_means(const MetricFactors& a, const MetricFactors& b);
GapCovariance covariance_of_model(const MetricFactors& a, const MetricFactors& b,
                                  std::size_t model);

/// The same for published values, for which only the sizes of errors are known: [data set][model].
struct TableErrors {
    std::array<std::span<const double>, 2> a, b;
};
/// `models` is the correlation of two models' errors, `metrics` that of two metrics' errors for one
/// model.
GapCovariance covariance_of_means(const TableErrors& errors, double models, double metrics);
GapCovariance covariance_of_model(const TableErrors& errors, std::size_t model, double metrics);

struct GapDifference {
    Range difference;            ///< gap by a minus gap by b
    std::optional<Range> share;  ///< proportion by which the gap shrinks, 1 - b / a; no value if
                                 ///< gap a cannot be distinguished from 0
};
/// The interval of the share is Fieller's (1954). For several covariances, they are united.
GapDifference difference_of_gaps(double gap_a, double gap_b,
                                 std::span<const GapCovariance> covariances, double level);

}  // namespace assay::statements
