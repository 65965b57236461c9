#include "containers/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint64_t max_entries = 65536;
constexpr std::uint64_t max_deflate_ratio = 1032;
constexpr std::size_t local_header_size = 30;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

struct RawInflater {
    z_stream stream{};
    RawInflater() {
        if (inflateInit2(&stream, -15) != Z_OK)
            throw Error(ErrorCode::out_of_memory, "not enough memory to decompress deflate");
    }
    ~RawInflater() { inflateEnd(&stream); }
    RawInflater(const RawInflater&) = delete;
    RawInflater& operator=(const RawInflater&) = delete;
};

uLong crc_of_bytes(uLong crc, std::span<const std::byte> bytes) {
    return crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

void compare_crc(const ZipMember& member, uLong crc, std::string_view what) {
    if (crc != member.crc)
        refuse(fmt::format("{} is damaged: its CRC-32 is {:08x}, but {:08x} is recorded", what, crc,
                           member.crc));
}

std::string name_of_zip_method(std::uint16_t method) {
    switch (method) {
        case 9:
            return "deflate64";
        case 12:
            return "bzip2 (method 12)";
        case 14:
            return "lzma (method 14)";
        case 93:
            return "zstd (method 93)";
        case 95:
            return "xz (method 95)";
        default:
            return fmt::format("method {}", method);
    }
}

std::string zip_entry_text(const ZipEntry& entry) {
    return fmt::format("zip entry `{}`", shortened(entry.name));
}

/// If PyTorch is told to compute no checksums, it records 0 for every entry, in the directory and
/// after the bytes. A single 0 among other checksums is a real checksum or damage, and so is a 0 by
/// another writer.
class ChecksumsOfPyTorch {
public:
    void add(const ZipEntry& entry) {
        recorded_ = recorded_ || entry.crc != 0;
        by_pytorch_ = by_pytorch_ || entry.name.ends_with("/.data/serialization_id");
    }
    bool missing() const { return by_pytorch_ && !recorded_; }

private:
    bool recorded_ = false, by_pytorch_ = false;
};

}  // namespace

void check_zip_entry(const ZipEntry& entry) {
    if (entry.encrypted) refuse(zip_entry_text(entry) + " is encrypted: unpack it first");
    if (entry.method != 0 && entry.method != Z_DEFLATED) {
        refuse(
            fmt::format("{} is compressed with {}; only stored entries and deflate are supported",
                        zip_entry_text(entry), name_of_zip_method(entry.method)));
    }
    // The directory claims these sizes. Impossible sizes are refused here.
    if (entry.stored ? entry.size != entry.packed_size
                     : entry.size / max_deflate_ratio > entry.packed_size) {
        refuse(fmt::format("{} claims {} bytes from {} compressed ones", zip_entry_text(entry),
                           entry.size, entry.packed_size));
    }
}

std::uint64_t zip_data_begin(const ByteSource& source, const ZipMember& member,
                             std::string_view what) {
    std::array<std::byte, local_header_size> local{};
    source.read(member.header, local);
    const auto byte = [&](std::size_t at) { return std::to_integer<std::uint64_t>(local[at]); };
    if (byte(0) != 'P' || byte(1) != 'K' || byte(2) != 3 || byte(3) != 4)
        refuse(fmt::format("{} is damaged: byte {} is not the beginning of its header", what,
                           member.header));
    const std::uint64_t begin = member.header + local_header_size + (byte(26) | byte(27) << 8U) +
                                (byte(28) | byte(29) << 8U);
    if (begin > source.size() || member.packed_size > source.size() - begin)
        refuse(fmt::format("{} is cut off: its {} bytes begin at byte {} of {}", what,
                           member.packed_size, begin, source.size()));
    return begin;
}

void check_zip_crc(const ZipMember& member, std::span<const std::byte> bytes,
                   std::string_view what) {
    compare_crc(member, crc_of_bytes(0, bytes), what);
}

void check_zip_overlap(std::span<const ZipEntry> entries, std::uint64_t archive_size) {
    std::uint64_t left = archive_size;
    for (const ZipEntry& entry : entries) {
        if (entry.packed_size > left)
            refuse(fmt::format(
                "the zip file has {} bytes, but its entries claim more: some of them overlap",
                archive_size));
        left -= entry.packed_size;
    }
}

bool check_zip_entries(std::span<const std::byte> archive) {
    const MemorySource source(archive);
    ChecksumsOfPyTorch checksums;
    std::vector<ZipEntry> entries;
    read_zip_directory(source, [&](ZipEntry entry) {
        check_zip_entry(entry);
        checksums.add(entry);
        entries.push_back(std::move(entry));
    });
    if (checksums.missing()) return false;
    check_zip_overlap(entries, archive.size());
    std::vector<std::byte> buffer(piece_bytes);
    for (const ZipEntry& entry : entries) {
        const std::string what = zip_entry_text(entry);
        const std::span<const std::byte> packed =
            archive.subspan(static_cast<std::size_t>(zip_data_begin(source, entry, what)),
                            static_cast<std::size_t>(entry.packed_size));
        if (entry.stored) {
            check_zip_crc(entry, packed, what);
        } else {
            inflate_zip_member(entry, packed, buffer, what, [](std::span<const std::byte>) {});
        }
    }
    return true;
}

