#include "core/paths.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

#include "assay/error.h"
#include "core/url.h"

namespace assay {

namespace fs = std::filesystem;

fs::file_status status_of(const fs::path& path) {
    std::error_code error;
    fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::none) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot examine `{}`: {}", path.string(), error.message()));
    }
    return status;
}

bool is_there(const fs::path& path) {
    return fs::exists(status_of(path));
}

bool is_folder(const fs::path& path) {
    return fs::is_directory(status_of(path));
}

std::uint64_t file_bytes(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot examine `{}`: {}", path.string(), error.message()));
    }
    return bytes;
}

void for_each_name_in(const fs::path& folder, const std::function<bool(std::string_view)>& body) {
    const auto fail = [&] {
        throw Error(ErrorCode::io,
                    fmt::format("cannot list `{}`: {}", folder.string(),
                                std::error_code(errno, std::generic_category()).message()));
    };
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), &::closedir);
    if (opened == nullptr) fail();
    for (;;) {
        errno = 0;
        const dirent* const entry = ::readdir(opened.get());
        if (entry == nullptr) break;
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && !body(name)) return;
    }
    if (errno != 0) fail();
}

bool is_empty_folder(const fs::path& folder) {
    bool empty = true;
    for_each_name_in(folder, [&](std::string_view) { return empty = false; });
    return empty;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<std::string> names;
    for_each_name_in(folder, [&](std::string_view name) {
        names.emplace_back(name);
        return true;
    });
    std::sort(names.begin(), names.end());
    std::vector<fs::path> found;
    found.reserve(names.size());
    for (const std::string& name : names) found.push_back(folder / name);
    return found;
}

fs::path absolute_path(const fs::path& path) {
    if (is_url(path)) return path;
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    if (error) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot resolve `{}`: the current folder is not readable: {}",
                                path.string(), error.message()));
    }
    return whole.lexically_normal();
}

fs::path path_from(const fs::path& folder, const fs::path& text) {
    return is_url(text) ? text : (folder / text).lexically_normal();
}

}  // namespace assay
