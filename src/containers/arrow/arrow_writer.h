// Arrow files, written (Arrow's columnar format 1.4, IPC file; "Feather version 2"): for pandas,
// polars, R, and all that maps a file into memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/column_table.h"

namespace assay::arrow {

/// Each write() is a record batch, not packed. Lists of one length are FixedSizeList. `metadata`:
/// of the schema. Memory: a batch. `out` gets the file in pieces.
std::unique_ptr<ColumnFile> write_arrow(std::vector<ColumnSpec> columns,
                                        std::vector<std::pair<std::string, std::string>> metadata,
                                        std::function<void(std::string_view)> out);

}  // namespace assay::arrow
