// Selects the files in a folder that are one data set.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parquet {

/// True if the name ends in .parquet, in any case.
bool has_parquet_extension(const std::filesystem::path& path);

/// The .parquet files of the folder, or else of its folder `data`, in byte order of their names;
/// empty if there are none. They must belong to one split, judged by the names that the library
/// `datasets` gives (validation-00000-of-00014.parquet) or by the start of the name (test.parquet).
/// Throws bad_input for several splits in files or folders (with the argument to type), a split
/// with a missing file, or a `split` without files.
std::vector<std::filesystem::path> parquet_files_of(const std::filesystem::path& folder,
                                                    std::string_view split = {});

/// A brace expression for one data set ("val-{00000..00001}-of-00002.parquet"). Empty unless a
/// shell has expanded such braces: two of the paths are files of one split in one folder.
std::string range_of_shards(const std::vector<std::filesystem::path>& paths);

}  // namespace assay::parquet
