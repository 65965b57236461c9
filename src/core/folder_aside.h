// A folder that appears complete or not at all: it is made under a temporary name, synced and
// renamed. A folder that is never kept serves as scratch space.
#pragma once

#include <filesystem>

#include "core/temporary.h"

namespace assay {

class FolderAside {
public:
    /// Throws io.
    explicit FolderAside(const std::filesystem::path& target);
    /// Removes the folder unless keep() was called.
    ~FolderAside();
    FolderAside(const FolderAside&) = delete;
    FolderAside& operator=(const FolderAside&) = delete;

    const std::filesystem::path& path() const { return aside_.path; }
    /// Renames the folder to the target. The writers of its files must have synced them. Throws io
    /// if the target is not empty or cannot be created.
    void keep();
    /// As keep(), but also replaces a target with contents, by replace_folder().
    void replace();

private:
    std::filesystem::path target_;
    Temporary aside_;
    bool kept_ = false;
};

/// Puts the folder `made` in the place of `folder`, which exists: in one step if the file system
/// can exchange names. `made` is the earlier folder then, for the caller to remove. The caller has
/// synced the files, and syncs the folder above. If this fails, `folder` is the earlier one, or the
/// message says where the earlier one is. Throws io.
void replace_folder(const std::filesystem::path& made, const std::filesystem::path& folder);
/// The same for file systems that cannot exchange names: `folder` is missing for a moment.
void replace_by_renames(const std::filesystem::path& made, const std::filesystem::path& folder);
/// The name of the earlier folder for a moment, if the file system cannot exchange names. A killed
/// process leaves it behind.
std::filesystem::path replaced_name(const std::filesystem::path& folder);

}  // namespace assay
