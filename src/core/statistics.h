// Intervals, paired tests and resampling weights. These functions know nothing of images or models:
// they take counts and numbers, and return intervals and p-values.
//
// Every probability is in [0, 1]. `level` is the level of a two-sided interval, in (0, 1). Bad
// arguments throw Error{usage}.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"

namespace assay {

double normal_cdf(double x);
/// The quantile of the normal distribution at p in (0, 1).
double normal_quantile(double p);
/// The quantile of Student's t at p in (0, 1), with degrees of freedom > 0.
double student_t_quantile(double p, double degrees);
/// P(T > x).
double student_t_tail(double x, double degrees);

/// Wilson's score interval of a proportion (Wilson 1927). trials > 0, hits <= trials. It never
/// leaves [0, 1] and is never empty.
Interval wilson(std::uint64_t hits, std::uint64_t trials, double level = 0.95);
/// hits / trials with Wilson's interval. Without trials it is undefined, because of `why_none`.
Estimate wilson_proportion(std::uint64_t hits, std::uint64_t trials, double level,
                           std::string why_none);
/// Wilson's interval for the mean of `n` numbers in [0, 1], n > 0. Their variance is at most mean
/// (1 - mean), the variance of a proportion, so the interval is not too narrow. The mean is not
/// rounded to whole hits.
Interval wilson_of_mean(double mean, std::uint64_t n, double level = 0.95);
/// Wilson's interval for a proportion from `size` draws, which need not be a whole number.
/// `quantile` is that of the normal distribution or Student's, and `method` its name. mean in [0,
/// 1], size > 0. It never leaves [0, 1], and always contains the mean.
Interval wilson_of_size(double mean, double size, double quantile, double level,
                        std::string method);
/// The interval of Clopper and Pearson (1934), which always covers at least `level`.
Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double level = 0.95);
/// The one-sided upper bound of a rate after 0 hits in n trials: 1 - (1 - level)^(1/n), the exact
/// form of "3/n".
double zero_hits_bound(std::uint64_t trials, double level = 0.95);

/// value +- quantile * standard_error. `degrees` > 0 uses Student's t instead of the normal
/// distribution.
Interval symmetric_interval(double value, double standard_error, double level, std::string method,
                            double degrees = 0);

McNemar mcnemar(std::uint64_t b, std::uint64_t c);

/// The difference (b - c) / n of two proportions on the same n items. The interval is
/// Newcombe's (1998) hybrid score interval (method 10). It stays inside [-1, 1] and has a width
/// when b = c = 0. `both` is the number of items on which both succeed.
struct PairedDifference {
    double value = 0;
    double standard_error = 0;  ///< sqrt(b + c - (b - c)^2 / n) / n
    Interval interval;
};
PairedDifference paired_difference(std::uint64_t both, std::uint64_t b, std::uint64_t c,
                                   std::uint64_t n, double level = 0.95);

/// Holm's (1979) step-down adjustment. The results are in the order of the p-values.
std::vector<double> holm(std::span<const double> p);
/// Benjamini and Hochberg's (1995) adjustment, which bounds the expected proportion of false
/// discoveries. The results are in the order of the p-values.
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// A quantile by linear interpolation between order statistics (Hyndman and Fan's type 7). `sorted`
/// must be ascending and not empty.
double quantile_sorted(std::span<const double> sorted, double q);
/// The interval with the central `level` of the replicates. Needs at least 2.
Interval percentile_interval(std::vector<double> replicates, double level, std::string method);

/// Poisson(1) bootstrap weights that depend only on (seed, purpose, replicate, item). So blocks of
/// items can be weighted anywhere and merged by addition, and two classifiers get the same weights
/// on the same items.
class BootstrapWeights {
public:
    BootstrapWeights(std::uint64_t seed, std::string_view purpose);
    std::uint32_t operator()(std::uint64_t replicate, std::uint64_t item) const;

private:
    std::uint64_t key_;
};

/// The standard error by the delete-a-group jackknife: sqrt((G-1)/G sum (x - mean)^2). `left_out`
/// has the statistic without group g, for each of G groups. Needs at least 2 groups.
double jackknife_standard_error(std::span<const double> left_out);

}  // namespace assay
