// Selects the files in a folder that are one data set.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parquet {

/// Whether the name ends in .parquet, in any case.
bool has_parquet_extension(const std::filesystem::path& path);

/// The .parquet files of the folder, or else of its folder `data`, in byte order of their names;
/// empty if there are none. They must belong to one split, judged by the names that the library
/// `datasets` gives (validation-00000-of-00014.parquet) or by the start of the name (test.parquet).
/// Throws bad_input: several splits, in files or folders (the message says what to type), or a
/// split with a missing file. Also throws it if a `split` that is not "" has no file.
std::vector<std::filesystem::path> parquet_files_of(const std::filesystem::path& folder,
                                                    std::string_view split = {});

/// A brace expression for one data set ("val-{00000..00001}-of-00002.parquet"). Empty unless two of
/// the paths are files of one split in one folder. If they are, a shell has expanded the braces.
std::string range_of_shards(const std::vector<std::filesystem::path>& paths);

}  // namespace assay::parquet
