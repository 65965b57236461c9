// The table [quality] of an assay.toml: the roles of data sets, and the settings of the nine
// dimensions.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/assay_toml.h"

namespace assay::cli {

/// `data` are the data sets of the file, with their names; they get their roles, and those that the
/// table names by path are added. Throws bad_input for unknown keys (with the nearest), and for
/// values with the wrong type or out of range. Also throws bad_input for a role that names nothing,
/// a data set in two roles, and a missing val.
QualitySettings read_quality(const nlohmann::json& table, const std::filesystem::path& folder,
                             std::vector<Plan::Data>& data);

}  // namespace assay::cli
