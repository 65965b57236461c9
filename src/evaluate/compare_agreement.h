// Paired differences of metrics of label sets: subgroup by subgroup, the two classifiers on the
// same images.
#pragma once

#include <span>

#include "assay/evaluate/compare.h"
#include "evaluate/score_set.h"

namespace assay {

/// Fills difference, interval, p and test. `labels` is the number of valid labels per item. Both
/// values must be defined.
///
/// Over several subgroups, the interval is that of paired_sum_interval() (agreement.h), as for ASMA
/// itself. For one subgroup, it is Newcombe's 1998 method 10 (Zou and Donner 2008). It uses the two
/// means' own intervals and the correlation of the images' agreements. The p-value tests the mean
/// difference divided by its standard error, by Student's t with Satterthwaite's degrees of
/// freedom. The standard error comes from the images' differences in each subgroup. There is no
/// p-value if the images' differences do not vary and are not 0.
void agreement_difference(PairedMetric& pair, const MetricRequest& request,
                          std::span<const std::uint32_t> labels, std::uint32_t classes,
                          const ScoredSet& baseline, const ScoredSet& candidate, double level);

/// The difference of any metric between the same groups of clusters, with Student's test over the
/// groups. `alike`: of ScoredSet. Of proportions the standard error is at least that of one more
/// cluster of the usual size that only one of the two gets right.
void cluster_difference(PairedMetric& pair, const ResampledEstimate& a, const ResampledEstimate& b,
                        const MetricFacts& facts, double alike, double level);

}  // namespace assay
