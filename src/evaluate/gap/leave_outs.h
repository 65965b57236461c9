// The uncertainty of the numbers of the gap: random groups of images are excluded, one data set at
// a time.
#pragma once

#include <vector>

#include "assay/metric/measurement.h"
#include "evaluate/gap/gap_statistics.h"

namespace assay {

/// A list of statistics with all images, and without each group of the first and of the second data
/// set.
struct LeaveOuts {
    std::vector<Maybe> whole;
    std::array<std::vector<std::vector<Maybe>>, 2>
        without;  ///< [data set][group that contains images][statistic]
};

/// Cost: 2 x group_count lists.
LeaveOuts leave_outs(const GapStatistics& statistics, const GapState& first,
                     const GapState& second);

/// The sum of several models' lists, for their mean. A statistic counts the models for which it is
/// defined.
class MeanLeaveOuts {
public:
    /// Models must be added in the same order to get the same bits. Throws internal if the groups
    /// differ.
    void add(const LeaveOuts& model);
    /// The mean, with `explained` as the ratio of two means: that of the averages, not the average
    /// of the ratios.
    LeaveOuts mean(const GapStatistics& statistics) const;
    std::uint32_t models(std::size_t statistic) const { return whole_.models.at(statistic); }

private:
    struct Sums {
        std::vector<double> sum;
        std::vector<std::uint32_t> models;
        void add(const std::vector<Maybe>& list);
    };
    Sums whole_;
    // If a model has no images in a whole group, its list is the list with all images.
    std::array<std::vector<Sums>, 2> without_;
};

/// Interval of statistic `k`: value +- t times the delete-a-group jackknife's standard error. The
/// variances of the two data sets are added, because the data sets are independent. The quantile t
/// has Welch and Satterthwaite's degrees of freedom. `reason` says why there is none: a single
/// image, a value that depends on one group, or no spread at all.
std::optional<Interval> jackknife_interval(const LeaveOuts& lists, std::size_t k, double level,
                                           std::string& reason);

/// The jackknife's standard error of statistic `k`; no value if jackknife_interval() has a reason
/// other than zero spread.
std::optional<double> jackknife_error(const LeaveOuts& lists, std::size_t k);

/// Interval of the ratio of two statistics (Fieller 1954). It contains all ratios r for which
/// numerator - r denominator is not significantly different from 0, by the jackknife's spread. It
/// is asymmetric if the denominator is uncertain: a gap that happens to be too small makes the
/// ratio too large. `reason` is as above, or that the denominator cannot be distinguished from 0,
/// so that any ratio is possible.
std::optional<Interval> ratio_interval(const LeaveOuts& lists, std::size_t numerator,
                                       std::size_t denominator, double level, std::string& reason);

/// The interval of first - second for two independent estimates with intervals. The distance to
/// each end is the root of the sum of squares of the two distances to theirs (MOVER: Zou and Donner
/// 2008). For two proportions with Wilson's intervals it is Newcombe's (1998) hybrid score interval
/// for unpaired samples.
Interval unpaired_difference(const Estimate& first, const Estimate& second);

/// The interval of |d|, from the interval of d.
Interval absolute_interval(const Interval& signed_interval);

}  // namespace assay
