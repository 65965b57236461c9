// Selects data sets by a pattern of their names, for means over data sets that repeat one another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay::evaluate {

/// True if the text has one of the characters * ? [ of a pattern.
bool is_pattern(std::string_view text);

/// The stores whose data set's name matches `pattern` (fnmatch(3)), in their order. Adds a warning
/// for each model that is not the same file on all of them. Throws usage if no name matches; the
/// message lists the names.
std::vector<PredictionStore> matching_data_sets(std::vector<PredictionStore> stores,
                                                const std::string& pattern,
                                                std::vector<std::string>& warnings);

}  // namespace assay::evaluate
