// Estimates accuracy on all images of a competition from the control sample, because the selected
// images are not representative. Each drawn image represents an equal part of its stratum.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "assay/mad/competition.h"
#include "mad/tally.h"

namespace assay::mad {

struct SampledStratum {
    std::uint64_t images = 0;   ///< images of the competition
    std::uint64_t drawn = 0;    ///< images drawn with equal probability
    std::uint64_t counted = 0;  ///< drawn images that can be judged and have scores
    std::uint64_t correct = 0;
};
/// The proportion among all images that could be judged and have scores. A stratum's weight is the
/// number of its images that would count, estimated from its sample. Each stratum has Wilson's
/// interval, with a sample size that becomes infinite as the sample approaches the whole stratum.
/// The weighted squares of the ends' distances are added (Zou and Donner's MOVER 2008). So a
/// stratum with only correct images is not certain. With one stratum it is Wilson's interval.
/// Undefined if a stratum has no drawn image, or if nothing counts.
Estimate stratified_proportion(std::span<const SampledStratum> strata, double level);

struct ControlSample {
    std::vector<ControlRow> rows;
    /// labels[c][r] is classifier c's prediction for row r, or nothing if it has no scores for it.
    std::vector<std::vector<std::optional<std::uint16_t>>> labels;
    std::vector<std::uint64_t> scored;  ///< per classifier: its number of the competition's
                                        ///< images
};
/// Reads the control sample for these classifiers, if there is one. Throws bad_input for a missing
/// image or label, inconsistent strata.
ControlSample read_control_sample(const Competition& competition,
                                  const std::vector<CompetitionClassifier>& classifiers);
/// The labels that classifiers predict for every image, which the sample asks about.
std::set<QuestionKey> control_keys(const ControlSample& sample);
/// One estimate per classifier. Undefined while questions about its labels are open or not asked,
/// because the questions settled first are no random part. Also undefined if the strata have fewer
/// images than the classifier has scores for. Images that nobody can judge do not count.
std::vector<Estimate> control_accuracies(const ControlSample& sample, const Tally& tally,
                                         double level);

}  // namespace assay::mad
