// Estimates values from the stores of a data set and the votes about its images.
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
    std::vector<std::string> subgroups;       ///< in the form of MeasureOptions
    double level = .95;
    int threads = 0;
};
/// The labels of a store's data set, used for images that nobody was asked about.
using LabelsOf = std::function<LabelSets(const PredictionStore&)>;

/// Checks what can be known to be wrong without a store. Throws usage and bad_input.
void check(const ByVotesOptions& options);

/// Returns one result for each data set that votes are about, in the order of the stores. Throws
/// usage: a name that is not a data set's, subgroups that are only determined by the sets, more
/// models than the questions can distinguish; bad_input: one annotator, fewer than two votes per
/// question, votes without information, label sets instead of votes, only unknown classes, images
/// of another data set, a store with too few classes.
std::vector<ByVotes> values_by_votes(std::span<const PredictionStore* const> stores,
                                     const ByVotesOptions& options, const LabelsOf& labels_of);

}  // namespace assay
