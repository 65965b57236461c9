// Writes Parquet files (parquet.thrift of apache/parquet-format), for pandas, polars, DuckDB,
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

/// Each write() makes one row group, compressed by zstd. Its pages are of version 1 and of about a
/// MiB, with a dictionary for texts that repeat. The smallest and greatest number of each group are
/// written, too. All columns may have nulls, but elements of lists may not. `metadata` belongs to
/// the file. The bytes depend only on the rows and the groups; `threads` compress the columns of a
/// group in parallel. Memory: a group and its compressed columns. `out` receives the file in
/// pieces.
std::unique_ptr<ColumnFile> write_parquet(std::vector<ColumnSpec> columns,
                                          std::vector<std::pair<std::string, std::string>> metadata,
                                          int threads, std::function<void(std::string_view)> out);

}  // namespace assay::parquet
