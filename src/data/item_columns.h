// The item table of a store as arrays that are mapped into memory, next to the csv for people and
// other programs. It opens immediately, and the processes of a machine share the memory.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "assay/data/dataset.h"

namespace assay {

/// Writes ids, paths, labels and attributes. `items_hash` is the hash of the csv file with the same
/// content. Throws io.
void write_item_columns(const Dataset& dataset, std::string_view items_hash,
                        const std::filesystem::path& path);

/// Maps the arrays. Classes, name and root are not in the file. Returns nothing if the file is
/// missing, damaged, of another version, or belongs to another csv file; the csv has the same
/// content. Cost: one read of the file, for the checksum.
std::optional<Dataset> map_item_columns(const std::filesystem::path& path,
                                        std::string_view items_hash);

}  // namespace assay
