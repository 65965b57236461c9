// Items that a caller describes in memory.
#pragma once

#include "assay/data/dataset.h"

namespace assay::store {

/// Gives items without labels an empty set each. Throws bad_input: no items, an empty or repeated
/// id, a number of labels, paths or attribute values that differs from the ids.
void check_given_items(Dataset& dataset);

}  // namespace assay::store
