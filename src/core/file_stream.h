// A file that is written piece by piece and appears whole.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "core/file.h"
#include "core/temporary.h"

namespace assay {

/// Writes to a temporary file in the folder of `path`; commit() gives it its name. Without commit()
/// nothing is left behind, and what a killed process left the next writer removes (temporary.h). A
/// file that is replaced keeps its permissions, and its owner and group as far as the system lets
/// this process set them; access control lists and extended attributes are not kept. Not
/// thread-safe. Throws io with the path and the system's reason.
class FileStream {
public:
    explicit FileStream(const std::filesystem::path& path);
    ~FileStream();
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// Of the file that commit() gives its name to.
    FileIdentity identity() const;

    enum class Sync {
        now,    ///< after a crash of the system the file is there, or the one before it
        later,  ///< the caller syncs many files together
    };
    void commit(Sync sync = Sync::now);

private:
    std::filesystem::path path_;
    std::optional<struct stat> replaced_;  ///< what `path` is now
    Temporary temporary_;
    bool named_ = false;
};

/// After a crash of the system the folder has the names that it has now. Throws io.
void sync_folder(const std::filesystem::path& folder);

/// Writes all of `bytes`; 0, or the system's error number.
int write_all(int descriptor, std::span<const std::byte> bytes);
/// The same. Throws io, naming `path`.
void write_fully(int descriptor, std::span<const std::byte> bytes,
                 const std::filesystem::path& path);

}  // namespace assay
