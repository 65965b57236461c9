// A file that is written in pieces and becomes visible only when complete.
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

/// Writes to a temporary file in the folder of `path`; commit() renames it to `path`. Without
/// commit() nothing is left behind. The next writer removes what a killed process left
/// (temporary.h). A file that is replaced keeps its permissions, and its owner and group as far as
/// the system lets this process set them. Access control lists and extended attributes are not
/// kept. Not thread-safe. Throws io with the path and the system's reason.
class FileStream {
public:
    explicit FileStream(const std::filesystem::path& path);
    ~FileStream();
    FileStream(const FileStream&) = delete;
    FileStream& operator=(const FileStream&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// The identity of the file that commit() renames to `path`.
    FileIdentity identity() const;

    enum class Sync {
        now,    ///< synced, so that after a system crash this file or the previous one exists
        later,  ///< the caller syncs several files together
    };
    void commit(Sync sync = Sync::now);

private:
    std::filesystem::path path_;
    std::optional<struct stat> replaced_;  ///< the file at `path` before commit()
    Temporary temporary_;
    bool named_ = false;
};

/// Syncs the folder, so that its current names survive a system crash. Throws io.
void sync_folder(const std::filesystem::path& folder);

/// Writes all of `bytes`. Returns 0 or the system's error number.
int write_all(int descriptor, std::span<const std::byte> bytes);
/// The same as write_all(). Throws io, naming `path`.
void write_fully(int descriptor, std::span<const std::byte> bytes,
                 const std::filesystem::path& path);

}  // namespace assay
