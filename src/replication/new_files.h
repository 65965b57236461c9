// Output files of a command that must not replace existing work.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::replication {

struct NewFile {
    std::filesystem::path path;
    std::string text;
};

/// Writes the files, each completely or not at all. An existing file with the same text is
/// unchanged, so that an interrupted command can be repeated. Unless `replace` is set, throws usage
/// before writing anything if a file exists with another text.
void write_new_files(const std::vector<NewFile>& files, bool replace);

}  // namespace assay::replication
