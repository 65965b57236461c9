#include "core/zip.h"

#include <fmt/format.h>
#include <unzip.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>

#include "assay/error.h"
#include "core/refuse.h"

namespace assay {
namespace {

constexpr std::uint64_t max_entries = 65536;
constexpr std::uint64_t max_deflate_ratio = 1032;
constexpr std::size_t piece_bytes = 1U << 20;

/// minizip reads files through a table of functions; these read memory instead.
struct Memory {
    std::span<const std::byte> bytes;
    std::uint64_t at = 0;
};

Memory* memory_of(voidpf stream) {
    return static_cast<Memory*>(stream);
}

voidpf open_memory(voidpf opaque, const void*, int) {
    return opaque;
}

uLong read_memory(voidpf, voidpf stream, void* out, uLong size) {
    Memory& memory = *memory_of(stream);
    const std::uint64_t n = std::min<std::uint64_t>(size, memory.bytes.size() - memory.at);
    if (n != 0) std::memcpy(out, memory.bytes.data() + memory.at, n);
    memory.at += n;
    return n;
}

uLong refuse_to_write(voidpf, voidpf, const void*, uLong) {
    return 0;
}

ZPOS64_T tell_memory(voidpf, voidpf stream) {
    return memory_of(stream)->at;
}

long seek_memory(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
    Memory& memory = *memory_of(stream);
    const std::uint64_t size = memory.bytes.size();
    const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                               : origin == ZLIB_FILEFUNC_SEEK_CUR ? memory.at
                                                                  : size;
    if (offset > size - base) return -1;
    memory.at = base + offset;
    return 0;
}

int close_memory(voidpf, voidpf) {
    return 0;
}

int no_error(voidpf, voidpf) {
    return 0;
}

struct CloseArchive {
    void operator()(voidp file) const { unzClose(file); }
};
using Archive = std::unique_ptr<std::remove_pointer_t<unzFile>, CloseArchive>;

Archive open_archive(Memory& memory) {
    zlib_filefunc64_def functions{open_memory, read_memory,  refuse_to_write, tell_memory,
                                  seek_memory, close_memory, no_error,        &memory};
    Archive archive(unzOpen2_64(nullptr, &functions));
    if (!archive) refuse("not a zip file, or one whose directory is damaged or cut off");
    return archive;
}

void go_to(const Archive& archive, const ZipEntry& entry) {
    const unz64_file_pos position{entry.directory_position, entry.number};
    if (unzGoToFilePos64(archive.get(), &position) != UNZ_OK ||
        unzOpenCurrentFile(archive.get()) != UNZ_OK) {
        refuse(fmt::format("zip entry `{}` is damaged", entry.name));
    }
}

ZipEntry current_entry(const Archive& archive) {
    unz_file_info64 info{};
    std::string name(4096, '\0');
    if (unzGetCurrentFileInfo64(archive.get(), &info, name.data(), name.size(), nullptr, 0, nullptr,
                                0) != UNZ_OK) {
        refuse("the directory of the zip file is damaged");
    }
    if (info.size_filename > name.size())
        refuse(fmt::format("a zip entry has a name of {} bytes", info.size_filename));
    name.resize(info.size_filename);
    name.shrink_to_fit();  // 4 KiB for each of 65,536 entries otherwise
    unz64_file_pos position{};
    unzGetFilePos64(archive.get(), &position);
    if ((info.flag & 1U) != 0) refuse(fmt::format("zip entry `{}` is encrypted", name));
    if (info.compression_method != 0 && info.compression_method != Z_DEFLATED) {
        refuse(fmt::format("zip entry `{}` is compressed by method {}; supported: stored, deflate",
                           name, info.compression_method));
    }
    const bool stored = info.compression_method == 0;
    // Sizes are what the directory claims; no claim beyond the possible leaves here.
    const bool possible = stored
                              ? info.uncompressed_size == info.compressed_size
                              : info.uncompressed_size / max_deflate_ratio <= info.compressed_size;
    if (!possible) {
        refuse(fmt::format("zip entry `{}` claims {} bytes out of {} packed ones", name,
                           info.uncompressed_size, info.compressed_size));
    }
    return {std::move(name), info.uncompressed_size,        info.compressed_size,
            stored,          position.pos_in_zip_directory, position.num_of_file};
}

}  // namespace

ZipArchive::ZipArchive(std::span<const std::byte> bytes) : bytes_(bytes) {
    Memory memory{bytes, 0};
    const Archive archive = open_archive(memory);
    unz_global_info64 info{};
    unzGetGlobalInfo64(archive.get(), &info);
    if (info.number_entry > max_entries) {
        refuse(fmt::format("the zip file claims {} entries; at most {} are read", info.number_entry,
                           max_entries));
    }
    // minizip takes an end record that is cut off for one of an empty archive.
    if (info.number_entry == 0) refuse("the zip file has no entries, or its end is cut off");
    int status = unzGoToFirstFile(archive.get());
    for (; status == UNZ_OK; status = unzGoToNextFile(archive.get())) {
        if (entries_.size() == max_entries)
            refuse(fmt::format("the zip file has more than {} entries", max_entries));
        entries_.push_back(current_entry(archive));
        if (entries_.back().packed_size > bytes.size()) {
            refuse(fmt::format("zip entry `{}` claims {} packed bytes; the whole file has {}",
                               entries_.back().name, entries_.back().packed_size, bytes.size()));
        }
    }
    if (status != UNZ_END_OF_LIST_OF_FILE) refuse("the directory of the zip file is damaged");
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

std::span<const std::byte> ZipArchive::view(const ZipEntry& entry) const {
    if (!entry.stored)
        throw Error(ErrorCode::internal, fmt::format("zip entry `{}` is compressed", entry.name));
    Memory memory{bytes_, 0};
    const Archive archive = open_archive(memory);
    go_to(archive, entry);
    unz_file_info64 info{};
    unzGetCurrentFileInfo64(archive.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0);
    const std::uint64_t begin = unzGetCurrentFileZStreamPos64(archive.get());
    if (begin > bytes_.size() || entry.size > bytes_.size() - begin) {
        refuse(fmt::format("zip entry `{}` is cut off", entry.name));
    }
    const std::span<const std::byte> data = bytes_.subspan(begin, entry.size);
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
    if (crc != info.crc)
        refuse(fmt::format("zip entry `{}` is damaged: its CRC is {:08x}, {:08x} is recorded",
                           entry.name, crc, info.crc));
    return data;
}

void ZipArchive::unpack(const ZipEntry& entry,
                        const std::function<void(std::span<const std::byte>)>& piece) const {
    Memory memory{bytes_, 0};
    const Archive archive = open_archive(memory);
    go_to(archive, entry);
    std::vector<std::byte> buffer(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, entry.size + 1)));
    std::uint64_t done = 0;
    for (;;) {
        const int got =
            unzReadCurrentFile(archive.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
        if (got < 0)
            refuse(fmt::format("zip entry `{}` is damaged after {} of {} bytes", entry.name, done,
                               entry.size));
        if (got == 0) break;
        if (static_cast<std::uint64_t>(got) > entry.size - done) {
            refuse(fmt::format("zip entry `{}` unpacks to more than its {} bytes", entry.name,
                               entry.size));
        }
        done += static_cast<std::uint64_t>(got);
        piece(std::span<const std::byte>(buffer).first(static_cast<std::size_t>(got)));
    }
    if (done != entry.size)
        refuse(fmt::format("zip entry `{}` unpacks to {} bytes, not {}", entry.name, done,
                           entry.size));
    if (unzCloseCurrentFile(archive.get()) != UNZ_OK)
        refuse(fmt::format("zip entry `{}` is damaged: wrong CRC", entry.name));
}

std::vector<std::byte> ZipArchive::read(const ZipEntry& entry, std::uint64_t limit) const {
    if (entry.size > limit) {
        refuse(fmt::format("zip entry `{}` has {} bytes; at most {} are read", entry.name,
                           entry.size, limit));
    }
    std::vector<std::byte> whole;
    whole.reserve(static_cast<std::size_t>(entry.size));
    unpack(entry, [&](std::span<const std::byte> piece) {
        whole.insert(whole.end(), piece.begin(), piece.end());
    });
    return whole;
}

}  // namespace assay
