// Whether scores of label sets are of one softmax or of a sigmoid for each class: it changes what
// ranks the images of a class.
#pragma once

#include <string>
#include <string_view>

#include "assay/data/label_sets.h"
#include "assay/store/row_reader.h"

namespace assay {

struct ScoreReading {
    std::string_view ranked_by;  ///< by_probability or by_stored_score
    std::string why;             ///< a note, for people
};

/// Of the rows of a store of full(), up to 256 of them, whatever items are measured. `labels` by
/// the store's rows. Logits are a softmax's where sigmoids would find many more labels than images
/// have; else they may be either: throws usage, which names `metric` with both values of the
/// parameter.
ScoreReading reading_of(const RowReader& reader, const LabelSets& labels, std::string_view metric);

}  // namespace assay
