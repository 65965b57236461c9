// Refuses readings that must not be used: readings by which images were selected, and the same set
// twice.
#pragma once

#include <filesystem>
#include <vector>

#include "assay/replication/selections.h"

namespace assay::replication {

/// Throws bad_input if answers of `set` (annotator, image and label), or its batches, are among the
/// annotations of the selection round. `names` are those used for reading `set`.
void refuse_selection_readings(const Selections& set,
                               const std::vector<std::filesystem::path>& selected_by,
                               StudyNames& names);

/// Throws bad_input if both sets have the same images with the same readings, in any order.
void refuse_same_set(const Readings& first, const Readings& second);

}  // namespace assay::replication
