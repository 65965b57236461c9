#include "core/folder_aside.h"

#include <fmt/format.h>

#include <system_error>

#include "assay/error.h"
#include "core/file_stream.h"

namespace assay {

FolderAside::FolderAside(const std::filesystem::path& target)
    : target_(target), aside_(make_temporary_folder(target)) {}

FolderAside::~FolderAside() {
    std::error_code none;
    if (!kept_) std::filesystem::remove_all(aside_.path, none);
}

void FolderAside::keep() {
    sync_folder(aside_.path);
    std::error_code problem;
    std::filesystem::rename(aside_.path, target_, problem);
    if (problem)
        throw Error(ErrorCode::io,
                    fmt::format("cannot make {}: {}", target_.string(), problem.message()));
    kept_ = true;
    // The files in the folder are synced. The folder's name must also be synced.
    sync_folder(target_.parent_path());
}

}  // namespace assay
