#include "core/paths.h"

#include <fmt/format.h>

#include <system_error>

#include "assay/error.h"

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

fs::path absolute_path(const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error);
    if (error) {
        throw Error(ErrorCode::io, fmt::format("cannot tell where `{}` is: the current folder: {}",
                                               path.string(), error.message()));
    }
    return whole.lexically_normal();
}

}  // namespace assay
