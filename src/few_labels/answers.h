// What people said of the drawn images: which classifiers are correct on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "few_labels/sample.h"

namespace assay::few_labels {

struct Judgement {
    enum class State { open, judged, unjudged };
    State state = State::open;
    std::vector<double> correct;  ///< of each classifier, 0 or 1; where it is judged
};

struct Judgements {
    std::vector<Judgement> of;  ///< of each drawn image
    std::uint64_t ignored = 0;  ///< answers about other images and labels
    std::vector<std::string> notes;
};

/// Votes are settled by majority, ties are no. An image of which four fifths of the annotators
/// cannot say whether it shows a predicted label cannot be judged. It stays open until each of its
/// predicted labels has an answer; annotators who chose a class answered all of them. Throws as
/// read_votes() and read_label_sets().
Judgements read_judgements(const EstimateOptions& options, const Pool& pool, const Sample& sample);

}  // namespace assay::few_labels
