// Excludes the few images with the fewest annotators, for methods that such images would limit.
#pragma once

#include <vector>

#include "replication/estimator.h"

namespace assay::replication {

/// The largest proportion of a set that may be excluded.
inline constexpr double most_left_out = .01;

/// The largest number of annotators that all but a hundredth of both sets' images have. Otherwise
/// one image with 2 annotators among 10,000 would restrict the moments to straight lines. It would
/// also thin all images to 2 annotators for the naive estimate and the jackknife.
int usual_annotators(const CellCounts& first, const CellCounts& second);

/// A study's counts without the images that have fewer than `least` annotators.
class EnoughAnnotators {
public:
    /// Throws bad_input if no image remains.
    EnoughAnnotators(const CellCounts& all_first, const CellCounts& all_second,
                     const Correct& all_correct, int least);
    CellCounts first, second;
    Correct correct;
    double first_left_out = 0, second_left_out = 0;  ///< images
    /// Converts values by cell of the restricted second set to cells of the whole set; 0 elsewhere.
    std::vector<double> spread_second(const std::vector<double>& values) const;
    /// index of each restricted cell among all cells
    std::vector<std::size_t> first_place, second_place;
    /// Returns "12 images of the original and 3 of the replication with fewer than 24 annotators
    /// are left out", or "" if no image is left out.
    std::string note() const;

private:
    int least_;
    std::size_t second_cells_;
};

/// The cells with at least this many annotators.
CellCounts with_annotators(const CellCounts& counts, int least);

}  // namespace assay::replication
