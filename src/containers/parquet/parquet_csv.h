// A Parquet file as the csv that pandas would write of it, for the readers of tables.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/parquet/parquet_file.h"

namespace assay::parquet {

/// Gives a row of the columns' names and then the file's rows, in pieces of about a MiB. Nulls and
/// NaNs are empty cells; where the metadata name the classes of a column of numbers, the cells are
/// these names; the index of pandas has no name. Memory: a page of each column. Returns the columns
/// that have no texts, and why: "boxes (a list)". Throws bad_input: damaged, or all columns are of
/// these.
std::vector<std::string> write_csv(const File& file,
                                   const std::function<void(std::string_view)>& piece);

}  // namespace assay::parquet
