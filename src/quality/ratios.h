// Values that are computed from proportions on different images, using counts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "evaluate/ratio_errors.h"

namespace assay::quality {

/// The number of correct images among those that count.
struct Hits {
    std::uint64_t hits = 0, n = 0;
    double rate() const { return static_cast<double>(hits) / static_cast<double>(n); }
};

/// The variance of hits / n: p (1 - p) / n, or none_or_all_variance() if no image or every image is
/// a hit.
double proportion_variance(Hits hits, double level);
/// The variance of log(hits / n), hits > 0.
double log_variance(Hits hits, double level);

/// Completes a mean over corrupted versions divided by the clean accuracy, which comes with the
/// standard error by images. Uses wilson_of_variance() with Student's t, and take_zero_bound() for
/// 0. If all images agree, there is no interval. The interval of a `ratio` above 1 is not changed.
/// Returns true if the error is known by images.
bool set_corruption_error(Estimate& ratio, double clean_accuracy, double level);

/// The geometric mean of the proportions of `sets`, divided by `clean`, all on different images.
/// The standard error is by the delta method. The interval is that of Zou and Donner (2008) on the
/// logarithm, from each set's Wilson interval. If a set has no correct image, the value is 0, with
/// take_zero_bound(). `clean.hits` must be above 0.
Estimate geometric_ratio(std::span<const Hits> sets, Hits clean, double level);

/// One foreground, with backgrounds of its own class and with random backgrounds.
struct ForegroundHits {
    Hits same, rand;
};
struct Focus {
    Estimate value;                 ///< 1 - (proportion with `same` - proportion with `rand`)
    double variance = 0;            ///< variance of the mean, with foregrounds treated as
                                    ///< independent
    std::vector<double> influence;  ///< by foreground; empty if all agree
};
/// The interval is Newcombe's (paired_difference()) for single pairs. Otherwise it is Student's t
/// with one degree of freedom fewer than foregrounds. If all foregrounds agree, the error is that
/// of a proportion of 0.
Focus focus_of(std::span<const ForegroundHits> foregrounds, double level);

}  // namespace assay::quality
