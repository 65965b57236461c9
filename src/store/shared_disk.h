// Detects whether writers on other machines see this machine's locks.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::store {

/// The reason why locks in `folder` are only valid on this machine, from the mount options of its
/// file system. Returns "" if all machines see them, or if that is not known. `mounts` is the text
/// of /proc/self/mountinfo.
std::string why_locks_are_local(std::string_view mounts, const std::filesystem::path& folder);

/// A remark about the lock of an output folder, or "" if there is no problem. `locked` is true if
/// the file system has locks.
std::string lock_warning(const std::filesystem::path& folder, bool locked);

}  // namespace assay::store
