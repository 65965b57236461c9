// Checks whether a path still leads to the file that a process has read.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

namespace assay::isolated {

/// Identifies the file at a path: another file has another inode or a later write time.
struct FileAtPath {
    explicit FileAtPath(const std::filesystem::path& path) {
        struct stat facts {};
        if (::stat(path.c_str(), &facts) != 0) return;
        number = facts.st_ino;
        bytes = facts.st_size;
        seconds = facts.st_mtim.tv_sec;
        nanoseconds = facts.st_mtim.tv_nsec;
    }
    bool operator==(const FileAtPath&) const = default;
    std::uint64_t number = 0;
    std::int64_t bytes = 0, seconds = 0, nanoseconds = 0;
};

}  // namespace assay::isolated
