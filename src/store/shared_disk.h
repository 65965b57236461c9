// Whether writers on other machines see this one's locks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::store {

/// Why locks in `folder` hold for this machine alone, by the options with which its file system is
/// mounted; "": they hold for all, or nobody can tell. `mounts`: as /proc/self/mountinfo lists
/// them.
std::string why_locks_are_local(std::string_view mounts, const std::filesystem::path& folder);

/// A sentence on the lock of a folder that is written to; "": all is well. `locked`: the file
/// system has locks.
std::string lock_warning(const std::filesystem::path& folder, bool locked);

}  // namespace assay::store
