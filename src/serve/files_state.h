// Detects whether the files below some paths have changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::serve {

/// A digest of the names, sizes and times of all files below the paths (and of the paths
/// themselves), independent of order. Hidden files are skipped, because they are being written.
/// Unreadable files count as absent. Cost: a stat() per file, for up to a million files below each
/// path and at most eight folders deep; the rest is ignored.
std::string state_of_files(const std::vector<std::filesystem::path>& paths);

}  // namespace assay::serve
