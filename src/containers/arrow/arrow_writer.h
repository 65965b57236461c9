// Writes Arrow files (columnar format 1.4, IPC file; "Feather version 2"), for pandas, polars, R,
// and programs that map a file into memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/column_table.h"

namespace assay::arrow {

/// Each write() makes one uncompressed record batch. Lists of one length become FixedSizeList.
/// `metadata` belongs to the schema. Memory: one batch. `out` receives the file in pieces.
std::unique_ptr<ColumnFile> write_arrow(std::vector<ColumnSpec> columns,
                                        std::vector<std::pair<std::string, std::string>> metadata,
                                        std::function<void(std::string_view)> out);

}  // namespace assay::arrow
