// A column in the memory layout of Arrow (its columnar format 1.4): what files and the C interface
// hand over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "containers/column_table.h"

namespace assay::arrow {

struct Array {
    std::int64_t length = 0, nulls = 0;
    /// Validity ("" where nothing is null), offsets where texts and lists have them, values.
    std::vector<std::string> buffers{};
    std::vector<Array> children{};  ///< the values of lists
};
Array array_of(const ColumnSpec& spec, const ColumnRows& rows);

}  // namespace assay::arrow
