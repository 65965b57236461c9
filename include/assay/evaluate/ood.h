// Out-of-distribution detection: how well what a classifier says of an image tells images of the
// data set it is for from those of another.
//
// Three scores of an image, greater where it looks more like one of the first data set: the
// log-odds of the greatest probability, which order images as it does (Hendrycks and Gimpel 2017),
// the log-sum-exp of the logits, which is minus the energy (Liu et al. 2020), and the greatest
// logit (Hendrycks et al. 2022). They are 64-bit numbers, so that probabilities near 1 do not tie.
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
/// "IN=OUT". Throws usage.
OodPair parse_ood_pair(std::string_view text);

/// Nine values, of each score: `ood_auroc`; `ood_fpr95` with the first data set as the positives
/// (ODIN, energy), which is the proportion of the second that pass where 95 % of the first do; and
/// with the second as the positives (Hendrycks et al. 2019, OpenOOD), the proportion of the first
/// that are rejected where 95 % of the second are. AUROC is the same for both. Keys: data set
/// `in`'s name, parameters `out` and `score`. No labels are needed; items without scores are left
/// out and counted. Undefined with the reason where a store does not hold what a score needs:
/// logits, of stores of probabilities; the greatest logit and the energy are also known of top-k
/// stores. The same bits for any threads and ranks. Memory: some 60
/// bytes an item.
std::vector<Measurement> measure_ood(const PredictionStore& in, const PredictionStore& out,
                                     double level, int threads, Comm& comm);

}  // namespace assay
