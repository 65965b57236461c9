// A file that is written piece by piece and appears whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace assay {

/// Writes to a temporary file in the folder of `path`; commit() gives it its name. Without commit()
/// nothing is left behind. Not thread-safe. Throws io with the path and the system's reason.
class FileStream {
public:
    explicit FileStream(const std::filesystem::path& path);
    ~FileStream();
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    enum class Sync {
        now,    ///< after a crash of the system the file is there, or the one before it
        later,  ///< the caller syncs many files together
    };
    void commit(Sync sync = Sync::now);

private:
    std::filesystem::path path_, temporary_;
    int descriptor_ = -1;
};

/// Writes all of `bytes`. Throws io, naming `path`.
void write_fully(int descriptor, std::span<const std::byte> bytes,
                 const std::filesystem::path& path);

}  // namespace assay
