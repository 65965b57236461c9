// How well the g highest classes of an image agree with its g valid ones, and how precise a mean of
// such agreements is.
//
// Of the g highest classes, h are valid. Anzaku et al., "Re-assessing ImageNet" and "The Impact of
// the Single-Label Assumption in Image Recognition Benchmarking": subgroup accuracies and their
// mean, ASMA.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "assay/metric/measurement.h"

namespace assay {

enum class Agreement {
    recall,   ///< h / g: precision and F1 too, because both sets have g members
    jaccard,  ///< h / (2g - h): example-based accuracy (Zhang and Zhou 2014)
    hamming,  ///< 1 - 2 (g - h) / C: the formula as it is printed
};
/// Returns "recall", "jaccard" or "hamming".
Agreement agreement_named(std::string_view name);

/// The result is in [0, 1]. Requires 0 <= h <= g and 1 <= g <= classes.
double agreement_of(Agreement kind, std::uint32_t g, std::uint32_t h, std::uint32_t classes);

/// The mean of n agreements, with the values that its interval needs.
struct MeanAgreement {
    std::uint64_t n = 0;
    double mean = 0;
    double variance = 0;     ///< variance of one agreement with divisor n - 1; 0 if n = 1
    bool yes_or_no = false;  ///< each agreement is 0 or 1: one label per image
};

/// The interval of a mean agreement. It is Wilson's with the n images if each agreement is yes or
/// no. Otherwise it is Wilson's with an effective sample size, as for proportions in cluster
/// samples, because an image is a cluster of labels. The sources are Korn and Graubard 1998, and
/// Franco, Little, Louis and Slud 2019. The effective size is p (1 - p) / (variance / n), with
/// Student's correction for the unknown variance. Two more images of the greatest possible
/// variance, p (1 - p), are added. A few images that happen to agree do not prove that all do. At p
/// = 0 and 1 the size is n. The interval is inside [0, 1] and always has a width above 0.
Interval mean_interval(const MeanAgreement& mean, double level);

/// Adds that interval and the standard error to the mean of `n` values. The values times `to_unit`
/// are in [0, 1], and the sum of their squares is then `square_sum`.
void add_mean_interval(Estimate& mean, double square_sum, double to_unit, bool yes_or_no,
                       double level);

/// Interval of the sum of `weights` times independent means: all sums that no score test rejects,
/// whatever the single means are. The lower end is the least sum of w mu over the means mu with
///   sum of n (m - mu)^2 / (mu (1 - mu)) <= t^2.
/// Each mean has its effective size n as above, but one more image of the greatest variance is
/// added instead of two. The quantile t is Student's with Welch and Satterthwaite's degrees of
/// freedom, or the normal quantile if every agreement is yes or no. For one mean it is Wilson's
/// interval; for two proportions, it is Miettinen and Nurminen's (1985) without their correction. A
/// mean whose images all agree moves too, unlike in the stratified bootstrap. A mean's own skewness
/// does not add up, unlike in combined intervals (MOVER). The interval is inside the range of the
/// sum and always has a width above 0. Requires at least one mean and weights > 0. Cost: about 0.1
/// ms.
Interval weighted_sum_interval(std::span<const MeanAgreement> means,
                               std::span<const double> weights, double level);

/// The differences of two classifiers' agreements on the same n images.
struct PairedAgreement {
    std::uint64_t n = 0;
    double first = 0, second = 0;  ///< mean agreements
    double variance = 0;           ///< variance of one difference with divisor n - 1; 0 if n = 1
    /// variances of one agreement, in the same way
    double first_variance = 0, second_variance = 0;
};
/// The interval of the sum of `weights` times the mean differences, second minus first, computed as
/// above: half of 1 + difference is in [0, 1]. The added image has the variance that the difference
/// would have if the two were independent. The variance of each agreement counts as at least that
/// of one miss in n + 2 images. The interval is inside [-1, 1] times the weights.
Interval paired_sum_interval(std::span<const PairedAgreement> pairs,
                             std::span<const double> weights, double level);

/// One term of an average of independent estimates.
struct Term {
    double value = 0, low = 0, high = 0;
};
/// The interval of the unweighted mean of independent estimates from their intervals. The distance
/// to each end is the root of the sum of squares of the estimates' distances to theirs, divided by
/// their number. This is MOVER (Zou and Donner 2008; Newcombe 1998 for two proportions). For one
/// term it is that term's interval.
Interval mean_of_terms(std::span<const Term> terms, double level, std::string_view method);

}  // namespace assay
