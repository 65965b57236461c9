// Deflate (RFC 1951), unpacked in pieces: for arrays that are zeros nearly everywhere, where a
// match is hundreds of bytes long and is written by wide stores. Several times as fast there as
// zlib, whose inner loop copies byte by byte; elsewhere about as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/zip.h"

namespace assay {

/// Unpacks a raw deflate stream: `piece` gets its bytes in order, at most 256 KiB at a time.
/// Returns how many packed bytes it took, or nothing when the stream is damaged, cut off, or
/// unpacks to more than `most` bytes (of which never more than `most` are given). Memory: 450 KiB.
std::optional<std::size_t> inflate_pieces(
    std::span<const std::byte> packed, std::uint64_t most,
    const std::function<void(std::span<const std::byte>)>& piece);

/// ZipArchive::unpack by inflate_pieces where the entry is deflated and lies where the directory
/// says; else by minizip. The same bytes and the same errors; CRC checked.
void unpack_entry(const ZipArchive& archive, std::span<const std::byte> archive_bytes,
                  const ZipEntry& entry,
                  const std::function<void(std::span<const std::byte>)>& piece);

}  // namespace assay
