// The prediction set of an image: classes with a conformity score up to a threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "decisions/set_scores.h"

namespace assay::decisions {

/// The threshold of a class that is in every set, because of too few calibration images.
inline constexpr double in_every_set = std::numeric_limits<double>::infinity();

/// One threshold, or one for each class.
struct Thresholds {
    double one = in_every_set;
    bool tied = false;  ///< `one` is the score of several calibration images
    std::vector<double> of_class;

    double of(std::int32_t cls) const {
        return of_class.empty() ? one : of_class[static_cast<std::size_t>(cls)];
    }
};

/// The prediction set of one image.
struct ImageSet {
    std::vector<std::int32_t> classes;  ///< the likeliest first; only if they are written
    std::uint32_t size = 0;
    bool covered = false;
};

/// `valid`: the image's classes, ascending. `draw`: its uniform number; 0 without randomness.
/// `listed`: whether the classes are kept.
ImageSet set_of(const SortedRow& row, std::span<const std::int32_t> valid, const SetRule& rule,
                double draw, const Thresholds& thresholds, bool listed);

/// The mean number of classes in at least one set, with Student's interval within 0 and `classes`.
/// Sets of one size have no interval.
Estimate mean_size(const std::vector<ImageSet>& sets, std::uint32_t classes, double level);

}  // namespace assay::decisions
