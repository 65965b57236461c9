// Items that a caller describes in memory.
#pragma once

#include "assay/data/dataset.h"

namespace assay::store {

/// Gives items without labels an empty set each. Throws bad_input for no items, an empty or
/// repeated id, or a different number of labels, paths or attribute values than ids.
void check_given_items(Dataset& dataset);

}  // namespace assay::store
