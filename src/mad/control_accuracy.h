// Estimates accuracy on all images of a competition from the control sample, because the selected
// images are not representative. Each image represents as many images as it was drawn from.
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
    std::uint64_t images = 0;   ///< of the competition
    std::uint64_t drawn = 0;    ///< of these, images drawn with equal probability
    std::uint64_t counted = 0;  ///< of the drawn ones, those that can be judged and have scores
    std::uint64_t correct = 0;
};
/// The proportion among all images that would count. A stratum's weight is the number of its images
/// that would count, estimated from its sample. Interval: Wilson's for each stratum, with a sample
/// size that grows without bound as the sample approaches the whole stratum. Their distances from
/// the proportions are weighted and added in squares (Zou and Donner's MOVER 2008). So a stratum in
/// which all are correct is not treated as certain. With one stratum it is Wilson's interval.
/// Undefined if a stratum has no drawn image, or if nothing counts.
Estimate stratified_proportion(std::span<const SampledStratum> strata, double level);

struct ControlSample {
    std::vector<ControlRow> rows;
    /// labels[c][r] is classifier c's prediction for row r, or nothing if it has no scores for it.
    std::vector<std::vector<std::optional<std::uint16_t>>> labels;
    std::vector<std::uint64_t> scored;  ///< for each classifier: its number of the competition's
                                        ///< images
};
/// For these classifiers. Reads nothing if there is no control sample. Throws bad_input: a missing
/// image or label, inconsistent strata.
ControlSample read_control_sample(const Competition& competition,
                                  const std::vector<CompetitionClassifier>& classifiers);
/// The labels that classifiers predict for every image, which the sample asks about.
std::set<QuestionKey> control_keys(const ControlSample& sample);
/// One per classifier. Undefined while questions about its labels are open or not asked, because
/// those settled first are no random part. Also undefined if the strata have fewer images than the
/// classifier has scores for. Images that nobody can judge do not count.
std::vector<Estimate> control_accuracies(const ControlSample& sample, const Tally& tally,
                                         double level);

}  // namespace assay::mad
