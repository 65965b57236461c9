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

private:
    std::filesystem::path target_;
    Temporary aside_;
    bool kept_ = false;
};

}  // namespace assay
