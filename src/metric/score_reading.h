// Whether scores of label sets are of one softmax or of a sigmoid for each class: it changes what
// ranks the images of a class.
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
    std::string found;  ///< of logits: how many labels sigmoids would find, for people
};
/// Of up to 256 rows of a store of full(), whatever items are measured. `labels` by the store's
/// rows. Logits are a softmax's where sigmoids would find many more labels than images have.
HeadReading head_of(const RowReader& reader, const LabelSets& labels);

struct ScoreReading {
    std::string_view ranked_by;  ///< by_probability or by_stored_score
    std::string why;             ///< a note, for people
};

/// As head_of() reads it. Throws usage of logits that may be either, which names `metric` with both
/// values of the parameter.
ScoreReading reading_of(const RowReader& reader, const LabelSets& labels, std::string_view metric);

}  // namespace assay
