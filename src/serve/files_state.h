// Whether the files below some paths have changed since they were looked at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::serve {

/// A digest of the names, sizes and times of all files below the paths (and of the paths
/// themselves), in no order. Hidden ones are left out: what is being written stands there. What
/// cannot be read counts as absent. Cost: a stat() a file, up to a million of them below each path;
/// what lies beyond, or deeper than eight folders, is not looked at.
std::string state_of_files(const std::vector<std::filesystem::path>& paths);

}  // namespace assay::serve
