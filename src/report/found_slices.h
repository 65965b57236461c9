// Slices of the data sets of a report, as `assay slices` finds them.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/report/document.h"
#include "assay/slices/slices.h"
#include "report/measured.h"
#include "report/said.h"
#include "report/store_groups.h"

namespace assay {

/// Data set and model.
using NamedModels = std::set<std::pair<std::string, std::string>>;

/// Models whose slices are in `result`, if it is "assay.slices/1".
void add_sliced_models(const nlohmann::json& result, NamedModels& models);

/// Slices of the best models of a group, with the names of the group; each model has at most
/// `options.slices`. Images are not read, so there are no slices by their pixels. Without `known`
/// models, whose slices are in the report already. Nothing if no model could be searched;
/// `said.left_out` has the reason. Cost: find_slices() without images, for each model.
std::optional<slices::SliceResult> slices_of_group(const StoreGroup& group, const BestOfGroup& best,
                                                   const ReportOptions& options,
                                                   const NamedModels& known, Said& said);

}  // namespace assay
