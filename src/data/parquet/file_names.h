// Which files of a folder are a data set.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parquet {

/// Whether the name ends in .parquet, in any case.
bool has_parquet_extension(const std::filesystem::path& path);

/// The .parquet files of the folder, or else of its folder `data`, in byte order of their names;
/// none where there are none. They must be of one split, told by the names that the library
/// `datasets` gives (validation-00000-of-00014.parquet) or by how a name begins (test.parquet).
/// Throws bad_input: several splits, in files or folders (the message says what to type), or a
/// split of which a file is missing; nothing of `split`, if that is not "" and there are files.
std::vector<std::filesystem::path> parquet_files_of(const std::filesystem::path& folder,
                                                    std::string_view split = {});

/// What names them as one data set where two of the paths are files of one split in one folder
/// ("val-{00000..00001}-of-00002.parquet"), else "": a shell has expanded the braces.
std::string range_of_shards(const std::vector<std::filesystem::path>& paths);

}  // namespace assay::parquet
