// Files: whole reads, read-only maps, and writes that either complete or have no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The bytes of a file. Throws bad_input if the file is missing, not a regular file, or larger than
/// `limit` bytes. Throws io if the disk fails, or if the system has no descriptor or memory left,
/// so a later try may succeed.
std::vector<std::byte> read_file(const std::filesystem::path& path,
                                 std::uint64_t limit = UINT64_MAX);
/// Like read_file, as text.
std::string read_text(const std::filesystem::path& path, std::uint64_t limit = 1ULL << 30);
/// The first `bytes` bytes of a file, or the whole file if it is shorter. Throws as read_file does.
std::string read_start(const std::filesystem::path& path, std::size_t bytes);

/// A read-only memory map of a whole file. Empty files give an empty span. Movable.
/// If a file shrinks while it is mapped, SIGBUS ends the process, and the command names the file
/// (shortened_files.h).
class MappedFile {
public:
    MappedFile() = default;
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
    std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }

private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Identifies the file that a name leads to.
struct FileIdentity {
    std::uint64_t device = 0, number = 0;
    bool operator==(const FileIdentity&) const = default;
};
/// The identity of the file at `path` now; {0, 0} if there is none.
FileIdentity identity_of_file(const std::filesystem::path& path);

/// Distinguishes the states of the file that a name leads to. This also works if the file system
/// reuses the number of a removed file, unless it does so within one clock tick.
struct FileState {
    FileIdentity identity;
    std::int64_t changed = 0;  ///< in ns, with the file system's resolution
    bool operator==(const FileState&) const = default;
};
/// The state of the file at `path` now; {} if there is no file.
FileState state_of_file(const std::filesystem::path& path);

/// Writes `parts` one after the other to a temporary file in the same folder, and syncs it. Then
/// renames it to `path`, and syncs the folder. After a crash, `path` holds either its old bytes or
/// all of the new ones. Throws io (the message names the path and the system's reason; a full disk
/// says so). The temporary file is then removed. Returns the identity of the new file: as long as
/// the name leads to it, nobody else has written there.
FileIdentity write_file_atomically(const std::filesystem::path& path,
                                   std::span<const std::span<const std::byte>> parts);
FileIdentity write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// True if a file name is that of such a temporary file.
bool is_stale_temporary(std::string_view name);
/// Removes temporary files that killed writers left in `folder`, if the folder exists. Files whose
/// names contain their maker are handled as in remove_leftovers(). Call it only while holding the
/// lock that those writers held.
void remove_stale_temporaries(const std::filesystem::path& folder);

/// Creates the folder and its parents. Throws io.
void make_folders(const std::filesystem::path& path);

/// An advisory exclusive lock on `path` (created if missing). It lasts until destruction or until
/// the process ends for any reason. Throws busy, naming the process that holds it, if it is not
/// free within a tenth of a second. The wait exists because lock_holder() also takes the lock for a
/// moment.
class FileLock {
public:
    explicit FileLock(const std::filesystem::path& path);
    /// Returns nothing if the file system has no locks (Lustre without -o flock, mounted object
    /// stores).
    static std::optional<FileLock> if_supported(const std::filesystem::path& path);
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;

private:
    FileLock() = default;
    /// Returns the system's error number if it has no locks, else 0.
    int take(const std::filesystem::path& path);
    int descriptor_ = -1;
};

/// The owner of the lock on `path`: "process 123", or "another process" if that is not known.
/// Returns "" if there is none, or if the file system cannot tell.
std::string lock_holder(const std::filesystem::path& path);

}  // namespace assay
