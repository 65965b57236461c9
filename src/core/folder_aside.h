// A folder that appears whole or not at all: made beside its place, synced, renamed. One that is
// never kept is scratch.
#pragma once

#include <filesystem>

#include "core/temporary.h"

namespace assay {

class FolderAside {
public:
    /// Throws io.
    explicit FolderAside(const std::filesystem::path& target);
    /// What was not kept goes away.
    ~FolderAside();
    FolderAside(const FolderAside&) = delete;
    FolderAside& operator=(const FolderAside&) = delete;

    const std::filesystem::path& path() const { return aside_.path; }
    /// The files in it are synced by those who write them. Throws io: the target is there and not
    /// empty, or cannot be made.
    void keep();

private:
    std::filesystem::path target_;
    Temporary aside_;
    bool kept_ = false;
};

}  // namespace assay
