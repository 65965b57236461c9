// Temporary entries that a writer makes next to its output. If the writer is killed, the next
// writer removes them.
//
// A unique name gives the machine, boot and process that made the entry: ".<file>.<machine>-
// <boot>-<pid>-<random>.tmp". Process numbers alone would repeat: in a container every run may be
// number 1. The maker holds a lock on the entry. The kernel drops the lock when the maker ends for
// any reason, and every container of the machine sees it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "core/descriptor.h"

namespace assay {

struct Temporary {
    std::filesystem::path path;
    Descriptor held;  ///< open for writing (folders for reading), and locked
};

/// Makes a new empty file next to `target`. The first call for a folder removes the temporary files
/// of processes that have ended. Throws io.
Temporary make_temporary_file(const std::filesystem::path& target, mode_t mode = 0666);
/// Makes a new empty folder next to `target`, with the same cleanup.
Temporary make_temporary_folder(const std::filesystem::path& target);

/// True if a name gives the maker of the entry. Older names do not.
bool names_its_maker(std::string_view name);

/// Removes the entries of dead makers from `folder`. Keeps entries that are locked or that another
/// machine made. Keeps entries from an earlier boot of this machine if they have been written since
/// the current boot. Never throws.
void remove_leftovers(const std::filesystem::path& folder) noexcept;

}  // namespace assay
