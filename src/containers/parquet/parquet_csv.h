// Converts a Parquet file to the csv that pandas would write, for the readers of tables.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/parquet/parquet_file.h"

namespace assay::parquet {

/// The name that pandas gives to an unnamed index.
inline constexpr std::string_view index_of_pandas = "__index_level_0__";

/// Writes a header row and then the file's rows, in pieces of about a MiB. Nulls and NaNs are empty
/// cells. If the metadata name the classes of a column of numbers, the cells are these names. The
/// column for pandas' index has no name. Memory: a page of each column. Returns the columns that
/// cannot be written as text, and why: "boxes (a list)". Throws bad_input: damaged, or no column
/// can be written.
std::vector<std::string> write_csv(const File& file,
                                   const std::function<void(std::string_view)>& piece);

}  // namespace assay::parquet
