// A file that is written piece by piece and appears whole.
#pragma once

#include <filesystem>
#include <string_view>

namespace assay {

/// Writes to a temporary file in the folder of `path`; commit() syncs it and gives it its name.
/// Without commit() nothing is left behind. Not thread-safe. Throws io with the path and the
/// system's reason.
class FileStream {
public:
    explicit FileStream(const std::filesystem::path& path);
    ~FileStream();
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;

    void write(std::string_view text);
    void commit();

private:
    [[noreturn]] void fail(const char* verb) const;

    std::filesystem::path path_, temporary_;
    int descriptor_ = -1;
};

}  // namespace assay
