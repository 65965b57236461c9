// The tree of a file's columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "containers/parquet/format.h"
#include "containers/parquet/thrift.h"

namespace assay::parquet {

struct SchemaElement {
    std::string name;
    std::optional<std::int32_t> type;
    std::int32_t repetition = 0;  ///< 0 required, 1 optional, 2 repeated
    std::int32_t children = 0;
    std::int32_t length = 0;  ///< bytes of a value of fixed length
    std::int32_t scale = 0;
    Meaning meaning = Meaning::none;
};

/// Reads the element at the current position.
SchemaElement read_element(ThriftReader& in);

/// The leaves of the tree, which is stored depth first, each element before its children. Throws
/// bad_input: no tree, no columns, deeper than 32.
std::vector<Column> leaves_of(const std::vector<SchemaElement>& elements);

}  // namespace assay::parquet
