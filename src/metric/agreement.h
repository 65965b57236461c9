// How well the g highest classes of an image agree with its g valid ones, and how sure a mean of
// such agreements is.
//
// h of the g are valid. Anzaku et al., "Re-assessing ImageNet" and "The Impact of the Single-Label
// Assumption in Image Recognition Benchmarking": subgroup accuracies and their mean, ASMA.
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
/// "recall", "jaccard", "hamming".
Agreement agreement_named(std::string_view name);

/// In [0, 1]. 0 <= h <= g, 1 <= g <= classes.
double agreement_of(Agreement kind, std::uint32_t g, std::uint32_t h, std::uint32_t classes);

/// The mean of n agreements with what its interval needs.
struct MeanAgreement {
    std::uint64_t n = 0;
    double mean = 0;
    double variance = 0;     ///< of one agreement: divisor n - 1; 0 where n = 1
    bool yes_or_no = false;  ///< each agreement is 0 or 1: one label an image
};

/// Interval of a mean agreement: Wilson's, with the n images where each is one yes or no, else with
/// an effective sample size, as for proportions in cluster samples (Korn and Graubard 1998; Franco,
/// Little, Louis and Slud 2019): a image is a cluster of labels. That size is p (1 - p) / (variance
/// / n), with Student's correction for the unknown variance. Two more images of the greatest
/// possible variance, p (1 - p), are put in: a handful of images that happen to agree are no proof
/// that all do. At p = 0 and 1 the size is n. Inside [0, 1], never without width.
Interval mean_interval(const MeanAgreement& mean, double level);

/// Adds that interval and the standard error to the mean of `n` values. Times `to_unit` they are in
/// [0, 1], and there the sum of their squares is `square_sum`.
void add_mean_interval(Estimate& mean, double square_sum, double to_unit, bool yes_or_no,
                       double level);

/// Interval of the sum of `weights` times independent means: all sums that are told apart from the
/// data by no score test, whatever the single means are. The lower end is the least sum of w mu
/// with
///   sum of n (m - mu)^2 / (mu (1 - mu)) <= t^2
/// over the means mu, each with its effective size n as above (one more image of the greatest
/// variance is put in instead of two); t is Student's with Welch and Satterthwaite's degrees of
/// freedom, the normal quantile where every agreement is a yes or a no. Of one mean it is Wilson's
/// interval; of two proportions, Miettinen and Nurminen's (1985) without their correction. A mean
/// whose images all agree moves too, unlike in the stratified bootstrap, and a mean's own skewness
/// does not add up as it does where intervals are put together (MOVER). Inside the range of the
/// sum, never without width. Not empty; weights > 0. Cost: about 0.1 ms.
Interval weighted_sum_interval(std::span<const MeanAgreement> means,
                               std::span<const double> weights, double level);

/// The differences of two classifiers' agreements on the same n images.
struct PairedAgreement {
    std::uint64_t n = 0;
    double first = 0, second = 0;  ///< mean agreements
    double variance = 0;           ///< of one difference: divisor n - 1; 0 where n = 1
    double first_variance = 0, second_variance = 0;  ///< of one agreement, likewise
};
/// Interval of the sum of `weights` times the mean differences, second minus first, as above: half
/// of 1 + difference lies in [0, 1]. The image that is put in has the variance that the two would
/// have if they knew nothing of each other, and at least that of one in n + 2 images. Inside [-1,
/// 1] times the weights.
Interval paired_sum_interval(std::span<const PairedAgreement> pairs,
                             std::span<const double> weights, double level);

/// One term of an average of independent estimates.
struct Term {
    double value = 0, low = 0, high = 0;
};
/// Interval of the unweighted mean of independent estimates from their own intervals: each end
/// moves by the root of the sum of squares of the terms' distances to theirs (MOVER: Zou and Donner
/// 2008; Newcombe 1998 for two proportions). One term: its own interval.
Interval mean_of_terms(std::span<const Term> terms, double level, std::string_view method);

}  // namespace assay
