#include "containers/zip_member_source.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "containers/at_place.h"
#include "containers/inflated_source.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

std::shared_ptr<const SourcePart> packed_part(std::shared_ptr<const ByteSource> archive,
                                              const ZipEntry& entry) {
    check_zip_entry(entry);
    const std::uint64_t begin = zip_data_begin(*archive, entry, "it");
    return std::make_shared<const SourcePart>(std::move(archive), begin, entry.packed_size);
}

std::uint32_t crc_of_source(const ByteSource& source) {
    std::vector<std::byte> piece(std::size_t{1} << 20);
    uLong crc = crc32_z(0, nullptr, 0);
    for (std::uint64_t at = 0; at < source.size();) {
        throw_if_stopped();
        const auto part = std::span(piece).first(
            static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), source.size() - at)));
        source.read(at, part);
        crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
        at += part.size();
    }
    return static_cast<std::uint32_t>(crc);
}

std::string member_place(const ZipEntry& entry) {
    return fmt::format("zip entry `{}`", shortened(entry.name));
}

}  // namespace

std::shared_ptr<const ByteSource> open_zip_member(std::shared_ptr<const ByteSource> archive,
                                                  const ZipEntry& entry) {
    return at_place(
        [&] { return member_place(entry); },
        [&]() -> std::shared_ptr<const ByteSource> {
            const auto packed = packed_part(std::move(archive), entry);
            std::shared_ptr<const ByteSource> member = packed;
            std::uint32_t crc = 0;
            if (entry.stored) {
                crc = crc_of_source(*packed);
            } else {
                auto inflated =
                    std::make_shared<const InflatedSource>(packed, DeflateWrap::none, entry.size);
                crc = inflated->crc();
                member = std::move(inflated);
            }
            if (member->size() != entry.size)
                refuse(
                    fmt::format("it decompresses to {} bytes, not {}", member->size(), entry.size));
            if (crc != entry.crc)
                refuse(fmt::format("it is damaged: its CRC-32 is {:08x}, but {:08x} is recorded",
                                   crc, entry.crc));
            return member;
        });
}

std::vector<std::byte> zip_member_beginning(const std::shared_ptr<const ByteSource>& archive,
                                            const ZipEntry& entry, std::size_t most) {
    return at_place([&] { return member_place(entry); },
                    [&] {
                        const auto packed = packed_part(archive, entry);
                        if (!entry.stored)
                            return InflatedSource::beginning(*packed, DeflateWrap::none, most);
                        std::vector<std::byte> bytes(static_cast<std::size_t>(
                            std::min<std::uint64_t>(most, packed->size())));
                        packed->read(0, bytes);
                        return bytes;
                    });
}

}  // namespace assay
