// Zip files (PKWARE's APPNOTE.TXT 6.3.10, zip64 included), wherever their bytes are: .npz files and
// torch exports in memory, images in files and at URLs. One reader of the directory, one unpacker.
// Nothing is written to disk and no name is used as a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

/// Where an entry's bytes are, and how they are packed.
struct ZipMember {
    std::uint64_t header = 0;  ///< where its own header begins
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;  ///< unpacked, as the directory says
    std::uint32_t crc = 0;
    bool stored = false;  ///< not compressed; else by deflate
};

struct ZipEntry : ZipMember {
    std::string name;
    std::uint16_t method = 0;  ///< 0: stored, 8: deflate
    bool encrypted = false;
};

/// Calls visit(entry) for each entry, in the directory's order, of which there may be any number.
/// Throws bad_input, naming byte or entry: not a zip file, or one that was cut off; an archive of
/// several disks; a directory that is damaged, or claims more than the source holds.
void read_zip_directory(const ByteSource& source, const std::function<void(ZipEntry)>& visit);

/// Throws bad_input if the entry cannot be unpacked: encrypted, packed by another method, or of a
/// size that is impossible (deflate reaches 1032 times the packed size).
void check_zip_entry(const ZipEntry& entry);

/// Where the packed bytes of a member begin. Throws bad_input if its own header is damaged or the
/// bytes do not lie in the source. `what`, here and below, begins the message: "zip entry `a`".
std::uint64_t zip_data_begin(const ByteSource& source, const ZipMember& member,
                             std::string_view what);

/// Throws bad_input if the CRC of the unpacked bytes is another than the recorded one.
void check_zip_crc(const ZipMember& member, std::span<const std::byte> bytes,
                   std::string_view what);

/// Refuses entries that hold more bytes than their archive: a small file whose entries lie on each
/// other would take hours to read as a whole.
void check_zip_overlap(std::span<const ZipEntry> entries, std::uint64_t archive_size);

/// Reads every entry of an archive and compares its CRC: libraries that load models do not. Throws
/// bad_input for the first entry that is damaged. False: PyTorch wrote the archive without
/// checksums (torch.serialization.set_crc32_options(False)), so that nothing could be compared.
bool check_zip_entries(std::span<const std::byte> archive);

/// Unpacks a deflated member through `buffer`, giving its bytes in order in pieces of at most that
/// size; the CRC is checked at the end. Throws bad_input if the bytes are damaged or do not unpack
/// to exactly the member's size: never more than that is given.
void inflate_zip_member(const ZipMember& member, std::span<const std::byte> packed,
                        std::span<std::byte> buffer, std::string_view what,
                        const std::function<void(std::span<const std::byte>)>& piece);

/// An archive in memory. Reads the directory on construction. Const functions may be called from
/// many threads.
class ZipArchive {
public:
    /// `bytes`: the whole archive, which must outlive this. Throws bad_input as
    /// read_zip_directory() and check_zip_entry() do, and for two entries of one name, no entry,
    /// and more than 65,536 entries.
    explicit ZipArchive(std::span<const std::byte> bytes);

    const std::vector<ZipEntry>& entries() const noexcept { return entries_; }
    /// False: it was written without checksums, as check_zip_entries() says; then none is compared.
    bool has_checksums() const noexcept { return has_checksums_; }
    /// The entry called `name`, or nullptr.
    const ZipEntry* find(std::string_view name) const;

    /// The bytes of a stored entry, in place, its CRC checked (one read of it). Throws bad_input;
    /// internal when it is deflated.
    std::span<const std::byte> view(const ZipEntry& entry) const;
    /// Unpacks an entry, giving its bytes in order in pieces of at most 1 MiB. Throws as
    /// inflate_zip_member() does.
    void unpack(const ZipEntry& entry,
                const std::function<void(std::span<const std::byte>)>& piece) const;
    /// The whole entry in memory. Throws bad_input when its size is above `limit`.
    std::vector<std::byte> read(const ZipEntry& entry, std::uint64_t limit) const;

private:
    std::span<const std::byte> packed_bytes(const ZipEntry& entry) const;

    std::span<const std::byte> bytes_;
    std::vector<ZipEntry> entries_;
    bool has_checksums_ = true;
    std::vector<std::size_t> by_name_;  ///< entries in the order of their names
};

}  // namespace assay
