// Entries that a writer makes beside what it writes, and that the next writer clears away when the
// first one was killed.
//
// A name says which machine, boot and process made it, and is like no other: ".<file>.<machine>-
// <boot>-<pid>-<random>.tmp". Process numbers alone come again: in a container every run may be
// number 1. Its maker holds a lock on the entry, which the kernel drops when the maker ends,
// however it ends, and which is seen from every container of the machine.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

#include "core/descriptor.h"

namespace assay {

struct Temporary {
    std::filesystem::path path;
    Descriptor held;  ///< open for writing (of a folder: for reading), and locked
};

/// A new empty file beside `target`. What dead writers left in that folder is removed first, the
/// first time that this process makes something there. Throws io.
Temporary make_temporary_file(const std::filesystem::path& target, mode_t mode = 0666);
/// A new empty folder beside `target`; the same for what was left.
Temporary make_temporary_folder(const std::filesystem::path& target);

/// Whether a name says who made the entry; those of before November 2026 did not.
bool names_its_maker(std::string_view name);

/// Removes from `folder` what dead makers left. What is kept: all that is locked, that another
/// machine made, or that an earlier boot of this machine made but something wrote to since it is
/// up. Never throws.
void remove_leftovers(const std::filesystem::path& folder) noexcept;

}  // namespace assay
