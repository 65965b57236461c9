// Values that are made of proportions on different images, from counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/estimate.h"

namespace assay::quality {

/// Correct images among those that count.
struct Hits {
    std::uint64_t hits = 0, n = 0;
    double rate() const { return static_cast<double>(hits) / static_cast<double>(n); }
};

/// The variance of hits / n: p (1 - p) / n; of none or all, where that is 0, the square of half the
/// one-sided bound of such a proportion (the rule of three).
double proportion_variance(Hits hits, double level);
/// The variance of log(hits / n), hits > 0.
double log_variance(Hits hits, double level);

/// Wilson's interval of a value in (0, 1), with as many draws as have this variance, and `quantile`
/// of the normal distribution or Student's: unlike value +- quantile * error, it is longer on the
/// side that has room.
Interval wilson_of_variance(double value, double variance, double quantile, double level,
                            std::string method);

/// A value that is 0 because a factor is: [0, bound], and half of the bound as the standard error.
void take_zero_bound(Estimate& value, double bound, double level);

/// Completes attack::geometric_mean_of(), which comes with the standard error of the delta method,
/// of `correct` images that were so before: wilson_of_variance(); where none was fooled, the error
/// and interval of a proportion of all; where that error is 0 otherwise, those of a proportion of
/// this size; of 0, take_zero_bound(). True where the error is the delta method's, and so known by
/// images.
bool set_attack_error(Estimate& ratio, std::uint64_t correct, double level);
/// Likewise of a mean over corrupted versions divided by the clean accuracy; Student's t. Where all
/// images agree there is no interval, nor another one than `ratio` has where it is above 1.
bool set_corruption_error(Estimate& ratio, double clean_accuracy, double level);

/// The geometric mean of the proportions of `sets`, divided by `clean`, all on different images;
/// standard error by the delta method; interval of Zou and Donner (2008) on the logarithm, from
/// Wilson's of each. 0 where a set has nothing correct, with take_zero_bound(). `clean.hits` > 0.
Estimate geometric_ratio(std::span<const Hits> sets, Hits clean, double level);

/// One foreground with backgrounds of its own class and of random ones.
struct ForegroundHits {
    Hits same, rand;
};
struct Focus {
    Estimate value;                 ///< 1 - (proportion with `same` - proportion with `rand`)
    double variance = 0;            ///< of its mean, foregrounds being independent
    std::vector<double> influence;  ///< of each foreground; empty: all agree
};
/// Interval: of single pairs Newcombe's (paired_difference()), else Student's t with a degree fewer
/// than foregrounds. Where all foregrounds agree, the error is that of a proportion of none.
Focus focus_of(std::span<const ForegroundHits> foregrounds, double level);

}  // namespace assay::quality
