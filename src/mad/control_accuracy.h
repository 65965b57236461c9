// What the control sample says of accuracy on all images of a competition, which the selected
// images say nothing about: each image counts for as many as it was drawn out of.
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
    std::uint64_t drawn = 0;    ///< of these, each with the same probability
    std::uint64_t counted = 0;  ///< of the drawn ones, those that can be judged and have scores
    std::uint64_t correct = 0;
};
/// Of all images that would count. Each stratum weighs as many images as, by its sample, would
/// count in it. Interval: Wilson's of each stratum, by a sample size that grows beyond all bounds
/// as the sample becomes the whole stratum; their distances from the proportions, weighted, added
/// in squares (Zou and Donner's MOVER 2008), so that a stratum in which all are correct is not
/// taken for certain. One stratum: Wilson's interval. Undefined: a stratum of which none was drawn;
/// nothing counts.
Estimate stratified_proportion(std::span<const SampledStratum> strata, double level);

struct ControlSample {
    std::vector<ControlRow> rows;
    /// labels[c][r]: what classifier c predicts for row r; nothing: it has no scores of it.
    std::vector<std::vector<std::optional<std::uint16_t>>> labels;
    std::vector<std::uint64_t> scored;  ///< of each classifier: images of the competition
};
/// Of these classifiers; none of them is read where there is no control sample. Throws bad_input:
/// an image or a label that is not there, strata that contradict themselves.
ControlSample read_control_sample(const Competition& competition,
                                  const std::vector<CompetitionClassifier>& classifiers);
/// Of every image the labels that classifiers predict for it: what the sample asks.
std::set<QuestionKey> control_keys(const ControlSample& sample);
/// One a classifier. Undefined while questions about its labels are open or not asked: those
/// settled first are not a random part; where the strata have fewer images than the classifier has
/// scores of. Images that nobody can judge do not count.
std::vector<Estimate> control_accuracies(const ControlSample& sample, const Tally& tally,
                                         double level);

}  // namespace assay::mad
