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
    std::vector<std::string> votes, experts;  ///< each "FILE" or "NAME=FILE"
    std::vector<std::string> subgroups;       ///< in the form of MeasureOptions
    double level = .95;
    int threads = 0;
};
/// The labels of a store's data set, used for images without questions.
using LabelsOf = std::function<LabelSets(const PredictionStore&)>;

/// Checks the options without a store. Throws usage and bad_input.
void check(const ByVotesOptions& options);

/// Returns one result for each data set that votes are about, in the order of the stores. Throws
/// usage for a name that no data set has, subgroups that only the sets determine, and more models
/// than the questions can distinguish. Throws bad_input for one annotator, fewer than two votes per
/// question, votes without information, and label sets instead of votes. Also throws bad_input for
/// only unknown classes, images of another data set, and a store with too few classes.
std::vector<ByVotes> values_by_votes(std::span<const PredictionStore* const> stores,
                                     const ByVotesOptions& options, const LabelsOf& labels_of);

}  // namespace assay
