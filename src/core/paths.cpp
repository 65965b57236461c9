#include "core/paths.h"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<fs::path> entries_of(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        found.push_back(it->path());
    if (error) {
        throw Error(ErrorCode::io,
                    fmt::format("cannot list `{}`: {}", folder.string(), error.message()));
    }
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        return a.filename().native() < b.filename().native();
    });
    return found;
}

fs::path absolute_path(const fs::path& path) {
    if (is_url(path)) return path;
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    if (error) {
        throw Error(ErrorCode::io, fmt::format("cannot tell where `{}` is: the current folder: {}",
                                               path.string(), error.message()));
    }
    return whole.lexically_normal();
}

fs::path path_from(const fs::path& folder, const fs::path& text) {
    return is_url(text) ? text : (folder / text).lexically_normal();
}

}  // namespace assay
