// Zip archives (.npz, torch exports), read from bytes that somebody else holds. Entries that are
// stored as they are come as views into those bytes; deflated ones are unpacked piece by piece.
// Nothing is written to disk and no name is used as a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct ZipEntry {
    std::string name;
    std::uint64_t size = 0;  ///< unpacked, as the archive says
    std::uint64_t packed_size = 0;
    bool stored = false;  ///< not compressed
    std::uint64_t directory_position = 0;
    std::uint64_t number = 0;
};

/// Reads the directory on construction. Const functions may be called from many threads.
class ZipArchive {
public:
    /// `bytes`: the whole archive, which must outlive this. Throws bad_input: not a zip file,
    /// damaged directory, two entries of one name, encrypted entries, more than 65,536 entries, a
    /// size beyond what deflate can reach (1032 times the packed size).
    explicit ZipArchive(std::span<const std::byte> bytes);

    const std::vector<ZipEntry>& entries() const noexcept { return entries_; }
    /// The entry called `name`, or nullptr.
    const ZipEntry* find(std::string_view name) const;

    /// The bytes of a stored entry, in place, its CRC checked (one read of it). Throws bad_input;
    /// internal when it is deflated.
    std::span<const std::byte> view(const ZipEntry& entry) const;
    /// Unpacks an entry, giving its bytes in order in pieces of at most 1 MiB; the CRC is checked
    /// at the end. Throws bad_input when the entry is damaged or does not unpack to exactly its
    /// size: never more than that is produced.
    void unpack(const ZipEntry& entry,
                const std::function<void(std::span<const std::byte>)>& piece) const;
    /// The whole entry in memory. Throws bad_input when its size is above `limit`.
    std::vector<std::byte> read(const ZipEntry& entry, std::uint64_t limit) const;

private:
    std::span<const std::byte> bytes_;
    std::vector<ZipEntry> entries_;
    std::vector<std::size_t> by_name_;  ///< entries in the order of their names
};

}  // namespace assay
