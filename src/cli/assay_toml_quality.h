// The table [quality] of an assay.toml: which data sets play which roles, and how the nine
// dimensions are measured.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/assay_toml.h"

namespace assay::cli {

/// `data`: those of the file, with their names; they get their roles, and what the table names by
/// its path is added. Throws bad_input: unknown keys (with the nearest), values of the wrong type
/// or outside of what is allowed, a role that names nothing, a data set in two roles, no val.
QualitySettings read_quality(const nlohmann::json& table, const std::filesystem::path& folder,
                             std::vector<Plan::Data>& data);

}  // namespace assay::cli
