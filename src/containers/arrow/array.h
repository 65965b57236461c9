// A column in Arrow's memory layout (columnar format 1.4), for files and the C interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "containers/column_table.h"

namespace assay::arrow {

struct Array {
    std::int64_t length = 0, nulls = 0;
    /// Validity ("" if nothing is null), then offsets for texts and lists, then values.
    std::vector<std::string> buffers{};
    std::vector<Array> children{};  ///< the values of lists
};
Array array_of(const ColumnSpec& spec, const ColumnRows& rows);

}  // namespace assay::arrow
