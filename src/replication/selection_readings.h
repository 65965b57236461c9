// Readings that must not be used: those by which images were selected, and one set for both.
#pragma once

#include <filesystem>
#include <vector>

#include "assay/replication/selections.h"

namespace assay::replication {

/// Throws bad_input when answers of `set` (annotator, image and label) are among the annotations of
/// the selection round, or batches are. `names`: those that `set` was read with.
void refuse_selection_readings(const Selections& set,
                               const std::vector<std::filesystem::path>& selected_by,
                               StudyNames& names);

/// Throws bad_input when both sets hold the same images with the same readings, in any order.
void refuse_same_set(const Readings& first, const Readings& second);

}  // namespace assay::replication
