// The stores of a data set and the votes about its images, as one estimate.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/evaluate/by_votes.h"
#include "assay/store/prediction_store.h"

namespace assay {

struct ByVotesOptions {
    std::vector<std::string> votes, experts;  ///< "FILE", or "NAME=FILE"
    std::vector<std::string> subgroups;       ///< as MeasureOptions has them
    double level = .95;
    int threads = 0;
};
/// The labels of a store's data set that stand for images nobody was asked about.
using LabelsOf = std::function<LabelSets(const PredictionStore&)>;

/// What is wrong without a store. Throws usage and bad_input.
void check(const ByVotesOptions& options);

/// One for each data set that votes are about, in the order of the stores. Throws usage: a name
/// that is no data set's, subgroups that only the sets tell, more models than the questions can
/// tell apart; bad_input: one annotator, fewer than two votes per question, votes without
/// information, label sets in place of votes, unknown classes only, images of another data set, a
/// store that keeps too few classes.
std::vector<ByVotes> values_by_votes(std::span<const PredictionStore* const> stores,
                                     const ByVotesOptions& options, const LabelsOf& labels_of);

}  // namespace assay