void inflate_zip_member(const ZipMember& member, std::span<const std::byte> packed,
                        std::span<std::byte> buffer, std::string_view what,
                        const std::function<void(std::span<const std::byte>)>& piece) {
    RawInflater inflater;
    z_stream& stream = inflater.stream;
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib's counts have 32 bits
    std::uint64_t done = 0;
    std::size_t in_at = 0;
    std::byte beyond{};  // one more byte detects a member that is longer than recorded
    uLong crc = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
        const bool full = done == member.size;
        const std::span<std::byte> out =
            full ? std::span(&beyond, 1)
                 : buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(
                       {member.size - done, buffer.size(), std::uint64_t{most}})));
        std::size_t room = out.size();
        while (room > 0 && status != Z_STREAM_END) {
            const std::size_t in = std::min(most, packed.size() - in_at);
            // zlib declares its input without const, but does not write to it.
            stream.next_in =
                reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + in_at));
            stream.avail_in = static_cast<uInt>(in);
            stream.next_out = reinterpret_cast<Bytef*>(out.data() + (out.size() - room));
            stream.avail_out = static_cast<uInt>(room);
            status = inflate(&stream, Z_NO_FLUSH);
            if (status != Z_OK && status != Z_STREAM_END)
                refuse(fmt::format("{} is damaged after {} of {} bytes", what,
                                   full ? done : done + out.size() - room, member.size));
            in_at += in - stream.avail_in;
            room = stream.avail_out;
        }
        const std::span<const std::byte> made = out.first(out.size() - room);
        if (full && !made.empty())
            refuse(fmt::format("{} decompresses to more than its {} bytes", what, member.size));
        if (full) continue;
        done += made.size();
        crc = crc_of_bytes(crc, made);
        if (!made.empty()) piece(made);
    }
    if (done != member.size)
        refuse(fmt::format("{} decompresses to {} bytes, not {}", what, done, member.size));
    compare_crc(member, crc, what);
}

ZipArchive::ZipArchive(std::span<const std::byte> bytes) : bytes_(bytes) {
    ChecksumsOfPyTorch checksums;
    read_zip_directory(MemorySource(bytes), [&](ZipEntry entry) {
        if (entries_.size() == max_entries)
            refuse(fmt::format("the zip file has more than {} entries", max_entries));
        check_zip_entry(entry);
        checksums.add(entry);
        entries_.push_back(std::move(entry));
    });
    has_checksums_ = !checksums.missing();
    if (entries_.empty()) refuse("the zip file has no entries");
    by_name_.resize(entries_.size());
    std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
    const auto name = [this](std::size_t entry) -> std::string_view {
        return entries_[entry].name;
    };
    std::ranges::sort(by_name_, {}, name);
    const auto twice = std::ranges::adjacent_find(by_name_, {}, name);
    if (twice != by_name_.end())
        refuse(fmt::format("the zip file has two entries named `{}`", name(*twice)));
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
    const auto name_of_entry = [this](std::size_t entry) -> std::string_view {
        return entries_[entry].name;
    };
    const auto at = std::ranges::lower_bound(by_name_, name, {}, name_of_entry);
    return at == by_name_.end() || name_of_entry(*at) != name ? nullptr : &entries_[*at];
}

std::span<const std::byte> ZipArchive::packed_bytes(const ZipEntry& entry) const {
    const std::uint64_t begin = zip_data_begin(MemorySource(bytes_), entry, zip_entry_text(entry));
    return bytes_.subspan(static_cast<std::size_t>(begin),
                          static_cast<std::size_t>(entry.packed_size));
}

std::span<const std::byte> ZipArchive::view(const ZipEntry& entry) const {
    if (!entry.stored)
        throw Error(ErrorCode::internal, fmt::format("zip entry `{}` is compressed", entry.name));
    const std::span<const std::byte> data = packed_bytes(entry);
    if (has_checksums_) check_zip_crc(entry, data, zip_entry_text(entry));
    return data;
}

void ZipArchive::unpack(const ZipEntry& entry,
                        const std::function<void(std::span<const std::byte>)>& piece) const {
    if (entry.stored) {
        std::span<const std::byte> left = view(entry);
        for (; !left.empty(); left = left.subspan(std::min(piece_bytes, left.size())))
            piece(left.first(std::min(piece_bytes, left.size())));
        return;
    }
    std::vector<std::byte> buffer(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, entry.size)));
    // PyTorch compresses only entries with a checksum.
    inflate_zip_member(entry, packed_bytes(entry), buffer, zip_entry_text(entry), piece);
}

std::vector<std::byte> ZipArchive::read(const ZipEntry& entry, std::uint64_t limit) const {
    if (entry.size > limit) {
        refuse(fmt::format("zip entry `{}` has {} bytes; the limit is {}", entry.name, entry.size,
                           limit));
    }
    std::vector<std::byte> whole;
    whole.reserve(static_cast<std::size_t>(entry.size));
    unpack(entry, [&](std::span<const std::byte> piece) {
        whole.insert(whole.end(), piece.begin(), piece.end());
    });
    return whole;
}

}  // namespace assay
