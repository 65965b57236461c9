#include "core/folder_aside.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "assay/error.h"
#include "core/file_stream.h"
#include "core/paths.h"

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

void FolderAside::replace() {
    if (!is_there(target_) || is_empty_folder(target_)) {
        keep();
        return;
    }
    sync_folder(aside_.path);
    replace_folder(aside_.path, target_);
    sync_folder(target_.parent_path());  // the destructor removes the earlier folder
}

std::filesystem::path replaced_name(const std::filesystem::path& folder) {
    return folder.parent_path() / fmt::format(".{}.replaced", folder.filename().string());
}

namespace {

[[noreturn]] void cannot_replace(const std::filesystem::path& folder, const std::string& reason) {
    const std::filesystem::path old = replaced_name(folder);
    const bool moved = !is_there(folder) && is_there(old);
    throw Error(ErrorCode::io, fmt::format("cannot replace {}: {}{}", folder.string(), reason,
                                           moved ? "; the earlier one is in " + old.string() : ""));
}

}  // namespace

void replace_folder(const std::filesystem::path& made, const std::filesystem::path& folder) {
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) return;
    if (errno != EINVAL && errno != ENOSYS) cannot_replace(folder, std::strerror(errno));
    replace_by_renames(made, folder);
}

void replace_by_renames(const std::filesystem::path& made, const std::filesystem::path& folder) {
    const std::filesystem::path old = replaced_name(folder);
    std::error_code problem, ignored;
    // Without `folder`, a killed process may have left the only copy there.
    if (is_there(folder)) std::filesystem::remove_all(old, problem);
    if (!problem) std::filesystem::rename(folder, old, problem);
    if (problem) cannot_replace(folder, problem.message());
    std::filesystem::rename(made, folder, problem);
    if (problem) {
        std::filesystem::rename(old, folder, ignored);
        cannot_replace(folder, problem.message());
    }
    std::filesystem::rename(old, made, ignored);  // a leftover does no harm
}

}  // namespace assay
