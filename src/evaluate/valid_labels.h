// Counts the results of assay/evaluate/valid_labels.h from the rows of a scoring.
#pragma once

#include <cstddef>
#include <string>

#include "assay/evaluate/valid_labels.h"
#include "evaluate/scored_rows.h"
#include "metric/pass.h"

namespace assay {

struct ValidLabelsOptions {
    const ClassTree* tree = nullptr;  ///< for MissedLabels::sibling; may be nullptr
    bool clustered = false;           ///< images are not independent: there are no intervals
    std::size_t confusions = 0;       ///< number of most frequent confusions that are kept
    std::string scores;  ///< of average_precision: the parameter of mean_average_precision
};

/// `rows` must have records, and odds if it has probabilities. Classes have no names yet.
/// Collective: every rank gets the same result. Cost: one pass over the rows, and two for the
/// average precision.
ValidLabels count_valid_labels(const ScoredRows& rows, PassRun& run,
                               const ValidLabelsOptions& options);

}  // namespace assay
