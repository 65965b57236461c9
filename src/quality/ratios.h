// Values that are made of proportions on different images, from counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "evaluate/ratio_errors.h"

namespace assay::quality {

/// Correct images among those that count.
struct Hits {
    std::uint64_t hits = 0, n = 0;
    double rate() const { return static_cast<double>(hits) / static_cast<double>(n); }
};

/// The variance of hits / n: p (1 - p) / n; of none or all, where that is 0,
/// none_or_all_variance().
double proportion_variance(Hits hits, double level);
/// The variance of log(hits / n), hits > 0.
double log_variance(Hits hits, double level);

/// Completes a mean over corrupted versions divided by the clean accuracy, which comes with the
/// standard error by images: wilson_of_variance() with Student's t; of 0, take_zero_bound(). Where
/// all images agree there is no interval, nor another one than `ratio` has where it is above 1.
/// True where the error is known by images.
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
