// One entry of a zip file as a source of its own, in place: nothing is unpacked to memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "containers/byte_source.h"
#include "containers/zip.h"

namespace assay {

/// Reads the whole entry once to compare its CRC. Throws bad_input, naming the entry: damaged, cut
/// off, encrypted, packed by another method than deflate.
std::shared_ptr<const ByteSource> open_zip_member(std::shared_ptr<const ByteSource> archive,
                                                  const ZipEntry& entry);

/// The first bytes of an entry: `most`, fewer where it is shorter. No checksum is compared. Throws
/// bad_input as the above.
std::vector<std::byte> zip_member_beginning(const std::shared_ptr<const ByteSource>& archive,
                                            const ZipEntry& entry, std::size_t most);

}  // namespace assay
