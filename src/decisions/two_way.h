// The uncertainty of a mean from two sources: training runs and images.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/estimate.h"

namespace assay::decisions {

/// Correctness by run and image: a vector of 0 and 1 for each run, all of equal length.
using RunTable = std::vector<std::vector<std::uint8_t>>;

/// A mean over a table of runs and images, or a difference of two means, with variances.
struct TwoWay {
    double mean = 0;
    /// The mean with pseudo-images added (Agresti and Coull 1998; of differences, Agresti and Min
    /// 2005). So no interval has width 0, and few images or rare errors keep their coverage.
    double center = 0;
    double images = 0;       ///< variance of the mean over images, given the runs
    double interaction = 0;  ///< the part of `images` from images within runs
    /// Independent groups of runs: one group of pairs, or one group for each method.
    struct Runs {
        double variance = 0;  ///< variance of the runs' means, including the interaction
        double count = 0;
        double interaction = 0;  ///< the group's part of TwoWay::interaction
    };
    std::vector<Runs> runs;
    double low = 0, high = 1;  ///< range of the mean
    std::uint64_t n = 0;       ///< images
};

/// The mean of one method, with at least two runs and two images.
TwoWay two_way(const RunTable& runs);
/// The candidate minus the baseline. Run i of both has the same seed.
TwoWay two_way_paired(const RunTable& baseline, const RunTable& candidate);
/// The same for unpaired runs. Images are paired.
TwoWay two_way_apart(const RunTable& baseline, const RunTable& candidate);

/// For new runs on new images. Half of the width is sqrt(z^2 images + t^2 runs), with Student's t
/// for the few runs. This is exact where either source is alone, and wider than the level between.
/// Two groups of unequal numbers of runs have a t each, and are wider, too. Never narrower than
/// images alone give.
Interval expected_interval(const TwoWay& mean, double level);
/// The interval for the given runs only.
Interval images_interval(const TwoWay& mean, double level);
/// The expected range of the mean of one new run on as many new images.
Interval next_run_interval(const TwoWay& mean, double level);
/// Half of expected_interval() if each group had this number of runs.
double half_width_with(const TwoWay& mean, double runs, double level);
/// The proportion of the variance of the mean that more runs reduce.
double from_runs(const TwoWay& mean);
/// Standard deviation between runs, without the part from images within runs.
double spread_of_runs(const TwoWay& mean);

}  // namespace assay::decisions
