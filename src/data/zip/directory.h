// The directory of a zip file on disk (PKWARE's APPNOTE.TXT 6.3.10): zip64, of any number of
// entries. Entries' bytes are not read. core/zip.h reads small archives that are in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "data/source_file.h"

namespace assay::zipped {

struct Entry {
    std::string name;
    std::uint64_t header = 0;  ///< where its own header begins, in the file
    std::uint64_t packed = 0, size = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;  ///< 0: stored, 8: deflate
    bool encrypted = false;
};

/// Calls visit(entry) for each, in the directory's order. Throws bad_input, naming byte or entry:
/// no zip file, or one that was cut off; an archive of several disks; a directory that is damaged,
/// or claims more than the file holds.
void read_directory(const SourceFile& source, const std::function<void(Entry)>& visit);

/// "deflate64", "method 99".
std::string name_of_method(std::uint16_t method);

}  // namespace assay::zipped
