// Zip files (PKWARE's APPNOTE.TXT 6.3.10, zip64 included), wherever their bytes are: .npz files and
// torch exports in memory, images in files and at URLs. All formats share this reader and unpacker.
// Nothing is written to disk, and no name is used as a path.
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

/// The position of an entry's bytes, and how they are packed.
struct ZipMember {
    std::uint64_t header = 0;  ///< position of its own header
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;  ///< unpacked size according to the directory
    std::uint32_t crc = 0;
    bool stored = false;  ///< not compressed; otherwise packed by deflate
};

struct ZipEntry : ZipMember {
    std::string name;
    std::uint16_t method = 0;  ///< 0: stored, 8: deflate
    bool encrypted = false;
};

/// Calls visit(entry) for each entry, in the directory's order, without a limit on their number.
/// Throws bad_input, naming byte or entry, if the source is not a zip file, is truncated, or is an
/// archive of several disks. Throws the same for a directory that is damaged, or claims more than
/// the source holds.
void read_zip_directory(const ByteSource& source, const std::function<void(ZipEntry)>& visit);

/// Throws bad_input for an entry that is encrypted, packed by another method, or of an impossible
/// size (deflate reaches 1032 times the packed size).
void check_zip_entry(const ZipEntry& entry);

/// The position of a member's packed bytes. Throws bad_input if its own header is damaged or the
/// bytes exceed the source. Here and below, `what` begins the message: "zip entry `a`".
std::uint64_t zip_data_begin(const ByteSource& source, const ZipMember& member,
                             std::string_view what);

/// Throws bad_input if the CRC of the unpacked bytes differs from the recorded one.
void check_zip_crc(const ZipMember& member, std::span<const std::byte> bytes,
                   std::string_view what);

/// Refuses entries that add up to more bytes than their archive. A small file with overlapping
/// entries would take hours to read.
void check_zip_overlap(std::span<const ZipEntry> entries, std::uint64_t archive_size);

/// Reads every entry of an archive and compares its CRC: the libraries that load models do not.
/// Throws bad_input for the first damaged entry. Returns false if PyTorch wrote the archive without
/// checksums (torch.serialization.set_crc32_options(False)), so that nothing could be compared.
bool check_zip_entries(std::span<const std::byte> archive);

/// Unpacks a deflated member through `buffer`. Passes its bytes in order, in pieces of at most that
/// size, and checks the CRC at the end. Throws bad_input if the bytes are damaged or do not unpack
/// to exactly the member's size. Never passes more than that.
void inflate_zip_member(const ZipMember& member, std::span<const std::byte> packed,
                        std::span<std::byte> buffer, std::string_view what,
                        const std::function<void(std::span<const std::byte>)>& piece);

/// An archive in memory. Reads the directory on construction. Several threads may call const
/// functions.
class ZipArchive {
public:
    /// `bytes` is the whole archive and must outlive this object. Throws bad_input as
    /// read_zip_directory() and check_zip_entry() do, and for two entries with the same name, no
    /// entry, and more than 65,536 entries.
    explicit ZipArchive(std::span<const std::byte> bytes);

    const std::vector<ZipEntry>& entries() const noexcept { return entries_; }
    /// False if the archive was written without checksums (see check_zip_entries()). They are then
    /// not compared.
    bool has_checksums() const noexcept { return has_checksums_; }
    /// The entry with this name, or nullptr.
    const ZipEntry* find(std::string_view name) const;

    /// The bytes of a stored entry, in place, after checking its CRC (one read of it). Throws
    /// bad_input; internal if it is deflated.
    std::span<const std::byte> view(const ZipEntry& entry) const;
    /// Unpacks an entry and passes its bytes in order, in pieces of at most 1 MiB. Throws as
    /// inflate_zip_member() does.
    void unpack(const ZipEntry& entry,
                const std::function<void(std::span<const std::byte>)>& piece) const;
    /// Reads the whole entry into memory. Throws bad_input if its size is above `limit`.
    std::vector<std::byte> read(const ZipEntry& entry, std::uint64_t limit) const;

private:
    std::span<const std::byte> packed_bytes(const ZipEntry& entry) const;

    std::span<const std::byte> bytes_;
    std::vector<ZipEntry> entries_;
    bool has_checksums_ = true;
    std::vector<std::size_t> by_name_;  ///< entries in the order of their names
};

}  // namespace assay
