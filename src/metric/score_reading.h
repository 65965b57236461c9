// Determines whether scores of label sets come from one softmax or from a sigmoid per class: this
// changes what ranks the images of a class.
#pragma once

#include <string>
#include <string_view>

#include "assay/data/label_sets.h"
#include "assay/store/row_reader.h"

namespace assay {

enum class ScoreHead {
    softmax,
    sigmoids,
    either,   ///< logits that fit both
    unknown,  ///< no row has a label and scores
};
struct HeadReading {
    ScoreHead head = ScoreHead::unknown;
    std::string found;  ///< for people, for logits: number of labels from sigmoids
};
/// Reads up to 256 rows of a store of full(), whichever items are measured. `labels` are indexed by
/// the store's rows. Logits belong to a softmax if sigmoids would find many more labels than images
/// have.
HeadReading head_of(const RowReader& reader, const LabelSets& labels);

struct ScoreReading {
    std::string_view ranked_by;  ///< by_probability or by_stored_score
    std::string why;             ///< the reason as a note for people
};

/// Uses the result of head_of(). Throws usage for logits that may be either; the message names
/// `metric` with both values of the parameter.
ScoreReading reading_of(const RowReader& reader, const LabelSets& labels, std::string_view metric);

}  // namespace assay
