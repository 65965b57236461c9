// Parquet files, written (parquet.thrift of apache/parquet-format): for pandas, polars, DuckDB,
// Spark.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/column_table.h"

namespace assay::parquet {

/// Each write() is a row group: pages of version 1 of about a MiB, packed by zstd; texts that
/// repeat by dictionary; the least and the greatest number of each group. All columns may be null
/// but for lists' elements. `metadata`: of the file. The bytes depend on the rows and the groups
/// alone; `threads` pack the columns of a group. Memory: a group, and its packed columns. `out`
/// gets the file in pieces.
std::unique_ptr<ColumnFile> write_parquet(std::vector<ColumnSpec> columns,
                                          std::vector<std::pair<std::string, std::string>> metadata,
                                          int threads, std::function<void(std::string_view)> out);

}  // namespace assay::parquet
