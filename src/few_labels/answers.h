// People's answers about the drawn images: which classifiers are correct on each image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "few_labels/annotator_rates.h"
#include "few_labels/known.h"
#include "few_labels/sample.h"

namespace assay::few_labels {

struct Judgement {
    enum class State { open, judged, unjudged };
    State state = State::open;
    std::vector<double> correct;  ///< for each classifier, 0 or 1; only if the image is judged
    /// True classes. Only known if labels or annotators name them, which answers of yes and no do
    /// not.
    std::optional<std::vector<std::int32_t>> classes;
};

struct Judgements {
    std::vector<Judgement> of;  ///< for each drawn image, then for each settled one
    std::uint64_t ignored = 0;  ///< answers about other images and labels
    std::vector<std::string> notes;
    std::optional<GoldCounts> gold;  ///< with options.gold
};

/// The majority of votes decides; ties count as no. An image cannot be judged if four fifths of the
/// annotators cannot say whether it shows a predicted label. It is open until each of its predicted
/// labels has an answer; answers that were known before are not overruled by votes; annotators who
/// chose a class answered all of them. Throws as read_votes(), read_label_sets() and
/// read_gold_counts() do.
Judgements read_judgements(const EstimateOptions& options, const Pool& pool, const Sample& sample,
                           const KnownAnswers& known = {});

}  // namespace assay::few_labels
