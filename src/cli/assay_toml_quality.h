// The table [quality] of an assay.toml: the roles of data sets, and how the nine dimensions are
// measured.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/assay_toml.h"

namespace assay::cli {

/// `data` are the data sets of the file, with their names; they get their roles, and those that the
/// table names by path are added. Throws bad_input for unknown keys (with the nearest), and for
/// values with the wrong type or out of range. Throws it also for a role that names nothing, for a
/// data set in two roles, and if there is no val.
QualitySettings read_quality(const nlohmann::json& table, const std::filesystem::path& folder,
                             std::vector<Plan::Data>& data);

}  // namespace assay::cli
