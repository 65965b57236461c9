// Files of a command's results that must not replace what somebody else made.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::replication {

struct NewFile {
    std::filesystem::path path;
    std::string text;
};

/// Writes them, each whole or not at all. A file that is there with the very text is left alone, so
/// that an interrupted command can be typed again. Throws usage, before anything is written, where
/// one is there with another text, unless `replace`.
void write_new_files(const std::vector<NewFile>& files, bool replace);

}  // namespace assay::replication
