// An entry of a zip file as a source. It is read in place and not unpacked to memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "containers/byte_source.h"
#include "containers/zip.h"

namespace assay {

/// Reads the whole entry once to check its CRC. Throws bad_input, naming the entry: damaged,
/// truncated, encrypted, packed by another method than deflate.
std::shared_ptr<const ByteSource> open_zip_member(std::shared_ptr<const ByteSource> archive,
                                                  const ZipEntry& entry);

/// The first `most` bytes of an entry, or fewer if it is shorter. Does not check the checksum.
/// Throws bad_input as above.
std::vector<std::byte> zip_member_beginning(const std::shared_ptr<const ByteSource>& archive,
                                            const ZipEntry& entry, std::size_t most);

}  // namespace assay
