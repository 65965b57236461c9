#include "core/elf.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace assay {
namespace {

/// `size` bytes from `begin` on, or nothing if the file ends before that.
std::optional<std::string_view> part_of(std::string_view file, std::uint64_t begin,
                                        std::uint64_t size) {
    if (begin > file.size() || size > file.size() - begin) return std::nullopt;
    return file.substr(begin, size);
}

template <class Header>
std::optional<Header> header_at(std::string_view file, std::uint64_t begin) {
    const auto bytes = part_of(file, begin, sizeof(Header));
    if (!bytes) return std::nullopt;
    Header header;
    std::memcpy(&header, bytes->data(), sizeof header);
    return header;
}

}  // namespace

std::string_view dynamic_names(std::string_view file) {
    const auto head = header_at<Elf64_Ehdr>(file, 0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB)
        return {};
    const auto section = [&](std::uint64_t i) -> std::optional<Elf64_Shdr> {
        if (i >= head->e_shnum || head->e_shoff > file.size()) return std::nullopt;
        return header_at<Elf64_Shdr>(file, head->e_shoff + i * sizeof(Elf64_Shdr));
    };
    for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
        const auto dynamic = section(i);
        if (!dynamic) return {};
        if (dynamic->sh_type != SHT_DYNSYM) continue;
        const auto names = section(dynamic->sh_link);
        if (!names) return {};
        return part_of(file, names->sh_offset, names->sh_size).value_or(std::string_view());
    }
    return {};
}

}  // namespace assay
