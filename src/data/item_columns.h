// The item table of a store as arrays that are mapped into memory, beside the csv that people and
// other programs read: it opens at once, and the processes of a machine share it.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "assay/data/dataset.h"

namespace assay {

/// Writes ids, paths, labels and attributes. `items_hash`: of the csv file that they are also in.
/// Throws io.
void write_item_columns(const Dataset& dataset, std::string_view items_hash,
                        const std::filesystem::path& path);

/// Maps them; classes, name and root are not in it. Nothing where no such file is there, one of
/// another csv file, of another version, or a damaged one: the csv says the same. Cost: one read of
/// the file, by the checksum.
std::optional<Dataset> map_item_columns(const std::filesystem::path& path,
                                        std::string_view items_hash);

}  // namespace assay
