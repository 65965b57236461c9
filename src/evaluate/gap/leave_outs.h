// How sure the numbers of the gap are: random groups of images left out, one data set at a time.
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
        without;  ///< [data set][group that holds images][statistic]
};

/// Cost: 2 x group_count lists.
LeaveOuts leave_outs(const GapStatistics& statistics, const GapState& first,
                     const GapState& second);

/// The sum of several models' lists, for their mean. A statistic counts the models for which it is
/// defined.
class MeanLeaveOuts {
public:
    /// Models must come in the same order for the same bits. Throws internal where the groups
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
    // A model may lack the images of a whole group: its list then is that with all its images.
    std::array<std::vector<Sums>, 2> without_;
};

/// Interval of statistic `k`: value +- t times the delete-a-group jackknife's standard error, the
/// variances of the two data sets added (they are independent), Welch and Satterthwaite's degrees
/// of freedom. `reason` tells why there is none: a single image, or a value that rests on one
/// group, or no spread at all.
std::optional<Interval> jackknife_interval(const LeaveOuts& lists, std::size_t k, double level,
                                           std::string& reason);

/// The jackknife's standard error of statistic `k`; nothing where jackknife_interval() has a reason
/// other than that there is no spread.
std::optional<double> jackknife_error(const LeaveOuts& lists, std::size_t k);

/// Interval of the ratio of two statistics: all ratios r that numerator - r denominator, whose
/// spread is the jackknife's, does not tell from 0 (Fieller 1954). Lies more to one side of the
/// value than a symmetric one where the denominator is not sure: a gap that came out too small
/// makes the ratio too large. `reason`: as above, or that the denominator cannot be told from 0, so
/// that any ratio fits.
std::optional<Interval> ratio_interval(const LeaveOuts& lists, std::size_t numerator,
                                       std::size_t denominator, double level, std::string& reason);

/// Of first - second, two independent estimates with intervals: each end moves by the root of the
/// sum of squares of the two distances to theirs (MOVER: Zou and Donner 2008). Of two proportions
/// with Wilson's intervals it is Newcombe's (1998) hybrid score interval for unpaired samples.
Interval unpaired_difference(const Estimate& first, const Estimate& second);

/// Of |d|, from that of d.
Interval absolute_interval(const Interval& signed_interval);

}  // namespace assay
