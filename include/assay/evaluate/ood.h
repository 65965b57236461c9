// Out-of-distribution detection: how well a classifier's output distinguishes images of its own
// data set from those of another.
//
// An image has three scores, which are greater if it looks more like an image of the first data
// set. The first is the log-odds of the greatest probability, which order images as the probability
// does (Hendrycks and Gimpel 2017). The second is the log-sum-exp of the logits, which is minus the
// energy (Liu et al. 2020). The third is the greatest logit (Hendrycks et al. 2022). The scores are
// 64-bit numbers, so that probabilities near 1 do not tie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/metric/measurement.h"
#include "assay/store/prediction_store.h"

namespace assay {

/// Names of two data sets.
struct OodPair {
    std::string in, out;
    bool operator==(const OodPair&) const = default;
};
/// Parses "IN=OUT". Throws usage.
OodPair parse_ood_pair(std::string_view text);

/// Returns nine values, three for each score: `ood_auroc`, and `ood_fpr95` with each data set as
/// the positives. With the first data set as the positives (ODIN, energy), 95 % of the first pass
/// the threshold. `ood_fpr95` is then the proportion of the second that pass it. With the second as
/// the positives (Hendrycks et al. 2019, OpenOOD), the threshold rejects 95 % of the second.
/// `ood_fpr95` is then the proportion of the first that are rejected. AUROC is the same for both
/// choices of the positives. Keys: the name of data set `in`, and the parameters `out` and `score`.
/// No labels are needed; items without scores are excluded and counted. A value is undefined, with
/// the reason, if a store does not contain what a score needs: stores of probabilities have no
/// logits. The greatest logit and the energy are also available from top-k stores. The bits are the
/// same for any number of threads and ranks. Memory: about 60 bytes per item.
std::vector<Measurement> measure_ood(const PredictionStore& in, const PredictionStore& out,
                                     double level, int threads, Comm& comm);

}  // namespace assay
