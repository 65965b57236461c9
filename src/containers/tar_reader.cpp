#include "containers/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::webdataset {
namespace {

constexpr std::uint64_t block_size = 512;
constexpr std::uint64_t window_size = 8 * block_size;
constexpr std::uint64_t longest_name = std::uint64_t{64} << 10;
constexpr std::uint64_t longest_extension = std::uint64_t{1} << 20;

/// Returns a field up to its first NUL.
std::string_view field(std::span<const std::byte> block, std::size_t offset, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(block.data()) + offset, size);
    return all.substr(0, std::min(all.find('\0'), all.size()));
}

/// Reads octal with surrounding blanks, or GNU's and pax's base 256. Returns nothing for anything
/// else.
std::optional<std::uint64_t> number_in(std::span<const std::byte> block, std::size_t offset,
                                       std::size_t size) {
    const auto byte = [&](std::size_t i) { return std::to_integer<unsigned>(block[offset + i]); };
    if ((byte(0) & 0x80U) != 0) {
        // The first bit marks base 256. The next one is the sign.
        if ((byte(0) & 0x7fU) != 0) return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = 1; i < size; ++i) {
            if (value >> 55U != 0) return std::nullopt;
            value = value << 8U | byte(i);
        }
        return value;
    }
    const std::string_view text = trimmed(field(block, offset, size));
    if (text.empty()) return 0;
    std::uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '7' || value >> 60U != 0) return std::nullopt;
        value = value << 3U | static_cast<unsigned>(c - '0');
    }
    return value;
}

bool is_zero(std::span<const std::byte> block) {
    return std::all_of(block.begin(), block.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

struct TarReader::Header {
    std::uint64_t at = 0;
    std::string name;
    char type = '0';
    std::uint64_t size = 0;
    std::uint64_t data() const { return at + block_size; }
};

/// Values from extension headers before the member's own header.
struct TarReader::Extended {
    std::optional<std::string> name;
    std::optional<std::uint64_t> size;
};

void TarReader::refuse_at(std::uint64_t offset, const std::string& why) const {
    refuse(fmt::format("byte {}: {}", offset, why));
}

std::span<const std::byte> TarReader::block(std::uint64_t offset) {
    if (source_.size() - offset < block_size || offset > source_.size())
        refuse_at(offset, fmt::format("the archive ends within a header, at byte {}: it was cut "
                                      "off",
                                      source_.size()));
    if (offset < window_at_ || offset + block_size > window_at_ + window_.size()) {
        window_.resize(std::min(window_size, source_.size() - offset));
        source_.read(offset, window_);
        window_at_ = offset;
    }
    return std::span(window_).subspan(offset - window_at_, block_size);
}

std::string TarReader::text_of(const Header& header, std::uint64_t most) {
    if (header.size > most)
        refuse_at(header.at, fmt::format("a header's extension of {} bytes; the limit is {}",
                                         header.size, most));
    std::string text(header.size, '\0');
    source_.read(header.data(), std::as_writable_bytes(std::span(text.data(), text.size())));
    return text;
}

void TarReader::expect_nothing_behind(std::uint64_t offset) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    for (const std::uint64_t end = std::min(source_.size(), offset + most);
         offset + block_size <= end; offset += block_size) {
        if (is_zero(block(offset))) continue;
        refuse_at(offset,
                  "more data follows the end of the archive. Archives joined with cat cannot be "
                  "read past the first one; pass them one by one");
    }
}

std::optional<TarMember> TarReader::next() {
    Extended extended;
    for (;;) {
        const std::uint64_t at = next_;
        if (at >= source_.size()) return std::nullopt;
        const std::span<const std::byte> raw = block(at);
        if (is_zero(raw)) {
            has_end_mark_ = true;
            expect_nothing_behind(at + block_size);
            next_ = source_.size();
            return std::nullopt;
        }
        const auto checksum = number_in(raw, 148, 8);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < block_size; ++i)
            sum += i >= 148 && i < 156 ? ' ' : std::to_integer<std::uint64_t>(raw[i]);
        if (!checksum || *checksum != sum) refuse_at(at, "not a tar header: its checksum is wrong");
        const auto size = number_in(raw, 124, 12);
        if (!size) refuse_at(at, "the size of the member is not a number");
        Header header{at, std::string(field(raw, 0, 100)), static_cast<char>(raw[156]), *size};
        if (header.type == '\0' || header.type == '7') header.type = '0';
        const std::string_view prefix = field(raw, 345, 155);
        const bool ustar = std::memcmp(raw.data() + 257, "ustar\0", 6) == 0;
        if (ustar && !prefix.empty()) header.name = fmt::format("{}/{}", prefix, header.name);
        // Links and folders have no bytes, and their size field is ignored. The size in a pax
        // header applies to the member, not to an extension.
        const bool extension =
            header.type == 'x' || header.type == 'g' || header.type == 'L' || header.type == 'K';
        if (!extension && extended.size) header.size = *extended.size;
        if (!extension && header.type >= '1' && header.type <= '6') header.size = 0;
        const std::uint64_t left = source_.size() - header.data();
        if (header.size > left)
            refuse_at(
                at, fmt::format("`{}` has {} bytes, but only {} are left: the archive was cut off",
                                shortened(extended.name.value_or(header.name)), header.size, left));
        const std::uint64_t padded = (header.size + block_size - 1) / block_size * block_size;
        next_ = header.data() + std::min(padded, left);
        if (header.type == 'L') {
            std::string name = text_of(header, longest_name);
            extended.name = name.substr(0, name.find('\0'));
        } else if (header.type == 'x') {
            const std::string text = text_of(header, longest_extension);
            // The format is "LENGTH KEY=VALUE\n", where LENGTH counts the whole line.
            for (std::string_view rest = text; !rest.empty();) {
                std::uint64_t length = 0;
                const std::size_t blank = rest.find(' ');
                const std::size_t equals = rest.find('=');
                if (blank == std::string_view::npos ||
                    !parse_number(rest.substr(0, blank), length) || length > rest.size() ||
                    length < blank + 3 || equals == std::string_view::npos ||
                    equals >= length - 1 || rest[length - 1] != '\n')
                    refuse_at(header.at, "a damaged pax header");
                const std::string_view key = rest.substr(blank + 1, equals - blank - 1);
                const std::string_view value = rest.substr(equals + 1, length - equals - 2);
                if (key == "path" && value.size() <= longest_name) extended.name = value;
                if (key == "size") {
                    std::uint64_t bytes = 0;
                    if (!parse_number(value, bytes))
                        refuse_at(header.at, fmt::format("a pax header with the size `{}`",
                                                         shortened(std::string(value))));
                    extended.size = bytes;
                }
                rest.remove_prefix(length);
            }
        } else if (!extension) {
            TarMember member{extended.name.value_or(std::move(header.name)), header.type,
                             header.data(), header.size};
            // Reads "./a" as "a". In old archives, a file whose name ends in a slash is a folder.
            while (member.name.starts_with("./")) member.name.erase(0, 2);
            if (member.is_file() && member.name.ends_with('/')) member.type = '5';
            return member;
        }
    }
}

}  // namespace assay::webdataset
