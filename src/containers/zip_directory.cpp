#include "containers/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50,
                        entry_mark = 0x02014b50;
constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46;
constexpr std::size_t window_size = std::size_t{1} << 20;

std::uint64_t zip_number(std::span<const std::byte> bytes, std::size_t at, unsigned size) {
    std::uint64_t value = 0;
    for (unsigned b = 0; b < size; ++b)
        value |= std::to_integer<std::uint64_t>(bytes[at + b]) << (8 * b);
    return value;
}

struct ZipDirectory {
    std::uint64_t begin = 0, size = 0, entries = 0;
    /// Bytes of another file before the archive, which the archive's offsets do not include.
    std::uint64_t before = 0;
};

/// The position of the end record in `tail`. Searches backwards from the end of the file, because a
/// comment may follow the record.
std::uint64_t find_zip_end(const ByteSource& source, std::vector<std::byte>& tail) {
    const std::uint64_t there = std::min<std::uint64_t>(source.size(), end_size + 0xffffU);
    tail.resize(there);
    source.read(source.size() - there, tail);
    for (std::size_t at = there < end_size ? 0 : there - end_size + 1; at-- > 0;) {
        if (zip_number(tail, at, 4) != end_mark) continue;
        if (at + end_size + zip_number(tail, at + 20, 2) == there) return at;
    }
    refuse("not a zip file, or one that was cut off: its end record is missing");
}

void refuse_disks() {
    refuse("it is one of the pieces of a split archive: join them first (zip -s 0)");
}

ZipDirectory find_zip_directory(const ByteSource& source) {
    std::vector<std::byte> tail;
    const std::uint64_t end = find_zip_end(source, tail);
    const std::span<const std::byte> record = std::span(tail).subspan(end, end_size);
    std::uint64_t stop = source.size() - tail.size() + end;  // end of the directory
    ZipDirectory found{zip_number(record, 16, 4), zip_number(record, 12, 4),
                       zip_number(record, 10, 2), 0};
    // PyTorch writes the records of zip64 even if they are not needed.
    const bool needed =
        found.begin == 0xffffffffU || found.size == 0xffffffffU || found.entries == 0xffffU;
    std::array<std::byte, locator_size> locator{};
    if (stop >= locator_size) source.read(stop - locator_size, locator);
    bool zip64 = zip_number(locator, 0, 4) == locator_mark;
    if (zip64) {
        const std::uint64_t at = zip_number(locator, 8, 8);
        const bool inside =
            stop >= locator_size + end64_size && at <= stop - locator_size - end64_size;
        if (!inside && needed) refuse("the end record points beyond the file");
        std::array<std::byte, end64_size> record64{};
        if (inside) source.read(at, record64);
        zip64 = zip_number(record64, 0, 4) == end64_mark;
        if (!zip64 && needed) refuse(fmt::format("byte {}: no end record of a zip64 archive", at));
        if (zip64) {
            if (zip_number(record64, 16, 4) != zip_number(record64, 20, 4)) refuse_disks();
            found = {zip_number(record64, 48, 8), zip_number(record64, 40, 8),
                     zip_number(record64, 32, 8), 0};
            stop = at;
        }
    }
    if (!zip64 && (zip_number(record, 4, 2) != 0 || zip_number(record, 6, 2) != 0)) refuse_disks();
    if (found.size > stop || found.begin > stop - found.size)
        refuse(
            fmt::format("its directory should be {1} bytes at byte {0}, but ends before byte {2}: "
                        "damaged, or cut off at its beginning",
                        found.begin, found.size, stop));
    found.before = stop - found.size - found.begin;
    found.begin += found.before;
    if (found.entries > found.size / entry_size)
        refuse(
            fmt::format("its directory claims {} entries in {} bytes", found.entries, found.size));
    return found;
}

/// Reads the 64-bit numbers of a zip64 field. They replace the 32-bit fields whose bits are all
/// set, in the order of these fields.
void take_zip64(std::span<const std::byte> extra, ZipEntry& entry, std::uint64_t& header) {
    for (std::size_t at = 0; at + 4 <= extra.size();) {
        const auto id = zip_number(extra, at, 2);
        const auto size = static_cast<std::size_t>(zip_number(extra, at + 2, 2));
        at += 4;
        if (size > extra.size() - at) return;
        if (id == 1) {
            std::size_t next = at;
            for (std::uint64_t* number : {&entry.size, &entry.packed_size, &header}) {
                if (*number != 0xffffffffU || next + 8 > at + size) continue;
                *number = zip_number(extra, next, 8);
                next += 8;
            }
            return;
        }
        at += size;
    }
}

}  // namespace

void read_zip_directory(const ByteSource& source, const std::function<void(ZipEntry)>& visit) {
    const ZipDirectory directory = find_zip_directory(source);
    std::vector<std::byte> window;
    std::uint64_t window_at = 0;
    const auto bytes = [&](std::uint64_t at, std::size_t size) -> std::span<const std::byte> {
        if (size > directory.size || at > directory.size - size)
            refuse(
                fmt::format("byte {}: an entry of its directory is cut off", directory.begin + at));
        if (at < window_at || at + size > window_at + window.size()) {
            window.resize(
                std::min<std::uint64_t>(std::max(window_size, size), directory.size - at));
            source.read(directory.begin + at, window);
            window_at = at;
        }
        return std::span(window).subspan(at - window_at, size);
    };
    std::uint64_t at = 0;
    for (std::uint64_t n = 0; n < directory.entries; ++n) {
        std::span<const std::byte> head = bytes(at, entry_size);
        if (zip_number(head, 0, 4) != entry_mark)
            refuse(fmt::format("byte {}: not a directory entry (read {} of {})",
                               directory.begin + at, n, directory.entries));
        const auto name_size = static_cast<std::size_t>(zip_number(head, 28, 2));
        const auto extra_size = static_cast<std::size_t>(zip_number(head, 30, 2));
        const auto comment_size = static_cast<std::size_t>(zip_number(head, 32, 2));
        const std::size_t whole = entry_size + name_size + extra_size + comment_size;
        head = bytes(at, whole);
        ZipEntry entry;
        entry.encrypted = (zip_number(head, 8, 2) & 1U) != 0;
        entry.method = static_cast<std::uint16_t>(zip_number(head, 10, 2));
        entry.stored = entry.method == 0;
        entry.crc = static_cast<std::uint32_t>(zip_number(head, 16, 4));
        entry.packed_size = zip_number(head, 20, 4);
        entry.size = zip_number(head, 24, 4);
        std::uint64_t header = zip_number(head, 42, 4);
        entry.name.assign(reinterpret_cast<const char*>(head.data()) + entry_size, name_size);
        take_zip64(head.subspan(entry_size + name_size, extra_size), entry, header);
        if (header > directory.begin - directory.before ||
            entry.packed_size > directory.begin - directory.before - header)
            refuse(fmt::format(
                "its entry `{0}` claims {2} bytes at byte {1}, beyond the archive's members",
                shortened(entry.name), header, entry.packed_size));
        entry.header = header + directory.before;
        at += whole;
        visit(std::move(entry));
    }
}

}  // namespace assay
