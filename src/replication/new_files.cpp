#include "replication/new_files.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "core/file.h"
#include "core/paths.h"

namespace assay::replication {
namespace {

bool holds(const NewFile& file) {
    std::error_code error;
    return std::filesystem::file_size(file.path, error) == file.text.size() && !error &&
           read_text(file.path, file.text.size()) == file.text;
}

}  // namespace

void write_new_files(const std::vector<NewFile>& files, bool replace) {
    std::vector<const NewFile*> missing;
    for (const NewFile& file : files) {
        if (!is_there(file.path)) {
            missing.push_back(&file);
        } else if (!holds(file)) {
            if (!replace) {
                throw Error(ErrorCode::usage,
                            fmt::format("{} already exists; to replace it, add --force",
                                        file.path.string()));
            }
            missing.push_back(&file);
        }
    }
    for (const NewFile* file : missing) {
        make_folders(file->path.parent_path());
        write_file_atomically(file->path, file->text);
    }
}

}  // namespace assay::replication
