#include "data/zip/directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::zipped {
namespace {

constexpr std::uint32_t end_mark = 0x06054b50, end64_mark = 0x06064b50, locator_mark = 0x07064b50,
                        entry_mark = 0x02014b50;
constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46;
constexpr std::size_t window_size = std::size_t{1} << 20;

std::uint64_t little(std::span<const std::byte> bytes, std::size_t at, unsigned size) {
    std::uint64_t value = 0;
    for (unsigned b = 0; b < size; ++b)
        value |= std::to_integer<std::uint64_t>(bytes[at + b]) << (8 * b);
    return value;
}

struct Directory {
    std::uint64_t begin = 0, size = 0, entries = 0;
    std::uint64_t before =
        0;  ///< bytes of another file before the archive, which it does not count
};

/// The last record that says it is the end: a comment may follow it.
std::uint64_t find_end(const SourceFile& source, std::vector<std::byte>& tail) {
    const std::uint64_t there = std::min<std::uint64_t>(source.size(), end_size + 0xffffU);
    tail.resize(there);
    source.read(source.size() - there, tail);
    for (std::size_t at = there < end_size ? 0 : there - end_size + 1; at-- > 0;) {
        if (little(tail, at, 4) != end_mark) continue;
        if (at + end_size + little(tail, at + 20, 2) == there) return at;
    }
    refuse("no zip file, or one that was cut off: the record of its end is not at its end");
}

void refuse_disks() {
    refuse("it is one of the pieces of a split archive: join them first (zip -s 0)");
}

Directory find_directory(const SourceFile& source) {
    std::vector<std::byte> tail;
    const std::uint64_t end = find_end(source, tail);
    const std::span<const std::byte> record = std::span(tail).subspan(end, end_size);
    std::uint64_t stop = source.size() - tail.size() + end;  // of the directory
    Directory found{little(record, 16, 4), little(record, 12, 4), little(record, 10, 2), 0};
    const bool zip64 =
        found.begin == 0xffffffffU || found.size == 0xffffffffU || found.entries == 0xffffU;
    std::array<std::byte, locator_size> locator{};
    if (zip64 && stop >= locator_size) source.read(stop - locator_size, locator);
    if (zip64 && little(locator, 0, 4) == locator_mark) {
        const std::uint64_t at = little(locator, 8, 8);
        std::array<std::byte, end64_size> record64{};
        if (stop < locator_size + end64_size || at > stop - locator_size - end64_size)
            refuse("the record of its end leads beyond the file");
        source.read(at, record64);
        if (little(record64, 0, 4) != end64_mark)
            refuse(fmt::format("byte {}: no record of the end of a zip64 archive", at));
        if (little(record64, 16, 4) != little(record64, 20, 4)) refuse_disks();
        found = {little(record64, 48, 8), little(record64, 40, 8), little(record64, 32, 8), 0};
        stop = at;
    } else if (little(record, 4, 2) != 0 || little(record, 6, 2) != 0) {
        refuse_disks();
    }
    if (found.size > stop || found.begin > stop - found.size)
        refuse(
            fmt::format("its directory is said to be at byte {}, of {} bytes, and ends before "
                        "byte {}: damaged, or cut off at its beginning",
                        found.begin, found.size, stop));
    found.before = stop - found.size - found.begin;
    found.begin += found.before;
    if (found.entries > found.size / entry_size)
        refuse(fmt::format("its directory is said to have {} entries in {} bytes", found.entries,
                           found.size));
    return found;
}

/// The numbers that did not fit, in the order of the fields that say so.
void take_zip64(std::span<const std::byte> extra, Entry& entry, std::uint64_t& header) {
    for (std::size_t at = 0; at + 4 <= extra.size();) {
        const auto id = little(extra, at, 2);
        const auto size = static_cast<std::size_t>(little(extra, at + 2, 2));
        at += 4;
        if (size > extra.size() - at) return;
        if (id == 1) {
            std::size_t next = at;
            for (std::uint64_t* number : {&entry.size, &entry.packed, &header}) {
                if (*number != 0xffffffffU || next + 8 > at + size) continue;
                *number = little(extra, next, 8);
                next += 8;
            }
            return;
        }
        at += size;
    }
}

/// Archivers of Windows wrote its slashes.
void turn_slashes(std::string& name) {
    if (name.find('/') == std::string::npos) std::replace(name.begin(), name.end(), '\\', '/');
}

}  // namespace

void read_directory(const SourceFile& source, const std::function<void(Entry)>& visit) {
    const Directory directory = find_directory(source);
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
        if (little(head, 0, 4) != entry_mark)
            refuse(fmt::format("byte {}: no entry of a directory, of which {} of {} were read",
                               directory.begin + at, n, directory.entries));
        const auto name_size = static_cast<std::size_t>(little(head, 28, 2));
        const auto extra_size = static_cast<std::size_t>(little(head, 30, 2));
        const auto comment_size = static_cast<std::size_t>(little(head, 32, 2));
        const std::size_t whole = entry_size + name_size + extra_size + comment_size;
        head = bytes(at, whole);
        Entry entry;
        entry.encrypted = (little(head, 8, 2) & 1U) != 0;
        entry.method = static_cast<std::uint16_t>(little(head, 10, 2));
        entry.crc = static_cast<std::uint32_t>(little(head, 16, 4));
        entry.packed = little(head, 20, 4);
        entry.size = little(head, 24, 4);
        std::uint64_t header = little(head, 42, 4);
        entry.name.assign(reinterpret_cast<const char*>(head.data()) + entry_size, name_size);
        take_zip64(head.subspan(entry_size + name_size, extra_size), entry, header);
        if (header > directory.begin - directory.before ||
            entry.packed > directory.begin - directory.before - header)
            refuse(
                fmt::format("its entry `{}` is said to lie at byte {}, of {} bytes, beyond the "
                            "archive's members",
                            shortened(entry.name), header, entry.packed));
        entry.header = header + directory.before;
        turn_slashes(entry.name);
        at += whole;
        visit(std::move(entry));
    }
}

std::string name_of_method(std::uint16_t method) {
    switch (method) {
        case 0:
            return "stored";
        case 8:
            return "deflate";
        case 9:
            return "deflate64";
        case 12:
            return "bzip2";
        case 14:
            return "lzma";
        case 93:
            return "zstd";
        case 95:
            return "xz";
        default:
            return fmt::format("method {}", method);
    }
}

}  // namespace assay::zipped
