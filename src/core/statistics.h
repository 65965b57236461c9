// Intervals, paired tests and resampling weights. No domain words: counts and numbers in, intervals
// and p-values out.
//
// Every probability is in [0, 1]; `level` is that of a two-sided interval, in (0, 1); bad arguments
// throw Error{usage}.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"

namespace assay {

double normal_cdf(double x);
/// p in (0, 1).
double normal_quantile(double p);
/// p in (0, 1), degrees of freedom > 0.
double student_t_quantile(double p, double degrees);
/// P(T > x).
double student_t_tail(double x, double degrees);

/// Wilson's score interval of a proportion (Wilson 1927). trials > 0, hits <= trials. Never leaves
/// [0, 1], never empty.
Interval wilson(std::uint64_t hits, std::uint64_t trials, double level = 0.95);
/// hits / trials with Wilson's interval; undefined, because of `why_none`, of 0 trials.
Estimate wilson_proportion(std::uint64_t hits, std::uint64_t trials, double level,
                           std::string why_none);
/// The same for the mean of `n` numbers in [0, 1], n > 0: their variance is at most mean (1 -
/// mean), that of a proportion, so the interval is not too narrow. Not rounded to whole hits.
Interval wilson_of_mean(double mean, std::uint64_t n, double level = 0.95);
/// Wilson's interval of a proportion from as many draws as `size`, which need not be whole, with
/// `quantile` of the normal distribution or Student's; `method`: its name. mean in [0, 1], size >
/// 0. Never leaves [0, 1], always holds the mean.
Interval wilson_of_size(double mean, double size, double quantile, double level,
                        std::string method);
/// Clopper and Pearson (1934): covers at least `level`, always.
Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double level = 0.95);
/// One-sided upper bound of a rate after 0 hits in n trials: 1 - (1 - level)^(1/n), the exact form
/// of "3/n".
double zero_hits_bound(std::uint64_t trials, double level = 0.95);

/// Value +- quantile * standard_error, cut to [low, high]. `degrees` > 0 takes Student's t instead
/// of the normal.
Interval symmetric_interval(double value, double standard_error, double level, std::string method,
                            double degrees = 0);

McNemar mcnemar(std::uint64_t b, std::uint64_t c);

/// Difference (b - c) / n of two proportions measured on the same n items, with Newcombe's (1998)
/// hybrid score interval (method 10), which stays inside [-1, 1] and has a width when b = c = 0.
/// `both`: items that both got right.
struct PairedDifference {
    double value = 0;
    double standard_error = 0;  ///< sqrt(b + c - (b - c)^2 / n) / n
    Interval interval;
};
PairedDifference paired_difference(std::uint64_t both, std::uint64_t b, std::uint64_t c,
                                   std::uint64_t n, double level = 0.95);

/// Holm's (1979) step-down adjustment of p-values, in the order given.
std::vector<double> holm(std::span<const double> p);
/// Benjamini and Hochberg's (1995) adjustment, which bounds the expected proportion of false finds
/// among the finds, in the order given.
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// Linear interpolation between order statistics (Hyndman and Fan's type 7). `sorted` ascending,
/// not empty.
double quantile_sorted(std::span<const double> sorted, double q);
/// The middle `level` of the replicates. Needs at least 2.
Interval percentile_interval(std::vector<double> replicates, double level, std::string method);

/// Bootstrap weights, Poisson(1) each, that depend on (seed, purpose, replicate, item) alone: any
/// block of items may be weighed anywhere and blocks merged by adding, and two classifiers get the
/// same weights on the same items.
class BootstrapWeights {
public:
    BootstrapWeights(std::uint64_t seed, std::string_view purpose);
    std::uint32_t operator()(std::uint64_t replicate, std::uint64_t item) const;

private:
    std::uint64_t key_;
};

/// Standard error from the statistics without group g, one a group (delete-a-group jackknife):
/// sqrt((G-1)/G sum (x - mean)^2). Needs at least 2 groups.
double jackknife_standard_error(std::span<const double> left_out);

}  // namespace assay
